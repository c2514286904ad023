"""Greedy by value per cost: a good selection of a million pairs in a second, with a bound."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from cocs.core import SelectionProblem, Solution
from cocs.solvers.candidates import capacity, usable


@dataclass(frozen=True, slots=True)
class Density:
    """Take pairs by falling value per cost while their client is free and their edge can pay.

    O(P log P). No guarantee for the greedy set alone; the best single pair is kept where it is worth more, as usual for
    knapsacks. The bound is the Lagrangian one at the density where each edge first ran out of budget.
    """

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Return the greedy selection and its bound."""
        from cocs.solvers.kernels.greedy import greedy

        rows = usable(problem)
        if len(rows) == 0:
            return Solution.of(problem, rows, 0.0, "optimal")
        value, cost = problem.value[rows], problem.cost[rows]
        with np.errstate(divide="ignore", over="ignore"):
            density = value / cost  # inf where the cost is 0: taken first
        order = rows[np.argsort(-density, kind="stable")]
        chosen, price, bound = greedy(
            problem.client[order],
            problem.edge[order],
            problem.value[order],
            problem.cost[order],
            capacity(problem),
            problem.n_clients,
        )
        best = int(np.argmax(value))
        pairs = order[chosen]
        if problem.total(pairs) < value[best]:
            pairs = rows[best : best + 1]
        return Solution.of(problem, pairs, bound, "feasible", price)
