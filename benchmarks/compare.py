"""What the simulation costs beyond the policies: `python benchmarks/compare.py [rounds]`.

The loop with its checks, clock and records against a bare loop that only calls `select` and `update`, on rounds drawn
beforehand and policies that do nothing; then a whole comparison of the shipped policies, split by what takes the time.
"""

# ruff: noqa: D102  (the interfaces say what these methods do)

from __future__ import annotations

import statistics
import sys
from time import perf_counter

import numpy as np

import cocs
from cocs.core import Feedback, Observation, Selection, Truth
from cocs.experiments import DEFAULT_POLICIES
from cocs.registry import split_policies

PLAYERS = 10
REPEATS = 7
NOBODY = Feedback([], [], [])


class DrawnBefore:
    """A world whose rounds are there already; without E[p | context], so that drawing costs nothing here."""

    def __init__(self, world: cocs.World, rounds: int) -> None:
        self.setting = world.setting
        self.rounds = [world.round(t) for t in range(1, rounds + 1)]

    def round(self, t: int) -> tuple[Observation, Truth]:
        return self.rounds[t - 1]

    def context_probability(self, observation: Observation) -> None:
        return None


class Prepared:
    """A policy that has made up its mind beforehand."""

    def __init__(self, selections: list[Selection]) -> None:
        self.selections = selections

    def select(self, observation: Observation) -> Selection:
        return self.selections[observation.round - 1]

    def update(self, observation: Observation, selection: Selection, feedback: Feedback) -> None:
        pass

    def state(self) -> dict[str, np.ndarray]:
        return {}

    def restore(self, state: dict[str, np.ndarray]) -> None:
        pass


def bare(world: DrawnBefore, policies: list[Prepared], rounds: int) -> None:
    for t in range(1, rounds + 1):
        observation, _ = world.round(t)
        for policy in policies:
            policy.update(observation, policy.select(observation), NOBODY)


def seconds(run, *arguments) -> float:
    began = perf_counter()
    run(*arguments)
    return perf_counter() - began


def overhead(name: str, rounds: int) -> None:
    drawn = DrawnBefore(cocs.make_world(name), rounds)
    choose = cocs.make_policy("random", drawn)
    selections = [choose.select(observation) for observation, _ in drawn.rounds]
    one, many = [Prepared(selections)], [Prepared(selections) for _ in range(PLAYERS + 1)]
    bares, loops, shares = [], [], []
    for _ in range(
        REPEATS
    ):  # the two sides alternate; the difference of 11 policies and 1 leaves the oracles' share out
        bares.append(seconds(bare, drawn, many, rounds))
        few = seconds(cocs.simulate, drawn, {"0": one[0]}, rounds)
        loops.append(seconds(cocs.simulate, drawn, {str(k): policy for k, policy in enumerate(many)}, rounds))
        shares.append((loops[-1] - few) / PLAYERS / rounds)
    per_policy = statistics.median(shares)
    per_bare = statistics.median(bares) / (PLAYERS + 1) / rounds
    print(
        f"{name}: loop, checks, clock and records {1e6 * per_policy:.1f} µs a policy and round, "
        f"{per_policy / per_bare:.0f} × a bare loop ({1e6 * per_bare:.2f} µs); the oracles' values "
        f"{1e6 * (statistics.median(loops) / rounds - (PLAYERS + 1) * per_policy):.0f} µs a round"
    )


def whole(name: str, rounds: int) -> None:
    policies = split_policies(DEFAULT_POLICIES)
    cocs.compare(name, policies, seeds=[0], rounds=10)  # loads and warms everything
    began = perf_counter()
    records = cocs.compare(name, policies, seeds=[1], rounds=rounds)
    took = perf_counter() - began
    share = records.rounds["decide_s"].sum() / took
    print(f"{name}: {rounds} rounds of {len(policies)} policies in {took:.2f} s, {share:.0%} of it in select")


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    for name in cocs.list_worlds():
        overhead(name, rounds)
        whole(name, rounds)


if __name__ == "__main__":
    main()
