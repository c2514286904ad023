"""Solvers load their libraries when called, and only their own."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROBLEM = "problem = cocs.SelectionProblem([0, 1], [0, 0], [0.2, 1.0], [0.1, 1.0], [1.0], 2)"


def loaded(code: str) -> set[str]:
    ask = "import sys; print(*{'numba', 'highspy'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", f"{code}\n{ask}"], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.mark.parametrize(
    ("code", "libraries"),
    [
        ("import cocs.solvers", set()),
        ("from cocs.solvers import *; Auto(), Density(), Enumeration(), Exact(), Milp()", set()),
        (f"import cocs; {PROBLEM}; cocs.solve(problem, solver='enumeration')", set()),
        (f"import cocs; {PROBLEM}; cocs.solve(problem, solver='exact')", {"numba"}),
        (f"import cocs; {PROBLEM}; cocs.solve(problem, solver='density')", {"numba"}),
        (f"import cocs; {PROBLEM}; cocs.solve(problem, solver='milp')", {"highspy"}),
    ],
)
def test_libraries_load_when_called(code, libraries):
    assert loaded(code) == libraries
