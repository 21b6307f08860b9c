"""House rules in the form that a newcomer guesses: an option removed, another order, the set-up of a new piece."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import diagnostics, split, write
from click.testing import CliRunner
from proofs import proofs_but
from worlds import listed, take

from rulespec.cli.main import cli
from rulespec.diagnostics.diagnostic import Severity
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset

EIGHT = {
    "imperial factories stand": ("", "remove option destroy of destruction\n"),
    "imperial the weakest first": (
        "add: {kinds.nation.state.moves: {type: int}}",
        "change procedure rounds: order m by m.moves, m.power\n"
        "change procedure turn: before choose_space(n, g): set n.moves to n.moves + 1\n",
    ),
    "imperial fortresses": (
        "add:\n  pieces.fort: {each: [nation], places: {supply: {}, at: {index: region}}}\n"
        "  setup.pieces.fort.supply: 2\n  constants.fort_price: 3 money",
        "extend decision construction:\n"
        "    option fortify(site in region where site.home == n):\n"
        "        cost fort_price from n.treasury to bank\n"
        '        cost 1 of fort[n] from supply to at[site] "House rule: no fort left"\n'
        "        pass\n",
    ),
    "imperial eight units": (
        "",
        'change option army of purchase: require units_of(n) < 8 "House rule: eight units are enough"\n',
    ),
    "tetrarchia savings": (
        "",
        "change procedure turn: replace set purse to turn_points with set purse to turn_points + min(2, purse)\n",
    ),
    "shadow_of_the_emperor alms": (
        "",
        "wrap procedure income():\n    original()\n"
        "    for p in player where not any(a in realm where elector(a) == p):\n        earn(p, 2 thaler)\n",
    ),
    "backgammon five on a point": (
        "",
        "wrap def can(p: player, s: point, d: int) -> bool:\n"
        "    original(p, s, d) and (s.index < d or man[p].at[way.space(s.index + 1 - d)] < 5)\n",
    ),
    "chess king of the hill": (
        "",
        "wrap procedure moved(c: side, a: square, b: square):\n    original(c, a, b)\n"
        "    if b in {d4, e4, d5, e5} and b in on(c, king):\n        end game as hill won by {c}\n",
    ),
}
"""Game and idea → what the overlay changes of the facts, and its rules."""


@pytest.mark.parametrize("idea", proofs_but(EIGHT, *(idea for idea in EIGHT if not idea.startswith("imperial"))))
@pytest.mark.sampled(2)
def test_eight_house_rules_are_sound_as_first_written(idea: str, tmp_path: Path) -> None:
    game, facts, rules = idea.partition(" ")[0], *EIGHT[idea]
    (tmp_path / "own.yaml").write_text(f'id: own\ntitle: Own\nfor: {game}\nversion: "1"\n{facts}\n', "utf-8")
    (tmp_path / "own.rules").write_text(rules, "utf-8")
    path = f"{game}+{tmp_path / 'own.yaml'}"
    assert [d for d in diagnostics(path) if d.severity is Severity.ERROR] == []
    assert load_ruleset(path).hash != load_ruleset(game).hash


RULES = """
procedure play():
    repeat:
        for p in player:
            turn(p)

procedure turn(p: player):
    "R-01: a turn at the well."
    decide act by p:
        with n in 1 .. 2:
            option draw_water:
                set p.cash to p.cash + n
        option rest: pass
        include quarrels
    let t = first(x in town) ?? oak
    set p.seen to t

options quarrels:
    option shout: set p.cash to 0
--- kinds.yaml
kinds:
  player: {state: {cash: {type: int}, seen: {type: town, start: elm}}}
  town: {facts: {size: int}, entities: {oak: {size: 3}, elm: {size: 2}}}
pieces:
  boat: {each: [], places: {dock: {}, at: {index: town}}}
setup:
  pieces: {boat.dock: 2}
--- titles.yaml
options: {act.rest: "sleeps under a tree"}
"""
HEAD = 'id: {0}\ntitle: T\nfor: small\nversion: "1"\n{1}\n'


def over(folder: Path, *overlays: str) -> str:
    """The reference of the ruleset with overlays, each its facts, and its rules after `---`."""
    files = split(RULES, "rules/play.rules")
    kinds, _, setup = files["kinds.yaml"].partition("setup:")
    files["kinds.yaml"], files["setup.yaml"] = kinds, f"setup:{setup}"
    names = "abc"[: len(overlays)]
    for name, text in zip(names, overlays, strict=True):
        facts, _, rules = text.partition("---")
        files[f"variants/{name}.yaml"] = HEAD.format(name, facts)
        files[f"variants/{name}.rules"] = f"{rules}\n"
    return "+".join([str(write(folder / "g", files)), *names])


def errors(ref: str) -> list[tuple[str, str]]:
    return [(d.code, d.help) for d in diagnostics(ref) if d.severity is Severity.ERROR]


def test_a_removed_option_is_gone_wherever_it_was_offered(tmp_path: Path) -> None:
    every = listed(Game(load_ruleset(over(tmp_path)), ["A"]))
    assert every == ["draw_water(1)", "draw_water(2)", "rest", "shout"]
    game = Game(load_ruleset(over(tmp_path, "---remove option draw_water of act")), ["A"])
    assert listed(game) == ["rest", "shout"]
    game = Game(load_ruleset(over(tmp_path, "---remove option shout of quarrels\nremove option rest of act")), ["A"])
    assert listed(game) == every[:2]


def test_the_last_option_of_a_decision_stays(tmp_path: Path) -> None:
    rules = "---remove option rest of act\nremove option draw_water of act\nremove option shout of quarrels"
    assert [(code, "extend decision" in help_) for code, help_ in errors(over(tmp_path, rules))] == [("RS350", True)]


WRONG = {
    "---remove option shout of act": ("RS509", "`shout` is an option of `quarrels`"),
    "---remove option rst of act": ("RS509", "did you mean `rest`?"),
    "---remove option rest": ("RS131", "of"),
    "---change procedure play: order q by q.cash": ("RS351", "name the variable of a loop: `p`"),
    "---change procedure turn: order p by p.cash": ("RS351", "name the variable of a loop: `x`"),
    "---change option rest of act: order x by x.size": ("RS351", "name the rule that contains the loop"),
    "---change procedure play: order p from p": ("RS221", ""),
    "---change procedure turn: order x by x.sise": ("RS225", "did you mean `size`?"),
    "changes: {setup.pieces.raft_of_logs.shore: 1}---": ("RS503", "put new values under `add`"),
    "add: {setup.pieces: {boat.dock: 3}}---": ("RS508", "move it to `changes`"),
    "add: {setup.pieces.bat.at: {elm: 1}}---": ("RS221", "did you mean `boat.at`?"),
}
"""Mistakes → the code, and a part of the way out."""


@pytest.mark.parametrize("text", WRONG)
def test_a_mistake_has_a_way_out(text: str, tmp_path: Path) -> None:
    code, way_out = WRONG[text]
    reported = errors(over(tmp_path, text))
    assert [each for each in reported if each[0] == code and way_out in each[1]], reported


def test_loops_take_their_members_in_another_order(tmp_path: Path) -> None:
    game = Game(load_ruleset(over(tmp_path, "---change procedure turn: order x by x.size")), ["A"])
    take(game, "rest")
    assert game.omniscient.value("A.seen") == "elm"
    game = Game(load_ruleset(over(tmp_path, "---change procedure play: order p by -p.index")), ["A", "B"])
    assert game.decision is not None and game.decision.by == "B"
    game = Game(load_ruleset(over(tmp_path, "---change procedure play: order p after first(player)")), ["A", "B"])
    assert game.decision is not None and game.decision.by == "B"


def test_what_cannot_both_hold_is_a_conflict(tmp_path: Path) -> None:
    gone = "---remove option rest of act"
    assert errors(over(tmp_path, gone, gone)) == []
    assert [c for c, _ in errors(over(tmp_path, gone, "---change option rest of act: require p.cash > 0"))] == ["RS505"]
    by = "---change procedure play: order p by {}"
    assert [c for c, _ in errors(over(tmp_path, by.format("p.cash"), by.format("p.index")))] == ["RS505"]
    assert errors(over(tmp_path, by.format("p.cash"), by.format("p.cash"))) == []


@pytest.mark.parametrize(
    "line",
    [
        "setup.pieces.raft.dock: 2",
        "setup.pieces.raft: {dock: 2}",
        "setup.pieces: {raft.dock: 2}",
        "setup.pieces: {raft: {dock: 2}}",
    ],
)
def test_a_new_piece_is_set_up_in_the_line_that_one_guesses(line: str, tmp_path: Path) -> None:
    facts = f"add:\n  pieces.raft: {{each: [], places: {{dock: {{}}, at: {{index: town}}}}}}\n  {line}"
    rules = (
        "---extend decision act:\n    option sail(t in town):\n        cost 1 of raft from dock to at[t]\n        pass"
    )
    game = Game(load_ruleset(over(tmp_path, facts + rules)), ["A"])
    assert game.omniscient.value("raft.dock") == "2"
    assert game.omniscient.value("boat.dock") == "2"


def test_explain_finds_rules_by_the_words_of_a_table(tmp_path: Path) -> None:
    ref = over(tmp_path, "---remove option draw_water of act\nchange procedure play: order p by p.cash")
    for word, expected in {
        "well": "procedure `turn`",
        "tree": "option `rest` of `act`",
        "quarrel": "options `quarrels`",
        "boats": "no option or rule",
    }.items():
        printed = CliRunner().invoke(cli, ["explain", ref, word]).output
        assert expected in printed, printed
    assert "for p in player by p.cash:  # a" in CliRunner().invoke(cli, ["explain", ref, "play"]).output
    assert "a removes: option draw_water:" in CliRunner().invoke(cli, ["explain", ref, "turn"]).output


@pytest.mark.parametrize(
    "ref, decision, hint",
    [
        ("connect_four", "drop", "extend its decision: `drop` is an option of `turn`"),
        ("connect_four", "zzzzzz", "name a decision of the ruleset: `turn`"),
        ("ludo", "mvoe", "did you mean `move`?"),
    ],
)
def test_a_decision_to_extend_that_is_not_there_has_a_way_out(
    tmp_path: Path, ref: str, decision: str, hint: str
) -> None:
    (tmp_path / "house.yaml").write_text(f'id: house\ntitle: House\nfor: {ref}\nversion: "0.1"\n')
    (tmp_path / "house.rules").write_text(f"extend decision {decision}:\n    option wait:\n        pass\n")
    with pytest.raises(DiagnosticsError) as error:
        load_ruleset(f"{ref}+{tmp_path / 'house.yaml'}")
    assert [(d.code, d.help) for d in error.value.diagnostics] == [("RS509", hint)]
