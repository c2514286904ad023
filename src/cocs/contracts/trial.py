"""A policy on trial: every answer is checked, every error says which promise it broke and in which round."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from cocs.core import Feedback, Observation, Policy, Selection, World, check_feasible
from cocs.core.arrays import Array
from cocs.errors import ContractError


@dataclass(frozen=True, slots=True)
class Trial:
    """A policy whose every call either keeps the promise or raises `ContractError`."""

    promise: str
    policy: Policy

    def select(self, observation: Observation) -> Selection:
        """Return the policy's selection, which is feasible."""
        try:
            selection = self.policy.select(observation)
            if not isinstance(selection, Selection):
                raise TypeError(f"select returned {type(selection).__name__}, not a Selection")
            check_feasible(observation, selection)
        except Exception as error:  # whatever a stranger's policy raises
            raise self._broken(f"round {observation.round}", error) from error
        return selection

    def update(self, observation: Observation, selection: Selection, feedback: Feedback) -> None:
        """Tell the policy outcomes."""
        try:
            self.policy.update(observation, selection, feedback)
        except Exception as error:  # as above
            raise self._broken(f"update of round {observation.round}", error) from error

    def state(self) -> dict[str, Array]:
        """Return the policy's state, a dict."""
        try:
            state = self.policy.state()
            if not isinstance(state, dict):
                raise TypeError(f"state returned {type(state).__name__}, not a dict")
        except Exception as error:  # as above
            raise self._broken("state", error) from error
        return state

    def restore(self, state: Mapping[str, Array]) -> None:
        """Have the policy go on from that state."""
        try:
            self.policy.restore(state)
        except Exception as error:  # as above
            raise self._broken("restore", error) from error

    def play(self, world: World, rounds: Iterable[int]) -> list[Selection]:
        """Return the selections of these rounds, all outcomes told at once."""
        selections = []
        for t in rounds:
            observation, truth = world.round(t)
            selection = self.select(observation)
            self.update(observation, selection, truth.reveal(selection))
            selections.append(selection)
        return selections

    def _broken(self, where: str, error: Exception) -> ContractError:
        return ContractError(self.promise, f"{where}: {type(error).__name__}: {error}")


def same_selection(one: Selection, other: Selection) -> bool:
    """Whether pairs, phase and arm agree."""
    return np.array_equal(one.pairs, other.pairs) and (one.phase, one.arm) == (other.phase, other.arm)


def same_state(one: Mapping[str, Array], other: Mapping[str, Array]) -> bool:
    """Whether both hold the same arrays, bit for bit."""
    return one.keys() == other.keys() and all(_same_bits(one[name], other[name]) for name in one)


def _same_bits(one: Array, other: Array) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
