"""What an exact solver makes of the simulated rounds, against an independent prototype's figures."""

from dataclasses import replace

import numpy as np
import pytest

from cocs.core import SelectionProblem
from cocs.network import PAPER_MNIST, NetworkWorld
from cocs.solvers import Exact


def expected_arrivals(preset, seeds, rounds, valued):
    """Return Σp of the best selection under each of the values, (seeds · rounds, values)."""
    worlds = [NetworkWorld(preset, seed) for seed in seeds]
    found = []
    for world in worlds:
        for t in range(1, rounds + 1):
            observation, truth = world.round(t)
            values = {"p": truth.probability, "context": world.context_probability(observation)}
            problems = [SelectionProblem.of(observation, values[name]) for name in valued]
            found.append([truth.probability[Exact()(problem).selection.pairs].sum() for problem in problems])
    return np.array(found)


@pytest.mark.parametrize(
    ("geometry", "deadline_s", "arrivals"),
    [
        ("literal", 2, 5.37),
        ("literal", 3, 5.41),
        ("literal", 4, 5.43),
        ("literal", 8, 5.44),
        ("discs", 2, 4.31),
        ("discs", 3, 4.52),
        ("discs", 4, 4.61),
        ("discs", 8, 4.77),
    ],
)
def test_the_oracles_arrivals_are_the_prototypes(geometry, deadline_s, arrivals):
    """Over 200 rounds, as there: each of the two figures has a standard error of 1.2 %."""
    preset = replace(PAPER_MNIST, geometry=geometry, deadline_s=deadline_s)

    assert expected_arrivals(preset, [0], 200, ["p"]).mean() == pytest.approx(arrivals, rel=0.03)


def check_floor(preset, seeds, rounds, floor, error):
    """Hold the loss of `oracle-context` to `oracle`, in %, to within three standard errors of both measurements."""
    best, context = expected_arrivals(preset, seeds, rounds, ["p", "context"]).T
    loss = 100 * (best - context) / best.mean()

    assert (loss >= -1e-6).all()
    assert abs(loss.mean() - floor) < 3 * np.hypot(error, loss.std() / np.sqrt(len(loss)))


def test_knowing_only_the_contexts_costs_little():
    check_floor(PAPER_MNIST, range(2), 40, 0.197, 0.012)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("geometry", "deadline_s", "floor", "error"),
    [("literal", 3, 0.197, 0.012), ("literal", 4, 0.146, 0.010), ("discs", 3, 0.440, 0.032)],
)
def test_the_floor_is_the_prototypes(geometry, deadline_s, floor, error):
    check_floor(replace(PAPER_MNIST, geometry=geometry, deadline_s=deadline_s), range(6), 300, floor, error)
