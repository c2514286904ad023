"""Presets: the paper's numbers, and every impossible value refused by name."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cocs.errors import InvalidSettingError
from cocs.network import PAPER_MNIST, PRESETS, NetworkWorld, Preset
from cocs.network.presets import RULES

BOTH = {"n_clients": 50, "n_edges": 3, "power_dbm": 23.0, "price_range": (0.5, 2.0), "reach_km": 2.0}
MNIST = {
    "budget": 3.5,
    "deadline_s": 3.0,
    "update_bit": 0.18e6,
    "workload": 2.41,
    "bandwidth_hz": (0.3e6, 1e6),
    "compute": (2.0, 4.0),
    "horizon": 1000,
    "objective": "sum",
}
CIFAR10 = {
    "budget": 40.0,
    "deadline_s": 20.0,
    "update_bit": 18.7e6,
    "workload": 28.3,
    "bandwidth_hz": (2e6, 4e6),
    "compute": (8.0, 15.0),
    "horizon": 1880,
    "objective": "sqrt",
}


@pytest.mark.parametrize(("name", "table"), [("paper-mnist", BOTH | MNIST), ("paper-cifar10", BOTH | CIFAR10)])
def test_paper_presets_hold_table_one(name, table):
    assert {field: getattr(PRESETS[name], field) for field in table} == table


def test_every_field_has_a_rule():
    assert {field.name for field in dataclasses.fields(Preset)} == set(RULES) | {"budget", "deadline_s"}


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_clients", 0),
        ("n_clients", 2.5),
        ("n_clients", True),
        ("n_clients", "20"),
        ("n_clients", None),
        ("n_edges", -1),
        ("horizon", math.inf),
        ("min_updates", 0),
        ("budget", -0.1),
        ("budget", math.nan),
        ("budget", math.inf),
        ("budget", (1, 2)),
        ("budget", [1, 2, 3, 4]),
        ("budget", (1, 2, -3)),
        ("budget", ()),
        ("deadline_s", 0),
        ("deadline_s", (3, 3, 0)),
        ("deadline_s", math.nan),
        ("deadline_s", "3"),
        ("bandwidth_hz", (1e6, 0.3e6)),
        ("bandwidth_hz", (0, 1e6)),
        ("bandwidth_hz", ()),
        ("bandwidth_hz", 1e6),
        ("compute", (2, math.inf)),
        ("compute", (2, 3, 4)),
        ("compute", {2, 4}),
        ("price_range", (-1, 2)),
        ("price_range", (math.nan, 2)),
        ("context", ()),
        ("context", ("rate", "rate")),
        ("context", ("rate", "speed")),
        ("context", 3),
        ("context_scale", "global"),
        ("geometry", "disc"),
        ("fading", None),
        ("price", "rounds"),
        ("objective", "max"),
        ("update_bit", 0),
        ("model_bit", -1),
        ("workload", math.nan),
        ("reach_km", 0),
        ("min_distance_km", 0),
        ("edge_circle_km", -1),
        ("rate_span", 0),
        ("noise_dbm", math.nan),
        ("noise_dbm", 1000),
        ("noise_dbm_per_hz", "low"),
        ("power_dbm", math.inf),
        ("shadowing_db", -8),
        ("path_loss_db_per_decade", -37.6),
        ("max_wait_s", -1),
        ("max_wait_s", math.nan),
        ("edge_compute_s", math.inf),
        ("backhaul_s", -1),
    ],
)
def test_impossible_value_is_refused_by_field_value_and_rule(field, value):
    with pytest.raises(InvalidSettingError) as caught:
        dataclasses.replace(PAPER_MNIST, **{field: value})

    assert caught.value.field == field
    assert caught.value.value is value
    assert caught.value.rule
    assert "\n" not in str(caught.value)


def test_unknown_names_are_answered_with_the_nearest():
    with pytest.raises(
        InvalidSettingError, match=r"known: rate, compute, bandwidth, distance; did you mean 'distance'"
    ):
        dataclasses.replace(PAPER_MNIST, context=("rate", "distanse"))
    with pytest.raises(InvalidSettingError, match="did you mean 'discs'"):
        dataclasses.replace(PAPER_MNIST, geometry="disks")
    with pytest.raises(InvalidSettingError, match="each of the 3 edges; got 2"):
        dataclasses.replace(PAPER_MNIST, budget=[3.5, 4])


def test_lists_and_whole_floats_take_their_normal_form():
    """What comes from a file or an array equals what is written in code, and can be hashed."""
    given = dataclasses.replace(
        PAPER_MNIST,
        n_clients=np.int64(20),
        n_edges=2.0,
        budget=[3, 4],
        deadline_s=np.array([2.0, 3.0]),
        context=["rate", "distance"],
        compute=[2, 4],
    )

    assert given == dataclasses.replace(
        PAPER_MNIST, n_clients=20, n_edges=2, budget=(3.0, 4.0), deadline_s=(2.0, 3.0), context=("rate", "distance")
    )
    assert hash(given)
    assert type(given.n_clients) is type(given.n_edges) is int
    assert dataclasses.replace(PAPER_MNIST, context="rate").context == ("rate",)


SIZES = st.integers(1, 6)
POSITIVE = st.floats(1e-6, 1e9)
RANGES = st.tuples(st.floats(1e-3, 1e8), st.floats(1e-3, 1e8)).map(sorted)


@st.composite
def presets(draw):
    n_edges = draw(SIZES)
    per_edge = POSITIVE | st.lists(POSITIVE, min_size=n_edges, max_size=n_edges)
    return Preset(
        n_clients=draw(SIZES),
        n_edges=n_edges,
        horizon=draw(SIZES),
        objective=draw(st.sampled_from(["sum", "sqrt"])),
        budget=draw(per_edge),
        deadline_s=draw(per_edge),
        context=draw(st.lists(st.sampled_from(["rate", "compute", "bandwidth", "distance"]), min_size=1, unique=True)),
        context_scale=draw(st.sampled_from(["fixed", "seen"])),
        geometry=draw(st.sampled_from(["literal", "discs"])),
        fading=draw(st.sampled_from(["independent", "reciprocal"])),
        price=draw(st.sampled_from(["round", "client"])),
        bandwidth_hz=draw(RANGES),
        compute=draw(RANGES),
        update_bit=draw(POSITIVE),
        model_bit=draw(st.none() | st.just(0) | POSITIVE),
        workload=draw(st.just(0) | POSITIVE),
        power_dbm=draw(st.floats(-300, 300)),
        downlink_power_dbm=draw(st.none() | st.floats(-300, 300)),
        noise_dbm=draw(st.floats(-300, 300)),
        noise_dbm_per_hz=draw(st.none() | st.floats(-300, 300)),
        shadowing_db=draw(st.floats(0, 40)),
        reach_km=draw(st.floats(1e-3, 1e3)),
        edge_circle_km=draw(st.floats(0, 1e3)),
        min_distance_km=draw(st.floats(1e-3, 10)),
    )


@settings(max_examples=60)
@given(preset=presets())
def test_any_preset_that_is_accepted_makes_a_sound_round(preset):
    """However odd: probabilities, contexts and E[p | context] are within [0, 1], and nothing warns."""
    world = NetworkWorld(preset, seed=1)
    observation, truth = world.round(2)
    expected = world.context_probability(observation)

    assert len(observation.client) <= preset.n_clients * preset.n_edges
    for probability in (truth.probability, expected):
        assert ((probability >= 0) & (probability <= 1)).all()
    assert (truth.latency_s > 0).all()
    np.testing.assert_array_equal(truth.arrived, truth.latency_s <= observation.deadline_s[observation.edge])
