"""Policies: each values the pairs of a round, hands them to its solver, and learns from what arrives.

One file per policy, and what they share (cells). Imports `cocs.core` and NumPy; a solver is handed in, never imported,
and numba loads with the first kernel that is called.
"""

from cocs.policies.cardinality import Cardinality
from cocs.policies.cells import CellCounts
from cocs.policies.cocs import COCS
from cocs.policies.oracles import Clairvoyant, Oracle, OracleContext
from cocs.policies.random import Random

__all__ = ["COCS", "Cardinality", "CellCounts", "Clairvoyant", "Oracle", "OracleContext", "Random"]
