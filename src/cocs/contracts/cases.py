"""Small selection problems that are hard to get right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from cocs.core import SelectionProblem

_RANDOM = 24  # how many drawn problems follow the built ones


def solver_cases() -> Iterator[tuple[str, SelectionProblem]]:
    """Yield named problems of at most 8 clients and 3 edges, the same each time, with the plain sum as objective."""
    generator = np.random.default_rng(20_240)
    some = _drawn(generator, 6, 3)
    pairs = len(some.client)
    yield "no pair at all", _problem([], [], [], [], [1.0, 1.0])
    yield "no pair and no client", replace(_problem([], [], [], [], [1.0]), n_clients=0)
    yield "one pair that fits", _problem([0], [0], [0.5], [1.0], [1.0])
    yield "one pair that costs too much", _problem([0], [0], [0.5], [1.1], [1.0])
    yield "one client, three edges", _problem([0, 0, 0], [0, 1, 2], [0.2, 0.9, 0.5], [1, 3, 1], [2, 2, 2])
    yield "one edge", _drawn(generator, 8, 1)
    yield "edges without a client", replace(some, budget=np.append(some.budget, [3.0, 0.0]))
    yield "clients without an edge", replace(some, client=some.client * 5 + 3, n_clients=50)
    yield "rows in no order", _problem([4, 0, 4, 2, 0], [1, 0, 0, 1, 1], [3, 2, 4, 1, 2], [1, 1, 2, 2, 1], [2, 2], 5)
    yield "all values equal", replace(some, value=np.ones(pairs))
    yield "all values and costs equal", replace(some, value=np.ones(pairs), cost=np.ones(pairs), budget=np.full(3, 2.0))
    yield "few values, few costs", replace(some, value=np.ceil(2 * some.value), cost=np.ceil(some.cost))
    yield "all values 0", replace(some, value=np.zeros(pairs))
    yield "some values 0", replace(some, value=np.where(np.arange(pairs) % 2, some.value, 0.0))
    yield "tiny values", replace(some, value=some.value * 1e-12)
    yield "huge values", replace(some, value=some.value * 1e12)
    yield "tiny and huge values", replace(some, value=some.value * np.where(np.arange(pairs) % 3, 1e-12, 1e12))
    yield "values almost equal", replace(some, value=1 + 1e-4 * some.value)
    yield "all costs 0", replace(some, cost=np.zeros(pairs))
    yield "some costs 0", replace(some, cost=np.where(np.arange(pairs) % 2, some.cost, 0.0))
    yield "all budgets 0", replace(some, budget=np.zeros(3))
    yield "budgets and some costs 0", replace(some, cost=some.cost * (np.arange(pairs) % 2), budget=np.zeros(3))
    yield "one budget 0", replace(some, budget=np.array([0.0, 3.0, 3.0]))
    yield "costs above every budget", replace(some, cost=some.cost + 10)
    yield "everything fits", replace(some, budget=np.full(3, 1e6))
    yield "tiny costs and budgets", replace(some, cost=some.cost * 1e-9, budget=some.budget * 1e-9)
    yield "huge costs and budgets", replace(some, cost=some.cost * 1e9, budget=some.budget * 1e9)
    yield "one edge is cheaper", replace(some, cost=some.cost * np.array([1.0, 0.1, 3.0])[some.edge])
    yield "decimal costs that fit exactly", _problem([0, 1, 2], [0, 0, 0], [1, 1, 1], [0.1, 0.2, 0.3], [0.6])
    yield "decimal costs that fill", _problem([0, 1, 2], [0, 0, 0], [0.4, 0.4, 0.7], [0.1, 0.2, 0.3], [0.3])
    yield "density misleads", _problem([0, 1], [0, 0], [0.2, 1.0], [0.1, 1.0], [1.0])
    yield "cardinality misleads", _problem([0, 1, 2], [0, 0, 0], [1.0, 1.0, 3.0], [1.0, 1.0, 2.0], [2.0])
    yield "edges must be swapped", _problem([0, 0, 1], [0, 1, 0], [1.0, 0.9, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0])
    yield "value in proportion to cost", _proportional(generator)
    for number in range(_RANDOM):
        yield f"drawn {number}", _drawn(generator, int(generator.integers(2, 9)), int(generator.integers(1, 4)))


def _problem(
    client: Sequence[int], edge: Sequence[int], value: ArrayLike, cost: ArrayLike, budget: ArrayLike, n_clients: int = 0
) -> SelectionProblem:
    return SelectionProblem(
        np.array(client, np.int64),
        np.array(edge, np.int64),
        np.array(value, np.float64),
        np.array(cost, np.float64),
        np.array(budget, np.float64),
        n_clients or max(client, default=0) + 1,
    )


def _drawn(generator: np.random.Generator, n_clients: int, n_edges: int) -> SelectionProblem:
    """Partial coverage, costs by client and edge, room for about a third of the clients at each edge."""
    client, edge = np.nonzero(generator.random((n_clients, n_edges)) < 0.75)
    cost = generator.uniform(0.3, 2.0, len(client))
    return SelectionProblem(client, edge, generator.random(len(client)), cost, np.full(n_edges, 2.5), n_clients)


def _proportional(generator: np.random.Generator) -> SelectionProblem:
    """Knapsack's hard kind: no pair is better for its price than another."""
    cost = generator.integers(5, 20, 16).astype(np.float64)
    return SelectionProblem(np.repeat(np.arange(8), 2), np.tile([0, 1], 8), cost / 20, cost, np.array([31.0, 33.0]), 8)
