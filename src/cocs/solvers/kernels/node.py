"""One node of the exact search: bound it by pricing the clients, and close what is left by joining.

Relaxing "each client at most once" at prices u, and "at most K clients" at a price μ, leaves one knapsack an edge:

    bound(u, μ) = K μ + Σ u + Σ_m max over subsets S of edge m within its budget of Σ_S (value − u − μ)

Unlike the bound that relaxes the budgets, this one knows that clients are not divisible; and K, the number of clients
that can be packed at all, takes out what fractions of a client would add. Together they usually meet the optimum.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from cocs.solvers.kernels.improve import improve
from cocs.solvers.kernels.join import CLOSED, join, new_lists
from cocs.solvers.kernels.knapsack import FAR, break_item, flips, least_loss
from cocs.solvers.kernels.open_edges import open_up, reprice
from cocs.solvers.kernels.tight import join_tight

EPS = 1e-10  # of the best value: what a better selection must gain
TRIES = 4
FEW = 64  # clients; with more, the joins alone seldom find good selections
TIGHT_CLIENTS, TIGHT_LIMIT, VERY_TIGHT = 18, 200_000, 0.02
SLOTS = 4096  # subsets listed for one edge at the most
EARLY_LIMIT, EARLY_SIZE = 1000, 256

# The search's numbers, by place in one array.
VALUE, BOUND, STEP, WORK, LIMIT = range(5)

# A tree of depth-first nodes. `fixed[d, i]`: the pair of client i, −1 open, −2 left out. `barred[d, q]`: pair q is out.
# `low`, `high`: how many clients in all. `u`, `mu`: the best prices known. `bound`: no selection below d is worth more.
Tree = namedtuple("Tree", "fixed barred low high u mu bound depth best at room often")


@njit(cache=True, nogil=True)
def target(z):  # type: ignore[no-untyped-def]
    """Return the value that a bound must not pass for its node to be done."""
    return z[VALUE] + max(EPS * z[VALUE], z[STEP] * (1.0 - 1e-7))


@njit(cache=True, nogil=True)
def accept(pairs, tree, z):  # type: ignore[no-untyped-def]
    """Keep `tree.at` if it is the best selection so far."""
    total = 0.0
    for i in range(pairs.n):
        if tree.at[i] >= 0:
            total += pairs.value[tree.at[i]]
    if total > z[VALUE]:
        z[VALUE] = total
        tree.best[:] = tree.at
        return True
    return False


@njit(cache=True, nogil=True)
def settle(pairs, chosen, fixed, tree, z):  # type: ignore[no-untyped-def]
    """Make a selection of the knapsacks' answers (each client at its most valuable edge) and improve it."""
    tree.room[:] = 1.0
    for i in range(pairs.n):
        tree.at[i] = fixed[i] if fixed[i] >= 0 else -1
        if fixed[i] == -1:
            most = 0.0
            for q in range(pairs.start[i], pairs.start[i + 1]):
                if chosen[q] and pairs.value[q] > most:
                    most = pairs.value[q]
                    tree.at[i] = q
        if tree.at[i] >= 0:
            tree.room[pairs.edge[tree.at[i]]] -= pairs.weight[tree.at[i]]
    improve(pairs, tree.at, tree.room, 10)
    z[WORK] += pairs.n * len(pairs.value) // 4
    accept(pairs, tree, z)


@njit(cache=True, nogil=True)
def tight(pairs, capacity, fixed, number, constant, e, lists, tree, z):  # type: ignore[no-untyped-def]
    """Look at every selection of exactly `number` open clients, if there are few; return whether that was done."""
    worth, status, steps = join_tight(
        pairs, capacity, fixed, number, target(z) - constant, TIGHT_CLIENTS, TIGHT_LIMIT, e, lists, tree.at
    )
    z[WORK] += steps
    if worth > 0.0:
        accept(pairs, tree, z)
    return status == CLOSED


@njit(cache=True, nogil=True)
def lightest_first(pairs, capacity, tree, d):  # type: ignore[no-untyped-def]
    """Return the least weight of each open client of node d, ascending."""
    lightest, number = np.empty(pairs.n), 0
    for i in range(pairs.n):
        if tree.fixed[d, i] == -1:
            least = np.inf
            for q in range(pairs.start[i], pairs.start[i + 1]):
                if not tree.barred[d, q] and pairs.weight[q] <= capacity[pairs.edge[q]]:
                    least = min(least, pairs.weight[q])
            if least < np.inf:
                lightest[number] = least
                number += 1
    return np.sort(lightest[:number])


@njit(cache=True, nogil=True)
def still_fit(capacity, e, lightest):  # type: ignore[no-untyped-def]
    """Return how many open clients fit at the most: each at its least weight, budgets too small for any left out."""
    room, fit = 1e-12, 0
    for m in range(len(capacity)):
        if e.count[m] > 0 and capacity[m] >= e.lightest[m]:
            room += capacity[m]
    for weight in lightest:
        room -= weight
        if room < 0.0:
            break
        fit += 1
    return fit


@njit(cache=True, nogil=True)
def room_left(capacity, lightest, low, high):  # type: ignore[no-untyped-def]
    """Return how much budget can stay unspent in all, where at least `low` clients are to be placed."""
    return capacity.sum() - lightest[: max(low, 0)].sum() + 1e-12


@njit(cache=True, nogil=True)
def close(pairs, tree, d, z, rounds, patience, e, s, lists):  # type: ignore[no-untyped-def]
    """Bound node d and try to finish it; return whether no better selection is left below it.

    `rounds` subgradient steps at the most; `patience` scales what a join may cost.
    """
    fixed, barred, u = tree.fixed[d], tree.barred[d], tree.u[d].copy()
    capacity, constant, placed = np.ones(pairs.m), 0.0, 0
    for i in range(pairs.n):
        if fixed[i] >= 0:
            constant += pairs.value[fixed[i]]
            placed += 1
            capacity[pairs.edge[fixed[i]]] -= pairs.weight[fixed[i]]
            if capacity[pairs.edge[fixed[i]]] < 0.0:
                return True
    low, high, mu = tree.low[d] - placed, tree.high[d] - placed, tree.mu[d]
    if high < 0:
        return True
    open_up(pairs, capacity, fixed, barred, e)
    lightest = lightest_first(pairs, capacity, tree, d)
    high = min(high, still_fit(capacity, e, lightest))
    if high < max(low, 0):
        return True
    spare = room_left(capacity, lightest, low, high)
    tree.often[:] = 0.0
    taken_by = np.zeros(pairs.n, np.int64)
    chosen = np.zeros(len(pairs.value), np.bool_)
    best_value, kept_value = np.zeros(pairs.m), np.zeros(pairs.m)
    unit = 1.0 if high + placed == 0 else max(z[VALUE], 0.5 * tree.bound[d]) / (high + placed)
    bound, stride, misses, gap = (
        np.inf,
        min(max(0.5 * (tree.bound[d] - z[VALUE]), 0.02 * unit), 0.4 * unit),
        0,
        0.02 * unit,
    )
    for turn in range(rounds):
        value = constant + high * mu
        for i in range(pairs.n):
            taken_by[i] = 0
            if fixed[i] == -1:
                value += u[i]
        members = 0
        loose = 0.05 * stride / pairs.m
        for m in range(pairs.m):
            reprice(m, u, mu, e)
            reward, weight, order = e.reward[m], e.weight[m], e.order[m]
            taken, price, top, spent = break_item(e.count[m], reward, weight, order, capacity[m])
            room = capacity[m] - spent
            n = flips(
                e.count[m], taken, price, price * room if room <= spare else FAR, reward, weight, e.density[m],
                e.lightest[m], order, s.item, s.loss, s.step, s.fill, s.free,
            )  # fmt: skip
            lost, flipped, steps = least_loss(
                n, price, room, spare, loose, s.loss, s.step, s.fill, s.free, 30, s.at, s.room, s.lost, s.best
            )
            z[WORK] += steps + e.count[m]
            best_value[m] = top - lost
            value += top - lost
            for k in range(e.count[m]):
                chosen[e.pair[m, k]] = False
            for k in range(taken):
                chosen[e.pair[m, order[k]]] = True
            for k in range(flipped):
                q = e.pair[m, s.item[s.best[k]]]
                chosen[q] = not chosen[q]
            for k in range(e.count[m]):
                if chosen[e.pair[m, k]]:
                    tree.often[e.pair[m, k]] += 1.0
                    taken_by[e.client[m, k]] += 1
                    members += 1
        if value < bound:
            if value < bound - 0.5 * stride and turn > 0:
                stride *= 1.3
            bound, misses = value, 0
            tree.mu[d], kept_value[:] = mu, best_value
            tree.u[d, :] = u
            tree.bound[d] = min(tree.bound[d], bound)
            if mu > 0.0 and bound > target(z):
                low = max(low, high - int((bound - target(z)) / mu))  # each empty place costs μ
                spare = room_left(capacity, lightest, low, high)
        else:
            misses += 1
            if misses == 2:
                misses = 0
                stride *= 0.5
        if tree.bound[d] <= target(z) or low > high:
            return True
        steepness = 0.0
        for i in range(pairs.n):
            if fixed[i] == -1 and taken_by[i] != 1 and (u[i] > 0.0 or taken_by[i] > 1):
                steepness += (1.0 - taken_by[i]) ** 2
        empty = float(high - members)
        if mu <= 0.0 and empty > 0.0 and low < high:
            empty = 0.0
        steepness += empty * empty
        if steepness == 0.0 or turn == rounds - 1 or stride < 1.5e-3 * unit or turn % 5 == 0:
            final = steepness == 0.0 or turn == rounds - 1 or stride < 1.5e-3 * unit
            if final and pairs.n > FEW:
                settle(pairs, chosen, fixed, tree, z)
            if final and lists.total.shape[1] < SLOTS:
                lists = new_lists(pairs.n, pairs.m, SLOTS)
            exact_number = final and low == high and high > 0
            if exact_number and spare < VERY_TIGHT:
                if tight(pairs, capacity, fixed, high, constant, e, lists, tree, z):
                    return True
                exact_number = False
            tries = 1 if not final else (TRIES if low == high else 2)
            for attempt in range(tries):
                limit, size = (int(patience) << attempt, SLOTS) if final else (EARLY_LIMIT, EARLY_SIZE)
                whole = bound - target(z)
                tried = min(gap, whole)
                lost, status, steps = join(
                    pairs, capacity, fixed, tree.u[d], tree.mu[d], kept_value, spare, tried, max(low, 0), high,
                    limit, size, e, s, lists, tree.at,
                )  # fmt: skip
                z[WORK] += steps
                if lost < tried:
                    accept(pairs, tree, z)
                if status == CLOSED:
                    if tried >= whole or lost < tried:
                        return True
                    tree.bound[d] = min(tree.bound[d], bound - tried)
                    gap *= 2.0
                else:
                    gap *= 0.6
                if z[WORK] > z[LIMIT]:
                    return False
            if exact_number and tight(pairs, capacity, fixed, high, constant, e, lists, tree, z):
                return True
            if final:
                break
        for i in range(pairs.n):
            if fixed[i] == -1 and taken_by[i] != 1:
                u[i] = max(0.0, u[i] - (value - bound + stride) / steepness * (1.0 - taken_by[i]))
        mu -= (value - bound + stride) / steepness * empty
        if mu < 0.0 and low < high:
            mu = 0.0
    tree.low[d] = low + placed
    settle(pairs, chosen, fixed, tree, z)
    return tree.bound[d] <= target(z)


@njit(cache=True, nogil=True)
def new_tree(pairs, depth):  # type: ignore[no-untyped-def]
    """Return room for a tree of that depth."""
    n = pairs.n
    return Tree(
        np.full((depth, n), -1, np.int64), np.zeros((depth, len(pairs.value)), np.bool_),
        np.zeros(depth, np.int64), np.zeros(depth, np.int64), np.zeros((depth, n)), np.zeros(depth),
        np.full(depth, np.inf), np.zeros(1, np.int64), np.full(n, -1, np.int64), np.full(n, -1, np.int64),
        np.ones(pairs.m), np.zeros(len(pairs.value)),
    )  # fmt: skip
