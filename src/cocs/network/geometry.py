"""How far each client is from each edge, and which pairs are in reach (Qu et al., VI.A; reading 14)."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Protocol

import numpy as np

from cocs.core import RoundStreams
from cocs.core.arrays import FloatArray, IntArray
from cocs.network.presets import GeometryName, Preset


class Geometry(Protocol):
    """Draws the distances of a round."""

    @property
    def distance_power(self) -> float:
        """Exponent k of P(distance ≤ d | in reach) = (d / reach)^k: what is known of a distance beforehand."""
        ...

    def distances(self, streams: RoundStreams, t: int) -> FloatArray:
        """Return the distances of round t, (N, M) km."""
        ...

    def in_reach(self, distance_km: FloatArray) -> IntArray | None:
        """Return the pairs within reach as indices into the flattened (N, M), or None: all of them."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class LiteralGeometry:
    """Every pair's distance on its own from U[0, reach], as printed: every edge is in reach of every client."""

    preset: Preset
    distance_power: float = 1.0

    def distances(self, streams: RoundStreams, t: int) -> FloatArray:
        """Return the distances of round t, (N, M) km."""
        return streams.at("distances", t).random((self.preset.n_clients, self.preset.n_edges)) * self.preset.reach_km

    def in_reach(self, distance_km: FloatArray) -> None:
        """Return None: all pairs are within reach."""


@dataclass(frozen=True, slots=True, eq=False)
class DiscGeometry:
    """Edges evenly on a circle, clients uniform in the union of their discs, anew each round."""

    preset: Preset
    distance_power: float = 2.0  # each disc lies inside the union, so a client in it is uniform in it
    edges_km: FloatArray = field(init=False)  # (M, 2) the first due north of the centre, the others clockwise

    def __post_init__(self) -> None:
        angle = math.pi / 2 - 2 * math.pi * np.arange(self.preset.n_edges) / self.preset.n_edges
        edges_km = self.preset.edge_circle_km * np.column_stack([np.cos(angle), np.sin(angle)])
        object.__setattr__(self, "edges_km", edges_km)

    def distances(self, streams: RoundStreams, t: int) -> FloatArray:
        """Return the distances of round t, (N, M) km: exact, by rejection from whichever cover wastes less."""
        rng, edges, n_clients = streams.at("positions", t), self.edges_km, self.preset.n_clients
        circle, reach = self.preset.edge_circle_km, self.preset.reach_km
        inner, outer = max(circle - reach, 0.0), circle + reach
        ring = outer**2 - inner**2 < len(edges) * reach**2  # the ring around all discs is smaller than their sum
        found: list[FloatArray] = []
        while sum(map(len, found)) < n_clients:
            # One batch nearly always suffices at the paper's size, where four in five are accepted.
            radius, angle, disc = rng.random((3, n_clients + n_clients // 2 + 16))
            low, high = (inner, outer) if ring else (0.0, reach)
            radius = np.sqrt(low**2 + radius * (high**2 - low**2))
            angle = 2 * math.pi * angle
            x, y = radius * np.cos(angle), radius * np.sin(angle)
            if ring:
                near = np.hypot(x[:, None] - edges[:, 0], y[:, None] - edges[:, 1])
                found.append(near[near.min(axis=1) <= reach])
            else:
                # Each point of the union counts once: as a point of its nearest edge's disc.
                home = (disc * len(edges)).astype(np.int64)
                x, y = x + edges[home, 0], y + edges[home, 1]
                near = np.hypot(x[:, None] - edges[:, 0], y[:, None] - edges[:, 1])
                found.append(near[near.argmin(axis=1) == home])
        return np.concatenate(found)[:n_clients]

    def in_reach(self, distance_km: FloatArray) -> IntArray:
        """Return the pairs within reach as indices into the flattened (N, M)."""
        return np.flatnonzero(distance_km <= self.preset.reach_km)


GEOMETRIES: Mapping[GeometryName, Callable[[Preset], Geometry]] = MappingProxyType(
    {"literal": LiteralGeometry, "discs": DiscGeometry}
)
