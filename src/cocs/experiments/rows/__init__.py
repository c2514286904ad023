"""A user's file of rows (CSV, JSON, Parquet) → checked columns; whatever is wrong with it is one sentence.

One file per format, beside what they share. May import polars, inside functions, and of cocs core and errors alone.
"""

from cocs.experiments.rows.legible import legible
from cocs.experiments.rows.read import Source, read_rows

__all__ = ["Source", "legible", "read_rows"]
