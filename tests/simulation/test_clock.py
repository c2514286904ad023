import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from cocs.core import Observation, Selection, Setting, Truth
from cocs.simulation import clock


def times(latency_s, edge, deadline_s=3.0, n_edges=None, **setting):
    """The clock of a round in which every pair is selected."""
    n_edges = n_edges or max(edge, default=0) + 1
    n = len(edge)
    deadlines = np.broadcast_to(np.asarray(deadline_s, dtype=float), n_edges)
    observation = Observation(
        1, np.arange(n), np.array(edge, int), np.zeros((n, 1)), np.ones(n), np.full(n_edges, 99.0), deadlines, max(n, 1)
    )
    latency = np.array(latency_s, dtype=float)
    truth = Truth(np.ones(n), latency, latency <= deadlines[observation.edge])
    return clock(Setting(max(n, 1), n_edges, 1, ("x",), **setting), observation, truth, Selection(np.arange(n)))


def test_all_in_time_ends_the_round_at_the_last_arrival():
    duration_s, aggregated = times([1.0, 2.5], [0, 0])
    assert duration_s.tolist() == [2.5]
    assert aggregated.all()


def test_someone_missing_keeps_the_edge_until_its_deadline():
    duration_s, aggregated = times([1.0, 7.0], [0, 0])
    assert duration_s.tolist() == [3.0]
    assert aggregated.tolist() == [True, False]


def test_too_few_arrivals_wait_for_the_zth_fastest():
    duration_s, aggregated = times([1.0, 8.0, 5.0], [0, 0, 0], min_updates=2)
    assert duration_s.tolist() == [5.0]
    assert aggregated.tolist() == [True, False, True]


def test_fewer_selected_than_z_wait_for_all_of_them():
    duration_s, aggregated = times([4.0, 6.0], [0, 0], min_updates=5)
    assert duration_s.tolist() == [6.0]
    assert aggregated.all()


def test_the_wait_ends_with_what_is_in_by_then():
    duration_s, aggregated = times([1.0, 4.5, 9.0], [0, 0, 0], min_updates=3, max_wait_s=2.0, edge_compute_s=0.5)
    assert duration_s.tolist() == [5.5]
    assert aggregated.tolist() == [True, True, False]


def test_nothing_to_aggregate_takes_no_computation_and_nobody_selected_no_time():
    duration_s, aggregated = times([9.0], [0], n_edges=2, max_wait_s=1.0, edge_compute_s=0.5)
    assert duration_s.tolist() == [4.0, 0.0]
    assert not aggregated.any()
    assert times([], [], n_edges=2, edge_compute_s=0.5).duration_s.tolist() == [0.0, 0.0]


def test_each_edge_keeps_its_own_deadline():
    duration_s, _ = times([1.0, 9.0, 1.0, 9.0], [0, 0, 1, 1], deadline_s=[2.0, 5.0])
    assert duration_s.tolist() == [2.0, 5.0]


def transcribed(latency_s, edge, deadline_s, n_edges, min_updates, max_wait_s, edge_compute_s):
    """Eq. 6 and the project's reading of it, one edge and one client at a time."""
    durations, aggregated = [], [False] * len(edge)
    for m in range(n_edges):
        mine = [k for k in range(len(edge)) if edge[k] == m]
        in_time = [k for k in mine if latency_s[k] <= deadline_s[m]]
        if not mine:
            durations.append(0.0)
            continue
        if len(in_time) == len(mine):
            end = max(latency_s[k] for k in mine)
        elif len(in_time) >= min_updates:
            end = deadline_s[m]
        else:
            fastest = sorted(latency_s[k] for k in mine)
            end = min(fastest[min(min_updates, len(mine)) - 1], deadline_s[m] + max_wait_s)
        got = [k for k in mine if latency_s[k] <= end]
        for k in got:
            aggregated[k] = True
        durations.append(end + (edge_compute_s if got else 0.0))
    return durations, aggregated


seconds = st.one_of(st.sampled_from([1.0, 2.0, 3.0, 5.0, math.inf]), st.floats(0.1, 20))


@given(
    pairs=st.lists(st.tuples(seconds, st.integers(0, 3)), max_size=12),
    deadline_s=st.lists(st.sampled_from([1.0, 2.0, 3.0, 4.5]), min_size=4, max_size=4),
    min_updates=st.integers(1, 4),
    max_wait_s=st.sampled_from([0.0, 1.0, 2.5, math.inf]),
    edge_compute_s=st.sampled_from([0.0, 0.25]),
)
def test_the_clock_is_its_plain_transcription(pairs, deadline_s, min_updates, max_wait_s, edge_compute_s):
    """Sorting and counting all edges at once changes nothing."""
    latency_s, edge = [latency for latency, _ in pairs], [m for _, m in pairs]
    rules = {"min_updates": min_updates, "max_wait_s": max_wait_s, "edge_compute_s": edge_compute_s}
    duration_s, aggregated = times(latency_s, edge, deadline_s, n_edges=4, **rules)
    assert (duration_s.tolist(), aggregated.tolist()) == transcribed(latency_s, edge, deadline_s, 4, **rules)
