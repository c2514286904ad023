"""Every code block of the README and the docs runs as written, and every link leads somewhere."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from blocks import Block, blocks, dialogue, run

ROOT = Path(__file__).parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]
SLOW = [page for page in PAGES if any(block.slow for block in blocks(page))]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def play(page: Path, folder: Path, *, slow: bool) -> None:
    names: dict[str, object] = {"__name__": "page"}
    for block in blocks(page):
        if block.runs and (slow or not block.slow):
            run(block, page, folder, names)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_of_a_page_runs(page, folder):
    play(page, folder, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", SLOW, ids=lambda page: page.name)
def test_every_block_of_a_page_runs_the_slow_ones_too(page, folder):
    play(page, folder, slow=True)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_of_a_page_leads_somewhere(page):
    text = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)|src=\"([^\"]+)\"", text):
        link, _, heading = (target[0] or target[1]).partition("#")
        if link.startswith(("https://", "mailto:")):
            continue
        there = (page.parent / link).resolve() if link else page
        assert there.is_relative_to(ROOT), f"{page}: {link} leads outside"
        assert there.exists(), f"{page}: {link}"
        if heading:
            assert heading in anchors(there), f"{page}: {link} has no #{heading}"


def test_the_policy_of_the_docs_is_the_example():
    """So that what is read is what the contract suite has tried."""
    code = (ROOT / "examples" / "my_policy.py").read_text(encoding="utf-8")
    assert code in (ROOT / "docs" / "write-a-policy.md").read_text(encoding="utf-8")


def anchors(page: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


class TestTheBlocksThemselves:
    """A block that does not do what its page says is found out."""

    PAGE = "# A page\n<!-- slow -->\n```python\nx = 1\n```\ntext\n```console\n$ echo a \\\n  b\na b\n$ true\n```\n"

    @pytest.fixture
    def page(self, tmp_path):
        (tmp_path / "page.md").write_text(self.PAGE)
        return tmp_path / "page.md"

    def test_notes_languages_and_lines_are_found(self, page):
        python, console = blocks(page)
        assert (python.line, python.language, python.slow, python.code) == (4, "python", True, "x = 1\n")
        assert (console.line, console.language, console.slow) == (8, "console", False)
        assert list(dialogue(console.code)) == [("echo a \\\n  b\n", "a b\n"), ("true\n", "")]

    @pytest.mark.parametrize(
        "broken", ["```pyhton\nx\n```\n", "```\nx\n```\n", "<!-- slwo -->\n```sh\nx\n```\n", "\n```sh\n"]
    )
    def test_what_nobody_would_run_is_refused(self, page, broken):
        page.write_text(self.PAGE + broken)
        with pytest.raises(ValueError, match="page"):
            list(blocks(page))

    @pytest.mark.parametrize(
        ("language", "code"),
        [
            ("python", "assert 1 == 2\n"),
            ("sh", "false\ntrue\n"),
            ("sh", "false | true\n"),
            ("sh", "cocs solve nothing.csv --budget 1\n"),
            ("sh", "python -c 'import warnings; warnings.warn(\"careful\")'\n"),
            ("console", "$ echo one\ntwo\n"),
            ("console", "$ echo one\n"),
        ],
    )
    def test_what_fails_or_prints_something_else_fails(self, page, tmp_path, language, code):
        with pytest.raises(AssertionError):
            run(Block(1, language, "", code), page, tmp_path, {})

    def test_names_files_and_output_are_shared(self, page, tmp_path):
        names: dict[str, object] = {}
        run(Block(1, "python", "file: kept.py", "x = 3\n"), page, tmp_path, names)
        run(Block(5, "python", "", "assert x == 3\n"), page, tmp_path, names)
        run(Block(9, "console", "", "$ cat kept.py\nx = ...\n"), page, tmp_path, names)
