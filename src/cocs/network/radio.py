"""The wireless link: path loss, Shannon rate, and the chance that an upload makes it in time.

All decibels are turned into linear ratios here, once; ratios are natural logarithms until the last step, so that no
power, noise or distance overflows.
"""

from __future__ import annotations

import math

import numpy as np

from cocs.core.arrays import FloatArray
from cocs.network.presets import Preset

DECIBEL = math.log(10) / 10  # natural logarithm of one decibel
LN2 = math.log(2)
LEAST = 1e-300  # stands for 0 where a rate or a time divides; the quotient then exceeds any time


def noise_dbm(preset: Preset, bandwidth_hz: FloatArray) -> FloatArray | float:
    """Return the noise power of a band: one for all, or a density times the client's own bandwidth (reading 2)."""
    if preset.noise_dbm_per_hz is None:
        return preset.noise_dbm
    return preset.noise_dbm_per_hz + np.log(bandwidth_hz) / DECIBEL


def path_loss_db(preset: Preset, distance_km: FloatArray) -> FloatArray:
    """Return the large-scale loss at a distance, without shadowing (Qu et al., VI.A)."""
    floored = np.maximum(distance_km, preset.min_distance_km)
    return preset.path_loss_db_at_1km + preset.path_loss_db_per_decade * np.log10(floored)


def shannon_rate(bandwidth_hz: FloatArray, snr: FloatArray) -> FloatArray:
    """Return bit/s (Qu et al., Eq. 4): b·log₂(1 + P·g·h² / N₀)."""
    return bandwidth_hz * (np.log1p(snr) / LN2)


def transfer_s(size_bit: float, rate: FloatArray) -> FloatArray:
    """Return the seconds that a transfer takes; past any deadline at rate 0, unless there is nothing to send."""
    return size_bit / np.maximum(rate, LEAST)


def arrival_probability(
    mean_snr: FloatArray, bandwidth_hz: FloatArray, update_bit: float, remaining_s: FloatArray
) -> FloatArray:
    """Return P(s / rate ≤ rem) over h² ~ Exp(1): exp(−(2^(s/(rem·b)) − 1) / mean SNR), and 0 for rem ≤ 0."""
    exponent = (LN2 * update_bit) / (np.maximum(remaining_s, LEAST) * bandwidth_hz)
    return np.exp(-np.expm1(exponent) / mean_snr)
