"""Clients by lot."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field
from typing import Literal, TypeAlias, get_args

import numpy as np

from cocs.core import Observation, RoundStreams, Selection, Setting, Solver
from cocs.core.problem import BUDGET_TOLERANCE
from cocs.errors import InvalidSettingError
from cocs.policies.stateless import Stateless

Draw: TypeAlias = Literal["pair", "edge"]


@dataclass(frozen=True, slots=True, eq=False)
class Random(Stateless):
    """Take pairs in a random order, each that fits and whose client is free (Qu et al., VI.B: "randomly").

    With `draw="edge"` each client first draws one edge in its reach, and only those pairs compete. Needs no solver.
    """

    setting: Setting
    _: KW_ONLY
    solve: Solver | None = None  # taken because every policy is handed one; not used
    seed: int = 0
    draw: Draw = "pair"
    _streams: RoundStreams = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.draw not in get_args(Draw):
            raise InvalidSettingError("draw", self.draw, f"must be one of {', '.join(get_args(Draw))}")
        object.__setattr__(self, "_streams", RoundStreams(self.seed, ("random.order",)))

    def select(self, observation: Observation) -> Selection:
        """Choose a feasible set that no other pair still fits into; drawn by seed and round."""
        from cocs.policies import kernels

        generator = self._streams.at("random.order", observation.round)
        order = generator.permutation(len(observation.client))
        if self.draw == "edge":
            # The first pair of each client in a random order is a fair draw of its edge, but clients that reach many
            # edges come early in that order: hence a second one.
            _, first = np.unique(observation.client[order], return_index=True)
            order = generator.permutation(order[first])
        # Half the tolerance: a check that adds the same costs up in another order still passes.
        limit = observation.budget * (1 + BUDGET_TOLERANCE / 2)
        pairs = kernels.take_in_order(
            order, observation.client, observation.edge, observation.cost, limit, observation.n_clients
        )
        return Selection(np.sort(pairs))
