"""A peer that cannot share our process or our environment: asked by path, answers in JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = HERE.parent / ".venvs"


class Child:
    """A script of this folder, running in an environment that has what it requires; see serve.py for its side."""

    def __init__(self, script: str, requirement: str) -> None:
        """Start it; raises `OSError` or `CalledProcessError` where it cannot be installed or does not start."""
        command = [_environment(requirement), HERE / script]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if not self._answer():
            raise OSError(f"{script} did not start")

    def __call__(self, path: Path) -> dict[str, Any]:
        """Return the answer to one instance."""
        assert self.process.stdin is not None
        print(path, file=self.process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._answer())
        return answer

    def close(self) -> None:
        """End the process by ending its input."""
        self.process.communicate()

    def _answer(self) -> str:
        assert self.process.stdout is not None
        return self.process.stdout.readline()


def _environment(requirement: str) -> Path:
    """Return the Python of the environment that has this requirement, made where there is none."""
    folder = ENVIRONMENTS / requirement.split("=")[0]
    python, stamp = folder / "bin" / "python", folder / "installed"
    if not (stamp.exists() and stamp.read_text() == requirement):
        print(f"installing {requirement} in {folder}", file=sys.stderr)
        ENVIRONMENTS.mkdir(exist_ok=True)
        (ENVIRONMENTS / ".gitignore").write_text("*\n")
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True, stdout=sys.stderr)
        subprocess.run([python, "-m", "pip", "install", "-q", requirement], check=True, stdout=sys.stderr)
        stamp.write_text(requirement)
    return python
