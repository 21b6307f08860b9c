"""Automatic fixes, which are computed from diagnostics and file texts, and applied to these texts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import Diagnostic, Fix, Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.carried_over import KEYS, new_path
from rulespec.documents.yaml_nodes import Mapping as YamlMapping
from rulespec.documents.yaml_nodes import Node, Sequence
from rulespec.documents.yaml_reader import parse_yaml

_MISSPELT = frozenset({"RS211", "RS221", "RS224", "RS225", "RS503", "RS509"})
_ONE_CANDIDATE = re.compile(r"did you mean `([\w.]+)`\?")
_WORDS = {"true": "true", "false": "false", "null": "null"}
_TEXT_KEYS = re.compile(r"\s*(?:for_)?version:\s*")  # their values are always text


def with_fixes(diagnostics: Iterable[Diagnostic], texts: Mapping[str, str]) -> tuple[Diagnostic, ...]:
    """The diagnostics, with an unambiguous fix where there is one.

    Args:
        diagnostics: the diagnostics.
        texts: the checked text of each file, by its name in spans.
    """
    results = list(diagnostics)
    # The missing link may be part of an entry with another error: fix that one first.
    otherwise = {d.span.file for d in results if d.span is not None and d.code != "RS230"}
    with_fix = [d if d.fix is not None else replace(d, fix=_fix(d, texts)) for d in results]
    return tuple(
        replace(d, fix=None) if d.code == "RS230" and d.fix is not None and d.fix.span.file in otherwise else d
        for d in with_fix
    )


def fixed(texts: Mapping[str, str], fixes: Iterable[Fix]) -> dict[str, str]:
    """The texts after the fixes. If fixes overlap, only the first is applied."""
    parts: dict[str, list[str]] = {}
    done: dict[str, int] = {}  # file → end of the copied part of its text
    for fix in sorted(set(fixes), key=lambda f: (f.span, f.text)):
        file = fix.span.file
        if file not in texts:
            continue
        first, last = _offsets(texts[file], fix.span)
        if first > done.get(file, -1):
            parts.setdefault(file, []).extend((texts[file][done.get(file, 0) : first], fix.text))
            done[file] = last
    return {file: "".join(result) + texts[file][done[file] :] for file, result in parts.items()}


def _fix(d: Diagnostic, texts: Mapping[str, str]) -> Fix | None:
    if d.span is None or d.span.file not in texts:
        return None
    text = texts[d.span.file]
    if d.code in _MISSPELT:
        return _respelt(d, d.span, text)
    if d.code in {"RS121", "RS122", "RS123"}:
        return _quoted(d.code, d.span, text)
    if d.code in {"RS127", "RS128"}:
        return _renamed(d.span, texts[d.span.file])
    if d.code == "RS504":
        return _without_entry(d.span, text)
    if d.code == "RS230":
        return _other_side(d, d.span, texts)
    return None


# --- one fix for each kind of error -----------------------------------------------------------------------------------


def _respelt(d: Diagnostic, span: Span, text: str) -> Fix | None:
    """Replaces a misspelt name by the only similar one."""
    candidate = _ONE_CANDIDATE.fullmatch(d.help)
    written = _at(text, span)
    bare = written.strip("\"'")
    named = re.findall(r"`([^`]*)`", d.message)
    if d.code == "RS503":  # the message has the whole path to a setting, the file only its name
        named += [step for path in named for step in path.split(".")]
    if candidate is None or bare not in named:
        return None
    meant = candidate[1]
    if d.code == "RS503" and "." in bare and "." not in meant:  # the hint is about one step of the path
        steps = bare.split(".")
        wrong = [i for i, step in enumerate(steps) if did_you_mean(step, [meant])]
        if len(wrong) != 1:
            return None
        meant = ".".join([*steps[: wrong[0]], meant, *steps[wrong[0] + 1 :]])
    return Fix(span, written.replace(bare, meant))


def _renamed(span: Span, text: str) -> Fix | None:
    """Replaces a former word by the current one, inside its quotes."""
    written = _at(text, span)
    bare = written.strip("\"'")
    new = KEYS.get(bare) or new_path(bare)
    return Fix(span, written.replace(bare, new)) if new is not None else None


def _quoted(code: str, span: Span, text: str) -> Fix | None:
    """Rewrites an unambiguous truth value, or quotes a value that must be text."""
    written = _at(text, span)
    if code == "RS121":
        word = _WORDS.get(written.lower())
        return Fix(span, word) if word is not None else None
    before = text.split("\n")[span.line - 1][: span.column - 1]
    if code == "RS123" or _TEXT_KEYS.fullmatch(before):
        return Fix(span, f'"{written}"')
    return None


def _without_entry(span: Span, text: str) -> Fix | None:
    """Removes an entry on a separate line, and the line of its section if that becomes empty."""
    lines = text.split("\n")
    first, last = span.line, span.end_line
    start = lines[first - 1][: span.column - 1]
    if not re.fullmatch(r"\s*[\w.]+:\s+", start) or lines[last - 1][span.end_column - 1 :].strip():
        return None
    above = next((line for line in reversed(lines[: first - 1]) if line.strip()), "")
    below = next((line for line in lines[last:] if line.strip()), "")
    if above.lstrip().startswith("#") or below.lstrip().startswith("#"):  # a comment may be about the line
        return None
    if _indent(start) not in (_indent(above), _indent(below)):
        if not re.fullmatch(r"\w+:\s*", above) or above != lines[first - 2]:
            return None
        first -= 1
    return Fix(Span(span.file, first, 1, last + 1, 1), "")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _other_side(d: Diagnostic, span: Span, texts: Mapping[str, str]) -> Fix | None:
    """Adds the missing entry to the links of the neighbouring region: to its list, or as a new list."""
    if not d.notes:
        return None
    there = d.notes[0].span
    names = re.findall(r"`(\w+)`", d.message)  # the link, from, to
    try:
        root = parse_yaml(texts.get(there.file, ""), there.file)
    except DiagnosticsError:
        return None
    region = _entry_at(root, there)
    if len(names) != 3 or not isinstance(region, YamlMapping):
        return None
    link, name, _ = names
    flow = _at(texts[there.file], region.span).startswith("{")
    listed = region.entries.get(link)
    if listed is not None and isinstance(listed[1], Sequence):
        end = listed[1].span
        if not _at(texts[there.file], end).endswith("]"):
            return None
        place = Span(end.file, end.end_line, end.end_column - 1, end.end_line, end.end_column - 1)
        return Fix(place, f", {name}" if listed[1].items else name)
    if listed is None and flow and region.span.line == region.span.end_line:
        end = region.span
        place = Span(end.file, end.end_line, end.end_column - 1, end.end_line, end.end_column - 1)
        return Fix(place, f"{', ' if region.entries else ''}{link}: [{name}]")
    return None


def _entry_at(node: Node, span: Span) -> Node | None:
    """The value whose key has this span."""
    if isinstance(node, YamlMapping):
        for key, value in node.entries.values():
            if key.span == span:
                return value
            if (result := _entry_at(value, span)) is not None:
                return result
    elif isinstance(node, Sequence):
        return next((f for item in node.items if (f := _entry_at(item, span)) is not None), None)
    return None


# --- places in texts --------------------------------------------------------------------------------------------------


def _offsets(text: str, span: Span) -> tuple[int, int]:
    return _offset(text, span.line, span.column), _offset(text, span.end_line, span.end_column)


def _offset(text: str, line: int, column: int) -> int:
    start = 0
    for _ in range(line - 1):
        end = text.find("\n", start)
        if end < 0:
            return len(text)
        start = end + 1
    return min(start + column - 1, len(text))


def _at(text: str, span: Span) -> str:
    first, last = _offsets(text, span)
    return text[first:last]
