import dataclasses

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from cocs.errors import CocsError, InvalidFileError, InvalidInputError, InvalidSettingError, UnknownNameError
from cocs.experiments.compare import Interrupted, compare
from cocs.network import PRESETS
from cocs.registry import make_policy, make_world
from cocs.simulation import simulate

SMALL = {"n_clients": 8}


def test_every_policy_meets_every_seed_and_the_job_tells_the_settings():
    records = compare("paper-mnist", "random,cocs:sharing=all", settings=SMALL, seeds=[4, 2], rounds=3)
    assert records.rounds.height == 2 * 2 * 3
    assert records.rounds["seed"].unique(maintain_order=True).to_list() == [4, 2]
    assert records.rounds.select("job", "world", "policy").unique(maintain_order=True).rows() == [
        ("paper-mnist:n_clients=8/random", "paper-mnist", "random"),
        ("paper-mnist:n_clients=8/cocs:sharing=all", "paper-mnist", "cocs:sharing=all"),
    ]


def test_comparing_is_simulating_for_each_seed():
    records = compare(policies=["cocs"], settings=SMALL, seeds=[7], rounds=5)
    world = make_world("paper-mnist", seed=7, **SMALL)
    alone = simulate(world, {"cocs": make_policy("cocs", world, seed=7)}, rounds=5)
    for table in ("rounds", "edges", "decisions"):
        dropped = ["job", "world", "decide_s"]
        assert_frame_equal(
            getattr(records, table).drop(dropped, strict=False), getattr(alone, table).drop(dropped, strict=False)
        )


def test_adding_a_policy_changes_no_others_records():
    few = compare(policies=["cocs"], settings=SMALL, seeds=range(2), rounds=10)
    many = compare(policies=["random", "clairvoyant", "cocs"], settings=SMALL, seeds=range(2), rounds=10)
    for table in ("rounds", "edges", "decisions"):
        mine = getattr(many, table).filter(pl.col("policy") == "cocs")
        assert_frame_equal(
            mine.drop("decide_s", strict=False), getattr(few, table).drop("decide_s", strict=False), check_exact=True
        )


def test_no_policy_beats_the_oracle_and_oracles_have_no_regret_against_themselves():
    names = ["oracle", "oracle-context", "clairvoyant", "cardinality", "random"]
    rounds = compare(policies=names, settings=SMALL, seeds=range(2), rounds=40).rounds
    assert rounds["regret"].min() >= -1e-9
    assert rounds["regret_clairvoyant"].min() >= -1e-9
    for policy, column in zip(names, ("regret", "regret_context", "regret_clairvoyant"), strict=False):
        assert rounds.filter(pl.col("policy") == policy)[column].abs().max() < 1e-9


def test_worlds_with_other_settings_do_not_mix():
    jobs = {
        compare(policies=["random"], settings={"deadline_s": s}, seeds=[0], rounds=1).rounds["job"][0] for s in (4, 8)
    }
    assert jobs == {"paper-mnist:deadline_s=4/random", "paper-mnist:deadline_s=8/random"}
    own = dataclasses.replace(PRESETS["paper-mnist"], deadline_s=5)
    assert compare(own, ["random"], seeds=[0], rounds=1).rounds["job"][0] == "paper-mnist:deadline_s=5/random"


def test_tables_are_written_whole(tmp_path):
    out = tmp_path / "new" / "folder"
    records = compare(policies=["random"], settings=SMALL, seeds=[0], rounds=3, out=out)
    assert sorted(path.name for path in out.iterdir()) == ["decisions.parquet", "edges.parquet", "rounds.parquet"]
    for name, table in records.tables().items():
        assert_frame_equal(pl.read_parquet(out / f"{name}.parquet"), table)


def test_progress_counts_all_rounds():
    told = []
    compare(policies=["random"], settings=SMALL, seeds=range(2), rounds=3, progress=lambda *done: told.append(done))
    assert told == [(done, 6) for done in range(1, 7)]


def test_an_interruption_keeps_the_complete_seeds(tmp_path):
    def stop(done, total):
        if done == 8:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted, match="stopped: 2 of 5 seeds complete") as caught:
        compare(policies=["random"], settings=SMALL, seeds=range(5), rounds=3, out=tmp_path, progress=stop)
    kept = compare(policies=["random"], settings=SMALL, seeds=range(2), rounds=3)
    assert_frame_equal(caught.value.records.decisions, kept.decisions)
    assert_frame_equal(pl.read_parquet(tmp_path / "decisions.parquet"), kept.decisions)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"seeds": []}, InvalidSettingError, "at least one seed"),
        ({"seeds": range(0)}, InvalidSettingError, "at least one seed"),
        ({"seeds": [1, 1]}, InvalidSettingError, "differ"),
        ({"seeds": [-1]}, InvalidSettingError, "from 0"),
        ({"seeds": [2**62]}, InvalidSettingError, "to 2⁶²"),
        ({"seeds": range(10**30)}, InvalidSettingError, "to 2⁶²"),
        ({"seeds": [0.5]}, InvalidSettingError, "whole numbers"),
        ({"seeds": range(-1, 3)}, InvalidSettingError, "from 0"),
        ({"rounds": 0}, InvalidSettingError, "rounds = 0: must be a whole number, at least 1"),
        ({"rounds": -3}, InvalidSettingError, "rounds = -3"),
        ({"policies": []}, InvalidInputError, "at least one policy"),
        ({"policies": ["cocs:scale=1", "cocs:scale=1.0"]}, InvalidInputError, "stands twice"),
        ({"policies": [object()]}, InvalidInputError, "must be names, got a object"),
        ({"policies": ["coocs"]}, UnknownNameError, "did you mean 'cocs'"),
        ({"world": "paper"}, UnknownNameError, "unknown world 'paper'"),
        ({"settings": {"dedline_s": 3}}, UnknownNameError, "did you mean 'deadline_s'"),
        ({"settings": {"deadline_s": 0}}, InvalidSettingError, "deadline_s"),
    ],
)
def test_bad_input_is_one_sentence_and_writes_nothing(tmp_path, arguments, error, message):
    out = tmp_path / "out"
    with pytest.raises(error, match=message) as caught:
        compare(**{"policies": ["random"], "seeds": [0], "rounds": 1, "out": out, **arguments})
    assert isinstance(caught.value, CocsError)
    assert "\n" not in str(caught.value)
    assert not list(out.glob("*"))


def test_an_unwritable_folder_is_refused_before_the_first_round(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(InvalidFileError, match="is a file, must be a folder"):
        compare(policies=["random"], out=file)
    with pytest.raises(InvalidFileError, match="cannot be written"):
        compare(policies=["random"], out=file / "below")
    with pytest.raises(InvalidFileError, match="cannot be written"):
        compare(policies=["random"], out="/proc/nothing/here")
