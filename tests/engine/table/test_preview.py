"""Previews of an option's consequences: everything the seat will see and can know, and nothing else."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from proofs import examples, proofs_but
from secret_games import DECIDED, HIDING, played, sabotaged, twins
from shipped import loaded
from tables import new_table, send, still_table, table_of
from takebacks import rules_of

from bench import previews as previews_beside
from bench.previews import PreviewTally, study
from rulespec.engine.game.ahead import Ahead
from rulespec.engine.game.game import Game, game_at, waiting
from rulespec.engine.table import preview as previews
from rulespec.engine.table.messages import Message, MessageRefusal
from rulespec.engine.table.preview import preview, why_no_option
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset

pytestmark = pytest.mark.usefixtures("known_rulesets")

OPEN = ["backgammon", "chess", "connect_four", "draughts", "imperial", "rails_1889", "tetrarchia"]
"""Games without secrets."""
HIDING = HIDING


@pytest.mark.parametrize("ref", OPEN)
@pytest.mark.sampled(2)
def test_where_nothing_is_hidden_a_preview_has_all_that_changes(ref: str) -> None:
    assert faults(study(ref, 12, 1, most=3)) == ([], [])


@pytest.mark.proof
@pytest.mark.parametrize("ref", [*OPEN, "imperial_2030"])
def test_where_nothing_is_hidden_200_previews_have_all_that_changes(ref: str) -> None:
    tally = study(ref, 200, 7)
    assert faults(tally) == ([], []) and not tally.until.get("hidden")
    if ref not in ("backgammon", "tetrarchia"):  # games with chance
        assert not tally.until.get("chance")


@pytest.mark.proof
@pytest.mark.parametrize(
    "ref, hides, most",
    [("imperial", False, 0.02), ("imperial", True, 0.02), ("shadow_of_the_emperor", False, 0.15)],
)
def test_few_previews_are_cut_off_by_what_is_hidden(ref: str, hides: bool, most: float) -> None:
    """With hidden cash, payments to others are invisible, and the rest is visible."""
    tally = study(ref, 200, 7, settings={"hide_cash": "true"} if hides else None)
    assert faults(tally) == ([], []) and tally.until.get("hidden", 0) <= most * tally.options


def faults(tally: PreviewTally) -> tuple[list[Any], list[Any]]:
    """The wrong previews, and the options with visible changes that have no words."""
    return tally.wrong, tally.undescribed


def positions(ref: str, seed: int, count: int) -> Iterator[Game]:
    """Positions of random games."""
    return previews_beside.positions(ref, count, seed)


def changes_of(words: Words, game: Game, option: str) -> list[str]:
    """The changes shown to the deciding seat after an option."""
    return previews_beside.Outcome(words, game, option).changes


CHANGES = previews._changes


@pytest.mark.proof  # 0.8 s
def test_a_preview_that_leaves_a_change_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews, "_changes", lambda *of: CHANGES(*of)[:-1])
    assert study("connect_four", 5, 1).wrong and study("backgammon", 12, 1).wrong


BETWEEN = Changes.between


def test_a_change_that_words_leave_out_everywhere_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Changes, "between", lambda *of: BETWEEN(*of)[1:])
    assert study("connect_four", 5, 1).wrong and study("backgammon", 12, 1).wrong


def test_a_change_that_is_drawn_and_has_no_words_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(previews_beside.Outcome, "described", [])
    assert study("connect_four", 5, 1).undescribed


@pytest.mark.parametrize("ref", proofs_but([*HIDING, "shadow_of_the_emperor"], "kuhn_poker", "liars_dice", "tutorial"))
def test_where_something_is_hidden_a_preview_has_nothing_else(ref: str) -> None:
    """A preview has the changes shown after the option: all of them, unless the preview reports an early end."""
    words, compared, cut, rng = Words(loaded(ref)[0]), 0, 0, random.Random(5)
    for seed in range(3):
        game = played(ref, seed, 60)
        while game.ply:
            game.undo()
            decision = game.decision
            if decision is None or decision.by is None or decision.together:
                continue
            option = str(rng.choice(list(game.legal_options)))
            result = preview(words, game, decision.by, option)
            assert isinstance(result, dict)
            expected = changes_of(words, game, option)
            if result.get("until") == "hidden":
                cut += 1
            else:
                assert result.get("changes", []) == expected, option
            compared += 1
    assert compared > 5 and cut < compared


@pytest.mark.parametrize("ref", DECIDED)
@pytest.mark.sampled(2)
def test_previews_are_the_same_where_games_look_the_same(ref: str) -> None:
    compared = 0
    for game, twin, seat in twins(ref, range(6), 20, asked=True):
        words = Words(game.ruleset)
        for option in own(game, seat):
            assert preview(words, game, seat, option) == preview(words, twin, seat, option)
            compared += 1
        assert reasons(game, seat) == reasons(twin, seat)
    assert compared > 3


def own(game: Game, seat: str) -> list[str]:
    table = table_of(game.copy())
    return [option["text"] for option in table.say(seat)["options"]] if table.game.ply == game.ply else []


def reasons(game: Game, seat: str) -> list[Any]:
    """The reasons for refusing every place."""
    names = game.omniscient.labels.names
    return [why_no_option(game, seat, f"{kind}.{name}") for kind, of in names.items() for name in of]


@pytest.mark.parametrize("ref", proofs_but(HIDING, "leduc_poker", "tutorial"))
def test_a_sabotaged_position_has_the_same_previews(ref: str) -> None:
    compared = 0
    for seed in range(examples(3, 6)):
        game, other = played(ref, seed, 40), played(ref, seed + 7, 49)
        base = game_at(game, game.omniscient.numbers.cells)
        for seat in waiting(game):
            twin = sabotaged(game, seat, other)
            for option in own(base, seat)[:10]:
                words = Words(game.ruleset)
                assert preview(words, base, seat, option) == preview(words, twin, seat, option)
                compared += twin.omniscient.numbers.cells != base.omniscient.numbers.cells
            assert reasons(base, seat) == reasons(twin, seat)
    assert compared


def blind(folder: Path) -> list[Any]:
    """The previews of a total that depends on information hidden from its player, for two values of it."""
    game = Game(rules_of(folder, secret=True), "AB")
    cells = list(game.omniscient.numbers.cells)
    at = next(n for n, c in enumerate(game.omniscient.program.cells) if c.name == "fate")
    twins = [game_at(game, [*cells[:at], value, *cells[at + 1 :]]) for value in (7, 3)]
    return [preview(Words(game.ruleset), twin, "A", "blind") for twin in twins]


def test_what_is_not_seen_ends_a_preview(tmp_path: Path) -> None:
    assert blind(tmp_path) == [{"option": "blind", "until": "hidden"}] * 2


def test_what_opens_by_the_option_is_not_known_before(tmp_path: Path) -> None:
    game = Game(rules_of(tmp_path, secret=True), "AB")
    answers = {text: preview(Words(game.ruleset), game, "A", text) for text in ("peek", "show", "keep(2)")}
    assert answers["peek"] == {"option": "peek", "changes": ["A looked: no → yes"], "until": "hidden"}
    assert answers["show"] == {"option": "show", "changes": ["A shows: no → yes"]}
    assert answers["keep(2)"] == {"option": "keep(2)", "changes": ["A card: 5 → 2"]}


def test_a_preview_that_reads_what_is_hidden_is_found(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(previews, "ahead", everything)
    monkeypatch.setattr(previews, "unseen_after", lambda game, of, seat: (frozenset(), False))
    one, other = blind(tmp_path)
    assert one != other and one["changes"] == ["tally: 0 → 7"]


def everything(game: Game, option: Any, seat: str) -> Ahead:
    """An option written without guarded reading."""
    twin, before = game.copy(), game.omniscient.numbers.cells
    twin.apply(option)
    return Ahead(before, twin.omniscient.numbers.cells, frozenset(), frozenset(), whole=True)


# --- at a table -----------------------------------------------------------------------------------


def ask(table: Any, viewer: str | None, **message: Any) -> dict[str, Any]:
    serial = table.say(viewer)["serial"]
    answer = table.preview(viewer, Message(**{"do": "preview", "serial": serial, **message}))
    result: dict[str, Any] = answer[message.get("do", "preview")]
    return result


def test_a_preview_changes_nothing() -> None:
    table = new_table("imperial", 3)
    seat = next(iter(table.say(None)["asked"]["waiting"]))
    before, aside = table.say(seat), table.aside
    for option in before["options"]:
        assert ask(table, seat, option=option["text"])["changes"]
    assert table.say(seat) == before and table.aside == aside and not table.played.moves


def test_who_is_asked_is_known_even_where_secrets_have_decided_it() -> None:
    """The variable of the current turn depends on cards that were in hands."""
    game, words, luck = Game(loaded("skat")[0], ["A", "B", "C"]), Words(loaded("skat")[0]), random.Random(5)
    asked = 0
    while asked < 12:
        if game.decision is not None and game.decision.name == "following" and game.decision.by is not None:
            asked += 1
            answer = preview(words, game, game.decision.by, str(next(iter(game.legal_options))))
            assert not isinstance(answer, MessageRefusal) and "→ trick" in answer["changes"][0]
        game.apply(luck.choice(list(game.legal_options)))


def test_a_hidden_tile_lies_at_no_place_that_all_see() -> None:
    """Whether a neighbour is occupied depends on all tiles, most of which are in the bag or in hands."""
    game, words, luck = Game(loaded("acquire")[0], ["A", "B", "C"]), Words(loaded("acquire")[0]), random.Random(5)
    asked = 0
    while asked < 8:
        if game.decision is not None and game.decision.name == "placing" and game.decision.by is not None:
            asked += 1
            answer = preview(words, game, game.decision.by, str(next(iter(game.legal_options))))
            assert not isinstance(answer, MessageRefusal) and "hand of " in answer["changes"][0]
        game.apply(luck.choice(list(game.legal_options)))


def test_a_purchase_is_known_up_to_the_tile_drawn_then() -> None:
    """The number of tiles in the bag is known, and the own hand."""
    results = previewed("acquire", "purchase", 8)
    assert {until for _, until in results} == {"chance"}
    assert any("share of" in change for changes, _ in results for change in changes)


def test_a_purchase_of_cards_is_known_up_to_the_cards_drawn_then() -> None:
    """The number of cards in the own deck is known, and only that."""
    assert {until for _, until in previewed("dominion", "purchase", 8)} == {"chance"}


def test_a_trick_is_known_to_its_end() -> None:
    """The cards on the table are seen by all, and who takes them."""
    results = previewed("skat", "following", 12)
    assert {until for _, until in results} == {""}
    assert any("→ tricks of" in change for changes, _ in results for change in changes)


def previewed(ref: str, decision: str, number: int) -> list[tuple[list[str], str]]:
    """The changes and ends of previews of some decisions in a random game."""
    game, words, luck = Game(loaded(ref)[0], ["A", "B", "C"]), Words(loaded(ref)[0]), random.Random(5)
    results = list[tuple[list[str], str]]()
    while len(results) < number:
        if game.decision is not None and game.decision.name == decision and game.decision.by is not None:
            answer = preview(words, game, game.decision.by, str(luck.choice(list(game.legal_options))))
            assert not isinstance(answer, MessageRefusal)
            results.append((answer.get("changes", []), answer.get("until", "")))
        game.apply(luck.choice(list(game.legal_options)))
    return results


def test_founding_a_chain_says_what_it_does() -> None:
    """The tiles that join a new chain are known: their places are public."""
    game, words, luck = Game(loaded("acquire")[0], ["A", "B", "C"]), Words(loaded("acquire")[0]), random.Random(5)
    asked = 0
    while asked < 5:
        if game.decision is not None and game.decision.name == "founding" and game.decision.by is not None:
            asked += 1
            answer = preview(words, game, game.decision.by, str(next(iter(game.legal_options))))
            assert not isinstance(answer, MessageRefusal)
            assert re.match(r"\w+: ", answer["changes"][0]) and " size: 0 → " in answer["changes"][-1]
        game.apply(luck.choice(list(game.legal_options)))


def test_variables_depend_on_secrets_only_where_they_follow_from_private_places() -> None:
    """The tiles that a new one joins are on the board; the useless tiles of other hands are hidden."""
    program, taint = (of := Game(loaded("acquire")[0], ["A", "B", "C"]).omniscient).program, of.visibility.taint
    notes = {(program.cells[at].owner, program.cells[at].name) for at in taint.notes}
    assert ("place", "new") not in notes and ("turn", "rest") in notes


def test_only_who_is_asked_gets_previews() -> None:
    table = new_table("nim", 2)
    assert len(ask(table, "A", option="take(1)")["changes"]) == 1
    for viewer, text in (("B", "take(1)"), (None, "take(1)"), ("A", "take(9)"), ("A", "nonsense"), ("A", "")):
        assert "changes" not in ask(table, viewer, option=text)
    assert "changes" not in ask(table, "A", option="take(1)", serial=-5)
    send(table, "A", do="take", option="take(1)")
    assert "changes" not in ask(table, "A", option="take(1)") and "changes" in ask(table, "B", option="take(1)")


def test_in_a_round_only_the_own_choice_is_previewed() -> None:
    table = new_table("wager", 3)
    for seat in "ABC":
        answer = ask(table, seat, option="bid(1)")
        assert answer["until"] in ("others", "hidden") and "changes" not in answer
    send(table, "A", do="take", option="bid(2)")
    assert "changes" not in ask(table, "B", option="bid(1)")


@pytest.mark.proof  # 1.0 s
def test_what_does_not_light_says_why() -> None:
    table = table_of(Game(load_ruleset("chess"), ["white", "black"]))
    for place in ("square.e5", "square.a1"):
        assert isinstance(ask(table, "white", do="why", place=place).get("reasons"), list)
    assert ask(table, "white", do="why", place="square.z9").get("reasons") == []
    assert ask(table, "black", do="why", place="square.e5").get("reasons") == []


def test_a_refused_place_names_its_rule() -> None:
    game = Game(load_ruleset("tutorial"), "AB")
    table = still_table(game)
    refusals = [reason for seat in "AB" for each in reasons(table.game, seat) for reason in each]
    assert all(isinstance(reason, MessageRefusal) and reason.text for reason in refusals)
