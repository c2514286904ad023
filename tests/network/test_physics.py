"""What a wrong simulator gets wrong: arrival must answer distance, noise, power, band, compute and deadline rightly."""

from dataclasses import replace

import numpy as np
import pytest

from cocs.network import PAPER_CIFAR10, PAPER_MNIST, NetworkWorld

ROUNDS = range(1, 21)
ALL = ("rate", "compute", "bandwidth", "distance")
DISCS = replace(PAPER_MNIST, geometry="discs")


def probabilities(preset, rounds=ROUNDS):
    world = NetworkWorld(preset, 5)
    return np.concatenate([world.round(t)[1].probability for t in rounds])


@pytest.mark.parametrize(
    "better",
    [
        {"noise_dbm": -120.0},
        {"power_dbm": 29.0},
        {"downlink_power_dbm": 33.0},
        {"bandwidth_hz": (0.6e6, 2e6)},
        {"compute": (4.0, 8.0)},
        {"deadline_s": 4.0},
        {"update_bit": 0.1e6},
        {"model_bit": 0.1e6},
        {"workload": 1.5},
        {"path_loss_db_at_1km": 120.0},
    ],
    ids=str,
)
@pytest.mark.parametrize("preset", [PAPER_MNIST, DISCS], ids=["literal", "discs"])
def test_a_better_network_lets_no_pair_arrive_less_often(preset, better):
    """Paired draws: the same rounds with one field changed; some pairs gain, none loses."""
    before, after = probabilities(preset), probabilities(replace(preset, **better))

    assert (after >= before).all()
    assert after.mean() > before.mean() + 0.01


def test_arrival_falls_with_distance_and_rises_with_rate_compute_and_bandwidth():
    """The last quarter of each column against the first, over many pairs, in both worlds."""
    for preset in (PAPER_MNIST, PAPER_CIFAR10):
        world = NetworkWorld(replace(preset, context=ALL), 5)
        rounds = [world.round(t) for t in range(1, 201)]
        context = np.concatenate([observation.context for observation, _ in rounds])
        probability = np.concatenate([truth.probability for _, truth in rounds])
        for column, name in enumerate(ALL):
            first, last = np.quantile(context[:, column], [0.25, 0.75])
            gain = probability[context[:, column] > last].mean() - probability[context[:, column] < first].mean()
            assert gain < -0.2 if name == "distance" else gain > 0.003, (name, gain)


def test_distance_acts_on_each_pair_through_the_path_loss():
    """Scaling every distance by the reach lowers every probability, where the floor does not hide it."""
    near, far = probabilities(replace(PAPER_MNIST, reach_km=1.0)), probabilities(PAPER_MNIST)

    assert (near >= far).all()
    assert near.mean() > far.mean() + 0.05


@pytest.mark.parametrize(
    ("geometry", "deadline_s", "mean"),
    [
        ("literal", 2, 0.78),
        ("literal", 3, 0.85),
        ("literal", 4, 0.88),
        ("literal", 8, 0.93),
        ("discs", 2, 0.67),
        ("discs", 3, 0.76),
        ("discs", 4, 0.81),
        ("discs", 8, 0.88),
    ],
)
def test_mean_probability_is_that_of_an_independent_prototype(geometry, deadline_s, mean):
    preset = replace(PAPER_MNIST, geometry=geometry, deadline_s=deadline_s)

    assert probabilities(preset, range(1, 201)).mean() == pytest.approx(mean, abs=0.012)


def test_mean_probability_of_cifar10_is_the_prototypes():
    assert probabilities(PAPER_CIFAR10, range(1, 201)).mean() == pytest.approx(0.74, abs=0.012)


@pytest.mark.parametrize("preset", [PAPER_MNIST, DISCS, PAPER_CIFAR10], ids=["mnist", "discs", "cifar10"])
def test_contexts_spread_over_the_cells(preset):
    """A policy on a 5 × 5 partition meets nearly all cells, and none has most of the pairs."""
    world = NetworkWorld(preset, 0)
    context = np.concatenate([world.round(t)[0].context for t in range(1, 101)])
    cell = np.minimum((context * 5).astype(int), 4) @ [5, 1]
    share = np.bincount(cell, minlength=25) / len(cell)

    assert (share > 0).sum() >= 20
    assert share.max() < 0.25
