"""The set-up: what make says when it cannot go on, and kernels that are compiled before they are needed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cocs.cli import warm

ROOT = Path(__file__).parents[1]

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def clone(tmp_path):
    """A folder with what the set-up reads."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    (tmp_path / "src/cocs").mkdir(parents=True)
    return tmp_path


def make(folder, *arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "PIP_"))}
    environment |= {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull}
    return subprocess.run(
        ["make", *arguments],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


def stand_in(folder, *, fails):
    """Write a command that is like this Python, but fails to run code that matches."""
    path = folder / "python-stand-in"
    path.write_text(f'#!/bin/sh\ncase "$*" in *{fails}*) exit 1;; esac\nexec {sys.executable} "$@"\n')
    path.chmod(0o755)
    return path


def test_help_names_every_target():
    targets = re.search(r"^\.PHONY: (.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)[1].split()
    shown = make(ROOT, "help").stdout
    assert all(f"make {target}" in shown for target in targets if target != "help")
    assert make(ROOT).stdout == shown


def test_no_python_is_one_sentence(clone):
    done = make(clone, "run", f"PYTHON={stand_in(clone, fails='version_info')} no-such-python")
    assert done.returncode == 2
    assert "error: no Python 3.11 or newer among: " in done.stderr
    assert len(done.stderr.splitlines()) == 2  # the other one is make's
    assert not (clone / ".venv").exists()


def test_a_python_without_venv_is_one_sentence(clone):
    done = make(clone, "test", f"PYTHON={stand_in(clone, fails='ensurepip')}")
    assert done.returncode == 2
    assert "lacks its venv module" in done.stderr
    assert not (clone / ".venv").exists()


def test_without_an_index_the_set_up_fails_and_is_tried_again(clone):
    for _ in range(2):
        done = make(clone, "setup", f"PYTHON={sys.executable}")
        assert done.returncode == 2
        assert "setuptools" in done.stderr
        assert "error: pip could not install the packages" in done.stderr
        assert not (clone / ".venv/.installed").exists()


def test_all_that_the_set_up_installs_is_pinned():
    """Each of the project's own requirements, at least; pip takes the versions of the rest from the same file."""
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [
        *project["dependencies"],
        *(name for extra in project["optional-dependencies"].values() for name in extra),
    ]
    lines = (ROOT / "constraints.txt").read_text().lower().splitlines()
    pinned = {line.partition("==")[0] for line in lines if "==" in line}
    assert {re.split(r"[><=!~\[ ]", name)[0].lower() for name in wanted} <= pinned
    assert "setuptools" in pinned


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """A package of one kernel and what numba compiled of it, and of nothing else."""
    monkeypatch.setattr(warm, "PACKAGE", tmp_path)
    monkeypatch.setattr(warm, "_cache_folders", lambda kernel: {kernel.parent / "__pycache__"})
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "kernel.py").write_text("from numba import njit\n")
    (tmp_path / "plain.py").write_text("import numpy\n")
    for name in ("kernel.f-1.py311.nbi", "kernel.f-1.py311.1.nbc", "kernel.cpython-311.pyc"):
        (tmp_path / "__pycache__" / name).touch()
    return tmp_path


def test_what_is_newer_than_every_kernel_stays(compiled):
    os.utime(compiled / "kernel.py", (0, 0))
    assert warm.remove_stale() == []
    later = time.time() + 100
    os.utime(compiled / "plain.py", (later, later))
    assert warm.remove_stale() == []


def test_what_is_older_than_a_kernel_goes(compiled):
    later = time.time() + 100
    os.utime(compiled / "kernel.py", (later, later))
    assert {path.suffix for path in warm.remove_stale()} == {".nbi", ".nbc"}
    assert [path.name for path in (compiled / "__pycache__").iterdir()] == ["kernel.cpython-311.pyc"]


@pytest.mark.slow
def test_after_the_warm_up_nothing_is_compiled(tmp_path):
    """Whatever policy, world, solver or file comes first."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "numba")}

    def run(*command):
        subprocess.run([sys.executable, *command], cwd=ROOT, env=environment, check=True, capture_output=True)

    def files():
        return {path.relative_to(tmp_path) for path in (tmp_path / "numba").rglob("*.nb?")}

    run("-m", "cocs.cli.warm")
    warmed = files()
    assert warmed
    (tmp_path / "rows.json").write_text(
        json.dumps([{"client": n, "edge": n % 3, "value": n / 40, "cost": 1 + n % 7} for n in range(40)])
    )
    policies = "oracle,cocs,cocs:sharing=all,scale=0.1,cocs:ties=estimate,solver=density,random"
    for world in ("paper-mnist", "paper-cifar10"):
        out = str(tmp_path / world)
        run(
            "-m",
            "cocs",
            "compare",
            "--world",
            world,
            "--policies",
            policies,
            "--rounds",
            "20",
            "--seeds",
            "2",
            "--out",
            out,
        )
    run("-m", "cocs", "solve", str(tmp_path / "rows.json"), "--budget", "12")
    run("-m", "cocs", "solve", "examples/pairs.csv", "--budget", "2", "--tie-seed", "3", "--solver", "density")
    assert files() == warmed
