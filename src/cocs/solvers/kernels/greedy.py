"""Greedy by density."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def greedy(client, edge, value, cost, capacity, n_clients):  # type: ignore[no-untyped-def]
    """Take pairs in the given order; return which, a price per edge, and the Lagrangian bound at these prices."""
    n_pairs, n_edges = len(client), len(capacity)
    room = capacity.copy()
    price = np.zeros(n_edges)
    taken = np.zeros(n_clients, np.bool_)
    chosen = np.zeros(n_pairs, np.bool_)
    for k in range(n_pairs):
        if taken[client[k]]:
            continue
        m = edge[k]
        if cost[k] <= room[m]:
            room[m] -= cost[k]
            taken[client[k]] = True
            chosen[k] = True
        elif price[m] == 0.0:
            price[m] = value[k] / cost[k]
    bound = 0.0
    for m in range(n_edges):
        bound += price[m] * capacity[m]
    profit = np.zeros(n_clients)
    for k in range(n_pairs):
        profit[client[k]] = max(profit[client[k]], value[k] - price[edge[k]] * cost[k])
    return chosen, price, bound + profit.sum()
