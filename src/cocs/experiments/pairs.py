"""An operator's own round: a file of candidate pairs → the selection problem, with everybody's names."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from cocs.core.arrays import FloatArray, IntArray
from cocs.core.problem import Objective, SelectionProblem
from cocs.errors import InvalidFileError, InvalidInputError, InvalidSettingError
from cocs.experiments.rows import Source, legible, read_rows
from cocs.experiments.rows.columns import nearest

if TYPE_CHECKING:
    import polars as pl


class NamedProblem(NamedTuple):
    """A problem, and the ids behind its numbers: the client of row k is `clients[problem.client[k]]`."""

    problem: SelectionProblem
    clients: tuple[str, ...]  # (n_clients,) in the order in which the file first names them
    edges: tuple[str, ...]  # (M,) likewise


def read_pairs(
    source: Source,
    *,
    budget: float | None = None,
    budgets: Source | None = None,
    objective: Objective = "sum",
    tie_seed: int | None = None,
) -> NamedProblem:
    """Return the selection problem of a file (or binary stream) with the columns client, edge, value, cost.

    CSV, a JSON list of row objects, or Parquet; row k of the file is pair k of the problem. Ids are kept as text,
    exactly: '01' and '1' are two clients. Give either one `budget` for each edge, or `budgets`: a file with the columns
    edge, budget, which must name the edges of the pairs, all of them and no others. A file with a header and no rows is
    a problem without pairs. Raises `InvalidFileError` with the row, counted from 1 without header and blank lines.
    """
    if (budget is None) == (budgets is None):
        raise InvalidInputError("budget, budgets", "give exactly one of the two: one budget for each edge, or a file")
    if budget is not None and not 0 <= budget < math.inf:
        raise InvalidSettingError("budget", budget, "must be finite and at least 0")
    name, rows = read_rows(source, ids=("client", "edge"), numbers=("value", "cost"))
    clients, client = _numbered(rows["client"])
    edges, edge = _numbered(rows["edge"])
    twice = _first_repeat(client * len(edges) + edge)
    if twice:
        pair = f"client '{legible(clients[client[twice[0]]])}', edge '{legible(edges[edge[twice[0]]])}'"
        raise InvalidFileError(name, f"rows {twice[0] + 1} and {twice[1] + 1} are the same pair: {pair}")
    columns = {column: rows[column].to_numpy() for column in ("value", "cost")}
    for column, numbers in columns.items():
        _check_total(name, column, numbers)
    if budgets is not None:
        edges, limit = _read_budgets(budgets, edges)
    else:
        limit = np.full(len(edges), budget, dtype=np.float64)
    problem = SelectionProblem(
        client, edge, columns["value"], columns["cost"], limit, len(clients), objective=objective, tie_seed=tie_seed
    )
    return NamedProblem(problem, clients, edges)


def _read_budgets(source: Source, edges: tuple[str, ...]) -> tuple[tuple[str, ...], FloatArray]:
    """Return the edges and the budget of each; where no pair names an edge, those of the file are the edges."""
    name, rows = read_rows(source, ids=("edge",), numbers=("budget",))
    named, code = _numbered(rows["edge"])
    twice = _first_repeat(code)
    if twice:
        edge = legible(named[code[twice[0]]])
        raise InvalidFileError(name, f"rows {twice[0] + 1} and {twice[1] + 1} both give the budget of edge '{edge}'")
    budget = dict(zip(named, rows["budget"].to_list(), strict=True))
    edges = edges or named
    known = set(edges)
    for row, edge in enumerate(named, 1):
        if edge not in known:
            near = nearest(edge, (x for x in edges if x not in budget)) or nearest(edge, edges)
            hint = f"; did you mean '{near}'?" if near else f": they name '{legible(edges[0])}', …"
            raise InvalidFileError(name, f"row {row}: no pair has the edge '{legible(edge)}'{hint}")
    for edge in edges:
        if edge not in budget:
            raise InvalidFileError(name, f"gives no budget for edge '{legible(edge)}', which the pairs name")
    return edges, np.array([budget[edge] for edge in edges], dtype=np.float64)


def _numbered(ids: pl.Series) -> tuple[tuple[str, ...], IntArray]:
    """Return the distinct ids in order of appearance, and each row's place among them."""
    import polars as pl

    names = ids.unique(maintain_order=True)
    return tuple(names), ids.cast(pl.Enum(names)).to_physical().cast(pl.Int64).to_numpy()


def _first_repeat(key: IntArray) -> tuple[int, int] | None:
    """Return the first row that stands twice and the row that repeats it."""
    order = np.argsort(key, kind="stable")
    again = order[1:][np.diff(key[order]) == 0]
    if len(again) == 0:
        return None
    second = int(again.min())
    return int(np.flatnonzero(key == key[second])[0]), second


def _check_total(name: str, column: str, numbers: FloatArray) -> None:
    with np.errstate(over="ignore"):
        if not np.isfinite(numbers.sum()):
            raise InvalidFileError(name, f"column '{column}' adds up to more than a number can hold (1.8e308)")
