"""One round after the other: every policy meets the same rounds, is checked, timed and told what arrived."""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter
from typing import NamedTuple

import numpy as np

from cocs.core import (
    Observation,
    Policy,
    Selection,
    SelectionProblem,
    Setting,
    Truth,
    World,
    check_feasible,
    spending,
    utility,
)
from cocs.errors import CocsError, InvalidInputError, InvalidSelectionError, InvalidSettingError, PolicyError
from cocs.simulation.clock import clock
from cocs.simulation.records import Line, Recorder, Records
from cocs.solvers import Exact


class Best(NamedTuple):
    """What the three oracles' selections of one round are worth, in the objective's unit."""

    expected: float  # of the best selection under p
    context: float  # expected, of the best selection under E[p | context]; NaN where nobody knows that
    realised: float  # of the best selection under X


def simulate(world: World, policies: Mapping[str, Policy], rounds: int, start: int = 1) -> Records:
    """Play rounds start … start + rounds − 1 with every policy, from its present state, and record them.

    Policies are independent of each other: adding one changes no other's records but `decide_s`, the wall-clock time of
    `select`. A policy that breaks a rule ends the run with a `PolicyError`.
    """
    name, seed = type(world).__name__, getattr(world, "seed", 0)
    lines = [Line(job=label, world=name, policy=label, seed=seed) for label in policies]
    return play(world, list(policies.values()), lines, rounds, start)


def play(
    world: World,
    policies: Sequence[Policy],
    lines: Sequence[Line],
    rounds: int,
    start: int = 1,
    after_round: Callable[[], None] = lambda: None,
) -> Records:
    """Do as `simulate` does, with the names of the records' lines given."""
    if not policies:
        raise InvalidInputError("policies", "must hold at least one policy")
    for field, value in (("rounds", rounds), ("start", start)):
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
            raise InvalidSettingError(field, value, "must be a whole number, at least 1")
    recorder = Recorder(lines, rounds)
    setting = world.setting
    for t in range(start, start + rounds):
        observation, truth = world.round(t)
        best = _best(world, observation, truth)
        for number, policy in enumerate(policies):
            label = lines[number].policy
            began = perf_counter()
            try:
                selection = policy.select(observation)
            except Exception as error:
                raise _failed(label, t, "select", error) from error
            decide_s = perf_counter() - began
            if not isinstance(selection, Selection):
                raise PolicyError(label, t, f"select returned a {type(selection).__name__}, must return a Selection")
            try:
                check_feasible(observation, selection)
            except InvalidSelectionError as error:
                raise PolicyError(label, t, error.rule) from None
            _record(recorder, number, setting, observation, truth, best, selection, decide_s)
            try:
                policy.update(observation, selection, truth.reveal(selection))
            except Exception as error:
                raise _failed(label, t, "update", error) from error
        after_round()
    return recorder.records()


def _best(world: World, observation: Observation, truth: Truth) -> Best:
    objective, solve = world.setting.objective, Exact()
    expected, realised = (
        solve(SelectionProblem.of(observation, value, objective)).value
        for value in (truth.probability, truth.arrived.astype(np.float64))
    )
    informed = world.context_probability(observation)
    if informed is None:
        return Best(expected, math.nan, realised)
    chosen = solve(SelectionProblem.of(observation, informed, objective)).selection
    total = math.fsum(truth.probability[chosen.pairs].tolist())
    return Best(expected, utility(total, objective, observation.n_edges), realised)


def _record(
    recorder: Recorder,
    line: int,
    setting: Setting,
    observation: Observation,
    truth: Truth,
    best: Best,
    selection: Selection,
    decide_s: float,
) -> None:
    pairs, t, n_edges = selection.pairs, observation.round, observation.n_edges
    edge, arrived = observation.edge[pairs], truth.arrived[pairs]
    duration_s, aggregated = clock(setting, observation, truth, selection)
    spent = spending(observation, selection)
    n_arrived = int(np.count_nonzero(arrived))
    expected_arrivals = math.fsum(truth.probability[pairs].tolist())
    expected = utility(expected_arrivals, setting.objective, n_edges)
    realised = utility(float(n_arrived), setting.objective, n_edges)
    recorder.rounds.add(
        1,
        line,
        t,
        recorder.phase(selection.phase),
        len(pairs),
        n_arrived,
        expected_arrivals,
        realised,
        best.expected - expected,
        best.context - expected,
        best.realised - realised,
        math.fsum(spent.tolist()),
        duration_s.max() if n_edges else 0.0,
        decide_s,
    )
    counts = (np.bincount(edge[mask], minlength=n_edges) for mask in (arrived, aggregated))
    recorder.edges.add(
        n_edges, line, t, np.arange(n_edges), np.bincount(edge, minlength=n_edges), *counts, spent, duration_s
    )
    latency_s, client, cost = truth.latency_s[pairs], observation.client[pairs], observation.cost[pairs]
    recorder.decisions.add(len(pairs), line, t, client, edge, cost, arrived, aggregated, latency_s)


def _failed(policy: str, t: int, method: str, error: Exception) -> PolicyError:
    """Name the policy and the round; of an error that was not raised on purpose, the place too."""
    if isinstance(error, CocsError):
        return PolicyError(policy, t, f"{method}: {error}")
    place = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{place.filename}, line {place.lineno}"
    return PolicyError(policy, t, f"{method} raised {type(error).__name__}: {error} ({where})")
