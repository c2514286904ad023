"""What is public and fixed for a whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass

from cocs.core.problem import Objective
from cocs.core.scaling import ContextScaler
from cocs.errors import InvalidSettingError


@dataclass(frozen=True, slots=True)
class Setting:
    """What every policy may know before the first round. A world carries one; a real federation writes one by hand.

    Fields that are None are unknown to the operator.
    """

    n_clients: int  # at the start; client numbers may grow from round to round
    n_edges: int
    horizon: int  # rounds planned, T
    context: tuple[str, ...]  # names of the context's columns, D of them
    objective: Objective = "sum"
    scaler: ContextScaler | None = None  # the columns' ranges in their units
    update_bit: float | None = None  # size of an uploaded update
    model_bit: float | None = None  # size of the downloaded model
    workload: float | None = None  # q: compute time is q / y
    bandwidth_hz: tuple[float, float] | None = None  # public range of a client's bandwidth
    min_updates: int = 1  # Z: an edge with fewer arrivals waits on for its Z-th fastest (Qu et al., Eq. 6)
    max_wait_s: float = math.inf  # at most so long past the deadline
    edge_compute_s: float = 0.0  # an edge's own aggregation time (Qu et al., III.C)
    backhaul_s: float = 0.0  # edge to cloud and back, when models are averaged globally

    def __post_init__(self) -> None:
        for field in ("n_clients", "n_edges", "horizon", "min_updates"):
            value = getattr(self, field)
            if isinstance(value, bool) or int(value) != value or value < 1:
                raise InvalidSettingError(field, value, "must be a whole number, at least 1")
        object.__setattr__(self, "context", tuple(self.context))
        if not self.context or len(set(self.context)) < len(self.context):
            raise InvalidSettingError("context", self.context, "must name at least one column, none of them twice")
        if self.objective not in ("sum", "sqrt"):
            raise InvalidSettingError("objective", self.objective, "must be 'sum' or 'sqrt'")
        if self.scaler is not None and self.scaler.columns != self.context:
            raise InvalidSettingError("scaler", self.scaler.columns, f"must have the context's columns {self.context}")
        for field in ("update_bit", "model_bit", "workload"):
            value = getattr(self, field)
            if value is not None and not 0 <= value < math.inf:
                raise InvalidSettingError(field, value, "must be finite and at least 0")
        for field in ("edge_compute_s", "backhaul_s"):
            if not 0 <= getattr(self, field) < math.inf:
                raise InvalidSettingError(field, getattr(self, field), "must be finite and at least 0")
        if not self.max_wait_s >= 0:
            raise InvalidSettingError(
                "max_wait_s", self.max_wait_s, "must be at least 0 (inf: wait as long as it takes)"
            )

    @property
    def dimension(self) -> int:
        """D, the number of columns of a context."""
        return len(self.context)
