"""What every world must hold, as plain functions.

Each check takes a way to make the world from a seed, and returns nothing or raises `ContractError`. Two of them are
statistical, at fixed seeds: a world that keeps its promise passes every time or, once in a million worlds, never.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import MappingProxyType
from typing import TypeAlias

import numpy as np

from cocs.core import Observation, Truth, World
from cocs.core.arrays import FloatArray
from cocs.errors import ContractError

Make: TypeAlias = Callable[[int], World]  # seed → world
Check: TypeAlias = Callable[[Make], None]

SEED = 0
ROUNDS = 200
_SIGMAS = 5.0
_BINS = 10


def pure(make: Make) -> None:
    """A round is a function of (seed, t) alone: in whatever order, in whichever object."""
    promise = "a round is a pure function of (seed, t)"
    world, again = make(SEED), make(SEED)
    rounds = [1, 2, 3, 10, 57, 10_000]
    first = {t: world.round(t) for t in rounds}
    for t in (*reversed(rounds), *rounds):
        for other, what in ((world, "asked again"), (again, "made again")):
            if not _same(first[t], other.round(t)):
                raise ContractError(promise, f"round {t}, {what} with seed {SEED}, is another")
    if all(_same(first[t], make(SEED + 1).round(t)) for t in rounds):
        raise ContractError(promise, f"seeds {SEED} and {SEED + 1} draw the same rounds")
    if all(_same(first[1], (_at(1, first[t][0]), first[t][1])) for t in rounds):
        raise ContractError(promise, f"rounds {rounds} are all the same")


def fits_setting(make: Make) -> None:
    """Each observation is of the round asked for and has the edges and columns of the setting."""
    promise = "rounds fit the setting"
    setting = make(SEED).setting
    other = make(SEED + 1).setting
    if (setting.n_clients, setting.n_edges, setting.context) != (other.n_clients, other.n_edges, other.context):
        raise ContractError(promise, f"seeds {SEED} and {SEED + 1} have different settings")
    for t, observation, truth in _rounds(make):
        pairs = len(observation.client)
        for got, expected, what in (
            (observation.round, t, "round"),
            (observation.n_edges, setting.n_edges, "edges"),
            (observation.context.shape[1], setting.dimension, "columns of the context"),
            (len(truth.probability), pairs, "probabilities"),
        ):
            if got != expected:
                raise ContractError(promise, f"round {t}: {what} {got}, should be {expected}")
        if observation.n_clients < setting.n_clients:
            raise ContractError(promise, f"round {t}: {observation.n_clients} clients, the setting {setting.n_clients}")
        if not (observation.deadline_s > 0).all():
            raise ContractError(promise, f"round {t}: a deadline is {observation.deadline_s.min()} s")


def truth_is_consistent(make: Make) -> None:
    """Probabilities lie in [0, 1], and what arrives is just what meets the deadline of its edge."""
    promise = "arrived means by the deadline"
    for t, observation, truth in _rounds(make):
        if not ((truth.probability >= 0) & (truth.probability <= 1)).all():
            raise ContractError(promise, f"round {t}: a probability is outside [0, 1]")
        if not (truth.latency_s > 0).all():
            raise ContractError(promise, f"round {t}: a latency is {truth.latency_s.min()} s")
        in_time = truth.latency_s <= observation.deadline_s[observation.edge]
        if not np.array_equal(truth.arrived, in_time):
            k = int(np.flatnonzero(truth.arrived != in_time)[0])
            rule = f"row {k} took {truth.latency_s[k]} s, arrived = {truth.arrived[k]}"
            raise ContractError(promise, f"round {t}: {rule}")


def arrivals_follow_probability(make: Make) -> None:
    """Pairs of probability p arrive p of the time, over all pairs and over those of similar p."""
    promise = "arrivals follow their probability"
    draws = [(truth.probability, truth.arrived) for _, _, truth in _rounds(make)]
    probability = np.concatenate([p for p, _ in draws])
    arrived = np.concatenate([x for _, x in draws])
    for low in (-1, *range(_BINS)):  # −1: all of them
        bin_of = np.minimum(probability * _BINS, _BINS - 1).astype(np.int64)
        inside = np.full(len(bin_of), True) if low < 0 else bin_of == low
        p = probability[inside]
        off = float(arrived[inside].sum() - p.sum())
        sigma = float(np.sqrt((p * (1 - p)).sum()))
        allowed = _SIGMAS * sigma + 1 if sigma > 0 else 1e-6  # where few are expected, one more proves nothing
        if abs(off) > allowed:
            among = "all pairs" if low < 0 else f"pairs of p in [{low / _BINS}, {(low + 1) / _BINS}]"
            rule = f"of {len(p)} {among} {arrived[inside].sum()} arrived, expected {p.sum():.1f} ± {sigma:.1f}"
            raise ContractError(promise, rule)


def context_probability_is_the_mean(make: Make) -> None:
    """E[p | context], where the world knows it, is in [0, 1] and right on average, over all pairs and like ones."""
    promise = "E[p | context] is the mean of p"
    world = make(SEED)
    known: list[FloatArray] = []
    real: list[FloatArray] = []
    for t, observation, truth in _rounds(make):
        mean = world.context_probability(observation)
        if mean is None:
            return
        if mean.shape != truth.probability.shape or not ((mean >= 0) & (mean <= 1)).all():
            raise ContractError(promise, f"round {t}: must be one number in [0, 1] for each pair")
        known.append(mean)
        real.append(truth.probability)
    for low in (-1, *range(_BINS)):
        off = np.array([_total(p - q, q, low) for p, q in zip(real, known, strict=True)])
        # Pairs of one round may depend on each other through what no context shows; rounds do not.
        sigma = float(off.std() * np.sqrt(len(off)))
        if abs(off.sum()) > _SIGMAS * sigma + 1e-4 * sum(map(len, known)):
            among = "all pairs" if low < 0 else f"pairs where it is in [{low / _BINS}, {(low + 1) / _BINS}]"
            raise ContractError(promise, f"over {among} Σ(p − it) is {off.sum():.3f}, expected 0 ± {sigma:.3f}")


WORLD_CHECKS: MappingProxyType[str, Check] = MappingProxyType(
    {
        "pure": pure,
        "fits its setting": fits_setting,
        "truth is consistent": truth_is_consistent,
        "arrivals follow probability": arrivals_follow_probability,
        "context probability is the mean": context_probability_is_the_mean,
    }
)


def check_world(make: Make) -> None:
    """Run every check; raises the first `ContractError`."""
    for check in WORLD_CHECKS.values():
        check(make)


def _rounds(make: Make) -> Iterator[tuple[int, Observation, Truth]]:
    world = make(SEED)
    return ((t, *world.round(t)) for t in range(1, ROUNDS + 1))


def _total(difference: FloatArray, mean: FloatArray, low: int) -> float:
    bin_of = np.minimum(mean * _BINS, _BINS - 1).astype(np.int64)
    return float(difference.sum() if low < 0 else difference[bin_of == low].sum())


def _at(round: int, observation: Observation) -> Observation:
    return Observation(
        round,
        observation.client,
        observation.edge,
        observation.context,
        observation.cost,
        observation.budget,
        observation.deadline_s,
        observation.n_clients,
    )


def _same(one: tuple[Observation, Truth], other: tuple[Observation, Truth]) -> bool:
    fields = ("client", "edge", "context", "cost", "budget", "deadline_s", "round", "n_clients")
    return all(np.array_equal(getattr(one[0], field), getattr(other[0], field)) for field in fields) and all(
        np.array_equal(getattr(one[1], field), getattr(other[1], field))
        for field in ("probability", "latency_s", "arrived")
    )
