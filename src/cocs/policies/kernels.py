"""The loops over pairs, compiled. Importing this module loads numba: import it where a kernel is called, not before."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import numpy as np
from numba import njit

if TYPE_CHECKING:
    from cocs.core.arrays import BoolArray, FloatArray, IntArray

_P = ParamSpec("_P")
_R = TypeVar("_R")

EMPTY = -1  # no cell's key
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # 2⁶⁴ over the golden ratio: neighbouring keys land far apart
_HIGH = np.uint64(32)


def _compiled(function: Callable[_P, _R]) -> Callable[_P, _R]:
    compiled: Any = njit(cache=True)(function)
    return compiled  # type: ignore[no-any-return]  # numba is untyped


@_compiled
def _place(table: IntArray, key: int) -> int:
    """Return where the key stands in the table, or the free place where it belongs; the table is never full."""
    mask = table.size - 1  # the size is a power of two
    place = int((np.uint64(key) * _SPREAD) >> _HIGH) & mask
    while table[place] != key and table[place] != EMPTY:
        place = (place + 1) & mask
    return place


@_compiled
def _key(client: int, edge: int, context: FloatArray, cells: int, client_step: int, edge_step: int) -> int:
    key = client * client_step + edge * edge_step
    for x in context:
        key = key * cells + min(int(x * cells), cells - 1)
    return key


@_compiled
def look_up(
    client: IntArray,
    edge: IntArray,
    context: FloatArray,
    cells: int,
    client_step: int,
    edge_step: int,
    table: IntArray,
    tries: IntArray,
    arrivals: IntArray,
) -> tuple[IntArray, FloatArray]:
    """Return each pair's tries (P,) and rate of arrival (P,), both 0 where its cell was never tried."""
    tried = np.zeros(client.size, np.int64)
    rate = np.zeros(client.size)
    for k in range(client.size):
        place = _place(table, _key(client[k], edge[k], context[k], cells, client_step, edge_step))
        if table[place] != EMPTY:
            tried[k] = tries[place]
            rate[k] = arrivals[place] / tries[place]
    return tried, rate


@_compiled
def count(
    client: IntArray,
    edge: IntArray,
    context: FloatArray,
    rows: IntArray,
    arrived: BoolArray,
    cells: int,
    client_step: int,
    edge_step: int,
    table: IntArray,
    tries: IntArray,
    arrivals: IntArray,
) -> int:
    """Count one try, and an arrival or none, in the cell of each of the rows; return how many cells are new."""
    new = 0
    for i in range(rows.size):
        k = rows[i]
        key = _key(client[k], edge[k], context[k], cells, client_step, edge_step)
        place = _place(table, key)
        if table[place] == EMPTY:
            table[place] = key
            new += 1
        tries[place] += 1
        arrivals[place] += arrived[i]
    return new


@_compiled
def insert(
    keys: IntArray,
    key_tries: IntArray,
    key_arrivals: IntArray,
    table: IntArray,
    tries: IntArray,
    arrivals: IntArray,
) -> None:
    """Put the keys that are not `EMPTY`, each a new one, and their counts into the table."""
    for i in range(keys.size):
        if keys[i] != EMPTY:
            place = _place(table, keys[i])
            table[place] = keys[i]
            tries[place] = key_tries[i]
            arrivals[place] = key_arrivals[i]


@_compiled
def take_in_order(
    order: IntArray, client: IntArray, edge: IntArray, cost: FloatArray, limit: FloatArray, n_clients: int
) -> IntArray:
    """Return the rows taken when each of `order` is, if its client is free and it fits within the edge's limit."""
    busy = np.zeros(n_clients, np.bool_)
    spent = np.zeros(limit.size)
    taken = np.empty(order.size, np.int64)
    size = 0
    for k in order:
        n, m = client[k], edge[k]
        if not busy[n] and spent[m] + cost[k] <= limit[m]:
            busy[n] = True
            spent[m] += cost[k]
            taken[size] = k
            size += 1
    return taken[:size]
