"""Where clients are: the distributions that VI.A and reading 14 ask for."""

from dataclasses import replace

import numpy as np
import pytest

from cocs.core import RoundStreams
from cocs.network import PAPER_MNIST
from cocs.network.geometry import DiscGeometry, LiteralGeometry

STREAMS = RoundStreams(0, ["distances", "positions"])


def test_literal_distances_are_uniform_and_all_in_reach():
    geometry = LiteralGeometry(replace(PAPER_MNIST, n_clients=20_000, reach_km=1.5))
    distance = geometry.distances(STREAMS, 1)

    assert distance.shape == (20_000, 3)
    assert geometry.in_reach(distance) is None
    deciles = np.quantile(distance, np.linspace(0, 1, 11))
    np.testing.assert_allclose(deciles, np.linspace(0, 1.5, 11), atol=0.02)
    assert abs(np.corrcoef(distance.T)[0, 1]) < 0.03


def test_three_edges_stand_where_reading_14_says():
    np.testing.assert_allclose(DiscGeometry(PAPER_MNIST).edges_km, [(0, 1.2), (1.039, -0.6), (-1.039, -0.6)], atol=1e-3)


@pytest.mark.parametrize(
    ("n_edges", "circle_km"), [(1, 1.2), (2, 1.2), (3, 1.2), (8, 1.2), (3, 9.0), (4, 0.0)], ids=str
)
def test_clients_are_uniform_in_the_union_of_discs(n_edges, circle_km):
    """Whichever way of drawing is used, distances follow those of a plain rejection from the bounding square."""
    geometry = DiscGeometry(replace(PAPER_MNIST, n_clients=40_000, n_edges=n_edges, edge_circle_km=circle_km))
    distance = geometry.distances(STREAMS, 1)

    half = circle_km + 2
    points = np.random.default_rng(1).uniform(-half, half, (1_000_000, 2))
    plain = np.hypot(*(points[:, None] - geometry.edges_km).transpose(2, 0, 1))
    plain = plain[plain.min(axis=1) <= 2]
    assert distance.shape == (40_000, n_edges)
    assert distance.min(axis=1).max() <= 2 + 1e-9
    for edge in range(n_edges):
        levels = np.quantile(plain[:, edge], np.linspace(0.05, 0.95, 10))
        share = [(distance[:, edge] <= level).mean() for level in levels]
        np.testing.assert_allclose(share, np.linspace(0.05, 0.95, 10), atol=0.012)


def test_only_pairs_in_reach_are_candidates_and_their_distances_grow_like_a_disc():
    """P(distance ≤ d | in reach) = (d / reach)², what E[p | context] takes for granted."""
    geometry = DiscGeometry(replace(PAPER_MNIST, n_clients=40_000))
    distance = geometry.distances(STREAMS, 1)
    rows = geometry.in_reach(distance)

    reached = distance.reshape(-1)[rows]
    assert reached.max() <= 2
    assert len(rows) == (distance <= 2).sum() < distance.size
    np.testing.assert_allclose([(reached <= d).mean() for d in (0.5, 1, 1.5)], [1 / 16, 1 / 4, 9 / 16], atol=0.01)
