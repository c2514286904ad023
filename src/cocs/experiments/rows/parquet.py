"""Parquet, read in a child process.

A damaged file can make the reader panic, or ask for so much memory that the whole process ends.
"""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from cocs.errors import InvalidFileError
from cocs.experiments.rows.columns import require

if TYPE_CHECKING:
    import polars as pl

MAGIC = b"PAR1"
CHILD = Path(__file__).with_name("parquet_child.py")
PATIENCE_S = 60.0  # for the first 10 MB, and as much again for each 10 MB more


def parse(name: str, data: bytes, ids: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return the wanted columns: ids as text, numbers as text or floats, as they were written."""
    import polars as pl

    damaged = InvalidFileError(name, "is not a readable Parquet file (damaged, cut off, or another format)")
    if not (len(data) >= 12 and data.startswith(MAGIC) and data.endswith(MAGIC)):
        raise damaged
    command = [sys.executable, "-P", str(CHILD), json.dumps([list(ids), list(numbers)])]
    try:
        patience_s = PATIENCE_S * (1 + len(data) / 1e7)
        child = subprocess.run(command, input=data, capture_output=True, timeout=patience_s, check=False)
    except subprocess.TimeoutExpired:
        raise damaged from None
    head, _, body = child.stdout.partition(b"\n")
    if child.returncode != 0 or not head:
        raise damaged
    names, refused = json.loads(head)
    require(name, names, [*ids, *numbers])
    for column, (rule, dtype) in refused.items():
        raise InvalidFileError(name, f"column '{column}' must hold {rule}, not {dtype}")
    return pl.read_ipc_stream(io.BytesIO(body))
