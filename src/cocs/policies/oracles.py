"""Three oracles: what the best selections are to someone who knows more than a policy may.

The paper means two different ones: its regret is against E[X | context] (Qu et al., IV.A, Eq. 11), its figures show one
that knows the realised X (VI.B). The third, between them, knows all that is realised but the uplink fading.
"""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import ClassVar

import numpy as np

from cocs.core import Observation, RoundStreams, Selection, SelectionProblem, Setting, Solver, Truth, World
from cocs.core.arrays import FloatArray
from cocs.errors import InvalidInputError, InvalidSettingError
from cocs.policies.stateless import Stateless


@dataclass(frozen=True, slots=True, eq=False)
class _KnowsWorld(Stateless):
    reads_truth: ClassVar[bool] = True

    setting: Setting
    _: KW_ONLY
    solve: Solver
    world: World
    seed: int = 0  # decides among equally good sets only
    _streams: RoundStreams = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_streams", RoundStreams(self.seed, ("oracle.ties",)))

    def select(self, observation: Observation) -> Selection:
        """Choose the best feasible set by what this oracle knows, as good as the solver is."""
        tie_seed = self._streams.number("oracle.ties", observation.round)
        value = self._value(observation)
        problem = SelectionProblem.of(observation, value, self.setting.objective, tie_seed)
        return Selection(self.solve(problem).selection.pairs)

    def _value(self, observation: Observation) -> FloatArray:
        raise NotImplementedError

    def _truth(self, observation: Observation) -> Truth:
        own, truth = self.world.round(observation.round)
        if not (np.array_equal(own.client, observation.client) and np.array_equal(own.edge, observation.edge)):
            raise InvalidInputError("observation", f"is not round {observation.round} of the oracle's own world")
        return truth


@dataclass(frozen=True, slots=True, eq=False)
class Oracle(_KnowsWorld):
    """Best by the probability of arrival given all that is realised but the uplink fading. Reads the truth."""

    def _value(self, observation: Observation) -> FloatArray:
        return self._truth(observation).probability


@dataclass(frozen=True, slots=True, eq=False)
class OracleContext(_KnowsWorld):
    """Best by E[p | context] (Qu et al., Eq. 11): on average the best that contexts allow. Reads the world."""

    def _value(self, observation: Observation) -> FloatArray:
        value = self.world.context_probability(observation)
        if value is None:
            raise InvalidSettingError(
                "world",
                type(self.world).__name__,
                "does not know E[p | context], which oracle-context needs: compare with oracle or clairvoyant",
            )
        return value


@dataclass(frozen=True, slots=True, eq=False)
class Clairvoyant(_KnowsWorld):
    """Best by what will really arrive, X: the Oracle of the paper's figures (Qu et al., VI.B). Reads the truth."""

    def _value(self, observation: Observation) -> FloatArray:
        return self._truth(observation).arrived.astype(np.float64)
