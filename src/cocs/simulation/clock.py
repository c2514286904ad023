"""How long a round takes on each edge, and whose updates are aggregated."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from cocs.core import Observation, Selection, Setting, Truth
from cocs.core.arrays import BoolArray, FloatArray


class Times(NamedTuple):
    """One round on the clock."""

    duration_s: FloatArray  # (M,) seconds; 0 where nobody was selected
    aggregated: BoolArray  # (K,) whether the chosen pair's update enters its edge's model


def clock(setting: Setting, observation: Observation, truth: Truth, selection: Selection) -> Times:
    """Time a round on every edge (Qu et al., Eq. 6).

    An edge is done at its last arrival when all whom it selected are in time; else at its deadline, if at least Z
    (`min_updates`) arrived. With fewer it waits for the Z-th fastest of the selected, or for all of them where fewer
    than Z were selected, `max_wait_s` past the deadline at most, and aggregates those that are in by then. Its own
    computation, `edge_compute_s`, follows whenever there is something to aggregate.
    """
    n_edges = observation.n_edges
    if not len(selection.pairs):
        return Times(np.zeros(n_edges), np.zeros(0, np.bool_))
    edge = observation.edge[selection.pairs]
    latency = truth.latency_s[selection.pairs]
    selected = np.bincount(edge, minlength=n_edges)
    arrived = np.bincount(edge[truth.arrived[selection.pairs]], minlength=n_edges)
    # Latencies by edge, fastest first: edge m's are ordered[first[m] : first[m] + selected[m]].
    ordered = latency[np.lexsort((latency, edge))]
    first = selected.cumsum() - selected
    last = ordered[np.maximum(first + selected - 1, 0)]
    deadline = observation.deadline_s
    done = np.where(arrived == selected, last, deadline)
    wanted = np.minimum(selected, setting.min_updates)
    short = arrived < wanted
    if short.any():
        fast_enough = ordered[np.minimum(first + wanted, len(ordered)) - 1]
        done = np.where(short, np.minimum(fast_enough, deadline + setting.max_wait_s), done)
    done[selected == 0] = 0.0
    aggregated = latency <= done[edge]
    if setting.edge_compute_s:
        done = done + setting.edge_compute_s * (np.bincount(edge[aggregated], minlength=n_edges) > 0)
    return Times(done, aggregated)
