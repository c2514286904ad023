"""The exact search: the root, the tree below it, and what comes out."""

from __future__ import annotations

import numpy as np
from numba import njit

from cocs.solvers.kernels.dual import budget_prices
from cocs.solvers.kernels.equal import equal_values, exchange_equals
from cocs.solvers.kernels.improve import pack_best, take_densest
from cocs.solvers.kernels.join import new_lists, new_scratch
from cocs.solvers.kernels.layout import lay_out
from cocs.solvers.kernels.node import (
    BOUND,
    EARLY_SIZE,
    FEW,
    LIMIT,
    SLOTS,
    STEP,
    VALUE,
    WORK,
    accept,
    close,
    new_tree,
    target,
)
from cocs.solvers.kernels.open_edges import new_open_edges
from cocs.solvers.kernels.packing import PACKING_LIMIT, most_clients

DEPTH = 256  # levels of the search tree
PACK_STEPS = 1500
ROUNDS, PATIENCE = 25, 300.0  # at the root: subgradient steps, and what a join may cost
NODE_ROUNDS, NODE_PATIENCE = 25, 500.0


@njit(cache=True, nogil=True)
def start_from(pairs, by_cost, place, number, tree, z):  # type: ignore[no-untyped-def]
    """Take the packed clients as a first selection, each at the edge it was packed into, if it may go there."""
    tree.room[:] = 1.0
    for k in range(number):
        i = by_cost[k]
        for q in range(pairs.start[i], pairs.start[i + 1]):
            if pairs.edge[q] == place[k] and pairs.weight[q] <= tree.room[place[k]]:
                tree.at[i] = q
                tree.room[place[k]] -= pairs.weight[q]
    accept(pairs, tree, z)


@njit(cache=True, nogil=True)
def heaviest_first(pairs, clients):  # type: ignore[no-untyped-def]
    """Return the clients by falling weight of their first pair."""
    return clients[np.argsort(-pairs.weight[pairs.start[clients]])]


@njit(cache=True, nogil=True)
def at_root(pairs, cheapest, capacity, tree, z):  # type: ignore[no-untyped-def]
    """Bound the whole problem, and finish it where no branching is needed; return the prices of the budgets."""
    by_cost = np.argsort(cheapest)
    # No more clients fit than if each cost its least at every edge and reached them all.
    place = np.empty(pairs.n, np.int64)
    number, most, steps = most_clients(cheapest[by_cost], capacity, place, PACKING_LIMIT)
    start_from(pairs, by_cost, place, number, tree, z)
    pack_best(pairs, heaviest_first(pairs, by_cost[:number]), tree.at, PACK_STEPS)
    accept(pairs, tree, z)
    if pairs.n > FEW:
        take_densest(pairs, tree.at)
        accept(pairs, tree, z)
    price, count_price, bound = budget_prices(pairs, most, 10, by_cost)
    pack_best(pairs, heaviest_first(pairs, by_cost[:number]), tree.at, PACK_STEPS)
    accept(pairs, tree, z)
    z[WORK] += steps + 2 * PACK_STEPS + 35 * pairs.n
    tree.bound[0], tree.high[0], tree.mu[0] = bound, most, count_price
    if bound > target(z):
        for i in range(pairs.n):
            for q in range(pairs.start[i], pairs.start[i + 1]):
                r = pairs.value[q] - price[pairs.edge[q]] * pairs.weight[q] - count_price
                tree.u[0, i] = max(tree.u[0, i], r)
        e, s, lists = new_open_edges(pairs.n, pairs.m), new_scratch(pairs.n), new_lists(pairs.n, pairs.m, EARLY_SIZE)
        if close(pairs, tree, 0, z, ROUNDS, PATIENCE, e, s, lists):
            tree.bound[0] = z[VALUE]
    tree.depth[0] = 0 if tree.bound[0] > target(z) else -1
    z[BOUND] = max(tree.bound[0], z[VALUE])
    return price


@njit(cache=True, nogil=True)
def solve(client, edge, value, cost, capacity, n_clients, shuffle, seed, limit):  # type: ignore[no-untyped-def]
    """Return the best rows found, a bound of their value, the budgets' prices, and whether the rows are proved best."""
    pairs, top, step, alike, cheapest = lay_out(client, edge, value, cost, capacity, n_clients, shuffle, seed)
    price = np.zeros(pairs.m)
    if pairs.n == 0:
        return np.empty(0, np.int64), 0.0, price, True
    if step == 1.0 and alike:  # all values equal, every client alike to every edge
        rows, most, proved = equal_values(pairs, cheapest, capacity, shuffle, seed)
        if proved:
            return rows, most * top, price, True
    tree, z = new_tree(pairs, 1), np.zeros(5)
    z[STEP], z[LIMIT] = step, limit
    price = at_root(pairs, cheapest, capacity, tree, z)
    if tree.depth[0] >= 0:
        tree = deepen(pairs, tree)
        branch(pairs, tree, z)
    if shuffle:
        exchange_equals(pairs, tree.best, seed)
    for m in range(pairs.m):
        price[m] *= top / capacity[m] if capacity[m] > 0.0 else 0.0
    return pairs.row[tree.best[tree.best >= 0]], z[BOUND] * top, price, tree.depth[0] < 0


@njit(cache=True, nogil=True)
def deepen(pairs, root):  # type: ignore[no-untyped-def]
    """Return a tree with room to branch, at the same root."""
    tree = new_tree(pairs, DEPTH)
    tree.u[0, :], tree.mu[0], tree.bound[0] = root.u[0], root.mu[0], root.bound[0]
    tree.low[0], tree.high[0] = root.low[0], root.high[0]
    tree.best[:] = root.best
    return tree


@njit(cache=True, nogil=True)
def branch(pairs, tree, z):  # type: ignore[no-untyped-def]
    """Search on until the tree is done (depth −1) or the limit is reached; z[BOUND] is a bound either way."""
    e, s, lists = new_open_edges(pairs.n, pairs.m), new_scratch(pairs.n), new_lists(pairs.n, pairs.m, SLOTS)
    d, fresh = 0, False  # the root was bounded before
    while d >= 0 and z[WORK] <= z[LIMIT]:
        if tree.bound[d] <= target(z) or (fresh and close(pairs, tree, d, z, NODE_ROUNDS, NODE_PATIENCE, e, s, lists)):
            d -= 1
            fresh = True  # the node above has had its first child; what is left of it is to be bounded again
            continue
        if z[WORK] > z[LIMIT] or d + 2 >= DEPTH:
            break
        few = tree.low[d] < tree.high[d]
        q = -1 if few else split(pairs, tree, d)
        if q < 0 and not few:
            d -= 1
            fresh = True
            continue
        tree.fixed[d + 1, :], tree.barred[d + 1, :], tree.u[d + 1, :] = tree.fixed[d], tree.barred[d], tree.u[d]
        tree.mu[d + 1], tree.low[d + 1], tree.high[d + 1] = tree.mu[d], tree.low[d], tree.high[d]
        tree.bound[d + 1] = tree.bound[d]
        if few:  # exactly as many clients as fit, or fewer
            tree.low[d + 1] = tree.high[d + 1]
            tree.high[d] -= 1
        else:
            tree.barred[d, q] = True
            tree.fixed[d + 1, pairs.client[q]] = q
        d += 1
        fresh = True
    tree.depth[0] = d
    bound = z[VALUE]
    for k in range(d + 1):
        bound = max(bound, tree.bound[k])
    z[BOUND] = bound


@njit(cache=True, nogil=True)
def split(pairs, tree, d):  # type: ignore[no-untyped-def]
    """Return the pair to branch on: one that the knapsacks took now and then, of a heavy client; −1: none is open."""
    pair, most = -1, -1.0
    for i in range(pairs.n):
        if tree.fixed[d, i] != -1:
            continue
        total = 0.0
        for q in range(pairs.start[i], pairs.start[i + 1]):
            total += tree.often[q]
        for q in range(pairs.start[i], pairs.start[i + 1]):
            if tree.barred[d, q]:
                continue
            often = tree.often[q]
            score = often * (1.0 + pairs.weight[q]) * (2.0 if often < total or total < 1.0 else 1.0)
            if score > most:
                most, pair = score, q
    return pair
