"""Problems to hold solvers to: of many kinds and small enough to enumerate, larger ones, and rounds of the worlds."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from cocs import make_world
from cocs.core import SelectionProblem

NEAR = 1e-9  # relative: what adding up in another order may change

VALUES = {
    "uniform": lambda rng, cost: rng.random(len(cost)),
    "equal": lambda rng, cost: np.full(len(cost), 0.7),
    "0 or 1": lambda rng, cost: (rng.random(len(cost)) < 0.5).astype(float),
    "few": lambda rng, cost: rng.integers(1, 4, len(cost)).astype(float),
    "counts": lambda rng, cost: rng.binomial(10, 0.6, len(cost)) / 10,
    "some twice": lambda rng, cost: rng.choice(rng.random(3), len(cost)),
    "almost equal": lambda rng, cost: 1 + 1e-6 * rng.random(len(cost)),
    "tiny": lambda rng, cost: 1e-12 * rng.random(len(cost)),
    "huge": lambda rng, cost: 1e12 * rng.random(len(cost)),
    "tiny and huge": lambda rng, cost: rng.random(len(cost)) * rng.choice([1e-12, 1.0, 1e12], len(cost)),
    "as the cost": lambda rng, cost: cost.copy(),
    "as the cost, and a bit": lambda rng, cost: cost + 0.1,
}
COSTS = {
    "of the client": lambda rng, client, edge: rng.uniform(0.5, 4, client.max(initial=0) + 1)[client],
    "of the pair": lambda rng, client, edge: rng.uniform(0.5, 4, len(client)),
    "of client and edge": lambda rng, client, edge: (
        rng.uniform(0.5, 4, client.max(initial=0) + 1)[client] * np.array([1, 0.1, 3, 1, 0.5, 2, 1, 1])[edge % 8]
    ),
    "whole": lambda rng, client, edge: rng.integers(1, 4, len(client)).astype(float),
    "decimal": lambda rng, client, edge: rng.integers(1, 10, len(client)) / 10,
    "some 0": lambda rng, client, edge: rng.uniform(0.5, 2, len(client)) * rng.integers(0, 2, len(client)),
    "all 0": lambda rng, client, edge: np.zeros(len(client)),
    "all 1": lambda rng, client, edge: np.ones(len(client)),
}
BUDGETS = ("alike", "each its own", "one is 0", "whole")
MOST_CLIENTS = {1: 7, 2: 7, 3: 7, 4: 6, 5: 5}  # by edges: at most 16,384 assignments to enumerate


def problem_of(
    seed: int,
    n_clients: int,
    n_edges: int,
    *,
    value="uniform",
    cost="of the pair",
    budget="alike",
    share=0.4,
    reach=0.8,
) -> SelectionProblem:
    """A problem of these kinds, with room for about this share of the clients, rows in no order."""
    rng = np.random.default_rng(seed)
    client, edge = np.nonzero(rng.random((n_clients, n_edges)) < reach)
    order = rng.permutation(len(client))
    client, edge = client[order], edge[order]
    costs = COSTS[cost](rng, client, edge)
    rooms = np.full(n_edges, share * n_clients / n_edges * (costs.mean() if len(costs) and costs.any() else 1.0))
    if budget == "each its own":
        rooms *= rng.uniform(0.2, 2.0, n_edges)
    elif budget == "one is 0":
        rooms[rng.integers(n_edges)] = 0.0
    elif budget == "whole":
        rooms = np.ceil(rooms)
    return SelectionProblem(client, edge, VALUES[value](rng, costs), costs, rooms, n_clients)


@st.composite
def problems(draw: st.DrawFn, most_clients: int | None = None, most_edges: int = 5) -> SelectionProblem:
    """Problems of all kinds; small enough to enumerate, unless told how many clients there may be."""
    n_edges = draw(st.integers(1, most_edges))
    problem = problem_of(
        draw(st.integers(0, 2**32 - 1)),
        draw(st.integers(1, most_clients or MOST_CLIENTS[n_edges])),
        n_edges,
        value=draw(st.sampled_from(list(VALUES))),
        cost=draw(st.sampled_from(list(COSTS))),
        budget=draw(st.sampled_from(BUDGETS)),
        share=draw(st.sampled_from([0.1, 0.4, 0.7, 1.5])),
        reach=draw(st.sampled_from([1.0, 0.8, 0.4])),
    )
    tie_seed = draw(st.none() | st.integers(0, 2**63 - 1))
    return replace(problem, objective=draw(st.sampled_from(["sum", "sqrt"])), tie_seed=tie_seed)


ROUNDS = {  # those of issue 2: world, budget, geometry, values
    f"{world}, B = {budget:g}, {geometry}, {values}": (world, budget, geometry, values)
    for world, budget in (("paper-mnist", 3.5), ("paper-mnist", 10.0), ("paper-cifar10", 40.0))
    for geometry in ("literal", "discs")
    for values in ("p", "X", "counts", "equal")
}


def paper_round(name: str, t: int, *, seed: int = 0, tie_seed: int | None = None) -> SelectionProblem:
    """Round t of a real world, N = 50 and M = 3."""
    world, budget, geometry, values = ROUNDS[name]
    observation, truth = make_world(world, seed=seed, budget=budget, geometry=geometry).round(t)
    p = truth.probability
    value = {
        "p": p,
        "X": truth.arrived.astype(float),
        "counts": np.random.default_rng([seed, t]).binomial(10, p) / 10,
        "equal": np.ones(len(p)),
    }[values]
    return SelectionProblem.of(observation, value, tie_seed=tie_seed)
