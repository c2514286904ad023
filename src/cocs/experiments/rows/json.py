"""A JSON list of row objects.

Numbers stay text until a column of them is read: an id 1.50 stays '1.50', and a value is rounded once.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from cocs.errors import InvalidFileError
from cocs.experiments.rows.columns import require
from cocs.experiments.rows.legible import legible

if TYPE_CHECKING:
    import polars as pl


def parse(name: str, data: bytes, ids: Sequence[str], numbers: Sequence[str]) -> pl.DataFrame:
    """Return the wanted columns as text; a key that a row leaves out is a missing entry."""
    import polars as pl

    rows = _load(name, data)
    if not isinstance(rows, list):
        raise InvalidFileError(name, 'must be a list of row objects: [{"…": …}, …]')
    for number, row in enumerate(rows, 1):
        if not isinstance(row, dict):
            raise InvalidFileError(name, f"row {number} must be an object with the keys {', '.join((*ids, *numbers))}")
    wanted = [*ids, *numbers]
    if rows:
        absent = [column for column in wanted if not any(column in row for row in rows)]
        known = dict.fromkeys(key for row in rows[:100] for key in row)
        require(name, list(known | dict.fromkeys(x for x in wanted if x not in absent)), wanted)
    columns = {column: _text(name, column, [row.get(column) for row in rows], column in ids) for column in wanted}
    try:
        return pl.DataFrame({column: pl.Series(text, dtype=pl.String) for column, text in columns.items()})
    except UnicodeEncodeError:
        raise InvalidFileError(name, "holds half a character (a lone surrogate such as \\ud800)") from None


def _load(name: str, data: bytes) -> Any:
    try:
        return json.loads(
            data.decode("utf-8-sig"), parse_float=str, parse_int=str, parse_constant=float, object_pairs_hook=_row
        )
    except UnicodeDecodeError as error:
        raise InvalidFileError(name, f"is not text in UTF-8: byte {error.start} is {data[error.start]:#x}") from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise InvalidFileError(name, f"is not valid JSON, or cut off: {error.msg.lower()} at {where}") from None
    except RecursionError:
        raise InvalidFileError(name, "is nested too deeply; it must be a list of row objects") from None
    except _RepeatedKeyError as error:
        raise InvalidFileError(name, f"has a row with the key '{legible(str(error))}' twice") from None


class _RepeatedKeyError(Exception):
    pass


def _row(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        keys = [key for key, _ in pairs]
        raise _RepeatedKeyError(next(key for key in keys if keys.count(key) > 1))
    return row


def _text(name: str, column: str, values: list[Any], is_id: bool) -> list[str | None]:
    for number, value in enumerate(values, 1):
        if isinstance(value, str) or value is None:
            continue
        if isinstance(value, float) and not is_id:  # only NaN and ±Infinity: all others are text by now
            values[number - 1] = str(value)
            continue
        what = "text or a number" if is_id else "a number"
        raise InvalidFileError(name, f"row {number}: {column} must be {what}, got {_kind(value)}")
    return values


def _kind(value: object) -> str:
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return json.dumps(value)  # true, false, NaN
