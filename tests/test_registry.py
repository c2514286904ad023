import dataclasses
import sys

import numpy as np
import pytest

from cocs import registry
from cocs.core import SelectionProblem, Setting
from cocs.errors import CocsError, InvalidInputError, InvalidSettingError, UnknownNameError
from cocs.network import PRESETS
from cocs.registry import Spec, make_policy, make_solver, make_world, solve, split_policies, world_spec

SETTING = Setting(4, 2, 10, ("rate", "compute"))
MINE = '''
"""Policies of a stranger's package."""

class Mine:
    """Choose nobody.

    It is cheap.
    """
    def __init__(self, setting, *, solve, seed, boldness=1, rule="none"):
        self.setting, self.solve, self.seed, self.boldness, self.rule = setting, solve, seed, boldness, rule

def anything(setting, *, solve, seed, **parameters):
    return parameters

def no_solver(setting):
    return None

def moody(setting, *, solve, seed):
    raise ValueError("not today")

def world(seed, size=3):
    return (seed, size)

number = 3
'''


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A module of the user's own, found on sys.path."""
    (tmp_path / "stranger_pkg.py").write_text(MINE)
    monkeypatch.syspath_prepend(tmp_path)
    yield "stranger_pkg"
    sys.modules.pop("stranger_pkg", None)


@pytest.mark.parametrize(
    ("text", "name", "parameters"),
    [
        ("cocs", "cocs", {}),
        (" cocs:sharing=all, scale=0.1 ", "cocs", {"sharing": "all", "scale": 0.1}),
        ("a.b:Mine", "a.b:Mine", {}),
        ("a.b:Mine:x=1,y=none", "a.b:Mine", {"x": 1, "y": None}),
        ("cocs:solver=exact:node_limit=10", "cocs", {"solver": "exact:node_limit=10"}),
        ("w:context=[rate,compute],b=true", "w", {"context": ("rate", "compute"), "b": True}),
        ("w:deadline_s=[3,4.5],one=[2],z=[]", "w", {"deadline_s": (3, 4.5), "one": (2,), "z": ()}),
        ("w:a='3',b=\"x,y\",c=1e3,d=-inf", "w", {"a": "3", "b": "x,y", "c": 1000.0, "d": -np.inf}),
    ],
)
def test_a_spec_is_read_and_written_again(text, name, parameters):
    spec = Spec.parse(text)
    assert (spec.name, spec.parameters) == (name, parameters)
    assert Spec.parse(str(spec)) == spec


@pytest.mark.parametrize(
    "text", ["", " ", ":", "a=1", "cocs:", "cocs:a=", "cocs:=1", "cocs:a=1,a=2", "cocs:a=1,b", "::"]
)
def test_a_malformed_spec_is_refused(text):
    with pytest.raises(CocsError):
        make_policy(text, SETTING)


def test_parameters_in_a_list_belong_to_the_policy_before_them():
    assert split_policies("clairvoyant,cocs:sharing=all,scale=0.1,random") == [
        "clairvoyant",
        "cocs:sharing=all,scale=0.1",
        "random",
    ]
    assert split_policies("cocs,scale=2, a.b:Mine, x=[1,2]") == ["cocs:scale=2", "a.b:Mine:x=[1,2]"]
    with pytest.raises(InvalidInputError, match="no policy before it"):
        split_policies("scale=2,cocs")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: make_world("paper-minst"), "unknown world 'paper-minst': did you mean 'paper-mnist'?"),
        (lambda: make_world("paper-mnist", deadline=4), "unknown setting 'deadline': did you mean 'deadline_s'?"),
        (lambda: make_policy("coccs", SETTING), "unknown policy 'coccs': did you mean 'cocs'?"),
        (lambda: make_policy("cocs:shring=all", SETTING), "unknown parameter of policy cocs 'shring': did you mean"),
        (lambda: make_policy("cocs:seed=3", SETTING), "unknown parameter of policy cocs 'seed'"),
        (lambda: make_policy("random:solvr=exact", SETTING), "'solvr': did you mean 'solver'?"),
        (lambda: make_policy("cocs:solver=exct", SETTING), "unknown solver 'exct': did you mean 'exact'?"),
        (lambda: make_policy("cocs:solver=3", SETTING), "solver = 3: must be a name or a callable"),
        (lambda: make_policy("cocs:scale=big", SETTING), "scale"),
        (lambda: make_policy("oracle", SETTING), "policy 'oracle': reads the truth of its world"),
        (lambda: make_policy("no.such.module:Mine", SETTING), "policy no.such.module:Mine: cannot be imported"),
        (lambda: make_solver("exact:node_limt=3"), "unknown parameter of solver exact 'node_limt': did you mean"),
    ],
)
def test_what_is_unknown_or_wrong_is_one_sentence(make, message):
    with pytest.raises(CocsError) as caught:
        make()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_name_makes_what_it_names():
    world = make_world("paper-mnist", seed=3, n_clients=6)
    observation, _ = world.round(1)
    for name in registry.list_policies():
        policy = make_policy(name, world, seed=1)
        assert {"select", "update", "state", "restore"} <= set(dir(policy))
    assert len(observation.client) == 18
    assert registry.list_worlds() == list(PRESETS)


def test_settings_replace_the_presets_fields():
    world = make_world("paper-mnist:n_clients=7", deadline_s=(1, 2, 3))
    assert world.setting.n_clients == 7
    assert world.round(1)[0].deadline_s.tolist() == [1, 2, 3]
    own = dataclasses.replace(PRESETS["paper-mnist"], n_edges=2)
    assert make_world(own, n_clients=5).setting.n_edges == 2


def test_a_world_is_named_by_what_differs_from_its_preset():
    assert str(world_spec("paper-mnist", {"deadline_s": PRESETS["paper-mnist"].deadline_s})) == "paper-mnist"
    assert str(world_spec("paper-mnist", {"deadline_s": 4})) == "paper-mnist:deadline_s=4"
    assert str(world_spec("paper-mnist", {"deadline_s": 4.0})) == "paper-mnist:deadline_s=4"
    own = dataclasses.replace(PRESETS["paper-cifar10"], budget=7)
    assert str(world_spec(own, {"context": ["rate"]})) == "paper-cifar10:budget=7,context=[rate]"


def test_a_policy_of_ones_own_needs_no_registration(mine):
    policy = make_policy(f"{mine}:Mine:boldness=3", SETTING, seed=5, rule="all")
    assert (policy.setting, policy.seed, policy.boldness, policy.rule) == (SETTING, 5, 3, "all")
    assert callable(policy.solve)
    assert make_policy(f"{mine}:anything:x=1", SETTING) == {"x": 1}
    assert make_world(f"{mine}:world", seed=4, size=2) == (4, 2)
    assert str(world_spec(f"{mine}:world:size=2", {})) == f"{mine}:world:size=2"


@pytest.mark.parametrize(
    ("factory", "message"),
    [
        ("Mine:boldnes=3", "unknown parameter of policy stranger_pkg:Mine 'boldnes': did you mean 'boldness'?"),
        ("no_solver", "policy stranger_pkg:no_solver: cannot be made: got an unexpected keyword argument 'solve'"),
        ("moody", "policy stranger_pkg:moody: cannot be made: not today"),
        ("number", "is not callable"),
        ("Missing", "cannot be imported"),
    ],
)
def test_what_is_wrong_with_ones_own_policy_is_said(mine, factory, message):
    with pytest.raises(CocsError) as caught:
        make_policy(f"{mine}:{factory}", SETTING)
    assert message in str(caught.value)


def test_installed_packages_register_policies(mine, monkeypatch):
    class Point:
        def __init__(self, name, target):
            self.name, self.target = name, target

        def load(self):
            return getattr(__import__("stranger_pkg"), self.target)

    points = [Point("theirs", "Mine"), Point("broken", "Missing"), Point("cocs", "Mine")]
    monkeypatch.setattr(registry, "entry_points", lambda group: points if group == "cocs.policies" else [])
    assert registry.list_policies()[-2:] == ["theirs", "broken"]
    assert make_policy("theirs:boldness=2", SETTING).boldness == 2
    assert type(make_policy("cocs", SETTING)).__name__ == "COCS"  # ours cannot be taken over
    described = registry.describe("policies")
    assert described["theirs"] == "Choose nobody."
    assert "cannot be imported" in described["broken"]
    with pytest.raises(UnknownNameError, match="did you mean 'theirs'"):
        make_policy("thiers", SETTING)


@pytest.mark.parametrize("kind", ["policies", "solvers", "worlds"])
def test_every_name_is_described_in_a_line(kind):
    described = registry.describe(kind)
    assert list(described) == getattr(registry, f"list_{kind}")()
    assert all(text and "\n" not in text for text in described.values())


def problem():
    return SelectionProblem([0, 0, 1], [0, 1, 0], [0.9, 0.5, 0.8], [1.0, 1.0, 1.0], [1.0, 1.0], 2)


def test_solve_takes_names_and_objects():
    from cocs.solvers import Exact

    for solver in ("auto", "exact", "enumeration", "exact:node_limit=1000", Exact()):
        assert solve(problem(), solver).value == pytest.approx(1.3)
    with pytest.raises(UnknownNameError, match="did you mean 'exact'"):
        solve(problem(), "exat")
    with pytest.raises(InvalidSettingError, match="must be a name or a callable"):
        solve(problem(), 3)
