"""CSV files in place of rows: the same ruleset as from YAML, and faults at their cells."""

from __future__ import annotations

from pathlib import Path

import pytest
from cases import diagnostics, small
from limits import soon

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.load import load_ruleset

RULES = """
procedure play():
    for p in player:
        decide buy by p:
            option take(c in card where c.price <= 3):
                set p.score to p.score + c.price / 1 money + turned[c, 1]
    end game as over

scoring p in player:
    score p.score + fee[2]
"""
BY_YAML = """
--- kinds.yaml
kinds:
  suit: {entities: {sun: {}, moon: {}}}
  card:
    facts: {price: money, kind: "suit?", of: set suit, wild: bool}
    entities:
      ace: {title: "Ace, the \\"first\\"", price: 1, kind: sun, of: [sun, moon], wild: true}
      two: {price: 2, of: [moon], wild: false}
      three: {title: "Yes", price: 3, kind: moon, of: [], wild: false}
  player: {state: {score: {type: int}}}
--- tables.yaml
tables:
  fee: {key: int, value: int, rows: {1: 10, 2: 20 + 1}}
  turned: {key: [card, int], value: int, rows: {ace: {0: 1, 1: 2}, two: {0: 3, 1: 4}, three: {0: 5, 1: 6}}}
--- boards.yaml
boards:
  cell:
    grid: {columns: a..b, rows: 1..2}
    directions: {up: [0, 1]}
    facts: {price: money}
    spaces: {a1: {price: 1}, b1: {price: 2}, a2: {price: 3}, b2: {price: 4}}
--- tracks.yaml
tracks:
  wheel: {ring: stop, facts: {worth: int}, spaces: {first_stop: {worth: 1}, second_stop: {worth: 2}}}
"""
BY_CSV = '''
--- kinds.yaml
kinds:
  suit: {entities: {csv: suits.csv}}
  card:
    facts: {price: money, kind: "suit?", of: set suit, wild: bool}
    entities: {csv: lists/cards.csv}
  player: {state: {score: {type: int}}}
--- suits.csv
name
sun
moon
--- lists/cards.csv
name,title,price,kind,of,wild

ace,"Ace, the ""first""",1,sun,sun moon,true
two,,2,,moon,false
three,"Yes",3,moon,"",false
--- tables.yaml
tables:
  fee: {key: int, value: int, rows: {csv: fees.csv}}
  turned: {key: [card, int], value: int, rows: {csv: turned.csv}}
--- fees.csv
key,value
1,10
2,20 + 1
--- turned.csv
card,0,1
ace,1,2
two, 3 ,4
three,5,6
--- boards.yaml
boards:
  cell:
    grid: {columns: a..b, rows: 1..2}
    directions: {up: [0, 1]}
    facts: {price: money}
    spaces: {csv: cells.csv}
--- cells.csv
name,price
a1,1
b1,2
a2,3
b2,4
--- tracks.yaml
tracks:
  wheel: {ring: stop, facts: {worth: int}, spaces: {csv: stops.csv}}
--- stops.csv
name,worth
first_stop,1
second_stop,2
'''


def test_a_ruleset_is_the_same_from_yaml_and_from_csv(tmp_path: Path) -> None:
    one, other = small(tmp_path / "small", RULES + BY_YAML), small(tmp_path / "other" / "small", RULES + BY_CSV)
    assert one.hash == other.hash and one.sources_hash != other.sources_hash
    card = other.kinds["card"]
    assert [e.title for e in card.entities] == ['Ace, the "first"', "two", "Yes"]
    assert card.facts["of"].values == [3, 2, 0] and card.facts["kind"].values == [0, -1, 1]


def test_line_ends_and_marks_of_other_programs_change_nothing(tmp_path: Path) -> None:
    small(tmp_path / "small", RULES + BY_CSV)
    file = tmp_path / "small" / "lists" / "cards.csv"
    before = load_ruleset(str(tmp_path / "small")).hash
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n"))
    assert load_ruleset(str(tmp_path / "small")).hash == before


def test_a_change_of_the_file_is_seen(tmp_path: Path) -> None:
    before = small(tmp_path / "small", RULES + BY_CSV)
    file = tmp_path / "small" / "lists" / "cards.csv"
    file.write_text(file.read_text("utf-8").replace("two,,2", "two,,5"), "utf-8")
    after = load_ruleset(str(tmp_path / "small"))
    assert after.hash != before.hash and after.kinds["card"].facts["price"].values == [1, 5, 3]


MAP = """
--- map.yaml
map:
  kind: region
  facts: {wealth: int}
  links: {road: either_end}
  regions: {csv: regions.csv}
--- regions.csv
name,wealth,road,position
north,3,south,0 -5
south,4,,10 20
"""


def test_regions_of_a_map(tmp_path: Path) -> None:
    ruleset = small(tmp_path / "small", RULES.replace("fee[2]", "fee[2] + north.wealth") + BY_CSV + MAP)
    assert ruleset.kinds["region"].facts["wealth"].values == [3, 4]
    assert ruleset.kinds["region"].facts["road"].values == [2, 1]
    assert [entity.position for entity in ruleset.kinds["region"].entities] == [(0, -5), (10, 20)]


OVERLAY = """
--- variants/dear.yaml
id: dear
title: Dear cards
version: "1.0"
for: small
changes:
  kinds.card.entities.two.price: 3
"""


def test_an_overlay_changes_a_row(tmp_path: Path) -> None:
    small(tmp_path / "small", RULES + BY_CSV + OVERLAY)
    ruleset = load_ruleset(f"{tmp_path / 'small'}+dear")
    assert ruleset.kinds["card"].facts["price"].values == [1, 3, 3]


@pytest.mark.parametrize(
    "before, after, place, code, message",
    [
        ("two,,2,,moon,false", "two,,2,,moon", "lists/cards.csv:4:1", "RS744", "this row has 5 cells, but the first"),
        ("two,,2,", "two,,2,,", "lists/cards.csv:4:1", "RS744", "this row has 7 cells"),
        ("two,,2", "two,,x", "lists/cards.csv:4:6", "RS", ""),
        (",moon,false", ",mond,false", "lists/cards.csv:4:9", "RS", "mond"),
        ("two,,2,,moon,false", "two,,2,,moon,no", "lists/cards.csv:4:14", "RS121", "no"),
        ("two,,2", "two,,2.5", "lists/cards.csv:4:6", "RS122", "2.5"),
        ('"Ace, the ""first"""', '"Ace, the "first"', "lists/cards.csv:3:5", "RS744", "the quotes in this cell"),
        ("two,,2", "ace,,2", "lists/cards.csv:4:1", "RS744", "`ace` occurs twice"),
        ("title,price,kind", "title,cost,kind", "lists/cards.csv:1:12", "RS225", "cost"),
        ("price,kind,of,wild\n", "price,price,of,wild\n", "lists/cards.csv:1:18", "RS744", "`price` occurs twice"),
        ("two, 3 ,4", "tow, 3 ,4", "turned.csv:3:1", "RS", "tow"),
        ("two,,2,", ",,2,", "lists/cards.csv:4:1", "RS744", "a name is missing here"),
        ("card,0,1\nace,1,2\ntwo, 3 ,4\nthree,5,6", "card\nace\ntwo\nthree", "turned.csv:1:1", "RS744", "2 keys"),
        ("two, 3 ,4", "ace, 3 ,4", "turned.csv:3:6", "RS744", "occurs twice"),
        (
            "key,value\n1,10\n2,20 + 1",
            "key,value,more\n1,10,\n2,20 + 1,",
            "fees.csv:1:1",
            "RS744",
            "a table with one key must have two columns",
        ),
        ("name,worth\nfirst_stop,1", "name;worth\nfirst_stop;1", "stops.csv:1:1", "RS744", "separates cells by `;`"),
        ("csv: stops.csv", "csv: ../stops.csv", "tracks.yaml:2:", "RS744", "is not a valid name for a CSV file"),
        ("csv: stops.csv", "csv: Stops.CSV", "tracks.yaml:2:", "RS744", "is not a valid name for a CSV file"),
        ("csv: stops.csv", "csv: steps.csv", "tracks.yaml:2:", "RS", ""),
        (
            "{csv: stops.csv}",
            "{csv: stops.csv, last_stop: {worth: 3}}",
            "tracks.yaml:2:",
            "RS744",
            "must be the only entry",
        ),
    ],
)
def test_faults_are_at_their_cells(
    before: str, after: str, place: str, code: str, message: str, tmp_path: Path
) -> None:
    text = RULES + BY_CSV
    assert text.count(before) == 1
    files = text.replace(before, after)
    with pytest.raises(DiagnosticsError):
        small(tmp_path / "small", files)
    faults = diagnostics(str(tmp_path / "small"))
    assert any(place in str(d.span) and d.code.startswith(code) and message in d.message for d in faults), faults
    assert all(d.help for d in faults if d.code == "RS744")


def test_a_cell_of_blanks_is_read_in_bounded_time(tmp_path: Path) -> None:
    text = (RULES + BY_CSV).replace("sun\nmoon\n", f'sun\nmoon\n{" " * 300_000}"x\n', 1)
    with soon(), pytest.raises(DiagnosticsError):
        small(tmp_path / "small", text)
    assert [d.code for d in diagnostics(str(tmp_path / "small"))] == ["RS744"]


def test_a_large_file_is_read_in_bounded_time(tmp_path: Path) -> None:
    rows = "".join(f'c{i},"{"x" * 20}","y""y"\n' for i in range(2_500))
    kinds = "--- kinds.yaml\nkinds: {card: {entities: {csv: cards.csv}}}\n"
    text = f"procedure play():\n    end game as over\n{kinds}--- cards.csv\nname,title,doc\n{rows}"
    with soon(4_000_000), pytest.raises(DiagnosticsError):  # three times what it takes
        small(tmp_path / "small", text)
    assert "RS215" not in {d.code for d in diagnostics(str(tmp_path / "small"))}
