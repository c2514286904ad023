"""A run's folder: Parquet tables that appear whole or not at all."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryFile

from cocs.errors import InvalidFileError
from cocs.simulation.records import Records


def open_folder(folder: Path) -> Path:
    """Make the folder, unless it is there, and make sure that files can be written in it."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        reason = "is a file, must be a folder" if folder.is_file() else f"cannot be written ({error.strerror})"
        raise InvalidFileError(str(folder), reason) from error


def write_tables(records: Records, folder: Path) -> list[Path]:
    """Write each table as `<table>.parquet`, and return the paths."""
    from polars.exceptions import PolarsError

    written = []
    for name, table in records.tables().items():
        path = folder / f"{name}.parquet"
        unfinished = path.with_suffix(".parquet.part")
        try:
            table.write_parquet(unfinished)
            unfinished.replace(path)
        except (OSError, PolarsError) as error:  # a full disk is a ComputeError to polars
            unfinished.unlink(missing_ok=True)
            raise InvalidFileError(str(path), f"cannot be written ({error})") from error
        written.append(path)
    return written
