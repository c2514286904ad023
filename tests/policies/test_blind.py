"""Random and Cardinality: the two that look at no context."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocs.contracts.reference import enumerate_best
from cocs.contracts.synthetic import SyntheticWorld
from cocs.core import Observation, RoundStreams, SelectionProblem, check_feasible, spending
from cocs.errors import InvalidSettingError
from cocs.policies import Cardinality, Random

WORLD = SyntheticWorld(n_clients=6, n_edges=2, growth=0)


def still_fits(observation, selection):
    """Rows that could be added without breaking a rule."""
    left = observation.budget - spending(observation, selection)
    free = ~np.isin(observation.client, observation.client[selection.pairs])
    return np.flatnonzero(free & (observation.cost < left[observation.edge] - 1e-6))


@pytest.mark.parametrize("draw", ["pair", "edge"])
def test_random_is_feasible_and_leaves_nothing_that_fits(draw):
    """It passes over what does not fit instead of stopping there; `edge` may leave a client's other edges."""
    policy = Random(WORLD.setting, draw=draw)
    left_over = 0
    for t in range(1, 201):
        observation, _ = WORLD.round(t)
        selection = policy.select(observation)
        check_feasible(observation, selection)
        left_over += len(still_fits(observation, selection))
    assert left_over == 0 if draw == "pair" else left_over > 0


def test_random_takes_pairs_in_the_drawn_order():
    """The compiled pass agrees with a plain one over the same permutation."""
    policy = Random(WORLD.setting, seed=3)
    for t in range(1, 101):
        observation, _ = WORLD.round(t)
        busy, spent, taken = set(), np.zeros(2), []
        for k in RoundStreams(3, ["random.order"]).at("random.order", t).permutation(len(observation.client)):
            n, m = observation.client[k], observation.edge[k]
            if n not in busy and spent[m] + observation.cost[k] <= observation.budget[m]:
                busy.add(n)
                spent[m] += observation.cost[k]
                taken.append(k)
        assert policy.select(observation).pairs.tolist() == sorted(taken)


def lonely(t):
    """Room for one client only: client 0 reaches three edges, clients 1 and 2 one each."""
    return Observation(t, [0, 0, 0, 1, 2], [0, 1, 2, 0, 0], np.zeros((5, 1)), [1] * 5, [1, 0, 0], [1] * 3, 3)


@pytest.mark.parametrize(("draw", "shares"), [("pair", (1 / 3, 1 / 3, 1 / 3)), ("edge", (1 / 9, 4 / 9, 4 / 9))])
def test_random_draws_fairly(draw, shares):
    """`pair`: each pair alike. `edge`: client 0 goes elsewhere two times in three, and the others share alike."""
    policy = Random(WORLD.setting, draw=draw)
    chosen = [policy.select(lonely(t)).pairs.tolist() for t in range(1, 4001)]
    count = Counter(pairs[0] for pairs in chosen)
    for row, share in zip((0, 3, 4), shares, strict=True):
        assert abs(count[row] / 4000 - share) < 4 * (share * (1 - share) / 4000) ** 0.5


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40), st.integers(2, 30))
def test_random_fills_a_budget_to_the_last_bit(seed, n):
    """Decimal costs that add up to the budget all fit, in whatever order they are added up."""
    cost = np.random.default_rng(seed).integers(1, 100, n) / 10
    observation = Observation(1, range(n), [0] * n, np.zeros((n, 1)), cost, [round(cost.sum(), 1)], [1], n)
    selection = Random(WORLD.setting, seed=seed).select(observation)
    check_feasible(observation, selection)
    assert len(selection.pairs) == n


def test_random_takes_what_is_free_where_nothing_can_be_spent():
    """A cost of 0 fits a budget of 0."""
    observation = Observation(1, [0, 1, 2], [0, 0, 0], np.zeros((3, 1)), [0, 1, 0], [0], [1], 3)
    assert Random(WORLD.setting).select(observation).pairs.tolist() == [0, 2]


def test_random_refuses_another_draw():
    """The choices are named."""
    with pytest.raises(InvalidSettingError, match="pair, edge"):
        Random(WORLD.setting, draw="client")


@pytest.mark.parametrize("objective", ["sum", "sqrt"])
def test_cardinality_takes_as_many_as_fit(objective):
    """Its sets are as large as any, under both objectives."""
    policy = Cardinality(replace(WORLD.setting, objective=objective), solve=enumerate_best)
    for t in range(1, 51):
        observation, _ = WORLD.round(t)
        most = enumerate_best(SelectionProblem.of(observation, np.ones(len(observation.client)))).value
        assert len(policy.select(observation).pairs) == most


@pytest.mark.parametrize("make", [Random, lambda s, seed: Cardinality(s, solve=enumerate_best, seed=seed)])
def test_lots_are_drawn_by_seed_and_round(make):
    """One seed draws the same twice; another seed, and another round of the same pairs, draw differently."""
    observation, _ = SyntheticWorld(budget=5).round(1)
    rounds = [replace(observation, round=t) for t in range(1, 20)]
    first, again, other = ([make(WORLD.setting, seed=s).select(o).pairs.tolist() for o in rounds] for s in (0, 0, 1))
    assert first == again
    assert first != other
    assert len({tuple(pairs) for pairs in first}) > 5
