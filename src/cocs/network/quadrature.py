"""E[p | context] by integrating over all that a pair's context does not tell (Qu et al., Eq. 11; reading 9).

Given bandwidth b and mean SNR G, a downlink rate r has the density exp(−v/G)/G · dv/dr at v = 2^(r/b) − 1, whence a
posterior of (b, G). With independent fading the update then arrives with exp(−A/G), A = 2^(s/(rem·b)) − 1: integrated
over shadowing and distance these are the kernel's density at v and at v + A. With reciprocal fading arrival is a
yes or no, given b. What is left are sums over b, over the compute y where the context lacks it, and over v where it
lacks the rate, or tells no more than that the rate is at or above its cap.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from cocs.core.arrays import BoolArray, FloatArray
from cocs.network.kernel import Kernel, log_expm1, log_median_snr
from cocs.network.presets import Preset
from cocs.network.radio import DECIBEL, LEAST, LN2

BANDWIDTH_NODES = 16
BANDWIDTH_CELLS = 128  # where arrival jumps from 0 to 1 at some bandwidth: equal cells, the cut one in part
COMPUTE_NODES = 10
SNR_NODES = 40
HALVINGS = 45
CHUNK = 1 << 18  # nodes integrated at once: bounds the memory


class Known(NamedTuple):
    """What each row's context tells, and its deadline; None: not among the columns."""

    deadline_s: FloatArray  # (P,)
    rate: FloatArray | None = None  # (P,) bit/s, of the downlink
    compute: FloatArray | None = None  # (P,) MHz
    bandwidth: FloatArray | None = None  # (P,) Hz
    distance: FloatArray | None = None  # (P,) km

    def take(self, rows: BoolArray | slice) -> Known:
        """Return those rows alone."""
        return Known._make(None if column is None else column[rows] for column in self)


@dataclass(frozen=True, slots=True, eq=False)
class Quadrature:
    """Integrates for any set of columns, row by row: good to 1e-4, in 1 (all known) to 250 µs a row (only one)."""

    preset: Preset
    rate_cap: float  # bit/s; a rate at the cap means: at or above it
    absolute: Kernel  # over distance and shadowing
    relative: Kernel  # over shadowing alone, for a known distance

    @classmethod
    def of(cls, preset: Preset) -> Quadrature:
        """Return the quadrature of a preset's physics and scaling."""
        cap = preset.rate_cap if preset.context_scale == "fixed" else np.inf
        kernels = (Kernel.of(preset, distance_known=known) for known in (False, True))
        return cls(preset, cap, *kernels)

    def probability(self, known: Known) -> FloatArray:
        """Return E[p | context] of each row, (P,)."""
        rows = len(known.deadline_s)
        nodes = BANDWIDTH_CELLS if known.bandwidth is None else 1
        nodes *= COMPUTE_NODES if known.compute is None else 1
        nodes *= SNR_NODES if known.rate is None else 1
        step = max(1, CHUNK // nodes)
        parts = [self._chunk(known.take(slice(first, first + step))) for first in range(0, rows, step)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def _chunk(self, known: Known) -> FloatArray:
        with np.errstate(over="ignore", divide="ignore"):  # links that are hopeless or perfect for some nodes
            if known.rate is None:
                return self._above(0.0, known)
            capped = known.rate >= self.rate_cap
            if not capped.any():
                return self._at(known)
            probability = np.empty(len(capped))
            probability[capped] = self._above(self.rate_cap, known.take(capped))
            probability[~capped] = self._at(known.take(~capped))
            return probability

    def _at(self, known: Known) -> FloatArray:
        """Integrate given the rate."""
        if self.preset.fading == "reciprocal":
            return self._reciprocal_at(known)
        preset, rate = self.preset, _axes(known.rate)
        kernel, bandwidth, log_gain, log_weight = self._links(known, *_gauss(*preset.bandwidth_hz, BANDWIDTH_NODES))
        slack_s, share = self._slack(known, preset.download_bit / rate)
        remaining_s = np.maximum(slack_s - preset.download_bit / rate, LEAST)
        log_snr = log_expm1(LN2 * rate / bandwidth)
        log_weight = log_weight + LN2 * rate / bandwidth - np.log(bandwidth)
        log_need = log_expm1(LN2 * preset.update_bit / (remaining_s * bandwidth)) - self._log_power_ratio
        arrives = log_weight + kernel.density(np.logaddexp(log_need, log_snr), log_gain)
        return _ratio(arrives, log_weight + kernel.density(log_snr, log_gain), share)

    def _above(self, cap: float, known: Known) -> FloatArray:
        """Integrate given no more than that the rate is at least `cap`."""
        preset, download_bit = self.preset, self.preset.download_bit
        kernel, bandwidth, log_gain, log_weight = self._links(known, *_gauss(*preset.bandwidth_hz, BANDWIDTH_NODES))
        slack_s, share = self._slack(known, np.zeros((1, 1, 1)))
        slack_s = np.maximum(slack_s, LEAST)
        log_cap = log_expm1(LN2 * cap / bandwidth)
        given = log_weight + kernel.survival(log_cap, log_gain)
        if preset.fading == "reciprocal":
            log_need = self._reciprocal_need(kernel, bandwidth, log_gain, slack_s)
            return _ratio(log_weight + kernel.survival(np.maximum(log_need, log_cap), log_gain), given, share)
        # Below `first` the download alone takes too long; in ln v the rest is smooth.
        first = np.maximum(log_cap, log_expm1(LN2 * download_bit / (slack_s * bandwidth)))
        first = np.clip(first, kernel.low + log_gain, kernel.high + log_gain)[..., None]
        span = kernel.high + log_gain[..., None] - first
        node, weight = _gauss(0.0, 1.0, SNR_NODES)
        log_snr = first + span * node
        bandwidth, log_gain = bandwidth[..., None], log_gain[..., None]
        rate = bandwidth * (np.logaddexp(log_snr, 0.0) / LN2)
        remaining_s = np.maximum(slack_s[..., None] - download_bit / rate, LEAST)
        log_need = log_expm1(LN2 * preset.update_bit / (remaining_s * bandwidth)) - self._log_power_ratio
        arrives = np.log(span * weight) + log_snr + kernel.density(np.logaddexp(log_need, log_snr), log_gain)
        arrives = (log_weight[..., None] + arrives).reshape(*arrives.shape[:2], -1)
        return _ratio(arrives, given, share)

    def _reciprocal_at(self, known: Known) -> FloatArray:
        """Integrate given the rate, where one fading serves both links: given b, arrival is certain or impossible."""
        preset, rate = self.preset, _axes(known.rate)
        low, high = preset.bandwidth_hz
        edges = np.linspace(low, high, BANDWIDTH_CELLS + 1)
        middle = (edges[1:] + edges[:-1]) / 2
        kernel, bandwidth, log_gain, log_weight = self._links(known, middle, np.ones(len(middle)))
        log_snr = log_expm1(LN2 * rate / bandwidth)
        posterior = log_weight + LN2 * rate / bandwidth - np.log(bandwidth) + kernel.density(log_snr, log_gain)
        room_s = self._compute_room(known, rate, bandwidth)
        if known.compute is None and preset.compute[0] < preset.compute[1]:
            slowest, fastest = preset.compute
            enough = preset.workload / np.maximum(room_s, LEAST)
            arrives = np.clip((fastest - enough) / (fastest - slowest), 0.0, 1.0)
        else:
            need_s = preset.workload / _axes(np.full(1, preset.compute[0]) if known.compute is None else known.compute)
            arrives = (room_s >= need_s).astype(np.float64)
            if bandwidth.shape[-1] > 1:  # of the one cell that is cut, a part arrives
                spare_s = self._compute_room(known, rate, edges) - need_s
                most = np.maximum(spare_s[..., 1:], spare_s[..., :-1])
                least = np.minimum(spare_s[..., 1:], spare_s[..., :-1])
                cut = (most > 0) & (least < 0)
                arrives[cut] = most[cut] / (most - least)[cut]
        return _ratio(np.log(arrives) + posterior, posterior, np.ones((1, 1)))

    def _compute_room(self, known: Known, rate: FloatArray, bandwidth: FloatArray) -> FloatArray:
        """Return what both transfers leave of the deadline; the uplink's SNR is a multiple of the downlink's."""
        ratio = np.exp(self._log_power_ratio)
        rate_up = rate + bandwidth * (np.log1p((1 - ratio) * np.expm1(-LN2 * rate / bandwidth)) / LN2)
        spent_s = self.preset.download_bit / rate + self.preset.update_bit / np.maximum(rate_up, LEAST)
        room_s: FloatArray = _axes(known.deadline_s) - spent_s
        return room_s

    def _reciprocal_need(
        self, kernel: Kernel, bandwidth: FloatArray, log_gain: FloatArray, slack_s: FloatArray
    ) -> FloatArray:
        """Return ln of the least downlink SNR with which download and upload fit into the slack."""
        down, up, log_ratio = self.preset.download_bit, self.preset.update_bit, self._log_power_ratio
        if log_ratio == 0.0:
            return log_expm1(LN2 * (down + up) / (slack_s * bandwidth))
        low = np.broadcast_to(
            kernel.low + log_gain, np.broadcast_shapes(slack_s.shape, bandwidth.shape, log_gain.shape)
        )
        high = low + (kernel.high - kernel.low)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            spent = down / np.logaddexp(middle, 0.0) + up / np.logaddexp(middle + log_ratio, 0.0)
            late = spent * LN2 > slack_s * bandwidth
            low, high = np.where(late, middle, low), np.where(late, high, middle)
        return high

    def _links(
        self, known: Known, bandwidth: FloatArray, weight: FloatArray
    ) -> tuple[Kernel, FloatArray, FloatArray, FloatArray]:
        """Return the kernel, the bandwidths, (P or 1, 1, B), what they shift the kernel by, and their log weights."""
        if known.bandwidth is not None:
            bandwidth, weight = _axes(known.bandwidth), np.ones(1)
        elif bandwidth[0] == bandwidth[-1]:
            bandwidth, weight = bandwidth[:1], np.ones(1)
        bandwidth = bandwidth.reshape(-1, 1, len(weight))
        kernel, log_gain = self.absolute, np.zeros((1, 1, 1))
        if known.distance is not None:
            kernel, log_gain = self.relative, log_median_snr(self.preset, _axes(known.distance))
        if self.preset.noise_dbm_per_hz is not None:
            log_gain = log_gain - np.log(bandwidth)
        return kernel, bandwidth, log_gain, np.log(weight).reshape(1, 1, -1)

    def _slack(self, known: Known, spent_s: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return deadline − q / y for the known or any possible compute, (P, Y, 1), and the weights, (P, Y)."""
        preset, deadline_s = self.preset, _axes(known.deadline_s)
        low, high = preset.compute
        if known.compute is not None or low == high:
            compute = np.full(1, low) if known.compute is None else known.compute
            return deadline_s - preset.workload / _axes(compute), np.ones((1, 1))
        # Slower compute than `enough` is too late whatever the uplink: leave it out, the rest is smooth.
        enough = preset.workload / np.maximum(deadline_s - spent_s, LEAST)
        first = np.clip(enough, low, high)
        node, weight = _gauss(0.0, 1.0, COMPUTE_NODES)
        compute = first + (high - first) * node[:, None]
        return deadline_s - preset.workload / compute, ((high - first) / (high - low) * weight[:, None])[..., 0]

    @property
    def strongest_log_snr(self) -> float:
        """Natural logarithm of an SNR that no link reaches, at least 1."""
        per_hz = self.preset.noise_dbm_per_hz is not None
        log_snr = self.absolute.high - (math.log(self.preset.bandwidth_hz[0]) if per_hz else 0.0)
        return max(log_snr + max(self._log_power_ratio, 0.0), 1.0)

    @property
    def _log_power_ratio(self) -> float:
        return (self.preset.power_dbm - self.preset.download_power_dbm) * DECIBEL


def _axes(column: FloatArray | None) -> FloatArray:
    """Return a column of rows with axes for compute and bandwidth behind."""
    assert column is not None
    return column[:, None, None]


@lru_cache(maxsize=64)
def _gauss(low: float, high: float, nodes: int) -> tuple[FloatArray, FloatArray]:
    """Return Gauss–Legendre nodes on [low, high], and weights whose sum is 1."""
    node, weight = np.polynomial.legendre.leggauss(nodes)
    return low + (high - low) * (node + 1) / 2, weight / 2


def _ratio(arrives: FloatArray, given: FloatArray, share: FloatArray) -> FloatArray:
    """Return Σ share·Σ exp(arrives) / Σ exp(given), (P,): of terms (P, Y, nodes), (P, 1, nodes) and (P or 1, Y)."""
    top = given.max(axis=-1, keepdims=True)
    quotient = np.exp(arrives - top).sum(axis=-1) / np.exp(given - top).sum(axis=-1)
    expected: FloatArray = np.minimum((share * quotient).sum(axis=-1), 1.0)
    return expected
