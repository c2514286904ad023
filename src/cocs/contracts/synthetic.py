"""A small world that needs no network: what policies are put on trial in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from cocs.core import ContextScaler, Observation, RoundStreams, Setting, Truth, World
from cocs.core.arrays import BoolArray, FloatArray
from cocs.errors import InvalidSettingError

Alteration: TypeAlias = Callable[[Observation, Truth], tuple[Observation, Truth]]

# Named and published as a real world's are, for policies that read them; what arrives does not follow their physics.
_RANGES = {"rate": (0.0, 8e6), "compute": (2.0, 4.0), "bandwidth": (3e5, 1e6), "distance": (0.0, 2.0)}
_HIDDEN = (0.6, 1.0)  # range of the part of a probability that no context shows
_CONCERNS = tuple(f"synthetic.{concern}" for concern in ("coverage", "context", "price", "hidden", "fading"))


@dataclass(frozen=True, slots=True, eq=False)
class SyntheticWorld:
    """Draw rounds of a few clients and edges, whose arrivals depend on the context and on something hidden.

    Coverage is partial and differs by round, `growth` new clients join each round, costs differ by client and edge. A
    pair arrives with probability (0.1 + 0.8 · mean context) · v, v uniform in [0.6, 1] and hidden.
    """

    seed: int = 0
    n_clients: int = 8
    n_edges: int = 3
    dimension: int = 2
    horizon: int = 1000
    budget: float = 2.5
    coverage: float = 0.7
    growth: float = 0.1
    setting: Setting = field(init=False)
    _streams: RoundStreams = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if self.dimension not in range(1, len(_RANGES) + 1):
            raise InvalidSettingError("dimension", self.dimension, f"must be 1 … {len(_RANGES)}")
        columns = tuple(_RANGES)[: self.dimension]
        low, high = np.array([_RANGES[column] for column in columns]).T
        setting = Setting(
            self.n_clients,
            self.n_edges,
            self.horizon,
            columns,
            scaler=ContextScaler(columns, low, high),
            update_bit=2e5,
            model_bit=2e5,
            workload=2.4,
            bandwidth_hz=_RANGES["bandwidth"],
        )
        object.__setattr__(self, "setting", setting)
        object.__setattr__(self, "_streams", RoundStreams(self.seed, _CONCERNS))

    def round(self, t: int) -> tuple[Observation, Truth]:
        """Return round t; a pure function of the world's fields and t."""
        coverage, context, price, hidden, fading = (self._streams.at(concern, t) for concern in _CONCERNS)
        n_clients = self.n_clients + int(self.growth * t)
        client, edge = np.nonzero(coverage.random((n_clients, self.n_edges)) < self.coverage)
        cost = price.uniform(0.3, 1.8, n_clients)[client] * (1 + 0.1 * edge)
        deadline_s = np.full(self.n_edges, 4.0)
        observation = Observation(
            t,
            client,
            edge,
            context.random((len(client), self.dimension)),
            cost,
            np.full(self.n_edges, self.budget),
            deadline_s,
            n_clients,
        )
        probability = _shown(observation) * hidden.uniform(*_HIDDEN, len(client))
        # An exponential wait that ends before the deadline with just that probability.
        latency_s = deadline_s[edge] * fading.exponential(size=len(client)) / -np.log1p(-probability)
        return observation, Truth(probability, latency_s, latency_s <= deadline_s[edge])

    def context_probability(self, observation: Observation) -> FloatArray:
        """Return E[p | context], (P,): exact."""
        return _shown(observation) * (sum(_HIDDEN) / 2)


@dataclass(frozen=True, slots=True, eq=False)
class Altered:
    """A world whose rounds are altered by a function of the round alone, so that they stay pure in (seed, t)."""

    world: World
    alter: Alteration

    @property
    def setting(self) -> Setting:
        """The setting of the world that is altered."""
        return self.world.setting

    def round(self, t: int) -> tuple[Observation, Truth]:
        """Return round t, altered."""
        return self.alter(*self.world.round(t))

    def context_probability(self, observation: Observation) -> FloatArray | None:
        """Return what the world says of this observation."""
        return self.world.context_probability(observation)


def without(observation: Observation, truth: Truth, gone: BoolArray) -> tuple[Observation, Truth]:
    """Return the round without the pairs that are marked, (P,)."""
    stay = ~gone
    observation = replace(
        observation,
        client=observation.client[stay],
        edge=observation.edge[stay],
        context=observation.context[stay],
        cost=observation.cost[stay],
    )
    return observation, Truth(truth.probability[stay], truth.latency_s[stay], truth.arrived[stay])


def _shown(observation: Observation) -> FloatArray:
    mean: FloatArray = observation.context.mean(axis=1)
    return 0.1 + 0.8 * mean
