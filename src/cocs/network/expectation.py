"""E[p | context] fast: a table where the context is (rate, compute), direct integration for any other."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from cocs.core.arrays import FloatArray, IntArray
from cocs.network.kernel import log_expm1
from cocs.network.presets import Preset
from cocs.network.quadrature import Known, Quadrature
from cocs.network.radio import LEAST, LN2, transfer_s

RATES, TIMES = 64, 384  # entries of the table's axes: bilinear interpolation is then good to 3e-4
SLOWEST = 1e-6  # the rates' axis begins there, relative to its end, if no download is too slow
BELOW_CAP = 1 - 1e-9
CERTAIN, HOPELESS = 1e-13, 700.0  # ends of −ln p in the table


@dataclass(frozen=True, eq=False)
class ContextExpectation:
    """What the best policy can know that sees one pair's context alone."""

    preset: Preset
    quadrature: Quadrature

    @classmethod
    def of(cls, preset: Preset) -> Self:
        """Return the expectation in a preset's world; the table waits until it is needed."""
        return cls(preset, Quadrature.of(preset))

    def probability(self, raw: FloatArray, deadline_s: FloatArray) -> FloatArray:
        """Return E[p | context], (P,), of contexts in their columns' units, (P, D), and deadlines, (P,)."""
        context = self.preset.context
        if self.preset.fading == "reciprocal" or set(context) != {"rate", "compute"}:
            return self.direct(raw, deadline_s)
        rate, compute = raw[:, context.index("rate")], raw[:, context.index("compute")]
        return self._table.probability(rate, deadline_s - self.preset.workload / compute)

    def direct(self, raw: FloatArray, deadline_s: FloatArray) -> FloatArray:
        """Return the same by integrating for each row."""
        columns = dict(zip(self.preset.context, raw.T, strict=True))
        return self.quadrature.probability(Known(deadline_s=deadline_s, **columns))

    @cached_property
    def _table(self) -> _Table:
        return _Table.of(self.quadrature)


@dataclass(frozen=True, slots=True, eq=False)
class _Table:
    """ln(−ln E[p | rate, time left]) on a grid: smooth in these coordinates, for every deadline and compute at once.

    One axis is ln rate; the other, of a time t left for the upload, is ln(2^(s/(t·b)) − 1) at a middle bandwidth b.
    Rates at the cap, of which no more is known, have a row of their own, over the time left for both transfers.
    """

    preset: Preset
    rate_cap: float
    exponent_s: float  # ln 2·s/b: divided by a time, the exponent of that axis
    log_rate: FloatArray  # (RATES,) evenly spaced
    need: FloatArray  # (TIMES,) evenly spaced
    below: FloatArray  # (RATES · TIMES,)
    capped: FloatArray  # (TIMES,)

    @classmethod
    def of(cls, quadrature: Quadrature) -> Self:
        """Return the table of a preset."""
        preset, cap = quadrature.preset, quadrature.rate_cap
        low_hz, high_hz = preset.bandwidth_hz
        middle_hz, longest_s = math.sqrt(low_hz * high_hz), float(np.max(preset.deadline_s))
        exponent_s, strongest = LN2 * preset.update_bit / middle_hz, quadrature.strongest_log_snr
        fastest = min(cap, high_hz * strongest / LN2)
        slowest = min(max(preset.download_bit / longest_s, SLOWEST * fastest), fastest / 2)
        log_rate = np.linspace(math.log(slowest), math.log(fastest), RATES)
        # From the longest deadline to where even the widest band and the strongest link are too late.
        exponents = exponent_s / longest_s, strongest * high_hz / middle_hz
        first, last = log_expm1(np.sort(exponents))
        need = np.linspace(first, last, TIMES)
        left_s = exponent_s / np.logaddexp(need, 0.0)
        compute = preset.compute[1]
        rate = np.minimum(np.repeat(np.exp(log_rate), TIMES), cap * BELOW_CAP)
        ends_s = np.tile(left_s, RATES) + preset.download_bit / rate + preset.workload / compute
        below = quadrature.probability(Known(ends_s, rate=rate, compute=np.full(len(rate), compute)))
        # No rate is capped where the cap is infinite; any finite one will then do.
        at_cap = np.full(TIMES, cap if cap < math.inf else fastest)
        ends_s = left_s + preset.workload / compute
        capped = quadrature.probability(Known(ends_s, rate=at_cap, compute=np.full(TIMES, compute)))
        return cls(preset, cap, exponent_s, log_rate, need, _flatten(below), _flatten(capped))

    def probability(self, rate: FloatArray, slack_s: FloatArray) -> FloatArray:
        """Return E[p | rate, compute], (P,), where `slack_s` is the time for download and upload."""
        capped = rate >= self.rate_cap
        with np.errstate(over="ignore", divide="ignore"):
            left_s = slack_s - np.where(capped, 0.0, transfer_s(self.preset.download_bit, rate))
            column, right = _place(self.need, log_expm1(self.exponent_s / np.maximum(left_s, LEAST)))
            row, down = _place(self.log_rate, np.log(rate))
        corner, table = row * TIMES + column, self.below
        near = table[corner] + right * (table[corner + 1] - table[corner])
        far = table[corner + TIMES] + right * (table[corner + TIMES + 1] - table[corner + TIMES])
        value = near + down * (far - near)
        if capped.any():
            end = self.capped[column] + right * (self.capped[column + 1] - self.capped[column])
            value = np.where(capped, end, value)
        probability: FloatArray = np.where(left_s > 0, np.exp(-np.exp(value)), 0.0)
        return probability


def _place(axis: FloatArray, value: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return the entries before the values, and how far on to the next; beyond an end, the end."""
    place = np.minimum(np.maximum((value - axis[0]) / (axis[1] - axis[0]), 0.0), len(axis) - 1.0)
    before = np.minimum(place, len(axis) - 2.0).astype(np.int64)
    return before, place - before


def _flatten(probability: FloatArray) -> FloatArray:
    """Return ln(−ln p)."""
    with np.errstate(divide="ignore"):
        value: FloatArray = np.log(np.clip(-np.log(probability), CERTAIN, HOPELESS))
        return value
