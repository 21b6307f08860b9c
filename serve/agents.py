"""Tools for an agent at a table, which answer from its seat's view, with limits per seat."""

from __future__ import annotations

from concurrent.futures.process import BrokenProcessPool
from typing import Any, Literal

import msgspec
from msgspec import Struct

from rulespec.engine.game.game import as_shown
from rulespec.engine.table.messages import MAX_TEXT, Message
from rulespec.serve.hall import Hall
from rulespec.serve.live import Live

MOST_CALLS = 10_000
"""The maximum number of tool calls per seat during a run of the server."""
MOST_GAMES = 5_000
"""The maximum number of random games per seat during a run of the server."""


class ToolCall(Struct, frozen=True, forbid_unknown_fields=True):
    """A tool call.

    Attributes:
        tool: its name.
        arguments: its arguments.
    """

    do: Literal["tool"]
    tool: str
    arguments: dict[str, Any] = {}


def read_call(data: object) -> ToolCall | None:
    """The tool call in a message; None for other messages."""
    try:
        return msgspec.convert(data, ToolCall)
    except msgspec.ValidationError:
        return None


async def call_tool(hall: Hall, live: Live, viewer: str | None, call: ToolCall) -> dict[str, Any]:
    """The answer to a tool call: a JSON object as text, and whether it is an error."""
    if hall.agents is None or viewer is None or live.table.alone:
        return _error("this table has no tools for agents")
    used = live.used.setdefault(viewer, [0, 0])
    used[0] += 1
    if used[0] > MOST_CALLS:
        return _error("this seat has used all of its calls")
    if call.tool == "simulate":
        games = call.arguments.get("games", 20)
        used[1] += games if type(games) is int and games > 0 else 0
        if used[1] > MOST_GAMES:
            return _error("this seat has used all of its random games")
    if call.tool == "take":
        since, error = await _taken(hall, live, viewer, call.arguments)
        if error is not None:
            return error
        call = ToolCall("tool", "view", {"since": since})
    async with live.lock:
        past = live.past()
    try:
        text, wrong = await hall.ask(hall.agents, past, viewer, call.tool, call.arguments)
    except BrokenProcessPool:
        return _error("the answer could not be computed")
    return {"tool": {"text": text, "wrong": wrong}}


async def _taken(hall: Hall, live: Live, viewer: str, arguments: dict[str, Any]) -> tuple[int, dict[str, Any] | None]:
    """Plays an option; returns the number of decisions before it, and the error if it is refused."""
    option, ply = arguments.get("option"), arguments.get("ply")
    if type(option) is not str or len(option) > MAX_TEXT or type(ply) is not int or len(arguments) > 2:
        return 0, _error("`take` needs `option`, a text of `options`, and `ply`, the number of decisions so far")
    async with live.lock:
        now, serial = as_shown(live.table.game, viewer).ply, live.table.say(viewer, 0)["serial"]
    if ply != now:
        return 0, _error(f"{now} decisions have been taken, not {ply}: call `view` again")
    refusal = await hall.hear(live, viewer, Message("take", serial, option))
    if refusal is None:
        return now, None
    values = ", ".join(f"{name} = {value}" for name, value in refusal.values.items())
    return 0, _error(f"{refusal.text} ({values})" if values else refusal.text)


def _error(text: str) -> dict[str, Any]:
    return {"tool": {"text": msgspec.json.encode({"error": text}).decode(), "wrong": True}}
