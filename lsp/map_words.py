"""Edits of a map and its outlines expressed in words, such as `move_point 10,20 12,25`, on a command line or a page."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import msgspec

from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.errors import RulespecError
from rulespec.lsp.data_edits import DataEdits
from rulespec.lsp.map_edits import Edited, MapEdits
from rulespec.lsp.map_files import MapEditError
from rulespec.lsp.map_proposals import MapProposals
from rulespec.lsp.outline_edits import MAX_DRAWN, OutlineEdit, OutlineEdits

OUTLINE_FORMS = {
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
    """The outline edit expressed by words.

    Args:
        word: one of `OUTLINE_FORMS`.
        parts: the words after the first, as many as the form requires.

    Raises:
        MapEditError: if one of them is not a valid point or number.
    """
    data: dict[str, object] = {"op": word}
    if parts[-1].startswith("snap=") and "snap" in OUTLINE_FORMS[word][2]:
        data["snap"] = _coordinate(parts[-1].removeprefix("snap="))
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
            data |= {"frame": [_coordinate(part) for part in parts]}
    try:
        result: OutlineEdit = msgspec.convert(data, OutlineEdit)
    except msgspec.ValidationError as error:
        raise MapEditError(f"{word}: {error}") from None
    return result


def _point(text: str) -> list[int]:
    if (result := _POINT.fullmatch(text)) is None:
        raise MapEditError(f"`{text[:40]}` is not a point: write X,Y in whole numbers")
    return [int(number) for number in result.groups()]


def _coordinate(text: str) -> int:
    if _NUMBER.fullmatch(text) is None:
        raise MapEditError(f"`{text[:40]}` is not a whole number")
    return int(text)


FORMS = {
    "set": (3, 3, "set REGION FACT VALUE"),
    "unset": (2, 2, "unset REGION FACT"),
    "put": (3, 4, "put REGION PIECES NUMBER [OWNER]"),
    "link": (2, 3, "link REGION REGION [KIND]"),
    "unlink": (2, 3, "unlink REGION REGION [KIND]"),
    "move": (3, 3, "move REGION X Y"),
    "add": (1, 40, "add REGION [FACT=VALUE ...]"),
    "rename": (2, 2, "rename REGION NAME"),
    "remove": (1, 1, "remove REGION"),
    "accept": (1, 1, "accept facts|links|choices|pieces|all"),
    "colour": (3, 3, "colour COLOUR FACT VALUE"),
    "bring": (3, 41, "bring KIND NAME[=TITLE] NAME[=TITLE] ..."),
    "entity": (4, 4, "entity KIND NAME FACT VALUE"),
    "rename_entity": (3, 3, "rename_entity KIND NAME NEW"),
    "row": (3, 3, "row TABLE KEY[,KEY ...] VALUE"),
    "constant": (2, 2, "constant NAME VALUE"),
    "start": (2, 2, "start PLACE VALUE"),
    **OUTLINE_FORMS,
}
"""Edit → the minimum and maximum number of words after it, and its form."""


_OF_DATA = ("entity", "rename_entity", "row", "constant", "start")


class WordsError(RulespecError):
    """Words that do not form an edit; the text gives the reason."""


def edit_of(map_: MapEdits, words: Sequence[str]) -> Callable[[], Edited]:
    """The edit expressed by words.

    Raises:
        WordsError: if they do not form an edit.
        MapEditError: if a point of an outline or a number is invalid.
    """
    word, *parts = words or [""]
    if word not in FORMS:
        raise WordsError(f"there is no edit `{word[:40]}`; {did_you_mean(word, FORMS) or ', '.join(FORMS)}")
    fewest, most, form = FORMS[word]
    if not fewest <= len(parts) <= most:
        raise WordsError(f"{' '.join(words)[:120]}: expected `{form}`")
    if word in OUTLINE_FORMS:
        edit = outline_edit(word, parts)
        return lambda: OutlineEdits(map_.map).edit(edit)
    if word == "move":
        x, y = map(_number, parts[1:])
        return lambda: map_.move(parts[0], x, y)
    if word == "put":
        number = _number(parts[2])
        if len(parts) == 4:
            return lambda: DataEdits(map_).put(parts[0], parts[1], number, parts[3])
        return lambda: map_.put(parts[0], parts[1], number)
    if word in _OF_DATA:
        return lambda: getattr(DataEdits(map_), word.removesuffix("_entity"))(*parts)
    if word == "add":
        facts = dict(_fact(part) for part in parts[1:])
        return lambda: map_.add(parts[0], facts)
    if word == "bring":
        titles = {name: title for name, _, title in (part.partition("=") for part in parts[1:])}
        return lambda: MapProposals(map_.map).bring(parts[0], titles)
    if word in ("accept", "colour"):
        return lambda: getattr(MapProposals(map_.map), word)(*parts)
    function: Callable[..., Edited] = getattr(map_, word)
    return lambda: function(*parts)


def _number(text: str) -> int:
    if not text.removeprefix("-").isdecimal() or not text.isascii() or len(text) > 9:
        raise WordsError(f"`{text[:40]}` is not a whole number")
    return int(text)


def _fact(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign:
        raise WordsError(f"`{text[:40]}` is not a fact: write FACT=VALUE")
    return name, value
