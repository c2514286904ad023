import json

import pytest
from typer.testing import CliRunner

import cocs
from cocs.cli.app import app


@pytest.mark.parametrize("kind", ["policies", "solvers", "worlds"])
def test_every_name_is_listed_with_a_description(kind):
    names = getattr(cocs, f"list_{kind}")()
    lines = CliRunner().invoke(app, ["list", kind]).stdout.splitlines()
    assert [line.split()[0] for line in lines] == names
    assert all(len(line.split()) > 2 for line in lines)


@pytest.mark.parametrize("kind", ["policies", "solvers", "worlds"])
def test_scripts_read_json(kind):
    listed = json.loads(CliRunner().invoke(app, ["list", kind, "--json"]).stdout)
    assert [one["name"] for one in listed] == getattr(cocs, f"list_{kind}")()
    assert all(one["description"] for one in listed)
