"""One edge's knapsack near its core: the best subset, or every subset close to the best.

From the LP solution (items by falling density up to the one that breaks the budget) every other subset is reached by
flips. A flip of item i loses |reward_i − price · weight_i|, unspent budget loses the price; the sum of what is lost is
exactly the distance to the LP bound. Depth first over flips by rising loss, pruned with the least loss per weight among
the flips still to come.
"""

from __future__ import annotations

import numpy as np
from numba import njit

FAR = 1e300


@njit(cache=True, nogil=True)
def break_item(count, reward, weight, order, capacity):  # type: ignore[no-untyped-def]
    """Return how many items of `order` the LP takes whole, its price, its bound, and the weight of the whole items."""
    bound, spent, taken = 0.0, 0.0, 0
    while taken < count:
        i = order[taken]
        if reward[i] <= 0.0:
            return taken, 0.0, bound, spent
        if spent + weight[i] > capacity:
            price = reward[i] / weight[i]
            return taken, price, bound + price * (capacity - spent), spent
        spent += weight[i]
        bound += reward[i]
        taken += 1
    return taken, 0.0, bound, spent


@njit(cache=True, nogil=True)
def flips(  # type: ignore[no-untyped-def]
    count, taken, price, most, reward, weight, density, lightest, order, item, loss, step, fill, free
):
    """List the flips that lose at most `most`, by rising loss; return their number.

    `step` is what a flip adds to the weight; `fill[k]` and `free[k]` are the least loss per weight added and removed
    among flips k, k + 1, … A flip loses at least `lightest` times the distance of its density from the price, so that
    the flips that matter stand around the break item.
    """
    n = 0
    reach = most / lightest if lightest > 0.0 else np.inf
    for side in range(2):
        a = taken if side == 0 else taken - 1
        while 0 <= a < count:
            i = order[a]
            a += 1 if side == 0 else -1
            if side == 0:
                if price - density[i] > reach:
                    break
                lost, added = price * weight[i] - reward[i], weight[i]
            else:
                if density[i] - price > reach:
                    break
                lost, added = reward[i] - price * weight[i], -weight[i]
            if lost > most:
                continue
            lost = max(lost, 0.0)
            k = n
            while k > 0 and loss[k - 1] > lost:
                loss[k], step[k], item[k] = loss[k - 1], step[k - 1], item[k - 1]
                k -= 1
            loss[k], step[k], item[k] = lost, added, i
            n += 1
    fill[n] = free[n] = FAR
    for k in range(n - 1, -1, -1):
        fill[k], free[k] = fill[k + 1], free[k + 1]
        if step[k] > 0.0:
            fill[k] = min(fill[k], loss[k] / step[k])
        else:
            free[k] = min(free[k], -loss[k] / step[k])
    return n


@njit(cache=True, nogil=True)
def to_come(rest, spare, price, fill, free):  # type: ignore[no-untyped-def]
    """Return the least loss from here to a finished subset: what is too much must go, what is missing must come."""
    if rest < 0.0:
        return -rest * free
    cheaper = min(price, fill)
    return rest * cheaper if rest <= spare else spare * cheaper + (rest - spare) * fill


@njit(cache=True, nogil=True)
def least_loss(  # type: ignore[no-untyped-def]
    n, price, room, spare, loose, loss, step, fill, free, limit, at, path_room, path_loss, best
):
    """Search for the flips of least total loss; `room` is what the LP's whole items leave of the budget.

    No subset may leave more than `spare`. Returns a lower bound of the loss (within `loose` of the loss found), the
    number of flips found, in `best`, and the steps. Past `limit` steps the tolerance doubles, so that the search ends
    soon and the bound stays true. FAR where no subset keeps to `spare`.
    """
    found, flips_found, steps, depth = FAR, 0, 0, 0
    if room <= spare:
        found = price * room
    goal = found - loose
    at[0], path_room[0], path_loss[0] = 0, room, 0.0
    while depth >= 0:
        k, left, lost = at[depth], path_room[depth], path_loss[depth]
        deeper = False
        while k < n:
            then = lost + loss[k]
            if then >= goal:
                break
            rest = left - step[k]
            k += 1
            if then + to_come(rest, spare, price, fill[k], free[k]) < goal:
                deeper = True
                break
        at[depth] = k
        if not deeper:
            depth -= 1
            continue
        steps += 1
        if steps > limit:
            if found == FAR:
                return 0.0, 0, steps
            limit *= 2
            loose = max(2.0 * loose, 0.05 * found)
            goal = found - loose
        depth += 1
        at[depth], path_room[depth], path_loss[depth] = k, rest, then
        if 0.0 <= rest <= spare and then + price * rest < found:
            found, flips_found = then + price * rest, depth
            goal = found - loose
            for d in range(depth):
                best[d] = at[d] - 1
    return max(found - loose, 0.0), flips_found, steps


@njit(cache=True, nogil=True)
def list_losses(  # type: ignore[no-untyped-def]
    n, price, room, spare, most, loss, step, fill, free, word, bit, limit, at, path_room, path_loss, path_mask, mask,
    total,
):  # fmt: skip
    """List the subsets that lose less than `most` as bit masks; return their number, or −1 past a limit, and the steps.

    `path_mask[0]` holds the mask of the LP's whole items; flip k toggles `bit[k]` of word `word[k]`.
    """
    found, steps, depth = 0, 0, 0
    words = mask.shape[1]
    at[0], path_room[0], path_loss[0] = 0, room, 0.0
    if price * room < most and room <= spare:
        mask[0], total[0] = path_mask[0], price * room
        found = 1
    while depth >= 0:
        k, left, lost = at[depth], path_room[depth], path_loss[depth]
        deeper = False
        while k < n:
            then = lost + loss[k]
            if then >= most:
                break
            rest = left - step[k]
            k += 1
            if then + to_come(rest, spare, price, fill[k], free[k]) < most:
                deeper = True
                break
        at[depth] = k
        if not deeper:
            depth -= 1
            continue
        steps += 1
        if steps > limit:
            return -1, steps
        depth += 1
        at[depth], path_room[depth], path_loss[depth] = k, rest, then
        for w in range(words):
            path_mask[depth, w] = path_mask[depth - 1, w]
        path_mask[depth, word[k - 1]] ^= bit[k - 1]
        if 0.0 <= rest <= spare and then + price * rest < most:
            if found == len(total):
                return -1, steps
            for w in range(words):
                mask[found, w] = path_mask[depth, w]
            total[found] = then + price * rest
            found += 1
    return found, steps
