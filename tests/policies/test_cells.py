from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocs.core import Observation, Setting
from cocs.errors import InvalidInputError, InvalidSettingError
from cocs.policies import CellCounts

SHARINGS = ("pair", "client", "edge", "all")
BORDERS = (0.0, 0.2, 0.4, 0.6, 0.8, 0.9999999999999999, 1.0)


class PlainCells:
    """The dict that the hash table must agree with."""

    def __init__(self, cells, sharing):
        self.cells, self.sharing, self.counts = cells, sharing, {}

    def key(self, observation, k):
        owner = {"pair": (observation.client[k], observation.edge[k]), "client": observation.client[k]}
        owner |= {"edge": observation.edge[k], "all": None}
        return owner[self.sharing], tuple(min(int(x * self.cells), self.cells - 1) for x in observation.context[k])

    def add(self, observation, pairs, arrived):
        for k, x in zip(pairs, arrived, strict=True):
            tries, arrivals = self.counts.get(self.key(observation, k), (0, 0))
            self.counts[self.key(observation, k)] = tries + 1, arrivals + int(x)

    def lookup(self, observation):
        found = [self.counts.get(self.key(observation, k), (0, 0)) for k in range(len(observation.client))]
        return [tries for tries, _ in found], [arrivals / tries if tries else 0.0 for tries, arrivals in found]


@st.composite
def observations(draw, dimension, n_edges):
    """A round of any clients, many of them far apart, on and off the borders between cells."""
    pair = st.tuples(st.integers(0, 4) | st.integers(0, 10**9), st.integers(0, n_edges - 1))
    pairs = draw(st.lists(pair, unique=True, max_size=12))
    x = st.sampled_from(BORDERS) | st.floats(0, 1)
    context = [draw(st.lists(x, min_size=dimension, max_size=dimension)) for _ in pairs]
    client, edge = np.array(pairs, np.int64).reshape(-1, 2).T
    context = np.array(context).reshape(-1, dimension)
    return Observation(1, client, edge, context, np.ones(len(pairs)), np.ones(n_edges), np.ones(n_edges), 10**9 + 1)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(SHARINGS), st.integers(1, 6), st.integers(1, 3), st.integers(1, 3))
def test_table_agrees_with_a_dict(data, sharing, cells, dimension, n_edges):
    """Same tries and the same rates, to the last bit, whatever is added, saved and restored between."""
    setting = Setting(5, n_edges, 100, tuple("xyz"[:dimension]))
    counts, plain = CellCounts(setting, cells, sharing), PlainCells(cells, sharing)
    for observation in data.draw(st.lists(observations(dimension, n_edges), max_size=12)):
        rows = np.array(data.draw(st.lists(st.integers(0, max(len(observation.client) - 1, 0)))), np.int64)
        rows = rows[: 20 * len(observation.client)]
        arrived = np.array(data.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows))), np.bool_)
        counts.add(observation, rows, arrived)
        plain.add(observation, rows, arrived)

        tries, rate = counts.lookup(observation)
        assert (tries.tolist(), rate.tolist()) == plain.lookup(observation)
        assert counts.cells_seen == len(plain.counts) == len(counts.state()["keys"])

    again = CellCounts(setting, cells, sharing)
    again.restore(counts.state())
    assert {k: v.tolist() for k, v in again.state().items()} == {k: v.tolist() for k, v in counts.state().items()}


def crowd(n_clients, columns=2):
    """One round of many clients at two edges."""
    client, edge = np.divmod(np.arange(2 * n_clients), 2)
    context = np.random.default_rng(0).random((2 * n_clients, columns))
    return Observation(1, client, edge, context, np.ones(2 * n_clients), np.ones(2), np.ones(2), n_clients)


def test_a_hundred_thousand_cells_are_kept_apart():
    """The table grows many times over and loses nothing; it takes what the cells seen need, no more than fourfold."""
    setting = Setting(1, 2, 100, ("x", "y"))
    counts = CellCounts(setting, 50)
    observation = crowd(50_000)
    arrived = np.arange(100_000) % 3 == 0
    for part in np.array_split(np.random.default_rng(1).permutation(100_000), 37):
        counts.add(observation, part, arrived[part])

    tries, rate = counts.lookup(observation)
    assert (tries == 1).all()
    assert (rate == arrived).all()
    assert counts.cells_seen == 100_000
    assert 2 * 24 <= counts.memory_bytes / counts.cells_seen <= 8 * 24


def test_memory_follows_cells_seen_not_clients():
    """Cells never tried take none (IV.D): a million clients with a handful of cells cost a handful."""
    counts = CellCounts(Setting(1_000_000, 2, 100, ("x", "y")), 5)
    counts.add(crowd(1000), np.arange(10), np.ones(10, np.bool_))
    assert counts.cells_seen == 10
    assert counts.memory_bytes <= 2048


@pytest.mark.parametrize(
    ("sharing", "same"),
    [("pair", [1, 0, 0, 0]), ("client", [1, 1, 0, 0]), ("edge", [1, 0, 1, 0]), ("all", [1, 1, 1, 1])],
)
def test_sharing_says_which_pairs_count_together(sharing, same):
    """A try of client 0 at edge 0 counts for those that share with it."""
    observation = Observation(1, [0, 0, 1, 1], [0, 1, 0, 1], np.full((4, 1), 0.5), [1] * 4, [1, 1], [1, 1], 2)
    counts = CellCounts(Setting(2, 2, 10, ("x",)), 5, sharing)
    counts.add(observation, np.array([0]), np.array([True]))
    assert counts.lookup(observation)[0].tolist() == same


def test_more_cells_than_can_be_numbered_are_refused():
    """When built, by the setting; in a round, once the clients have grown too many."""
    setting = Setting(10, 2, 10, ("x", "y"))
    with pytest.raises(InvalidSettingError):
        CellCounts(setting, 10**9)
    CellCounts(setting, 10**9, "edge").lookup(crowd(19))  # its keys know no clients
    counts = CellCounts(setting, 5 * 10**8)
    counts.lookup(crowd(18))
    with pytest.raises(InvalidInputError, match="clients"):
        counts.lookup(crowd(19))


def test_an_observation_of_another_setting_is_refused():
    """Another number of columns, or more edges, would count in the wrong cells."""
    counts = CellCounts(Setting(10, 2, 10, ("x", "y")), 5)
    with pytest.raises(InvalidInputError, match="columns"):
        counts.lookup(crowd(3, columns=3))
    with pytest.raises(InvalidInputError, match="edges"):
        CellCounts(Setting(10, 1, 10, ("x", "y")), 5).lookup(crowd(3))


def test_outcomes_must_be_as_many_as_rows():
    """A shorter list of outcomes is refused, not read past its end."""
    counts = CellCounts(Setting(10, 2, 10, ("x", "y")), 5)
    with pytest.raises(InvalidInputError, match="candidate pairs"):
        counts.add(crowd(3), np.array([0, 1]), np.array([True]))
    assert counts.cells_seen == 0
