"""`cocs solve` prints the best affordable pairs, or one line that says what to mend; never a traceback."""

import io
import json
import random
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from cocs.cli.app import app

EXAMPLES = Path(__file__).parents[2] / "examples"
PAIRS = (EXAMPLES / "pairs.csv").read_bytes()
BUDGETS = EXAMPLES / "budgets.csv"
BEST = 4.13  # of the example, by enumeration
COCS = [sys.executable, "-m", "cocs"]


def solve(*arguments, stdin=b""):
    """Run the command in this process; whatever comes out, it is no traceback."""
    result = CliRunner().invoke(app, ["solve", *map(str, arguments)], input=stdin)
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result


def assert_refused(result):
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith("cocs: ")
    assert result.stderr.count("\n") == 1
    assert result.stderr[:-1].isprintable()


def test_the_table_shows_the_pairs_and_what_each_edge_spends():
    result = solve(EXAMPLES / "pairs.csv", "--budgets", BUDGETS)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert f"value {BEST}, bound {BEST}, gap " in result.stdout
    assert "(optimal)" in result.stdout
    assert "6 of 12 pairs chosen" in result.stdout
    lines = [line.split() for line in result.stdout.splitlines()]
    assert ["ambulance-7", "harbour", "0.91", "1.4"] in lines
    assert ["harbour", "2.2", "2.5"] in lines
    assert "\x1b" not in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80


def test_json_says_the_same_with_every_digit():
    result = solve(EXAMPLES / "pairs.csv", "--budgets", BUDGETS, "--json")

    answer = json.loads(result.stdout)
    rows = {(row["client"], row["edge"]): row for row in pl.read_csv(PAIRS).to_dicts()}
    spent = {"harbour": 0.0, "old-town": 0.0, "station": 0.0}
    for pair in answer["pairs"]:
        assert pair == rows[pair["client"], pair["edge"]]
        spent[pair["edge"]] += pair["cost"]
    assert answer["value"] == pytest.approx(BEST) == answer["bound"]
    assert answer["gap"] == pytest.approx(0, abs=1e-9)
    assert answer["status"] == "optimal"
    assert [edge["edge"] for edge in answer["edges"]] == list(spent)
    assert [edge["spent"] for edge in answer["edges"]] == pytest.approx(list(spent.values()))
    assert [edge["budget"] for edge in answer["edges"]] == [2.5, 2.0, 1.5]


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_standard_input_takes_every_format(kind):
    frame, buffer = pl.read_csv(PAIRS), io.BytesIO()
    {"csv": frame.write_csv, "json": frame.write_json, "parquet": frame.write_parquet}[kind](buffer)

    result = solve("-", "--budgets", BUDGETS, "--json", stdin=buffer.getvalue())

    assert json.loads(result.stdout)["value"] == pytest.approx(BEST)


def test_the_budgets_may_come_from_standard_input():
    result = solve(EXAMPLES / "pairs.csv", "--budgets", "-", "--json", stdin=BUDGETS.read_bytes())

    assert json.loads(result.stdout)["value"] == pytest.approx(BEST)


def test_the_objective_the_solver_and_ties_are_options():
    plain = json.loads(solve("-", "--budget", 1.5, "--json", stdin=PAIRS).stdout)
    root = json.loads(solve("-", "--budget", 1.5, "--json", "--objective", "sqrt", stdin=PAIRS).stdout)
    assert root["value"] == pytest.approx((plain["value"] / 3) ** 0.5)
    greedy = json.loads(solve("-", "--budget", 1.5, "--json", "--solver", "density", stdin=PAIRS).stdout)
    assert greedy["value"] <= plain["value"] <= greedy["bound"] + 1e-9
    equal = b"client,edge,value,cost\n" + b"".join(b"c%d,e,1,1\n" % k for k in range(20))
    draws = {solve("-", "--budget", 5, "--json", "--tie-seed", seed, stdin=equal).stdout for seed in range(5)}
    assert len(draws) > 1


def test_without_pairs_there_is_nothing_to_choose_from():
    result = solve("-", "--budget", 1, stdin=b"client,edge,value,cost\n")
    assert (result.exit_code, result.stdout.strip()) == (0, "no pairs to choose from")
    answer = json.loads(solve("-", "--budget", 1, "--json", stdin=b"[]").stdout)
    assert (answer["value"], answer["gap"], answer["pairs"], answer["edges"]) == (0, 0, [], [])


def test_where_nothing_is_affordable_nothing_is_chosen():
    result = solve("-", "--budget", 0.1, stdin=PAIRS)

    assert "0 of 12 pairs chosen" in result.stdout
    assert result.exit_code == 0


def test_ids_cannot_garble_the_terminal_and_json_keeps_them():
    ids = ["\x1b[31mred\nline", "\u202egnp.exe", "x" * 10_000, "[bold]markup[/bold] :smile:", "ש", "東" * 99]
    rows = [{"client": x, "edge": f"{x}!", "value": 1, "cost": 1} for x in ids]
    stdin = json.dumps(rows).encode()

    shown = solve("-", "--budget", 1, stdin=stdin).stdout
    assert not {"\x1b", "\u202e"} & set(shown)
    assert max(map(len, shown.splitlines())) <= 80
    assert r"\x1b[31mred\nline" in shown
    assert "[bold]markup[/bold]" in shown
    exact = json.loads(solve("-", "--budget", 1, "--json", stdin=stdin).stdout)
    assert [pair["client"] for pair in exact["pairs"]] == ids


def test_a_long_answer_is_cut_in_the_table_and_whole_in_json():
    stdin = b"client,edge,value,cost\n" + b"".join(b"c%d,e,1,0\n" % k for k in range(1_200))

    assert "… and 200 more rows" in solve("-", "--budget", 1, stdin=stdin).stdout
    assert len(json.loads(solve("-", "--budget", 1, "--json", stdin=stdin).stdout)["pairs"]) == 1_200


@pytest.mark.parametrize(
    ("arguments", "stdin", "says"),
    [
        (["-"], PAIRS, "exactly one of the two"),
        (["-", "--budget", "1", "--budgets", BUDGETS], PAIRS, "exactly one of the two"),
        (["-", "--budgets", "-"], PAIRS, "only one of the two can be standard input"),
        (["-", "--budget", "-1"], PAIRS, "must be finite and at least 0"),
        (["-", "--budget", "nan"], PAIRS, "must be finite and at least 0"),
        (["-", "--budget", "much"], PAIRS, "--budget"),
        (["-", "--budget", "1", "--tie-seed", "-1"], PAIRS, "tie_seed"),
        (["-", "--budget", "1", "--tie-seed", "9" * 40], PAIRS, "tie_seed"),
        (["-", "--budget", "1", "--objective", "max"], PAIRS, "--objective"),
        (["-", "--budget", "1", "--solver", "exakt"], PAIRS, "did you mean 'exact'?"),
        (["-", "--bugdet", "1"], PAIRS, "--bugdet"),
        (["nowhere.csv", "--budget", "1"], b"", "nowhere.csv: there is no such file"),
        (["no\x1bwhere\n.csv", "--budget", "1"], b"", "there is no such file"),
        ([EXAMPLES, "--budget", "1"], b"", "is a folder"),
        (["-", "--budget", "1"], b"", "is empty"),
        (["-", "--budget", "1"], PAIRS + b"bus-12,station,1,1\n", "rows 4 and 13 are the same pair"),
        (["-", "--budgets", BUDGETS], PAIRS + b"bus-12,airport,1,1\n", "gives no budget for edge 'airport'"),
        (["-", "--budget", "1"], PAIRS + b"\x1b[31m,airport,-1,1\n", r"row 13 (client '\x1b[31m', edge 'airport')"),
        ([], b"", "FILE"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_2(arguments, stdin, says):
    result = solve(*arguments, stdin=stdin)

    assert_refused(result)
    assert says in result.stderr


NASTY = [b",", b'"', b"\n", b"\r", b"\0", b"\xff", b"-", b"nan", b"1e999", b"[", b"]", b"{", b"}", b":", b"null", b" "]


def mutate(text, rng):
    text = bytearray(text)
    if rng.random() < 0.15:
        del text[rng.randrange(len(text)) :]
    for _ in range(rng.choice([1, 1, 1, 2, 8])):
        place = rng.randrange(len(text) + 1)
        match rng.randrange(4):
            case 0:
                text[place:place] = rng.choice(NASTY)
            case 1:
                text[place : place + 1] = bytes([rng.randrange(256)])
            case 2:
                del text[place : place + rng.choice([1, 1, 5])]
            case 3:
                tokens = bytes(text).split(b",")
                a, b = rng.randrange(len(tokens)), rng.randrange(len(tokens))
                tokens[a], tokens[b] = tokens[b], tokens[a]
                text = bytearray(b",".join(tokens))
    return bytes(text)


@pytest.mark.parametrize(("kind", "count"), [("csv", 1_000), ("json", 960), ("parquet", 40)])
def test_whatever_a_file_holds_the_answer_is_a_table_or_one_line(kind, count, tmp_path):
    rng = random.Random(f"solve {kind}")
    frame, buffer = pl.read_csv(PAIRS).head(6), io.BytesIO()
    {"csv": frame.write_csv, "json": frame.write_json, "parquet": frame.write_parquet}[kind](buffer)
    budgets = tmp_path / "budgets"
    refused = 0
    for _ in range(count):
        budgets.write_bytes(mutate(BUDGETS.read_bytes(), rng) if rng.random() < 0.2 else BUDGETS.read_bytes())
        stdin = mutate(buffer.getvalue(), rng)
        limit = ["--budgets", budgets] if rng.random() < 0.5 else ["--budget", "1.5"]
        result = solve("-", *limit, *rng.choice([[], ["--json"]]), stdin=stdin)
        if result.exit_code == 0:
            assert result.stderr == ""
            assert "NaN" not in result.stdout
            assert "\x1b" not in result.stdout
        else:
            assert_refused(result)
            refused += 1
    assert 0 < refused < count


def test_as_a_process_it_ends_as_it_does_in_here(tmp_path):
    good = subprocess.run([*COCS, "solve", "-", "--budget", "2"], input=PAIRS, capture_output=True, check=True)
    assert good.stderr == b""
    assert b"optimal" in good.stdout

    for content in (b"", PAIRS[:100], b"\x89PNG\0", b"PAR1" * 9, b"[" * 50_000):
        bad = subprocess.run([*COCS, "solve", "-", "--budget", "2"], input=content, capture_output=True, check=False)
        assert (bad.returncode, bad.stdout, bad.stderr.count(b"\n")) == (2, b"", 1)
        assert bad.stderr.startswith(b"cocs: ")


def test_a_reader_that_leaves_early_is_not_bad_input():
    stdin = b"client,edge,value,cost\n" + b"".join(b"c%d,e,1,0\n" % k for k in range(20_000))
    run = subprocess.Popen(
        [*COCS, "solve", "-", "--budget", "2", "--json"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    run.stdout.close()
    run.stdin.write(stdin)
    run.stdin.close()

    assert run.stderr.read() == b""
    run.stderr.close()
    assert run.wait(timeout=60) != 2


def test_a_terminal_without_unicode_still_gets_its_table():
    run = subprocess.run(
        [*COCS, "solve", "-", "--budget", "9"],
        input="client,edge,value,cost\nä東,é,1,1\n".encode(),
        env={"PYTHONIOENCODING": "ascii", "PATH": ""},
        capture_output=True,
        check=True,
    )

    assert b"1 of 1 pairs chosen" in run.stdout
    assert run.stdout.isascii()
