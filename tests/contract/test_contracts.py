"""The contracts on trial themselves: a sound subject passes each check, a broken one does not."""

from __future__ import annotations

import itertools
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from broken_policies import BROKEN, Sound
from hypothesis import given, settings
from hypothesis import strategies as st

from cocs.contracts import (
    EXACT_CHECKS,
    POLICY_CHECKS,
    SOLVER_CHECKS,
    WORLD_CHECKS,
    Altered,
    ContractError,
    SyntheticWorld,
    check_policy,
    check_solver,
    check_world,
    enumerate_best,
    greedy,
    maker,
    solver_cases,
)
from cocs.core import Selection, SelectionProblem, Truth, check_feasible
from cocs.policies import Oracle, Random

WORLD = SyntheticWorld()


@pytest.mark.parametrize("name", POLICY_CHECKS)
def test_a_sound_policy_passes(name):
    """No check asks for more than the contract."""
    POLICY_CHECKS[name](Sound, WORLD)


@pytest.mark.parametrize(("name", "broken"), [(name, kind) for name, kinds in BROKEN.items() for kind in kinds])
def test_a_broken_policy_is_caught(name, broken):
    """By the check that is named for what is broken; it takes that one, for in ordinary rounds all seems well."""
    if name != "feasible":
        POLICY_CHECKS["feasible"](broken, WORLD)
    with pytest.raises(ContractError) as caught:
        POLICY_CHECKS[name](broken, WORLD)
    assert caught.value.promise
    assert caught.value.rule


def test_every_policy_check_has_caught_somebody():
    """A check that cannot fail is a defect."""
    assert set(BROKEN) == set(POLICY_CHECKS)


def test_check_policy_hands_the_world_to_those_that_say_they_read_it():
    """And the parameters, the solver and the seed to all."""
    check_policy(Oracle, WORLD)
    make = maker(Random, solve=enumerate_best, seed=5, draw="edge")
    policy = make(WORLD)
    assert (policy.solve, policy.seed, policy.draw) == (enumerate_best, 5, "edge")
    with pytest.raises(ContractError, match="budget"):
        check_policy(lambda setting, *, solve, seed: BROKEN["feasible"][0](WORLD))


def infeasible(problem):
    honest = greedy(problem)
    pairs = np.unique(problem.client, return_index=True)[1]
    return replace(honest, selection=Selection(np.sort(pairs)), value=problem.total(pairs))


def changed(solve=greedy, **changes):
    return lambda problem: replace(
        solve(problem), **{field: change(problem, solve(problem)) for field, change in changes.items()}
    )


def strict(problem):
    """An exact solver that forgets the tolerance: 0.1 + 0.2 is more than its 0.3."""
    return enumerate_best(replace(problem, budget=problem.budget * (1 - 1e-9)))


def first_edges(problem):
    """Exact wherever no client has a choice."""
    value = np.zeros(len(problem.client))
    value[np.unique(problem.client, return_index=True)[1]] = 1
    best = enumerate_best(replace(problem, value=problem.value * value))
    total = problem.total(best.selection.pairs)
    return type(best).of(problem, best.selection.pairs, total, "optimal")


def fickle():
    calls = itertools.count()
    return lambda problem: enumerate_best(replace(problem, tie_seed=next(calls)))


def fails(problem):
    raise ZeroDivisionError("a division by zero")


BROKEN_SOLVERS = {
    "feasible": [infeasible, fails],
    "bound holds": [
        changed(bound=lambda p, s: s.value, gap=lambda p, s: 0.0),
        changed(value=lambda p, s: s.value * 1.0001),
        changed(gap=lambda p, s: s.gap / 2),
        changed(status=lambda p, s: "optimal"),
        changed(enumerate_best, bound=lambda p, s: s.value * 0.999, gap=lambda p, s: 0.0),
        lambda problem: greedy(replace(problem, objective="sum")),
        first_edges,
    ],
    "prices are prices": [
        changed(prices=lambda p, s: -np.ones(p.n_edges)),
        changed(prices=lambda p, s: np.ones(p.n_edges + 1)),
        changed(prices=lambda p, s: np.full(p.n_edges, np.nan)),
    ],
    "deterministic": [fickle()],
    "optimal": [greedy, first_edges, strict],
    "ties are drawn": [lambda problem: enumerate_best(replace(problem, tie_seed=None))],
}


@pytest.mark.parametrize(
    ("name", "broken"), [(name, broken) for name, several in BROKEN_SOLVERS.items() for broken in several]
)
def test_a_broken_solver_is_caught(name, broken):
    """By the check that is named for what is broken."""
    with pytest.raises(ContractError):
        (SOLVER_CHECKS | EXACT_CHECKS)[name](broken)


def test_every_solver_check_has_caught_somebody_and_lets_the_sound_pass():
    """A greedy solver keeps the contract, enumeration the exact one as well."""
    assert set(BROKEN_SOLVERS) == set(SOLVER_CHECKS | EXACT_CHECKS)
    check_solver(greedy)
    check_solver(enumerate_best, exact=True)


def test_names_of_cases_are_unique_and_cases_repeat():
    """A case can be named in a report, and is the same in the next run."""
    first, again = list(solver_cases()), list(solver_cases())
    assert len({name for name, _ in first}) == len(first) > 40
    for (_, one), (_, other) in zip(first, again, strict=True):
        assert one.value.tolist() == other.value.tolist()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 2**40), st.integers(1, 5), st.integers(1, 3), st.booleans())
def test_reference_solvers_against_every_subset(seed, n_clients, n_edges, whole):
    """Enumeration is the maximum over all assignments; greedy is feasible, and bounded rightly."""
    generator = np.random.default_rng(seed)
    client, edge = np.nonzero(generator.random((n_clients, n_edges)) < 0.8)
    value, cost = generator.random((2, len(client))) * 3
    if whole:
        value, cost = np.round(value), np.round(cost)
    problem = SelectionProblem(client, edge, value, cost, np.full(n_edges, 3.0), n_clients, tie_seed=seed)
    best = 0.0
    for choice in product(range(-1, n_edges), repeat=n_clients):
        pairs = np.array([k for k in range(len(client)) if choice[client[k]] == edge[k]], np.int64)
        if (np.bincount(edge[pairs], cost[pairs], n_edges) <= 3.0 * (1 + 1e-9)).all():
            best = max(best, value[pairs].sum())

    for solve in (enumerate_best, greedy):
        solution = solve(problem)
        check_feasible(problem, solution.selection)
        assert solution.value <= best + 1e-9
        assert solution.bound >= best - 1e-9
    assert enumerate_best(problem).value == pytest.approx(best, abs=1e-9)


def altered(change):
    return lambda seed: Altered(SyntheticWorld(seed), change)


def impure(seed):
    calls = itertools.count()
    return altered(lambda o, t: (replace(o, cost=o.cost + next(calls)), t))(seed)


def unlike_itself():
    """Each world made is another, though each is pure."""
    made = itertools.count()
    return lambda seed: SyntheticWorld(1000 * seed + next(made))


def biased(share, above=0.0):
    """Arrivals come less often than the probability says."""

    def change(observation, truth):
        probability = np.where(truth.probability >= above, truth.probability * share, truth.probability)
        return observation, Truth(probability, truth.latency_s, truth.arrived)

    return altered(change)


class Mistaken(Altered):
    """E[p | context] is off."""

    def __init__(self, seed, mistake):
        super().__init__(SyntheticWorld(seed), lambda o, t: (o, t))
        object.__setattr__(self, "mistake", mistake)

    def context_probability(self, observation):
        return self.mistake(super().context_probability(observation))


class OneRound(Altered):
    """Every round is the first."""

    def __init__(self, seed):
        super().__init__(SyntheticWorld(seed), lambda o, t: (o, t))

    def round(self, t):
        return self.world.round(1)


class Mute(SyntheticWorld):
    """Nobody knows E[p | context]: allowed."""

    def context_probability(self, observation):
        return None


BROKEN_WORLDS = {
    "pure": [
        impure,
        unlike_itself(),
        lambda seed: SyntheticWorld(0),
        lambda seed: type(
            "Same", (), {"setting": WORLD.setting, "round": lambda s, t: SyntheticWorld(seed).round(1)}
        )(),
    ],
    "fits its setting": [
        altered(lambda o, t: (replace(o, round=o.round + 1), t)),
        altered(lambda o, t: (replace(o, budget=np.append(o.budget, 1), deadline_s=np.append(o.deadline_s, 1)), t)),
        altered(lambda o, t: (replace(o, context=o.context[:, :1]), t)),
        altered(lambda o, t: (o, Truth(t.probability[:-1], t.latency_s[:-1], t.arrived[:-1]))),
        altered(lambda o, t: (replace(o, deadline_s=0 * o.deadline_s), t)),
        lambda seed: SyntheticWorld(seed, n_clients=8 + seed),
        lambda seed: SyntheticWorld(seed, growth=-0.1),
    ],
    "truth is consistent": [
        altered(lambda o, t: (o, Truth(t.probability + 1, t.latency_s, t.arrived))),
        altered(lambda o, t: (o, Truth(t.probability, t.latency_s, ~t.arrived))),
        altered(lambda o, t: (o, Truth(t.probability, np.where(t.arrived, -t.latency_s, t.latency_s), t.arrived))),
        altered(lambda o, t: (replace(o, deadline_s=o.deadline_s * [1, 1, 1.05]), t)),
    ],
    "arrivals follow probability": [
        biased(0.9),
        biased(1.15),
        biased(1.3, above=0.55),
        altered(lambda o, t: (o, Truth(np.round(t.probability), t.latency_s, t.arrived))),
    ],
    "context probability is the mean": [
        lambda seed: Mistaken(seed, lambda p: p * 0.97),
        lambda seed: Mistaken(seed, lambda p: np.where(p > 0.5, p + 0.03, p)),
        lambda seed: Mistaken(seed, lambda p: p[:-1]),
        lambda seed: Mistaken(seed, lambda p: p - 0.5),
    ],
}


@pytest.mark.parametrize(
    ("name", "broken"), [(name, broken) for name, several in BROKEN_WORLDS.items() for broken in several]
)
def test_a_broken_world_is_caught(name, broken):
    """By the check that is named for what is broken."""
    with pytest.raises(ContractError):
        WORLD_CHECKS[name](broken)


@pytest.mark.parametrize(
    "make",
    [SyntheticWorld, Mute, lambda seed: SyntheticWorld(seed, n_clients=1, n_edges=1, dimension=1, coverage=0.3)],
    ids=["synthetic", "mute", "nearly empty"],
)
def test_every_world_check_has_caught_somebody_and_lets_the_sound_pass(make):
    """The synthetic world keeps the contract, nearly empty too, and without E[p | context]."""
    assert set(BROKEN_WORLDS) == set(WORLD_CHECKS)
    check_world(make)
