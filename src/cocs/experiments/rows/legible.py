"""Other people's text, fit for a terminal."""

from __future__ import annotations

import unicodedata


def legible(text: str, width: int = 40) -> str:
    r"""Return the text with whatever moves a cursor or reorders a line escaped, cut with … to that many columns.

    Control and format characters come out as \x1b or \u202e; text with right-to-left letters is isolated, so that its
    neighbours keep their places. For reading only: two long texts may look the same.
    """
    pieces: list[str] = []
    widths: list[int] = []
    for character in text:
        plain = character.isprintable()
        pieces.append(character if plain else character.encode("unicode_escape").decode("ascii"))
        widths.append(2 if plain and unicodedata.east_asian_width(character) in "WF" else len(pieces[-1]))
        if sum(widths) > width:
            while sum(widths) > width - 1:
                del pieces[-1], widths[-1]
            pieces.append("…")
            break
    shown = "".join(pieces)
    leftward = any(unicodedata.bidirectional(character) in ("R", "AL") for character in shown)
    return f"\u2068{shown}\u2069" if leftward else shown
