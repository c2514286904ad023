"""What an experiment comes to: one row per job, means over seeds with 95 % confidence intervals."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING

from cocs.simulation.records import Records

if TYPE_CHECKING:
    import polars as pl

REGRETS = ("regret", "regret_context", "regret_clairvoyant")
KNOWS_OUTCOMES = "clairvoyant"  # what it chooses by is past p: its regrets in expectation would say nothing


def summarise(records: Records) -> pl.DataFrame:
    """Return a row per job: `utility`, `arrived`, `selected`, `spent` a round, regrets in % of their oracles.

    Each quantity x stands with `x_ci`, the half width of its 95 % confidence interval over seeds (Student's t; null for
    one seed). Regrets are paired: each is a difference in the same rounds. `regret` and `regret_context` are null for
    `clairvoyant`, and where the world does not know E[p | context]. `decide_us` is the median over all rounds.
    """
    import polars as pl

    means = ("utility", "arrived", "selected", "spent")
    job = ("job", "world", "policy")
    per_seed = (
        with_expected_utility(records)
        .group_by(*job, "seed", maintain_order=True)
        .agg(
            pl.len().alias("rounds"),
            pl.col("decide_s"),
            *(pl.col(name).mean() for name in means),
            *(
                (100 * pl.col(name).sum() / (pl.col(name) + pl.col(attained)).sum()).fill_nan(None).alias(name)
                for name, attained in zip(REGRETS, ("expected_utility", "expected_utility", "utility"), strict=True)
            ),
        )
        .with_columns(
            pl.when(~pl.col("policy").str.starts_with(KNOWS_OUTCOMES)).then(pl.col(name)).alias(name)
            for name in ("regret", "regret_context")
        )
    )
    table = per_seed.group_by(*job, maintain_order=True).agg(
        pl.len().alias("seeds"),
        pl.col("rounds").first(),
        *(pl.col(name).mean() for name in (*means, *REGRETS)),
        *((pl.col(name).std() / pl.col(name).len().sqrt()).alias(f"{name}_ci") for name in (*means, *REGRETS)),
        (1e6 * pl.col("decide_s").explode().median()).alias("decide_us"),
    )
    quantiles = [student_t(seeds - 1) for seeds in table["seeds"]]
    return table.with_columns(pl.col("^.*_ci$") * pl.Series(quantiles))


def with_expected_utility(records: Records) -> pl.DataFrame:
    """Return the table of rounds with `expected_utility`: the expected arrivals in the objective's unit."""
    import polars as pl

    edges = records.edges.group_by("job").agg(n_edges=pl.col("edge").max() + 1)
    rounds = records.rounds.join(edges, on="job", how="left", maintain_order="left")
    expected = pl.col("expected_arrivals")
    is_sum = (pl.col("utility") == pl.col("arrived")).all().over("job")  # √(a / M) = a for all a only if M = 1, a ≤ 1
    return rounds.with_columns(
        pl.when(is_sum).then(expected).otherwise((expected / pl.col("n_edges")).sqrt()).alias("expected_utility")
    )


@cache
def student_t(freedom: int, level: float = 0.95) -> float:
    """Return the half width, in standard errors, of a two-sided confidence interval; NaN without a degree of freedom.

    Inverts the exact series of P(|T| ≤ t) for whole degrees of freedom (Abramowitz and Stegun, 26.7.3 and 26.7.4).
    """
    if freedom < 1:
        return math.nan
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        low, high = (angle, high) if _within(angle, freedom) < level else (low, angle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """P(|T| ≤ √ν·tan(angle))."""
    cosine, odd = math.cos(angle), freedom % 2
    term = cosine if odd else 1.0
    total = term if freedom > 1 else 0.0
    for k in range(2 + odd, freedom, 2):
        term *= cosine * cosine * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * total) if odd else math.sin(angle) * total
