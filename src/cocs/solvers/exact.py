"""The best selection, proved, in microseconds at paper size."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from cocs.core import SelectionProblem, Solution
from cocs.errors import InvalidSettingError
from cocs.solvers.candidates import capacity
from cocs.solvers.density import Density

FIRST_SLICE = 20_000  # steps, about a millisecond


@dataclass(frozen=True, slots=True)
class Exact:
    """Branch and bound on the assignment dual: certified optimal on paper-size rounds, and never hangs.

    `node_limit` counts the steps of every phase (tens of millions a second); past it, the best selection found comes
    with a true bound and status "node limit", and is no worse than `density`'s. `time_limit_s` does the same by the
    clock, so that its answers depend on the machine: leave it off where results must be reproducible.
    """

    node_limit: int = 20_000_000
    time_limit_s: float | None = None

    def __post_init__(self) -> None:
        if not self.node_limit >= 0:
            raise InvalidSettingError("node_limit", self.node_limit, "must be at least 0")
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise InvalidSettingError("time_limit_s", self.time_limit_s, "must be above 0, or None")

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Return the best selection, or the best found within the limits."""
        if self.time_limit_s is None:
            return self._search(problem, self.node_limit)
        start, steps = time.monotonic(), min(FIRST_SLICE, self.node_limit)
        while True:  # from the start each time: all slices together cost twice the last one
            solution = self._search(problem, steps)
            spent = time.monotonic() - start
            if solution.status != "node limit" or steps >= self.node_limit:
                return solution
            if 2 * spent > self.time_limit_s:
                return Solution(
                    solution.selection, solution.value, solution.bound, solution.gap, "time limit", solution.prices
                )
            steps = min(2 * steps, self.node_limit)

    def _search(self, problem: SelectionProblem, steps: int) -> Solution:
        from cocs.solvers.kernels.search import solve

        rows, bound, prices, proved = solve(
            problem.client,
            problem.edge,
            problem.value,
            problem.cost,
            capacity(problem),
            problem.n_clients,
            problem.tie_seed is not None,
            np.uint64(problem.tie_seed or 0),
            float(steps),
        )
        if proved:  # the bound differs from the value by rounding alone
            return Solution.of(problem, rows, 0.0, "optimal", prices)
        greedy = Density()(problem).selection.pairs
        if problem.total(greedy) > problem.total(rows):
            rows = greedy
        return Solution.of(problem, rows, bound, "node limit", prices)
