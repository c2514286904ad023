"""What the policies that learn nothing share."""

from __future__ import annotations

from collections.abc import Mapping

from cocs.core import Feedback, Observation, Selection
from cocs.core.arrays import Array
from cocs.errors import InvalidStateError


class Stateless:
    """The half of a policy's interface that is empty where nothing is learned."""

    __slots__ = ()

    def update(self, observation: Observation, selection: Selection, feedback: Feedback) -> None:
        """Learn nothing."""

    def state(self) -> dict[str, Array]:
        """Return no array: there is nothing to go on from."""
        return {}

    def restore(self, state: Mapping[str, Array]) -> None:
        """Accept the empty state, and no other."""
        if state:
            raise InvalidStateError(f"{type(self).__name__} learns nothing, the state has {sorted(state)}")
