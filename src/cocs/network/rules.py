"""The rules a preset's fields must hold: each check returns the normal form of a value, or refuses it by name."""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

from cocs.errors import InvalidSettingError


def whole(field: str, value: Any) -> int:
    """Return a whole number, at least 1."""
    if not _is_finite(value) or int(value) != value or value < 1:
        raise InvalidSettingError(field, value, "must be a whole number, at least 1")
    return int(value)


def between(field: str, value: Any, low: float, high: float, unit: str) -> float:
    """Return a number in [low, high]."""
    if not _is_finite(value) or not low <= value <= high:
        raise InvalidSettingError(field, value, f"must be a number from {low:g} to {high:g} {unit}")
    return float(value)


def positive(field: str, value: Any) -> float:
    """Return a finite number above 0."""
    if not _is_finite(value) or not value > 0:
        raise InvalidSettingError(field, value, "must be a finite number above 0")
    return float(value)


def not_negative(field: str, value: Any) -> float:
    """Return a finite number, at least 0."""
    if not _is_finite(value) or not value >= 0:
        raise InvalidSettingError(field, value, "must be a finite number, at least 0")
    return float(value)


def waiting_time(field: str, value: Any) -> float:
    """Return a number of seconds, at least 0, or infinity."""
    if not _is_number(value) or not value >= 0:
        raise InvalidSettingError(field, value, "must be at least 0 seconds (inf: wait as long as it takes)")
    return float(value)


def per_edge(field: str, value: Any, n_edges: int, *, zero: bool) -> float | tuple[float, ...]:
    """Return one number for all edges, or a tuple of one for each; above 0, or at least 0 if `zero`."""
    many = _is_list(value)
    entries = list(value) if many else [value]
    if many and len(entries) != n_edges:
        got = f"must be one number, or one for each of the {n_edges} edges; got {len(entries)}"
        raise InvalidSettingError(field, value, got)
    for entry in entries:
        if not _is_finite(entry) or not (entry > 0 or (zero and entry == 0)):
            least = "at least 0" if zero else "above 0"
            raise InvalidSettingError(field, value, f"must be a finite number {least}, or a list of one for each edge")
    return tuple(map(float, entries)) if many else float(value)


def interval(field: str, value: Any, *, zero: bool = False) -> tuple[float, float]:
    """Return (low, high) with low ≤ high, both finite and above 0, or at least 0 if `zero`."""
    pair = list(value) if _is_list(value) else []
    if len(pair) == 2 and all(map(_is_finite, pair)):
        low, high = map(float, pair)
        if (low > 0 or (zero and low == 0)) and low <= high:
            return low, high
    bound = "0 ≤ low ≤ high" if zero else "0 < low ≤ high"
    raise InvalidSettingError(field, value, f"must be a range of two finite numbers, {bound}")


def choice(field: str, value: Any, known: Sequence[str]) -> str:
    """Return one of the known names."""
    if isinstance(value, str) and value in known:
        return value
    raise InvalidSettingError(field, value, f"must be {' or '.join(map(repr, known))}{_nearest(value, known)}")


def columns(field: str, value: Any, known: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a context's columns: known ones, at least one, none twice."""
    names = [value] if isinstance(value, str) else list(value) if _is_list(value) else []
    for name in names:
        if name not in known:
            rule = f"has no column {name!r}; known: {', '.join(known)}{_nearest(name, known)}"
            raise InvalidSettingError(field, value, rule)
    if not names or len(set(names)) < len(names):
        raise InvalidSettingError(field, value, f"must name at least one of {', '.join(known)}, none of them twice")
    return tuple(map(str, names))


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def _is_finite(value: Any) -> bool:
    return _is_number(value) and math.isfinite(value)


def _is_list(value: Any) -> bool:
    """Tell lists, tuples and arrays from numbers, strings and sets (which have no order)."""
    return hasattr(value, "__getitem__") and hasattr(value, "__len__") and not isinstance(value, (str, bytes, dict))


def _nearest(value: Any, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(str(value), known, n=1, cutoff=0.4)
    return f"; did you mean {near[0]!r}?" if near else ""
