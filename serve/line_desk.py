"""Private variations of a seat, which are saved from a copy, named, reopened, and published in the log.

A seat's tree is stored with the table, next to the log; only the holder of the seat's key can read it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.drafted import planned
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.logs.log_lines import MAX_LINE
from rulespec.engine.logs.saved_game import SaveError
from rulespec.engine.logs.variations import Anchored, KeptLine, plain, tree_of, variations_in
from rulespec.engine.table.messages import MessageRefusal
from rulespec.errors import RulespecError
from rulespec.serve.copies import fork, past_of, tried
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live
from rulespec.serve.past_process import line_in_words
from rulespec.serve.published import MAX_PUBLISHED, decisions_of, published

MAX_LINES = 30
"""The maximum number of variations per seat."""
MAX_MOVES = 200
"""The maximum number of moves per variation."""
MAX_TREE = 40_000
"""The maximum size of a seat's variations in bytes, as each decision stores them again."""
MAX_NAME, MAX_REMARK = 80, 500
"""The maximum length of a variation's name, and of a remark."""


class LineOrder(Struct, frozen=True, forbid_unknown_fields=True):
    """A message about private variations.

    Attributes:
        do: the action: list variations, save the moves tried out in a copy, rename or annotate a variation, delete it,
            open it in a copy, or publish it.
        line: the number of the variation in the list; when publishing, -1 means all of them.
        name: the name of the variation.
        remark: the comment on the variation.
        seat: in a copy, the sender's seat, which has no effect here.
    """

    do: Literal["lines", "keep", "rename", "drop", "open", "publish"]
    line: int = -1
    name: str = ""
    remark: str = ""
    seat: str = ""


def read_order(data: object) -> LineOrder | None:
    """The variation message in plain data; None for other messages."""
    try:
        return msgspec.convert(data, LineOrder)
    except msgspec.ValidationError:
        return None


class LineDesk:
    """A handler of messages about variations.

    Args:
        hall: the tables.
    """

    def __init__(self, hall: Hall) -> None:
        self._hall = hall

    async def hear(self, live: Live, viewer: str | None, order: LineOrder) -> dict[str, Any]:
        """The answer to a message from a viewer."""
        try:
            if order.do == "keep":
                return await self._keep(live, order)
            if viewer is None or live.table.alone:
                return _refused("only a seat at the table has its own variations")
            if order.do == "lines":
                return _listed(live, viewer)
            if order.do == "open":
                return {"fork": await fork(self._hall, live, viewer, _line(live, viewer, order.line))}
            return await self._change(live, viewer, order)
        except KeyError:
            return _refused("the table no longer exists")
        except SaveError as error:
            return _refused(f"not carried out, because it could not be saved: {error}")
        except RulespecError as error:
            return _refused(str(error))

    async def _keep(self, copy: Live, order: LineOrder) -> dict[str, Any]:
        """Saves the moves made in a copy as a variation of its owner."""
        origin = copy.origin
        if origin is None or origin.viewer is None:
            return _refused("only the copy of a seat at a table can be kept")
        async with copy.lock:
            line, past = tried(copy), past_of(copy)
        if not line.moves:
            return _refused("nothing has been tried out yet")
        if len(line.moves) > MAX_MOVES:
            return _refused(f"this line has more than {MAX_MOVES} moves, the limit of a variation")
        text = await self._hall.ask(line_in_words, past, line.at, copy.rules.words.language)
        line = replace(line, text=text, **_texts(order))
        live = self._hall.table(origin.table)
        async with live.lock:
            await self._save(live, origin.viewer, [*_lines(live, origin.viewer), line])
        return {"kept": line.name or text}

    async def _change(self, live: Live, viewer: str, order: LineOrder) -> dict[str, Any]:
        """Renames, deletes or publishes variations."""
        async with live.lock:
            lines = list(_lines(live, viewer))
            if order.do == "publish":
                await self._publish(live, viewer, order.line)
            elif order.do == "drop":
                lines.remove(_line(live, viewer, order.line))
                await self._save(live, viewer, lines)
            else:
                lines[order.line] = replace(_line(live, viewer, order.line), **_texts(order))
                await self._save(live, viewer, lines)
            return _listed(live, viewer)

    async def _publish(self, live: Live, viewer: str, number: int) -> None:
        """Appends variations to the log as one tree."""
        game, lines = live.table.game, list(_lines(live, viewer))
        if game.omniscient.secretive and not game.is_over:
            raise NotFoundError("in a game with secrets, variations are published after the end")
        if planned(game.omniscient.numbers):
            raise NotFoundError("a plan is open: confirm or withdraw it before you publish variations")
        chosen = [line for line in lines if not line.published] if number < 0 else [_line(live, viewer, number)]
        chosen = [line for line in chosen if line.at <= game.ply]
        if not chosen:
            raise NotFoundError("there is no variation to publish")
        note = {"variations": plain(tree_of(chosen)), "by": viewer}
        text = to_json_text(note, plain=True)
        if len(live.published) >= MAX_PUBLISHED or len(text) > MAX_LINE or not _fits(note["variations"]):
            raise NotFoundError("the log of this table takes no more variations")
        marked = [replace(line, published=True) if line in chosen else line for line in lines]
        await self._save(live, viewer, marked, [text])
        live.published += published(note, decisions_of(game))

    async def _save(self, live: Live, viewer: str, lines: list[KeptLine], notes: Sequence[str] = ()) -> None:
        """Saves a seat's variations, and lines of the log."""
        if len(lines) > MAX_LINES or len(msgspec.json.encode(lines)) > MAX_TREE:
            raise NotFoundError("there is no room for more variations: delete some")
        live.table.aside.lines[viewer] = lines
        await self._hall.keep(live, notes)


def private_anchors(live: Live, viewer: str | None) -> list[Anchored]:
    """The unpublished variations of a seat, anchored to those decisions of a replay page that were not undone."""
    lines = [line for line in _lines(live, viewer) if not line.published and line.at <= live.table.game.ply]
    return [Anchored(each.at or 0, each) for each in tree_of(lines)]


def _fits(variations: object) -> bool:
    try:
        variations_in(variations)
    except ValueError:
        return False
    return True


def _lines(live: Live, viewer: str | None) -> Sequence[KeptLine]:
    return live.table.aside.lines.get(viewer or "", ())


def _line(live: Live, viewer: str, number: int) -> KeptLine:
    """A variation by its number.

    Raises:
        NotFoundError: if there is none.
    """
    lines = _lines(live, viewer)
    if not 0 <= number < len(lines):
        raise NotFoundError("there is no such variation")
    return lines[number]


def _listed(live: Live, viewer: str) -> dict[str, Any]:
    lines = [
        {"at": line.at, "name": line.name, "remark": line.remark, "text": line.text, "published": line.published}
        for line in _lines(live, viewer)
    ]
    return {"lines": lines}


def _texts(order: LineOrder) -> dict[str, str]:
    return {"name": " ".join(order.name.split())[:MAX_NAME], "remark": order.remark.strip()[:MAX_REMARK]}


def _refused(text: str) -> dict[str, Any]:
    return {"refused": MessageRefusal(text).to_json()}
