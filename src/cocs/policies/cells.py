"""Counts of arrivals per cell of the context space, for those cells only that were ever tried."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from cocs.core import Observation, Setting
from cocs.core.arrays import Array, BoolArray, FloatArray, IntArray
from cocs.errors import InvalidInputError, InvalidSettingError, InvalidStateError

Sharing: TypeAlias = Literal["pair", "client", "edge", "all"]

_LARGEST_KEY = 2**63 - 1
_SMALLEST_TABLE = 64
_COUNTS = ("keys", "tries", "arrivals")


@dataclass(slots=True, eq=False)
class CellCounts:
    """How often each cell was tried and how often the update arrived (Qu et al., Algorithm 1: C and p̂).

    The context space [0, 1]^D falls into cells^D hypercubes. `sharing` says which pairs count together: each pair of a
    client and an edge for itself (as printed in IV.B), all pairs of a client, all of an edge, or all there are (as the
    appendix's proof sums). A cell takes 24 bytes in a hash table at most half full, and none before its first try
    (IV.D). Counts are whole numbers, so that late and partial outcomes give the same state in whatever order they come.
    An outcome that is reported twice counts twice.
    """

    setting: Setting
    cells: int = 5
    sharing: Sharing = "pair"
    _client_step: int = field(init=False, repr=False)
    _edge_step: int = field(init=False, repr=False)
    _most_clients: int = field(init=False, repr=False)
    _seen: int = field(init=False, repr=False, default=0)
    _table: IntArray = field(init=False, repr=False)  # key of the cell at each place of the hash table
    _tries: IntArray = field(init=False, repr=False)
    _arrivals: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.cells, bool) or not isinstance(self.cells, int | np.integer) or self.cells < 1:
            raise InvalidSettingError("cells", self.cells, "must be a whole number, at least 1")
        if self.sharing not in get_args(Sharing):
            raise InvalidSettingError("sharing", self.sharing, f"must be one of {', '.join(get_args(Sharing))}")
        self.cells = int(self.cells)
        # A key is (client · client_step + edge · edge_step) · cells^D + cell: clients may grow in number, edges not.
        by_edge = self.sharing in ("pair", "edge")
        self._edge_step = int(by_edge)
        edges = self.setting.n_edges if by_edge else 1
        self._client_step = edges if self.sharing in ("pair", "client") else 0
        self._most_clients = _LARGEST_KEY // (edges * self.cells**self.setting.dimension)
        if self._most_clients < (self.setting.n_clients if self._client_step else 1):
            raise InvalidSettingError(
                "cells",
                self.cells,
                f"{self.cells}^{self.setting.dimension} cells for {self.setting.n_clients} clients and "
                f"{self.setting.n_edges} edges are too many to number with 63 bits",
            )
        self._empty(0)

    def lookup(self, observation: Observation) -> tuple[IntArray, FloatArray]:
        """Return how often each pair's cell was tried (P,), and its rate of arrival (P,), 0 where it never was."""
        from cocs.policies import kernels

        self._check_fits(observation)
        return kernels.look_up(
            observation.client,
            observation.edge,
            observation.context,
            self.cells,
            self._client_step,
            self._edge_step,
            self._table,
            self._tries,
            self._arrivals,
        )

    def add(self, observation: Observation, pairs: IntArray, arrived: BoolArray) -> None:
        """Count a try in the cell of each of these rows (F,), and an arrival where one is known (F,)."""
        from cocs.policies import kernels

        if len(pairs) == 0:
            return
        self._check_fits(observation)
        if pairs.min() < 0 or pairs.max() >= len(observation.client) or len(arrived) != len(pairs):
            raise InvalidInputError("feedback", f"must be about rows of the {len(observation.client)} candidate pairs")
        if 2 * (self._seen + len(pairs)) > self._table.size:
            old = self._table, self._tries, self._arrivals
            self._empty(self._seen + len(pairs))
            kernels.insert(*old, self._table, self._tries, self._arrivals)
        self._seen += kernels.count(
            observation.client,
            observation.edge,
            observation.context,
            pairs,
            arrived,
            self.cells,
            self._client_step,
            self._edge_step,
            self._table,
            self._tries,
            self._arrivals,
        )

    @property
    def cells_seen(self) -> int:
        """How many cells were tried at least once."""
        return self._seen

    @property
    def memory_bytes(self) -> int:
        """What the counts take in memory."""
        return self._table.nbytes + self._tries.nbytes + self._arrivals.nbytes

    def state(self) -> dict[str, Array]:
        """Return the counts, sorted by key, and what their keys mean."""
        used = np.flatnonzero(self._table >= 0)
        used = used[np.argsort(self._table[used])]
        counts = (self._table[used], self._tries[used], self._arrivals[used])
        return dict(zip(_COUNTS, counts, strict=True)) | self._meaning()

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go on from these counts; refuses those of other cells, and those that cannot be counts."""
        from cocs.policies import kernels

        meaning = self._meaning()
        expected = {*_COUNTS, *meaning}
        if set(state) != expected:
            missing, odd = sorted(expected - set(state)), sorted(set(state) - expected)
            raise InvalidStateError(f"state lacks {missing} and has {odd} too many: it is not one of these cells")
        for name, mine in meaning.items():
            if not np.array_equal(state[name], mine):
                raise InvalidStateError(f"state has {name} = {state[name]!r}, this policy {mine!r}")
        keys, tries, arrivals = (_whole_numbers(name, state[name]) for name in _COUNTS)
        if not len(keys) == len(tries) == len(arrivals):
            raise InvalidStateError(f"{len(keys)} keys, {len(tries)} tries, {len(arrivals)} arrivals: must be as many")
        if not ((keys >= 0).all() and (keys[1:] > keys[:-1]).all()):
            raise InvalidStateError("keys must be at least 0, sorted and unique")
        if not ((tries >= 1).all() and (arrivals >= 0).all() and (arrivals <= tries).all()):
            raise InvalidStateError("counts must hold 0 ≤ arrivals ≤ tries, and tries at least 1")
        self._empty(len(keys))
        kernels.insert(keys, tries, arrivals, self._table, self._tries, self._arrivals)
        self._seen = len(keys)

    def _meaning(self) -> dict[str, Array]:
        """What the keys depend on: counts mean nothing, or something else, where it differs."""
        scaler = self.setting.scaler
        return {
            "cells": np.array(self.cells),
            "sharing": np.array(self.sharing),
            "n_edges": np.array(self.setting.n_edges),
            "context": np.array(self.setting.context),
            **({} if scaler is None else {name: array.copy() for name, array in scaler.state().items()}),
        }

    def _check_fits(self, observation: Observation) -> None:
        if observation.context.shape[1] != self.setting.dimension:
            columns = ", ".join(self.setting.context)
            raise InvalidInputError("context", f"has {observation.context.shape[1]} columns, the setting {columns}")
        if observation.n_edges > self.setting.n_edges:
            raise InvalidInputError("budget", f"{observation.n_edges} edges, the setting has {self.setting.n_edges}")
        if observation.n_clients > self._most_clients and self._client_step:
            rule = f"{observation.n_clients} clients, these cells number at most {self._most_clients}"
            raise InvalidInputError("n_clients", rule)

    def _empty(self, at_least: int) -> None:
        """Start an empty table with room for twice that many cells before it is half full."""
        size = _SMALLEST_TABLE
        while size < 4 * at_least:
            size *= 2
        self._table = np.full(size, -1, np.int64)
        self._tries = np.zeros(size, np.int64)
        self._arrivals = np.zeros(size, np.int64)


def _whole_numbers(name: str, array: Array) -> IntArray:
    if not isinstance(array, np.ndarray) or array.dtype != np.int64 or array.ndim != 1:
        raise InvalidStateError(f"{name} must be one dimension of int64, got {getattr(array, 'dtype', type(array))}")
    return np.ascontiguousarray(array)
