"""Names that the page of a table has for options and for entities, whatever the position is."""

from __future__ import annotations

from shipped import loaded

from rulespec.engine.game.game import Game
from rulespec.serve.table_rules import TableRules


def test_an_option_that_words_have_no_name_for_has_none() -> None:
    """Buttons of chess were called `go` and `promote` as soon as a pawn could be promoted."""
    rules = TableRules(loaded("chess")[0])
    assert rules.option_names(Game(rules.ruleset, ["white", "black"])) == {}


def test_an_entity_whose_title_follows_from_the_state_has_the_name_of_its_kind() -> None:
    rules = TableRules(loaded("shadow_of_the_emperor")[0])
    titles = rules.titles(Game(rules.ruleset, "ABC"))
    assert {title for name, title in titles.items() if name.startswith("tile.")} == {"aristocrat"}
    assert titles["electorate.trier"] == "Trier"


def test_an_entity_whose_title_follows_from_facts_has_that() -> None:
    rules = TableRules(loaded("imperial")[0])
    titles = rules.titles(Game(rules.ruleset, "AB"))
    assert "4 million bond of France" in titles.values()
