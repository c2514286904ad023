"""Randomness by hand: one stream per concern, each round's draws reached directly.

A counter-based generator starts at any round at once, so that a round is a pure function of (seed, concern, round): no
order of calls, no process and no other concern's draws can change it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from cocs.errors import InvalidSettingError


class RoundStreams:
    """Independent random streams, named by concern, for every round of one seed."""

    __slots__ = ("_keys", "seed")

    def __init__(self, seed: int, concerns: Sequence[str]) -> None:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise InvalidSettingError("seed", seed, "must be a whole number, at least 0")
        self.seed = int(seed)
        # Keyed by the name, not by its place: a concern added later changes no other's draws.
        self._keys = {
            concern: np.random.SeedSequence(self.seed, spawn_key=tuple(concern.encode())).generate_state(2, np.uint64)
            for concern in concerns
        }

    def at(self, concern: str, round: int) -> np.random.Generator:
        """Return the concern's generator at the start of that round; round 0 serves what is drawn once a run."""
        return np.random.Generator(np.random.Philox(key=self._keys[concern], counter=[0, 0, 0, round]))

    def number(self, concern: str, round: int) -> int:
        """Return one whole number in [0, 2⁶³) of that concern and round: a seed for something else."""
        return int(self.at(concern, round).bit_generator.random_raw()) >> 1
