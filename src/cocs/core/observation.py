"""What a policy sees, what it answers, what comes back, and what only the loop knows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocs.core.arrays import BoolArray, FloatArray, IntArray, at_least_zero, bools, floats, integers, same_length
from cocs.errors import InvalidInputError


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The chosen rows of an observation, and what the policy was doing.

    `pairs` are sorted, unique row numbers; `check_feasible` refuses others. `arm` is the joint arm that was pulled, if
    the policy has such arms.
    """

    pairs: IntArray  # (K,)
    phase: str = ""
    arm: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", integers("pairs", self.pairs))


@dataclass(frozen=True, slots=True, eq=False)
class Feedback:
    """Which of the chosen pairs are known to have arrived, or not; the others may follow in a later `update`."""

    pairs: IntArray  # (F,) rows of the observation, F ≤ K
    arrived: BoolArray  # (F,)
    latency_s: FloatArray  # (F,) seconds; NaN where nothing arrived
    loss: FloatArray | None = None  # (F,) training loss, where it was reported

    def __post_init__(self) -> None:
        object.__setattr__(self, "pairs", integers("pairs", self.pairs))
        object.__setattr__(self, "arrived", bools("arrived", self.arrived))
        object.__setattr__(self, "latency_s", floats("latency_s", self.latency_s))
        same_length(pairs=self.pairs, arrived=self.arrived, latency_s=self.latency_s)
        if self.loss is not None:
            object.__setattr__(self, "loss", floats("loss", self.loss))
            same_length(pairs=self.pairs, loss=self.loss)


@dataclass(frozen=True, slots=True, eq=False)
class Observation:
    """All that a policy sees of one round: a row for each candidate pair of a client and an edge in reach.

    Arrays are checked once, when built, and read-only: policies that meet the same round cannot change it for another.
    """

    round: int
    client: IntArray  # (P,) in 0 … n_clients − 1
    edge: IntArray  # (P,) in 0 … M − 1
    context: FloatArray  # (P, D) in [0, 1]
    cost: FloatArray  # (P,) at least 0
    budget: FloatArray  # (M,) at least 0
    deadline_s: FloatArray  # (M,) seconds
    n_clients: int

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "budget", floats("budget", self.budget))
        put(self, "deadline_s", floats("deadline_s", self.deadline_s))
        put(self, "client", integers("client", self.client, below=self.n_clients))
        put(self, "edge", integers("edge", self.edge, below=len(self.budget)))
        put(self, "context", floats("context", self.context, ndim=2))
        put(self, "cost", floats("cost", self.cost))
        same_length(client=self.client, edge=self.edge, context=self.context, cost=self.cost)
        same_length(budget=self.budget, deadline_s=self.deadline_s)
        at_least_zero("cost", self.cost)
        at_least_zero("budget", self.budget)
        refuse_duplicates(self.client, self.edge, len(self.budget))
        if self.context.size and not (self.context.min() >= 0 and self.context.max() <= 1):
            raise InvalidInputError("context", "must lie in [0, 1]: scale it with a ContextScaler")

    @property
    def n_edges(self) -> int:
        """M, the number of edge servers, those without a candidate included."""
        return len(self.budget)


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """What really happens in a round, for every candidate pair. The loop holds it; a policy never sees it."""

    probability: FloatArray  # (P,) of arrival, given all that is realised but the uplink fading
    latency_s: FloatArray  # (P,) download + compute + upload
    arrived: BoolArray  # (P,) latency_s ≤ deadline of the edge

    def __post_init__(self) -> None:
        object.__setattr__(self, "probability", floats("probability", self.probability))
        object.__setattr__(self, "latency_s", floats("latency_s", self.latency_s))
        object.__setattr__(self, "arrived", bools("arrived", self.arrived))
        same_length(probability=self.probability, latency_s=self.latency_s, arrived=self.arrived)

    def reveal(self, selection: Selection) -> Feedback:
        """Return what an operator learns: the arrivals of the chosen pairs, and the latency of those that arrived."""
        pairs = selection.pairs
        arrived = self.arrived[pairs]
        return Feedback(pairs, arrived, np.where(arrived, self.latency_s[pairs], np.nan))


def refuse_duplicates(client: IntArray, edge: IntArray, n_edges: int) -> None:
    """Refuse a pair of client and edge that stands twice, naming both rows."""
    key = client * n_edges + edge
    if len(key) < 2 or (key[1:] > key[:-1]).all():
        return
    order = np.argsort(key, kind="stable")
    twice = np.flatnonzero(np.diff(key[order]) == 0)
    if len(twice):
        first, second = order[twice[0]], order[twice[0] + 1]
        pair = f"client {client[first]} and edge {edge[first]}"
        raise InvalidInputError("client, edge", f"rows {first} and {second} are the same pair: {pair}")
