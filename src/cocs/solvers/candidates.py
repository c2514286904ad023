"""What every solver does first: leave out what can never be chosen, and put the rest in its order."""

from __future__ import annotations

import numpy as np

from cocs.core import SelectionProblem
from cocs.core.arrays import FloatArray, IntArray
from cocs.core.problem import BUDGET_TOLERANCE


def capacity(problem: SelectionProblem) -> FloatArray:
    """Return what each edge may spend, (M,): within half of the tolerance, so that no order of summing passes it."""
    return problem.budget * (1 + BUDGET_TOLERANCE / 2)


def usable(problem: SelectionProblem) -> IntArray:
    """Return the rows that are worth something and fit their edge's budget, in the order that `tie_seed` gives them."""
    rows = np.flatnonzero((problem.value > 0) & (problem.cost <= capacity(problem)[problem.edge]))
    if problem.tie_seed is None:
        return rows
    return np.random.Generator(np.random.Philox(key=problem.tie_seed)).permutation(rows)
