"""Rule ids, such as `ABC-07`: citations in texts, and the list in a ruleset's `rules.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from msgspec import Struct

from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Node, Sequence, get, text, words
from rulespec.records import Brief

_RULE_ID = re.compile(r"\b[A-Z][A-Z0-9]{1,9}(?:-[A-Z0-9]{1,9}){1,3}\b")
_BEGINS = re.compile(r"^(?:[A-Z][A-Z0-9]*(?:-[A-Z0-9]+)+(?:, |…\d*)?)+(?:: |\.?$)")
_FOR_PEOPLE = re.compile(r'"[^"]*"|#.*|\bdoc:.*')
"""Parts of a line of a rules file or a YAML file that may contain citations."""


class ListedRule(Brief, Struct, frozen=True):
    """A rule in a ruleset's list: its id, a line of text, the editions that contain it, and its place."""

    id: str
    text: str
    editions: tuple[str, ...]
    span: Span


class Unreached(Brief, Struct, frozen=True):
    """Part of the rules code that no test can reach, with the reason.

    It is identified by a listed rule (`rule`), or by a file in the ruleset's folder (`at`), a string that occurs on the
    line, and the outcome, or "" for the whole line.
    """

    rule: str
    at: str
    text: str
    outcome: str
    reason: str
    span: Span


def cited(text: str) -> tuple[str, ...]:
    """The ids cited in a docstring, a reason or a comment, in order, without repetition."""
    return tuple(dict.fromkeys(_RULE_ID.findall(text)))


def uncited(text: str) -> str:
    """A docstring or a reason without its leading ids; "" if nothing is left."""
    return _BEGINS.sub("", text).strip()


def listed_rules(node: Node | None) -> Iterator[ListedRule]:
    """The rules under `rules` in a `rules.yaml` or an overlay."""
    for item in _items(get(node, "rules")):
        editions = tuple(word.text for word in words(get(item, "editions")))
        yield ListedRule(text(get(item, "id")), text(get(item, "text")), editions, _place(item, "id"))


def unreached(node: Node | None) -> Iterator[Unreached]:
    """The entries under `unreached` in a `rules.yaml`."""
    for item in _items(get(node, "unreached")):
        rule, at, line, outcome, reason = (text(get(item, k)) for k in ("rule", "at", "text", "outcome", "reason"))
        yield Unreached(rule, at, line, outcome, reason, item.span)


def add_listed(rules: dict[str, ListedRule], node: Node | None, report: Report) -> None:
    """Adds the rules of a list to `rules`, where they replace rules with the same id; reports ids repeated in the list
    (RS223).
    """
    results: dict[str, ListedRule] = {}
    for rule in listed_rules(node):
        if rule.id in results:
            notes = (Label(results[rule.id].span, "first listed here"),)
            report.error("RS223", f"the rule `{rule.id}` is listed twice", rule.span, notes=notes)
        results.setdefault(rule.id, rule)
    rules.update(results)


def check_cited(sources: Mapping[str, str], rules: Mapping[str, ListedRule], report: Report) -> None:
    """Warns of cited ids that a non-empty list does not contain (RS239).

    A text that neither shares its first word with a listed id nor resembles one, such as the name of a standard, is not
    a citation.
    """
    families = {id_.partition("-")[0] for id_ in rules}
    parts = {
        id_[:at] for id_ in rules for at, letter in enumerate(id_) if letter == "-"
    }  # a citation of all ids with this prefix
    for file, source in sources.items() if rules else ():
        for number, line in enumerate(source.split("\n"), 1):
            if "-" not in line:
                continue
            for part in _FOR_PEOPLE.finditer(line):
                for result in _RULE_ID.finditer(part[0]):
                    if result[0] in rules or result[0] in parts:
                        continue
                    hint = did_you_mean(result[0], rules)
                    if hint or result[0].partition("-")[0] in families:
                        column = part.start() + result.start() + 1
                        span = Span(file, number, column, number, column + len(result[0]))
                        message = f"no rule `{result[0]}` is listed"
                        report.warning(
                            "RS239", message, span, help=hint or "list it in rules.yaml, or cite another rule"
                        )


def _items(node: Node | None) -> list[Node]:
    return node.items if isinstance(node, Sequence) else []


def _place(node: Node, key: str) -> Span:
    result = get(node, key)
    return result.span if result is not None else node.span
