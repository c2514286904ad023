"""Print what a round of each world costs: median µs, and its ratio to NumPy drawing the same numbers plainly.

One line for each preset and geometry: pairs a round, `round(t)`, `context_probability` (its table built before), and
the peer, alternating in this run: one NumPy generator that draws as many normals, exponentials and uniforms. The ratio
says what purity (a stream for each concern and round), physics and checks add. Run it on a quiet machine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from statistics import median
from time import perf_counter
from typing import TypeVar

import numpy as np

from cocs.network import PRESETS, NetworkWorld
from cocs.network.presets import Preset

Result = TypeVar("Result")
ROUNDS = 2000


def main() -> None:
    print(f"{'world':<24}{'pairs':>7}{'round µs':>10}{'E[p|context] µs':>17}{'plain draws µs':>16}{'ratio':>7}")
    for name, preset in PRESETS.items():
        for geometry in ("literal", "discs"):
            measure(f"{name} {geometry}", replace(preset, geometry=geometry))


def measure(name: str, preset: Preset) -> None:
    world, rng = NetworkWorld(preset, seed=0), np.random.default_rng(0)
    world.context_probability(world.round(1)[0])
    pairs, rounds, expectations, peers = [], [], [], []
    for t in range(1, ROUNDS + 1):
        (observation, _), seconds = timed(lambda t=t: world.round(t))
        rounds.append(seconds)
        expectations.append(timed(lambda observation=observation: world.context_probability(observation))[1])
        peers.append(timed(lambda: plain_draws(preset, rng))[1])
        pairs.append(len(observation.client))
    each, expected, peer = (1e6 * median(seconds) for seconds in (rounds, expectations, peers))
    print(f"{name:<24}{median(pairs):>7.0f}{each:>10.0f}{expected:>17.0f}{peer:>16.1f}{each / peer:>7.1f}")


def plain_draws(preset: Preset, rng: np.random.Generator) -> None:
    pairs = preset.n_clients * preset.n_edges
    rng.random(pairs + 3 * preset.n_clients)  # places, bandwidths, computes and prices
    rng.standard_normal(pairs)  # shadowing
    rng.standard_exponential(2 * pairs)  # fading both ways


def timed(call: Callable[[], Result]) -> tuple[Result, float]:
    start = perf_counter()
    result = call()
    return result, perf_counter() - start


if __name__ == "__main__":
    main()
