from __future__ import annotations

from rulespec.drawing.text_width import shortened, text_width, wrapped


def test_wide_letters_take_more_room_than_narrow_ones() -> None:
    assert text_width("WWW", 10) > 2 * text_width("iii", 10)
    assert text_width("Würzburg", 10, bold=True) > text_width("Würzburg", 10)
    assert text_width("漢字", 10) == 20


def test_a_text_is_broken_between_words_where_its_lines_become_shortest() -> None:
    assert wrapped("Western Mediterranean Sea", 2) == ["Western", "Mediterranean Sea"]
    assert wrapped("Western Mediterranean Sea", 3) == ["Western", "Mediterranean", "Sea"]
    assert wrapped("Sea", 2) is None


def test_a_text_that_is_too_long_is_cut() -> None:
    assert shortened("Lisbon", 10, 100) == "Lisbon"
    assert shortened("Western Mediterranean", 10, 60).endswith("…")
    assert text_width(shortened("Western Mediterranean", 10, 60), 10) <= 60
