"""The solver for whoever does not want to choose one."""

from __future__ import annotations

from dataclasses import dataclass

from cocs.core import SelectionProblem, Solution
from cocs.solvers.density import Density
from cocs.solvers.exact import Exact


@dataclass(frozen=True, slots=True)
class Auto:
    """`exact` up to `exact_pairs` candidate pairs, `density` beyond."""

    exact_pairs: int = 20_000

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Return the best selection that a fraction of a second finds."""
        return (Exact() if len(problem.client) <= self.exact_pairs else Density())(problem)
