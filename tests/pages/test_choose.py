"""From options to clicks: `pages/choose.js`, by Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from folders import ROOT

pytestmark = pytest.mark.skipif(shutil.which("node") is None, reason="needs node")

_SCRIPT = """
const { readFileSync } = require("node:fs");
const names = "{ choose, groups, beginnings, numbered, sharedWords }";
const source = `${readFileSync(process.argv[1], "utf8")}; return ${names};`;
const { choose, groups, beginnings, numbered, sharedWords } = new Function(source)();
const { options, clicked, most, named } = JSON.parse(process.argv[2]);
const found = groups(options, most, named);
const begun = found && beginnings(found, ({ id }) => id);
const shared = sharedWords(options.map(({ words }) => words));
const numbers = [...numbered(found)?.keys() ?? []];
console.log(JSON.stringify({ chosen: choose(options, clicked), groups: found, numbers, begun, shared }));
"""


def option(name: str, *places: str) -> dict[str, Any]:
    arguments = [{"kind": place.partition(".")[0], "id": place.partition(".")[2]} for place in places]
    text = f"{name}({', '.join(a['id'] for a in arguments)})"
    return {"text": text, "name": name, "words": text, "arguments": arguments, "out_of_turn": False}


def asked(options: list[dict[str, Any]], *clicked: str, most: int = 12, named: bool = True) -> dict[str, Any]:
    data = json.dumps({"options": options, "clicked": clicked, "most": most, "named": named})
    command = ["node", "-e", _SCRIPT, str(ROOT / "pages" / "choose.js"), data]
    answer = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    result: dict[str, Any] = json.loads(answer)
    return result


MARCHES = [option("march", f"town.{a}", f"town.{b}") for a, b in (("oak", "elm"), ("oak", "ash"), ("elm", "ash"))]
PASS = option("pass")


def texts(answer: dict[str, Any]) -> list[str]:
    return [each["text"] for each in answer["chosen"]["options"]]


def test_before_a_click_sources_are_lit_and_targets_can_be_clicked() -> None:
    answer = asked([*MARCHES, PASS])
    assert set(answer["chosen"]["lit"]) == {"town.oak", "town.elm"}
    assert answer["chosen"]["more"] == ["town.ash"]
    assert len(texts(answer)) == 4 and answer["chosen"]["only"] is None


def test_a_click_leaves_the_options_with_that_place_and_their_other_places() -> None:
    answer = asked([*MARCHES, PASS], "town.oak")
    assert texts(answer) == ["march(oak, elm)", "march(oak, ash)"]
    assert set(answer["chosen"]["lit"]) == {"town.elm", "town.ash"}


@pytest.mark.parametrize("clicked", [("town.oak", "town.elm"), ("town.elm", "town.oak")])
def test_places_are_clicked_in_any_order(clicked: tuple[str, str]) -> None:
    assert asked([*MARCHES, PASS], *clicked)["chosen"]["only"]["text"] == "march(oak, elm)"


def test_the_last_place_is_clicked_even_if_only_one_is_left() -> None:
    answer = asked([*MARCHES, PASS], "town.oak", "town.ash")
    assert answer["chosen"]["only"]["text"] == "march(oak, ash)"
    assert asked([MARCHES[0], PASS], "town.oak")["chosen"]["only"] is None


@pytest.mark.proof  # 0.4 s
def test_what_words_name_beside_arguments_comes_last_and_need_not_be_clicked() -> None:
    plays = [option("play", "point.p13") | {"named": [f"point.{to}"]} for to in ("p8", "p7")]
    assert asked(plays)["chosen"]["lit"] == ["point.p13"]
    first = asked(plays, "point.p13")["chosen"]
    assert first["lit"] == ["point.p8", "point.p7"] and first["only"] is None
    assert asked(plays, "point.p13", "point.p7")["chosen"]["only"]["named"] == ["point.p7"]
    assert asked(plays, "point.p7")["chosen"]["lit"] == ["point.p13"]
    assert asked(plays[:1], "point.p13")["chosen"]["only"] is not None


def test_a_place_that_an_option_has_twice_is_clicked_twice() -> None:
    options = [option("pair", "town.oak", "town.oak"), option("pair", "town.oak", "town.elm")]
    assert asked(options, "town.oak")["chosen"]["only"] is None
    assert asked(options, "town.oak", "town.oak")["chosen"]["only"]["text"] == "pair(oak, oak)"


def test_what_clicks_do_not_tell_apart_is_left_to_buttons() -> None:
    answer = asked([option("fleet", "town.oak"), option("army", "town.oak"), PASS], "town.oak")
    assert texts(answer) == ["fleet(oak)", "army(oak)"] and answer["chosen"]["lit"] == []
    assert answer["chosen"]["only"] is None


def test_a_click_that_fits_nothing_leaves_nothing() -> None:
    answer = asked(MARCHES, "town.ash", "town.ash")
    assert texts(answer) == [] and answer["chosen"]["lit"] == []


def test_a_short_list_is_shown_as_it_is() -> None:
    assert asked(MARCHES)["groups"] is None


@pytest.mark.proof  # 0.3 s
def test_a_long_list_goes_by_name_and_then_argument_by_argument() -> None:
    bonds = [option("buy", f"nation.n{a}", f"int.{b}") for a in range(6) for b in range(4)]
    by_name = asked([*bonds, PASS])["groups"]
    assert [each["value"] for each in by_name] == [{"name": "buy"}, {"name": "pass"}]
    by_nation = asked(by_name[0]["options"])["groups"]
    assert [each["value"]["id"] for each in by_nation] == [f"n{a}" for a in range(6)]
    assert asked(by_nation[0]["options"])["groups"] is None


def test_a_long_list_that_cannot_be_split_is_shown_as_it_is() -> None:
    assert asked([PASS] * 20)["groups"] is None


def test_where_names_say_nothing_groups_go_by_the_first_place() -> None:
    answer = asked([*MARCHES, option("sail", "town.oak", "town.elm")], most=3, named=False)
    assert [group["value"]["id"] for group in answer["groups"]] == ["oak", "elm"]


def in_words(name: str, words: str) -> dict[str, Any]:
    return option(name) | {"words": words}


def test_a_group_is_called_by_the_words_that_its_options_begin_with() -> None:
    moves = [in_words("move", f"moves a cart to {to}") for to in ("the oak", "the elm", "a town")]
    others = [in_words("pay", "pays 1, gladly"), in_words("pay", "pays 1"), in_words("stop", "stops")]
    assert asked([*moves, *others], most=3)["begun"] == ["moves a cart to", "pays", "stops"]


def test_a_group_of_one_place_is_called_by_the_words_up_to_it() -> None:
    def moves(words: str, start: str, *ends: str) -> list[dict[str, Any]]:
        return [{**option("move", f"square.{start}", f"square.{end}"), "words": words.format(end)} for end in ends]

    knights = [*moves("Move knight b1-{}", "b1", "a3", "c3"), *moves("Move knight g1-{}", "g1", "f3", "h3")]
    assert asked(knights, most=3)["begun"] == ["Move knight b1", "Move knight g1"]
    both = [*moves("Move b1-{}", "b1", "b11", "b12"), *moves("Move b11-{}", "b11", "b21", "b22")]
    assert asked(both, most=3)["begun"] == ["Move b1", "Move b11"]
    targets_first = [*moves("Move to {} from b1", "b1", "a3", "c3"), *moves("Moving", "b", "f3"), *moves("", "c", "a")]
    assert asked(targets_first, most=3)["begun"] == ["", "", ""]


def test_the_words_of_a_group_end_with_no_part_of_a_title() -> None:
    fleets = [{**option("sail", f"sea.mare {to}"), "words": f"Sail on to mare {to}"} for to in ("nostrum", "internum")]
    assert asked([*fleets, in_words("stay", "Stay")], most=2)["begun"] == ["Sail on to", "Stay"]


def test_groups_that_begin_alike_or_with_nothing_have_no_words() -> None:
    alike = [in_words(name, f"moves {to}") for name in ("ride", "sail") for to in ("up", "down")]
    silent = [in_words("give", ""), in_words("give", "")]
    assert asked([*alike, *silent], most=3)["begun"] == ["", "", ""]


def test_what_has_no_title_of_its_own_is_called_by_the_words_that_its_options_share() -> None:
    def shared(*texts: str) -> Any:
        return asked([option("act", "tile.t1") | {"words": text} for text in texts])["shared"]

    assert (
        shared("Move Ann's man of 35 (Ulm) to Trier", "Treat Ann's man of 35 (Ulm) (1 coin)") == "Ann's man of 35 (Ulm)"
    )
    assert shared("Move the man", "Pass") == "" and shared("Pass") == "Pass"


def test_a_number_with_many_values_is_asked_last() -> None:
    prices = [option("buy", f"int.{price}", f"firm.{firm}") for price in range(1, 41) for firm in ("iron", "mills")]
    first = asked(prices)
    assert [group["value"]["id"] for group in first["groups"]] == ["iron", "mills"] and not first["numbers"]
    assert asked(first["groups"][1]["options"])["numbers"] == [*range(1, 41)]
    assert not asked(prices[:40:2])["numbers"]  # 20 numbers are buttons
    assert not asked([option("buy", f"int?.{price}") for price in ["none", *range(40)]])["numbers"]


_COUNT = """
const { readFileSync } = require("node:fs");
const source = `${readFileSync(process.argv[1], "utf8")}; return { fewChoices, sizeOfGroup };`;
const { fewChoices, sizeOfGroup } = new Function(source)();
const options = JSON.parse(process.argv[2]), few = fewChoices(options);
const listed = few && few.map(({ options }) => [options.length, sizeOfGroup(options)]);
console.log(JSON.stringify({ few: listed, size: sizeOfGroup(options) }));
"""


def counted(options: list[dict[str, Any]]) -> dict[str, Any]:
    command = ["node", "-e", _COUNT, str(ROOT / "pages" / "choose.js"), json.dumps(options)]
    result: dict[str, Any] = json.loads(
        subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout
    )
    return result


def prices(*firms: str, most: int = 300) -> list[dict[str, Any]]:
    return [option("buy", f"firm.{firm}", f"int.{price}") for firm in firms for price in range(1, most + 1)]


def test_options_that_differ_by_a_number_alone_are_one_choice() -> None:
    assert counted([*prices("iron", "mills"), PASS]) == {
        "few": [[300, "1\u2013300"], [300, "1\u2013300"], [1, "1"]],
        "size": "3",
    }
    assert counted(prices("iron")) == {"few": None, "size": "1\u2013300"}, "a single choice is no list"


def test_few_numbers_and_other_arguments_are_choices_of_their_own() -> None:
    assert counted(prices("iron", most=20)) == {"few": None, "size": "20"}
    many = prices(*(f"firm_{number}" for number in range(13)), most=21)
    assert counted(many) == {"few": None, "size": "13"}, "too many for buttons"
    mixed = [*prices("iron", most=30), option("buy", "firm.mills", "town.oak")]
    assert counted(mixed) == {"few": None, "size": "31"}, "an argument is not a number everywhere"
    assert counted([PASS, *MARCHES])["size"] == "4"
