"""Reasons for entries that are not legal: recorded games, of which one entry is changed in one field."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from recorded_games import LOGS, dialect, opened, ruleset

from rulespec.engine.dialects.first_entry import seats_and_settings
from rulespec.engine.dialects.foreign_log import ForeignLog
from rulespec.engine.dialects.importer import Importer, Stop
from rulespec.engine.game.game import Game

Entry = dict[str, Any]
GAME = LOGS / "c002-standard-4p.json"


@cache
def entries() -> tuple[Entry, ...]:
    return tuple(json.loads(GAME.read_text(encoding="utf-8")))


def first(fits: Callable[[Entry], bool]) -> int:
    return next(i for i, entry in enumerate(entries()) if fits(entry))


def stop(at: int, **fields: Any) -> Stop:
    """The stop of a strict replay, with these fields in one entry; None takes a field away."""
    log = list(entries()[: at + 1])
    payload = {**log[at]["payload"], **fields}
    log[at] = {**log[at], "payload": {k: v for k, v in payload.items() if v is not None}}
    foreign = ForeignLog("game.json", log)
    seats, settings = seats_and_settings(dialect(), foreign, ruleset())
    result = Importer(Game(ruleset(), seats, settings), dialect(), foreign, strict=True).run()
    assert result is not None and result.foreign_index == at
    return result


NO_VALUE = "the entry has no field `nation.value`, which every legal option of `rondel` of Otto needs; it is `IT`"
RONDEL = first(lambda e: e["type"] == "rondel" and e["payload"]["slot"] == "import")
IMPORT = first(lambda e: e["type"] == "import" and len(e["payload"]["placements"]) == 3)
BOUGHT = first(lambda e: e["type"] == "bondPurchase" and e["payload"]["tradeInValue"] > 0)
ARMY = first(lambda e: e["type"] == "maneuver" and e["payload"]["destination"] == "tunis")


@pytest.mark.parametrize(
    "fields, reason",
    [
        (
            {"cost": 4},
            "no legal option of `rondel` of Otto has `4` as `cost`; with the same `nation.value` and `slot` it is `0`",
        ),
        ({"nation": {"value": "FR"}}, "no legal option of `rondel` of Otto has `FR` as `nation.value`; it is `IT`"),
        ({"nation": {"valve": "IT"}}, NO_VALUE),
        ({"nation": "IT"}, NO_VALUE),
        ({"slot": "imports"}, "there is no space `imports`; did you mean `import`?"),
    ],
    ids=str,
)
def test_the_first_field_that_no_legal_option_shares_is_named(fields: Entry, reason: str) -> None:
    assert stop(RONDEL, **fields).refusal.reason == reason


def test_a_seat_that_does_not_decide_is_named_before_any_rule() -> None:
    who, kind = entries()[BOUGHT]["payload"]["player"], entries()[BOUGHT]["payload"]["nation"]["value"]
    others = {p["id"] for p in entries()[0]["payload"]["players"]} - {who}
    for other in [*sorted(others), "Zoë", 7]:
        for further in ({}, {"cost": 30}, {"tradeInValue": 16}, {"nation": {"value": "RU" if kind != "RU" else "AH"}}):
            refusal = stop(BOUGHT, player=other, **further).refusal
            assert refusal.reason == f"`player` is `{other}`, but it is for {who} to decide `investment`"
            assert refusal.rules == ()
    assert stop(BOUGHT, player=None).refusal.reason.startswith("`player` is missing, but it is for")


def test_what_an_entry_does_not_say_is_not_blamed() -> None:
    """Of the bond that is handed in, only the value is recorded: it is one of the nation that is named."""
    payload = entries()[BOUGHT]["payload"]
    nation = {
        "AH": "austria_hungary",
        "IT": "italy",
        "FR": "france",
        "GB": "great_britain",
        "GE": "germany",
        "RU": "russia",
    }
    for value in {2, 4, 6, 9, 12, 16, 20, 25} - {payload["tradeInValue"], payload["cost"]}:
        result = stop(BOUGHT, tradeInValue=value)
        name = nation[payload["nation"]["value"]]
        assert result.option == f"upgrade({name}_{value}, {name}_{payload['cost']})"
        assert {"IMP-BON-04", "IMP-BON-05"} & set(result.refusal.rules)
        assert "the same nation" not in result.refusal.reason


def test_a_march_that_is_too_far_is_not_blamed_on_a_fleet() -> None:
    result = stop(ARMY, destination="dublin")
    assert result.option == "march(genoa, dublin)"
    assert "out of reach" in result.refusal.reason
    assert {"IMP-ARM-02", "IMP-ARM-05"} <= set(result.refusal.rules)
    assert stop(ARMY, origin="berlin", destination="munich").refusal.reason == "IMP-ARM-01: no such army there"


def placed(**changes: Any) -> list[Entry]:
    placements = entries()[IMPORT]["payload"]["placements"]
    return [*placements[:1], {**placements[1], **changes}, *placements[2:]]


@pytest.mark.parametrize(
    "placements, reason",
    [
        (
            lambda: placed() + placed()[:2],
            "only 3 of the 5 elements of `placements` match: then `rondel` of Charles is open",
        ),
        (lambda: placed(province="atlantis"), "there is no region `atlantis`"),
        (lambda: placed(type="tank"), "there is no unit `tank`"),
        (
            lambda: placed(type=None),
            "no legal option of `purchase` of Otto has `null` as `placements.1.type`; "
            "with the same `province` it is `army`, `fleet`",
        ),
        (
            lambda: [*placed()[:1], {}, *placed()[2:]],
            "the entry has no field `placements.1.province`, which every legal option of `purchase` of Otto needs; "
            "it is",
        ),
        (lambda: placed(province="paris"), "IMP-IMP-02: only in an own home province"),
        (lambda: "genoa", "`placements` is `genoa`, but must be a list"),
        (lambda: None, "`placements` is missing, but must be a list"),
    ],
)
def test_the_element_of_a_list_that_does_not_fit_is_named(placements: Callable[[], Any], reason: str) -> None:
    assert stop(IMPORT, placements=placements()).refusal.reason.startswith(reason)


def test_a_log_with_an_import_too_many_diverges_there_with_its_reason() -> None:
    game, _, log = opened(GAME)
    log.entries[IMPORT]["payload"]["placements"] *= 2
    importer = Importer(game, dialect(), log)
    result = importer.run()
    assert result is not None
    assert result.foreign_index == IMPORT
    note = "only 3 of the 6 elements of `placements` match: then `rondel` of Charles is open (IMP-IMP-01, IMP-IMP-04, "
    assert result.refusal.reason.startswith(note) and "up to three units" in result.refusal.reason
    assert result.refusal.rules == ("IMP-IMP-01", "IMP-IMP-04", "IMP-IMP-05")
    assert importer.ignored == []
    assert len(importer.moves) == result.ply == game.ply
