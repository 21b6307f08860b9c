"""Escaping of untrusted text for display: it cannot move the cursor, hide or reorder text, or end the line."""

from __future__ import annotations

import unicodedata

# Cc control, Cf format (bidi overrides, zero-width marks), Cs surrogates, Zl and Zp line and paragraph separators.
_HARMFUL = frozenset(["Cc", "Cf", "Cs", "Zl", "Zp"])
# Letters that terminals display as blanks.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u3164\uffa0")


def escaped(text: str) -> str:
    r"""The text on one line, with an escape such as `\x1b` for each character that is not plainly printable."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if _is_harmless(c) else c.encode("unicode_escape").decode() for c in text)


def no_command(line: str) -> str:
    """The line without commands to CI runners: GitHub executes a leading `::`, and `##[` anywhere."""
    if "##[" in line:
        line = line.replace("##[", "#\\x23[")
    begin = line.lstrip()
    if begin.startswith("::") and not begin.startswith(":::"):  # that is an arrow of our own
        line = line.replace(":", "\\x3a", 1)
    return line


def _is_harmless(char: str) -> bool:
    return unicodedata.category(char) not in _HARMFUL and char not in _INVISIBLE
