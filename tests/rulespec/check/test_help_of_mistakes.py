"""Mistakes of which the message names the way out."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import GAME, write

from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset

KINDS = """
kinds:
  colour: {entities: {yellow: {}, green: {}}}
  phase: {entities: {first_one: {}, last_one: {}}}
  town:
    facts: {colour: colour}
    state: {built: {type: bool}, at: {type: phase, start: first_one}}
    entities: {oak: {colour: green}}
state:
  now: {type: phase, start: first_one}
  lap: {type: int 0..3}
"""


def said(folder: Path, body: str, kinds: str = KINDS) -> str:
    rules = "procedure play():\n    " + body.replace("\n", "\n    ") + "\n"
    files = {"game.yaml": GAME, "kinds.yaml": kinds, "rules/play.rules": rules}
    with pytest.raises(DiagnosticsError) as error:
        load_ruleset(str(write(folder, files)))
    return "\n".join(f"{d.code} {d.message} | {d.help}" for d in error.value.diagnostics)


@pytest.mark.parametrize("condition", ["oak.colour <= now", "now > oak", "town < now"])
def test_entities_of_one_kind_alone_are_in_order(condition: str, tmp_path: Path) -> None:
    expected = "of one kind" if "town" not in condition else "cannot be compared"
    assert expected in said(tmp_path, f"if {condition}:\n    end game")


def test_what_is_no_entity_has_no_such_help(tmp_path: Path) -> None:
    assert "of one kind" not in said(tmp_path, "if oak.colour <= 1:\n    end game")


@pytest.mark.parametrize("value", ["town.built", "town.colour == green", "town.at == last_one"])
def test_a_kind_is_not_one_of_its_entities(value: str, tmp_path: Path) -> None:
    name = value.split(".")[1].split(" ")[0]
    assert f"name the entity, `x.{name}`: it is implied only in the `start` of a field of `town`" in said(
        tmp_path, f"if {value}:\n    end game"
    )


def test_a_start_knows_the_entity_of_its_own_kind_alone(tmp_path: Path) -> None:
    kinds = KINDS.replace(
        "  now: {type: phase, start: first_one}",
        '  now: {type: phase, start: "last_one if town.colour == green else first_one"}',
    )
    assert "it is implied only in the `start` of a field of `town` and in setup.yaml" in said(
        tmp_path, "end game", kinds
    )


@pytest.mark.parametrize(
    "head", ["match now:\n    case first_one:\n        ", "if lap > 1:\n    ", "for t in town:\n    "]
)
def test_a_description_begins_its_block(head: str, tmp_path: Path) -> None:
    indent = " " * (len(head) - len(head.rstrip(" ")))
    assert "move a description to the first line of its block, or write `# …`" in said(
        tmp_path, f'{head}set lap to 1\n{indent}"A text."\n{indent}end game'
    )


def test_what_is_hidden_from_everybody_says_so_with_an_empty_set(tmp_path: Path) -> None:
    kinds = KINDS.replace("entities: {oak", "places: {deck: {private: true}}\n    entities: {oak")
    assert 'or nobody for a face-down deck: `private: {to: "{}"}`' in said(tmp_path, "end game", kinds)


def test_the_entity_of_an_index_is_not_its_kind(tmp_path: Path) -> None:
    kinds = (
        KINDS + 'pieces:\n  coin: {places: {hand: {index: player, private: {to: "{q in player where q != player}"}}}}\n'
    )
    assert "call a definition for others, `def others(p: player)" in said(tmp_path, "end game", kinds)


@pytest.mark.parametrize(
    "body", ["let n = lap + 1\n    + 2", "if lap == 0\n        and now == last_one:\n    end game"]
)
def test_an_expression_goes_on_in_the_next_line_within_brackets(body: str, tmp_path: Path) -> None:
    assert "put the whole expression in brackets, so that it may continue on the next line" in said(tmp_path, body)


def test_a_block_that_nothing_opens_needs_no_brackets(tmp_path: Path) -> None:
    assert "which opens no block" in said(tmp_path, "set lap to 1\n    end game")


def test_a_comma_between_braces_ends_a_text(tmp_path: Path) -> None:
    kinds = KINDS.replace("{colour: green}", "{colour: green, title: An oak, or two}")
    assert "RS215 `or two` cannot be a key in `kinds.town.entities.oak` | put the value of `title` in quotes" in said(
        tmp_path, "end game", kinds
    )
    (tmp_path / "rules.yaml").write_text("rules: [{id: ABC-01, text: An oak, then two}]\n", "utf-8")
    assert "RS211 unknown key `then two` in `rules[1]` | put the value of `text` in quotes" in said(
        tmp_path, "end game"
    )
    (tmp_path / "rules.yaml").write_text("rules: [{id: ABC-01, texts: An oak}]\n", "utf-8")
    assert "did you mean `text`?" in said(tmp_path, "end game")


def test_a_side_has_the_name_of_its_first_space(tmp_path: Path) -> None:
    ways = "{n: [0, 1], e: [1, 0], s: [0, -1], w: [-1, 0]}"
    board = f"boards: {{field: {{grid: {{columns: a..b, rows: 1..2}}, directions: {ways}, sides: fence}}}}\n"
    kinds = KINDS + "  open: {type: fence, start: a1_e}\n"
    write(tmp_path, {"boards.yaml": board})
    assert "write `a1_e`: a side is named after the first of its two spaces" in said(
        tmp_path, "set open to b1_w\nend game", kinds
    )


def test_a_file_of_changes_is_no_ruleset(tmp_path: Path) -> None:
    path = tmp_path / "dear.yaml"
    path.write_text('id: dear\ntitle: Dear\nfor: fair\nversion: "1.0"\n', "utf-8")
    with pytest.raises(DiagnosticsError) as error:
        load_ruleset(str(path))
    assert f"`RULESET+{path}`" in error.value.diagnostics[0].help


def test_calls_that_the_state_ends_may_be_accepted(tmp_path: Path) -> None:
    rules = """\
procedure play():
    spread(oak)
    end game

procedure spread(t: town) at most 9 deep:
    if not t.built:
        set t.built to true
        for n in town:
            spread(n)
"""
    towns = "".join(f", oak_{n}: {{colour: green}}" for n in range(30))
    kinds = KINDS.replace("oak: {colour: green}", "oak: {colour: green}" + towns)
    report = Report()
    load_ruleset(str(write(tmp_path, {"game.yaml": GAME, "kinds.yaml": kinds, "rules/play.rules": rules})), report)
    (help_,) = [d.help for d in report.diagnostics if d.code == "RS422"]
    assert "if the state ends the calls sooner" in help_ and "`# accept: RS422 each place once`" in help_
