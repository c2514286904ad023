"""E[p | context]: what is left of p when only the pair's context is known, against the simulator itself."""

from dataclasses import replace
from itertools import combinations, pairwise

import numpy as np
import pytest

from cocs.network import PAPER_CIFAR10, PAPER_MNIST, NetworkWorld

ALL = ("rate", "compute", "bandwidth", "distance")
DISCS = replace(PAPER_MNIST, geometry="discs")
BASES = {"mnist": PAPER_MNIST, "discs": DISCS, "cifar10": PAPER_CIFAR10}


def draw(preset, rounds, seed=3):
    """Return contexts, realised probabilities and E[p | context] of many rounds."""
    world = NetworkWorld(preset, seed)
    context, probability, expected = [], [], []
    for t in range(1, rounds + 1):
        observation, truth = world.round(t)
        context.append(observation.context)
        probability.append(truth.probability)
        expected.append(world.context_probability(observation))
    return np.concatenate(context), np.concatenate(probability), np.concatenate(expected)


def check_calibrated(context, probability, expected, bins=12):
    """Hold the mean of p against that of E[p | context], in bins of the prediction and of each column.

    Where few pairs of a bin ever fail, the sample's own spread is no measure: 3 in 1,000 pairs is granted.
    """
    assert ((expected >= 0) & (expected <= 1)).all()
    error = probability - expected
    for key in (expected, *context.T):
        place = np.searchsorted(np.unique(np.quantile(key, np.linspace(0, 1, bins + 1)))[1:-1], key, side="right")
        for part in range(place.max() + 1):
            rows = place == part
            if rows.sum() > 100:
                allowed = 4.5 * error[rows].std() / np.sqrt(rows.sum()) + 3 / rows.sum() + 2e-4
                assert abs(error[rows].mean()) < allowed, (part, error[rows].mean(), allowed)


@pytest.mark.parametrize("context", [("rate", "compute"), ALL], ids=["D=2", "D=4"])
@pytest.mark.parametrize(("geometry", "rounds"), [("literal", 1400), ("discs", 3000)])
def test_it_is_the_regression_of_p_on_the_context(geometry, rounds, context):
    """On more than 2·10⁵ pairs, no bin is off by more than chance; and it explains most of what varies in p."""
    drawn = draw(replace(PAPER_MNIST, geometry=geometry, context=context), rounds)

    assert len(drawn[1]) >= 200_000
    check_calibrated(*drawn, bins=40)
    _, probability, expected = drawn
    assert ((probability - expected) ** 2).mean() < 0.1 * probability.var()


@pytest.mark.parametrize(
    "changed",
    [
        {"context_scale": "seen"},
        {"deadline_s": (1.5, 3.0, 8.0)},
        {"noise_dbm_per_hz": -174.0},
        {"noise_dbm_per_hz": -174.0, "context": ALL},
        {"model_bit": 0},
        {"model_bit": 0.6e6},
        {"downlink_power_dbm": 36.0},
        {"downlink_power_dbm": 13.0},
        {"shadowing_db": 0.0},
        {"bandwidth_hz": (0.1e6, 4e6)},
        {"bandwidth_hz": (0.5e6, 0.5e6), "compute": (3, 3)},
        {"rate_span": 0.5},
        {"rate_span": 0.5, "context": ALL},
        {"noise_dbm": -95.0},
        {"context": ("compute", "rate")},
        {"context": ("rate", "compute", "distance"), "rate_span": 1.0},
        {"context": ("rate", "bandwidth")},
        {"context": ("bandwidth", "distance")},
    ],
    ids=str,
)
@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_it_is_calibrated_under_every_field_that_matters(base, changed):
    check_calibrated(*draw(replace(base, **changed), 150))


@pytest.mark.parametrize("context", [c for n in (1, 2, 3) for c in combinations(ALL, n)], ids=" ".join)
def test_any_columns_will_do(context):
    """One to three columns, alone or together: the mean of p in each bin is right."""
    check_calibrated(*draw(replace(PAPER_MNIST, context=context), 16), bins=5)


@pytest.mark.parametrize("power_dbm", [None, 33.0, 13.0])
@pytest.mark.parametrize(
    "context", [("rate", "compute"), ("rate",), ("compute", "bandwidth"), ("rate", "distance"), ALL]
)
def test_reciprocal_fading_is_calibrated(context, power_dbm):
    preset = replace(PAPER_MNIST, fading="reciprocal", context=context, downlink_power_dbm=power_dbm)
    check_calibrated(*draw(preset, 60), bins=6)


@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_with_reciprocal_fading_rate_and_compute_tell_everything(base):
    """Equal powers: X is a function of the context, and all oracles are one (reading 3)."""
    context, probability, expected = draw(replace(base, fading="reciprocal"), 100)

    known = context[:, 0] < 1
    np.testing.assert_array_equal(expected[known], probability[known])


def test_the_more_columns_the_more_is_explained():
    left = []
    for context in (("distance",), ("rate",), ("rate", "compute"), ALL):
        _, probability, expected = draw(replace(PAPER_MNIST, context=context), 20)
        left.append(((probability - expected) ** 2).mean())

    assert all(more > less for more, less in pairwise(left))


@pytest.mark.parametrize(
    "changed", [{}, {"deadline_s": (1.5, 4.0, 8.0)}, {"context_scale": "seen"}, {"rate_span": 2.0}], ids=str
)
@pytest.mark.parametrize("base", BASES.values(), ids=BASES)
def test_the_table_agrees_with_direct_integration(base, changed):
    world = NetworkWorld(replace(base, **changed), 1)
    worst, total = 0.0, []
    for t in range(1, 41):
        observation, _ = world.round(t)
        raw = world._scaler(t).raw(observation.context)
        direct = world._expectation.direct(raw, observation.deadline_s[observation.edge])
        error = np.abs(world.context_probability(observation) - direct)
        worst = max(worst, error.max())
        total.append(error.mean())

    assert worst < 1e-3
    assert np.mean(total) < 1e-4


def test_a_late_pair_has_no_chance_and_columns_keep_their_direction():
    """On the table: E[p | context] never falls with rate or compute, and is 0 where download and work take too long."""
    world = NetworkWorld(PAPER_MNIST)
    rate = np.geomspace(2e4, 7.9e6, 400)
    for compute in (2.0, 3.0, 4.0):
        raw = np.column_stack([rate, np.full(400, compute)])
        expected = world._expectation.probability(raw, np.full(400, 3.0))
        assert (np.diff(expected) >= -1e-9).all()
        np.testing.assert_array_equal(expected[0.18e6 / rate + 2.41 / compute >= 3.0], 0.0)
        assert expected[-1] > 0.99


def test_no_rows_give_no_probabilities():
    world = NetworkWorld(PAPER_MNIST)
    for preset in (PAPER_MNIST, replace(PAPER_MNIST, context=ALL)):
        world = NetworkWorld(preset)
        assert world._expectation.probability(np.zeros((0, len(preset.context))), np.zeros(0)).shape == (0,)
