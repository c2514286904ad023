import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import pytest
from typer.testing import CliRunner

from cocs.cli.app import app
from cocs.errors import CocsError

SMALL = ["--set", "n_clients=6", "--rounds", "2", "--seeds", "2"]


def cocs(*arguments, **options):
    """The command in a process of its own."""
    command = [sys.executable, "-m", "cocs", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **options)


def test_help_names_the_commands_and_loads_nothing_heavy():
    code = (
        "import sys\nfrom cocs.cli import main\ntry: main()\n"
        "except SystemExit: print(*sys.modules, file=sys.stderr); raise"
    )
    done = subprocess.run([sys.executable, "-c", code, "--help"], capture_output=True, text=True, check=True)
    assert all(name in done.stdout for name in ("compare", "solve", "list", "--version"))
    assert not set(done.stderr.split()) & {"numpy", "numba", "polars", "matplotlib", "torch", "rich", "highspy"}


def test_version_is_the_packages():
    done = cocs("--version")
    assert (done.returncode, done.stdout) == (0, f"cocs {version('cocs')}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["compair"], "No such command 'compair'"),
        (["compare", "--round", "3"], "No such option"),
        (["compare", "--rounds", "three"], "'three' is not a valid int"),
        (["compare", "--rounds"], "requires an argument"),
        (["compare", "extra"], "unexpected extra argument"),
        (["list", "police"], "'police' is not one of"),
        (["list"], "Missing argument"),
        (["compare", "--world", "paper-minst"], "unknown world 'paper-minst': did you mean 'paper-mnist'?"),
        (["compare", "--policies", "coccs"], "unknown policy 'coccs': did you mean 'cocs'?"),
        (["compare", "--policies", "scale=3"], "no policy before it"),
        (["compare", "--policies", ""], "must read name"),
        (["compare", "--set", "dedline_s=3"], "unknown setting 'dedline_s': did you mean 'deadline_s'?"),
        (["compare", "--set", "deadline_s"], "must read key=value"),
        (["compare", "--set", "deadline_s=soon"], "deadline_s = 'soon'"),
        (["compare", "--set", "deadline_s=1", "--set", "deadline_s=2"], "gives 'deadline_s' twice"),
        (["compare", "--rounds", "-3"], "rounds = -3: must be a whole number, at least 1"),
        (["compare", "--seeds", "0"], "seeds = 0: must be at least 1"),
        (["compare", "--seeds", "a,b"], "seeds = 'a,b': must be a number of seeds"),
        (["compare", "--seeds", "3,3"], "must differ"),
        (["compare", "--seeds", ","], "seeds = ','"),
        (["compare", "--out", os.devnull], "cannot be written"),
    ],
)
def test_bad_input_is_one_line_and_exit_2(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("cocs: ")
    assert message in result.stderr
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""


def test_an_error_in_a_real_process_shows_no_traceback(tmp_path):
    done = cocs("compare", "--world", "nowhere", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "cocs: unknown world 'nowhere': known: paper-mnist, paper-cifar10\n"


def test_no_arguments_show_the_help():
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 2
    assert "Usage:" in result.output
    assert "compare" in result.output


def test_a_policy_that_fails_is_named_with_its_round(tmp_path, monkeypatch):
    (tmp_path / "hasty.py").write_text(
        "class Hasty:\n"
        "    def __init__(self, setting, *, solve, seed): pass\n"
        "    def select(self, observation): raise RuntimeError('too fast')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    result = CliRunner().invoke(app, ["compare", "--policies", "hasty:Hasty", *SMALL, "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert "policy 'hasty:Hasty', round 1: select raised RuntimeError: too fast" in result.stderr
    assert "hasty.py, line 3" in result.stderr


def test_a_reader_that_leaves_is_no_error():
    """`cocs list policies | head -0` ends quietly."""
    command = [sys.executable, "-m", "cocs", "list", "policies"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode in (0, 1)


def test_a_terminal_that_knows_only_ascii_is_served(tmp_path):
    done = cocs(
        *("compare", "--policies", "random", *SMALL, "--out", str(tmp_path)),
        env={**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()


def test_ctrl_c_ends_with_130_and_a_word(tmp_path):
    """A process that is interrupted while it plays says what it kept."""
    (tmp_path / "slow.py").write_text(
        "import time\nfrom pathlib import Path\n"
        "class Slow:\n"
        "    def __init__(self, setting, *, solve, seed): pass\n"
        "    def select(self, observation): Path('playing').touch(); time.sleep(60)\n"
    )
    # -P: the present folder is not on the path by itself, as it is not for the installed script.
    command = [sys.executable, "-P", "-m", "cocs", "compare", "--policies", "slow:Slow"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "playing").exists():
            assert process.poll() is None
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60) == ("", "cocs: stopped: 0 of 10 seeds complete\n")
    assert process.returncode == 130


def test_only_deliberate_errors_are_shortened(monkeypatch):
    """A defect of ours keeps its traceback, or nobody could report it."""
    monkeypatch.setattr("cocs.registry.describe", lambda kind: 1 / 0)
    result = CliRunner().invoke(app, ["list", "worlds"])
    assert isinstance(result.exception, ZeroDivisionError)
    assert not isinstance(result.exception, CocsError)
