"""Well-formed rules that are hardly meant are reported; unusual ones are not.

The cases of each code are in tests/fixtures/errors/declarations.yaml. Here shipped rulesets are damaged.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from cases import small
from folders import GAMES
from limits import soon

from rulespec.cli.validate import check
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.load import load_ruleset


def codes(folder: Path) -> list[tuple[str, str]]:
    report = Report()
    check(str(folder), report)
    return [(d.code, d.message) for d in report.diagnostics]


@pytest.mark.parametrize(
    "file, old, new, code, expected",
    [
        ("map.yaml", "port: black_sea\n      land: [kiev", "land: [kiev", "RS242", "`odessa`"),
        ("map.yaml", "port: black_sea\n      land: [kiev", "port: baltic_sea\n      land: [kiev", "RS242", "`odessa`"),
        ("tables.yaml", "2: 35, 3: 24, 4: 13", "2: 35, 4: 13", "RS233 RS703", ""),
        ("tables.yaml", "2: 40, 3: 28, 4: 22", "2: 40, 4: 22, 3: 28", "RS234", "3 comes after 4"),
        ("setup.yaml", "factory_pieces - 12", "factory_pieces - 11", "RS237 RS709", "factor"),
        ("setup.yaml", "      odessa: 1", "      odessa: 1\n  accounts: {bank: 7}", "RS709", "invariant"),
        ("kinds.yaml", "main_bond: austria_hungary_9", "main_bond: austria_hungary_8", "RS221", ""),
        ("tables.yaml", "import_limit: 3", "import_limit: 0", "", ""),
    ],
)
@pytest.mark.sampled(1)
def test_damage_to_a_shipped_ruleset_is_told(
    file: str, old: str, new: str, code: str, expected: str, tmp_path: Path
) -> None:
    folder = tmp_path / "imperial"
    shutil.copytree(GAMES / "imperial", folder, ignore=shutil.ignore_patterns("logs", "scenarios"))
    text = (folder / file).read_text("utf-8")
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new), "utf-8")
    result = codes(folder)
    assert {c for c, _ in result} == set(code.split())
    assert all(expected in message for _, message in result)


def test_rows_that_an_overlay_adds_have_no_order(tmp_path: Path) -> None:
    report = Report()
    small(
        tmp_path / "small",
        """\
procedure play():
    if gain[players] > 1:
        end game
--- tables.yaml
tables:
  gain: {key: int, value: int, rows: {3: 1, 4: 1}}
--- game.yaml
id: small
title: Small
version: "1.0"
players: {kind: player, min: 1, max: 4}
start: play
--- variants/more.yaml
id: more
title: T
for: small
version: "1"
add: {tables.gain.rows.1: 2, tables.gain.rows.2: 2}
""",
    )
    load_ruleset(f"{tmp_path / 'small'}+more", report)
    assert report.diagnostics == ()


def test_a_set_up_that_faults_or_breaks_an_invariant_is_told_once(tmp_path: Path) -> None:
    small(
        tmp_path / "small",
        """\
procedure play():
    for p in player:
        pay 1 from p.cash to bank
        decide turn by p:
            option go:
                pass
invariant nothing_is_lost:
    "What the bank has, players had."
    bank == sum(1 money for p in player)
--- kinds.yaml
kinds: {player: {state: {cash: {account: money}}}}
accounts: {bank: {account: money, unlimited: true}}
--- setup.yaml
setup: {accounts: {player.cash: 1}}
""",
    )
    result = codes(tmp_path / "small")
    assert [c for c, _ in result] == ["RS709"]
    (tmp_path / "small" / "setup.yaml").unlink()
    assert [c for c, _ in codes(tmp_path / "small")] == ["RS703"]


@pytest.mark.proof  # 0.6 s
def test_large_maps_and_tables_are_checked_in_bounded_time(tmp_path: Path) -> None:
    names = [f"r{i}" for i in range(1_500)]
    ring = zip(names, names[1:] + names[:1], strict=True)
    regions = "".join(f"    {a}: {{one: [{b}], near: {b}}}\n" for a, b in ring)
    rows = ", ".join(f"{i}: 1" for i in range(1, 1_500))
    text = f"""\
procedure play():
    if any(t in town where count(t.one) > 3 and t.near is some) or gain[players] > 1:
        end game
--- map.yaml
map:
  kind: town
  facts: {{near: town?}}
  links: {{one: one_way}}
  regions:
{regions}
--- tables.yaml
tables: {{gain: {{key: int, value: int, rows: {{{rows}}}}}}}
"""
    with soon():
        try:
            small(tmp_path / "small", text)
        except DiagnosticsError as error:
            pytest.fail(str(error))
