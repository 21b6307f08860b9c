"""Tools for agents: named functions with described parameters, a limited number of calls, and bounded JSON answers.

Tools do not raise: a failure is an answer with an `error`. Untrusted texts, such as titles and names, appear only in
answers, never in the descriptions of tools.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.json_text import to_json_text
from rulespec.engine.game.option import RulesetFaultError
from rulespec.errors import RulespecError

MOST_CALLS = 10_000
"""The maximum number of calls per session."""
MOST_ANSWER = 100_000
"""The maximum number of characters in an answer."""
MOST_TEXT = 200_000
"""The maximum number of characters in an argument."""
MOST_NUMBER = 1_000_000_000
_TYPES = {"string": str, "integer": int}


class ToolParameter(Struct, frozen=True):
    """A parameter of a tool; `type` is `string` or `integer`, and a default makes it optional."""

    name: str
    type: str
    doc: str
    default: str | int | None = None


class ToolError(RulespecError):
    """A tool's refusal of a call; the message becomes the answer."""


class Tool(Struct, frozen=True):
    """A tool.

    Attributes:
        name: its name.
        doc: its description.
        parameters: its parameters.
        run: the implementation; raises ToolError to refuse.
    """

    name: str
    doc: str
    parameters: tuple[ToolParameter, ...]
    run: Callable[..., dict[str, Any]]

    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the tool's arguments."""
        properties: dict[str, Any] = {}
        for each in self.parameters:
            properties[each.name] = {"type": each.type, "description": each.doc}
            if each.default is not None:
                properties[each.name]["default"] = each.default
        needed = [each.name for each in self.parameters if each.default is None]
        return {"type": "object", "properties": properties, "required": needed, "additionalProperties": False}

    def arguments(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments of a call after validation.

        Raises:
            ToolError: if they are invalid.
        """
        names = {each.name for each in self.parameters}
        if unknown := sorted(set(values) - names):
            raise ToolError(f"`{self.name}` has no parameter `{unknown[0][:80]}`")
        results: dict[str, Any] = {}
        for each in self.parameters:
            value = values.get(each.name, each.default)
            if value is None:
                raise ToolError(f"`{self.name}` needs `{each.name}`: {each.doc}")
            if type(value) is not _TYPES[each.type]:
                raise ToolError(f"`{each.name}` is not of type {each.type}")
            if isinstance(value, str) and (
                len(value) > MOST_TEXT or any("\ud800" <= char <= "\udfff" for char in value)
            ):
                raise ToolError(f"`{each.name}` has more than {MOST_TEXT:,} characters or is not a valid string")
            if isinstance(value, int) and not 0 <= value <= MOST_NUMBER:
                raise ToolError(f"`{each.name}` must be from 0 to {MOST_NUMBER:,}")
            results[each.name] = value
        return results


class Toolbox:
    """The tools of a session.

    Args:
        tools: the tools.
        calls: the maximum number of calls in the session.

    Attributes:
        tools: the tools by name.
        left: the number of remaining calls.
    """

    def __init__(self, tools: tuple[Tool, ...], calls: int = MOST_CALLS) -> None:
        self.tools = {tool.name: tool for tool in tools}
        self.left = calls

    def call(self, name: str, arguments: Mapping[str, Any] | None) -> tuple[str, bool]:
        """Calls a tool; returns the answer as JSON, and whether it is an error."""
        try:
            answer, wrong = self._called(name, arguments or {}), False
        except DiagnosticsError as error:
            answer, wrong = _of_diagnostics(error), True
        except RulesetFaultError as fault:
            answer, wrong = {"error": fault.diagnostic.message, "code": fault.diagnostic.code}, True
        except OSError as error:  # the message has the full path of the file
            answer, wrong = {"error": error.strerror or str(error)}, True
        except (RulespecError, ValueError) as error:
            answer, wrong = {"error": str(error)}, True
        text = to_json_text(answer, plain=True)
        if len(text) > MOST_ANSWER:
            return to_json_text({"error": "the answer is too long: ask for less at a time"}), True
        return text, wrong

    def _called(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        if self.left <= 0:
            raise ToolError("this session has used all of its calls")
        self.left -= 1
        if name not in self.tools:
            raise ToolError(f"there is no tool `{name[:80]}`; the tools are {', '.join(self.tools)}")
        tool = self.tools[name]
        return tool.run(**tool.arguments(arguments))


def _of_diagnostics(error: DiagnosticsError) -> dict[str, Any]:
    """Diagnostics as an answer: code, place and remedy of each."""
    first = error.diagnostics[0]
    listed = [
        {"code": d.code, "message": d.message, "at": str(d.span or ""), "help": d.help} for d in error.diagnostics
    ]
    return {"error": first.message, "diagnostics": listed[:50]}


_BELOW = ("answers", "conditions", "parts", "because", "changes")
"""The keys of a reason that contain its subordinate reasons."""


def shortened(answer: dict[str, Any], most: int) -> dict[str, Any]:
    """An answer shortened by leaving out its deepest levels; `omitted` counts the reasons left out below a node.

    Args:
        answer: the answer as plain data, as returned by `Printer.json`.
        most: the maximum number of characters; only the first level may exceed it.
    """
    if len(to_json_text(answer, plain=True)) <= most:
        return answer
    result, depth = _cut(answer, 0), 0
    while len(to_json_text(deeper := _cut(answer, depth + 1), plain=True)) <= most:
        result, depth = deeper, depth + 1
    return result


def _cut(node: dict[str, Any], depth: int) -> dict[str, Any]:
    """A node with at most `depth` levels below it."""
    below = {key: node[key] for key in _BELOW if key in node}
    if not below:
        return node
    result = {key: value for key, value in node.items() if key not in _BELOW}
    if depth == 0:
        return result | {"omitted": sum(map(len, below.values()))}
    return result | {key: [_cut(each, depth - 1) for each in nodes] for key, nodes in below.items()}
