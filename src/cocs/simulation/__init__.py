"""Plays policies on a world round by round, and records what happened.

The loop, the clock of a round, and the tables of records. Imports core, and the exact solver for the oracles' values;
polars only when a run has ended.
"""

from cocs.simulation.clock import Times, clock
from cocs.simulation.loop import simulate
from cocs.simulation.records import Records

__all__ = ["Records", "Times", "clock", "simulate"]
