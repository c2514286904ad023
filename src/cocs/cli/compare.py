"""`cocs compare`: policies on a world, as a table, figures and Parquet tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from cocs.errors import InvalidInputError, InvalidSettingError
from cocs.experiments import DEFAULT_POLICIES

if TYPE_CHECKING:
    from rich.progress import Progress


def compare(
    world: Annotated[str, typer.Option(help="The world; `cocs list worlds` names them.")] = "paper-mnist",
    policies: Annotated[
        str,
        typer.Option(
            help="Comma-separated; key=value belongs to the policy before it; package.module:Factory is yours."
        ),
    ] = DEFAULT_POLICIES,
    rounds: Annotated[int, typer.Option(help="Rounds to play with each seed.")] = 1000,
    seeds: Annotated[str, typer.Option(help="10 is the seeds 0 to 9; 5,7,9 a list; 5, the seed 5 alone.")] = "10",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="A field of the world, as deadline_s=4 or context=[rate,compute]."
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder for tables and figures; files of that name are replaced.")] = Path(
        "runs/compare"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON, for scripts.")] = False,
) -> None:
    """Play policies on the same rounds and compare what they reach.

    Prints utility, regret and cost of each, and writes the records (Parquet) and figures (SVG, PNG) to a folder.
    """
    from rich.console import Console

    from cocs.experiments.compare import Interrupted
    from cocs.experiments.compare import compare as play
    from cocs.experiments.summary import summarise
    from cocs.reports.figures import draw_comparison
    from cocs.reports.tables import summary_table

    chosen, numbers = _settings(settings or []), _seeds(seeds)
    stopped: Interrupted | None = None
    with _progress() as bar:
        task = bar.add_task("rounds", total=None)
        try:
            records = play(
                world,
                policies,
                settings=chosen,
                seeds=numbers,
                rounds=rounds,
                out=out,
                progress=lambda done, total: bar.update(task, completed=done, total=total),
            )
        except Interrupted as stop:
            if stop.records is None:
                raise
            stopped, records = stop, stop.records
    summary = summarise(records)
    if as_json:
        typer.echo(summary.write_json())
    else:
        console = Console()
        console.print(summary_table(summary, console.width))
    figures = draw_comparison(records, out)
    tables = [out / f"{name}.parquet" for name in records.tables()]
    typer.echo(f"Wrote {', '.join(path.name for path in (*tables, *figures))} to {out}", err=as_json)
    if stopped:
        raise stopped


def _settings(texts: Sequence[str]) -> dict[str, object]:
    from cocs.registry import assignment

    found: dict[str, object] = {}
    for text in texts:
        key, value = assignment(text)
        if key in found:
            raise InvalidInputError("--set", f"gives {key!r} twice")
        found[key] = value
    return found


def _seeds(text: str) -> Sequence[int]:
    """Read `10` as the seeds 0 … 9, and `5,7,9` as these."""
    try:
        if "," in text:
            return [int(item) for item in text.strip().removesuffix(",").split(",")]
        count = int(text)
    except ValueError:
        rule = "must be a number of seeds (10: seeds 0 to 9) or a list of them (5,7,9)"
        raise InvalidSettingError("seeds", text, rule) from None
    if count < 1:
        raise InvalidSettingError("seeds", count, "must be at least 1 seed")
    return range(count)


def _progress() -> Progress:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
