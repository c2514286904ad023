"""Where the clients to place nearly fill the budgets, few subsets of an edge come into question: list them by weight.

If exactly r clients are to be placed and the r lightest leave `spare` of all budgets together, then no edge may leave
more than `spare` of its own, nobody heavier than the r-th lightest by more than `spare` can take part, and a client so
light that the next lightest in its place would need more than `spare` must take part.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from cocs.solvers.kernels.join import CLOSED, TOO_MANY, arrange, match

SLACK = 1e-12  # rounding of sums of weights


@njit(cache=True, nogil=True)
def join_tight(pairs, capacity, fixed, number, value_to_beat, most_clients, limit, e, lists, at):  # type: ignore[no-untyped-def]
    """Look for the best selection of exactly `number` open clients worth more than `value_to_beat`, into `at`.

    Returns its value (0 where there is none), CLOSED or TOO_MANY, and the steps.
    """
    n, words = pairs.n, lists.mask.shape[2]
    lightest, dearest = np.full(n, np.inf), np.zeros(n)
    for m in range(pairs.m):
        for k in range(e.count[m]):
            i = e.client[m, k]
            lightest[i] = min(lightest[i], e.weight[m, k])
            dearest[i] = max(dearest[i], e.value[m, k])
    order = np.argsort(lightest)
    spare = capacity.sum()
    for k in range(number):
        spare -= lightest[order[k]]
    if not spare >= -SLACK:
        return 0.0, CLOSED, n
    spare += SLACK
    outside = lightest[order[number]] if number < n else np.inf
    u, used, total = np.zeros(n), 0, 0.0
    lists.bit_of[:] = -1
    for a in range(n):
        i = order[a]
        if lightest[i] > lightest[order[number - 1]] + spare or lightest[i] == np.inf:
            break
        if used == min(most_clients, 64 * words):
            return 0.0, TOO_MANY, n
        lists.bit_of[i], lists.client[used] = used, i
        used += 1
        total += dearest[i]
        u[i] = np.inf if outside - lightest[i] > spare else dearest[i]
    gap = total - value_to_beat
    if gap <= 0.0:
        return 0.0, CLOSED, n
    steps = n
    item, path, rest_of = np.empty(used, np.int64), np.zeros(used + 1, np.int64), np.zeros(used + 1)
    for m in range(pairs.m):
        count = 0
        for k in range(e.count[m]):
            if lists.bit_of[e.client[m, k]] >= 0:
                a = count
                while a > 0 and e.weight[m, item[a - 1]] < e.weight[m, k]:
                    item[a] = item[a - 1]
                    a -= 1
                item[a] = k
                count += 1
        rest_of[count] = 0.0
        for a in range(count - 1, -1, -1):
            rest_of[a] = rest_of[a + 1] + e.weight[m, item[a]]
        found, depth, a = 0, 0, 0
        room, lost, mask = capacity[m], 0.0, np.zeros(words, np.uint64)
        while True:
            while a < count and room - rest_of[a] <= spare:  # heavier items first; what is left can still fill up
                steps += 1
                w = e.weight[m, item[a]]
                i = e.client[m, item[a]]
                more = dearest[i] - e.value[m, item[a]]
                if w <= room + SLACK and lost + more < gap:
                    room -= w
                    lost += more
                    mask[lists.bit_of[i] >> 6] ^= np.uint64(1) << np.uint64(lists.bit_of[i] & 63)
                    path[depth] = a
                    depth += 1
                a += 1
            if a == count and room <= spare:
                if found == len(lists.total[m]):
                    return 0.0, TOO_MANY, steps
                for w2 in range(words):
                    lists.mask[m, found, w2] = mask[w2]
                lists.total[m, found] = lost
                found += 1
            if steps > limit:
                return 0.0, TOO_MANY, steps
            if depth == 0:
                break
            depth -= 1
            a = path[depth]
            i = e.client[m, item[a]]
            room += e.weight[m, item[a]]
            lost -= dearest[i] - e.value[m, item[a]]
            mask[lists.bit_of[i] >> 6] ^= np.uint64(1) << np.uint64(lists.bit_of[i] & 63)
            a += 1
        if found == 0:
            return 0.0, CLOSED, steps
        arrange(lists.mask[m], lists.total[m], lists.members[m], found, 0.0)
        lists.number[m] = found
    lost, status, taken = match(pairs, fixed, u, 0.0, gap, number, number, used, limit, lists, at)
    return (total - lost if lost < gap else 0.0), status, steps + taken
