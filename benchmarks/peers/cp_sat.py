"""OR-Tools CP-SAT with one worker, as a peer: see serve.py. It counts in whole numbers: values and costs are scaled."""

from __future__ import annotations

from typing import Any

import numpy as np
from ortools.sat.python import cp_model
from serve import LIMIT_S, Answer, Instance, serve

FINEST = 2**30  # the largest value, and each edge's budget, in steps

solver = cp_model.CpSolver()
solver.parameters.num_workers = 1  # the least CPU time: 2 and 8 take 1.1-2 and 1.3-6 times as much
solver.parameters.max_time_in_seconds = LIMIT_S


def build(given: Instance) -> tuple[cp_model.CpModel, list[Any]]:
    client, edge, room = given["client"], given["edge"], given["room"]
    value = np.rint(given["value"] / given["value"].max() * FINEST).astype(np.int64)
    # Rounded up, so that what fits in steps fits in truth.
    weight = np.ceil(given["cost"] / np.where(room[edge] > 0, room[edge], 1.0) * FINEST).astype(np.int64)
    model = cp_model.CpModel()
    take = [model.new_bool_var("") for _ in value]
    for m in range(len(room)):
        rows = np.flatnonzero(edge == m).tolist()
        model.add(cp_model.LinearExpr.weighted_sum([take[k] for k in rows], weight[rows].tolist()) <= FINEST)
    for n in range(int(client.max()) + 1):
        model.add_at_most_one(take[k] for k in np.flatnonzero(client == n).tolist())
    model.maximize(cp_model.LinearExpr.weighted_sum(take, value.tolist()))
    return model, take


def solve(built: tuple[cp_model.CpModel, list[Any]]) -> cp_model.CpSolverStatus:
    return solver.solve(built[0])


def read(built: tuple[cp_model.CpModel, list[Any]], status: cp_model.CpSolverStatus) -> Answer:
    found = status in (cp_model.OPTIMAL, cp_model.FEASIBLE)
    chosen = [bool(solver.value(variable)) for variable in built[1]] if found else None
    return chosen, status == cp_model.OPTIMAL


serve(build, solve, read)
