"""Two plain solvers, slow but short enough to be believed by reading: one finds the optimum, one is greedy."""

from __future__ import annotations

import math

import numpy as np

from cocs.core import SelectionProblem, Solution
from cocs.core.arrays import FloatArray, IntArray
from cocs.core.problem import BUDGET_TOLERANCE

_BETTER = 1 + 1e-12  # what is better by less is a tie, decided by the order in which sets are met


def enumerate_best(problem: SelectionProblem) -> Solution:
    """Return the best of all feasible selections, by trying each client at each edge or at none.

    Passes over only what cannot be better even if every later client joined its best edge. For up to some ten clients.
    """
    order = _order(problem)
    rows: dict[int, list[int]] = {}
    for k in order.tolist():
        rows.setdefault(int(problem.client[k]), []).append(k)
    clients = list(rows.values())
    value, cost, edge = problem.value.tolist(), problem.cost.tolist(), problem.edge.tolist()
    limit = _limit(problem)
    room = limit.tolist()  # what each edge can still spend
    hope = [0.0] * (len(clients) + 1)  # the most that the clients from i on can add
    for i in reversed(range(len(clients))):
        hope[i] = hope[i + 1] + max(value[k] for k in clients[i])
    best, best_rows, chosen = 0.0, list[int](), list[int]()

    def go_on(i: int, total: float) -> None:
        nonlocal best, best_rows
        if total > best * _BETTER:
            best, best_rows = total, chosen.copy()
        if total + hope[i] <= best * _BETTER:
            return
        for k in clients[i]:
            if cost[k] <= room[edge[k]]:
                before = room[edge[k]]
                room[edge[k]] -= cost[k]
                chosen.append(k)
                go_on(i + 1, total + value[k])
                chosen.pop()
                room[edge[k]] = before
        go_on(i + 1, total)

    go_on(0, 0.0)
    pairs = np.array(best_rows, np.int64)
    return Solution.of(problem, pairs, bound=problem.total(pairs) * _BETTER, status="optimal")


def greedy(problem: SelectionProblem) -> Solution:
    """Return what comes of taking pairs by value per cost, each that fits; the bound gives every client its best."""
    order = _order(problem)
    density = problem.value / np.maximum(problem.cost, 1e-12)
    order = order[np.argsort(-density[order], kind="stable")]
    room = _limit(problem).tolist()
    client, edge, cost = problem.client.tolist(), problem.edge.tolist(), problem.cost.tolist()
    busy: set[int] = set()
    pairs = []
    for k in order.tolist():
        if client[k] not in busy and cost[k] <= room[edge[k]]:
            busy.add(client[k])
            room[edge[k]] -= cost[k]
            pairs.append(k)
    best: dict[int, float] = {}
    for n, value in zip(client, problem.value.tolist(), strict=True):
        best[n] = max(value, best.get(n, 0.0))
    return Solution.of(problem, np.array(pairs, np.int64), bound=math.fsum(best.values()), status="feasible")


def _order(problem: SelectionProblem) -> IntArray:
    """The input order, or the one that the seed for ties draws."""
    rows = np.arange(len(problem.client))
    return rows if problem.tie_seed is None else np.random.default_rng(problem.tie_seed).permutation(rows)


def _limit(problem: SelectionProblem) -> FloatArray:
    """Half of what feasibility tolerates, so that sums in another order stay within it."""
    return problem.budget * (1 + BUDGET_TOLERANCE / 2)
