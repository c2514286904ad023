"""Rounds: pure functions of (seed, t), of the right form, with draws that other settings leave alone."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from cocs.core import World
from cocs.errors import InvalidSettingError
from cocs.network import PAPER_CIFAR10, PAPER_MNIST, NetworkWorld

DISCS = replace(PAPER_MNIST, geometry="discs")
SEEN = replace(DISCS, context_scale="seen", price="client")
WORLDS = {"literal": PAPER_MNIST, "discs": DISCS, "seen": SEEN, "cifar10": PAPER_CIFAR10}

PRINT_ROUNDS = """
from cocs.network import NetworkWorld
from test_network_world import SEEN, digest
print(digest(NetworkWorld(SEEN, 7), [9, 2]))
"""


def arrays(world, t):
    observation, truth = world.round(t)
    return {
        "client": observation.client,
        "edge": observation.edge,
        "context": observation.context,
        "cost": observation.cost,
        "probability": truth.probability,
        "latency_s": truth.latency_s,
        "arrived": truth.arrived,
        "expected": world.context_probability(observation),
    }


def digest(world, rounds):
    content = b"".join(array.tobytes() for t in rounds for array in arrays(world, t).values())
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("preset", WORLDS.values(), ids=WORLDS)
def test_rounds_are_the_same_in_any_order_and_instance(preset):
    forth, back = NetworkWorld(preset, 7), NetworkWorld(preset, 7)
    one = {t: digest(forth, [t]) for t in (1, 2, 9, 30)}
    other = {t: digest(back, [t]) for t in (30, 9, 1, 2)}

    assert one == other
    assert len(set(one.values())) == 4


def test_another_process_draws_the_same_bytes():
    path = os.pathsep.join([os.path.dirname(__file__), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", PRINT_ROUNDS],
        env=os.environ | {"PYTHONHASHSEED": "123", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )

    assert done.stdout.strip() == digest(NetworkWorld(SEEN, 7), [9, 2])


def test_seeds_differ_in_every_array():
    one, other = (arrays(NetworkWorld(PAPER_MNIST, seed), 1) for seed in (0, 1))

    for name in ("context", "cost", "probability", "latency_s", "arrived"):
        assert not np.array_equal(one[name], other[name]), name


@pytest.mark.parametrize("t", [0, -1, 1.5, True, "1", None])
def test_a_round_before_the_first_is_refused(t):
    with pytest.raises(InvalidSettingError, match="rounds count from 1"):
        NetworkWorld(PAPER_MNIST).round(t)


@pytest.mark.parametrize("seed", [-1, 0.5, "0", None])
def test_an_impossible_seed_is_refused(seed):
    with pytest.raises(InvalidSettingError, match="seed"):
        NetworkWorld(PAPER_MNIST, seed)


def test_setting_is_what_the_operator_knows():
    preset = replace(DISCS, n_edges=2, min_updates=2, max_wait_s=5, edge_compute_s=1, backhaul_s=2, model_bit=1e5)
    world: World = NetworkWorld(replace(preset, context=("distance", "rate", "bandwidth", "compute")), 0)
    setting = world.setting

    assert (setting.n_clients, setting.n_edges, setting.horizon, setting.objective) == (50, 2, 1000, "sum")
    assert (setting.update_bit, setting.model_bit, setting.workload) == (0.18e6, 1e5, 2.41)
    assert (setting.min_updates, setting.max_wait_s, setting.edge_compute_s, setting.backhaul_s) == (2, 5, 1, 2)
    assert setting.bandwidth_hz == (0.3e6, 1e6)
    assert setting.scaler.columns == setting.context == ("distance", "rate", "bandwidth", "compute")
    np.testing.assert_array_equal(setting.scaler.low, [0, 0, 0.3e6, 2])
    np.testing.assert_array_equal(setting.scaler.high, [2, 8e6, 1e6, 4])
    assert NetworkWorld(SEEN).setting.scaler is None


def test_literal_has_a_row_for_every_pair_in_order():
    observation, _ = NetworkWorld(PAPER_MNIST).round(1)

    np.testing.assert_array_equal(observation.client, np.repeat(np.arange(50), 3))
    np.testing.assert_array_equal(observation.edge, np.tile([0, 1, 2], 50))
    np.testing.assert_array_equal(observation.budget, 3.5)


def test_discs_have_rows_in_order_for_pairs_in_reach_alone():
    world = NetworkWorld(replace(DISCS, context=("distance",)))
    for t in range(1, 20):
        observation, _ = world.round(t)
        assert 50 <= len(observation.client) < 150
        assert (np.diff(observation.client * 3 + observation.edge) > 0).all()
        assert set(observation.client) == set(range(50))


@pytest.mark.parametrize("preset", [PAPER_MNIST, DISCS])
def test_a_client_has_one_bandwidth_compute_and_cost_a_round_in_their_ranges(preset):
    world = NetworkWorld(replace(preset, context=("bandwidth", "compute", "rate", "distance")))
    observation, _ = world.round(1)

    raw = world.setting.scaler.raw(observation.context)
    for column in (raw[:, 0], raw[:, 1], observation.cost):
        of_client = {client: column[observation.client == client] for client in range(50)}
        assert all(len(set(draws)) == 1 for draws in of_client.values())
        assert len({draws[0] for draws in of_client.values()}) == 50
    assert raw[:, 0].min() >= 0.3e6
    assert raw[:, 1].max() <= 4
    price = observation.cost / raw[:, 1]
    assert 0.5 <= price.min() < 0.6 < 1.9 < price.max() <= 2
    assert len(set(raw[:, 3])) == len(raw)


def test_price_per_client_stays_for_the_run_and_per_round_changes():
    def prices(preset, t):
        world = NetworkWorld(replace(preset, context=("compute",)), 3)
        observation, _ = world.round(t)
        return observation.cost / world.setting.scaler.raw(observation.context)[:, 0]

    kept = replace(PAPER_MNIST, price="client")
    np.testing.assert_allclose(prices(kept, 1), prices(kept, 9))
    assert not np.allclose(prices(PAPER_MNIST, 1), prices(PAPER_MNIST, 9))


def test_budgets_and_deadlines_may_differ_by_edge():
    world = NetworkWorld(replace(PAPER_MNIST, budget=[1, 2, 3], deadline_s=(1, 3, 8)))
    observation, truth = world.round(1)

    np.testing.assert_array_equal(observation.budget, [1, 2, 3])
    np.testing.assert_array_equal(observation.deadline_s, [1, 3, 8])
    share = [truth.probability[observation.edge == edge].mean() for edge in range(3)]
    assert share[0] < share[1] < share[2]


def test_arrived_is_exactly_latency_within_the_deadline_and_follows_the_probability():
    for preset in (PAPER_MNIST, DISCS, PAPER_CIFAR10):
        rounds = [NetworkWorld(preset, 1).round(t)[1] for t in range(1, 301)]
        probability = np.concatenate([truth.probability for truth in rounds])
        arrived = np.concatenate([truth.arrived for truth in rounds])
        latency_s = np.concatenate([truth.latency_s for truth in rounds])

        np.testing.assert_array_equal(arrived, latency_s <= preset.deadline_s)
        for low, high in ((0, 0.2), (0.2, 0.6), (0.6, 0.9), (0.9, 1.01)):
            rows = (probability >= low) & (probability < high)
            error = np.sqrt((probability[rows] * (1 - probability[rows])).sum()) / rows.sum()
            assert abs(arrived[rows].mean() - probability[rows].mean()) < 4 * error
        assert not arrived[probability == 0].any()


def test_probability_is_the_share_of_redrawn_uplinks():
    """10⁵ pairs whose all but the uplink's fading is the same as another's: arrivals agree with the closed form."""
    world = NetworkWorld(PAPER_MNIST, 0)
    links = world._links(5)
    _, truth = world.round(5)
    fading = np.random.default_rng(9).standard_exponential((100_000 // 150, 150))
    before_s = 0.18e6 / links.rate_down + 2.41 / links.compute
    rate_up = links.bandwidth_hz * np.log2(1 + links.mean_snr_up * fading)
    arrived = before_s + 0.18e6 / rate_up <= 3.0

    error = np.sqrt((truth.probability * (1 - truth.probability)) / len(fading))
    np.testing.assert_array_less(np.abs(arrived.mean(axis=0) - truth.probability), 4.5 * error + 5e-3)
    assert abs(arrived.mean() - truth.probability.mean()) < 0.003


@pytest.mark.parametrize(
    "changed",
    [
        {"noise_dbm": -100.0},
        {"noise_dbm_per_hz": -174.0},
        {"power_dbm": 30.0},
        {"fading": "reciprocal"},
        {"price": "client"},
        {"deadline_s": 8.0},
        {"price_range": (1.0, 3.0)},
    ],
    ids=str,
)
def test_changing_a_field_leaves_all_other_draws(changed):
    """Distances, bandwidths and computes of both geometries stay, so that worlds pair up round by round."""
    columns = ("distance", "bandwidth", "compute")
    for preset in (replace(PAPER_MNIST, context=columns), replace(DISCS, context=columns)):
        for t in (1, 4):
            one, _ = NetworkWorld(preset, 2).round(t)
            other, _ = NetworkWorld(replace(preset, **changed), 2).round(t)
            np.testing.assert_array_equal(one.context, other.context)
            np.testing.assert_array_equal(one.client, other.client)


def test_reciprocal_fading_keeps_the_downlink_and_makes_arrival_certain_or_impossible():
    one, _ = NetworkWorld(PAPER_MNIST, 2).round(3)
    other, truth = NetworkWorld(replace(PAPER_MNIST, fading="reciprocal"), 2).round(3)

    np.testing.assert_array_equal(one.context, other.context)
    np.testing.assert_array_equal(truth.probability, truth.arrived)
    raw = NetworkWorld(PAPER_MNIST).setting.scaler.raw(other.context)
    below = raw[:, 0] < 8e6
    np.testing.assert_allclose(truth.latency_s[below], (2 * 0.18e6 / raw[:, 0] + 2.41 / raw[:, 1])[below])


def test_seen_ranges_are_those_of_the_rounds_so_far():
    raw_world = NetworkWorld(replace(DISCS, rate_span=40.0), 4)  # wide enough to clip nothing
    seen_world = NetworkWorld(replace(DISCS, context_scale="seen"), 4)
    scaler = raw_world.setting.scaler
    log = np.concatenate([scaler.raw(raw_world.round(t)[0].context) for t in range(1, 8)])
    observation, _ = seen_world.round(7)
    last, _ = raw_world.round(7)

    assert log[:, 0].max() < 40e6
    expected = (scaler.raw(last.context) - log.min(axis=0)) / (log.max(axis=0) - log.min(axis=0))
    np.testing.assert_allclose(observation.context, expected, atol=1e-12)


def test_a_world_of_one_client_and_one_edge_works():
    for geometry in ("literal", "discs"):
        for scale in ("fixed", "seen"):
            preset = replace(PAPER_MNIST, n_clients=1, n_edges=1, geometry=geometry, context_scale=scale)
            observation, truth = NetworkWorld(preset).round(1)
            assert observation.context.shape == (1, 2)
            assert len(truth.arrived) == 1


def test_what_is_drawn_for_one_concern_tells_nothing_of_another():
    """No two of bandwidth, compute, price and distance go together, within a round or from one round to the next."""
    world = NetworkWorld(replace(PAPER_MNIST, context=("bandwidth", "compute", "distance")), 1)
    rounds = []
    for t in range(1, 301):
        observation, _ = world.round(t)
        price = observation.cost / world.setting.scaler.raw(observation.context)[:, 1]
        rounds.append(np.column_stack([observation.context, price])[observation.edge == 0])
    now, later = np.concatenate(rounds[:-1]), np.concatenate(rounds[1:])

    related = np.corrcoef(np.column_stack([now, later]).T) - np.eye(8)
    assert np.abs(related).max() < 4.5 / np.sqrt(len(now))
