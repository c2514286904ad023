"""Context-aware online client selection, the paper's policy."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from cocs.core import Feedback, Observation, RoundStreams, Selection, SelectionProblem, Setting, Solver, spending
from cocs.core.arrays import Array, BoolArray, FloatArray, IntArray
from cocs.errors import InvalidSettingError
from cocs.policies.cells import CellCounts, Sharing

Explore: TypeAlias = Literal["candidates", "under-explored"]
Ties: TypeAlias = Literal["random", "estimate"]
UnderExplored: TypeAlias = Literal["pair", "edge"]


@dataclass(frozen=True, slots=True, eq=False)
class COCS:
    """Explore until every cell in sight was tried more than K(t) times, then exploit (Qu et al., Algorithm 1).

    K(t) = scale · t^z · ln t. The defaults are the published constants; with them, at the paper's size, no round of its
    1,000 ever exploits. Where the paper is silent or contradicts itself, a field chooses the reading. The rates are
    those of all pairs that were selected and whose outcome is known, an update that did not arrive counting as 0.
    Not promised: that it exploits pairs estimated at 0, however cheap (a small `scale` can leave rounds empty until
    K(t) has grown), nor the regret bounds where `solve` is not exact.
    """

    setting: Setting
    _: KW_ONLY
    solve: Solver
    seed: int = 0
    cells: int | None = 5  # h_T per column of the context (Table I); None: ⌈T^γ⌉ with γ = 1/(3α + D) (Theorem 2)
    alpha: float = 1.0  # Hölder exponent α of Assumption 1
    exponent: float | None = None  # z; None: 2α/(3α + D) (Theorem 2); Theorem 4 prints (2α + 2)/(3α + 2)
    scale: float = 1.0  # of K(t); 1 as published
    sharing: Sharing = "pair"  # whose tries count together: C_{n,m}(l) in IV.B; the appendix's proof pools them
    explore: Explore = "candidates"  # where every client has an under-explored pair: all pairs (Eq. 14), or only those
    ties: Ties = "random"  # which of equally large sets explores: a seeded draw, or the one of higher estimates
    under_explored: UnderExplored = "pair"  # or edge: one client's thin cell marks that cell of the edge (Eq. 13)
    counts: CellCounts = field(init=False, repr=False)
    _streams: RoundStreams = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for name, choices in (("explore", Explore), ("ties", Ties), ("under_explored", UnderExplored)):
            if getattr(self, name) not in get_args(choices):
                raise InvalidSettingError(name, getattr(self, name), f"must be one of {', '.join(get_args(choices))}")
        if not (_finite(self.alpha) and self.alpha > 0):
            raise InvalidSettingError("alpha", self.alpha, "must be a number above 0")
        if not (self.exponent is None or (_finite(self.exponent) and self.exponent >= 0)):
            raise InvalidSettingError("exponent", self.exponent, "must be None or a number, at least 0")
        if not (_finite(self.scale) and self.scale > 0):
            raise InvalidSettingError("scale", self.scale, "must be a number above 0, for K(t) must grow")
        cells = theorem_cells(self.setting, self.alpha) if self.cells is None else self.cells
        object.__setattr__(self, "counts", CellCounts(self.setting, cells, self.sharing))
        object.__setattr__(self, "_streams", RoundStreams(self.seed, ("cocs.explore", "cocs.fill", "cocs.exploit")))

    def threshold(self, round: int) -> float:
        """Return K(t): a cell tried no more often than this is under-explored."""
        z = 2 * self.alpha / (3 * self.alpha + self.setting.dimension) if self.exponent is None else self.exponent
        t = max(round, 1)
        return self.scale * math.pow(t, z) * math.log(t)

    def select(self, observation: Observation) -> Selection:
        """Choose a feasible set of pairs; changes no state."""
        tries, rate = self.counts.lookup(observation)
        thin = tries <= self.threshold(observation.round)
        if not thin.any():
            return Selection(self._solve(observation, rate, "cocs.exploit"), "exploit")
        if self.under_explored == "edge":
            thin = self._whole_cells(observation, thin)
        if thin.all() or _of_same_clients(observation, thin).all():
            among = thin if self.explore == "under-explored" else np.ones_like(thin)
            return Selection(self._largest(observation, among, rate), "explore")
        first = self._largest(observation, thin, rate)
        return Selection(self._fill(observation, first, thin, rate), "explore")

    def update(self, observation: Observation, selection: Selection, feedback: Feedback) -> None:
        """Count what arrived among the selected pairs whose outcome is known; the rest may follow in any order."""
        self.counts.add(observation, feedback.pairs, feedback.arrived)

    def state(self) -> dict[str, Array]:
        """Return the counts of every cell tried so far, and what they depend on."""
        return self.counts.state()

    def restore(self, state: Mapping[str, Array]) -> None:
        """Go on from that state; refuses one of other cells, sharing, columns or ranges of the context."""
        self.counts.restore(state)

    def _largest(self, observation: Observation, among: BoolArray, rate: FloatArray) -> IntArray:
        """Return a largest feasible set of the pairs `among` (Eqs. 14 and 15)."""
        value = among.astype(np.float64)
        if self.ties == "estimate":
            # Rates are at most 1 and a client joins once: all bonuses together stay below one more pair's 1.
            value *= 1 + rate / (1 + len(np.unique(observation.client)))
        pairs = self._solve(observation, value, "cocs.explore")
        return pairs[among[pairs]]  # a solver may add pairs that are worth nothing

    def _fill(self, observation: Observation, first: IntArray, thin: BoolArray, rate: FloatArray) -> IntArray:
        """Return `first` and the explored pairs that best fill what it leaves of each budget (Eqs. 16 and 17)."""
        free = np.flatnonzero(~thin & ~_of_same_clients(observation, first))
        problem = SelectionProblem(
            observation.client[free],
            observation.edge[free],
            rate[free],
            observation.cost[free],
            np.maximum(observation.budget - spending(observation, Selection(first)), 0),
            observation.n_clients,
            self.setting.objective,
            self._streams.number("cocs.fill", observation.round),
        )
        return np.sort(np.concatenate([first, free[self.solve(problem).selection.pairs]]))

    def _solve(self, observation: Observation, value: FloatArray, concern: str) -> IntArray:
        tie_seed = self._streams.number(concern, observation.round)
        problem = SelectionProblem.of(observation, value, self.setting.objective, tie_seed)
        return self.solve(problem).selection.pairs

    def _whole_cells(self, observation: Observation, thin: BoolArray) -> BoolArray:
        """Mark all pairs that share edge and cell with a marked one: Eq. 13 defines cells per edge, not per client."""
        number = np.minimum((observation.context * self.counts.cells).astype(np.int64), self.counts.cells - 1)
        group = np.column_stack([observation.edge, number])
        _, group = np.unique(group, axis=0, return_inverse=True)
        group = group.reshape(-1)
        return np.isin(group, group[thin])


def theorem_cells(setting: Setting, alpha: float = 1.0) -> int:
    """Return h_T = ⌈T^γ⌉ with γ = 1/(3α + D), the number of cells per column that Theorem 2 asks for."""
    exact = math.pow(setting.horizon, 1 / (3 * alpha + setting.dimension))
    return max(math.ceil(exact * (1 - 1e-12)), 1)  # 1024^(1/5) is 4, not 4 and a rounding error


def _of_same_clients(observation: Observation, rows: BoolArray | IntArray) -> BoolArray:
    """Mark all pairs of the clients of these rows."""
    theirs = np.zeros(observation.n_clients, np.bool_)
    theirs[observation.client[rows]] = True
    return theirs[observation.client]


def _finite(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool) and math.isfinite(value)
