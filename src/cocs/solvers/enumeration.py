"""The plain truth: look at every selection. For tiny problems, and to test the others against."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from cocs.core import SelectionProblem, Solution
from cocs.errors import InvalidSettingError
from cocs.solvers.candidates import capacity, usable


@dataclass(frozen=True, slots=True)
class Enumeration:
    """Try every assignment of clients to edges; exact, and refused beyond `limit` assignments."""

    limit: int = 2_000_000

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Return the best selection there is."""
        rows = usable(problem)
        choices: dict[int, list[int]] = {}
        for row in rows.tolist():
            choices.setdefault(int(problem.client[row]), []).append(row)
        assignments = math.prod(len(pairs) + 1 for pairs in choices.values())
        if assignments > self.limit:
            rule = f"{assignments} assignments are too many to look at each; use the solver 'exact'"
            raise InvalidSettingError("limit", self.limit, rule)

        clients = list(choices.values())
        room = capacity(problem).tolist()
        edge, cost = problem.edge.tolist(), problem.cost.tolist()
        best_value, best_pairs = 0.0, []
        chosen: list[int] = []

        def visit(depth: int) -> None:
            nonlocal best_value, best_pairs
            if depth == len(clients):
                value = problem.total(np.array(chosen, dtype=np.int64))
                if value > best_value:
                    best_value, best_pairs = value, chosen.copy()
                return
            for row in clients[depth]:
                if cost[row] <= room[edge[row]]:
                    before = room[edge[row]]
                    room[edge[row]] -= cost[row]
                    chosen.append(row)
                    visit(depth + 1)
                    chosen.pop()
                    room[edge[row]] = before
            visit(depth + 1)

        visit(0)
        return Solution.of(problem, np.array(best_pairs, dtype=np.int64), best_value, "optimal")
