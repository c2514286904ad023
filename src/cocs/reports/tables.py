"""The summary of an experiment as a table for the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

CAPTION = (
    "Means a round, ± 95 % confidence over seeds. Regret: in % of what that oracle attains in the same rounds; "
    "expected arrivals for the first two, arrivals for clairvoyant. decide: median time of a decision."
)
ROOMY = 110  # columns of a terminal from which a mean and its interval share a line


def summary_table(summary: pl.DataFrame, width: int) -> Table:
    """Return the rows of `summarise` as a table that stays legible in a terminal of 80 columns."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    first = summary.row(0, named=True)
    places = summary["job"].str.split("/").list.first().unique(maintain_order=True).to_list()
    table = Table(
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        title=Text(
            f"{', '.join(places)} · {first['rounds']:,} rounds · {first['seeds']} seed{'s' * (first['seeds'] > 1)}"
        ),
        title_justify="left",
        title_style="bold",
        caption=CAPTION,
        caption_justify="left",
        caption_style="",
    )
    quantities = [("utility", "\n\nutility", 3), ("arrived", "\n\narrived", 3), ("spent", "\n\nspent", 2)]
    if (summary["utility"] == summary["arrived"]).all():
        quantities[:2] = [("utility", "\nutility\n(arrived)", 3)]
    quantities += [
        ("regret", "\noracle\nregret %", 2),
        ("regret_context", "oracle-\ncontext\nregret %", 2),
        ("regret_clairvoyant", "clair-\nvoyant\nregret %", 2),
    ]
    table.add_column("\n\npolicy", overflow="fold", ratio=1)
    for _, heading, _ in quantities:
        table.add_column(heading, justify="right", no_wrap=True)
    table.add_column("\ndecide\nµs", justify="right", no_wrap=True)
    between = " " if width >= ROOMY else "\n"
    for row in summary.iter_rows(named=True):
        cells = (_cell(row[name], row[f"{name}_ci"], digits, between) for name, _, digits in quantities)
        table.add_row(Text(row["policy"]), *cells, f"{row['decide_us']:,.0f}")
    return table


def _cell(mean: float | None, half_width: float | None, digits: int, between: str) -> str:
    if mean is None:
        return "–"
    return f"{mean:.{digits}f}" + ("" if half_width is None else f"{between}±{half_width:.{digits}f}")
