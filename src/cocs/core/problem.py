"""One round's selection problem, its solution, and the check that every selection must pass."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, Protocol, Self, TypeAlias

import numpy as np

from cocs.core.arrays import FloatArray, IntArray, at_least_zero, floats, integers, same_length
from cocs.core.observation import Observation, Selection, refuse_duplicates
from cocs.errors import InvalidSelectionError, InvalidSettingError

Objective: TypeAlias = Literal["sum", "sqrt"]
Status: TypeAlias = Literal["optimal", "feasible", "node limit", "time limit"]

BUDGET_TOLERANCE = 1e-9  # relative; sums of prices in another order differ by less
PROVED = 1e-9  # a relative gap below this counts as proved optimal


@dataclass(frozen=True, slots=True, eq=False)
class SelectionProblem:
    """Choose pairs of greatest total value: each edge within its budget, each client at most once (Qu et al., P2, P3).

    Checked once, when built; arrays are read-only. Under `objective="sqrt"` the objective is √(total / M), monotone in
    the total, so that both objectives have the same best selections. `tie_seed=None` lets the input order decide among
    equally good sets; a number draws among them by that seed alone.
    """

    client: IntArray  # (P,)
    edge: IntArray  # (P,)
    value: FloatArray  # (P,) at least 0
    cost: FloatArray  # (P,) at least 0
    budget: FloatArray  # (M,) at least 0
    n_clients: int
    objective: Objective = "sum"
    tie_seed: int | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "budget", floats("budget", self.budget))
        put(self, "client", integers("client", self.client, below=self.n_clients))
        put(self, "edge", integers("edge", self.edge, below=len(self.budget)))
        put(self, "value", floats("value", self.value))
        put(self, "cost", floats("cost", self.cost))
        same_length(client=self.client, edge=self.edge, value=self.value, cost=self.cost)
        at_least_zero("value", self.value)
        at_least_zero("cost", self.cost)
        at_least_zero("budget", self.budget)
        refuse_duplicates(self.client, self.edge, len(self.budget))
        self._check_scalars()

    @classmethod
    def of(
        cls, observation: Observation, value: FloatArray, objective: Objective = "sum", tie_seed: int | None = None
    ) -> Self:
        """Return the problem of this round with these values; what the observation has checked is not checked again."""
        value = floats("value", value)
        same_length(client=observation.client, value=value)
        at_least_zero("value", value)
        problem = object.__new__(cls)
        for field, content in (
            ("client", observation.client),
            ("edge", observation.edge),
            ("value", value),
            ("cost", observation.cost),
            ("budget", observation.budget),
            ("n_clients", observation.n_clients),
            ("objective", objective),
            ("tie_seed", tie_seed),
        ):
            object.__setattr__(problem, field, content)
        problem._check_scalars()
        return problem

    @property
    def n_edges(self) -> int:
        """M, the number of edge servers."""
        return len(self.budget)

    def total(self, pairs: IntArray) -> float:
        """Return the exactly rounded sum of the pairs' values: the same whatever the order."""
        return math.fsum(self.value[pairs].tolist())

    def _check_scalars(self) -> None:
        if self.objective not in ("sum", "sqrt"):
            raise InvalidSettingError("objective", self.objective, "must be 'sum' or 'sqrt'")
        if self.tie_seed is not None and not 0 <= self.tie_seed < 2**63:
            raise InvalidSettingError("tie_seed", self.tie_seed, "must be None or a whole number from 0 to 2⁶³ − 1")


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """A feasible selection, its value, and how far it can be from the best one.

    `value` and `bound` are in the objective's unit; no feasible selection is worth more than `bound`, and
    `gap` = (bound − value) / bound, 0 where the bound is 0. `status` is "optimal" where the gap is closed.
    """

    selection: Selection
    value: float
    bound: float
    gap: float
    status: Status
    prices: FloatArray | None = None  # (M,) value that one more unit of each edge's budget would buy, where known

    @classmethod
    def of(
        cls,
        problem: SelectionProblem,
        pairs: IntArray,
        bound: float,
        status: Status,
        prices: FloatArray | None = None,
    ) -> Self:
        """Return the solution of these pairs; `bound` is a bound of the plain total, whatever the objective."""
        pairs = np.sort(pairs)
        total = problem.total(pairs)
        bound = max(bound, total)
        if bound - total <= PROVED * bound:
            status = "optimal"
        value, bound = (utility(x, problem.objective, problem.n_edges) for x in (total, bound))
        gap = (bound - value) / bound if bound > 0 else 0.0
        return cls(Selection(pairs), value, bound, gap, status, prices)


class Candidates(Protocol):
    """What a selection is checked against: an observation, or a problem."""

    @property
    def client(self) -> IntArray: ...  # noqa: D102
    @property
    def edge(self) -> IntArray: ...  # noqa: D102
    @property
    def cost(self) -> FloatArray: ...  # noqa: D102
    @property
    def budget(self) -> FloatArray: ...  # noqa: D102


def utility(total: float, objective: Objective, n_edges: int) -> float:
    """Turn a number of arrivals (or its expectation) into the objective's unit: itself (P2), or √(total / M) (P3)."""
    return total if objective == "sum" else math.sqrt(total / max(n_edges, 1))


def spending(candidates: Candidates, selection: Selection) -> FloatArray:
    """Return what the selection spends at each edge, (M,)."""
    pairs = selection.pairs
    # Without a pair bincount counts in whole numbers.
    return np.bincount(candidates.edge[pairs], candidates.cost[pairs], len(candidates.budget)).astype(np.float64)


def check_feasible(candidates: Candidates, selection: Selection) -> None:
    """Raise `InvalidSelectionError` with the numbers unless the selection keeps every rule of the round."""
    pairs = selection.pairs
    if len(pairs) == 0:
        return
    if pairs[0] < 0 or pairs.max() >= len(candidates.client):
        row = pairs[0] if pairs[0] < 0 else pairs.max()
        raise InvalidSelectionError(f"row {row} is not among the {len(candidates.client)} candidate pairs")
    if not (pairs[1:] > pairs[:-1]).all():
        raise InvalidSelectionError(f"row numbers must be sorted and unique, got {pairs[:10].tolist()}")
    clients = np.sort(candidates.client[pairs])
    twice = np.flatnonzero(clients[1:] == clients[:-1])
    if len(twice):
        raise InvalidSelectionError(f"client {clients[twice[0]]} is chosen at more than one edge")
    spent = spending(candidates, selection)
    over = np.flatnonzero(spent > candidates.budget * (1 + BUDGET_TOLERANCE))
    if len(over):
        edge = int(over[0])
        raise InvalidSelectionError(
            f"edge {edge} spends {spent[edge]:.9g} of a budget of {candidates.budget[edge]:.9g}"
        )
