"""Ideas of people as overlays: a few lines each, sound over each edition or refused, and each comes out otherwise.

They lie in tests/fixtures/houses, with a scenario that their base fails.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations
from pathlib import Path

import pytest
from folders import TESTS

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.yaml_nodes import get, text
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.engine.game.game import Game
from rulespec.engine.program.draws import Draws
from rulespec.engine.simulate.checked_playouts import choose
from rulespec.engine.verify.scenario_files import suite_scenarios
from rulespec.engine.verify.scenario_run import run_scenario
from rulespec.load import load_ruleset
from rulespec.references import find_ruleset
from rulespec.typed.nodes import Ruleset

HOUSES = TESTS / "fixtures" / "houses"
FOR = {file.stem: text(get(parse_yaml(file.read_text("utf-8"), file.name), "for")) for file in HOUSES.glob("*.yaml")}
IMPERIAL = sorted(name for name, base in FOR.items() if base == "imperial")
EDITIONS = ("imperial+playimperial", "imperial+first_edition", "imperial_2030")
HEAD = ("id:", "title:", "doc:", "for:", "version:")
PHASE = {"war_bonds"}
"""Ideas with a question of their own, which take up to ten lines."""
VACUOUS = {"no_bond_no_tax"}
"""Ideas that no game shows: a government has a bond, so some interest is always due."""
REFUSED = {
    ("imperial+playimperial", "banks_first"): "the procedure `investor_steps`",  # governments change at each purchase
    ("imperial+playimperial", "strong_banks"): "the procedure `advance`",  # the treasury is asked before a bank is
    ("imperial+first_edition", "strong_banks"): "the procedure `advance`",  # there are no Swiss Banks
}
"""Edition and idea that do not match → what the edition has replaced."""


def ref(base: str, *names: str) -> str:
    return "+".join([base, *(str(HOUSES / f"{name}.yaml") for name in names)])


@cache
def loaded(reference: str) -> Ruleset | tuple[Diagnostic, ...]:
    try:
        return load_ruleset(reference, Report())
    except DiagnosticsError as error:
        return error.diagnostics


def ruleset(reference: str) -> Ruleset:
    result = loaded(reference)
    assert isinstance(result, Ruleset), result
    return result


def lines(file: Path) -> list[str]:
    """The lines of a file that say something, beside its head."""
    written = file.read_text("utf-8").splitlines() if file.exists() else []
    return [line for line in written if line.strip() and not line.startswith(HEAD)]


@pytest.mark.parametrize("name", FOR)
def test_a_house_rule_is_as_long_as_its_idea(name: str) -> None:
    written = lines(HOUSES / f"{name}.yaml") + lines(HOUSES / f"{name}.rules")
    assert len(written) <= (10 if name in PHASE else 6)


@pytest.mark.parametrize("name", FOR)
@pytest.mark.sampled(1)
def test_it_comes_out_otherwise(name: str) -> None:
    house, base = ruleset(ref(FOR[name], name)), ruleset(FOR[name])
    scenarios = list(suite_scenarios(house, Report()))
    assert scenarios
    for scenario in scenarios:
        assert run_scenario(house, scenario) == ()
        assert run_scenario(base, scenario) != ()


def play(rules: Ruleset, seed: int, decisions: int) -> list[str]:
    """The decisions of a random game."""
    game, draws, results = Game(rules, ["Ann", "Bob", "Cid"]), Draws(seed), list[str]()
    while not game.is_over and len(results) < decisions:
        option = choose(game, draws)
        assert option is not None
        game.apply(option)
        results.append(str(option))
    return results


@pytest.mark.proof  # 0.8 s
@pytest.mark.parametrize("name", sorted(VACUOUS))
def test_what_no_game_shows_leaves_all_games_as_they_are(name: str) -> None:
    house, base = ruleset(ref(FOR[name], name)), ruleset(FOR[name])
    for seed in range(3):
        assert play(house, seed, 400) == play(base, seed, 400)


@pytest.mark.proof  # 0.2 s a case
@pytest.mark.parametrize("name", IMPERIAL)
@pytest.mark.parametrize("base", EDITIONS)
@pytest.mark.sampled(2)
def test_it_goes_with_every_edition_or_says_why_not(base: str, name: str) -> None:
    result = loaded(ref(base, name))
    if (base, name) not in REFUSED:
        assert isinstance(result, Ruleset), result
        return
    assert not isinstance(result, Ruleset)
    (error,) = result
    assert error.code == "RS519" and REFUSED[base, name] in error.message
    assert error.span is not None and error.span.file.endswith(f"{name}.rules")
    assert error.notes[0].span.file.endswith((f"{base.partition('+')[2]}.rules", "playimperial_rules.rules"))


@pytest.mark.proof  # 1.2 s
@pytest.mark.parametrize("one, other", list(combinations(IMPERIAL, 2)))
def test_two_go_together_in_either_order(one: str, other: str) -> None:
    first, second = ruleset(ref("imperial", one, other)), ruleset(ref("imperial", other, one))
    assert first.hash == second.hash
    assert first.hash not in {ruleset(ref("imperial", name)).hash for name in (one, other)}


@pytest.mark.proof
def test_all_of_them_go_together() -> None:
    rules = ruleset(ref("imperial", *IMPERIAL))
    assert rules.hash == ruleset(ref("imperial", *reversed(IMPERIAL))).hash
    assert len(play(rules, 1, 60)) == 60


LIBRARY = [
    *(f"imperial+{name}" for name in ("one_million", "bonus_from_treasury", "rondel_2030", "no_thirties")),
    *(f"imperial+{name}" for name in ("no_investor_card", "end_at_30", "no_gifts")),
    "imperial_2030+bonus_for_increases",
]
"""Variants that people play, or that were proposed."""


@pytest.mark.parametrize("reference", LIBRARY)
@pytest.mark.sampled(1)
def test_a_variant_of_the_library_has_a_source_and_a_scenario_that_its_base_fails(reference: str) -> None:
    base, _, name = reference.partition("+")
    file = find_ruleset(base) / "variants" / f"{name}.yaml"
    node = parse_yaml(file.read_text("utf-8"), file.name)
    assert text(get(node, "source")) and text(get(node, "certainty")) in ("published", "reported", "proposed")
    scenarios = [s for s in suite_scenarios(ruleset(reference), Report()) if f"scenarios/{name}/" in s.span.file]
    assert scenarios
    assert all(run_scenario(ruleset(reference), s) == () for s in scenarios)
    assert any(run_scenario(ruleset(base), s) != () for s in scenarios)
