"""The fenced blocks of a Markdown page, and how each is run: as written, in an empty folder with a copy of `examples/`.

- `python` runs in this process; the blocks of a page share their names.
- `sh` runs in bash, with this environment's commands first on the path.
- `console` likewise: lines that begin with `$ ` run, the others are what they must print; `...` stands for anything.
- `text`, `toml`, `csv`, `json`, `bibtex` only show something.

A comment right above a block says more: `<!-- slow -->` (run by `make test-slow`), `<!-- file: mine.py -->` (saved
under that name before it runs), `<!-- not run: reason -->`.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SHOWN = {"text", "toml", "csv", "json", "bibtex"}
BLOCK = re.compile(r"(?:^<!--(?P<note>.*?)-->\n)?^```(?P<language>.*)\n(?P<code>(?:.*\n)*?)^```$", re.MULTILINE)
LIMIT_S = 600


@dataclass(frozen=True)
class Block:
    """One fenced block."""

    line: int
    language: str
    note: str
    code: str

    @property
    def slow(self) -> bool:
        return self.note == "slow"

    @property
    def runs(self) -> bool:
        return self.language not in SHOWN and not self.note.startswith("not run: ")


def blocks(page: Path) -> Iterator[Block]:
    """Find the blocks of a page; refuses a language or a note that nobody would run or obey."""
    text = page.read_text(encoding="utf-8")
    if text.count("\n```") % 2:
        raise ValueError(f"{page}: a fence is open")
    for found in BLOCK.finditer(text):
        line = 1 + text[: found.start("code")].count("\n")
        language, note = found["language"].strip(), (found["note"] or "").strip()
        if language not in SHOWN | {"python", "sh", "console"}:
            raise ValueError(f"{page}, line {line}: language {language!r}")
        if note and not re.fullmatch(r"slow|file: \S+|not run: .+", note):
            raise ValueError(f"{page}, line {line}: note {note!r}")
        yield Block(line, language, note, found["code"])


def run(block: Block, page: Path, folder: Path, names: dict[str, object]) -> None:
    """Run a block; whatever is wrong raises, with the page's line in the traceback."""
    if block.note.startswith("file: "):
        (folder / block.note.removeprefix("file: ")).write_text(block.code, encoding="utf-8")
    if block.language == "python":
        # The empty lines before give the traceback the page's line numbers.
        exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), names)
    elif block.language == "sh":
        bash(block.code, folder)
    else:
        for command, expected in dialogue(block.code):
            compare(f"{page}: {command}", expected, bash(command, folder))


def bash(code: str, folder: Path) -> str:
    """Return what the commands print; any that fails is an error."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    # typer 0.20 reads names that click 8.5 deprecates: the command line cannot run with those as errors.
    environment = {**os.environ, "PATH": path, "PYTHONWARNINGS": "error,ignore::DeprecationWarning", "COLUMNS": "100"}
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", code],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    if done.returncode or "Warning" in done.stderr:
        raise AssertionError(f"exit {done.returncode} of\n{code}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def dialogue(code: str) -> Iterator[tuple[str, str]]:
    """Split a console block into commands (a trailing backslash continues one) and their output."""
    first, *parts = re.split(r"^\$ ", code, flags=re.MULTILINE)
    if first.strip() or not parts:
        raise ValueError(f"a console block begins with a command: {code}")
    for part in parts:
        command, output = re.fullmatch(r"((?:.*\\\n)*.*\n)((?:.*\n)*)", part).groups()
        yield command, output


def compare(what: str, expected: str, got: str) -> None:
    """Compare texts, blank space and what `...` stands for apart."""
    flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    if not doctest.OutputChecker().check_output(expected, got, flags):
        raise AssertionError(f"{what}\nprinted:\n{got}\nthe page says:\n{expected}")
