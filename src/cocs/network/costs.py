"""What a client charges: a price per MHz times the compute it offers (Qu et al., III.B, Table I; reading 5)."""

from __future__ import annotations

from cocs.core import RoundStreams
from cocs.core.arrays import FloatArray
from cocs.network.presets import Preset

ONCE = 0  # the round number under which streams keep what is drawn once a run


def client_costs(preset: Preset, streams: RoundStreams, t: int, compute: FloatArray) -> FloatArray:
    """Return c_n(y_n) of round t, (N,), at the same price whichever edge selects the client."""
    return (
        uniform(streams, "prices", t if preset.price == "round" else ONCE, preset.price_range, len(compute)) * compute
    )


def uniform(streams: RoundStreams, concern: str, t: int, bounds: tuple[float, float], size: int) -> FloatArray:
    """Return the draws of U[low, high] of that concern and round, (size,)."""
    low, high = bounds
    return low + (high - low) * streams.at(concern, t).random(size)
