import math

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal
from toy import Scripted, ToyWorld, first_affordable, nobody

from cocs.core import Selection
from cocs.errors import InvalidInputError, InvalidSettingError, PolicyError
from cocs.simulation import simulate

NAMES, WHOLE, REAL = pl.String, pl.Int32, pl.Float64


def test_tables_have_the_published_columns_and_types():
    records = simulate(ToyWorld(), {"first": Scripted(first_affordable)}, rounds=2)
    who = {"job": NAMES, "policy": NAMES, "seed": pl.Int64, "round": WHOLE}
    counts = dict.fromkeys(("selected", "arrived"), WHOLE)
    regrets = dict.fromkeys(("regret", "regret_context", "regret_clairvoyant"), REAL)
    assert list(records.rounds.schema.items()) == list(
        ({"job": NAMES, "world": NAMES} | who | {"phase": NAMES} | counts).items()
    ) + list(({"expected_arrivals": REAL, "utility": REAL} | regrets).items()) + [
        ("spent", REAL),
        ("duration_s", REAL),
        ("decide_s", REAL),
    ]
    assert list(records.edges.schema.items()) == list(
        (who | {"edge": WHOLE} | counts | {"aggregated": WHOLE, "spent": REAL, "duration_s": REAL}).items()
    )
    flags = dict.fromkeys(("arrived", "aggregated"), pl.Boolean)
    assert list(records.decisions.schema.items()) == list(
        (who | {"client": WHOLE, "edge": WHOLE, "cost": REAL} | flags | {"latency_s": REAL}).items()
    )
    assert records.rounds.select("job", "world", "policy", "seed", "phase").unique().rows() == [
        ("first", "ToyWorld", "first", 0, "toy")
    ]
    assert records.accuracy is None


def test_numbers_of_a_round_are_those_of_its_truth():
    world = ToyWorld(seed=3)
    records = simulate(world, {"first": Scripted(first_affordable)}, rounds=20, start=5)
    assert records.rounds["round"].to_list() == list(range(5, 25))
    for row in records.rounds.iter_rows(named=True):
        observation, truth = world.round(row["round"])
        pairs = first_affordable(observation).pairs
        assert row["selected"] == 2
        assert row["arrived"] == row["utility"] == truth.arrived[pairs].sum()
        assert row["expected_arrivals"] == pytest.approx(truth.probability[pairs].sum())
        assert row["spent"] == pytest.approx(observation.cost[pairs].sum())
        assert row["regret"] >= -1e-9
        assert row["regret_clairvoyant"] >= -1e-9
        assert row["regret_context"] == pytest.approx(row["regret"])  # here the context is p itself
        mine = records.decisions.filter(pl.col("round") == row["round"])
        assert mine["client"].to_list() == observation.client[pairs].tolist()
        assert mine["latency_s"].to_list() == truth.latency_s[pairs].tolist()
        edges = records.edges.filter(pl.col("round") == row["round"])
        assert edges["edge"].to_list() == [0, 1]
        assert edges["duration_s"].max() == row["duration_s"]
        assert edges["aggregated"].sum() == mine["aggregated"].sum()


def test_square_root_objective_is_recorded_in_its_unit():
    world = ToyWorld(objective="sqrt")
    rounds = simulate(world, {"first": Scripted(first_affordable)}, rounds=30).rounds
    for row in rounds.iter_rows(named=True):
        _, truth = world.round(row["round"])
        assert row["utility"] == math.sqrt(row["arrived"] / 2)
        best = sorted(np.sqrt(row["expected_arrivals"] / 2) + np.array([row["regret"], row["regret_context"]]))
        assert best[0] == pytest.approx(best[1])
        assert best[1] <= math.sqrt(truth.probability.sum() / 2)


def test_what_nobody_knows_is_null():
    rounds = simulate(ToyWorld(knows_context=False), {"first": Scripted(first_affordable)}, rounds=3).rounds
    assert rounds["regret_context"].to_list() == [None] * 3


def test_choosing_nobody_takes_no_time_and_has_full_regret():
    records = simulate(ToyWorld(), {"nobody": Scripted(nobody)}, rounds=3)
    assert records.rounds.select("selected", "spent", "duration_s", "utility").unique().rows() == [(0, 0.0, 0.0, 0.0)]
    assert (records.rounds["regret"] > 0).all()
    assert records.decisions.is_empty()


def test_a_policy_learns_what_arrived_and_no_more():
    world, policy = ToyWorld(), Scripted(first_affordable)
    simulate(world, {"first": policy}, rounds=20)
    for t, selection, feedback in policy.told:
        _, truth = world.round(t)
        assert feedback.arrived.tolist() == truth.arrived[selection.pairs].tolist()
        assert (np.isnan(feedback.latency_s) == ~feedback.arrived).all()


def test_adding_a_policy_changes_no_others_records():
    """Everything but the wall clock is paired."""
    world = ToyWorld(seed=1)
    alone = simulate(world, {"first": Scripted(first_affordable)}, rounds=50)
    beside = simulate(world, {"nobody": Scripted(nobody), "first": Scripted(first_affordable)}, rounds=50)
    for table in ("rounds", "edges", "decisions"):
        mine = getattr(beside, table).filter(pl.col("policy") == "first")
        assert_frame_equal(
            mine.drop("decide_s", strict=False), getattr(alone, table).drop("decide_s", strict=False), check_exact=True
        )


def test_many_rounds_outgrow_the_first_buffers():
    records = simulate(ToyWorld(n_clients=3), {"first": Scripted(first_affordable)}, rounds=40)
    assert records.edges.height == 80
    assert records.edges["round"].to_list() == [t for t in range(1, 41) for _ in range(2)]


def over_budget(observation):
    return Selection(np.arange(0, len(observation.client), 2), "greedy")


@pytest.mark.parametrize(
    ("choose", "rule"),
    [
        (over_budget, "spends"),
        (lambda _: Selection(np.array([3, 0])), "sorted and unique"),
        (lambda _: Selection(np.array([0, 1])), "client 0 is chosen at more than one edge"),
        (lambda _: Selection(np.array([99])), "row 99 is not among the 12 candidate pairs"),
        (lambda _: Selection(np.array([math.nan])), "whole numbers"),
        (lambda _: [0, 1], "select returned a list, must return a Selection"),
        (lambda _: None, "NoneType"),
        (lambda _: 1 / 0, "select raised ZeroDivisionError: division by zero .*test_loop.py, line"),
    ],
)
def test_a_broken_rule_names_policy_round_and_rule(choose, rule):
    later = Scripted(lambda observation: nobody(observation) if observation.round < 3 else choose(observation))
    with pytest.raises(PolicyError, match=rule) as caught:
        simulate(ToyWorld(), {"mine": later}, rounds=5)
    assert (caught.value.policy, caught.value.round) == ("mine", 3)


def test_a_failing_update_is_the_policys_too():
    policy = Scripted(first_affordable)
    policy.update = lambda *_: [][0]
    with pytest.raises(PolicyError, match="update raised IndexError"):
        simulate(ToyWorld(), {"mine": policy}, rounds=1)


@pytest.mark.parametrize("rounds", [0, -3, 2.5, True])
def test_rounds_must_be_a_whole_number(rounds):
    with pytest.raises(InvalidSettingError, match="rounds = "):
        simulate(ToyWorld(), {"mine": Scripted(nobody)}, rounds=rounds)


def test_somebody_must_play():
    with pytest.raises(InvalidInputError, match="at least one policy"):
        simulate(ToyWorld(), {}, rounds=1)
