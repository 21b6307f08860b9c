"""Words for rulesets and positions: titles, sentences, changes, in several languages."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cases import small
from folders import ROOT
from limits import soon
from worlds import WORLD

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.option import TakenBack
from rulespec.engine.replay.replay import replay_log
from rulespec.engine.words.changes import Changes
from rulespec.engine.words.check import TextCheck
from rulespec.engine.words.missing import missing
from rulespec.engine.words.moves import Moves
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.program_words import program_words
from rulespec.engine.words.titles import Titles, read_titles
from rulespec.engine.words.valid_words import check_words, fitting_titles
from rulespec.engine.words.words import Words
from rulespec.load import load_ruleset
from rulespec.typed import nodes as typed

RULES = """
--- rules/play.rules
procedure play():
    for t in {oak, elm}:
        errand(t, first(player))
    roll weather(k in 1 .. 2)
    end game as harvest

def price(t: town) -> money:
    1 money * t.tax

procedure errand(t: town, p: player):
    let cheap = t.tax < 4
    decide visit by p:
        option go(to in town, with_good in good):
            pay price(to) from bank to p.cash
            set to.owner to p
            set n to n + 1
        option stay:
            set few to 1
        option shout(q in player, k in 1 .. 3) by q:
            set m to k
"""
TITLES = """
--- titles.yaml
language: en
actor: t
actors: {weather: none}
internal: [few]
entities:
  town: {oak: Oakley, elm: Elm Grove}
  ware: "{ware.good} of {ware.town}"
fields: {town.owner: squire, n: rounds}
units: {money: {count: number, one: a penny, other: "{number} pence"}}
decisions: {visit: "where {t} sends"}
options:
  visit.go: "goes to {to} with {with_good}[ for {price(to)}][ before {to.twin}][, cheaply {cheap}]"
  visit.shout: {count: k, one: shouts, other: "shouts {k} times"}
  weather.weather: "{k} suns shine"
endings: {harvest: the harvest is in}
--- titles.de.yaml
entities: {town: {oak: Eichheim}}
options:
  visit.go: "geht nach {to} mit {with_good}"
words: {none: niemand, chance: Zufall}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "small"


def game_of(folder: Path, titles: str = TITLES) -> Game:
    return Game(small(folder, RULES + WORLD + titles), ["Ann", "Bob"])


def texts(game: Game, narrator: Narrator) -> list[str]:
    return [narrator.option(option) for option in game.legal_options]


def test_titles_are_those_of_the_files_else_of_the_declaration_else_the_id(folder: Path) -> None:
    words = Words(game_of(folder).ruleset)
    assert words.titles("town", ()) == ("Oakley", "Elm Grove", "ash", "fir")
    assert words.field("town", "owner") == "squire" and words.field("town", "mark") == "mark"
    assert words.ending("harvest") == "the harvest is in"
    assert Words(load_ruleset("imperial"), "de").measure("treasury") == "Staatskasse"
    assert [words.amount(n, "money") for n in (0, 1, 2)] == ["0 pence", "a penny", "2 pence"]
    assert words.titles("claim", ("Ann", "Bob"))[:2] == ("Ann corn", "Ann salt")


def test_an_option_is_a_text_with_its_arguments_and_values_of_the_rules(folder: Path) -> None:
    game = game_of(folder)
    narrator = Narrator(Words(game.ruleset), game)
    assert (
        narrator.option(game.parse("go(oak, corn)")) == "goes to Oakley with corn for 3 pence before ash, cheaply yes"
    )
    assert narrator.option(game.parse("go(elm, salt)")) == "goes to Elm Grove with salt for 5 pence, cheaply yes"
    assert narrator.option(game.parse("stay")) == "stay"
    assert [narrator.option(game.parse(f"shout(Bob, {k})")) for k in (1, 2)] == ["shouts", "shouts 2 times"]


def test_a_sentence_names_the_seat_and_what_it_acts_for(folder: Path) -> None:
    game = game_of(folder)
    narrator = Narrator(Words(game.ruleset), game)
    assert game.decision is not None and narrator.decision(game.decision) == "where Oakley sends"
    assert narrator.move(game.parse("stay")) == "Oakley (Ann): stay"
    game.apply(game.parse("stay"))
    assert narrator.move(game.parse("go(oak, corn)")).startswith("Elm Grove (Ann) goes to Oakley")
    assert narrator.move(game.parse("shout(Bob, 1)")) == "Bob shouts"
    game.apply(game.parse("stay"))
    assert narrator.move(game.parse("weather(2)")) == "2 suns shine"


def test_another_language_says_what_it_can_and_leaves_the_rest_to_the_first(folder: Path) -> None:
    game = game_of(folder)
    words = Words(game.ruleset, "de")
    narrator = Narrator(words, game)
    assert words.languages == ["en", "de"]
    assert narrator.option(game.parse("go(oak, corn)")) == "geht nach Eichheim mit corn"
    assert narrator.option(game.parse("shout(Bob, 1)")) == "shouts"
    assert words.title("town", 1, ()) == "Elm Grove"
    with pytest.raises(DiagnosticsError) as error:
        Words(game.ruleset, "fr")
    assert "choose one of `en`, `de`" in error.value.diagnostics[0].help
    with pytest.raises(DiagnosticsError):
        Words(game.ruleset, "../../titles")


def test_ids_are_shown_where_they_are_asked_for(folder: Path) -> None:
    game = game_of(folder)
    narrator = Narrator(Words(game.ruleset, names="id"), game)
    assert narrator.option(game.parse("go(oak, corn)")) == "go(oak, corn)"
    assert narrator.move(game.parse("stay")) == "oak (Ann): stay"


def test_changes_are_told_without_what_only_the_rules_need(folder: Path) -> None:
    game = game_of(folder)
    changes = Changes(Narrator(Words(game.ruleset), game))
    before = changes.snapshot()
    game.apply(game.parse("go(oak, corn)"))
    notes = [change.text for change in changes.since(before)]
    assert notes == ["Oakley squire: Ann", "Ann cash: 10 → 13 pence", "rounds: 0 → 1"]  # no `bank`: it is unlimited
    before = changes.snapshot()
    game.apply(game.parse("stay"))
    assert changes.since(before) == []


def test_titles_with_the_names_of_many_tables_are_not_remembered_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    words = Words(load_ruleset("nim"))
    monkeypatch.setattr("rulespec.engine.words.words._MAX_TITLES", 3)
    for number in range(9):
        assert words.titles("player", {"A": f"Ann {number}", "B": "Bob"}) == (f"Ann {number}", "Bob")
    assert len(words._titles) == 3


def test_the_state_has_titles_and_nothing_internal(folder: Path) -> None:
    game = game_of(folder)
    state = Changes(Narrator(Words(game.ruleset), game)).state()
    assert state["entities"]["town"]["Oakley"]["squire"] is None
    assert "few" not in state["entities"]["game"][""] and "bank" not in state["entities"]["game"][""]


def test_what_has_no_words_is_listed(folder: Path) -> None:
    ruleset = game_of(folder).ruleset
    lacking, total = missing(ruleset, "de")
    assert ("entities", "town.elm") in lacking and ("entities", "town.oak") not in lacking
    assert ("fields", "few") not in lacking and ("options", "visit.stay") in lacking and len(lacking) < len(total)
    assert ("entities", "town.ash") not in missing(ruleset)[0]


def test_words_are_asked_for_what_people_see_parts_of_combinations_too(tmp_path: Path) -> None:
    ruleset = small(
        tmp_path,
        """
--- rules/play.rules
procedure play():
    decide step by first(player):
        option go:
            pass
--- kinds.yaml
kinds:
  plate: {entities: {p1: {}}}
  rank: {entities: {r1: {}}}
  suit: {entities: {spade: {}}}
  town: {state: {seal: {type: "plate?"}}, entities: {oak: {}}}
  share: {product: [town, rank], state: {size: {type: int}}}
  card: {product: [town, suit], state: {size: {type: int}}}
--- titles.yaml
internal: [town.seal]
entities: {card: "{card.suit}"}
--- titles.de.yaml
title: Klein
""",
    )
    asked = missing(ruleset, "de")[0]
    assert ("entities", "rank.r1") in asked
    assert ("entities", "plate.p1") not in asked
    assert ("each", "card") in asked and ("entities", "suit.spade") not in asked


@pytest.mark.parametrize(
    "titles, code, what",
    [
        ("options: {visit.goo: x}", "RS531", "did you mean `visit.go`"),
        ("entities: {town: {oke: x}}", "RS531", "town.oke"),
        ("fields: {town.ownr: x}", "RS531", "did you mean `town.owner`"),
        ("internal: [fw]", "RS531", "did you mean `few`"),
        ("actors: {visits: t}", "RS531", "did you mean `visit`"),
        ('options: {visit.go: "to {wiht_good}"}', "RS532", "did you mean `with_good`"),
        ('options: {visit.go: "{price(with_good)}"}', "RS532", "price"),
        ('options: {weather.weather: "{cheap}"}', "RS532", "cheap"),
        ('units: {money: "{numbr}"}', "RS532", "did you mean `number`"),
        ('fields: {n: "{m}"}', "", ""),
        ("boards: {twn: x}", "RS531", "did you mean `town`"),
        ('words: {over: "{ending} {winer}"}', "RS532", "did you mean `winners`"),
        ("actor: n", "RS532", "the actor must be an entity"),
        ("options: {visit.go: {count: to, one: a, other: b}}", "RS532", "only a number can choose"),
        ('options: {visit.go: "{to"}', "RS533", "not closed"),
    ],
)
def test_a_mistake_is_told_with_its_place(folder: Path, titles: str, code: str, what: str) -> None:
    ruleset = game_of(folder, f"--- titles.yaml\n{titles}\n").ruleset
    if not code:
        assert Words(ruleset).field("", "n") == "{m}"  # a plain text has no holes
        return
    with pytest.raises(DiagnosticsError) as error:
        Words(ruleset)
    (diagnostic,) = error.value.diagnostics
    assert diagnostic.code == code and what in diagnostic.message + diagnostic.help
    assert diagnostic.span is not None and diagnostic.span.file.endswith("titles.yaml")


def test_what_a_higher_layer_takes_out_is_passed_over_below_it(folder: Path, checks: list[str]) -> None:
    game_of(folder)
    (folder / "variants").mkdir()
    (folder / "variants" / "quiet.yaml").write_text('id: quiet\ntitle: Quiet\nfor: small\nversion: "1"\n', "utf-8")
    (folder / "variants" / "quiet.rules").write_text(
        "replace procedure errand(t: town, p: player):\n    decide visit by p:\n        option rest:\n"
        "            pay price(t) from bank to p.cash\n",
        "utf-8",
    )
    titles = folder / "variants" / "titles"
    titles.mkdir()
    (titles / "quiet.yaml").write_text('options: {visit.rest: "rests in {t}"}\nunits: {money: "{number} d"}\n', "utf-8")
    ruleset = load_ruleset(f"{folder}+quiet")
    game = Game(ruleset, ["Ann", "Bob"])
    for _ in range(2):  # checked, and from the cache
        words = Words(ruleset)
        assert Narrator(words, game).move(game.legal_options[0]) == "Oakley (Ann) rests in Oakley"
        assert words.amount(2, "money") == "2 d"
        assert words.text("options", "visit.go") is None
    assert checks == ["small+quiet"]


# --- checked once ---------------------------------------------------------------------------------


@pytest.fixture
def checks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The references whose texts are checked, starting with an empty cache."""
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    results: list[str] = []
    first = TextCheck.__init__

    def checked(self: TextCheck, ruleset: typed.Ruleset, own: Titles, report: Report) -> None:
        results.append(ruleset.ref)
        first(self, ruleset, own, report)

    monkeypatch.setattr(TextCheck, "__init__", checked)
    return results


def test_the_same_texts_are_checked_once(folder: Path, checks: list[str]) -> None:
    game = game_of(folder)
    check_words(game.ruleset, Report())
    assert checks == ["small", "small"]  # the ruleset's own, and German
    for language, oak in ("en", "Oakley"), ("de", "Eichheim"):
        narrator = Narrator(Words(game.ruleset, language), game)
        assert narrator.move(game.parse("stay")) == f"{oak} (Ann): stay"
    assert len(checks) == 2
    game_of(folder, TITLES.replace("Eichheim", "Eichdorf"))
    assert Words(game.ruleset, "de").title("town", 0, ()) == "Eichdorf"
    game_of(folder, TITLES.replace("{price(to)}", "{to.tax}"))
    assert "for 3 before ash" in Narrator(Words(game.ruleset), game).option(game.parse("go(oak, corn)"))
    assert len(checks) == 4
    ruleset = small(folder, RULES.replace("cheap", "dear") + WORLD)
    for _ in range(2):  # other rules have other texts
        with pytest.raises(DiagnosticsError, match="cheap"):
            Words(ruleset)
    assert len(checks) == 6


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("ref", ["imperial", "imperial+playimperial", "tetrarchia", "shadow_of_the_emperor"])
def test_what_fits_is_the_same_from_the_cache(ref: str, checks: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ruleset = load_ruleset(ref)
    with monkeypatch.context() as patch:
        patch.setenv("RULESPEC_CACHE", "")
        plain = [fitting(ruleset, language) for language in Words(ruleset).languages]
    assert [fitting(ruleset, language) for language in Words(ruleset).languages] == plain
    number = len(checks)
    assert [fitting(ruleset, language) for language in Words(ruleset).languages] == plain
    assert len(checks) == number


def fitting(ruleset: typed.Ruleset, language: str) -> Titles:
    own = read_titles(ruleset, "", Report())
    titles = own if language == own.language else read_titles(ruleset, language, Report())
    return fitting_titles(ruleset, titles, own, Report())


# --- whole games ----------------------------------------------------------------------------------


@pytest.mark.proof
def test_a_recorded_game_is_told_move_by_move() -> None:
    result = replay_log(ROOT / "games" / "imperial" / "logs" / "quickstart.jsonl")
    notes = list(Moves(Words(result.game.ruleset), result.game, result.moves))
    assert [move.number for move in notes] == list(range(1, 113))
    assert notes[5].text == "Austria-Hungary (Claudia) imports a fleet to Trieste, pays 1 million"
    assert [change.text for change in notes[5].changes] == [
        "fleet of Austria-Hungary: supply → Trieste",
        "Austria-Hungary treasury: 2 → 1 million",
    ]
    assert notes[10].actor is None and notes[10].text.startswith("Daniel buys the 4 million bond of")


def test_what_was_taken_back_is_a_move(folder: Path) -> None:
    game = game_of(folder)
    first = game.apply(game.parse("go(oak, corn)"))
    game.undo()
    second = game.apply(game.parse("stay"))
    notes = list(Moves(Words(game.ruleset), game, [first, TakenBack(1), second]))
    assert [(move.number, move.ply, move.back) for move in notes] == [(1, 1, 0), (2, 0, 1), (3, 1, 0)]
    assert "Oakley squire: Ann → nobody" in [change.text for change in notes[1].changes]


# --- strangers' files ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "titles, code",
    [
        ("options: {visit.stay: " + "x" * 501 + "}", "RS217"),
        ("fields: {" + ", ".join(f"f{i}: x" for i in range(2_001)) + "}", "RS217"),
        ("entities: {town: {oak: " + "x" * 1_100_000 + "}}", "RS103"),
        ('options: {visit.stay: "' + "{a}" * 100 + '"}', "RS533"),
        ('options: {visit.stay: "' + "{ " + "{" * 400 + '"}', "RS533"),
        ('options: {visit.stay: "{(' + "(" * 80 + '}"}', "RS532"),
        ("language: ../../etc", "RS215"),
        ("options: [visit.stay]", "RS213"),
    ],
)
@pytest.mark.sampled(2)
def test_a_hostile_file_is_refused_soon(folder: Path, titles: str, code: str) -> None:
    ruleset = game_of(folder, f"--- titles.yaml\n{titles}\n").ruleset
    with soon(), pytest.raises(DiagnosticsError) as error:
        Words(ruleset)
    assert code in {d.code for d in error.value.diagnostics}
    assert len(error.value.diagnostics) < 10


def test_a_text_that_names_itself_comes_to_an_end(folder: Path) -> None:
    titles = '--- titles.yaml\nentities: {town: "{town} near {town.near}"}\n'
    game = game_of(folder, titles)
    note = Narrator(Words(game.ruleset), game).entity("town", 0)
    assert note.startswith("oak near") or "near" in note
    assert len(note) <= 2_000


@pytest.mark.proof  # 0.9 s
@pytest.mark.parametrize(
    "log",
    [
        "imperial/logs/quickstart.jsonl",
        "tetrarchia/logs/random-3p.jsonl",
        "shadow_of_the_emperor/logs/random-3p.jsonl",
    ],
)
@pytest.mark.sampled(1)
def test_both_backends_tell_the_same_and_know_every_hole(log: str) -> None:
    notes = []
    for backend in ("python", "interpreter"):
        result = replay_log(ROOT / "games" / log, until=120, backend=backend)
        notes.append(list(Moves(Words(result.game.ruleset), result.game, result.moves)))
    assert notes[0] == notes[1]
    assert not [move.text for move in notes[0] if "?" in move.text]


def test_the_program_speaks_each_language_that_it_knows_whole() -> None:
    spoken = {name: program_words(name) for name in ("en", "de", "es")}
    for words in spoken.values():
        assert list(words) == list(spoken["en"])
        for name, word in words.items():
            assert sorted(word.holes()) == sorted(spoken["en"][name].holes()), name
            assert (word.one is None) == (spoken["en"][name].one is None), name
    assert program_words("de-AT") == spoken["de"] and not program_words("fr") and not program_words("../de")


def test_the_schema_of_titles_lists_the_words_of_the_program() -> None:
    schema = json.loads((ROOT / "rulespec/schemas/titles.schema.json").read_text("utf-8"))
    assert list(schema["properties"]["words"]["properties"]) == list(program_words("en"))


def test_words_of_the_program_are_of_the_language_else_of_the_ruleset_else_english(folder: Path) -> None:
    german = Words(game_of(folder).ruleset, "de")
    assert german.word("none") == "niemand" and german.word("yes") == "ja"
    assert [german.word("decisions", n) for n in (1, 2)] == ["1 Entscheidung", "2 Entscheidungen"]
    assert Words(german.ruleset, "de", names="id").word("none") == "keine"
    assert Words(german.ruleset).word("goes_on", actor="Ann", decision="visit") == "goes on: Ann: visit"


def test_a_ruleset_says_the_words_of_a_language_that_the_program_does_not_know(folder: Path) -> None:
    french = """
--- titles.fr.yaml
words: {over: "{ending} après {decisions}", decisions: {one: 1 choix, other: "{number} choix"}, won: gagné}
"""
    words = Words(game_of(folder, TITLES + french).ruleset, "fr")
    assert words.word("over", ending="fin", decisions=words.word("decisions", 1), winners="Ann") == "fin après 1 choix"
    assert words.word("lost") == "lost" and ("words", "lost") in missing(words.ruleset, "fr")[0]


def test_titles_of_measures_boards_and_the_picture_have_languages(folder: Path) -> None:
    german = Words(load_ruleset("imperial"), "de")
    assert german.measure("treasury") == "Staatskasse" and "endete" in german.measure_doc("score")
    assert german.board("tax_space", "Tax revenue") == "Steuereinnahmen" and german.picture("A map").startswith("Eine")
    english = Words(german.ruleset)
    assert english.board("tax_space", "Tax revenue") == "Tax revenue" and english.picture("A map") == "A map"
