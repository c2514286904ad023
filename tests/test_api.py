import json
import subprocess
import sys

import pytest

import cocs

HEAVY = {"numba", "polars", "matplotlib", "torch", "highspy", "rich", "numpy"}


def modules_after(code):
    """The modules that a fresh interpreter holds after the code."""
    code = f"import json, sys\n{code}\nprint(json.dumps([*sys.modules]), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_importing_cocs_loads_nothing_heavy():
    assert not modules_after("import cocs") & HEAVY


def test_making_and_solving_names_loads_no_reporting():
    code = "import cocs; cocs.make_policy('cocs', cocs.make_world('paper-mnist')); cocs.list_worlds()"
    assert not modules_after(code) & (HEAVY - {"numpy", "numba"})


@pytest.mark.parametrize("name", cocs.__all__)
def test_every_public_name_is_there(name):
    assert getattr(cocs, name) is getattr(cocs, name)
    assert name in dir(cocs)


def test_the_public_names_are_those_that_editors_see():
    """The lazy table and the imports for type checkers cannot drift apart."""
    with open(cocs.__file__) as file:
        source = file.read()
    typed = {line.split(" as ")[1].strip() for line in source.splitlines() if line.startswith("    from cocs.")}
    assert typed | {"__version__"} == set(cocs.__all__)


def test_the_designs_names_are_public():
    names = """solve check_feasible make_world make_policy simulate compare list_policies list_solvers list_worlds
        Setting Observation Selection Feedback Truth SelectionProblem Solution Policy Solver World ContextScaler"""
    assert set(names.split()) <= set(cocs.__all__)


def test_what_is_not_there_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        cocs.sovle  # noqa: B018


def test_five_lines_are_enough():
    world = cocs.make_world("paper-mnist", seed=0, deadline_s=4)
    policy = cocs.make_policy("cocs", world, seed=0, sharing="all")
    records = cocs.simulate(world, {"cocs": policy}, rounds=3)
    assert records.rounds["round"].to_list() == [1, 2, 3]
    observation, _ = world.round(1)
    cocs.check_feasible(observation, policy.select(observation))
