"""The interfaces: anything of this shape plugs in, no base class needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from cocs.core.arrays import Array, FloatArray
from cocs.core.observation import Feedback, Observation, Selection, Truth
from cocs.core.problem import SelectionProblem, Solution
from cocs.core.setting import Setting


class Policy(Protocol):
    """Chooses pairs round by round and learns from what arrives."""

    def select(self, observation: Observation, /) -> Selection:
        """Choose a feasible set of pairs; changes no state, and draws at random only by (seed, round)."""
        ...

    def update(self, observation: Observation, selection: Selection, feedback: Feedback, /) -> None:
        """Learn from outcomes of that round; may be called late, again for the rest, or never."""
        ...

    def state(self) -> dict[str, Array]:
        """Return all that was learned, as arrays that no later round changes."""
        ...

    def restore(self, state: Mapping[str, Array], /) -> None:
        """Go on from that state bit for bit."""
        ...


class Solver(Protocol):
    """Solves one round: always feasible, with a bound that no selection beats."""

    def __call__(self, problem: SelectionProblem, /) -> Solution:
        """Return a feasible selection, its value and its bound."""
        ...


class World(Protocol):
    """Draws rounds. `round` is a pure function of (seed, t): decisions never change the world."""

    @property
    def setting(self) -> Setting:
        """What is public and fixed for the whole run."""
        ...

    def round(self, t: int, /) -> tuple[Observation, Truth]:
        """Return round t = 1, 2, …, in any order, in any process."""
        ...

    def context_probability(self, observation: Observation, /) -> FloatArray | None:
        """Return E[p | context] of each pair, (P,): the most that a context can tell; None where nobody knows it."""
        ...
