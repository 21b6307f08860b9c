"""The index of the language: each word, symbol, function and key, with the sections that explain it."""

from __future__ import annotations

import re
from collections import defaultdict

from docs_pages import anchor, blocks, headings, text
from folders import ROOT
from key_tables import FILES, key_names

from rulespec.language.builtins import BUILTINS
from rulespec.schemas import load_schema
from rulespec.syntax.keywords import WORDS

RULES = "docs/reference/rules.md"
TABLES = {
    **{name: f"`{name}.yaml`" for name in FILES},
    "overlay": "an overlay",
    "scenarios": "scenarios",
    "dialect": "dialects",
}
"""Schema → the end of the heading of its table, *Keys of …*."""

BY_HAND = {
    "Literals and names": "players",
    "Facts, state, piles, rows": "index .index .steps .ahead .space",
    "Tokens": "room .place .number",
    "Calls": " ".join(BUILTINS),
    "First and next": "next previous",
    "Rules of an overlay": "original",
    "Steps and rays": ".to",
    "Type": "int bool",
    "Reserved words": "top",
}
"""Section of the rules → words that its text explains although its grammar does not contain them."""

LINKS = {"map.yaml": ".at .ends .source .target", "boards.yaml": ".column .row .number", "Players": ".players"}
"""The same for sections about files."""

PUNCTUATION = {"(", ")", ",", ":"}
"""Symbols without a meaning of their own."""

_WORD = re.compile(r'"([a-z]+)"')
_SIGN = re.compile(r'"([^"\w\s]+)"')
_CHOICE = re.compile(r"/\\?\(?([a-z|]+)\)?\\b")


def grammar_words(grammar: str) -> set[str]:
    """The words in a piece of grammar."""
    return set(_WORD.findall(grammar)) | {word for choice in _CHOICE.findall(grammar) for word in choice.split("|")}


def signs(grammar: str) -> set[str]:
    """The meaningful symbols in a piece of grammar."""
    without_patterns = re.sub(r"(?<=: )/.*/$", "", grammar, flags=re.MULTILINE)
    return set(_SIGN.findall(without_patterns)) - PUNCTUATION


def entries() -> dict[str, list[str]]:
    """Word, symbol or key → links to the sections that explain it."""
    results: dict[str, list[str]] = defaultdict(list)

    def add(word: str, title: str, page: str, shown: str) -> None:
        link = f"[{shown}]({page}#{anchor(title)})"
        if link not in results[word]:
            results[word].append(link)

    for title, grammar in _grammars().items():
        for word in sorted(grammar_words(grammar) | signs(grammar)):
            add(word, title, "rules.md", title)
    for title, words in BY_HAND.items():
        for word in words.split():
            add(word, title, "rules.md", title)
    for title, words in LINKS.items():
        for word in words.split():
            add(word, title, "files.md", title)
    for name, end in TABLES.items():
        for word in key_names(name):
            add(word, f"Keys of {end}", "files.md", f"key of {end.strip('`')}")
    for word in load_schema("titles")["properties"]:
        add(word, "Words", "words.md", "key of titles.yaml")
    return results


def word_index() -> str:
    """The index in Markdown, grouped by first letter."""
    parts: dict[str, list[str]] = defaultdict(list)
    for word, links in sorted(entries().items(), key=lambda entry: (entry[0].strip("."), entry[0])):
        initial = word.strip(".")[:1].upper()
        shown = f"`` {word} ``" if "`" in word else f"`{word}`"
        parts[initial if initial.isalpha() else "Signs"].append(
            "* " + ",\n  ".join([f"{shown}: {links[0]}", *links[1:]])
        )
    order = sorted(parts, key=lambda part: (part != "Signs", part))
    return "\n".join(f"## {part}\n\n" + "\n".join(parts[part]) + "\n" for part in order)


def words_of_the_language() -> set[str]:
    """All words and symbols of the grammar, and all reserved words."""
    grammar = (ROOT / "rulespec" / "syntax" / "grammar.lark").read_text("utf-8")
    lines = "\n".join(line for line in grammar.splitlines() if not line.startswith(("_NL:", "//", "%")))
    return {*WORDS, *grammar_words(lines), *signs(lines)}


def _grammars() -> dict[str, str]:
    """Section of the rules → its grammar."""
    titles = {title: text(RULES).index(f"# {title}\n") for level, title in headings(RULES) if level in (2, 3)}
    results: dict[str, str] = {}
    starts = [(text(RULES).count("\n", 0, at) + 1, title) for title, at in titles.items()]
    for block in blocks(RULES):
        if block.language == "lark":
            title = max((line, title) for line, title in starts if line < block.line)[1]
            results[title] = results.get(title, "") + block.body
    return results
