"""`density`, `enumeration`, `milp` and `auto`: what each promises beyond the shared contract."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from problems import NEAR, paper_round, problem_of, problems

from cocs import solve
from cocs.contracts.reference import enumerate_best
from cocs.core import SelectionProblem, check_feasible
from cocs.errors import InvalidSettingError, MissingDependencyError
from cocs.solvers import Auto, Density, Enumeration, Exact, Milp

MISLEADING = SelectionProblem([0, 1, 2], [0, 0, 0], [0.3, 0.6, 0.6], [0.2, 0.5, 0.5], [1.0], 3)  # 1.2; greedy: 0.9


@settings(max_examples=60, deadline=None)
@given(problems(most_edges=3))
def test_enumeration_and_milp_find_the_optimum(problem):
    best = enumerate_best(problem).value
    for solver in (Enumeration(), Milp()):
        solution = solver(problem)
        check_feasible(problem, solution.selection)
        near = NEAR if isinstance(solver, Enumeration) else 1e-6  # HiGHS has tolerances of its own
        assert solution.value == pytest.approx(best, rel=near, abs=0)
        assert solution.bound >= best * (1 - NEAR)


@settings(max_examples=150, deadline=None)
@given(problems())
def test_density_bound_holds(problem):
    best, solution = enumerate_best(problem).value, Density()(problem)
    check_feasible(problem, solution.selection)
    assert solution.value <= best * (1 + NEAR)
    assert solution.bound >= best * (1 - NEAR)


@settings(max_examples=60, deadline=None)
@given(problems(most_clients=30))
def test_density_is_at_least_the_best_single_pair(problem):
    problem = replace(problem, objective="sum")
    fits = problem.cost <= problem.budget[problem.edge]
    assert Density()(problem).value >= problem.value[fits].max(initial=0.0)


@settings(max_examples=60, deadline=None)
@given(problems(most_clients=30))
def test_density_bound_is_the_dual_at_its_prices(problem):
    """What anyone can recompute from the prices bounds the optimum: the bound is no better a claim than that."""
    problem = replace(problem, objective="sum")
    solution = Density()(problem)
    if solution.prices is None or solution.status == "optimal":
        return
    reduced = problem.value - solution.prices[problem.edge] * problem.cost
    reduced[problem.cost > problem.budget[problem.edge] * (1 + NEAR)] = 0  # can never be chosen
    best = np.zeros(problem.n_clients)
    np.maximum.at(best, problem.client, reduced)
    dual = solution.prices @ problem.budget + best.sum()
    assert solution.bound == pytest.approx(dual, rel=1e-6, abs=0)


def test_auto_is_exact_up_to_its_size_and_density_beyond():
    assert Density()(MISLEADING).value < Exact()(MISLEADING).value
    assert Auto(exact_pairs=3)(MISLEADING).value == Exact()(MISLEADING).value
    assert Auto(exact_pairs=2)(MISLEADING).value == Density()(MISLEADING).value


def test_auto_is_the_default_and_exact_at_paper_size():
    problem = paper_round("paper-mnist, B = 3.5, literal, p", t=1)
    assert solve(problem).status == "optimal"
    assert solve(problem).value == solve(problem, solver="exact").value


def test_enumeration_refuses_what_it_could_not_end():
    problem = problem_of(0, 30, 3, reach=1.0)
    with pytest.raises(InvalidSettingError, match="'exact'"):
        Enumeration()(problem)
    with pytest.raises(InvalidSettingError, match="limit"):
        Enumeration(limit=5)(MISLEADING)  # there are 8 assignments


def test_milp_without_highspy_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'cocs\[milp\]'"):
        Milp()(MISLEADING)


def test_others_need_no_highspy(monkeypatch):
    monkeypatch.setitem(sys.modules, "highspy", None)
    for solver in (Exact(), Density(), Enumeration(), Auto()):
        check_feasible(MISLEADING, solver(MISLEADING).selection)


def test_milp_stopped_by_its_time_limit_has_a_true_bound():
    problem = paper_round("paper-cifar10, B = 40, literal, p", t=1)
    solution = Milp(time_limit_s=1e-3)(problem)
    check_feasible(problem, solution.selection)
    assert solution.status == "time limit"
    assert solution.value <= Milp()(problem).value <= solution.bound


@pytest.mark.parametrize("limit", [0.0, -1.0, float("nan")])
def test_milp_refuses_an_impossible_time_limit(limit):
    with pytest.raises(InvalidSettingError, match="time_limit_s"):
        Milp(time_limit_s=limit)
