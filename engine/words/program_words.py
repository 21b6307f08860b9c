"""The program's own words, such as `after 3 decisions`, in one file per language: `languages/de.json`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct

from rulespec.engine.words.template import Filled, Template, fill, holes, parse_template

ENGLISH = "en"
_FOLDER = Path(__file__).parent / "languages"
_NAME = re.compile(r"[a-z]{2,3}")


class Word(Struct, frozen=True):
    """A word, with its singular if that differs."""

    other: Template
    one: Template | None = None

    def filled(self, number: int | None, values: Mapping[str, str]) -> str:
        """The word with its holes filled; `number` fills the hole `number`, and selects singular or plural."""
        known = dict(values) if number is None else {**values, "number": str(number)}
        parts = self.one if number == 1 and self.one is not None else self.other
        return fill(parts, lambda hole: Filled(known.get(hole, hole))).text

    def holes(self) -> list[str]:
        """The names of the word's holes."""
        return [hole.text for hole in holes(self.other)]


@cache
def program_words(language: str) -> Mapping[str, Word]:
    """The words of a language by name; empty if it has no file. `de-AT` falls back to `de`."""
    name = language.partition("-")[0]
    file = _FOLDER / f"{name}.json"
    if not _NAME.fullmatch(name) or not file.is_file():
        return {}
    texts = json.loads(file.read_text("utf-8"))
    return {key: _word(text) if isinstance(text, str) else _word(**text) for key, text in texts.items()}


def _word(other: str, one: str | None = None) -> Word:
    return Word(parse_template(other), None if one is None else parse_template(one))


def english(name: str, number: int | None = None, /, **values: str) -> str:
    """One of the program's own words in English, with its holes filled."""
    return program_words(ENGLISH)[name].filled(number, values)
