"""Any of the three formats → columns of ids and of numbers, each row of them good."""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeAlias

from cocs.errors import InvalidFileError, InvalidInputError
from cocs.experiments.rows import csv, json, parquet
from cocs.experiments.rows.legible import legible

if TYPE_CHECKING:
    import polars as pl

Source: TypeAlias = str | os.PathLike[str] | IO[bytes]

LONGEST_PATH = 200  # in messages
FORMATS = {"csv": csv.parse, "json": json.parse, "parquet": parquet.parse}


def read_rows(source: Source, ids: Sequence[str], numbers: Sequence[str]) -> tuple[str, pl.DataFrame]:
    """Return the source's name for messages and its columns: `ids` as text, `numbers` as finite floats of at least 0.

    Other columns are ignored. The suffix tells the format; without a known one, the content does.
    """
    path = os.fspath(source) if isinstance(source, (str, os.PathLike)) else str(getattr(source, "name", "<stream>"))
    name = legible(path, LONGEST_PATH)
    data = _read(name, source)
    if not data.removeprefix(csv.BOM).strip():
        raise InvalidFileError(name, "is empty; it must have the columns " + ", ".join((*ids, *numbers)))
    suffix = Path(path).suffix.lower().removeprefix(".")
    frame = FORMATS[suffix if suffix in FORMATS else _sniff(data)](name, data, ids, numbers)
    return name, _checked(name, frame, ids, numbers)


def row_name(frame: pl.DataFrame, row: int, ids: Sequence[str]) -> str:
    """Say which row it is: its number, from 1 and without the header, and its ids."""
    named = ", ".join(f"{column} '{legible(frame[column][row])}'" for column in ids if frame[column][row])
    return f"row {row + 1} ({named})" if named else f"row {row + 1}"


def _read(name: str, source: Source) -> bytes:
    try:
        if not isinstance(source, (str, os.PathLike)):
            data = source.read()
            if not isinstance(data, bytes):
                raise InvalidInputError("source", "must be a path or a binary stream: open(path, 'rb')")
            return data
        kind = os.stat(source).st_mode
        if stat.S_ISDIR(kind):
            raise InvalidFileError(name, "is a folder, not a file")
        if stat.S_ISBLK(kind) or (stat.S_ISCHR(kind) and not os.path.samefile(source, os.devnull)):
            raise InvalidFileError(name, "is a device, not a file")
        return Path(source).read_bytes()
    except FileNotFoundError:
        raise InvalidFileError(name, "there is no such file") from None
    except OSError as error:
        raise InvalidFileError(name, f"cannot be read ({error.strerror or error})") from None


def _sniff(data: bytes) -> str:
    if data.startswith(parquet.MAGIC):
        return "parquet"
    start = data.removeprefix(csv.BOM).lstrip()[:1]
    return "json" if start in (b"[", b"{") else "csv"


def _checked(name: str, frame: pl.DataFrame, ids: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    for column in ids:
        missing = (frame[column].is_null() | (frame[column] == "")).arg_true()
        if len(missing):
            raise InvalidFileError(name, f"{row_name(frame, missing[0], ids)}: {column} is missing")
    return frame.with_columns(_numbers(name, frame, column, ids) for column in numbers)


def _numbers(name: str, frame: pl.DataFrame, column: str, ids: Sequence[str]) -> pl.Series:
    import polars as pl

    written = frame[column]
    text = written.dtype == pl.String
    number = written.str.strip_chars().cast(pl.Float64, strict=False) if text else written.cast(pl.Float64)
    bad = ~((number >= 0) & number.is_finite()).fill_null(False)
    if not bad.any():
        return number
    row = int(bad.arg_true()[0])
    what, value = written[row], number[row]
    if what is None or what == "":
        rule = f"{column} is missing"
    elif value is None:
        rule = f"{column} '{legible(str(what))}' is not a number"
    else:
        rule = f"{column} is {legible(str(what))}, must be finite and at least 0"
    raise InvalidFileError(name, f"{row_name(frame, row, ids)}: {rule}")
