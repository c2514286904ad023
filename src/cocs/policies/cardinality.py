"""As many clients as the budgets buy."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from cocs.core import Observation, RoundStreams, Selection, SelectionProblem, Setting, Solver
from cocs.policies.stateless import Stateless


@dataclass(frozen=True, slots=True, eq=False)
class Cardinality(Stateless):
    """Take as many clients as fit, whoever they are: what COCS does while it explores (Qu et al., Eq. 14)."""

    setting: Setting
    _: KW_ONLY
    solve: Solver
    seed: int = 0  # draws among the equally large sets
    _streams: RoundStreams = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_streams", RoundStreams(self.seed, ("cardinality.ties",)))

    def select(self, observation: Observation) -> Selection:
        """Choose a largest feasible set of pairs, drawn by seed and round."""
        tie_seed = self._streams.number("cardinality.ties", observation.round)
        value = np.ones(len(observation.client))
        problem = SelectionProblem.of(observation, value, self.setting.objective, tie_seed)
        return Selection(self.solve(problem).selection.pairs)
