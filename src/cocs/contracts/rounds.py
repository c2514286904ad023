"""Rounds that a policy meets in real life sooner or later, as alterations of any world's."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType

import numpy as np

from cocs.contracts.synthetic import Alteration, without
from cocs.core import Observation, Truth

_LEAP = 10_007  # client numbers and rounds leap by this


def _no_candidate(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Two rounds in three, nobody is in reach of anything."""
    return without(observation, truth, np.full(len(observation.client), observation.round % 3 != 0))


def _new_clients(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Each round brings clients that nobody has seen, with numbers that grow."""
    first = _LEAP * observation.round
    clients = observation.client + first
    return replace(observation, client=clients, n_clients=observation.n_clients + first), truth


def _lost_edges(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Each round another edge has no candidate, and no budget."""
    lost = observation.round % observation.n_edges
    budget = observation.budget.copy()
    budget[lost] = 0.0
    return without(replace(observation, budget=budget), truth, observation.edge == lost)


def _one_client(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """A single client is there, another one each time."""
    if len(observation.client) == 0:
        return observation, truth
    there = observation.client[observation.round % len(observation.client)]
    return without(observation, truth, observation.client != there)


def _no_budget(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Every other round, nothing can be spent."""
    return replace(observation, budget=observation.budget * (observation.round % 2)), truth


def _free(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """All pairs are free, and every other round nothing can be spent."""
    budget = observation.budget * (observation.round % 2)
    return replace(observation, cost=np.zeros_like(observation.cost), budget=budget), truth


def _unaffordable(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Nobody can be paid."""
    return replace(observation, cost=1 + observation.budget.max(initial=0) + observation.cost), truth


def _exact_fit(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Decimal costs add up to the budget only as far as floating-point numbers do: 0.1 + 0.2 + 0.3 exceeds 0.6."""
    cost = (1 + observation.client % 3) / 10
    return replace(observation, cost=cost, budget=np.full(observation.n_edges, 0.6)), truth


def _corners(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """Every context lies on the border of its space."""
    return replace(observation, context=np.round(observation.context)), truth


def _nothing_arrives(observation: Observation, truth: Truth) -> tuple[Observation, Truth]:
    """No update ever comes in time."""
    never = np.zeros(len(truth.arrived), np.bool_)
    return observation, Truth(np.zeros(len(never)), np.full(len(never), np.inf), never)


HARD_ROUNDS: MappingProxyType[str, Alteration] = MappingProxyType(
    {
        "rounds without a candidate": _no_candidate,
        "clients never seen before": _new_clients,
        "edges that vanish": _lost_edges,
        "one client": _one_client,
        "budgets of 0": _no_budget,
        "costs of 0": _free,
        "costs above every budget": _unaffordable,
        "costs that fit exactly": _exact_fit,
        "contexts of 0 and 1 only": _corners,
        "nothing that arrives": _nothing_arrives,
    }
)
