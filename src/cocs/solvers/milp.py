"""The reference: the same problem as a mixed-integer program, solved by HiGHS."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from cocs.core import SelectionProblem, Solution
from cocs.core.arrays import FloatArray, IntArray
from cocs.errors import InvalidSettingError, MissingDependencyError
from cocs.solvers.candidates import capacity, usable


@dataclass(frozen=True, slots=True)
class Milp:
    """Solve with HiGHS to a gap of 0. Its answer is rounded, repaired where a tolerance was used, and re-checked.

    HiGHS works to absolute tolerances of about 1e-9 on scaled data, and may overrun its time limit.
    """

    time_limit_s: float | None = None

    def __post_init__(self) -> None:
        if self.time_limit_s is not None and not self.time_limit_s > 0:
            raise InvalidSettingError("time_limit_s", self.time_limit_s, "must be above 0, or None")

    def __call__(self, problem: SelectionProblem) -> Solution:
        """Return HiGHS's selection, with its bound."""
        rows = usable(problem)
        if len(rows) == 0:
            return Solution.of(problem, rows, 0.0, "optimal")
        model, scale = build(problem, rows)
        if self.time_limit_s is not None:
            model.setOptionValue("time_limit", self.time_limit_s)
        model.run()
        return read(model, scale, problem, rows)


def build(problem: SelectionProblem, rows: IntArray) -> tuple[Any, float]:
    """Return the HiGHS model of these rows, not yet run, and what its values were divided by."""
    try:
        import highspy
    except ImportError:
        raise MissingDependencyError("highspy", "milp", "the solver 'milp'") from None
    client, edge = np.unique(problem.client[rows], return_inverse=True)[1], problem.edge[rows]
    room = capacity(problem)
    scale = float(problem.value[rows].max())
    n_pairs, n_clients = len(rows), int(client.max()) + 1
    weight = problem.cost[rows] / np.where(room[edge] > 0, room[edge], 1.0)

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = n_pairs, problem.n_edges + n_clients
    lp.sense_ = highspy.ObjSense.kMaximize
    lp.col_cost_ = problem.value[rows] / scale
    lp.col_lower_, lp.col_upper_ = np.zeros(n_pairs), np.ones(n_pairs)
    lp.row_lower_, lp.row_upper_ = np.full(lp.num_row_, -highspy.kHighsInf), np.ones(lp.num_row_)
    lp.integrality_ = [highspy.HighsVarType.kInteger] * n_pairs
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_ = 2 * np.arange(n_pairs + 1)
    lp.a_matrix_.index_ = np.column_stack((edge, problem.n_edges + client)).ravel()
    lp.a_matrix_.value_ = np.column_stack((weight, np.ones(n_pairs))).ravel()

    model = highspy.Highs()
    for option, value in (
        ("output_flag", False),
        ("threads", 1),
        ("mip_rel_gap", 0.0),
        ("mip_abs_gap", 0.0),
        ("mip_feasibility_tolerance", 1e-9),
        ("primal_feasibility_tolerance", 1e-9),
        ("dual_feasibility_tolerance", 1e-9),
    ):
        model.setOptionValue(option, value)
    model.passModel(lp)
    return model, scale


def read(model: Any, scale: float, problem: SelectionProblem, rows: IntArray) -> Solution:
    """Return the model's answer as a solution that keeps every rule."""
    import highspy

    share = np.array(model.getSolution().col_value)
    pairs = _repaired(problem, rows[share > 0.5] if len(share) else rows[:0])
    bound = model.getInfo().mip_dual_bound
    trivial = math.fsum(_best_of_each_client(problem, rows).tolist())
    bound = min(bound * scale * (1 + 5e-10), trivial) if math.isfinite(bound) else trivial
    stopped = model.getModelStatus() == highspy.HighsModelStatus.kTimeLimit
    return Solution.of(problem, pairs, bound, "time limit" if stopped else "feasible")


def _best_of_each_client(problem: SelectionProblem, rows: IntArray) -> FloatArray:
    best = np.zeros(problem.n_clients)
    np.maximum.at(best, problem.client[rows], problem.value[rows])
    return best


def _repaired(problem: SelectionProblem, pairs: IntArray) -> IntArray:
    """Keep the most valuable pairs that truly fit; all of them, unless HiGHS used up a tolerance."""
    room, taken, kept = capacity(problem).copy(), set(), []
    for row in pairs[np.argsort(-problem.value[pairs], kind="stable")].tolist():
        client, edge = int(problem.client[row]), problem.edge[row]
        if client not in taken and problem.cost[row] <= room[edge]:
            room[edge] -= problem.cost[row]
            taken.add(client)
            kept.append(row)
    return np.array(kept, dtype=np.int64)
