"""What every solver must hold, as plain functions, and the hard cases to hold it in.

Each check takes the solver and returns nothing, or raises `ContractError` naming the case. What only an exact solver
can promise stands apart, in `EXACT_CHECKS`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from cocs.contracts.cases import solver_cases
from cocs.contracts.reference import enumerate_best
from cocs.core import SelectionProblem, Solution, Solver, check_feasible, utility
from cocs.errors import ContractError

Check: TypeAlias = Callable[[Solver], None]

_NEAR = 1e-9  # relative: what may be lost or claimed by adding up in another order


def feasible(solve: Solver) -> None:
    """Every selection keeps the budgets, and one edge a client."""
    for name, problem in _cases().items():
        _solved("solutions are feasible", solve, name, problem)


def bound_holds(solve: Solver) -> None:
    """The value is that of the selection and at most the optimum, the bound at least; the gap follows from both."""
    promise = "value ≤ optimum ≤ bound"
    for name, problem in _cases().items():
        solution = _solved(promise, solve, name, problem)
        worth = utility(problem.total(solution.selection.pairs), problem.objective, problem.n_edges)
        best = _optimum(name)
        gap = (solution.bound - solution.value) / solution.bound if solution.bound > 0 else 0.0
        for holds, rule in (
            (math.isclose(solution.value, worth, rel_tol=_NEAR), f"value {solution.value}, the pairs have {worth}"),
            (solution.value <= best * (1 + _NEAR), f"value {solution.value} above the optimum {best}"),
            (solution.bound >= best * (1 - _NEAR), f"bound {solution.bound} below the optimum {best}"),
            (math.isclose(solution.gap, gap, rel_tol=1e-6, abs_tol=1e-12), f"gap {solution.gap}, should be {gap}"),
            (solution.gap >= 0, f"gap {solution.gap} is below 0"),
            (solution.status != "optimal" or solution.gap <= _NEAR, f"'optimal' with a gap of {solution.gap}"),
        ):
            if not holds:
                raise ContractError(promise, f"{name}: {rule}")


def prices_are_prices(solve: Solver) -> None:
    """Prices, where a solver gives any, are one for each edge, finite and at least 0."""
    promise = "prices are one an edge, at least 0"
    for name, problem in _cases().items():
        prices = _solved(promise, solve, name, problem).prices
        if prices is not None and not (
            prices.shape == (problem.n_edges,) and np.isfinite(prices).all() and (prices >= 0).all()
        ):
            raise ContractError(promise, f"{name}: {prices}")


def deterministic(solve: Solver) -> None:
    """The same problem has the same answer, with a seed for ties and without, whatever was solved between."""
    promise = "the same problem has the same answer"
    for tie_seed in (None, 0, 7, 2**63 - 1):
        cases = [(name, replace(problem, tie_seed=tie_seed)) for name, problem in _cases().items()]
        first = [_solved(promise, solve, name, problem) for name, problem in cases]
        for (name, problem), one in zip(reversed(cases), reversed(first), strict=True):
            other = _solved(promise, solve, name, replace(problem))
            if not (
                np.array_equal(one.selection.pairs, other.selection.pairs)
                and (one.value, one.bound, one.status) == (other.value, other.bound, other.status)
            ):
                pairs = one.selection.pairs.tolist(), other.selection.pairs.tolist()
                raise ContractError(promise, f"{name}, tie_seed {tie_seed}: {pairs[0]}, then {pairs[1]}")


def optimal(solve: Solver) -> None:
    """An exact solver finds the optimum and proves it, under either objective, whatever the seed for ties."""
    promise = "an exact solver finds the optimum"
    for name, problem in _cases().items():
        for tie_seed in (None, 0, 1):
            solution = _solved(promise, solve, name, replace(problem, tie_seed=tie_seed))
            best = _optimum(name)
            if not math.isclose(solution.value, best, rel_tol=_NEAR):
                raise ContractError(promise, f"{name}, tie_seed {tie_seed}: {solution.value}, the optimum is {best}")
            if solution.status != "optimal":
                raise ContractError(promise, f"{name}, tie_seed {tie_seed}: status {solution.status!r}")


def ties_are_drawn(solve: Solver) -> None:
    """Among many equally good sets, seeds draw different ones, and come at every client in the long run."""
    promise = "tie_seed draws among equally good sets"
    client = np.arange(6)
    edge = client % 2
    problem = SelectionProblem(client, edge, np.ones(6), np.ones(6), np.ones(2), 6)
    drawn = [
        tuple(_solved(promise, solve, "ties", replace(problem, tie_seed=seed)).selection.pairs.tolist())
        for seed in range(60)
    ]
    if len(set(drawn)) < 2:
        raise ContractError(promise, f"60 seeds all drew {drawn[0]}, one of 9 equally good sets")
    missed = set(range(6)) - {pair for pairs in drawn for pair in pairs}
    if missed:
        raise ContractError(promise, f"60 seeds never drew {sorted(missed)}, of 6 pairs all alike")


SOLVER_CHECKS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "feasible": feasible,
        "bound holds": bound_holds,
        "prices are prices": prices_are_prices,
        "deterministic": deterministic,
    }
)
EXACT_CHECKS: MappingProxyType[str, Check] = MappingProxyType({"optimal": optimal, "ties are drawn": ties_are_drawn})


def check_solver(solve: Solver, *, exact: bool = False) -> None:
    """Run every check, those for exact solvers too if asked; raises the first `ContractError`."""
    for check in (*SOLVER_CHECKS.values(), *(EXACT_CHECKS.values() if exact else ())):
        check(solve)


def _solved(promise: str, solve: Solver, name: str, problem: SelectionProblem) -> Solution:
    try:
        solution = solve(problem)
        check_feasible(problem, solution.selection)
    except Exception as error:  # whatever a stranger's solver raises
        raise ContractError(promise, f"{name}: {type(error).__name__}: {error}") from error
    return solution


@cache
def _cases() -> dict[str, SelectionProblem]:
    """The hard cases, each under both objectives."""
    return {
        f"{name} ({objective})": replace(problem, objective=objective)
        for name, problem in solver_cases()
        for objective in ("sum", "sqrt")
    }


@cache
def _optimum(name: str) -> float:
    return enumerate_best(_cases()[name]).value
