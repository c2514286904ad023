"""A comparison as figures: cumulative utility, cumulative regret, arrivals a round."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from cocs.core.arrays import FloatArray, IntArray
from cocs.errors import InvalidFileError
from cocs.experiments.summary import KNOWS_OUTCOMES, student_t, with_expected_utility
from cocs.simulation.records import Records

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe and Ito's colours, told apart by colour-blind readers; dashes and markers tell lines apart without any colour.
COLOURS = ("#000000", "#E69F00", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9")
DASHES = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)), (0, (3, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
FLOOR = "oracle-context"
POINTS = 400  # drawn along a line at most
STYLE: dict[Any, Any] = {
    "font.size": 8,
    "axes.labelsize": 8,
    "axes.titlesize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "lines.linewidth": 1.2,
    "grid.linewidth": 0.4,
    "grid.color": "#DDDDDD",
    "svg.hashsalt": "cocs",  # the same records, the same file
}


class Curve(NamedTuple):
    """One policy's mean over seeds, and the half width of its 95 % band; NaN for a single seed."""

    round: IntArray
    mean: FloatArray
    band: FloatArray


def draw_comparison(records: Records, folder: Path) -> list[Path]:
    """Draw the figures of a comparison, each as SVG and PNG, and return the paths."""
    import polars as pl

    rounds = with_expected_utility(records)
    unit = "arrivals" if (rounds["utility"] == rounds["arrived"]).all() else "√(arrivals per edge)"
    window = max(1, rounds["round"].n_unique() // 20)
    over = "" if window == 1 else f"\n(mean of the last {window} rounds)"
    several = rounds.group_by("policy").agg(pl.col("job").n_unique())["job"].max() != 1
    names = "job" if several else "policy"
    floor = rounds.filter(pl.col("job") == rounds["job"][0]).with_columns(
        pl.lit(FLOOR).alias(names), pl.col("regret") - pl.col("regret_context")
    )
    # Whoever plays, the records tell what oracle-context loses to oracle.
    known = FLOOR not in rounds[names] and not several and floor["regret"].null_count() == 0
    regret = pl.concat([rounds.filter(~pl.col("policy").str.starts_with(KNOWS_OUTCOMES)), *([floor] if known else [])])
    numbers = {
        name: number for number, name in enumerate(dict.fromkeys([*rounds[names].unique(maintain_order=True), FLOOR]))
    }
    pictures = {
        "utility": (curves(rounds, names, "utility", running_sum), f"Cumulative utility\n({unit})"),
        "regret": (
            curves(regret, names, "regret", running_sum),
            f"Cumulative regret against oracle\n(expected {unit})",
        ),
        "arrivals": (curves(rounds, names, "arrived", lambda x: trailing_mean(x, window)), f"Arrivals a round{over}"),
    }
    written = []
    for name, (lines, label) in pictures.items():
        if not lines:  # clairvoyant alone, in a world that does not know E[p | context]: no regret to draw
            continue
        figure = _picture(lines, label, numbers)
        written += [_save(figure, folder / f"{name}.{ending}") for ending in ("svg", "png")]
    return written


def curves(
    rounds: pl.DataFrame, names: str, quantity: str, transform: Callable[[FloatArray], FloatArray]
) -> dict[str, Curve]:
    """Return a curve of the quantity for each of the `names` (a column), transformed along the rounds of each seed."""
    found = {}
    for (name,), table in rounds.group_by(names, maintain_order=True):
        table = table.sort("seed", "round")
        seeds = table["seed"].n_unique()
        value = transform(table[quantity].to_numpy().astype(np.float64).reshape(seeds, -1))  # (seeds, rounds)
        with np.errstate(invalid="ignore", divide="ignore"):
            deviation = np.sqrt(((value - value.mean(axis=0)) ** 2).sum(axis=0) / (seeds - 1))
        band = student_t(seeds - 1) * deviation / math.sqrt(seeds)
        found[str(name)] = Curve(table["round"].to_numpy()[: value.shape[1]], value.mean(axis=0), band)
    return found


def running_sum(value: FloatArray) -> FloatArray:
    """Return the sums since the first round."""
    return np.asarray(value.cumsum(axis=1))


def trailing_mean(value: FloatArray, window: int) -> FloatArray:
    """Return the mean of the last `window` rounds, of those there are in the first ones."""
    total = value.cumsum(axis=1)
    total[:, window:] -= total[:, :-window].copy()
    return np.asarray(total / np.minimum(np.arange(1, value.shape[1] + 1), window))


def _picture(lines: Mapping[str, Curve], label: str, numbers: Mapping[str, int]) -> Figure:
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context(STYLE):
        figure = Figure(figsize=(3.5, 2.9), layout="constrained")
        axes = figure.add_subplot()
        for name, curve in lines.items():
            _draw(axes, name, curve, numbers[name])
        axes.set(xlabel="Round", ylabel=label)
        axes.margins(x=0.02)
        if all(curve.mean.min() >= 0 for curve in lines.values()):
            axes.set_ylim(bottom=max(0.0, axes.get_ylim()[0]))  # a wide band is no reason to show what cannot be
        axes.grid(axis="y")
        axes.set_axisbelow(True)
        columns = 2 if max(map(len, lines)) < 30 else 1
        figure.legend(loc="outside lower center", ncols=columns, frameon=False, handlelength=3.2, columnspacing=1.5)
    return figure


def _draw(axes: Axes, name: str, curve: Curve, number: int) -> None:
    last = len(curve.round) - 1
    shown = np.unique(np.linspace(0, last, min(last + 1, POINTS)).astype(int))
    colour, dash = COLOURS[number % len(COLOURS)], DASHES[number % len(DASHES)]
    every = max(1, len(shown) // 8)
    marks = (min(number * every // 7, len(shown) - 1), every)  # one policy's markers beside another's
    x, mean, band = curve.round[shown], curve.mean[shown], curve.band[shown]
    axes.plot(x, mean, color=colour, linestyle=dash, marker=MARKERS[number % len(MARKERS)], markevery=marks,
              markersize=4, markeredgecolor="white", markeredgewidth=0.4, label=name)  # fmt: skip
    if np.isfinite(band).all():
        axes.fill_between(x, mean - band, mean + band, color=colour, alpha=0.18, linewidth=0)


def _save(figure: Figure, path: Path) -> Path:
    from matplotlib import rc_context

    try:
        with rc_context(STYLE):
            figure.savefig(path, dpi=300, metadata={"Date": None} if path.suffix == ".svg" else None)
    except OSError as error:
        raise InvalidFileError(str(path), f"cannot be written ({error.strerror or error})") from error
    return path
