"""What the three formats share: a look whether the needed columns are there."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from itertools import islice

from cocs.errors import InvalidFileError
from cocs.experiments.rows.legible import legible

COMPARED = 1_000  # names, of at most so many characters: a search among more would seem to hang
LONGEST = 100


def require(name: str, have: Sequence[str], wanted: Sequence[str]) -> None:
    """Refuse names that stand twice and wanted ones that stand nowhere, with the nearest that does."""
    for column in wanted:
        if have.count(column) > 1:
            raise InvalidFileError(name, f"has {have.count(column)} columns named '{column}'")
    for column in wanted:
        if column not in have:
            near = nearest(column, (x for x in have if x not in wanted))
            hint = f"; did you mean '{near}'?" if near else f": it has {_listed(have)}"
            raise InvalidFileError(name, f"has no column '{column}'{hint}")


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like this one, legible, or None where none is like it."""
    known = [x for x in islice(known, COMPARED) if len(x) <= LONGEST]
    folded = {x.casefold().strip(): x for x in reversed(known)}
    near = difflib.get_close_matches(name[:LONGEST].casefold().strip(), folded, n=1, cutoff=0.4)
    return legible(folded[near[0]]) if near else None


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{legible(x)}'" for x in names[:6])
    return shown + (f" and {len(names) - 6} more" if len(names) > 6 else "") if names else "none"
