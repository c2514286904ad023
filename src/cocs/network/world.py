"""The simulated network: geometry, radio, work and prices of every round, as a pure function of (seed, round)."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from cocs.core import ContextScaler, Observation, RoundStreams, Setting, Truth
from cocs.core.arrays import FloatArray, IntArray
from cocs.errors import InvalidSettingError
from cocs.network import radio
from cocs.network.costs import client_costs, uniform
from cocs.network.expectation import ContextExpectation
from cocs.network.geometry import GEOMETRIES, Geometry
from cocs.network.presets import Preset

# One stream each, so that another noise, price or kind of fading leaves all other draws as they are.
CONCERNS = ("distances", "positions", "bandwidth", "compute", "prices", "shadowing", "fading_down", "fading_up")


class _Links(NamedTuple):
    """All of a round but the uplink's fading; rows are the candidate pairs."""

    rows: IntArray | None  # (P,) into the flattened (N, M); None: all of them
    client: IntArray  # (P,)
    edge: IntArray  # (P,)
    cost: FloatArray  # (P,)
    bandwidth_hz: FloatArray  # (P,)
    compute: FloatArray  # (P,)
    mean_snr_up: FloatArray  # (P,) linear, averaged over fading
    fading_down: FloatArray  # (P,) h²
    rate_down: FloatArray  # (P,) bit/s
    context: FloatArray  # (P, D) in the columns' own units


class _SeenRanges:
    """Min-max of the contexts of rounds 1 … t: remembered where it changed, extended on demand, never revised."""

    def __init__(self, columns: tuple[str, ...]) -> None:
        self.rounds = 0
        self._columns = columns
        self._since: list[int] = []
        self._scalers: list[ContextScaler] = []

    def add(self, context: FloatArray) -> None:
        """Widen the ranges by the next round's contexts, (P, D)."""
        self.rounds += 1
        low, high = context.min(axis=0), context.max(axis=0)
        if self._scalers:
            last = self._scalers[-1]
            if (low >= last.low).all() and (high <= last.high).all():
                return
            low, high = np.minimum(low, last.low), np.maximum(high, last.high)
        self._since.append(self.rounds)
        self._scalers.append(ContextScaler(self._columns, low, high))

    def at(self, t: int) -> ContextScaler:
        """Return the scaler of rounds 1 … t, t ≤ `rounds`."""
        return self._scalers[bisect_right(self._since, t) - 1]


@dataclass(frozen=True, eq=False)
class NetworkWorld:
    """Draws the rounds of a preset: `round(t)` in any order, in any process, decisions never change it.

    Rows stand in order of client, then edge. What a client draws once a round (bandwidth, compute, price) is the same
    at every edge; distance, shadowing and fading are drawn for each pair (readings 14 and 26).
    """

    preset: Preset
    seed: int = 0
    setting: Setting = field(init=False, repr=False)
    _streams: RoundStreams = field(init=False, repr=False)
    _geometry: Geometry = field(init=False, repr=False)
    _seen: _SeenRanges = field(init=False, repr=False)
    _budget: FloatArray = field(init=False, repr=False)
    _deadline_s: FloatArray = field(init=False, repr=False)
    _client: IntArray = field(init=False, repr=False)
    _edge: IntArray = field(init=False, repr=False)
    _last: tuple[Observation, Truth] | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        put, preset = object.__setattr__, self.preset
        n_clients, n_edges = preset.n_clients, preset.n_edges
        put(self, "_streams", RoundStreams(self.seed, CONCERNS))
        put(self, "setting", _setting(preset))
        put(self, "_geometry", GEOMETRIES[preset.geometry](preset))
        put(self, "_seen", _SeenRanges(preset.context))
        put(self, "_budget", np.full(n_edges, preset.budget))
        put(self, "_deadline_s", np.full(n_edges, preset.deadline_s))
        put(self, "_client", np.repeat(np.arange(n_clients), n_edges))
        put(self, "_edge", np.tile(np.arange(n_edges), n_clients))

    def round(self, t: int) -> tuple[Observation, Truth]:
        """Return round t = 1, 2, …: what a policy sees, and what really happens."""
        t, last = _round_number(t), self._last
        if last is not None and last[0].round == t:
            return last  # every oracle asks for the round that is being played
        with np.errstate(over="ignore", divide="ignore"):  # a hopeless link: endless latency, probability 0
            links = self._links(t)
            truth = self._truth(t, links)
        context = self._scaler(t, links.context).scale(links.context)
        observation = Observation(
            t, links.client, links.edge, context, links.cost, self._budget, self._deadline_s, self.preset.n_clients
        )
        object.__setattr__(self, "_last", (observation, truth))
        return observation, truth

    def context_probability(self, observation: Observation) -> FloatArray:
        """Return E[p | context] of each pair, (P,): the most that can be known of it from its own context.

        By numerical integration (reading 9); the first call builds tables. The client's other pairs, whose rates share
        its bandwidth, are not looked at.
        """
        raw = self._scaler(observation.round).raw(observation.context)
        return self._expectation.probability(raw, observation.deadline_s[observation.edge])

    @cached_property
    def _expectation(self) -> ContextExpectation:
        return ContextExpectation.of(self.preset)

    def _links(self, t: int) -> _Links:
        preset, streams = self.preset, self._streams
        pairs = (preset.n_clients, preset.n_edges)
        distance = self._geometry.distances(streams, t)
        rows = self._geometry.in_reach(distance)
        shadowing_db = preset.shadowing_db * streams.at("shadowing", t).standard_normal(pairs)
        fading_down = streams.at("fading_down", t).standard_exponential(pairs)
        compute = uniform(streams, "compute", t, preset.compute, preset.n_clients)
        bandwidth = uniform(streams, "bandwidth", t, preset.bandwidth_hz, preset.n_clients)
        cost = client_costs(preset, streams, t, compute)
        client, edge = (self._client, self._edge) if rows is None else (self._client[rows], self._edge[rows])
        distance, shadowing_db, fading_down = (_take(x, rows) for x in (distance, shadowing_db, fading_down))
        bandwidth, compute, cost = bandwidth[client], compute[client], cost[client]

        gain_db = -(radio.path_loss_db(preset, distance) + shadowing_db) - radio.noise_dbm(preset, bandwidth)
        mean_snr_up = np.exp((preset.power_dbm + gain_db) * radio.DECIBEL)
        mean_snr_down = mean_snr_up
        if preset.download_power_dbm != preset.power_dbm:
            mean_snr_down = np.exp((preset.download_power_dbm + gain_db) * radio.DECIBEL)
        rate_down = radio.shannon_rate(bandwidth, mean_snr_down * fading_down)
        columns = {"rate": rate_down, "compute": compute, "bandwidth": bandwidth, "distance": distance}
        context = np.column_stack([columns[name] for name in preset.context])
        return _Links(rows, client, edge, cost, bandwidth, compute, mean_snr_up, fading_down, rate_down, context)

    def _truth(self, t: int, links: _Links) -> Truth:
        preset, deadline_s = self.preset, self._deadline_s[links.edge]
        before_upload_s = radio.transfer_s(preset.download_bit, links.rate_down) + preset.workload / links.compute
        if preset.fading == "reciprocal":
            fading_up = links.fading_down
        else:
            pairs = (preset.n_clients, preset.n_edges)
            fading_up = _take(self._streams.at("fading_up", t).standard_exponential(pairs), links.rows)
        rate_up = radio.shannon_rate(links.bandwidth_hz, links.mean_snr_up * fading_up)
        latency_s = before_upload_s + radio.transfer_s(preset.update_bit, rate_up)
        arrived = latency_s <= deadline_s
        if preset.fading == "reciprocal":
            return Truth(arrived.astype(np.float64), latency_s, arrived)
        remaining_s = deadline_s - before_upload_s
        probability = radio.arrival_probability(links.mean_snr_up, links.bandwidth_hz, preset.update_bit, remaining_s)
        return Truth(probability, latency_s, arrived)

    def _scaler(self, t: int, context: FloatArray | None = None) -> ContextScaler:
        """Return the scaler of round t; `context` is that round's own, where it is at hand."""
        if self.setting.scaler is not None:
            return self.setting.scaler
        while self._seen.rounds < t:
            following = self._seen.rounds + 1
            with np.errstate(over="ignore", divide="ignore"):
                raw = context if context is not None and following == t else self._links(following).context
            self._seen.add(raw)
        return self._seen.at(t)


def _setting(preset: Preset) -> Setting:
    ends = {
        "rate": (0.0, preset.rate_cap),
        "compute": preset.compute,
        "bandwidth": preset.bandwidth_hz,
        "distance": (0.0, preset.reach_km),
    }
    low, high = np.array([ends[column] for column in preset.context]).T
    return Setting(
        n_clients=preset.n_clients,
        n_edges=preset.n_edges,
        horizon=preset.horizon,
        context=preset.context,
        objective=preset.objective,
        scaler=ContextScaler(preset.context, low, high) if preset.context_scale == "fixed" else None,
        update_bit=preset.update_bit,
        model_bit=preset.download_bit,
        workload=preset.workload,
        bandwidth_hz=preset.bandwidth_hz,
        min_updates=preset.min_updates,
        max_wait_s=preset.max_wait_s,
        edge_compute_s=preset.edge_compute_s,
        backhaul_s=preset.backhaul_s,
    )


def _take(pairs: FloatArray, rows: IntArray | None) -> FloatArray:
    return pairs.reshape(-1) if rows is None else pairs.reshape(-1)[rows]


def _round_number(t: int) -> int:
    if isinstance(t, bool) or not isinstance(t, (int, np.integer)) or not 1 <= t < 2**63:
        raise InvalidSettingError("round", t, "must be a whole number, at least 1: rounds count from 1")
    return int(t)
