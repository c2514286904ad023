import json
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from cocs.cli.app import app
from cocs.cli.compare import _seeds
from cocs.experiments import compare as experiment
from cocs.registry import split_policies

SMALL = ["--set", "n_clients=6", "--rounds", "4", "--seeds", "2"]
FILES = {f"{figure}.{ending}" for figure in ("utility", "regret", "arrivals") for ending in ("svg", "png")} | {
    f"{table}.parquet" for table in ("rounds", "edges", "decisions")
}


def invoke(*arguments, width=80):
    return CliRunner().invoke(app, ["compare", *arguments], env={"COLUMNS": str(width)})


def test_a_comparison_prints_its_table_and_names_what_it_wrote(tmp_path):
    result = invoke(*SMALL, "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    for policy in split_policies(experiment.DEFAULT_POLICIES):
        assert policy[:14] in result.stdout
    assert {path.name for path in tmp_path.iterdir()} == FILES
    flat = " ".join(result.stdout.split())
    assert all(name in flat for name in FILES)
    assert str(tmp_path) in "".join(result.stdout.split())
    assert max(map(len, result.stdout.splitlines()[:-1])) <= 80


def test_settings_seeds_and_policies_reach_the_records(tmp_path):
    policies = "random,cocs:sharing=all,scale=0.1"
    settings = ("--set", "deadline_s=[3,4,5]", "--set", "n_clients=6")
    result = invoke("--policies", policies, *settings, "--rounds", "2", "--seeds", "5,9", "--out", str(tmp_path))
    assert result.exit_code == 0, result.output
    rounds = pl.read_parquet(tmp_path / "rounds.parquet")
    assert rounds["seed"].unique().sort().to_list() == [5, 9]
    assert rounds["policy"].unique().sort().to_list() == ["cocs:sharing=all,scale=0.1", "random"]
    assert rounds["job"][0] == "paper-mnist:n_clients=6,deadline_s=[3,4,5]/random"


def test_json_is_all_that_a_script_finds_on_standard_output(tmp_path):
    result = invoke("--policies", "random", *SMALL, "--json", "--out", str(tmp_path))
    (row,) = json.loads(result.stdout)
    assert (row["policy"], row["seeds"], row["rounds"]) == ("random", 2, 4)
    assert "Wrote" in result.stderr


def test_the_default_folder_is_below_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert invoke("--policies", "random", *SMALL).exit_code == 0
    assert Path("runs/compare/regret.svg").is_file()


def test_a_stopped_comparison_shows_what_it_has(tmp_path, monkeypatch):
    original, played = experiment.make_world, []

    def stopping(*arguments, **options):
        played.append(options["seed"])
        if len(played) == 3:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    monkeypatch.setattr(experiment, "make_world", stopping)
    result = invoke("--policies", "random", "--set", "n_clients=6", "--rounds", "2", "--out", str(tmp_path))
    assert result.exit_code == 130
    assert "2 seeds" in result.stdout
    assert result.stderr == "cocs: stopped: 2 of 10 seeds complete\n"
    assert {path.name for path in tmp_path.iterdir()} == FILES


@pytest.mark.parametrize(
    ("text", "seeds"), [("10", range(10)), ("5,7,9", [5, 7, 9]), ("5,", [5]), (" 3 ", range(3)), ("1, 2", [1, 2])]
)
def test_seeds_are_a_number_or_a_list(text, seeds):
    assert _seeds(text) == seeds
