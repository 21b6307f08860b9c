"""The hash of the meaning, changed only by edits that affect games; and the numbers stored with it."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import GAME, small, split, write
from folders import GAMES
from msgspec import Struct, structs
from proofs import proofs_but

from bench.mutants import Bench, copied, program
from bench.mutate_typed import Mutator
from bench.typed_tree import planted
from rulespec.cli.validate import check
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.engine.game.seating import check_settings
from rulespec.engine.game.wasm_export import SECTION, exported
from rulespec.engine.lower.layout import NUMBERS
from rulespec.engine.lower.lowering import lower
from rulespec.engine.passes.pipeline import PASSES, optimized
from rulespec.engine.program import ir
from rulespec.load import load_ruleset
from rulespec.syntax.format import format_rules
from rulespec.typed import meaning
from rulespec.typed import nodes as typed
from rulespec.typed.meaning import LENGTH, VERSION, meaning_hash, written
from rulespec.types import INT

MUTANTS = int(os.environ.get("RULESPEC_EXAMPLES", "60"))
"""The number of mutants of each kind."""

RULES = """\
def price(p: player) -> money:
    "What a field costs: ABC-01."
    2 money + p.level * 1 money

procedure play():
    for p in player:
        turn(p)

procedure turn(p: player):
    "One decision."
    decide shop by p:
        option buy(t in town where t.worth > 0):
            require p.cash >= price(p) "too dear: ABC-02"
            pay price(p) from p.cash to bank
            set p.level to t.worth
        option leave_it:
            pass

invariant money:
    sum(p.cash for p in player) + bank >= 0
--- kinds.yaml
kinds:
  player:
    state: {cash: {account: money}, level: {type: int}}
  town:
    facts: {worth: int}
    entities:
      oak: {worth: 1, title: Oak}
      elm: {worth: 2, title: Elm}
accounts: {bank: {account: money, unlimited: true}}
pieces: {picture: {each: [player], places: {hall: {}, cellar: {}}}}
state: {month: {type: int, start: 1}, day: {type: int, start: 2}}
--- setup.yaml
setup:
  accounts: {player.cash: 5}
--- variants/tax.yaml
id: tax
for: small
version: "1.0"
title: Tax
add:
  state.tax: {type: int, start: 1}
  kinds.player.state.paid: {type: int}
  pieces.picture.places.depot: {}
--- variants/tax.rules
def tax_of(p: player) -> int: p.level + 1
wrap def price(p: player) -> money: original(p) + tax * 1 money
--- variants/art.yaml
id: art
for: small
version: "1.0"
title: Art
add:
  state.art: {type: int}
  kinds.player.state.fame: {type: int}
  pieces.picture.places.attic: {}
--- variants/art.rules
procedure paint(p: player):
    set p.fame to p.fame + 1
extend decision shop:
    option rest:
        paint(p)
"""
SAME: dict[str, Callable[[str], str]] = {
    "a comment above": lambda text: "# a comment\n\n" + text,
    "a comment beside": lambda text: text.replace("pass\n", "pass  # nothing\n"),
    "a docstring": lambda text: text.replace('"One decision."', '"A choice."'),
    "a docstring that cites another rule": lambda text: text.replace("ABC-01", "ABC-07"),
    "no docstring": lambda text: text.replace('    "One decision."\n', ""),
    "the words of a reason": lambda text: text.replace("too dear: ABC-02", "not enough (ABC-02)"),
    "a title": lambda text: text.replace("title: Oak", "title: The Oak"),
    "a doc": lambda text: text.replace("day: {type: int", 'day: {doc: "Of the month.", type: int'),
    "a drawing": lambda text: text + "--- drawing.yaml\ntitle: The town\n",
    "the order of state": lambda text: text.replace(
        "month: {type: int, start: 1}, day: {type: int, start: 2}",
        "day: {type: int, start: 2}, month: {type: int, start: 1}",
    ),
    "the order of fields of a kind": lambda text: text.replace(
        "cash: {account: money}, level: {type: int}", "level: {type: int}, cash: {account: money}"
    ),
    "the order of kinds": lambda text: text.replace(
        "  player:\n    state: {cash: {account: money}, level: {type: int}}\n", ""
    ).replace("accounts: {bank", "  player:\n    state: {cash: {account: money}, level: {type: int}}\naccounts: {bank"),
    "rules in another file": lambda text: text.replace(
        "procedure play():", "--- rules/a.rules\nprocedure play():"
    ).replace("procedure turn", "--- rules/zoo.rules\nprocedure turn"),
    "the order of rules": lambda text: (
        text[text.index("procedure play") : text.index("--- kinds.yaml")]
        + "\n"
        + text[: text.index("procedure play")]
        + text[text.index("--- kinds.yaml") :]
    ),
    "redundant parentheses": lambda text: text.replace("p.level * 1 money", "(p.level * 1 money)"),
    "another way to write YAML": lambda text: text.replace("facts: {worth: int}", "facts:\n      worth: 'int'"),
    "measures": lambda text: text + "--- measures.yaml\nmeasures: {wealth: {of: player, value: player.cash}}\n",
    "values": lambda text: text + "--- measures.yaml\nvalues: {wealth: {of: player, value: player.cash, decides: 3}}\n",
    "questions": lambda text: text + "--- measures.yaml\nquestions: {time: {asks: length, matters: 3}}\n",
    "checks of facts": lambda text: text.replace(
        "    facts: {worth: int}\n",
        "    facts: {worth: int}\n    checks: {dear: {that: town.worth > 0, text: worth nothing}}\n",
    ),
    "words": lambda text: text + "--- titles.yaml\nentities: {town: {oak: An oak}}\n",
    "a list of rules": lambda text: (
        text + "--- rules.yaml\nrules: [{id: ABC-01, text: Prices.}, {id: ABC-02, text: Cash.}]\n"
    ),
}
OTHER: dict[str, Callable[[str], str]] = {
    "a number": lambda text: text.replace("2 money", "3 money"),
    "a fact": lambda text: text.replace("worth: 2", "worth: 3"),
    "the order of options": lambda text: text.replace("        option leave_it:\n            pass\n", "").replace(
        "        option buy", "        option leave_it:\n            pass\n        option buy"
    ),
    "the order of entities": lambda text: text.replace("      oak: {worth: 1, title: Oak}\n", "").replace(
        "title: Elm}\n", "title: Elm}\n      oak: {worth: 1, title: Oak}\n"
    ),
    "the rule of a requirement": lambda text: text.replace("ABC-02", "ABC-03"),
    "a requirement without its rule": lambda text: text.replace(': ABC-02"', '"'),
    "the name of an option": lambda text: text.replace("leave_it", "pass_on"),
    "the name of a parameter": lambda text: text.replace("buy(t in town where t.", "buy(u in town where u.").replace(
        "to t.worth", "to u.worth"
    ),
    "the name of an entity": lambda text: text.replace("elm:", "ash:"),
    "a start value": lambda text: text.replace("day: {type: int, start: 2}", "day: {type: int, start: 3}"),
    "the set-up": lambda text: text.replace("player.cash: 5", "player.cash: 6"),
    "an operator": lambda text: text.replace("cash >= price", "cash > price"),
    "a statement less": lambda text: text.replace("            set p.level to t.worth\n", ""),
    "an invariant": lambda text: text.replace("+ bank >= 0", "+ bank >= -1"),
    "a bound": lambda text: text.replace("level: {type: int}", "level: {type: int 0..9}"),
    "a secret": lambda text: text.replace("level: {type: int}", "level: {type: int, private: true}"),
    "the start procedure": lambda text: text.replace("procedure play", "procedure main").replace(
        "--- kinds.yaml", "--- game.yaml\n" + GAME.replace("start: play", "start: main") + "--- kinds.yaml", 1
    ),
}


def hash_of(folder: Path, text: str, overlays: str = "") -> str:
    return small(folder / "small", text, overlays).hash


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> str:
    return hash_of(tmp_path_factory.mktemp("known"), RULES)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("change", SAME)
def test_what_changes_no_game_leaves_the_hash_alone(change: str, known: str, tmp_path: Path) -> None:
    changed = SAME[change](RULES)
    assert changed != RULES and hash_of(tmp_path, changed) == known


@pytest.mark.parametrize("change", OTHER)
def test_what_can_change_a_game_changes_the_hash(change: str, known: str, tmp_path: Path) -> None:
    changed = OTHER[change](RULES)
    assert changed != RULES and hash_of(tmp_path, changed) != known


def test_start_values_that_read_others_have_an_order(tmp_path: Path) -> None:
    one = RULES.replace("day: {type: int, start: 2}", "day: {type: int, start: month + 1}")
    state = "month: {type: int, start: 1}, day: {type: int, start: month + 1}"
    other = one.replace(state, "day: {type: int, start: month + 1}, month: {type: int, start: 1}")
    assert hash_of(tmp_path / "one", one) != hash_of(tmp_path / "other", other)


def test_a_hash_has_its_version_and_is_known(known: str, tmp_path: Path) -> None:
    """A failure means that unchanged rules have other hashes, which requires a new `VERSION`."""
    assert (known[:2], len(known)) == (f"{VERSION:02x}", LENGTH)
    assert known == "01a7c95b876dcfda5f44ef79ae409965"


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("seed", ["0", "1", "4242"])
def test_the_seed_of_python_makes_no_difference(seed: str, tmp_path: Path) -> None:
    folder = write(tmp_path / "small", split(RULES, "rules/play.rules"))
    code = f"from rulespec.load import *\nprint(*[load_ruleset(ref).hash for ref in ({str(folder)!r}, 'imperial')])"
    environment = os.environ | {"PYTHONHASHSEED": seed, "RULESPEC_CACHE": ""}
    said = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert said.stdout.split() == [load_ruleset(str(folder)).hash, load_ruleset("imperial").hash]


def test_the_hash_is_the_same_cold_and_cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    cold = load_ruleset("tetrarchia+imperivm")
    monkeypatch.setattr("rulespec.typed.meaning.meaning_hash", lambda *_: pytest.fail("computed again"))
    cached = load_ruleset("tetrarchia+imperivm")
    monkeypatch.undo()
    assert (cached.hash, cached.sources_hash) == (cold.hash, cold.sources_hash)
    assert load_ruleset("tetrarchia+imperivm", Report()).hash == cold.hash


def test_overlays_that_commute(tmp_path: Path) -> None:
    folder = write(tmp_path / "small", split(RULES, "rules/play.rules"))
    one, other = load_ruleset(f"{folder}+tax+art"), load_ruleset(f"{folder}+art+tax")
    assert one.hash == other.hash and one.sources_hash != other.sources_hash
    assert numbers(one) == numbers(other)


@pytest.mark.parametrize(
    "base, a, b",
    [
        ("imperial", "playimperial", "no_investor_card"),
        ("imperial", "playimperial", "playimperial_rules"),
        ("imperial", "cheap_factories", "stack_battles"),
        ("tetrarchia", "diarchia", "imperivm"),
    ],
)
@pytest.mark.sampled(1)
def test_shipped_overlays_commute(base: str, a: str, b: str) -> None:
    one, other = load_ruleset(f"{base}+{a}+{b}"), load_ruleset(f"{base}+{b}+{a}")
    assert one.hash == other.hash and numbers(one, 3) == numbers(other, 3)


def test_wraps_of_one_procedure_have_an_order() -> None:
    one, other = (
        load_ruleset(f"tetrarchia+{overlays}") for overlays in ("imperivm+patres_patriae", "patres_patriae+imperivm")
    )
    assert one.hash != other.hash


@pytest.mark.parametrize(
    "id_", proofs_but(["imperial", "chess", "shadow_of_the_emperor", "tetrarchia", "liars_dice"], "liars_dice")
)
def test_formatting_and_comments_leave_shipped_rules_alone(id_: str, tmp_path: Path) -> None:
    before = load_ruleset(id_)
    folder = shutil.copytree(before.folders[0], tmp_path / "a copy")
    for path in folder.rglob("*.rules"):
        loose = "# first\n\n\n" + path.read_text("utf-8").replace(":\n", ":   # here\n")
        path.write_text(loose, "utf-8")
    after = load_ruleset(str(folder))
    assert after.hash == before.hash and after.sources_hash != before.sources_hash
    for path in folder.rglob("*.rules"):
        path.write_text(format_rules(path.read_text("utf-8"), path.name), "utf-8")
    assert load_ruleset(str(folder)).hash == before.hash


def test_the_sources_have_a_hash_of_their_own(tmp_path: Path) -> None:
    folder = write(tmp_path / "one", split(RULES, "rules/play.rules"))
    known = load_ruleset(str(folder)).sources_hash
    assert load_ruleset(str(shutil.copytree(folder, tmp_path / "elsewhere"))).sources_hash == known
    (folder / "titles.yaml").write_text("entities: {town: {oak: An oak}}\n", "utf-8")  # distributed beside the rules
    assert load_ruleset(str(folder)).sources_hash == known
    seen = {known}
    for name, more in (("rules/play.rules", "# a comment\n"), ("rules.yaml", "rules: [{id: ABC-01, text: Prices.}]\n")):
        with (folder / name).open("a", encoding="utf-8") as file:
            file.write(more)
        seen.add(load_ruleset(str(folder)).sources_hash)
    assert len(seen) == 3


def test_what_is_left_out_is_reviewed() -> None:
    """A new field of the typed rules counts unless its name is listed here; every omission is deliberate."""
    records = [t for t in vars(typed).values() if isinstance(t, type) and issubclass(t, Struct)]
    out = {(t.__name__, f) for t in records for f in t.__struct_fields__ if f in meaning.FOR_PEOPLE | meaning.PLACES}
    assert sorted({name for name, field in out if field in meaning.FOR_PEOPLE}) == [
        *(
            "Decide",
            "Definition",
            "Entity",
            "Guard",
            "Invariant",
            "Kind",
            "Measure",
            "OptionDef",
            "OptionGroup",
            "PositionValue",
            "Procedure",
            "Question",
        ),
        *("Remark", "Ruleset", "Scoring", "SettingDecl"),
    ]
    for record, fields in meaning.LEFT_OUT.items():
        assert fields <= set(record.__struct_fields__)


@pytest.mark.proof  # 0.4 s
def test_rules_that_nest_deep_are_written(tmp_path: Path) -> None:
    deep: typed.Expr = typed.Lit(INT, Span("", 1, 1, 1, 1), 1)
    for _ in range(50_000):
        deep = typed.Op(INT, deep.span, "neg", (deep,))
    assert len(written(deep)) > 100_000


# --- mutants ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("id_", ["imperial", "chess", "shadow_of_the_emperor", "liars_dice"])
@pytest.mark.sampled(2)
def test_mutants_of_rules_have_other_hashes(id_: str) -> None:
    """Every change of a typed rule, killed by a test or not. RULESPEC_EXAMPLES=6400 tries all 2,580."""
    ruleset = load_ruleset(id_)
    mutants = Mutator(ruleset).mutants()
    chosen = random.Random(1).sample(mutants, min(MUTANTS // 4, len(mutants)))
    for mutant in chosen:
        with planted(ruleset, mutant.edits, "x") as changed:
            assert meaning_hash(changed.start, changed.declarations, changed.rules) != ruleset.hash, str(mutant)
    assert meaning_hash(ruleset.start, ruleset.declarations, ruleset.rules) == ruleset.hash


def without_bots(ruleset: typed.Ruleset) -> typed.Ruleset:
    """The ruleset without what only bots read: it is in programs, and no game depends on it."""
    of_bots = {"values": {}, "stakes": 0, "playouts": {}}
    assert of_bots.keys() <= meaning.LEFT_OUT[typed.Declarations]
    return structs.replace(ruleset, declarations=structs.replace(ruleset.declarations, **of_bots))


def test_what_only_bots_read_is_in_programs_and_not_in_the_hash() -> None:
    ruleset = load_ruleset("tutorial")
    assert ruleset.declarations.values
    bare = without_bots(ruleset)
    assert program(bare) != program(ruleset)
    assert meaning_hash(bare.start, bare.declarations, bare.rules) == ruleset.hash


@pytest.mark.parametrize("id_", proofs_but(["tutorial", "ludo", "nim"], "nim"))
def test_mutants_of_files_that_make_another_program_have_other_hashes(id_: str) -> None:
    """Edits of YAML and rules: another program has another hash, and equal hashes mean equal programs."""
    with copied(GAMES):
        bench = Bench()
        bench.learn(id_)
        different = 0
        known: dict[str, str] = {}
        for ref, mutant in bench.mutants(MUTANTS // 3, 7):
            before = load_ruleset(ref, Report(), bench.files).hash
            if ref not in known:
                known[ref] = program(without_bots(load_ruleset(ref, Report(), bench.files)))
            path = Path(mutant.file)
            text = path.read_text("utf-8")
            path.write_text(text[: mutant.start] + mutant.text + text[mutant.end :], "utf-8")
            try:
                ruleset = check(ref, Report(), bench.files)
                if ruleset is not None and program(without_bots(ruleset)) != known[ref]:
                    different += 1
                    assert ruleset.hash != before, str(mutant)
            finally:
                path.write_text(text, "utf-8")
        assert different


# --- numbers ----------------------------------------------------------------------------------------------------------


def numbers(ruleset: typed.Ruleset, seats: int = 2) -> object:
    """The numbers of cells, options and endings that other programs may store."""
    return numbers_of(lower(ruleset, seats, check_settings(ruleset, {})))


def numbers_of(p: ir.Program) -> object:
    """The stored numbers of a program."""
    options = [(d.name, c.name, [q.name for q in c.params]) for d in p.decisions for c in d.choices]
    return p.cells, options, p.endings, p.start, p.entries, p.asked(), p.main


@pytest.mark.parametrize("id_", ["imperial", "chess", "tetrarchia", "shadow_of_the_emperor"])
@pytest.mark.sampled(2)
def test_numbers_are_stable_under_passes_in_any_order(id_: str) -> None:
    ruleset = load_ruleset(id_)
    p = lower(ruleset, ruleset.players[1], check_settings(ruleset, {}))
    for passes in (PASSES, PASSES[::-1], PASSES[1:2]):
        assert numbers_of(optimized(p, passes)) == numbers_of(p)


@pytest.mark.sampled(11)
@pytest.mark.parametrize("change", SAME)
def test_numbers_are_stable_under_what_changes_no_game(change: str, tmp_path: Path) -> None:
    one = small(tmp_path / "one", RULES)
    other = small(tmp_path / "other", SAME[change](RULES))
    assert numbers(one) == numbers(other)


def table_of(module: bytes) -> dict[str, Any]:
    """The table of names in a module, its last section."""
    table: dict[str, Any] = json.loads(module[module.rindex(SECTION.encode() + b"{") + len(SECTION) :])
    return table


def test_a_module_has_the_version_of_its_numbers(tmp_path: Path) -> None:
    pytest.importorskip("wasmtime")
    tables = [
        table_of(exported(Game(small(tmp_path / str(n), text), ["Ann", "Bob"])))
        for n, text in enumerate((RULES, *(SAME[c](RULES) for c in ("the order of kinds", "rules in another file"))))
    ]
    assert tables[0]["numbers"] == NUMBERS
    for table in tables:
        table.pop("sources_hash")
        table["kinds"] = sorted(table["kinds"])
    assert tables[0] == tables[1] == tables[2]


def test_codes_recorded_before_are_codes_afterwards(tmp_path: Path) -> None:
    pytest.importorskip("numpy")
    from rulespec.engine.search.open_search import open_search

    results = []
    for number, change in enumerate([None, *SAME]):
        ruleset = small(tmp_path / str(number), RULES if change is None else SAME[change](RULES))
        game = Game(ruleset, ["Ann", "Bob"])
        search = open_search(game.copy(), backend="python")
        game.apply(game.parse("buy(oak)"))
        game.apply(game.parse("leave_it"))
        results.append((search.codes(game.history).tolist(), search.rows([game]).tolist()))
    assert all(one == results[0] for one in results)
