"""Checked, read-only views of the arrays that cross a border."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cocs.errors import InvalidInputError

Array: TypeAlias = NDArray[Any]
FloatArray: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]
BoolArray: TypeAlias = NDArray[np.bool_]


def floats(field: str, value: ArrayLike, ndim: int = 1) -> FloatArray:
    """Return a read-only float64 view, copied only where the type must change."""
    return _frozen(field, value, np.float64, ndim)


def bools(field: str, value: ArrayLike) -> BoolArray:
    """Return a read-only boolean view."""
    return _frozen(field, value, np.bool_, 1)


def integers(field: str, value: ArrayLike, below: int | None = None) -> IntArray:
    """Return a read-only int64 view of whole numbers in [0, below); refuses fractions instead of cutting them off."""
    array = np.asarray(value)
    if array.size and array.dtype.kind not in "iu":
        raise InvalidInputError(field, f"must hold whole numbers, got {array.dtype}")
    array = _frozen(field, array, np.int64, 1)
    if array.size and below is not None:
        low, high = int(array.min()), int(array.max())
        if low < 0 or high >= below:
            raise InvalidInputError(field, f"{low if low < 0 else high} is outside 0 … {below - 1}")
    return array


def same_length(**fields: Array) -> int:
    """Return the common length of the fields, or say which ones differ."""
    lengths = {name: len(array) for name, array in fields.items()}
    if len(set(lengths.values())) > 1:
        raise InvalidInputError(
            ", ".join(lengths), f"must be equally long, got {', '.join(map(str, lengths.values()))}"
        )
    return next(iter(lengths.values()))


def at_least_zero(field: str, array: FloatArray) -> None:
    """Refuse NaN, infinite and negative entries, naming the first."""
    if array.size and not (array.min() >= 0 and array.max() < np.inf):  # a NaN fails the first test
        row = int(np.flatnonzero(~((array >= 0) & (array < np.inf)))[0])
        raise InvalidInputError(field, f"row {row} is {array[row]}, must be finite and at least 0")


def _frozen(field: str, value: ArrayLike, dtype: Any, ndim: int) -> Array:
    try:
        array = np.ascontiguousarray(value, dtype=dtype) if ndim else np.asarray(value, dtype=dtype)
    except (TypeError, ValueError) as error:
        raise InvalidInputError(field, f"must be an array of {np.dtype(dtype).name} ({error})") from None
    if array.ndim != ndim:
        raise InvalidInputError(field, f"must have {ndim} dimension{'s' * (ndim != 1)}, got {array.ndim}")
    view = array.view()
    view.flags.writeable = False
    return view
