"""As many clients as possible, where all are worth the same and every edge would take each at the same cost.

Any k clients that can be packed can be replaced by the k cheapest, so that the answer is the largest k whose k cheapest
fit: a bin-packing question, asked largest client first, best-fitting edge first.
"""

from __future__ import annotations

import numpy as np
from numba import njit

PACKING_LIMIT = 20_000  # steps for one number of clients


@njit(cache=True, nogil=True)
def pack(cost, number, room, place, limit):  # type: ignore[no-untyped-def]
    """Place the `number` cheapest of ascending `cost` into `room` (changed in place where it works).

    Returns 1 (placed: client k at edge place[k]), 0 (impossible) or −1 (past the limit), and the steps.
    """
    n_edges = len(room)
    spare = 0.0
    for m in range(n_edges):
        spare += room[m]
    for k in range(number):
        spare -= cost[k]
    if spare < 0.0:
        return 0, 0
    tried = np.zeros((number + 1, n_edges), np.bool_)
    k, steps = number - 1, 0
    while k >= 0:
        steps += 1
        if steps > limit:
            return -1, steps
        best = -1
        for m in range(n_edges):
            if not tried[k, m] and room[m] >= cost[k] and (best < 0 or room[m] < room[best]):
                best = m
        if best < 0:  # back to the client before
            for m in range(n_edges):
                tried[k, m] = False
            k += 1
            if k == number:
                return 0, steps
            room[place[k]] += cost[k]
            continue
        for m in range(n_edges):  # edges with equal room are the same choice
            if room[m] == room[best]:
                tried[k, m] = True
        room[best] -= cost[k]
        wasted = 0.0
        if k > 0:
            for m in range(n_edges):
                if room[m] < cost[0]:
                    wasted += room[m]
        if wasted > spare * (1.0 + 1e-12):
            room[best] += cost[k]
            continue
        place[k] = best
        k -= 1
    return 1, steps


@njit(cache=True, nogil=True)
def most_clients(cost, capacity, place, limit):  # type: ignore[no-untyped-def]
    """Return how many of the cheapest clients fit (placed in `place`), an upper bound of it, and the steps."""
    total, spent, number = 0.0, 0.0, 0
    for m in range(len(capacity)):
        total += capacity[m]
    while number < len(cost) and spent + cost[number] <= total:
        spent += cost[number]
        number += 1
    upper, proved, steps = number, True, 0
    while number > 0:
        status, taken = pack(cost, number, capacity.copy(), place, limit)
        steps += taken
        if status == 1:
            break
        proved = proved and status == 0
        number -= 1
        if proved:
            upper = number
    return number, upper, steps


@njit(cache=True, nogil=True)
def swap_in(cost, capacity, number, place, seed):  # type: ignore[no-untyped-def]
    """Draw among equally large sets: go through the clients in random order and swap in each that is out and fits.

    `place[k]` is the edge of client k, −1 where it is out. Deterministic in the seed.
    """
    n = len(cost)
    room = capacity.copy()
    for k in range(n):
        if place[k] >= 0:
            room[place[k]] -= cost[k]
    state = np.uint64(seed) * np.uint64(2) + np.uint64(1)
    for k in shuffled(n, state):
        if place[k] >= 0 or number == 0:
            continue
        state = next_random(state)
        first = int((state >> np.uint64(11)) % np.uint64(n))
        for offset in range(n):
            out = (first + offset) % n
            m = place[out]
            if m >= 0 and cost[k] <= room[m] + cost[out]:
                room[m] += cost[out] - cost[k]
                place[k], place[out] = m, -1
                break


@njit(cache=True, nogil=True)
def shuffled(n, state):  # type: ignore[no-untyped-def]
    """Return 0 … n − 1 in an order that depends on the state alone."""
    turn = np.arange(n)
    for k in range(n - 1, 0, -1):
        state = next_random(state)
        j = int((state >> np.uint64(11)) % np.uint64(k + 1))
        turn[k], turn[j] = turn[j], turn[k]
    return turn


@njit(cache=True, nogil=True)
def next_random(state):  # type: ignore[no-untyped-def]
    """Return the generator's next state (SplitMix64's mixing of a Weyl sequence, as one number)."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
