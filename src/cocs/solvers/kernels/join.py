"""Close the rest of the gap: list each edge's subsets that lose little, and join one of each edge.

At prices u of the clients and μ of the count, the distance of any selection from the bound is a sum of terms that are
at least 0: what each edge's subset loses against its best, u of every client left out, μ of every place left empty.
"""

from __future__ import annotations

from collections import namedtuple

import numpy as np
from numba import njit

from cocs.solvers.kernels.knapsack import break_item, flips, list_losses
from cocs.solvers.kernels.open_edges import reprice

WORDS = 4  # bit masks of up to 256 clients
CLOSED, TOO_MANY = 1, 0

# Work space of one knapsack; and the subsets of each edge, with a hash of the last one's.
Scratch = namedtuple("Scratch", "item loss step fill free at room lost best word bit mask")
Lists = namedtuple("Lists", "mask total members number bit_of client head next")


@njit(cache=True, nogil=True)
def new_scratch(n):  # type: ignore[no-untyped-def]
    """Return work space for knapsacks of up to n items."""
    k = n + 2
    return Scratch(
        np.empty(k, np.int64), np.empty(k), np.empty(k), np.empty(k), np.empty(k), np.empty(k, np.int64),
        np.empty(k), np.empty(k), np.empty(k, np.int64), np.empty(k, np.int64), np.empty(k, np.uint64),
        np.empty((k, min(WORDS, (n + 63) >> 6)), np.uint64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def new_lists(n, m, size):  # type: ignore[no-untyped-def]
    """Return room for `size` subsets of each edge; `size` is a power of two."""
    words = min(WORDS, (n + 63) >> 6)
    return Lists(
        np.empty((m, size, words), np.uint64), np.empty((m, size)), np.empty((m, size), np.int64),
        np.empty(m, np.int64), np.empty(n, np.int64), np.empty(64 * words, np.int64),
        np.empty(size, np.int64), np.empty(size, np.int64),
    )  # fmt: skip


@njit(cache=True, nogil=True)
def join(  # type: ignore[no-untyped-def]
    pairs, capacity, fixed, u, mu, best_value, spare, gap, low, high, limit, size, e, s, lists, at
):
    """Look for the best selection that loses less than `gap`; write it into `at`.

    `best_value[m]` is what the bound counts for edge m; no edge leaves more than `spare`; `low` … `high` is how many
    clients are to be placed. Returns what the best one loses (`gap` where there is none), CLOSED where every such
    selection was looked at, and the steps.
    """
    steps, used, room_for = 0, 0, len(lists.client)
    words = lists.mask.shape[2]
    lists.bit_of[:] = -1
    for m in range(pairs.m):
        reprice(m, u, mu, e)
        reward, weight, order = e.reward[m], e.weight[m], e.order[m]
        taken, price, bound, spent = break_item(e.count[m], reward, weight, order, capacity[m])
        shift = bound - best_value[m]  # the LP bound stands so far above the bound that counts
        n = flips(
            e.count[m], taken, price, gap + shift, reward, weight, e.density[m], e.lightest[m], order,
            s.item, s.loss, s.step, s.fill, s.free,
        )  # fmt: skip
        steps += e.count[m]
        for k in range(taken + n):
            i = e.client[m, order[k] if k < taken else s.item[k - taken]]
            if lists.bit_of[i] < 0:
                if used == room_for:
                    return gap, TOO_MANY, steps
                lists.bit_of[i], lists.client[used] = used, i
                used += 1
        for w in range(words):
            s.mask[0, w] = 0
        for k in range(taken):
            b = lists.bit_of[e.client[m, order[k]]]
            s.mask[0, b >> 6] |= np.uint64(1) << np.uint64(b & 63)
        for k in range(n):
            b = lists.bit_of[e.client[m, s.item[k]]]
            s.word[k], s.bit[k] = b >> 6, np.uint64(1) << np.uint64(b & 63)
        number, taken_steps = list_losses(
            n, price, capacity[m] - spent, spare, gap + shift, s.loss, s.step, s.fill, s.free, s.word, s.bit, limit,
            s.at, s.room, s.lost, s.mask, lists.mask[m, :size], lists.total[m, :size],
        )  # fmt: skip
        steps += taken_steps
        if number < 0:
            return gap, TOO_MANY, steps
        if number == 0:
            return gap, CLOSED, steps
        arrange(lists.mask[m], lists.total[m], lists.members[m], number, shift)
        lists.number[m] = number
    found, status, taken_steps = match(pairs, fixed, u, mu, gap, low, high, used, limit * 8, lists, at)
    return found, status, steps + taken_steps


@njit(cache=True, nogil=True)
def arrange(mask, total, members, number, shift):  # type: ignore[no-untyped-def]
    """Sort an edge's subsets by loss, count their clients, and measure losses from the bound that counts."""
    words = mask.shape[1]
    order = np.argsort(total[:number])
    masks, totals = mask[:number].copy(), total[:number].copy()
    for k in range(number):
        total[k] = totals[order[k]] - shift
        members[k] = 0
        for w in range(words):
            word = masks[order[k], w]
            mask[k, w] = word
            while word != 0:
                word &= word - np.uint64(1)
                members[k] += 1


@njit(cache=True, nogil=True)
def match(pairs, fixed, u, mu, gap, low, high, used, limit, lists, at):  # type: ignore[no-untyped-def]
    """Depth first over the edges, fewest subsets first: one subset each, no client twice, least loss.

    Clients too dear to be left out must all be covered, so that the last edge's subset is looked up by those it has to
    cover.
    """
    words = lists.mask.shape[2]
    must = np.zeros(words, np.uint64)
    for i in range(pairs.n):
        if fixed[i] == -1 and u[i] >= gap:
            b = lists.bit_of[i]
            if b < 0:
                return gap, CLOSED, 0  # nobody takes it: no selection loses less than the gap
            must[b >> 6] |= np.uint64(1) << np.uint64(b & 63)
    last = pairs.m - 1
    turn = np.argsort(lists.number)
    size = index(lists, turn[last], must)
    place, lost, members = np.zeros(last + 1, np.int64), np.zeros(last + 1), np.zeros(last + 1, np.int64)
    taken = np.zeros((last + 2, words), np.uint64)
    rest = np.zeros(last + 2, np.int64)  # members that the edges from a depth on can add
    for depth in range(last, -1, -1):
        rest[depth] = rest[depth + 1] + lists.members[turn[depth], : lists.number[turn[depth]]].max()
    found, steps, depth = gap, 0, 0
    if last == 0:
        place[0] = first_with(lists, turn[0], must, taken[0], size)
    while depth >= 0:
        m = turn[depth]
        number, k = lists.number[m], place[depth]
        hit = False
        while 0 <= k < number:
            steps += 1
            total = lost[depth] + lists.total[m, k]
            if total >= found:
                k = -1
                break
            here = k
            k = lists.next[k] if depth == last else k + 1
            count = members[depth] + lists.members[m, here]
            empty = high - count - rest[depth + 1]
            if (empty > 0 and (high - empty < low or total + mu * empty >= found)) or count > high:
                continue
            clash = np.uint64(0)
            for w in range(words):
                clash |= taken[depth, w] & lists.mask[m, here, w]
                if depth == last:
                    clash |= must[w] & ~(taken[depth, w] | lists.mask[m, here, w])
            if clash == 0:
                hit = True
                break
        place[depth] = k
        if steps > limit:
            return found, TOO_MANY, steps
        if not hit:
            depth -= 1
            continue
        for w in range(words):
            taken[depth + 1, w] = taken[depth, w] | lists.mask[m, here, w]
        if depth < last:
            depth += 1
            lost[depth], members[depth] = total, count
            place[depth] = first_with(lists, turn[depth], must, taken[depth], size) if depth == last else 0
            continue
        total += mu * (high - count)
        for i in range(pairs.n):
            if total >= found:
                break
            if u[i] > 0.0 and fixed[i] == -1:
                b = lists.bit_of[i]
                if b < 0 or not (taken[depth + 1, b >> 6] >> np.uint64(b & 63)) & np.uint64(1):
                    total += u[i]
        if total < found:
            found = total
            write(pairs, lists, turn, place, here, used, fixed, at)
    return found, CLOSED, steps


@njit(cache=True, nogil=True)
def index(lists, m, must):  # type: ignore[no-untyped-def]
    """Hash edge m's subsets by which of the clients in `must` they hold; equal ones stand in a chain by rising loss."""
    size = 16
    while size < lists.number[m]:
        size *= 2
    lists.head[:size] = -1
    for k in range(lists.number[m] - 1, -1, -1):
        key = np.uint64(0)
        for w in range(len(must)):
            key = mixed(key ^ (lists.mask[m, k, w] & must[w]))
        slot = int(key & np.uint64(size - 1))
        lists.next[k] = lists.head[slot]
        lists.head[slot] = k
    return size


@njit(cache=True, nogil=True)
def first_with(lists, m, must, taken, size):  # type: ignore[no-untyped-def]
    """Return the first subset of the chain of those that may hold all that is left to cover, or −1."""
    key = np.uint64(0)
    for w in range(len(must)):
        key = mixed(key ^ (must[w] & ~taken[w]))
    return lists.head[int(key & np.uint64(size - 1))]


@njit(cache=True, nogil=True)
def mixed(key):  # type: ignore[no-untyped-def]
    """Spread a word's bits."""
    key = key * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(32))


@njit(cache=True, nogil=True)
def write(pairs, lists, turn, place, last, used, fixed, at):  # type: ignore[no-untyped-def]
    """Write the joined subsets (of the last edge, number `last`) into `at` as pairs."""
    for i in range(pairs.n):
        at[i] = fixed[i] if fixed[i] >= 0 else -1
    for depth in range(pairs.m):
        m = turn[depth]
        k = last if depth == pairs.m - 1 else place[depth] - 1
        for b in range(used):
            if (lists.mask[m, k, b >> 6] >> np.uint64(b & 63)) & np.uint64(1):
                i = lists.client[b]
                for q in range(pairs.start[i], pairs.start[i + 1]):
                    if pairs.edge[q] == m:
                        at[i] = q
