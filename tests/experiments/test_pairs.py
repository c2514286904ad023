"""A file of pairs becomes the problem it describes, or one sentence that says what is wrong with it."""

import csv
import io
import json
from contextlib import suppress
from unittest.mock import Mock

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cocs.errors import InvalidFileError, InvalidInputError, InvalidSettingError
from cocs.experiments.pairs import read_pairs
from cocs.experiments.rows import parquet

HEADER = "client,edge,value,cost\n"
ROWS = {
    "client": ["ann", "ann", "01", "1"],
    "edge": ["south", "north", "north", "south"],
    "value": [0.9, 0.1, 1e-300, 3.0],
    "cost": [1.0, 0.0, 2.5, 7.0],
}
BUDGETS = "edge,budget\nnorth,2\nsouth,0.5\n"


def as_bytes(kind, rows):
    frame, buffer = pl.DataFrame(rows), io.BytesIO()
    {"csv": frame.write_csv, "json": frame.write_json, "parquet": frame.write_parquet}[kind](buffer)
    return buffer.getvalue()


def stream(content):
    return io.BytesIO(content if isinstance(content, bytes) else content.encode())


def refusal(content, **budget):
    with pytest.raises(InvalidFileError) as caught:
        read_pairs(stream(content), **(budget or {"budget": 1.0}))
    return caught.value.rule


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
@pytest.mark.parametrize("suffixed", [True, False])
def test_every_format_gives_the_same_problem(kind, suffixed, tmp_path):
    path = tmp_path / (f"pairs.{kind}" if suffixed else "pairs")
    path.write_bytes(as_bytes(kind, ROWS))

    problem, clients, edges = read_pairs(path, budget=2.0, objective="sqrt", tie_seed=4)

    assert clients == ("ann", "01", "1")
    assert edges == ("south", "north")
    assert problem.client.tolist() == [0, 0, 1, 2]
    assert problem.edge.tolist() == [0, 1, 1, 0]
    assert problem.value.tolist() == ROWS["value"]
    assert problem.cost.tolist() == ROWS["cost"]
    assert problem.budget.tolist() == [2.0, 2.0]
    assert (problem.n_clients, problem.objective, problem.tie_seed) == (3, "sqrt", 4)


@pytest.mark.parametrize("kind", ["csv", "json", "parquet"])
def test_budgets_go_to_the_edges_they_name_in_any_order(kind):
    budgets = as_bytes(kind, {"edge": ["north", "south"], "note": ["", "x"], "budget": [2, 0]})

    problem, _, edges = read_pairs(stream(as_bytes("csv", ROWS)), budgets=stream(budgets))

    assert dict(zip(edges, problem.budget.tolist(), strict=True)) == {"north": 2.0, "south": 0.0}


def test_without_pairs_the_problem_is_empty_but_good():
    for nothing in (HEADER, HEADER.strip(), "[]", as_bytes("parquet", pl.DataFrame(ROWS).head(0))):
        assert len(read_pairs(stream(nothing), budget=1.0).problem.client) == 0
        problem, clients, edges = read_pairs(stream(nothing), budgets=stream(BUDGETS))
        assert (len(problem.value), clients, edges) == (0, (), ("north", "south"))


@given(
    ids=st.lists(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1), unique=True),
    numbers=st.lists(st.floats(0, 1e300), min_size=1),
    quoting=st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
    unix=st.booleans(),
)
def test_whatever_a_csv_or_json_writer_writes_is_read_back_exactly(ids, numbers, quoting, unix):
    rows = [(x, f"e{k % 2}", numbers[k % len(numbers)], 1.0) for k, x in enumerate(ids)]
    names = ["client", "edge", "value", "cost"]
    written = io.StringIO()
    csv.writer(written, quoting=quoting).writerows([names, *rows])
    table = written.getvalue()
    if unix and not any("\r" in x for x in ids):
        table = table.replace("\r\n", "\n")
    for text in (table, json.dumps([dict(zip(names, row, strict=True)) for row in rows])):
        problem, clients, _ = read_pairs(stream(text), budget=1.0)
        assert clients == tuple(ids)
        assert problem.value.tolist() == [row[2] for row in rows]


def test_a_csv_may_have_a_bom_crlf_blank_lines_quotes_and_other_columns():
    text = '\r\ncost,note,"edge",client,value\r\n1, ,"a ""b"", c",x\ty, 2 \r\n\r\n3,"two\nlines",n, x,4.\r\n,,,,\r\n'
    text = text.replace(",,,,\r\n", "\r\n\r\n")

    problem, clients, edges = read_pairs(stream(b"\xef\xbb\xbf" + text.encode()), budget=1.0)

    assert clients == ("x\ty", " x")
    assert edges == ('a "b", c', "n")
    assert problem.value.tolist() == [2.0, 4.0]
    assert problem.cost.tolist() == [1.0, 3.0]


def test_json_ids_keep_the_way_they_are_written():
    rows = [
        '{"client": 1.50, "edge": 7, "value": "0.5", "cost": 1e-1}',
        '{"client": "x", "edge": "7", "value": 1, "cost": 0}',
    ]

    problem, clients, edges = read_pairs(stream(f"[{','.join(rows)}]"), budget=1.0)

    assert (clients, edges) == (("1.50", "x"), ("7",))
    assert problem.value.tolist() == [0.5, 1.0]


def test_parquet_ids_may_be_words_numbers_or_categories():
    rows = pl.DataFrame(ROWS).with_columns(
        client=pl.Series([1, 2, 3, 3], dtype=pl.UInt8),
        edge=pl.col("edge").cast(pl.Categorical),
        value=pl.Series(["1.5", "2", "3", "4"]).cast(pl.Decimal(10, 2)),
        cost=pl.Series([1, 2, 3, 4], dtype=pl.Float32),
    )

    problem, clients, edges = read_pairs(stream(as_bytes("parquet", rows)), budget=1.0)

    assert (clients, edges) == (("1", "2", "3"), ("south", "north"))
    assert problem.value.tolist() == [1.5, 2.0, 3.0, 4.0]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "is empty"),
        ("\ufeff \n", "is empty"),
        ("\x89PNG\0\0", "not text in UTF-8"),
        (HEADER.encode("utf-16"), "not text in UTF-8"),
        (HEADER.encode() + b"a,\xff,1,1\n", "line 2 has the byte 0xff"),
        ("client,edge,value,costs\na,b,1,1\n", "no column 'cost'; did you mean 'costs'?"),
        ("Client,edge,value,cost\n", "no column 'client'; did you mean 'Client'?"),
        ("client,edge,value\n", "no column 'cost': it has 'client', 'edge', 'value'"),
        ("client;edge;value;cost\n", "separated by commas"),
        ("client,edge,value,cost,value\n", "2 columns named 'value'"),
        ("client,edge\rvalue,cost\n", "line 1 has a carriage return alone"),
        (HEADER + "a,b,1,1\na,c,1\n", "row 2 has 3 fields, the header has 4"),
        (HEADER + "a,b,1,1\n\na,c,1,2,3\n", "row 2 has 5 fields, the header has 4"),
        (HEADER + 'a,b,1,1\na,"c,1,2\n', "line 3 has a stray quote"),
        (HEADER + 'a,b"c,1,1\n', "line 2 has a stray quote"),
        (HEADER + "a,b,1,1\n,b,1,1\n", "row 2 (edge 'b'): client is missing"),
        (HEADER + 'a,"",1,1\n', "row 1 (client 'a'): edge is missing"),
        (HEADER + "a,b,,1\n", "row 1 (client 'a', edge 'b'): value is missing"),
        (HEADER + "a,b,high,1\n", "row 1 (client 'a', edge 'b'): value 'high' is not a number"),
        (HEADER + "a,b,1_000,1\n", "value '1_000' is not a number"),
        (HEADER + "a,b,NaN,1\n", "value is NaN, must be finite and at least 0"),
        (HEADER + "a,b,1,-1e-9\n", "cost is -1e-9, must be finite and at least 0"),
        (HEADER + "a,b,1,inf\n", "cost is inf, must be finite and at least 0"),
        (HEADER + "a,b,1e400,1\n", "value is 1e400, must be finite and at least 0"),
        (HEADER + "a,b,1e308,1\nc,b,1e308,1\n", "column 'value' adds up to more than"),
        (
            HEADER + "x,b,1,1\na,b,1,1\nc,b,1,1\na,b,2,2\nx,b,1,1\n",
            "rows 2 and 4 are the same pair: client 'a'",
        ),
        ("{}", "must be a list of row objects"),
        ("[1]", "row 1 must be an object with the keys client, edge, value, cost"),
        ("[" * 100_000, "nested too deeply"),
        ('[{"client": "a", "edge": "b", "value": 1, "co', "not valid JSON, or cut off"),
        ('[{"client": "a", "edge": "b", "value": 1, "costs": 1}]', "no column 'cost'; did you mean 'costs'?"),
        ('[{"client": "a", "edge": "b", "value": NaN, "cost": 1}]', "row 1 (client 'a', edge 'b'): value is nan"),
        ('[{"client": null, "edge": "b", "value": 1, "cost": 1}]', "row 1 (edge 'b'): client is missing"),
        ('[{"client": NaN, "edge": "b", "value": 1, "cost": 1}]', "client must be text or a number, got NaN"),
        ('[{"client": "a", "edge": true, "value": 1, "cost": 1}]', "edge must be text or a number, got true"),
        ('[{"client": "a", "edge": "b", "value": [1], "cost": 1}]', "value must be a number, got a list"),
        ('[{"client": "a", "edge": "b", "value": 1, "cost": 1, "cost": 2}]', "the key 'cost' twice"),
        ('[{"client": "\\ud800", "edge": "b", "value": 1, "cost": 1}]', "half a character"),
        ('[{"client": "a", "edge": "b", "value": ' + "9" * 5_000 + ', "cost": 1}]', "must be finite"),
        (b'[{"client": "\xff"}]', "not text in UTF-8"),
        ("PAR1", "not a readable Parquet file"),
        ("PAR1" + "?" * 99 + "PAR1", "not a readable Parquet file"),
        (as_bytes("parquet", ROWS)[:-20], "not a readable Parquet file"),
        (as_bytes("parquet", ROWS | {"value": [True] * 4}), "column 'value' must hold numbers, not Boolean"),
        (as_bytes("parquet", ROWS | {"edge": [[1]] * 4}), "column 'edge' must hold text or numbers, not List(Int64)"),
        (as_bytes("parquet", ROWS | {"client": [1.0, None, 2.0, 3.0]}), "row 2 (edge 'north'): client is missing"),
        (as_bytes("parquet", pl.DataFrame(ROWS).rename({"cost": "price"})), "no column 'cost'"),
    ],
)
def test_bad_pairs_are_one_sentence_that_says_where(content, says):
    rule = refusal(content)

    assert says in rule
    assert rule.isprintable()


@pytest.mark.parametrize(
    ("budgets", "says"),
    [
        ("edge,budget\nnorth,1\n", "gives no budget for edge 'south'"),
        (BUDGETS + "suoth,3\n", "row 3: no pair has the edge 'suoth'; did you mean 'south'?"),
        (BUDGETS + "xyz,3\n", "row 3: no pair has the edge 'xyz': they name 'south'"),
        (BUDGETS + "north,3\n", "rows 1 and 3 both give the budget of edge 'north'"),
        ("edge,budget\nnorth,-1\nsouth,1\n", "row 1 (edge 'north'): budget is -1, must be finite and at least 0"),
        ("edge,budget\nnorth,1\nsouth,nan\n", "row 2 (edge 'south'): budget is nan"),
        ("edge,price\nnorth,1\n", "no column 'budget'"),
        ("", "is empty; it must have the columns edge, budget"),
    ],
)
def test_bad_budgets_are_one_sentence_that_says_where(budgets, says):
    assert says in refusal(as_bytes("csv", ROWS), budgets=stream(budgets))


def test_what_is_asked_for_in_another_way_is_refused():
    for budget in ({}, {"budget": 1.0, "budgets": "budgets.csv"}):
        with pytest.raises(InvalidInputError, match="exactly one of the two"):
            read_pairs(stream(HEADER), **budget)
    with pytest.raises(InvalidInputError, match="binary stream"):
        read_pairs(io.StringIO(HEADER), budget=1.0)
    for number in (-1.0, float("nan"), float("inf")):
        with pytest.raises(InvalidSettingError, match="finite and at least 0"):
            read_pairs(stream(HEADER), budget=number)


def test_what_cannot_be_opened_is_named(tmp_path, monkeypatch):
    with pytest.raises(InvalidFileError, match=r"nowhere\.csv: there is no such file"):
        read_pairs(tmp_path / "nowhere.csv", budget=1.0)
    with pytest.raises(InvalidFileError, match="is a folder"):
        read_pairs(tmp_path, budget=1.0)
    with pytest.raises(InvalidFileError, match="is a device"):
        read_pairs("/dev/zero", budget=1.0)
    with pytest.raises(InvalidFileError, match="cannot be read"):
        read_pairs("x" * 10_000, budget=1.0)
    (tmp_path / "secret.csv").write_text(HEADER)
    monkeypatch.setattr("pathlib.Path.read_bytes", Mock(side_effect=PermissionError(13, "Permission denied")))
    with pytest.raises(InvalidFileError, match=r"secret\.csv: cannot be read \(Permission denied\)"):
        read_pairs(tmp_path / "secret.csv", budget=1.0)


def test_a_damaged_parquet_file_is_refused_in_silence(capfd):
    good = as_bytes("parquet", ROWS)
    rng = np.random.default_rng(0)
    for _ in range(8):
        damaged = bytearray(good)
        for place in rng.integers(4, len(good) - 8, 3):
            damaged[place] = rng.integers(256)
        with suppress(InvalidFileError):
            read_pairs(stream(bytes(damaged)), budget=1.0)

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "fate",
    [
        "print('thread panicked', file=sys.stderr); os.abort()",
        "print('[]'); sys.exit(1)",
        "sys.exit(0)",
        "time.sleep(60)",
    ],
)
def test_a_parquet_reader_that_dies_or_hangs_takes_nobody_along(fate, tmp_path, monkeypatch, capfd):
    """polars panics on some damaged files, and on others asks for 2 EB of memory, which ends its process."""
    child = tmp_path / "child.py"
    child.write_text(f"import os, sys, time\nsys.stdin.buffer.read()\n{fate}\n")
    monkeypatch.setattr(parquet, "CHILD", child)
    monkeypatch.setattr(parquet, "PATIENCE_S", 0.5)

    assert "not a readable Parquet file" in refusal(as_bytes("parquet", ROWS))
    assert capfd.readouterr() == ("", "")


def test_a_long_table_with_many_names_keeps_its_order():
    n = 50_000
    client = np.random.default_rng(1).permutation(n)
    rows = pl.DataFrame({"client": client, "edge": client % 700, "value": client / 7, "cost": client * 1.5})

    problem, clients, edges = read_pairs(stream(as_bytes("csv", rows)), budget=1.0)

    assert np.array_equal(np.array(clients, dtype=np.int64)[problem.client], client)
    assert np.array_equal(np.array(edges, dtype=np.int64)[problem.edge], client % 700)
    assert np.array_equal(problem.value, client / 7)
