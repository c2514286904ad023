"""Algorithm 1 word by word, with dicts and enumeration: it judges a selection, for many are as good as another."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from cocs.core import Feedback, Observation, Selection
from cocs.core.arrays import FloatArray


class PlainCOCS:
    def __init__(self, cells=5, alpha=1.0, scale=1.0, sharing="pair", explore="candidates", under_explored="pair"):
        self.cells, self.alpha, self.scale, self.sharing = cells, alpha, scale, sharing
        self.explore, self.under_explored = explore, under_explored
        self.counter: dict[tuple[int, ...], int] = {}
        self.experience: dict[tuple[int, ...], list[int]] = {}

    def cell(self, observation: Observation, k: int) -> tuple[int, ...]:
        return tuple(min(math.floor(x * self.cells), self.cells - 1) for x in observation.context[k])

    def key(self, observation: Observation, k: int) -> tuple[int, ...]:
        n, m = int(observation.client[k]), int(observation.edge[k])
        owner = {"pair": (n, m), "client": (n,), "edge": (m,), "all": ()}[self.sharing]
        return owner + self.cell(observation, k)

    def estimate(self, observation: Observation, k: int) -> float:
        outcomes = self.experience.get(self.key(observation, k), [])
        return sum(outcomes) / len(outcomes) if outcomes else 0.0

    def control(self, observation: Observation) -> float:
        t, dimension = observation.round, observation.context.shape[1]
        return self.scale * t ** (2 * self.alpha / (3 * self.alpha + dimension)) * math.log(t)

    def thin_pairs(self, observation: Observation) -> set[int]:
        pairs = range(len(observation.client))
        thin = {k for k in pairs if self.counter.get(self.key(observation, k), 0) <= self.control(observation)}
        if self.under_explored == "edge":
            marked = {(int(observation.edge[k]), self.cell(observation, k)) for k in thin}
            thin = {k for k in pairs if (int(observation.edge[k]), self.cell(observation, k)) in marked}
        return thin

    def judge(self, observation: Observation, selection: Selection) -> str:
        """Assert that the selection is one that Algorithm 1 may return; say by which of its lines."""
        pairs, thin = set(selection.pairs.tolist()), self.thin_pairs(observation)
        rate = np.array([self.estimate(observation, k) for k in range(len(observation.client))])
        everyone = set(range(len(observation.client)))
        if not thin:
            assert selection.phase == "exploit"
            assert math.isclose(rate[list(pairs)].sum(), most(observation, everyone, rate), abs_tol=1e-9)
            return "exploit"
        assert selection.phase == "explore"
        if {int(observation.client[k]) for k in thin} == set(observation.client.tolist()):
            among = everyone if self.explore == "candidates" else thin
            assert pairs <= among
            assert len(pairs) == most(observation, among)
            return "case i"
        first, second = pairs & thin, pairs - thin
        assert len(first) == most(observation, thin)
        taken = {int(observation.client[k]) for k in first}
        free = {k for k in everyone - thin if int(observation.client[k]) not in taken}
        left = observation.budget.copy()
        for k in first:
            left[observation.edge[k]] -= observation.cost[k]
        assert second <= free
        assert math.isclose(rate[list(second)].sum(), most(observation, free, rate, left), abs_tol=1e-9)
        return "case ii" if second else "case ii without room"

    def update(self, observation: Observation, feedback: Feedback) -> None:
        for k, arrived in zip(feedback.pairs.tolist(), feedback.arrived.tolist(), strict=True):
            key = self.key(observation, k)
            self.counter[key] = self.counter.get(key, 0) + 1
            self.experience.setdefault(key, []).append(int(arrived))


def most(
    observation: Observation, among: set[int], value: FloatArray | None = None, budget: FloatArray | None = None
) -> float:
    """Return the greatest total value (of ones, if none is given) of a feasible subset, by trying every one."""
    budget = observation.budget if budget is None else budget
    value = np.ones(len(observation.client)) if value is None else value
    return max(value[list(rows)].sum() if rows else 0.0 for rows in feasible_sets(observation, sorted(among), budget))


def feasible_sets(observation: Observation, among: list[int], budget: FloatArray):
    """Yield each feasible subset of the rows, once."""
    clients = sorted({int(observation.client[k]) for k in among})
    choices = [[-1, *(k for k in among if observation.client[k] == n)] for n in clients]
    for row_of_each in product(*choices):
        rows = [k for k in row_of_each if k >= 0]
        spent = np.bincount(observation.edge[rows], observation.cost[rows], len(budget)) if rows else 0 * budget
        if (spent <= budget * (1 + 1e-9) + 1e-12).all():
            yield rows
