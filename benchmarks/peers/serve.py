"""The loop of a peer in a process of its own: reads the path of an instance (.npz), answers one line of JSON.

An instance has client, edge, value, cost (P,) and room (M,), what each edge may spend; clients count from 0, no holes.
Building the model is not timed, solving it is, in CPU time of the whole process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

Instance = Mapping[str, Any]
Answer = tuple[Any, bool]  # a bool for each pair, or None where nothing was found; whether it is proved optimal

LIMIT_S = 10.0  # for one instance


def serve(build: Callable[[Instance], Any], solve: Callable[[Any], Any], read: Callable[[Any, Any], Answer]) -> None:
    """Say that it is ready, then answer until the input ends."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # solvers print what they like
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        with np.load(line.strip()) as file:
            model = build({name: file[name] for name in file.files})
        start = time.process_time_ns()
        result = solve(model)
        took = time.process_time_ns() - start
        chosen, proved = read(model, result)
        pairs = None if chosen is None else np.flatnonzero(chosen).tolist()
        print(json.dumps({"us": took / 1e3, "pairs": pairs, "proved": proved}), file=answers, flush=True)
