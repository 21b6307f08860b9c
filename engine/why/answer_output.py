"""Answers as JSON and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Span
from rulespec.documents.yaml_nodes import get, text
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.engine.game.option import Labels
from rulespec.engine.game.secrets import UNKNOWN
from rulespec.engine.why.position_reader import Answer
from rulespec.engine.why.reason_nodes import LOGIC, ReasonNode, folded, to_json
from rulespec.typed import nodes as typed

_WIDTH = 110
_QUIET = frozenset({"literal", "kind", "seats"})
"""Operations of nodes whose text is their value, and which are not printed."""


def overlay_titles(ruleset: typed.Ruleset) -> dict[str, str]:
    """The titles of overlays, by their files."""
    own = max(layer for file, layer in ruleset.layers.items() if file.rpartition("/")[2] == "game.yaml")
    titles = {}
    for file, layer in ruleset.layers.items():
        if layer > own and file.endswith(".yaml"):
            titles[layer] = text(get(parse_yaml(ruleset.sources[file], file), "title"))
    return {file: titles.get(layer, "") for file, layer in ruleset.layers.items() if layer > own}


def whole(answer: Answer, *, fold: bool) -> Answer:
    """An answer, with its traces reduced to their decisive parts if `fold` is set."""
    if not fold:
        return answer
    conditions = [folded(node) for node in answer.conditions]
    return replace(answer, conditions=conditions, answers=[whole(each, fold=True) for each in answer.answers])


class Printer:
    """A formatter of answers about games of a ruleset.

    Args:
        ruleset: the ruleset.
        labels: the names of values.
        names: a function from a file to the name to print, such as `portable_names`; by default, the name in messages.
    """

    def __init__(self, ruleset: typed.Ruleset, labels: Labels, names: Mapping[str, str] | None = None) -> None:
        self._titles: Mapping[str, str] = overlay_titles(ruleset)
        self._names = names or {}
        self._labels = labels

    def _keys(self, span: Span | None) -> dict[str, Any]:
        """The JSON keys for a place, including the title of its overlay, if any."""
        if span is None:
            return {}
        result = {"file": self._names.get(span.file, span.file), "line": span.line, "column": span.column}
        title = self._titles.get(span.file)
        return result | {"overlay": title} if title else result

    def json(self, answer: Answer) -> dict[str, Any]:
        """An answer as plain data; see why.schema.json."""
        result: dict[str, Any] = {
            "question": answer.question,
            "subject": answer.subject,
            "verdict": answer.verdict,
        }
        said = {"reason": answer.reason, "rules": list(answer.rules), "owner": answer.owner}
        result |= {key: value for key, value in said.items() if value}
        result |= self._keys(answer.span)
        if answer.conditions:
            result["conditions"] = [to_json(node, self._keys) for node in answer.conditions]
        if answer.changes:
            result["changes"] = [
                {
                    "of": change.name,
                    "before": self._labels.plain(change.type, change.before),
                    "after": self._labels.plain(change.type, change.after),
                }
                for change in answer.changes
            ]
        if answer.answers:
            result["answers"] = [self.json(each) for each in answer.answers]
        return result

    def lines(self, answer: Answer, indent: int = 0) -> Iterator[str]:
        """An answer as text lines."""
        yield " " * indent + self._head(answer)
        for change in answer.changes:
            before = self._labels.show(change.type, change.before)
            after = self._labels.show(change.type, change.after)
            yield f"{' ' * indent}  {change.name}: {before} → {after}"
        for node in answer.conditions:
            yield from self._condition(node, indent + 2)
        for each in answer.answers:
            yield from self.lines(each, indent + 2)

    def _head(self, answer: Answer) -> str:
        """The head line of an answer: subject, verdict, reason, and place in the rules."""
        subject, verdict = answer.subject, _shown(answer.verdict)
        if answer.question in ("option", "asked", "not asked", "invariant", "points", "value"):
            subject = f"{subject}: {verdict}"
        if answer.question == "end":
            subject = f"{subject}: {answer.reason}"
        elif answer.reason and answer.question != "statement":
            subject += f" — {answer.reason}"
        rules = f" [{', '.join(answer.rules)}]" if answer.rules else ""
        owner = f" · {answer.owner}" if answer.owner else ""
        return f"{_cut(subject)}{rules}{owner}{self._place(answer.span)}"

    def _place(self, span: Span | None) -> str:
        """The text for a place in the rules, with the title of its overlay, if any."""
        if span is None:
            return ""
        keys = self._keys(span)
        title = f" ({keys['overlay']})" if "overlay" in keys else ""
        return f" · {keys['file']}:{span.line}{title}"

    def _condition(self, node: ReasonNode, indent: int) -> Iterator[str]:
        """The lines of a trace, the first with its place."""
        yield f"{' ' * indent}{_line(node)}{self._place(node.span)}"
        yield from _parts(node, indent + 2)


def _parts(node: ReasonNode, indent: int) -> Iterator[str]:
    for each in node.because:
        if each.op not in _QUIET:
            yield f"{' ' * indent}{_line(each)}"
            yield from _parts(each, indent + 2)
    for part in node.parts:
        if part.op not in _QUIET:
            yield f"{' ' * indent}{_line(part)}"
            yield from _parts(part, indent + 2)


def _line(node: ReasonNode) -> str:
    """The line for a node: its text, its value, and its name if that differs from the text."""
    truth = isinstance(node.value, bool)
    value = {True: "holds", False: "fails"}[node.value] if truth and node.type == "bool" else _shown(node.value)
    if node.op == "member":
        return f"{_cut(node.name)} → {value}"
    if node.op in LOGIC and node.name:
        return f"{node.name}: {_cut(node.text)}: {value}"
    name = f" ({node.name})" if node.name and node.name != node.text else ""
    return f"{_cut(node.text)}{name}{': ' if truth else ' = '}{value}"


def _shown(value: Any) -> str:
    """A value of an answer as text."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "{" + ", ".join(map(str, value)) + "}"
    if isinstance(value, dict):  # a bag
        return "{" + ", ".join(name if number == 1 else f"{number} {name}" for name, number in value.items()) + "}"
    return UNKNOWN if value == UNKNOWN else str(value)


def _cut(line: str) -> str:
    return line if len(line) <= _WIDTH else line[:_WIDTH] + "…"
