"""Edits of outlines as words, such as `move_point 10,20 12,25`, from the command line or a page."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.outline_edits import MAX_DRAWN, OutlineEdit

FORMS = {
    "move_point": (2, 3, "move_point X,Y X,Y [snap=N]"),
    "insert_point": (3, 3, "insert_point X,Y X,Y X,Y (the ends of an edge, and the point)"),
    "remove_point": (1, 1, "remove_point X,Y"),
    "detach_point": (3, 4, "detach_point REGION X,Y X,Y [snap=N]"),
    "draw_outline": (4, MAX_DRAWN + 2, "draw_outline REGION X,Y X,Y X,Y ... [snap=N]"),
    "follow_border": (4, 4, "follow_border REGION REGION X,Y X,Y"),
    "remove_outline": (1, 1, "remove_outline REGION"),
    "set_frame": (4, 4, "set_frame LEFT TOP WIDTH HEIGHT"),
}
"""Edit → the minimum and maximum number of words after it, and its form."""
_POINT = re.compile(r"(-?[0-9]{1,7}),(-?[0-9]{1,7})")
_NUMBER = re.compile(r"-?[0-9]{1,7}")


def outline_edit(word: str, parts: Sequence[str]) -> OutlineEdit:
    """The edit denoted by words.

    Args:
        word: one of `FORMS`.
        parts: the words after it, as many as its form requires.

    Raises:
        MapEditError: if one of them is not a valid point or number.
    """
    data: dict[str, object] = {"op": word}
    if parts[-1].startswith("snap=") and "snap" in FORMS[word][2]:
        data["snap"] = _number(parts[-1].removeprefix("snap="))
        parts = parts[:-1]
    match word:
        case "move_point":
            data |= {"at": _point(parts[0]), "to": _point(parts[1])}
        case "insert_point":
            data |= {"edge": [_point(parts[0]), _point(parts[1])], "to": _point(parts[2])}
        case "remove_point":
            data |= {"at": _point(parts[0])}
        case "detach_point":
            data |= {"region": parts[0], "at": _point(parts[1]), "to": _point(parts[2])}
        case "draw_outline":
            data |= {"region": parts[0], "points": [_point(part) for part in parts[1:]]}
        case "follow_border":
            data |= {"region": parts[0], "other": parts[1], "begin": _point(parts[2]), "end": _point(parts[3])}
        case "remove_outline":
            data |= {"region": parts[0]}
        case _:
            data |= {"frame": [_number(part) for part in parts]}
    try:
        result: OutlineEdit = msgspec.convert(data, OutlineEdit)
    except msgspec.ValidationError as error:
        raise MapEditError(f"{word}: {error}") from None
    return result


def _point(text: str) -> list[int]:
    if (result := _POINT.fullmatch(text)) is None:
        raise MapEditError(f"`{text[:40]}` is not a point: write X,Y in whole numbers")
    return [int(number) for number in result.groups()]


def _number(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise MapEditError(f"`{text[:40]}` is not a whole number")
    return int(text)
