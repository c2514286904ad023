"""The tables of a simulation: column buffers while it runs, polars frames once it has ended."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from cocs.core.arrays import Array

if TYPE_CHECKING:
    import polars as pl

ROUNDS = {
    "round": np.int32,
    "phase": np.int32,  # a code while the run lasts
    "selected": np.int32,
    "arrived": np.int32,
    "expected_arrivals": np.float64,
    "utility": np.float64,
    "regret": np.float64,
    "regret_context": np.float64,  # null where nobody knows E[p | context]
    "regret_clairvoyant": np.float64,
    "spent": np.float64,
    "duration_s": np.float64,
    "decide_s": np.float64,
}
EDGES = {
    "round": np.int32,
    "edge": np.int32,
    "selected": np.int32,
    "arrived": np.int32,
    "aggregated": np.int32,
    "spent": np.float64,
    "duration_s": np.float64,
}
DECISIONS = {
    "round": np.int32,
    "client": np.int32,
    "edge": np.int32,
    "cost": np.float64,
    "arrived": np.bool_,
    "aggregated": np.bool_,
    "latency_s": np.float64,  # the true one, late arrivals too
}
LINE = "line"  # which job a row belongs to, a code while the run lasts


@dataclass(frozen=True, slots=True)
class Line:
    """What is the same in every row of one policy's records for one seed."""

    job: str
    world: str
    policy: str
    seed: int


@dataclass(frozen=True, slots=True, eq=False)
class Records:
    """What happened: a row per policy and round, per edge, and per chosen pair.

    Names are `String`, whole numbers `Int32` (seeds `Int64`), quantities `Float64`, flags `Boolean`, whatever the run.
    """

    rounds: pl.DataFrame
    edges: pl.DataFrame
    decisions: pl.DataFrame
    accuracy: pl.DataFrame | None = None  # after training only

    @classmethod
    def concat(cls, parts: Iterable[Records]) -> Records:
        """Put the records of several runs under each other, in that order."""
        import polars as pl

        parts = list(parts)
        accuracy = [part.accuracy for part in parts if part.accuracy is not None]
        rounds, edges, decisions = (
            pl.concat([getattr(part, table) for part in parts]) for table in ("rounds", "edges", "decisions")
        )
        return cls(rounds, edges, decisions, pl.concat(accuracy) if accuracy else None)

    def tables(self) -> dict[str, pl.DataFrame]:
        """Return the tables that there are, by name."""
        named = {"rounds": self.rounds, "edges": self.edges, "decisions": self.decisions, "accuracy": self.accuracy}
        return {name: table for name, table in named.items() if table is not None}


class Columns:
    """Rows in preallocated NumPy columns that double when full: no object per row."""

    __slots__ = ("_columns", "_length")

    def __init__(self, dtypes: Mapping[str, Any], capacity: int) -> None:
        self._length = 0
        self._columns: dict[str, Array] = {name: np.empty(capacity, kind) for name, kind in dtypes.items()}

    def add(self, rows: int, *values: object) -> None:
        """Append rows; each value, in the order of the columns, is one number for all of them or an array."""
        start, stop = self._length, self._length + rows
        columns = self._columns
        if stop > len(next(iter(columns.values()))):
            for name, column in columns.items():
                columns[name] = np.concatenate([column, np.empty(max(stop, len(column)), column.dtype)])
        for column, value in zip(columns.values(), values, strict=True):
            column[start:stop] = value
        self._length = stop

    def frame(self, lines: Sequence[Line], leading: Sequence[str], words: Mapping[str, Sequence[str]]) -> pl.DataFrame:
        """Return the rows as a table, line by line: `leading` fields first; `words` name the codes of a column."""
        import polars as pl

        filled = {name: column[: self._length] for name, column in self._columns.items()}
        order = np.argsort(filled[LINE], kind="stable")  # line by line, each in the order of its rounds
        filled = {name: column[order] for name, column in filled.items()}
        line = pl.Series(filled.pop(LINE))
        fields: dict[str, pl.Series] = {}
        for name in leading:
            kind = pl.Int64 if name == "seed" else pl.String
            fields[name] = pl.Series([getattr(one, name) for one in lines], dtype=kind).gather(line)
        for name, column in filled.items():
            fields[name] = (
                pl.Series(words[name], dtype=pl.String).gather(column) if name in words else pl.Series(column)
            )
        return pl.DataFrame(fields)


class Recorder:
    """Collects the rows of one run."""

    def __init__(self, lines: Sequence[Line], rounds: int) -> None:
        self._lines = lines
        self._phases: dict[str, int] = {}
        capacity = min(rounds * len(lines), 2**16)
        self.rounds, self.edges, self.decisions = (
            Columns({LINE: np.int32, **dtypes}, capacity) for dtypes in (ROUNDS, EDGES, DECISIONS)
        )

    def phase(self, name: str) -> int:
        """Return the code of a phase's name."""
        return self._phases.setdefault(name, len(self._phases))

    def records(self) -> Records:
        """Return all rows so far as tables."""
        import polars as pl

        who = ("job", "policy", "seed")
        rounds = self.rounds.frame(self._lines, ("job", "world", "policy", "seed"), {"phase": tuple(self._phases)})
        return Records(
            rounds.with_columns(pl.col("regret_context").fill_nan(None)),
            self.edges.frame(self._lines, who, {}),
            self.decisions.frame(self._lines, who, {}),
        )
