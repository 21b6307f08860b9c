"""Helps and choices: sentences for who plays for the first time, and options as they are offered."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import small
from worlds import WORLD

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import seat_names
from rulespec.engine.words.helps import Help, helps
from rulespec.engine.words.missing import missing
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.valid_words import check_words
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

RULES = """
--- rules.yaml
rules:
  - {id: WLD-01, text: Who goes somewhere pays the tax.}
  - {id: WLD-02, text: Who stays is poor.}
--- rules/play.rules
procedure play():
    "WLD-02: one visit, one night."
    decide visit by first(player):
        option go(to in town):
            "WLD-01"
            set n to n + 1
        option stay:
            set few to 1
    decide sleep by first(player):
        option rest:
            set m to 1
    end game as harvest

def dear(t: town) -> int: t.tax + limit
def busy() -> int: n + 1
"""
TITLES = """
--- titles.yaml
options: {visit.go: "goes to {to}", visit.stay: stays}
choices: {visit.go: "Go to {to} ({to.tax})"}
help:
  town.oak: {title: The oak, text: "It costs {oak.tax} and {toll}, or {dear(oak)}.", rules: [WLD-01]}
  visit.go: You pay {toll}.
  cart.at: "[Nothing {0}]Carts stand there."
--- titles.de.yaml
help: {town.oak: "Sie kostet {oak.tax}."}
options: {visit.go: "geht nach {to}"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "small"


def game_of(folder: Path, titles: str = TITLES) -> Game:
    return Game(small(folder, RULES + WORLD + titles), ["Ann", "Bob"])


def faults(folder: Path, help_: str) -> list[tuple[str, str]]:
    ruleset = small(folder, RULES + WORLD + f"\n--- titles.yaml\nhelp:\n  {help_}\n")
    report = Report()
    check_words(ruleset, report)
    return [(d.code, f"{d.message} {d.help}") for d in report.diagnostics]


def test_a_help_has_a_title_a_sentence_with_numbers_of_the_rules_and_ids(folder: Path) -> None:
    game = game_of(folder)
    known = helps(Words(game.ruleset), game)
    assert known["town.oak"] == Help("The oak", "It costs 3 and 2, or 6.", ("WLD-01",))
    assert known["visit.go"] == Help("go", "You pay 2.")
    assert known["cart.at"] == Help("at town", "Carts stand there.")


def test_without_a_list_of_rules_it_is_the_docstring(folder: Path) -> None:
    rules = RULES.replace(RULES[RULES.index("--- rules.yaml") : RULES.index("--- rules/play")], "")
    ruleset = small(folder, rules + WORLD)
    assert helps(Words(ruleset), Game(ruleset, ["Ann", "Bob"]))["sleep"] == Help("sleep", "one visit, one night.")


def test_another_language_has_its_own_sentence_and_the_same_rules(folder: Path) -> None:
    game = game_of(folder)
    known = helps(Words(game.ruleset, "de"), game)
    assert known["town.oak"] == Help("oak", "Sie kostet 3.", ("WLD-01",))
    assert known["visit.go"].text == "You pay 2.", "without one, that of the ruleset's own language"


def test_a_decision_without_a_help_has_the_rules_that_it_cites(folder: Path) -> None:
    game = game_of(folder)
    known = helps(Words(game.ruleset), game)
    assert known["visit"] == Help("visit", "Who goes somewhere pays the tax.", ("WLD-01",))
    assert known["sleep"] == Help("sleep", "Who stays is poor.", ("WLD-02",)), "that of the procedure around it"


@pytest.mark.parametrize(
    "help_, code, what",
    [
        ("town.ok: x", "RS531", "town.oak"),
        ("vist: x", "RS531", "visit"),
        ("visit: {text: x, rules: [WLD-10]}", "RS585", "WLD-01"),
        ("visit: x {n}", "RS532", "changes in the course of a game"),
        ("visit: x {busy()}", "RS532", "changes in the course of a game"),
        ("visit: x {dear(first(player))}", "RS532", "dear"),
        ("visit: x {tol}", "RS532", "toll"),
        ("visit: x {zzzz}", "RS532", "the hole `zzzz` cannot be filled: nothing is called `zzzz` here use a name from"),
    ],
)
def test_a_help_is_about_something_and_says_what_does_not_change(
    folder: Path, help_: str, code: str, what: str
) -> None:
    [(own, message)] = faults(folder, help_)
    assert own == code and what in message


def test_titles_counts_helps_by_language(folder: Path) -> None:
    ruleset = game_of(folder).ruleset
    lacking, wanted = missing(ruleset, "de")
    assert {name for section, name in wanted if section == "help"} == {"town.oak", "visit.go", "cart.at"}
    assert {name for section, name in lacking if section == "help"} == {"visit.go", "cart.at"}
    assert not [key for key in missing(ruleset)[0] if key[0] == "help"]


def test_an_option_is_offered_in_the_imperative_and_told_as_a_sentence(folder: Path) -> None:
    game = game_of(folder)
    narrator = Narrator(Words(game.ruleset), game)
    go = game.parse("go(oak)")
    assert narrator.choice(go) == "Go to oak (3)" and narrator.move(go) == "Ann goes to oak"
    assert narrator.choice(game.parse("stay")) == "stays", "without a text of its own"
    german = Narrator(Words(game.ruleset, "de"), game)
    assert german.choice(go) == "geht nach oak", "rather the sentence than another language"
    assert Narrator(Words(game.ruleset, names="id"), game).choice(go) == "go(oak)"


def subjects(ref: str, prefix: str) -> set[str]:
    ruleset = load_ruleset(ref)
    if prefix in ruleset.kinds:
        return {f"{prefix}.{entity}" for entity in ruleset.kinds[prefix].index}
    return {f"{prefix}.{option}" for option in Words(ruleset).decisions.options["action"]}


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    "ref, prefix, number",
    [
        ("imperial", "space", 8),
        ("imperial_2030", "space", 8),
        ("imperial_asia", "space", 8),
        ("shadow_of_the_emperor", "action", 13),
        ("tetrarchia", "action", 8),
    ],
)
def test_the_shipped_helps_are_whole_in_each_language(ref: str, prefix: str, number: int) -> None:
    wanted = subjects(ref, prefix)
    assert len(wanted) == number
    ruleset = load_ruleset(ref)
    for language in Words(ruleset).languages:
        words = Words(ruleset, language)
        known = helps(words, Game(ruleset, seat_names(ruleset.players[0], ruleset.seats)))
        texts = {name: known[name] for name in wanted}
        assert all(each.text.endswith(".") and "?" not in each.text for each in texts.values())
        assert all(set(each.rules) <= set(ruleset.listed) and each.rules for each in texts.values())
        assert not [key for key in missing(ruleset, language)[0] if key[0] in ("help", "choices")], language


def test_words_with_a_mistake_in_a_help_are_refused(folder: Path) -> None:
    ruleset = small(folder, RULES + WORLD + "\n--- titles.yaml\nhelp: {nowhere: x}\n")
    with pytest.raises(DiagnosticsError):
        Words(ruleset)
