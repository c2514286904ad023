"""The examples run as they stand."""

import runpy
from pathlib import Path

from cocs.contracts import check_policy

EXAMPLES = Path(__file__).parents[1] / "examples"


def test_one_round_is_solved(capsys):
    runpy.run_path(str(EXAMPLES / "solve_one_round.py"))

    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 7
    assert "phone-ben → old-town" in lines
    assert lines[-1] == "expected updates 4.13 of at most 4.13"


def test_a_policy_of_ones_own_keeps_every_promise():
    check_policy(runpy.run_path(str(EXAMPLES / "my_policy.py"))["Mine"])
