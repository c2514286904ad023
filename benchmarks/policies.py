"""What one decision and its update cost beyond the solver: COCS, against the same policy on a plain dict of cells.

    python benchmarks/policies.py [--rounds 400] [--clients 50] [--edges 3]

By default at the paper's size: 50 clients and 3 edges, all in reach, 150 pairs a round, where 100 µs are allowed. Both
play the same rounds in turn, in this one process, and must choose alike; the solver's own time is taken out of both.
Prints medians and their ratio.
"""

from __future__ import annotations

import argparse
import time
from statistics import median
from typing import Any

import numpy as np

from cocs.contracts import SyntheticWorld, greedy
from cocs.core import Observation, Policy, SelectionProblem, Solution
from cocs.core.arrays import BoolArray, FloatArray, IntArray
from cocs.policies import COCS, Cardinality, Random

WARM_UP = 20  # rounds that are played but not timed: the first compiles

LINES: dict[str, dict[str, Any]] = {
    "published": {},
    "sharing=client,cells=2,scale=0.1": {"sharing": "client", "cells": 2, "scale": 0.1},
    "sharing=all,scale=0.1": {"sharing": "all", "scale": 0.1},
    "ties=estimate": {"ties": "estimate"},
}


class DictCells:
    """The same counts in a dict, one look-up a pair: how one would write it first."""

    def __init__(self, cells: int, sharing: str) -> None:
        self.cells, self.sharing = cells, sharing
        self.counts: dict[tuple[int, ...], tuple[int, int]] = {}

    def keys(self, observation: Observation, rows: IntArray) -> list[tuple[int, ...]]:
        """Return the key of each row's cell."""
        cell = np.minimum((observation.context[rows] * self.cells).astype(np.int64), self.cells - 1)
        columns = [*cell.T.tolist()]
        if self.sharing in ("pair", "client"):
            columns.append(observation.client[rows].tolist())
        if self.sharing in ("pair", "edge"):
            columns.append(observation.edge[rows].tolist())
        return list(zip(*columns, strict=True))

    def lookup(self, observation: Observation) -> tuple[IntArray, FloatArray]:
        """Return tries and rate of each pair."""
        found = [self.counts.get(key, (0, 0)) for key in self.keys(observation, np.arange(len(observation.client)))]
        tries, arrivals = np.array(found).T
        return tries, arrivals / np.maximum(tries, 1)

    def add(self, observation: Observation, pairs: IntArray, arrived: BoolArray) -> None:
        """Count one try of each row."""
        for key, x in zip(self.keys(observation, pairs), arrived.tolist(), strict=True):
            tries, arrivals = self.counts.get(key, (0, 0))
            self.counts[key] = tries + 1, arrivals + x


class Stopwatch:
    """A solver that keeps what time it took, so that it can be taken out."""

    def __init__(self) -> None:
        self.spent_s = 0.0

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Solve greedily."""
        start = time.perf_counter()
        solution = greedy(problem)
        self.spent_s += time.perf_counter() - start
        return solution


def timed(policies: list[tuple[Policy, Stopwatch]], world: SyntheticWorld, rounds: int) -> list[float]:
    """Return each policy's median time a round in µs, without its solver's; they play each round in turn."""
    taken: list[list[float]] = [[] for _ in policies]
    for t in range(1, WARM_UP + rounds + 1):
        observation, truth = world.round(t)
        chosen = []
        for (policy, watch), times in zip(policies, taken, strict=True):
            watch.spent_s = 0.0
            start = time.perf_counter()
            selection = policy.select(observation)
            asked = time.perf_counter()
            feedback = truth.reveal(selection)
            told = time.perf_counter()
            policy.update(observation, selection, feedback)
            times.append(1e6 * (time.perf_counter() - told + asked - start - watch.spent_s))
            chosen.append(selection.pairs.tolist())
        if any(pairs != chosen[0] for pairs in chosen):
            raise SystemExit(f"round {t}: the peers chose differently")
    return [median(times[WARM_UP:]) for times in taken]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=400)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--edges", type=int, default=3)
    given = parser.parse_args()
    world = SyntheticWorld(n_clients=given.clients, n_edges=given.edges, growth=0, coverage=1, budget=3.5)
    for name, parameters in LINES.items():
        watch, peer_watch = Stopwatch(), Stopwatch()
        policy = COCS(world.setting, solve=watch, **parameters)
        peer = COCS(world.setting, solve=peer_watch, **parameters)
        object.__setattr__(peer, "counts", DictCells(policy.counts.cells, policy.sharing))
        ours, theirs = timed([(policy, watch), (peer, peer_watch)], world, given.rounds)
        print(f"cocs, {name}: {ours:.1f} µs a round; on a dict {theirs:.1f} µs, {theirs / ours:.2f} times as much")
    for kind in (Random, Cardinality):
        watch = Stopwatch()
        (ours,) = timed([(kind(world.setting, solve=watch), watch)], world, given.rounds)
        print(f"{kind.__name__.lower()}: {ours:.1f} µs a round")


if __name__ == "__main__":
    main()
