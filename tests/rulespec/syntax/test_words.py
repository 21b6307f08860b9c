"""Words of the language are refused as names where they would be in the way, and nowhere else."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset
from rulespec.syntax.keywords import BEGIN_STATEMENTS, NO_DECLARATIONS, NO_DEFINITIONS, NO_NAMES, NO_PROCEDURES, WORDS
from rulespec.syntax.parser import parse_rules

WRITTEN = {
    "a variable": ("procedure a():\n    let {0} = 1\n    set {0} to {0} + ({0} if {0} > 1 else {0})\n", NO_NAMES),
    "an argument": ("procedure a({0}: town):\n    for b in {0}.near where b == {0}:\n        f({0})\n", NO_NAMES),
    "a definition": ("def {0}() -> int: 1\ndef a() -> int: {0}() + 1\n", NO_DEFINITIONS),
    "a procedure": (
        "procedure {0}():\n    pass\nprocedure a():\n    if 1 == 1:\n        {0}()\n    {0}()\n",
        NO_PROCEDURES,
    ),
    "a unit": ("def a() -> {0}: 1 {0}\ndef b() -> {0}: (2 {0} if 1 == 1 else sum(3 {0} for c in d))\n", WORDS),
}


@pytest.mark.parametrize("what", WRITTEN)
def test_a_name_that_the_parser_would_mistake_is_refused(what: str) -> None:
    text, refused = WRITTEN[what]
    mistaken = set()
    for word in WORDS:
        try:
            parse_rules(text.format(word), "a.rules")
        except DiagnosticsError:
            mistaken.add(word)
    assert mistaken <= refused


def codes(folder: Path, rules: str, game: str = GAME) -> list[str]:
    report = Report()
    try:
        load_ruleset(str(write(folder, {"game.yaml": game, "rules/play.rules": rules})), report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return [d.code for d in report.diagnostics if "is a reserved word" in d.message]


@pytest.mark.parametrize("word", sorted(WORDS))
@pytest.mark.sampled(20)
def test_words_are_refused_at_the_declaration(word: str, tmp_path: Path) -> None:
    procedure, definition, declared = (
        f"procedure {word}():\n    pass\n",
        f"def {word}() -> int: 1\n",
        "procedure play():\n    end game\n",
    )
    assert bool(codes(tmp_path / "1", procedure)) is (word in NO_PROCEDURES or word in NO_NAMES)
    assert bool(codes(tmp_path / "2", definition)) is (word in NO_DEFINITIONS)
    setting = f"{GAME}settings: {{{word}: {{default: true}}}}\n"
    assert bool(codes(tmp_path / "4", declared, setting)) is (word in NO_DECLARATIONS)
    if word not in ("false", "true"):  # in YAML they are no names
        assert codes(tmp_path / "5", declared, GAME.replace("money", word)) == ["RS223"]


def test_words_that_begin_a_statement_are_free_otherwise() -> None:
    parse_rules("".join(f"def {word}({word}: int) -> int: {word}\n" for word in BEGIN_STATEMENTS), "a.rules")
