"""Comma-separated values as RFC 4180 has them, in UTF-8.

polars is quick but guesses at what is malformed (a short row, a stray quote), so every row's shape is checked first.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from cocs.core.arrays import BoolArray, IntArray
from cocs.errors import InvalidFileError
from cocs.experiments.rows.columns import require
from cocs.experiments.rows.legible import legible

if TYPE_CHECKING:
    import polars as pl

BOM = b"\xef\xbb\xbf"
QUOTE, COMMA, NEWLINE, RETURN = b'",\n\r'


def parse(name: str, data: bytes, ids: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return the wanted columns as text, blank lines left out."""
    import polars as pl

    data = data.removeprefix(BOM).strip(b"\r\n") + b"\n"
    _check_text(name, data)
    fields, blank, header = _shape(name, data)
    try:
        names = next(csv.reader([header.decode()], strict=True))
    except csv.Error as error:
        raise InvalidFileError(name, f"has a header that cannot be read ({error})") from None
    if len(names) == 1 and any(separator in names[0] for separator in ";\t"):
        raise InvalidFileError(name, f"must be separated by commas; its first line is '{legible(names[0])}'")
    wanted = [*ids, *numbers]
    require(name, names, wanted)
    ragged = np.flatnonzero((fields != len(names)) & ~blank)
    if len(ragged):
        row = ragged[0] - np.count_nonzero(blank[: ragged[0]])
        raise InvalidFileError(name, f"row {row} has {fields[ragged[0]]} fields, the header has {len(names)}")
    places = sorted(names.index(column) for column in wanted)
    try:
        frame = pl.read_csv(data, infer_schema=False, columns=places, quote_char='"' if b'"' in data else None)
    except pl.exceptions.PolarsError as error:
        raise InvalidFileError(name, f"cannot be read as CSV ({legible(str(error), 120)})") from None
    if frame.height != len(fields) - 1:
        raise InvalidFileError(name, f"cannot be read as CSV: {frame.height} rows of {len(fields) - 1} were understood")
    frame.columns = [names[place] for place in places]
    return frame.filter(pl.Series(~blank[1:]))


def _check_text(name: str, data: bytes) -> None:
    if b"\0" in data:
        raise InvalidFileError(name, "is not text in UTF-8 (a binary file, or UTF-16?)")
    try:
        data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidFileError(name, f"is not text in UTF-8: line {line} has the byte {data[error.start]:#x}") from None


def _shape(name: str, data: bytes) -> tuple[IntArray, BoolArray, bytes]:
    """Return how many fields each line has, which lines are blank, and the first line; refuse stray quotes."""
    raw = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(raw == QUOTE)
    before, after = raw[quotes - 1], raw[np.minimum(quotes + 1, len(raw) - 1)]
    # A quote opens a field, closes one, or is half of a doubled quote in one; every other one closes.
    opens = np.isin(before, (COMMA, NEWLINE, QUOTE)) | (quotes == 0)
    closes = np.isin(after, (COMMA, NEWLINE, RETURN, QUOTE))
    stray = np.flatnonzero(~np.where(np.arange(len(quotes)) % 2 == 0, opens, closes))
    if len(stray) or len(quotes) % 2:
        place = quotes[stray[0]] if len(stray) else quotes[-1]
        line = data.count(b"\n", 0, int(place)) + 1
        raise InvalidFileError(
            name, f'line {line} has a stray quote (a field that holds " is quoted, and its " doubled)'
        )
    returns = _outside(quotes, np.flatnonzero(raw == RETURN))
    alone = returns[raw[returns + 1] != NEWLINE]
    if len(alone):
        line = data.count(b"\n", 0, int(alone[0])) + 1
        raise InvalidFileError(name, f"line {line} has a carriage return alone; lines end with LF or CR LF")
    ends = _outside(quotes, np.flatnonzero(raw == NEWLINE))
    commas = _outside(quotes, np.flatnonzero(raw == COMMA))
    starts = np.concatenate([[0], ends[:-1] + 1])
    length = ends - starts
    blank = (length == 0) | ((length == 1) & (raw[starts] == RETURN))
    fields = np.diff(np.searchsorted(commas, ends), prepend=0) + 1
    return fields, blank, data[: ends[0]].removesuffix(b"\r")


def _outside(quotes: IntArray, places: IntArray) -> IntArray:
    return places[np.searchsorted(quotes, places) % 2 == 0] if len(quotes) else places
