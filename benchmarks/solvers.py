"""What `exact` costs on paper-size rounds, against HiGHS, scipy.milp and CP-SAT on the same rounds.

    python benchmarks/solvers.py [--quick] [--rounds N] [--peer-rounds N] [--rows TEXT] [--no-children] [--json FILE]

N = 50, M = 3. Each round is drawn, becomes a `SelectionProblem`, and is solved once: ours in thread time of all of
`cocs.solve(problem, solver=Exact())`; on some rounds also by highspy in this process, its model built before, only
`run()` timed, and who goes first alternating; on most rows with a goal also by scipy.milp and OR-Tools CP-SAT, each in
a process and an environment of its own, made on demand in benchmarks/.venvs. Solvers are warm, instances are not.
Prints a Markdown table; exits 1 where two proved optima differ by more than 1e-6.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from peers.child import Child

import cocs
from cocs.core import Observation, SelectionProblem, Solution, Truth
from cocs.core.arrays import FloatArray, IntArray
from cocs.solvers import Density, Exact
from cocs.solvers.candidates import capacity, usable
from cocs.solvers.milp import build, read

CHILDREN = {"scipy.milp": ("scipy_milp.py", "scipy==1.17.1"), "CP-SAT": ("cp_sat.py", "ortools==9.15.*")}
SAME = 1e-6  # relative: HiGHS's own tolerances
HIGHS_LIMIT_S = 10.0
WARM_UP = 5

Values = Callable[[Observation, Truth, np.random.Generator], FloatArray]


@dataclass(frozen=True)
class Row:
    """One line of the table: rounds alike, and what issue 2 asks for them (median and p99 in µs)."""

    values: str
    budget: float
    draw: Values
    goal: tuple[float, float] | None = None
    seeded: bool = False  # tie_seed set, as policies do, or None
    geometry: str = "literal"
    children: bool = False  # scipy.milp and CP-SAT too

    @property
    def world(self) -> str:
        """The preset whose costs they have; B = 10 is paper-mnist's with a larger budget."""
        return "paper-cifar10" if self.budget == 40 else "paper-mnist"

    @property
    def label(self) -> str:
        """What the rows have to be told apart by."""
        return f"{self.geometry}, B = {self.budget:g}, {self.values}{', tie_seed' if self.seeded else ''}"

    def problems(self, seed: int, rounds: int) -> Iterator[SelectionProblem]:
        """Draw the rounds one after the other."""
        world = cocs.make_world(self.world, seed=seed, budget=self.budget, geometry=self.geometry)
        for t in range(1, rounds + 1):
            observation, truth = world.round(t)
            value = self.draw(observation, truth, np.random.default_rng([seed, t]))
            yield SelectionProblem.of(observation, value, tie_seed=t if self.seeded else None)


def probabilities(observation: Observation, truth: Truth, rng: np.random.Generator) -> FloatArray:
    return truth.probability


def arrivals(observation: Observation, truth: Truth, rng: np.random.Generator) -> FloatArray:
    return truth.arrived.astype(np.float64)


def equal(observation: Observation, truth: Truth, rng: np.random.Generator) -> FloatArray:
    return np.ones(len(truth.probability))


def counts(observation: Observation, truth: Truth, rng: np.random.Generator) -> FloatArray:
    return rng.binomial(10, truth.probability) / 10


def rates(observation: Observation, truth: Truth, rng: np.random.Generator) -> FloatArray:
    tries = rng.integers(1, 30, len(truth.probability))
    return rng.binomial(tries, truth.probability) / tries


def ones(share: float) -> Values:
    return lambda observation, truth, rng: (rng.random(len(truth.probability)) < share).astype(np.float64)


P_GOALS = {3.5: (30.0, 1e3), 10: (150.0, 5e3), 40: (150.0, 5e3)}
FEW, EQUAL = (150.0, 10e3), (20.0, 150.0)
ROWS = [
    *(Row("values p", b, probabilities, P_GOALS[b], children=True) for b in P_GOALS),
    *(Row("values p", b, probabilities, P_GOALS[b], seeded=True) for b in P_GOALS),
    *(Row("success counts of 10", b, counts, FEW, seeded=True, children=True) for b in P_GOALS),
    *(Row("all values equal", b, equal, EQUAL, seeded=True, children=True) for b in P_GOALS),
    *(Row("all values equal", b, equal, EQUAL) for b in P_GOALS),
    *(Row("values 0 or 1, 60 % are 0", b, ones(0.4), FEW, seeded=True, children=True) for b in (10, 40)),
    # For information.
    *(Row("values 0 or 1, 40 % are 0", b, ones(0.6), seeded=True) for b in (10, 40)),
    *(Row("values X (clairvoyant)", b, arrivals, seeded=True) for b in P_GOALS),
    *(Row("success rates, 1-29 tries", b, rates, seeded=True) for b in P_GOALS),
    *(Row("values p", b, probabilities, seeded=True, geometry="discs") for b in P_GOALS),
    *(Row("all values equal", b, equal, seeded=True, geometry="discs") for b in P_GOALS),
]


@dataclass
class Figures:
    """What one row showed; times in µs."""

    label: str
    goal: tuple[float, float] | None
    ours: list[float] = field(default_factory=list)
    beside: list[float] = field(default_factory=list)  # ours, on the rounds that the peers had too
    highs: list[float] = field(default_factory=list)
    children: dict[str, list[float]] = field(default_factory=dict)
    density: list[float] = field(default_factory=list)  # share of the optimum
    unproved: int = 0
    worst_gap: float = 0.0
    compared: int = 0
    differ: list[str] = field(default_factory=list)

    def compare(self, peer: str, t: int, ours: Solution, worth: float, proved: bool) -> None:
        """Note where a peer's optimum is not ours; without a proof only what contradicts the other's."""
        self.compared += 1
        near = SAME * max(ours.bound, worth)
        if worth - ours.bound > near or (proved and ours.value - worth > near):
            self.differ.append(f"{self.label}, round {t}: exact {ours.value:.9g}, {peer} {worth:.9g}")

    def line(self) -> str:
        """Return the row of the Markdown table."""
        p99, worst = np.percentile(self.ours, 99), max(self.ours)
        peers = [f"{median(self.highs) / 1e3:,.1f}", f"{median(self.highs) / median(self.beside):,.0f}"]
        peers += [f"{median(self.children[name]) / 1e3:,.1f}" if name in self.children else "" for name in CHILDREN]
        density = f"{median(self.density):.3f} ({min(self.density):.2f})" if self.density else ""
        goal = f"{self.goal[0]:,.0f} / {self.goal[1]:,.0f}" if self.goal else ""
        ours = f"{median(self.ours):,.1f} / {p99:,.0f} ({worst:,.0f})"
        equal = f"{self.compared - len(self.differ)} of {self.compared}"
        return "| " + " | ".join([self.label, goal, ours, str(self.unproved), *peers, equal, density]) + " |"


COLUMNS = [
    "round",
    "goal: median / p99, µs",
    "exact: median / p99 (worst), µs",
    "unproved",
    "HiGHS, ms",
    "HiGHS / exact",
    *(f"{name}, ms" for name in CHILDREN),
    "same optimum",
    "density / optimum: median (worst)",
]


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    start = time.thread_time_ns()
    result = call()
    return result, (time.thread_time_ns() - start) / 1e3


def run_highs(problem: SelectionProblem, rows: IntArray) -> tuple[Solution, float]:
    model, scale = build(problem, rows)
    model.setOptionValue("time_limit", HIGHS_LIMIT_S)
    _, took = timed(model.run)
    return read(model, scale, problem, rows), took


def ask(child: Child, problem: SelectionProblem, rows: IntArray) -> tuple[float | None, bool, float]:
    """Return what the peer's answer is worth if it is feasible, whether it is proved, and its time."""
    with tempfile.TemporaryDirectory() as folder:
        path, client = Path(folder) / "round.npz", np.unique(problem.client[rows], return_inverse=True)[1]
        columns: dict[str, Any] = {name: getattr(problem, name)[rows] for name in ("edge", "value", "cost")}
        np.savez(path, client=client, room=capacity(problem), **columns)
        answer = child(path)
    worth = None
    with suppress(cocs.InvalidSelectionError):  # scipy.milp may overspend by a tolerance of 1e-6
        if answer["pairs"] is not None:
            pairs = rows[answer["pairs"]]
            cocs.check_feasible(problem, cocs.Selection(pairs))
            worth = problem.total(pairs)
    return worth, answer["proved"], answer["us"]


def measure(row: Row, rounds: int, peer_rounds: int, children: dict[str, Child]) -> Figures:
    exact, density, figures = Exact(), Density(), Figures(row.label, row.goal)
    every = max(rounds // peer_rounds, 1)
    for problem in row.problems(seed=1, rounds=WARM_UP):
        exact(problem)
        density(problem)
        for child in children.values():
            ask(child, problem, usable(problem))
    for t, problem in enumerate(row.problems(seed=0, rounds=rounds), 1):
        rows = usable(problem)
        shared = t % every == 0 and len(rows) > 0 and len(figures.highs) < peer_rounds
        peer_first = shared and t // every % 2 == 1
        if peer_first:
            theirs, highs_took = run_highs(problem, rows)
        ours, took = timed(partial(cocs.solve, problem, solver=exact))
        if shared and not peer_first:
            theirs, highs_took = run_highs(problem, rows)
        cocs.check_feasible(problem, ours.selection)
        figures.ours.append(took)
        figures.unproved += ours.status != "optimal"
        figures.worst_gap = max(figures.worst_gap, ours.gap)
        if ours.status == "optimal" and ours.value > 0:
            figures.density.append(density(problem).value / ours.value)
        if not shared:
            continue
        figures.beside.append(took)
        figures.highs.append(highs_took)
        figures.compare("HiGHS", t, ours, theirs.value, theirs.gap <= SAME)
        for name, child in children.items():
            worth, proved, took = ask(child, problem, rows)
            figures.children.setdefault(name, []).append(took)
            if worth is not None:
                figures.compare(name, t, ours, worth, proved)
    return figures


def machine() -> str:
    cpu = platform.machine()
    if (info := Path("/proc/cpuinfo")).exists():
        names = [line.partition(":")[2].strip() for line in info.read_text().splitlines() if "model name" in line]
        cpu = f"{os.cpu_count()} × {names[0]}" if names else cpu
    versions = ", ".join(f"{name} {version(name)}" for name in ("numpy", "numba", "highspy"))
    return f"{cpu}, load {os.getloadavg()[0]:.1f}; Python {platform.python_version()}, {versions}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, help="in each row; 1000, or 200 with --quick")
    parser.add_argument("--peer-rounds", type=int, help="of them, solved by the peers too; 60, or 8 with --quick")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--rows", default="", help="only rows whose label contains this text")
    parser.add_argument("--no-children", action="store_true", help="leave scipy.milp and CP-SAT out")
    parser.add_argument("--json", type=Path, help="write all figures there too")
    given = parser.parse_args()
    rounds, peer_rounds = (200, 8) if given.quick else (1000, 60)
    rounds, peer_rounds = given.rounds or rounds, given.peer_rounds or peer_rounds
    done: list[Figures] = []
    with ExitStack() as stack:
        children: dict[str, Child] = {}
        for name, (script, requirement) in () if given.no_children else CHILDREN.items():
            try:
                children[name] = Child(script, requirement)
                stack.callback(children[name].close)
            except (OSError, subprocess.CalledProcessError) as error:
                print(f"{name} is left out: {error}\n")
        print(f"{machine()}\n{rounds} rounds a row, {min(rounds, peer_rounds)} of them by the peers too\n")
        print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
        for row in ROWS:
            if given.rows in row.label:
                done.append(measure(row, rounds, peer_rounds, children if row.children else {}))
                print(done[-1].line(), flush=True)
    differ = [line for figures in done for line in figures.differ]
    print("\n" + "\n".join(differ or ["Every optimum compared is the same."]))
    if given.json:
        given.json.write_text(json.dumps({"machine": machine(), "rows": [asdict(figures) for figures in done]}))
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
