"""Twelve realistic rule changes to which recorded games are migrated, as edits of the shipped Imperial."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from msgspec import Struct

GAME = Path(__file__).resolve().parents[1] / "games" / "imperial"
_NEEDED = ("*.yaml", "rules/*.rules", "variants/*.yaml", "variants/*.rules")
_LEFT_OUT = ("titles*.yaml", "drawing.yaml", "outlines.yaml", "coasts.yaml")


class Edit(Struct, frozen=True):
    """The replacement of a text in every file that matches a pattern and contains the text."""

    files: str
    old: str
    new: str


class RuleChange(Struct, frozen=True):
    """A rule change: its title, and its edits."""

    title: str
    edits: tuple[Edit, ...]


_RULES, _GAME, _TABLES, _MAP = "**/*.rules", "game.yaml", "tables.yaml", "map.yaml"
_START = "start: play\n"
_DEAL = """\
    for p in player:
        chance deal:
            option card(n in nation where n.government is none and count(flag_cards[players, n]) > 0):
                for m in flag_cards[players, n]:
                    take_flag_card(p, m)
"""
_DEAL_BY_NATION = """\
    for n in nation where count(flag_cards[players, n]) > 0:
        chance deal:
            option seat(p in player where not any(m in nation where m.government == p)):
                for m in flag_cards[players, n]:
                    take_flag_card(p, m)
            option nobody:
                require cards_from(n) > count(p in player where not any(m in nation where m.government == p))
"""
_CARDS_FROM = """\
def cards_from(n: nation) -> int:
    "IMP-SET-06: the cards that are still to be dealt."
    count(m in nation where m.index >= n.index and count(flag_cards[players, m]) > 0)

"""
_CUSTOMS = """\
    decide customs by g:
        option pay_duty:
            pay min(n.treasury, 1 money) from n.treasury to bank
        option wave_through:
            pass
"""
_ORDERS = """\
    decide orders by g:
        option proceed:
            pass
"""
_IMPORT = "    repeat at most import_limit:\n"
_HOLDER_FIRST = """\
        invest(holder, none)
        for p in player after holder where p != holder and p.swiss_bank:
            invest(p, none)
"""
_BANKS_FIRST = """\
        for p in player after holder where p != holder and p.swiss_bank:
            invest(p, none)
        invest(holder, none)
"""
_SAIL = (
    '                origin in {r in region where fleet[n].at[r] > 0} "IMP-MAN-02: no fleet of this nation there",\n',
    "                goal in region where goal.terrain == sea "
    '"IMP-MAN-04, IMP-COM-04: fleets never come back to land"\n',
)

CHANGES: Mapping[str, RuleChange] = {
    "options_renamed": RuleChange(
        "two options have other names, with `was:`",
        (
            Edit("rules/import.rules", "option done:", "option finish_import:"),
            Edit("rules/investor.rules", "option decline:", "option pass_up:"),
            Edit("variants/*.rules", "change option decline of investment", "change option pass_up of investment"),
            Edit(_GAME, "investment: decline", "investment: pass_up"),
            Edit(_GAME, "purchase: done", "purchase: finish_import"),
            Edit(_GAME, _START, _START + "was: {purchase.finish_import: done, investment.pass_up: decline}\n"),
        ),
    ),
    "decision_renamed": RuleChange(
        "a decision has another name, with `was:`",
        (
            Edit(_RULES, "decide construction ", "decide factory_building "),
            Edit(_GAME, "construction: nothing", "factory_building: nothing"),
            Edit(_GAME, _START, _START + "was: {factory_building: construction}\n"),
        ),
    ),
    "parameters_turned": RuleChange(
        "parameters change places, not declared",
        (
            Edit("rules/manoeuvre.rules", "".join(_SAIL), _SAIL[1].replace('"\n', '",\n') + _SAIL[0][:-2] + "\n"),
            Edit("rules/gifts.rules", "giver in player, receiver in nation, ", "receiver in nation, giver in player, "),
        ),
    ),
    "question_added": RuleChange(
        "a new question with two answers",
        (Edit("rules/import.rules", _IMPORT, _CUSTOMS + _IMPORT),),
    ),
    "question_dropped": RuleChange(
        "a question is dropped",
        (Edit("rules/investor.rules", "    gifts_before_interest(n, g)\n", ""),),
    ),
    "limit_raised": RuleChange("a limit is raised", (Edit(_TABLES, "import_limit: 3", "import_limit: 4"),)),
    "limit_lowered": RuleChange("a limit is lowered", (Edit(_TABLES, "import_limit: 3", "import_limit: 2"),)),
    "phase_added": RuleChange(
        "a new phase with one answer",
        (Edit("rules/rounds.rules", "    match stop:\n", _ORDERS + "    match stop:\n"),),
    ),
    "deal_turned": RuleChange(
        "cards are dealt nation by nation, not seat by seat",
        (
            Edit("rules/setup.rules", _DEAL, _DEAL_BY_NATION),
            Edit("rules/setup.rules", "procedure take_flag_card", _CARDS_FROM + "procedure take_flag_card"),
        ),
    ),
    "price_mended": RuleChange("a price is another one", (Edit(_TABLES, "factory_cost: 5", "factory_cost: 4"),)),
    "questions_swapped": RuleChange(
        "two seats are asked in another order",
        (Edit("rules/investor.rules", _HOLDER_FIRST, _BANKS_FIRST),),
    ),
    "link_removed": RuleChange(
        "two regions are neighbours no longer",
        (
            Edit(_MAP, "land: [cologne, dijon, holland, munich, paris]", "land: [cologne, holland, munich, paris]"),
            Edit(_MAP, "land: [belgium, bordeaux, brest, marseille, munich, paris]",
                 "land: [bordeaux, brest, marseille, munich, paris]"),
        ),
    ),
}  # fmt: skip
"""The changes by name."""


def written(folder: Path, changes: Iterable[RuleChange]) -> str:
    """Writes a changed Imperial to a new folder; returns the reference to it.

    Raises:
        ValueError: if the text of an edit is missing, because the shipped rules have changed.
    """
    for pattern in _NEEDED:
        for file in sorted(GAME.glob(pattern)):
            if any(file.match(left_out) for left_out in _LEFT_OUT):
                continue
            target = folder / file.relative_to(GAME)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, target)
    for edit in (edit for change in changes for edit in change.edits):
        files = [f for f in sorted(folder.glob(edit.files)) if edit.old in f.read_text("utf-8")]
        if not files:
            raise ValueError(f"{edit.files} does not have {edit.old!r} any more")
        for file in files:
            file.write_text(file.read_text("utf-8").replace(edit.old, edit.new), "utf-8")
    return str(folder)
