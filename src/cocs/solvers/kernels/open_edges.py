"""The open pairs of each edge in one node of the search, kept in the order of their density from step to step."""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

# (M, n) each but `count` and `lightest` (M,): pair k of edge m, and `order[m]`: its pairs by falling density.
OpenEdges = namedtuple("OpenEdges", "count lightest pair client value weight inverse reward density order")


@njit(cache=True, nogil=True)
def new_open_edges(n, m):  # type: ignore[no-untyped-def]
    """Return room for n pairs at each of m edges."""
    return OpenEdges(
        np.zeros(m, np.int64), np.empty(m), np.empty((m, n), np.int64), np.empty((m, n), np.int64),
        np.empty((m, n)), np.empty((m, n)), np.empty((m, n)), np.empty((m, n)), np.empty((m, n)),
        np.empty((m, n), np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def open_up(pairs, capacity, fixed, barred, e):  # type: ignore[no-untyped-def]
    """Fill in the pairs that this node leaves open."""
    for m in range(pairs.m):
        count, lightest = 0, np.inf
        for k in range(pairs.edge_start[m], pairs.edge_start[m + 1]):
            q = pairs.by_edge[k]
            i = pairs.client[q]
            if fixed[i] != -1 or barred[q] or pairs.weight[q] > capacity[m]:
                continue
            e.pair[m, count], e.client[m, count], e.value[m, count] = q, i, pairs.value[q]
            e.weight[m, count], e.inverse[m, count] = pairs.weight[q], 1.0 / pairs.weight[q]
            e.order[m, count] = count
            lightest = min(lightest, pairs.weight[q])
            count += 1
        e.count[m], e.lightest[m] = count, lightest


@njit(cache=True, nogil=True)
def reprice(m, u, mu, e):  # type: ignore[no-untyped-def]
    """Price edge m's pairs at u and μ and restore their order; cheap where little has changed since the last time."""
    count = e.count[m]
    reward, density, order = e.reward[m], e.density[m], e.order[m]
    for k in range(count):
        r = e.value[m, k] - u[e.client[m, k]] - mu
        reward[k] = r
        density[k] = r * e.inverse[m, k]
    if count > 256:
        order[:count] = np.argsort(-density[:count])
        return
    for a in range(1, count):
        i = order[a]
        d = density[i]
        k = a
        while k > 0 and density[order[k - 1]] < d:
            order[k] = order[k - 1]
            k -= 1
        order[k] = i
