"""Whatever stands in an id, the terminal stays as it was."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from cocs.experiments.rows import legible


def test_plain_text_is_left_alone():
    for text in ("", "bus 12", "Zürich", "東京", "x" * 40):
        assert legible(text) == text


def test_what_moves_a_cursor_or_reorders_a_line_is_escaped():
    assert legible("a\x1b[31mb\n\u202ec") == r"a\x1b[31mb\n\u202ec"


def test_long_text_is_cut_to_the_width():
    assert legible("x" * 41) == "x" * 39 + "…"
    assert legible("東" * 6, 10) == "東東東東…"
    assert legible("\x00" * 1_000_000, 10) == r"\x00\x00…"


def test_right_to_left_text_keeps_its_neighbours_in_place():
    assert legible("שלום") == "\u2068שלום\u2069"


@given(st.text(st.characters(), max_size=60), st.integers(5, 40))
def test_nothing_but_printable_characters_within_the_width(text, width):
    shown = legible(text, width).removeprefix("\u2068").removesuffix("\u2069")

    assert shown.isprintable()
    assert sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in shown) <= width
