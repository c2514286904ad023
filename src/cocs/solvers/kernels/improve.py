"""Local search: make a feasible selection better by small moves."""

from __future__ import annotations

import numpy as np
from numba import njit

GAIN = 1e-12  # a move must gain more than rounding errors


@njit(cache=True, nogil=True)
def improve(pairs, at, room, sweeps):  # type: ignore[no-untyped-def]
    """Insert, replace, move and exchange clients until nothing gains; return the value. Changes `at` and `room`."""
    moved, sweep = True, 0
    while moved and sweep < sweeps:
        moved = False
        sweep += 1
        for i in range(pairs.n):
            moved = (insert(pairs, at, room, i) if at[i] < 0 else move(pairs, at, room, i)) or moved
    total = 0.0
    for i in range(pairs.n):
        if at[i] >= 0:
            total += pairs.value[at[i]]
    return total


@njit(cache=True, nogil=True)
def insert(pairs, at, room, i):  # type: ignore[no-untyped-def]
    """Take in client i where it gains most: into free budget, or for one client that goes out or to another edge."""
    gain, pair, other, other_pair = GAIN, -1, -1, -1
    for q in range(pairs.start[i], pairs.start[i + 1]):
        m, value = pairs.edge[q], pairs.value[q]
        lack = pairs.weight[q] - room[m]
        if lack <= 0.0:
            if value > gain:
                gain, pair, other, other_pair = value, q, -1, -1
            continue
        for o in range(pairs.n):
            p = at[o]
            if p < 0 or pairs.edge[p] != m or pairs.weight[p] < lack:
                continue
            if value - pairs.value[p] > gain:
                gain, pair, other, other_pair = value - pairs.value[p], q, o, -1
            for p2 in range(pairs.start[o], pairs.start[o + 1]):
                if pairs.edge[p2] != m and pairs.weight[p2] <= room[pairs.edge[p2]]:
                    more = value + pairs.value[p2] - pairs.value[p]
                    if more > gain:
                        gain, pair, other, other_pair = more, q, o, p2
    if pair < 0:
        return False
    if other >= 0:
        room[pairs.edge[at[other]]] += pairs.weight[at[other]]
        at[other] = other_pair
        if other_pair >= 0:
            room[pairs.edge[other_pair]] -= pairs.weight[other_pair]
    room[pairs.edge[pair]] -= pairs.weight[pair]
    at[i] = pair
    return True


@njit(cache=True, nogil=True)
def move(pairs, at, room, i):  # type: ignore[no-untyped-def]
    """Move client i to a better edge with room, or exchange it with a client there."""
    a = at[i]
    m = pairs.edge[a]
    for q in range(pairs.start[i], pairs.start[i + 1]):
        n = pairs.edge[q]
        if n == m:
            continue
        if pairs.weight[q] <= room[n] and pairs.value[q] > pairs.value[a] + GAIN:
            room[m] += pairs.weight[a]
            room[n] -= pairs.weight[q]
            at[i] = q
            return True
        for o in range(pairs.n):
            p = at[o]
            if p < 0 or pairs.edge[p] != n or pairs.weight[q] > room[n] + pairs.weight[p]:
                continue
            for p2 in range(pairs.start[o], pairs.start[o + 1]):
                if pairs.edge[p2] != m or pairs.weight[p2] > room[m] + pairs.weight[a]:
                    continue
                if pairs.value[q] + pairs.value[p2] > pairs.value[a] + pairs.value[p] + GAIN:
                    room[m] += pairs.weight[a] - pairs.weight[p2]
                    room[n] += pairs.weight[p] - pairs.weight[q]
                    at[i], at[o] = q, p2
                    return True
    return False


@njit(cache=True, nogil=True)
def take_densest(pairs, at):  # type: ignore[no-untyped-def]
    """Fill `at` greedily by value per weight."""
    room = np.ones(pairs.m)
    at[:] = -1
    for q in np.argsort(-pairs.value / pairs.weight):
        i, m = pairs.client[q], pairs.edge[q]
        if at[i] < 0 and pairs.weight[q] <= room[m]:
            at[i] = q
            room[m] -= pairs.weight[q]


@njit(cache=True, nogil=True)
def pack_best(pairs, chosen, at, limit):  # type: ignore[no-untyped-def]
    """Place all of the `chosen` clients (heaviest first) for the greatest value that `limit` steps find.

    Depth first, each client's most valuable edge first; pruned by value, and by budget that is left too small for
    anyone. Writes the best placement into `at` and returns its value, 0 where none was found.
    """
    number = len(chosen)
    room, spare = np.ones(pairs.m), float(pairs.m)
    still = np.zeros(number + 1)  # the most that clients from a depth on can add
    lightest = np.inf
    ranked = np.empty((number, pairs.m), np.int64)
    options, turn = np.zeros(number, np.int64), np.zeros(number + 1, np.int64)
    for depth in range(number - 1, -1, -1):
        i = chosen[depth]
        light = np.inf
        for q in range(pairs.start[i], pairs.start[i + 1]):
            k = options[depth]
            while k > 0 and pairs.value[ranked[depth, k - 1]] < pairs.value[q]:
                ranked[depth, k] = ranked[depth, k - 1]
                k -= 1
            ranked[depth, k] = q
            options[depth] += 1
            light = min(light, pairs.weight[q])
        still[depth] = still[depth + 1] + pairs.value[ranked[depth, 0]]
        lightest = min(lightest, light)
        spare -= light
    placed, best, value, depth = np.empty(number, np.int64), 0.0, np.zeros(number + 1), 0
    for _ in range(limit):
        if depth == number:
            best = value[depth]
            at[:] = -1
            for k in range(number):
                at[chosen[k]] = placed[k]
        if depth == number or turn[depth] == options[depth] or value[depth] + still[depth] <= best + GAIN:
            depth -= 1
            if depth < 0:
                break
            room[pairs.edge[placed[depth]]] += pairs.weight[placed[depth]]
            continue
        q = ranked[depth, turn[depth]]
        turn[depth] += 1
        m = pairs.edge[q]
        if pairs.weight[q] > room[m]:
            continue
        room[m] -= pairs.weight[q]
        if depth < number - 1:
            wasted = 0.0
            for e in range(pairs.m):
                if room[e] < lightest:
                    wasted += room[e]
            if wasted > spare + GAIN:
                room[m] += pairs.weight[q]
                continue
        placed[depth] = q
        value[depth + 1] = value[depth] + pairs.value[q]
        depth += 1
        if depth < number:
            turn[depth] = 0
    return best
