import math

import polars as pl
import pytest

from cocs.experiments.summary import student_t, summarise, with_expected_utility
from cocs.simulation import Records


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [
        (1, 12.7062),
        (2, 4.3027),
        (3, 3.1824),
        (4, 2.7764),
        (5, 2.5706),
        (9, 2.2622),
        (19, 2.0930),
        (30, 2.0423),
        (120, 1.9799),
    ],
)
def test_students_t_is_the_one_in_the_tables(freedom, quantile):
    assert student_t(freedom) == pytest.approx(quantile, abs=6e-5)


def test_students_t_of_one_sample_is_unknown_and_of_many_normal():
    assert math.isnan(student_t(0))
    assert student_t(100_000) == pytest.approx(1.959964, abs=1e-4)
    assert student_t(7, level=0.99) == pytest.approx(3.4995, abs=1e-4)


def records(policy="random", sqrt=False, context=True):
    """Two seeds of two rounds; oracle attains 4 expected arrivals in each, clairvoyant 5."""
    expected, arrived = [3.0, 3.0, 2.0, 2.0], [4, 3, 1, 2]
    unit = (lambda x: math.sqrt(x / 2)) if sqrt else (lambda x: x)
    rounds = pl.DataFrame(
        {
            "job": [f"toy/{policy}"] * 4,
            "world": ["toy"] * 4,
            "policy": [policy] * 4,
            "seed": [0, 0, 1, 1],
            "round": [1, 2, 1, 2],
            "selected": [5] * 4,
            "arrived": arrived,
            "expected_arrivals": expected,
            "utility": [float(unit(x)) for x in arrived],
            "regret": [unit(4.0) - unit(x) for x in expected],
            "regret_context": [unit(4.0) - unit(x) if context else None for x in expected],
            "regret_clairvoyant": [unit(5.0) - unit(x) for x in arrived],
            "spent": [1.0, 2.0, 3.0, 4.0],
            "decide_s": [1e-6, 2e-6, 3e-6, 10.0],
        },
        schema_overrides={"regret_context": pl.Float64},
    )
    edges = pl.DataFrame({"job": [f"toy/{policy}"] * 2, "edge": [0, 1]})
    return Records(rounds, edges, pl.DataFrame())


def test_means_intervals_and_regrets_are_over_seeds():
    row = summarise(records()).row(0, named=True)
    assert (row["seeds"], row["rounds"], row["policy"]) == (2, 2, "random")
    assert row["utility"] == row["arrived"] == pytest.approx(2.5)  # seeds: 3.5 and 1.5
    assert row["utility_ci"] == pytest.approx(student_t(1) * math.sqrt(2) / math.sqrt(2))
    assert row["spent"] == pytest.approx(2.5)
    assert row["regret"] == pytest.approx((25 + 50) / 2)  # seeds lose 2 of 8 and 4 of 8
    assert row["regret_ci"] == pytest.approx(student_t(1) * 12.5)
    assert row["regret_clairvoyant"] == pytest.approx((30 + 70) / 2)
    assert row["decide_us"] == pytest.approx(2.5)


def test_the_square_root_is_undone_where_it_was_taken():
    expected = with_expected_utility(records(sqrt=True))["expected_utility"]
    assert expected.to_list() == pytest.approx([math.sqrt(1.5)] * 2 + [1.0] * 2)
    row = summarise(records(sqrt=True)).row(0, named=True)
    lost = [1 - math.sqrt(1.5 / 2), 1 - math.sqrt(1 / 2)]
    assert row["regret"] == pytest.approx(100 * sum(lost) / 2)


def test_what_cannot_be_said_is_null():
    unknown = summarise(records(context=False)).row(0, named=True)
    assert (unknown["regret_context"], unknown["regret_context_ci"]) == (None, None)
    knows = summarise(records("clairvoyant:solver=density")).row(0, named=True)
    assert (knows["regret"], knows["regret_context"]) == (None, None)
    assert knows["regret_clairvoyant"] is not None
    one_seed = records()
    one_seed = Records(one_seed.rounds.head(2), one_seed.edges, one_seed.decisions)
    assert summarise(one_seed).row(0, named=True)["utility_ci"] is None
