"""The link's formulas against numbers worked out by hand and against simulated fading."""

import math
from dataclasses import replace

import numpy as np
import pytest

from cocs.network import PAPER_MNIST
from cocs.network.kernel import Kernel
from cocs.network.radio import arrival_probability, noise_dbm, path_loss_db, shannon_rate, transfer_s


def test_path_loss_is_a_loss_with_a_floor():
    loss = path_loss_db(PAPER_MNIST, np.array([0.0, 0.001, 0.01, 0.1, 1.0, 2.0]))

    np.testing.assert_allclose(loss, [52.9, 52.9, 52.9, 90.5, 128.1, 128.1 + 37.6 * math.log10(2)])


def test_noise_is_one_power_or_a_density_over_the_band():
    per_hz = replace(PAPER_MNIST, noise_dbm_per_hz=-174.0)

    assert noise_dbm(PAPER_MNIST, np.array([0.3e6])) == -114.0
    np.testing.assert_allclose(noise_dbm(per_hz, np.array([0.3e6, 1e6])), [-119.23, -114.0], atol=0.01)


def test_shannon_rate_and_transfer_time():
    rate = shannon_rate(np.array([1e6, 2e6]), np.array([3.0, 0.0]))

    np.testing.assert_allclose(rate, [2e6, 0.0])
    assert transfer_s(4e6, rate)[0] == 2.0
    assert transfer_s(4e6, rate)[1] > 1e300
    assert transfer_s(0.0, rate)[1] == 0.0


def test_probability_is_the_share_of_fading_draws_that_make_it():
    """The closed form against 10⁵ draws of the uplink's fading, for links from hopeless to sure."""
    mean_snr = np.array([0.1, 1.0, 8.0, 8.0, 100.0, 1e6])
    bandwidth_hz = np.array([1e6, 0.5e6, 0.3e6, 1e6, 0.3e6, 1e6])
    remaining_s = np.array([1.0, 0.5, 0.4, 0.1, 0.1, 2.0])
    fading = np.random.default_rng(0).standard_exponential((100_000, 6))

    simulated = (transfer_s(0.18e6, shannon_rate(bandwidth_hz, mean_snr * fading)) <= remaining_s).mean(axis=0)

    closed = arrival_probability(mean_snr, bandwidth_hz, 0.18e6, remaining_s)
    assert closed.min() < 0.3
    assert closed.max() > 0.99
    np.testing.assert_array_less(np.abs(closed - simulated), 4.5 * np.sqrt(closed * (1 - closed) / 1e5) + 1e-12)


def test_no_time_left_means_no_chance():
    with np.errstate(over="ignore"):
        late = arrival_probability(np.full(3, 1e9), np.full(3, 1e6), 0.18e6, np.array([0.0, -1.0, 1e-9]))

    np.testing.assert_array_equal(late, 0.0)


@pytest.mark.parametrize("shadowing_db", [0.0, 8.0])
@pytest.mark.parametrize("geometry", ["literal", "discs"])
def test_kernel_is_the_mean_over_distance_and_shadowing(geometry, shadowing_db):
    """Survival and density of a random link's SNR against a million drawn links."""
    preset = replace(PAPER_MNIST, geometry=geometry, shadowing_db=shadowing_db)
    rng = np.random.default_rng(3)
    share = (np.arange(1_000_000) + 0.5) / 1e6
    distance_km = 2 * share ** (1 if geometry == "literal" else 0.5)
    snr_db = 23 + 114 - path_loss_db(preset, distance_km) - shadowing_db * rng.standard_normal(1_000_000)
    mean_snr = 10 ** (snr_db / 10)
    kernel = Kernel.of(preset, distance_known=False)

    for x in (1e-3, 0.1, 1.0, 30.0, 1e4):
        log_x, none = np.array([math.log(x)]), np.zeros(1)
        survival = np.exp(-x / mean_snr)
        density = survival / mean_snr
        assert np.exp(kernel.survival(log_x, none))[0] == pytest.approx(survival.mean(), rel=0.02)
        assert np.exp(kernel.density(log_x, none))[0] == pytest.approx(density.mean(), rel=0.02)
