"""`cocs solve`: one round of an operator's own data → the best pairs that the budgets allow."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Sequence
from typing import IO, TYPE_CHECKING, Annotated, Any, Literal

import typer

from cocs.errors import InvalidFileError, InvalidInputError

if TYPE_CHECKING:
    from rich.console import Console

    from cocs.core import Solution
    from cocs.experiments.pairs import NamedProblem

SHOWN = 1_000  # rows of a table; `--json` has them all
ID_WIDTH = 26  # two of them and three numbers fit into 80 columns

File = Annotated[str, typer.Argument(metavar="FILE")]
Budget = Annotated[float | None, typer.Option(help="The budget of each edge.")]
Budgets = Annotated[str | None, typer.Option(metavar="FILE", help="Budgets by edge: columns edge, budget.")]
SolverName = Annotated[str, typer.Option(help="See `cocs list solvers`.")]
ObjectiveName = Annotated[
    Literal["sum", "sqrt"], typer.Option(help="Total value, or the square root of the total per edge: same pairs.")
]
TieSeed = Annotated[
    int | None, typer.Option(help="Draws among equally good sets; without it the order of the rows decides.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object, ids and numbers exact.")]


def solve(
    file: File,
    budget: Budget = None,
    budgets: Budgets = None,
    solver: SolverName = "auto",
    objective: ObjectiveName = "sum",
    tie_seed: TieSeed = None,
    as_json: Json = False,
) -> None:
    """Choose the best affordable pairs of one round of your own data.

    FILE holds the candidate pairs: CSV, JSON (a list of row objects) or Parquet with the columns client, edge, value,
    cost; - is standard input. Each client is chosen at most once, and each edge spends at most its budget: give one of
    --budget and --budgets.
    """
    if (budget is None) == (budgets is None):
        raise InvalidInputError("--budget, --budgets", "give exactly one of the two")
    if file == budgets == "-":
        raise InvalidInputError("FILE, --budgets", "only one of the two can be standard input (-)")
    from cocs.experiments.pairs import read_pairs
    from cocs.registry import solve as solve_problem

    named = read_pairs(
        _source(file),
        budget=budget,
        budgets=None if budgets is None else _source(budgets),
        objective=objective,
        tie_seed=tie_seed,
    )
    solution = solve_problem(named.problem, solver=solver)
    text = json.dumps(_as_object(named, solution), allow_nan=False) if as_json else _as_tables(named, solution)
    print(text, flush=True)  # flushed here, so that a closed pipe shows here and not at exit


def _source(file: str) -> str | IO[bytes]:
    if file != "-":
        return file
    if sys.stdin is None:
        raise InvalidFileError("-", "standard input is closed")
    return sys.stdin.buffer


def _as_object(named: NamedProblem, solution: Solution) -> dict[str, Any]:
    return {
        "value": float(solution.value),
        "bound": float(solution.bound),
        "gap": float(solution.gap),
        "status": solution.status,
        "pairs": [dict(zip(("client", "edge", "value", "cost"), row, strict=True)) for row in _chosen(named, solution)],
        "edges": [dict(zip(("edge", "spent", "budget"), row, strict=True)) for row in _spent(named, solution)],
    }


def _chosen(named: NamedProblem, solution: Solution) -> list[tuple[str, str, float, float]]:
    problem, pairs = named.problem, solution.selection.pairs
    clients = (named.clients[client] for client in problem.client[pairs])
    edges = (named.edges[edge] for edge in problem.edge[pairs])
    return list(zip(clients, edges, problem.value[pairs].tolist(), problem.cost[pairs].tolist(), strict=True))


def _spent(named: NamedProblem, solution: Solution) -> list[tuple[str, float, float]]:
    from cocs.core import spending

    spent = spending(named.problem, solution.selection).tolist()
    return list(zip(named.edges, spent, named.problem.budget.tolist(), strict=True))


def _as_tables(named: NamedProblem, solution: Solution) -> str:
    from rich.console import Console

    # Written into memory first: rich ends the process itself where a pipe is closed. The encoding decides about lines.
    page = io.TextIOWrapper(io.BytesIO(), encoding=sys.stdout.encoding, errors="replace")
    console = Console(file=page, highlight=False, markup=False, emoji=False)
    candidates, chosen = len(named.problem.client), _chosen(named, solution)
    if candidates == 0:
        console.print("no pairs to choose from")
    else:
        if chosen:
            _print_table(console, ("client", "edge"), ("value", "cost"), chosen)
            console.print()
        console.print(f"{len(chosen):,} of {candidates:,} pairs chosen")
        proof = "optimal" if solution.status == "optimal" else f"{solution.status}: perhaps not the best"
        console.print(f"value {solution.value:.6g}, bound {solution.bound:.6g}, gap {solution.gap:.3g} ({proof})")
    if named.edges:
        console.print()
        _print_table(console, ("edge",), ("spent", "budget"), _spent(named, solution))
    page.seek(0)
    return page.read().rstrip("\n")


def _print_table(console: Console, ids: Sequence[str], numbers: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
    from rich import box
    from rich.table import Table
    from rich.text import Text

    from cocs.experiments.rows import legible

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column in ids:
        table.add_column(column, no_wrap=True)
    for column in numbers:
        table.add_column(column, justify="right", no_wrap=True)
    for row in rows[:SHOWN]:
        names = (Text(legible(name, ID_WIDTH)) for name in row[: len(ids)])
        table.add_row(*names, *(f"{number:.6g}" for number in row[len(ids) :]))
    console.print(table)
    if len(rows) > SHOWN:
        console.print(f"… and {len(rows) - SHOWN:,} more rows (--json prints all)")
