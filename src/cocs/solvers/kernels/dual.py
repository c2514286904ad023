"""Prices of the budgets: the Lagrangian bound that relaxes them, and at most K clients in all."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def priced(pairs, price, most, profit, best, order, slack):  # type: ignore[no-untyped-def]
    """Return the bound at these prices and the best price of the count; fill each client's profit and best pair.

    The bound is Σ price + the `most` largest profits max(value − price · weight, 0); `slack` is its gradient.
    """
    bound = 0.0
    for m in range(pairs.m):
        bound += price[m]
        slack[m] = 1.0
    for i in range(pairs.n):
        most_profit, choice = 0.0, -1
        for q in range(pairs.start[i], pairs.start[i + 1]):
            r = pairs.value[q] - price[pairs.edge[q]] * pairs.weight[q]
            if r > most_profit:
                most_profit, choice = r, q
        profit[i], best[i] = most_profit, choice
    if pairs.n <= 128:  # nearly sorted from the last call
        for a in range(1, pairs.n):
            i = order[a]
            k = a
            while k > 0 and profit[order[k - 1]] < profit[i]:
                order[k] = order[k - 1]
                k -= 1
            order[k] = i
    else:
        order[:] = np.argsort(-profit)
    for a in range(min(most, pairs.n)):
        i = order[a]
        if best[i] < 0:
            break
        bound += profit[i]
        slack[pairs.edge[best[i]]] -= pairs.weight[best[i]]
    return bound, profit[order[most]] if most < pairs.n else 0.0


@njit(cache=True, nogil=True)
def budget_prices(pairs, most, rounds, order):  # type: ignore[no-untyped-def]
    """Return good prices, the price of the count and the bound: one common price first, then each edge's own.

    The bound is no worse than the one at prices of 0, where values are nearly equal the best there is; those prices
    themselves would not tell the light clients from the heavy.
    """
    price, slack = np.empty(pairs.m), np.empty(pairs.m)
    profit, best = np.empty(pairs.n), np.empty(pairs.n, np.int64)
    kept, kept_count, bound = np.zeros(pairs.m), 0.0, np.inf
    price[:] = 0.0
    free, _ = priced(pairs, price, most, profit, best, order, slack)
    low, high, common = 0.0, -1.0, 0.3
    for _ in range(6):
        price[:] = common
        value, count_price = priced(pairs, price, most, profit, best, order, slack)
        if value < bound:
            bound, kept_count = value, count_price
            kept[:] = price
        if slack.sum() > 0.0:
            high = common
        else:
            low = common
        common = 3.0 * common if high < 0.0 else 0.5 * (low + high)
    price[:] = kept
    stride, misses = 0.02, 0
    for turn in range(rounds):
        value, count_price = priced(pairs, price, most, profit, best, order, slack)
        if value < bound - 1e-12:
            if value < bound - 0.5 * stride:
                stride *= 1.5
            bound, kept_count, misses = value, count_price, 0
            kept[:] = price
        elif turn > 0:
            misses += 1
            if misses == 2:
                misses = 0
                stride *= 0.5
                if stride < 1e-3:
                    break
        steepness = 0.0
        for m in range(pairs.m):
            if price[m] <= 0.0 and slack[m] > 0.0:
                slack[m] = 0.0
            steepness += slack[m] * slack[m]
        if steepness <= 0.0:
            break
        for m in range(pairs.m):
            price[m] = max(0.0, price[m] - (value - bound + stride) / steepness * slack[m])
    priced(pairs, kept, most, profit, best, order, slack)  # leaves the clients in the order of their profit
    return kept, kept_count, min(bound, free)
