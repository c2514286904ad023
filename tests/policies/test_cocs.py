from __future__ import annotations

import math
import subprocess
import sys
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from plain import PlainCOCS, feasible_sets, most

from cocs.contracts.reference import enumerate_best, greedy
from cocs.contracts.rounds import HARD_ROUNDS
from cocs.contracts.synthetic import Altered, SyntheticWorld
from cocs.core import (
    ContextScaler,
    Feedback,
    Observation,
    Selection,
    SelectionProblem,
    Setting,
    Solution,
    check_feasible,
)
from cocs.errors import InvalidSettingError, InvalidStateError
from cocs.policies import COCS

SMALL = SyntheticWorld(n_clients=5, n_edges=2, growth=0, coverage=0.8, budget=1.8)
READINGS = [
    {"sharing": "pair", "scale": 0.1},
    {"sharing": "client", "scale": 0.3},
    {"sharing": "edge", "scale": 1.0},
    {"sharing": "all", "scale": 2.0},
    {"sharing": "pair", "scale": 0.1, "under_explored": "edge"},
    {"sharing": "pair", "scale": 0.1, "explore": "under-explored"},
    {"sharing": "client", "scale": 0.2, "under_explored": "edge", "explore": "under-explored"},
    {"sharing": "all", "scale": 2.0, "alpha": 2.0},
]


def label(parameters):
    return ",".join(f"{key}={value}" for key, value in parameters.items())


def play(policy, world, rounds, judge=None):
    """Play with every outcome told at once; return how often each verdict, or phase, came."""
    seen = Counter()
    for t in rounds:
        observation, truth = world.round(t)
        selection = policy.select(observation)
        check_feasible(observation, selection)
        feedback = truth.reveal(selection)
        seen[judge.judge(observation, selection) if judge else selection.phase] += 1
        policy.update(observation, selection, feedback)
        if judge:
            judge.update(observation, feedback)
    return seen


def worthless_too(problem: SelectionProblem) -> Solution:
    """The best selection, and pairs worth nothing wherever they still fit: as feasible, and as good."""
    best = enumerate_best(problem)
    fits = replace(problem, value=np.where(problem.value > 0, problem.value, 1e-6))
    return Solution.of(problem, enumerate_best(fits).selection.pairs, best.bound, "optimal")


@pytest.mark.parametrize("solve", [enumerate_best, worthless_too], ids=["enumerate", "worthless-too"])
@pytest.mark.parametrize("parameters", READINGS, ids=label)
def test_every_round_is_one_that_algorithm_1_allows(parameters, solve):
    """Phase, set and counters are those of a word-by-word Algorithm 1, and each of its cases comes up."""
    plain = PlainCOCS(cells=2, **parameters)
    policy = COCS(SMALL.setting, solve=solve, cells=2, **parameters)

    seen = play(policy, SMALL, range(1, 301), plain)

    assert {"case i", "case ii", "exploit"} <= set(seen)
    assert policy.counts.cells_seen == len(plain.counter)
    assert int(policy.state()["tries"].sum()) == sum(plain.counter.values())
    for t in range(301, 320):
        observation, _ = SMALL.round(t)
        tries, rate = policy.counts.lookup(observation)
        pairs = range(len(observation.client))
        assert tries.tolist() == [plain.counter.get(plain.key(observation, k), 0) for k in pairs]
        assert rate.tolist() == [plain.estimate(observation, k) for k in pairs]


def test_published_constants_explore_in_each_of_the_first_1000_rounds():
    """At the paper's size no round exploits: 3,750 cells want 109 tries each, and some 5 to 15 are made a round."""
    world = SyntheticWorld(n_clients=50, n_edges=3, growth=0, coverage=1, budget=3.5)
    policy = COCS(world.setting, solve=greedy)

    assert play(policy, world, range(1, 1001)) == {"explore": 1000}
    assert policy.counts.cells_seen <= 50 * 3 * 25


@pytest.mark.parametrize(
    ("dimension", "parameters", "round", "expected"),
    [
        (2, {}, 1, 0.0),
        (2, {}, 1000, 1000**0.4 * math.log(1000)),
        (2, {"scale": 0.1}, 1000, 0.1 * 1000**0.4 * math.log(1000)),
        (2, {"alpha": 2.0}, 1000, 1000**0.5 * math.log(1000)),
        (4, {}, 1000, 1000 ** (2 / 7) * math.log(1000)),
        (2, {"exponent": 0.8}, 100, 100**0.8 * math.log(100)),
        (2, {"exponent": 0}, 100, math.log(100)),
    ],
)
def test_threshold_is_k_of_t(dimension, parameters, round, expected):
    """K(t) = scale · t^z · ln t, z from Theorem 2 unless given."""
    setting = SyntheticWorld(dimension=dimension).setting
    assert COCS(setting, solve=greedy, **parameters).threshold(round) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("horizon", "dimension", "alpha", "cells"),
    [
        (1880, 2, 1, 5),
        (1000, 2, 1, 4),
        (1024, 2, 1, 4),
        (1025, 2, 1, 5),
        (3125, 2, 1, 5),
        (1, 2, 1, 1),
        (1000, 4, 1, 3),
        (256, 2, 2, 2),
    ],
)
def test_cells_none_takes_what_theorem_2_asks_for(horizon, dimension, alpha, cells):
    """⌈T^(1/(3α + D))⌉, without a rounding error at whole powers."""
    setting = SyntheticWorld(dimension=dimension, horizon=horizon).setting
    assert COCS(setting, solve=greedy, cells=None, alpha=alpha).counts.cells == cells


def test_ties_by_estimate_take_the_largest_set_of_highest_estimates():
    """Estimates decide among equally large sets only: no exploring round takes a pair less."""
    policy = COCS(SMALL.setting, solve=enumerate_best, cells=2, ties="estimate")
    drawn = COCS(SMALL.setting, solve=enumerate_best, cells=2)
    better = 0.0
    for t in range(1, 121):
        observation, truth = SMALL.round(t)
        selection = policy.select(observation)
        _, rate = policy.counts.lookup(observation)
        everyone = set(range(len(observation.client)))
        assert selection.phase == "explore"  # K(t) outgrows the tries of this few rounds
        assert len(selection.pairs) == most(observation, everyone)
        largest = [
            r
            for r in feasible_sets(observation, sorted(everyone), observation.budget)
            if len(r) == len(selection.pairs)
        ]
        assert rate[selection.pairs].sum() == pytest.approx(max(rate[rows].sum() for rows in largest))
        drawn.restore(policy.state())
        better += rate[selection.pairs].sum() - rate[drawn.select(observation).pairs].sum()
        policy.update(observation, selection, truth.reveal(selection))
    assert better > 1


def test_equally_large_sets_are_drawn_by_seed_and_round():
    """Two seeds explore differently, one seed twice the same."""
    world = SyntheticWorld(budget=5)
    first, again, other = (COCS(world.setting, solve=enumerate_best, seed=seed) for seed in (0, 0, 1))
    chosen = [[p.select(world.round(t)[0]).pairs.tolist() for t in range(1, 20)] for p in (first, again, other)]
    assert chosen[0] == chosen[1]
    assert chosen[0] != chosen[2]


def test_solver_is_asked_for_the_settings_objective_with_a_fresh_tie_seed_each_time():
    """Every stage of every round hands over the objective and a tie seed of its own."""
    problems: list[SelectionProblem] = []

    def spy(problem):
        problems.append(problem)
        return enumerate_best(problem)

    setting = replace(SMALL.setting, objective="sqrt")
    play(COCS(setting, solve=spy, cells=2, scale=0.1), SMALL, range(1, 101))
    assert {problem.objective for problem in problems} == {"sqrt"}
    assert len({problem.tie_seed for problem in problems}) == len(problems) > 100  # the second stages among them


def test_what_is_left_goes_to_explored_pairs_however_poor_the_first_stage():
    """A solver that explores nothing leaves all to the second stage, which still must not explore."""
    problems: list[SelectionProblem] = []

    def lazy(problem):
        problems.append(problem)
        exploring = len(problem.value) > 0 and set(problem.value) <= {0.0, 1.0} and problem.value.min() == 0
        return Solution.of(problem, np.zeros(0, np.int64), 1e9, "feasible") if exploring else enumerate_best(problem)

    policy = COCS(SMALL.setting, solve=lazy, cells=2, scale=0.1)
    policy.restore(learned().state())
    second = 0
    for t in range(21, 60):
        observation, _ = SMALL.round(t)
        problems.clear()
        selection = policy.select(observation)
        tries, _ = policy.counts.lookup(observation)
        if len(problems) == 2:
            second += 1
            assert (tries[selection.pairs] > policy.threshold(t)).all()
            assert len(problems[1].value) == (tries > policy.threshold(t)).sum()
    assert second > 10


def test_a_first_stage_that_spends_a_budget_to_the_last_bit_leaves_0():
    """0.6 − (0.1 + 0.2 + 0.3) is below 0 in floating point; the second stage gets a budget of 0, not an error."""
    world = Altered(SyntheticWorld(n_edges=2, growth=0), HARD_ROUNDS["costs that fit exactly"])
    left = []

    def spy(problem):
        left.append(problem.budget.min())
        return enumerate_best(problem)

    play(COCS(world.setting, solve=spy, cells=2, scale=0.1), world, range(1, 201))
    assert 0.0 in left


def test_outcomes_late_partly_or_in_another_order_give_the_same_counts():
    """Counts are whole numbers: what is known in the end decides, not when it came."""
    at_once, late = (COCS(SMALL.setting, solve=enumerate_best, cells=2, sharing="edge") for _ in range(2))
    reports = []
    for t in range(1, 40):
        observation, truth = SMALL.round(t)
        selection = at_once.select(observation)
        at_once.update(observation, selection, truth.reveal(selection))
        reports += [
            (observation, selection, truth.reveal(Selection(selection.pairs[k : k + 1])))
            for k in range(len(selection.pairs))
        ]
    for i in np.random.default_rng(0).permutation(len(reports)):
        late.update(*reports[i])

    state = late.state()
    assert {name: array.tolist() for name, array in at_once.state().items()} == {
        name: array.tolist() for name, array in state.items()
    }


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("cells", 0),
        ("cells", 2.5),
        ("cells", True),
        ("cells", 2**32),
        ("alpha", 0),
        ("alpha", math.nan),
        ("alpha", "1"),
        ("exponent", -0.1),
        ("exponent", math.inf),
        ("scale", 0),
        ("scale", math.nan),
        ("sharing", "none"),
        ("explore", "all"),
        ("ties", "first"),
        ("under_explored", "client"),
        ("seed", -1),
    ],
)
def test_impossible_parameters_are_refused_when_built(field, value):
    """The error names the field, the value and the rule."""
    with pytest.raises(InvalidSettingError) as caught:
        COCS(SMALL.setting, solve=greedy, **{field: value})
    assert caught.value.field == field


SCALER = ContextScaler(("rate", "compute"), [0.0, 0.0], [1.0, 2.0])


def learned(setting=SMALL.setting, **parameters):
    policy = COCS(setting, solve=enumerate_best, **{"cells": 2, **parameters})
    play(policy, SMALL, range(1, 21))
    return policy


@pytest.mark.parametrize(
    ("setting", "parameters"),
    [
        (SMALL.setting, {"cells": 3}),
        (SMALL.setting, {"sharing": "all"}),
        (replace(SMALL.setting, context=("rate", "y"), scaler=None), {}),
        (replace(SMALL.setting, n_edges=3), {}),
        (replace(SMALL.setting, scaler=SCALER), {}),
    ],
)
def test_a_state_of_other_cells_is_refused(setting, parameters):
    """Counts mean something else where cells, sharing, columns, edges or ranges differ."""
    with pytest.raises(InvalidStateError):
        COCS(setting, solve=greedy, **{"cells": 2, **parameters}).restore(learned().state())


def test_a_state_of_other_ranges_of_the_context_is_refused():
    """A scaler travels with the state; the same one is accepted, another is not."""
    setting = replace(SMALL.setting, scaler=SCALER)
    state = learned(setting).state()
    assert state["scaler_high"].tolist() == [1.0, 2.0]
    COCS(setting, solve=greedy, cells=2).restore(state)
    for other in (ContextScaler(("rate", "compute"), [0.0, 0.0], [1.0, 3.0]), None):
        with pytest.raises(InvalidStateError):
            COCS(replace(setting, scaler=other), solve=greedy, cells=2).restore(state)


@pytest.mark.parametrize(
    "damage",
    [
        lambda s: s.pop("tries"),
        lambda s: s.update(more=np.zeros(1)),
        lambda s: s.update(tries=s["tries"].astype(float)),
        lambda s: s.update(arrivals=np.full(len(s["keys"]), math.nan)),
        lambda s: s.update(arrivals=s["tries"] + 1),
        lambda s: s.update(arrivals=-s["tries"]),
        lambda s: s.update(tries=0 * s["tries"], arrivals=0 * s["tries"]),
        lambda s: s.update(keys=s["keys"][::-1]),
        lambda s: s.update(keys=s["keys"][[0, 2, 1, *range(3, len(s["keys"]))]]),
        lambda s: s.update(keys=s["keys"][[0, 1, 1, *range(3, len(s["keys"]))]]),
        lambda s: s.update(keys=s["keys"] - s["keys"][0] - 1),
        lambda s: s.update(keys=s["keys"][:-1]),
        lambda s: s.update(keys=s["keys"][:, None]),
        lambda s: s.update(keys=s["keys"].tolist()),
    ],
)
def test_a_damaged_state_is_refused_and_nothing_is_lost(damage):
    """What was learned before stays as it was when a restore fails."""
    policy = learned()
    state = policy.state()
    damage(state)
    with pytest.raises(InvalidStateError):
        policy.restore(state)
    assert policy.state()["keys"].tolist() == learned().state()["keys"].tolist()


def test_nothing_learned_can_be_saved_and_restored():
    """The state before round 1 is a state like any other."""
    policy = learned()
    policy.restore(COCS(SMALL.setting, solve=greedy, cells=2).state())
    assert policy.counts.cells_seen == 0


def test_importing_policies_and_contracts_stays_light():
    """numba loads when a kernel is called, the rest of the heavy libraries never."""
    heavy = "{'numba', 'torch', 'matplotlib', 'polars', 'highspy'}"
    code = f"import sys, cocs.policies, cocs.contracts; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_feedback_about_rows_that_are_no_candidates_is_refused():
    """A row outside the observation is an error, not a count somewhere else."""
    policy = learned()
    observation, _ = SMALL.round(1)
    before = policy.state()["tries"].sum()
    for row in (len(observation.client), -1):
        with pytest.raises(ValueError, match="candidate pairs"):
            policy.update(observation, Selection([]), Feedback(np.array([row]), [True], [1.0]))
    assert policy.state()["tries"].sum() == before


def test_a_setting_written_by_hand_is_enough():
    """No world is needed: a client unknown until now, at one edge, is explored."""
    policy = COCS(Setting(1, 1, 10, ("rate",)), solve=greedy)
    observation = Observation(1, [7], [0], [[0.5]], [1.0], [2.0], [3.0], 8)
    assert policy.select(observation).pairs.tolist() == [0]
