from polars.testing import assert_frame_equal
from toy import Scripted, ToyWorld, first_affordable, nobody

from cocs.simulation import Records, simulate


def test_records_of_several_runs_stand_under_each_other():
    parts = [simulate(ToyWorld(seed=seed), {"first": Scripted(first_affordable)}, rounds=3) for seed in (4, 7)]
    records = Records.concat(iter(parts))
    assert records.rounds["seed"].to_list() == [4] * 3 + [7] * 3
    assert records.decisions.height == sum(part.decisions.height for part in parts)
    assert set(records.tables()) == {"rounds", "edges", "decisions"}


def test_types_do_not_depend_on_what_happened():
    """A run in which nobody was ever chosen can be put under one in which somebody was."""
    empty = simulate(ToyWorld(knows_context=False), {"nobody": Scripted(nobody)}, rounds=2)
    full = simulate(ToyWorld(), {"first": Scripted(first_affordable)}, rounds=2)
    for table in ("rounds", "edges", "decisions"):
        assert getattr(empty, table).schema == getattr(full, table).schema
    assert_frame_equal(Records.concat([empty, full]).decisions, full.decisions)
