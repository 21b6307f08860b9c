"""Mutations of text inputs that preserve much of their structure, as nearly valid inputs reach deeper code."""

from __future__ import annotations

import gzip
import json
import random
import re
import zlib
from collections.abc import Callable, Sequence
from typing import Any

from fuzz.grammar import Writer
from rulespec.language.builtins import BUILTINS

MAX_BYTES = 2_500_000
"""The maximum size of an input in bytes, larger than any file limit, so that limits are tested."""

_WORD = re.compile(r"\s+|\w+|[^\w\s]")
_NUMBER = re.compile(r"(?<!\w)-?\d+")
_NAME = re.compile(r"\b[a-z]\w*")
_SIGNS = ("==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "%", "|", "&", "??", "in", "not in", "and", "or")
_SIGN = re.compile(r"(?<= )(?:" + "|".join(map(re.escape, sorted(_SIGNS, key=len, reverse=True))) + r")(?= )")
_NUMBERS = (0, 1, -1, 2, 3, 63, 64, 65, 255, 1_000, 65_536, 2**31, 2**53, 10**15 - 1, 10**15, -(10**15), 2**63, 10**30)
_NUMBER_TEXTS = (
    *("007", "0x1F", "1e9", "1e999", ".5", "1_000", "12:30", "2001-01-01", "0o17", "NaN", ".inf"),
    "9" * 5_000,
)
_STRANGE = (
    *("\0", "\ufeff", "\r", "\r\n", "\x85", "\u2028", "\u202e", "\u00a0", "\u200b", "\u0301", "é", "ß", "İ", "\ud800"),
    *("\ud83d", "\U0001f600", "\U000e0041", "\uffff", "\x1b[31m", "\x7f", "\t", "\x0c", "²", "\u0661"),
    *("`", "\\", "'", '"'),
)
_BYTES = (b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\0")
_WORDS = (
    *("none", "some", "true", "players", "original", "index", "{}", "[]", "~", "null", "yes", "<<", "&a", "*a"),
    *(
        "!!set",
        "|",
        ">",
        "?",
        "-",
        "#",
        "%",
        "@",
        "in",
        "is",
        "not",
        "..",
        "??",
        "?.",
        "match",
        "case",
        "player",
        "money",
        "int",
    ),
    *("set", "bool", "doc", "title", "extends", "includes", "self", "__class__", "import", "lambda", "def"),
    *("exec", "{0}", "%s", ": ", "int 0..6", "int -1..1", "once", "within", "costs", "until", "lead", "any of", "by"),
    *("best", "the", "reach", "cheapest", "ray", "roll", "choose", "return", "cost", "needs", "guard", "with", "when"),
    *("add", "take", "shuffle", "order", "hook", "wrap", "extend", "ask again", "continue", "leave", "together", "bag"),
    *("path(x from s to y in t once y within 3 until none)", "x to y in", "counts"),
    *(
        "trail(x from s to y in t once y within 3)",
        "longest(way in path(x from s to y in t within 3) worth 1)",
        "worth",
    ),
    *(
        "draft x by",
        "withdraw",
        "turns",
        "until all pass",
        "until all but 1 pass drops",
        "pass turn",
        "choose 2 of",
        "choose 0 .. 3 of",
    ),
    *("at most 3 deep", "at most 100 deep"),
    *(
        "subsets",
        "remove option",
        "order x by",
        "change option",
        "change procedure",
        "remove",
        "replace",
        "before",
        "after",
        "of",
        *BUILTINS,
    ),
    *("seats", "teams", "facts", "grid", "line", "hexes", "directions", "links", "spaces", "overlays", "product"),
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_AROUND = (("(", ")"), ("[", "]"), ("{", "}"), ("{a: ", "}"), ("not ", ""), ("-", ""), ("max(1, ", ")"))
_COUNTS = (2, 3, 10, 70, 300, 1_500, 6_000)
_STARTS = ("expr", "expr", "stmt", "option", "rules")


class Mutator:
    """A mutator of text inputs.

    Args:
        rng: the source of all random choices.
        others: inputs whose parts are inserted; the list may grow.
    """

    def __init__(self, rng: random.Random, others: Sequence[bytes]) -> None:
        self.rng = rng
        self.others = others
        self._texts: tuple[Callable[[str], str], ...] = (
            *(self._name, self._name, self._name, self._name, self._lines, self._words, self._words, self._block),
            *(self._block, self._group, self._group, self._number, self._number, self._generated, self._generated),
            *(self._strange, self._nested, self._repeated, self._ends),
        )

    def __call__(self, data: bytes) -> bytes:
        """A variation of an input with one to four mutations."""
        rng = self.rng
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            chance = rng.random()
            if data[:2] == b"\x1f\x8b":
                data = self._packed(data)
            elif chance < 0.05:
                data = self._bytes(data)
            elif chance < 0.5 and data.startswith((b"[", b"{")) and (changed := self._json(data)) is not None:
                data = changed
            else:
                text = data.decode("utf-8", "surrogateescape")
                data = rng.choice(self._texts)(text).encode("utf-8", rng.choice(("surrogatepass", "replace")))
            data = data[:MAX_BYTES]
        return data

    def _other(self) -> str:
        return self.rng.choice(self.others).decode("utf-8", "replace")

    # --- text ------------------------------------------------------------------------------------

    def _name(self, text: str) -> str:
        """A name or a symbol replaced by another one of its kind, which stays well-formed."""
        rng = self.rng
        if rng.random() < 0.3 and (signs := list(_SIGN.finditer(text))):
            result = rng.choice(signs)
            return text[: result.start()] + rng.choice(_SIGNS) + text[result.end() :]
        names = list(_NAME.finditer(text))
        if not names:
            return self._words(text)
        result = rng.choice(names)
        return text[: result.start()] + rng.choice(names).group() + text[result.end() :]

    def _lines(self, text: str) -> str:
        rng, lines = self.rng, text.split("\n")
        i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
        match rng.randrange(7):
            case 0:
                del lines[i]
            case 1:
                lines.insert(i, lines[j])
            case 2:
                lines[i], lines[j] = lines[j], lines[i]
            case 3:
                lines.insert(i, rng.choice(self._other().split("\n")))
            case 4:
                lines[i] = " " * rng.randrange(13) + lines[i].strip()
            case 5:
                lines[i : i + 2] = [" ".join(lines[i : i + 2])]
            case _:
                lines = lines[:i]
        return "\n".join(lines)

    def _words(self, text: str) -> str:
        rng, words = self.rng, _WORD.findall(text)
        solid = [i for i, w in enumerate(words) if w.strip()]
        if not solid:
            return text
        i, j = rng.choice(solid), rng.choice(solid)
        match rng.randrange(6):
            case 0:
                words[i] = ""
            case 1:
                words[i] = rng.choice(_WORDS)
            case 2:
                words[i], words[j] = words[j], words[i]
            case 3:
                words[i] = words[j]
            case 4:
                words[i] += rng.choice(("", " ")) + words[j]
            case _:
                words[i] = rng.choice([w for w in _WORD.findall(self._other()) if w.strip()] or ["x"])
        return "".join(words)

    def _block(self, text: str) -> str:
        """A line with its indented block removed, duplicated, moved, or copied over another one."""
        rng, lines = self.rng, text.split("\n")
        first, last = self._extent(lines)
        block = lines[first:last]
        match rng.randrange(4):
            case 0:
                del lines[first:last]
            case 1:
                lines[first:first] = block
            case 2:
                del lines[first:last]
                at = rng.randrange(len(lines) + 1)
                lines[at:at] = block
            case _:
                foreign = self._other().split("\n")
                start, end = self._extent(foreign)
                pad = _indent(lines[first]) - _indent(foreign[start])
                lines[first:last] = [" " * pad + f if pad > 0 else f[-pad:] for f in foreign[start:end]]
        return "\n".join(lines)

    def _extent(self, lines: list[str]) -> tuple[int, int]:
        first = self.rng.randrange(len(lines))
        last = first + 1
        while last < len(lines) and _indent(lines[last]) > _indent(lines[first]):
            last += 1
        return first, last

    def _group(self, text: str) -> str:
        """A bracketed group removed, emptied, duplicated, or copied over another one."""
        rng = self.rng
        groups = _groups(text)
        if not groups:
            return self._words(text)
        first, last = rng.choice(groups)
        group = text[first:last]
        other = rng.choice([text, self._other()])
        start, end = rng.choice(_groups(other) or [(0, 1)])
        rest = ("", group[0] + group[-1], group[1:-1], f"{group}, {group}", group * 2)
        return text[:first] + rng.choice((*rest, other[start:end], other[start:end])) + text[last:]

    def _number(self, text: str) -> str:
        numbers = list(_NUMBER.finditer(text))
        if not numbers:
            return self._words(text)
        result = self.rng.choice(numbers)
        new = str(self.rng.choice(_NUMBERS)) if self.rng.random() < 0.8 else self.rng.choice(_NUMBER_TEXTS)
        return text[: result.start()] + new + text[result.end() :]

    def _strange(self, text: str) -> str:
        at = self.rng.randrange(len(text) + 1)
        return text[:at] + self.rng.choice(_STRANGE) * self.rng.choice((1, 1, 1, 2, 1_000)) + text[at:]

    def _nested(self, text: str) -> str:
        """A part wrapped in many nested brackets, or a line repeated at increasing indentation."""
        rng, count = self.rng, self.rng.choice(_COUNTS)
        if rng.random() < 0.3:
            lines = text.split("\n")
            i = rng.randrange(len(lines))
            lines[i : i + 1] = [" " * rng.choice((1, 2, 4)) * k + lines[i] for k in range(min(count, 300))]
            return "\n".join(lines)
        words = [(m.start(), m.end()) for m in _WORD.finditer(text) if m.group().strip()]
        first, last = rng.choice([*_groups(text), *words] or [(0, 0)])
        opened, closed = rng.choice(_AROUND)
        return text[:first] + opened * count + text[first:last] + closed * count + text[last:]

    def _repeated(self, text: str) -> str:
        """A word, a group, a line or a block repeated many times; names in a row can be numbered."""
        rng, count = self.rng, self.rng.choice(_COUNTS)
        if rng.random() < 0.5:
            lines = text.split("\n")
            first, last = self._extent(lines)
            block = "\n".join(lines[first:last])
            before, after = "\n".join(lines[:first]), "\n".join(lines[last:])
            joint = "\n"
        else:
            words = [(m.start(), m.end()) for m in _WORD.finditer(text) if m.group().strip()]
            start, end = rng.choice([*_groups(text), *words] or [(0, 0)])
            before, block, after = text[:start], text[start:end], text[end:]
            joint = rng.choice((", ", " ", "", " + ", " and ", "."))
        names = _NAME.findall(block)
        count = min(count, MAX_BYTES // (len(block) + 8))
        if names and rng.random() < 0.6:
            name = re.compile(rf"\b{rng.choice(names)}\b")
            copies = [name.sub(lambda m, k=k: f"{m.group()}{k}", block) for k in range(count)]  # type: ignore[misc]
        else:
            copies = [block] * count
        return f"{before}{joint}{joint.join(copies)}{joint}{after}"

    def _generated(self, text: str) -> str:
        """A text generated from the grammar with existing names: an expression, a statement, an option, or items."""
        rng = self.rng
        writer = Writer(rng, [*(_NAME.findall(text) or ["x"]), *BUILTINS])
        start = rng.choice(_STARTS)
        new = writer.text(start, rng.randrange(2, 8))
        if start == "expr":
            words = [(m.start(), m.end()) for m in _WORD.finditer(text) if m.group().strip()]
            first, last = rng.choice([*_groups(text), *words] or [(0, 0)])
            return text[:first] + new + text[last:]
        lines = text.split("\n")
        at = rng.randrange(len(lines))
        pad = "" if start == "rules" else " " * (_indent(lines[at]) + rng.choice((0, 0, 0, 4)))
        lines[at : at + rng.randrange(2)] = [pad + line for line in new.split("\n")]
        return "\n".join(lines)

    def _ends(self, text: str) -> str:
        """Other line endings, another encoding, a truncated end, or an empty text."""
        match self.rng.randrange(6):
            case 0:
                return text.replace("\n", "\r\n")
            case 1:
                return text.replace("\n", self.rng.choice(("\r", "\x85", "\u2028", "\n\n", " \n", "\n\t")))
            case 2:
                return "\ufeff" + text
            case 3:
                return text.encode("utf-16", "replace").decode("latin-1")
            case 4:
                return text[: self.rng.randrange(len(text) + 1)]
            case _:
                return self.rng.choice(("", "\n", " ", "#", "---\n", text.rstrip("\n")))

    # --- other forms -----------------------------------------------------------------------------

    def _bytes(self, data: bytes) -> bytes:
        rng = self.rng
        at, size = rng.randrange(len(data) + 1), rng.choice((1, 1, 2, 8, 100))
        match rng.randrange(4):
            case 0:
                return data[:at] + data[at + size :]
            case 1:
                return data[:at] + rng.randbytes(size) + data[at + size :]
            case 2:
                return data[:at] + rng.choice(_BYTES) + data[at:]
            case _:
                return data[:at] + data[at : at + size] * rng.choice(_COUNTS) + data[at + size :]

    def _packed(self, data: bytes) -> bytes:
        """A gzip file with mutated content, mutated bytes, or a further member."""
        rng = self.rng
        try:
            inside = zlib.decompressobj(wbits=31).decompress(data, MAX_BYTES)
        except zlib.error:
            return self._bytes(data)
        match rng.randrange(5):
            case 0:
                return self._bytes(data)
            case 1:
                return data + data
            case 2:
                return gzip.compress(data, mtime=0)
            case 3:
                return gzip.compress(inside * 2 + b" " * rng.choice((0, 50_000_000)), mtime=0)
            case _:
                return gzip.compress(self(inside), mtime=0)

    def _json(self, data: bytes) -> bytes | None:
        """JSON, or lines of it, with a changed value; None if it is not JSON."""
        rng = self.rng
        lines = data.splitlines(keepends=True)
        at = rng.randrange(len(lines))
        try:
            value = json.loads(lines[at])
        except (ValueError, RecursionError):
            return None
        changed = _dumped(self._value(value))
        return b"".join([*lines[:at], changed + b"\n", *lines[at + 1 :]])

    def _value(self, value: Any) -> Any:
        """A value with one change, usually deep inside."""
        rng = self.rng
        if isinstance(value, str) and value[:1] in ("{", "[") and rng.random() < 0.9:
            try:
                return _dumped(self._value(json.loads(value))).decode("utf-8", "surrogatepass")
            except (ValueError, RecursionError):
                pass
        if isinstance(value, dict | list) and value and rng.random() < 0.85:
            key: Any = rng.choice(list(value)) if isinstance(value, dict) else rng.randrange(len(value))
            other = rng.choice(list(value.values() if isinstance(value, dict) else value))
            match rng.randrange(8):
                case 0:
                    del value[key]
                case 1 if isinstance(value, dict):
                    value[self._scalar()] = other
                case 1 if isinstance(value, list):
                    value.insert(key, other)
                case 2:
                    value[key] = other
                case _:
                    value[key] = self._value(value[key])
            return value
        plain = (self._scalar(), self._scalar(), rng.choice(_NUMBERS))
        return rng.choice((*plain, None, True, [], {}, [value], {"a": value}, 0.5))

    def _scalar(self) -> str:
        rng = self.rng
        known = rng.choice(_NAME.findall(self._other()) or ["x"])
        return rng.choice((rng.choice(_STRANGE), rng.choice(_WORDS), "x" * rng.choice(_COUNTS), known))


def _dumped(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _groups(text: str) -> list[tuple[int, int]]:
    """The pairs of matching brackets, as offsets."""
    result, stack = [], []
    for at, character in enumerate(text[:50_000]):
        if character in _OPEN:
            stack.append(at)
        elif character in _OPEN.values() and stack and _OPEN[text[stack[-1]]] == character:
            result.append((stack.pop(), at + 1))
    return result
