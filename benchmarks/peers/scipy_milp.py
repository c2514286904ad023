"""scipy.optimize.milp (its own HiGHS) with a gap of 0 asked for, as a peer: see serve.py."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array
from serve import LIMIT_S, Answer, Instance, serve


def build(given: Instance) -> dict[str, Any]:
    client, edge, value, room = given["client"], given["edge"], given["value"], given["room"]
    n_pairs, pair = len(value), np.arange(len(value))
    weight = given["cost"] / np.where(room[edge] > 0, room[edge], 1.0)
    matrix = csr_array(
        (np.r_[weight, np.ones(n_pairs)], (np.r_[edge, len(room) + client], np.r_[pair, pair])),
        shape=(len(room) + int(client.max()) + 1, n_pairs),
    )
    return {
        "c": -value / value.max(),
        "constraints": LinearConstraint(matrix, ub=np.ones(matrix.shape[0])),
        "integrality": np.ones(n_pairs),
        "bounds": Bounds(0, 1),
        "options": {"mip_rel_gap": 0.0, "time_limit": LIMIT_S},
    }


def read(model: dict[str, Any], result: Any) -> Answer:
    return None if result.x is None else result.x > 0.5, result.status == 0


serve(build, lambda model: milp(**model), read)
