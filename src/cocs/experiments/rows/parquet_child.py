"""Parquet on standard input → on standard output a line of JSON (names, columns of a wrong type), then Arrow.

Run as a script by `parquet.py`, which takes any failure for a damaged file. Imports nothing of cocs, to start quickly.
"""

from __future__ import annotations

import io
import json
import sys


def main() -> None:
    """Read, pick the wanted columns, write."""
    import polars as pl

    ids, numbers = json.loads(sys.argv[1])
    data = sys.stdin.buffer.read()
    schema = pl.read_parquet_schema(io.BytesIO(data))
    wanted = [column for column in (*ids, *numbers) if column in schema]
    refused: dict[str, tuple[str, str]] = {}
    casts = []
    for column in wanted:
        dtype = schema[column]
        number = dtype.is_numeric()
        text = dtype in (pl.String, pl.Null, pl.Categorical, pl.Enum)
        if not (number or text):
            refused[column] = ("text or numbers" if column in ids else "numbers", str(dtype))
        elif column in ids:
            whole = pl.col(column).fill_nan(None) if dtype.is_float() else pl.col(column)
            casts.append(whole.cast(pl.String))
        else:
            casts.append(pl.col(column).cast(pl.Float64 if number else pl.String))
    complete = not refused and len(wanted) == len(ids) + len(numbers)
    frame = pl.read_parquet(io.BytesIO(data), columns=wanted).select(casts) if complete else pl.DataFrame()
    sys.stdout.buffer.write(json.dumps([list(schema), refused]).encode() + b"\n")
    frame.write_ipc_stream(sys.stdout.buffer)


if __name__ == "__main__":
    main()
