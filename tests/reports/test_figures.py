import numpy as np
import polars as pl
import pytest

from cocs.experiments.compare import compare
from cocs.experiments.summary import student_t
from cocs.reports.figures import curves, draw_comparison, running_sum, trailing_mean
from cocs.simulation import Records


@pytest.fixture(scope="module")
def records():
    return compare(policies=["clairvoyant", "cocs", "random"], settings={"n_clients": 6}, seeds=range(3), rounds=60)


def test_each_figure_is_drawn_twice(records, tmp_path):
    paths = draw_comparison(records, tmp_path)
    assert [path.name for path in paths] == [
        f"{figure}.{ending}" for figure in ("utility", "regret", "arrivals") for ending in ("svg", "png")
    ]
    assert all(path.stat().st_size > 5_000 for path in paths)


def test_the_same_records_give_the_same_files(records, tmp_path):
    first, second = ([path.read_bytes() for path in _drawn(records, tmp_path / name)] for name in ("a", "b"))
    assert first == second


def test_a_single_round_of_a_single_seed_can_be_drawn(records, tmp_path):
    tables = (table.filter((pl.col("seed") == 0) & (pl.col("round") == 1)) for table in records.tables().values())
    assert len(_drawn(Records(*tables), tmp_path / "one")) == 6


def test_a_figure_without_a_line_is_left_out(records, tmp_path):
    """Clairvoyant alone has no regret in expectation, nor is there a floor where nobody knows E[p | context]."""
    rounds = records.rounds.filter(pl.col("policy") == "clairvoyant")
    known = Records(rounds, records.edges, records.decisions)
    unknown = Records(rounds.with_columns(regret_context=pl.lit(None, pl.Float64)), records.edges, records.decisions)
    assert len(_drawn(known, tmp_path / "floor")) == 6
    assert len(_drawn(unknown, tmp_path / "nothing")) == 4


def test_many_policies_of_several_worlds_can_be_told_apart(records, tmp_path):
    other = compare(policies=["random"], settings={"n_clients": 7}, seeds=range(3), rounds=60)
    _drawn(Records.concat([records, other]), tmp_path / "two")


def test_a_curve_is_the_mean_with_its_interval(records):
    line = curves(records.rounds, "policy", "utility", running_sum)["random"]
    by_seed = (
        records.rounds.filter(pl.col("policy") == "random").group_by("seed").agg(pl.col("utility").sum())["utility"]
    )
    assert line.round.tolist() == list(range(1, 61))
    assert line.mean[-1] == pytest.approx(by_seed.mean())
    assert line.band[-1] == pytest.approx(student_t(2) * by_seed.std() / np.sqrt(3))


def test_the_trailing_mean_begins_with_what_there_is():
    value = np.array([[1.0, 3.0, 5.0, 7.0, 9.0]])
    assert trailing_mean(value, 2).tolist() == [[1.0, 2.0, 4.0, 6.0, 8.0]]
    assert trailing_mean(value, 1).tolist() == value.tolist()
    assert trailing_mean(value, 99).tolist() == [[1.0, 2.0, 3.0, 4.0, 5.0]]


def _drawn(records, folder):
    folder.mkdir()
    return draw_comparison(records, folder)
