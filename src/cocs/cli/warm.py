"""Compile every kernel once, so that no later command seems to hang: `python -m cocs.cli.warm`, run by the Makefile.

numba keeps what it compiled beside the sources, and compiles again what was edited. It does not notice that a function
called from another file was edited: whatever is older than the newest kernel is removed first.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import cocs

PACKAGE = Path(cocs.__file__).parent
COMPILED = ("*.nbi", "*.nbc")  # numba's indices and machine code
ROUNDS = 12  # enough for the tables of counts to grow
SMALL = {"n_clients": 20, "budget": 12.0}
# All phases and readings: what a policy hands over decides which variants of a kernel are compiled.
POLICIES = (
    "clairvoyant",
    "oracle",
    "oracle-context",
    "cocs",
    "cocs:sharing=all,cells=1,scale=0.001",
    "cocs:cells=2,scale=0.4",
    "cocs:ties=estimate",
    "cocs:explore=under-explored,under_explored=edge,cells=2",
    "cardinality",
    "random",
    "random:draw=edge",
)
SOLVERS = ("auto", "exact", "density")


def main() -> None:
    """Compile, and say what was done; Ctrl-C leaves what is finished."""
    began = perf_counter()
    print("==> compiling the kernels (once; about a minute) ", end="", flush=True)
    try:
        remove_stale()
        warm()
    except KeyboardInterrupt:
        print("stopped", flush=True)
        sys.exit(130)
    print(f"took {perf_counter() - began:.0f} s", flush=True)


def remove_stale() -> list[Path]:
    """Remove what numba compiled before the newest kernel was written, and return what was removed."""
    kernels = [path for path in PACKAGE.rglob("*.py") if "import njit" in path.read_text(encoding="utf-8")]
    newest = max((path.stat().st_mtime for path in kernels), default=0.0)
    stale = [
        path
        for folder in {place for kernel in kernels for place in _cache_folders(kernel)}
        for pattern in COMPILED
        for path in folder.glob(pattern)
        if path.stat().st_mtime < newest
    ]
    for path in stale:
        path.unlink(missing_ok=True)
    return stale


def warm() -> None:
    """Play a few rounds with every policy and solver, in both of the paper's worlds and both geometries."""
    from cocs.contracts import solver_cases
    from cocs.registry import SOLVERS as REGISTERED
    from cocs.reports.figures import draw_comparison

    for world in cocs.list_worlds():
        for geometry in ("literal", "discs"):
            settings = {**SMALL, "geometry": geometry}
            records = cocs.compare(world, POLICIES, settings=settings, seeds=[0], rounds=ROUNDS)
    with TemporaryDirectory() as folder:
        draw_comparison(records, Path(folder))  # matplotlib lists the fonts once, and remembers them
    for name in SOLVERS:
        solve = REGISTERED[name]()
        for _, problem in solver_cases():
            solve(problem)


def _cache_folders(kernel: Path) -> set[Path]:
    """Where numba keeps what it compiled of a file: beside it, or where the environment sends it."""
    module = importlib.import_module(".".join(kernel.relative_to(PACKAGE.parent).with_suffix("").parts))
    functions = (found for found in vars(module).values() if hasattr(found, "stats"))
    return {Path(path) for function in functions if (path := getattr(function.stats, "cache_path", None))}


if __name__ == "__main__":
    main()
