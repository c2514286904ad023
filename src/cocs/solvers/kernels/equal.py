"""Values that are equal: the special case in which all are, and draws among equally good selections."""

from __future__ import annotations

import numpy as np
from numba import njit

from cocs.solvers.kernels.packing import PACKING_LIMIT, most_clients, next_random, shuffled, swap_in


@njit(cache=True, nogil=True)
def equal_values(pairs, cheapest, capacity, shuffle, seed):  # type: ignore[no-untyped-def]
    """Return as many rows as possible, a bound of their number, and whether it is met."""
    by_cost = np.argsort(cheapest)
    cost, place = cheapest[by_cost], np.full(pairs.n, -1, np.int64)
    number, most, _ = most_clients(cost, capacity, place, PACKING_LIMIT)
    place[number:] = -1
    if shuffle:
        swap_in(cost, capacity, number, place, seed)
    rows, found = np.empty(number, np.int64), 0
    for k in range(pairs.n):
        for q in range(pairs.start[by_cost[k]], pairs.start[by_cost[k] + 1]):
            if pairs.edge[q] == place[k]:
                rows[found] = pairs.row[q]
                found += 1
    return rows[:found], most, number == most


@njit(cache=True, nogil=True)
def exchange_equals(pairs, at, seed):  # type: ignore[no-untyped-def]
    """Draw among equally good sets: in random order, each client that is out goes in for one worth exactly as much."""
    room = np.ones(pairs.m)
    for i in range(pairs.n):
        if at[i] >= 0:
            room[pairs.edge[at[i]]] -= pairs.weight[at[i]]
    state = np.uint64(seed) * np.uint64(2) + np.uint64(1)
    for i in shuffled(pairs.n, state):
        if at[i] >= 0:
            continue
        state = next_random(state)
        first = int((state >> np.uint64(11)) % np.uint64(pairs.n))
        for offset in range(pairs.n):
            o = (first + offset) % pairs.n
            p = at[o]
            if p < 0:
                continue
            for q in range(pairs.start[i], pairs.start[i + 1]):
                m = pairs.edge[q]
                if m == pairs.edge[p] and pairs.value[q] == pairs.value[p]:
                    if pairs.weight[q] <= room[m] + pairs.weight[p]:
                        room[m] += pairs.weight[p] - pairs.weight[q]
                        at[i], at[o] = q, -1
                    break
            if at[i] >= 0:
                break
