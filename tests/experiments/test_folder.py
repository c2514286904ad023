import polars as pl
import pytest

from cocs.errors import InvalidFileError
from cocs.experiments.folder import write_tables
from cocs.simulation import Records


def test_a_full_disk_leaves_no_half_written_table(tmp_path):
    """The table of an earlier run stays, and nothing unfinished does."""
    table = pl.DataFrame({"x": [1]})
    write_tables(Records(table, table, table), tmp_path)
    (tmp_path / "edges.parquet.part").symlink_to("/dev/full")

    with pytest.raises(InvalidFileError, match=r"edges\.parquet: cannot be written .*No space left on device"):
        write_tables(Records(table, table.clear(), table), tmp_path)
    assert pl.read_parquet(tmp_path / "edges.parquet").height == 1
    assert not list(tmp_path.glob("*.part"))
