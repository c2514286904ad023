import polars as pl
import pytest
from rich.console import Console

from cocs.experiments.compare import compare
from cocs.experiments.summary import summarise
from cocs.reports.tables import summary_table


def shown(summary, width):
    console = Console(width=width, record=True, file=open("/dev/null", "w"), color_system=None)  # noqa: SIM115
    console.print(summary_table(summary, width))
    console.file.close()
    return console.export_text()


@pytest.fixture(scope="module")
def summary():
    policies = ["clairvoyant", "cocs:sharing=all,scale=0.1", "random"]
    return summarise(compare(policies=policies, settings={"n_clients": 6}, seeds=range(2), rounds=5))


@pytest.mark.parametrize("width", [80, 110, 200])
def test_nothing_is_cut_off(summary, width):
    text = shown(summary, width)
    assert max(map(len, text.splitlines())) <= width
    for row in summary.iter_rows(named=True):
        for value in (f"{row['utility']:.3f}", f"±{row['utility_ci']:.3f}", f"{row['spent']:.2f}"):
            assert value in text
        assert row["policy"][:12] in text
    assert "…" not in text


def test_arrivals_stand_apart_where_they_are_not_the_utility(summary):
    assert "(arrived)" in shown(summary, 80)
    assert "(arrived)" not in shown(summary.with_columns(pl.col("utility").sqrt()), 80)


def test_what_is_unknown_is_a_dash(summary):
    one = summary.with_columns(pl.lit(None, pl.Float64).alias("regret_context"), pl.lit(None).alias("regret_ci"))
    text = shown(one, 80)
    assert "–" in text
    assert "None" not in text
    assert "nan" not in text


def test_names_in_brackets_are_not_taken_for_markup(summary):
    text = shown(
        summary.with_columns(pl.lit("w:deadline_s=[red]/x").alias("job"), pl.lit("a:b=[bold]").alias("policy")), 80
    )
    assert "[red]" in text
    assert "[bold]" in text
