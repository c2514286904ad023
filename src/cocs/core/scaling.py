"""Raw quantities in their units to contexts in [0, 1], and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from cocs.core.arrays import Array, FloatArray, floats
from cocs.errors import InvalidInputError, InvalidSettingError


@dataclass(frozen=True, slots=True, eq=False)
class ContextScaler:
    """Min-max scaling of named columns (Qu et al., IV): low → 0, high → 1, clipped outside.

    Give the ranges, or learn them from a log of raw contexts. A column whose range is a single point scales to 0.
    """

    columns: tuple[str, ...]
    low: FloatArray  # (D,) in the columns' own units
    high: FloatArray  # (D,)

    def __post_init__(self) -> None:
        object.__setattr__(self, "columns", tuple(self.columns))
        object.__setattr__(self, "low", floats("low", self.low))
        object.__setattr__(self, "high", floats("high", self.high))
        if not len(self.columns) == len(self.low) == len(self.high):
            lengths = f"{len(self.columns)}, {len(self.low)}, {len(self.high)}"
            raise InvalidInputError("columns, low, high", f"must be equally long, got {lengths}")
        for column, low, high in zip(self.columns, self.low, self.high, strict=True):
            if not (np.isfinite(low) and np.isfinite(high) and low <= high):
                raise InvalidSettingError(f"range of {column}", (float(low), float(high)), "must be finite, low ≤ high")

    @classmethod
    def learn(cls, columns: Sequence[str], log: FloatArray) -> Self:
        """Return the scaler of the ranges seen in a log of raw contexts, (rows, D); NaN rows are passed over."""
        log = floats("log", log, ndim=2)
        seen = log[np.isfinite(log).all(axis=1)]
        if log.shape[1] != len(columns) or len(seen) == 0:
            raise InvalidInputError("log", f"must have {len(columns)} columns and a finite row, got shape {log.shape}")
        return cls(tuple(columns), seen.min(axis=0), seen.max(axis=0))

    def scale(self, raw: FloatArray) -> FloatArray:
        """Return raw contexts, (P, D) in their units, as contexts in [0, 1]."""
        span = self.high - self.low
        return np.clip((raw - self.low) / np.where(span > 0, span, np.inf), 0.0, 1.0)

    def raw(self, context: FloatArray) -> FloatArray:
        """Return contexts in [0, 1] in their units; what was clipped stays at the end of its range."""
        return self.low + context * (self.high - self.low)

    def state(self) -> dict[str, Array]:
        """Return the ranges as arrays, to be saved with a policy."""
        return {"scaler_columns": np.array(self.columns), "scaler_low": self.low, "scaler_high": self.high}

    @classmethod
    def from_state(cls, state: Mapping[str, Array]) -> Self:
        """Return the scaler that was saved, be it alone or inside a policy's state."""
        return cls(tuple(map(str, state["scaler_columns"])), state["scaler_low"], state["scaler_high"])
