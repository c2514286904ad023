"""What fading, shadowing and an unknown distance leave of a link's strength, as two tabulated functions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from cocs.core.arrays import FloatArray
from cocs.network import radio
from cocs.network.geometry import GEOMETRIES
from cocs.network.presets import Preset

STEP = 0.01  # of the tables, in ln x: linear interpolation is then good to 1e-5
DEVIATIONS = 6.0  # shadowing is integrated over ± so many standard deviations
SHADOWING_NODES = 81  # trapezoids: as good as exact for a bell curve
DISTANCE_NODES = 40
WEAKEST, STRONGEST = 14.0, 4.0  # how far the tables reach beyond the weakest and the strongest mean SNR, in ln


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """For a random mean SNR G: `survival`(x) = E[exp(−x/G)] = P(SNR > x), and `density`(x) = E[exp(−x/G)/G].

    Both as logarithms of functions of ln x: sums over bandwidths then cannot under- or overflow.
    """

    low: float  # ln x of the tables' first entry; below it survival is 1
    log_survival: FloatArray  # (K,) at low, low + STEP, …
    log_density: FloatArray  # (K,)

    @property
    def high(self) -> float:
        """Last ln x of the tables; beyond it survival is 0."""
        return self.low + STEP * (len(self.log_survival) - 1)

    @classmethod
    def of(cls, preset: Preset, *, distance_known: bool) -> Self:
        """Return the kernel of a preset's downlink at 1 Hz if its noise is per Hz.

        With a known distance G is relative to the median there; else absolute, over the distances of the geometry.
        """
        kernel = cls._shadowed(preset.shadowing_db * radio.DECIBEL)
        if distance_known:
            return kernel
        distance_km, weight = _distances(preset)
        return kernel._mixed(log_median_snr(preset, distance_km), np.log(weight))

    @classmethod
    def _shadowed(cls, deviation: float) -> Self:
        node = np.linspace(-DEVIATIONS, DEVIATIONS, SHADOWING_NODES) if deviation else np.zeros(1)
        log_weight = -(node**2) / 2
        log_weight -= _log_sum(log_weight)
        spread = DEVIATIONS * deviation
        log_x = np.arange(-spread - WEAKEST, spread + STRONGEST + STEP, STEP)
        gain = deviation * node
        log_survival = log_weight - np.exp(log_x[:, None] - gain)
        return cls(float(log_x[0]), _log_sum(log_survival), _log_sum(log_survival - gain))

    def _mixed(self, log_gain: FloatArray, log_weight: FloatArray) -> Self:
        log_x = np.arange(self.low + log_gain.min(), self.high + log_gain.max() + STEP, STEP)
        survival = log_weight + self.survival(log_x[:, None], log_gain)
        density = log_weight + self.density(log_x[:, None], log_gain)
        return type(self)(float(log_x[0]), _log_sum(survival), _log_sum(density))

    def survival(self, log_x: FloatArray, log_gain: FloatArray) -> FloatArray:
        """Return ln P(SNR > x) of a link whose G is multiplied by exp(log_gain)."""
        return self._interpolate(self.log_survival, log_x - log_gain)

    def density(self, log_x: FloatArray, log_gain: FloatArray) -> FloatArray:
        """Return ln E[exp(−x/G)/G] of a link whose G is multiplied by exp(log_gain)."""
        return self._interpolate(self.log_density, log_x - log_gain) - log_gain

    def _interpolate(self, table: FloatArray, log_x: FloatArray) -> FloatArray:
        place = np.maximum((log_x - self.low) / STEP, 0.0)
        left = np.minimum(place, len(table) - 2).astype(np.int64)
        value: FloatArray = table[left] + (place - left) * (table[left + 1] - table[left])
        return value


def log_median_snr(preset: Preset, distance_km: FloatArray) -> FloatArray:
    """Return ln of the downlink's median SNR at a distance; at 1 Hz if the noise is per Hz."""
    noise_dbm = preset.noise_dbm if preset.noise_dbm_per_hz is None else preset.noise_dbm_per_hz
    received_dbm = preset.download_power_dbm - radio.path_loss_db(preset, distance_km)
    return (received_dbm - noise_dbm) * radio.DECIBEL


def log_expm1(x: FloatArray) -> FloatArray:
    """Return ln(eˣ − 1), for any x from 0 to infinity."""
    value: FloatArray = x + np.log(-np.expm1(-x))
    return value


def _distances(preset: Preset) -> tuple[FloatArray, FloatArray]:
    """Return nodes and weights of P(distance ≤ d) = (d / reach)^k, all below the floor in one."""
    power = GEOMETRIES[preset.geometry](preset).distance_power
    floor = min(preset.min_distance_km, preset.reach_km)
    node, weight = np.polynomial.legendre.leggauss(DISTANCE_NODES)
    # In ln d the density is smooth: k·(d / reach)^k.
    half = math.log(preset.reach_km / floor) / 2
    distance_km = floor * np.exp(half * (node + 1))
    mass = half * weight * power * (distance_km / preset.reach_km) ** power
    near = (floor / preset.reach_km) ** power
    mass *= (1 - near) / mass.sum() if near < 1 else 0.0
    kept = np.append(mass, near) > 0
    return np.append(distance_km, floor)[kept], np.append(mass, near)[kept]


def _log_sum(terms: FloatArray) -> FloatArray:
    """Return ln Σ exp over the last axis."""
    top = terms.max(axis=-1, keepdims=True)
    total: FloatArray = np.log(np.exp(terms - top).sum(axis=-1)) + top[..., 0]
    return total
