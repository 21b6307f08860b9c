"""Words that commands take in the place of a seat: no seat may be called like one of them."""

from __future__ import annotations

import unicodedata

from rulespec.diagnostics.diagnostic import shown

PUBLIC = "public"
"""In the place of a seat: what all seats see."""
TABLE = "table"
"""In the place of a seat: all of the game."""

MEANS = {PUBLIC: "what all seats see", TABLE: "all of the game"}
"""The words of `--for`, with what they show."""

HELP = "take another name, or a longer one"
"""The way out for a name that is reserved."""

IN_LANGUAGES = {
    "en": {PUBLIC: PUBLIC, TABLE: TABLE},
    "de": {PUBLIC: "öffentlich", TABLE: "Tisch"},
    "es": {PUBLIC: "público", TABLE: "mesa"},
}
"""The same words in the languages in which this program speaks."""


def reserved(name: str) -> str:
    """The word of `--for` that a name is, or would be taken for: in any language, letters, accents or blanks; or ""."""
    return _RESERVED.get(_bare(name), "")


def why_reserved(name: str) -> str:
    """The message for a reserved name of a seat; "" if the name is free."""
    if not (word := reserved(name)):
        return ""
    return f"{shown(name)} cannot be the name of a seat: where a seat is named, `{word}` means {MEANS[word]}"


def _bare(name: str) -> str:
    """A name without what is easily overlooked: capitals, accents, blanks, widths, signs that do not show."""
    letters = unicodedata.normalize("NFKD", name).casefold()
    return "".join(c for c in letters if unicodedata.category(c)[0] not in "MZC")


_RESERVED = {_bare(text): word for words in IN_LANGUAGES.values() for word, text in words.items()}
