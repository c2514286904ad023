"""The problem as the search wants it: usable pairs by client and by edge, values and costs on a scale of one."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from cocs.solvers.kernels.packing import shuffled

# n clients, m edges; the pairs of client i are start[i] … start[i + 1] − 1. `value` is in units of the largest,
# `weight` in units of the edge's budget, `row` the pair's row in the problem. `by_edge[edge_start[m] …]`: edge m's.
Pairs = namedtuple("Pairs", "n m start client edge value weight row edge_start by_edge")

TINY = 1e-15  # the weight of a free pair; thousands of them still fit
COARSE = 1e-3  # values that are all multiples of a step at least this large are treated as whole numbers of steps


@njit(cache=True, nogil=True)
def lay_out(client, edge, value, cost, capacity, n_clients, shuffle, seed):  # type: ignore[no-untyped-def]
    """Return the usable pairs, those that are worth something and fit their edge's budget, by client and by edge.

    Then the largest value, the step that all values are multiples of (0: none), whether each client reaches all edges
    at one cost, and the cheapest cost of each client. `shuffle` draws the order of the clients.
    """
    n_pairs, m = len(client), len(capacity)
    count = np.zeros(n_clients, np.int64)
    top = 0.0
    for k in range(n_pairs):
        if value[k] > 0.0 and cost[k] <= capacity[edge[k]]:
            count[client[k]] += 1
            top = max(top, value[k])
    local = np.empty(n_clients, np.int64)
    n, used = 0, 0
    for c in range(n_clients):
        if count[c] > 0:
            local[n] = c
            n += 1
            used += count[c]
    if shuffle:
        local[:n] = local[:n][shuffled(n, np.uint64(seed) * np.uint64(2) + np.uint64(1))]
    start = np.zeros(n + 1, np.int64)
    place = np.empty(n_clients, np.int64)
    for a in range(n):
        start[a + 1] = start[a] + count[local[a]]
        place[local[a]] = start[a]
    who, where = np.empty(used, np.int64), np.empty(used, np.int64)
    worth, weight, row = np.empty(used), np.empty(used), np.empty(used, np.int64)
    cheapest = np.full(n, np.inf)
    alike = used == n * m
    for a in range(n):
        count[local[a]] = a  # from here on: the client's local number
    for k in range(n_pairs):
        e = edge[k]
        if value[k] > 0.0 and cost[k] <= capacity[e]:
            a = count[client[k]]
            q = place[client[k]]
            place[client[k]] += 1
            who[q], where[q], row[q] = a, e, k
            worth[q] = value[k] / top
            weight[q] = max(cost[k] / capacity[e], TINY) if capacity[e] > 0.0 else TINY
            if cheapest[a] != cost[k] and cheapest[a] != np.inf:
                alike = False
            cheapest[a] = min(cheapest[a], cost[k])
    edge_start = np.zeros(m + 1, np.int64)
    for q in range(used):
        edge_start[where[q] + 1] += 1
    for e in range(m):
        edge_start[e + 1] += edge_start[e]
    by_edge, fill = np.empty(used, np.int64), edge_start[:m].copy()
    for q in range(used):
        by_edge[fill[where[q]]] = q
        fill[where[q]] += 1
    pairs = Pairs(n, m, start, who, where, worth, weight, row, edge_start, by_edge)
    return pairs, top, common_step(worth), alike, cheapest


@njit(cache=True, nogil=True)
def common_step(values):  # type: ignore[no-untyped-def]
    """Return the largest step of which all values are multiples, or 0 where it is finer than COARSE."""
    step = 1.0
    for v in values:
        if v < COARSE:
            return 0.0
        times = np.rint(v / step)
        if abs(v - times * step) <= 1e-12:
            continue
        a, b = step, v
        while b > 1e-12 * step:  # Euclid
            a, b = b, a - np.floor(a / b + 1e-9) * b
            if a < COARSE:
                return 0.0
        step = a
    return step
