"""The on-disk cache: results are the same with it, without it, and with a damaged one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shutil import copytree

import msgspec
import pytest
from folders import GAMES

from rulespec import cache
from rulespec.cli.validate import STARTING, check
from rulespec.diagnostics.report import Report
from rulespec.load import load_ruleset
from rulespec.ruleset_files import Files
from rulespec.syntax.ast_json import PackedTree, pack, unpack
from rulespec.syntax.origin import Origin
from rulespec.syntax.parser import parse_expr, parse_rules, parse_type

RULES = sorted(GAMES.rglob("*.rules"))
EXPR = "sum(a.b for a in town where not (a == none or a in {oak, elm})) + 3 money if n is some else min(1, -2)"

DECODER = msgspec.json.Decoder(PackedTree)
NUMBERS = msgspec.json.Decoder(int)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.mark.sampled(35)
@pytest.mark.parametrize("path", RULES, ids=lambda p: "/".join(p.parts[-3:]))
def test_trees_come_back_as_they_were(path: Path) -> None:
    tree = parse_rules(path.read_text("utf-8"), "a.rules")
    packed = DECODER.decode(msgspec.json.encode(pack(tree, Origin("a.rules"))))
    assert unpack(packed, Origin("a.rules")) == tree


@pytest.mark.usefixtures("folder")
def test_a_tree_is_cached_wherever_it_stands() -> None:
    for line, column in ((1, 1), (7, 12)):
        first, again = (parse_expr(EXPR, "f", line, column, cached=cached) for cached in (False, True))
        assert first == again == parse_expr(EXPR, "f", line, column, cached=True)
        assert first.span.line == line and first.span.column == column
    assert parse_type("int 0..6", "f", 2, 3, cached=True) == parse_type("int 0..6", "f", 2, 3, cached=True)
    two_lines = "(1 +\n  2)"
    parse_expr(two_lines, "g", cached=True)
    assert parse_expr(two_lines, "f", 4, 9, cached=True) == parse_expr(two_lines, "f", 4, 9)


def test_an_unchanged_ruleset_is_not_parsed_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = load_ruleset("imperial+first_edition")
    monkeypatch.setattr("rulespec.syntax.tree.build", lambda *_: pytest.fail("parsed again"))
    monkeypatch.setattr("jsonschema.Draft202012Validator.iter_errors", lambda *_: pytest.fail("checked again"))
    again = load_ruleset("imperial+first_edition")
    assert again.hash == first.hash and again.sources == first.sources
    assert [str(p.span) for p in again.rules.procedures.values()] == [
        str(p.span) for p in first.rules.procedures.values()
    ]
    assert len(list(folder.iterdir())) > 20


@pytest.mark.proof  # 0.3 s
def test_a_ruleset_that_is_known_to_be_sound_is_not_checked_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = load_ruleset("tutorial")
    monkeypatch.setattr("rulespec.documents.schema_check._VALIDATORS", {})  # as in the next process
    monkeypatch.setattr("rulespec.check.passes.check_source", lambda *_, **__: pytest.fail("checked again"))
    monkeypatch.setattr("rulespec.documents.schema_check.fits", lambda *_: pytest.fail("its schema asked again"))
    assert load_ruleset("tutorial").rules.procedures.keys() == before.rules.procedures.keys()


def test_what_once_asks_is_known_of_a_ruleset_that_is_known_to_be_sound(folder: Path) -> None:
    first, again = load_ruleset("chess"), load_ruleset("chess")
    assert len(again.rules.suppositions) == len(first.rules.suppositions) > 0


@pytest.mark.proof  # 0.5 s
def test_whoever_reads_the_warnings_has_them_looked_for(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    load_ruleset("tutorial")
    asked: list[object] = []
    monkeypatch.setattr("rulespec.check.lints.order.LINTS", [asked.append])
    for _ in range(2):
        load_ruleset("tutorial", Report())
    assert len(asked) == 1


@pytest.mark.parametrize("ref", ["tutorial", "nim", "chess", "imperial+first_edition"])
@pytest.mark.sampled(1)
def test_what_is_known_to_have_no_warnings_is_not_looked_through_for_them(
    folder: Path, monkeypatch: pytest.MonkeyPatch, ref: str
) -> None:
    first, again = Report(), Report()
    load_ruleset(ref, first)
    assert not first.diagnostics
    monkeypatch.setattr("rulespec.check.lints.order.LINTS", [lambda _: pytest.fail("looked through again")])
    load_ruleset(ref, again)
    assert not again.diagnostics


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("rules", ["def nobody() -> int: 1\n", "def a() -> int: 1\ndef b() -> int: 2\n"])
def test_warnings_are_told_each_time(folder: Path, tmp_path: Path, rules: str) -> None:
    copytree(GAMES / "tetrarchia", game := tmp_path / "tetrarchia")
    load_ruleset(str(game), sound := Report())
    file = min((game / "rules").iterdir())
    file.write_text(text := file.read_text("utf-8") + "\n" + rules, "utf-8")
    reports = [Report(), Report(), Report()]
    for report in reports:
        load_ruleset(str(game), report)
    assert len(reports[0].diagnostics) == len(sound.diagnostics) + rules.count("def ")
    assert [r.diagnostics for r in reports] == [reports[0].diagnostics] * 3
    assert file.read_text("utf-8") == text


def test_an_editor_asks_for_warnings_each_time(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Edited(Files):
        cached = False

    load_ruleset("nim", Report())
    asked: list[object] = []
    monkeypatch.setattr("rulespec.check.lints.order.LINTS", [asked.append])
    load_ruleset("nim", Report(), Edited())
    assert len(asked) == 1


def test_what_is_wrong_is_told_each_time(folder: Path, tmp_path: Path) -> None:
    rules = (GAMES / "tutorial/game.yaml").read_text("utf-8").replace("title:", "tittle:")
    game = tmp_path / "bad"
    game.mkdir()
    (game / "game.yaml").write_text(rules, "utf-8")
    reports = []
    for _ in range(2):
        reports.append(Report())
        assert check(str(game), reports[-1]) is None
    assert [str(d) for d in reports[0].diagnostics] == [str(d) for d in reports[1].diagnostics] != []


@pytest.mark.parametrize("damage", ["cut", "changed", "empty", "nested", "longer", "folder"])
def test_damage_is_as_if_nothing_were_there(folder: Path, damage: str) -> None:
    tree = parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    if damage == "cut":
        for end in range(len(whole)):
            entry.write_bytes(whole[:end])
            assert cache.read(entry.name, DECODER) is None
    elif damage == "changed":
        for at in range(0, len(whole), 7):
            entry.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
            assert cache.read(entry.name, DECODER) is None
    elif damage == "empty":
        entry.write_bytes(b"")
    elif damage == "nested":
        deep = b"[" * 100_000
        entry.write_bytes(cache.header(entry.name, deep) + b"\n" + deep)
        assert cache.read(entry.name, DECODER) is None
    elif damage == "longer":
        entry.write_bytes(whole + b"\n")
        assert cache.read(entry.name, DECODER) is None
    else:
        entry.unlink()
        entry.mkdir()
    assert parse_expr(EXPR, "f", cached=True) == tree


def test_a_folder_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for name in (str(tmp_path / "file"), str(tmp_path / "file" / "below"), ""):
        monkeypatch.setenv("RULESPEC_CACHE", name)
        assert parse_expr(EXPR, "f", cached=True) == parse_expr(EXPR, "f")
        assert cache.read(cache.key("tree", "expr", EXPR, rooms=cache.LANGUAGE), DECODER) is None


@pytest.mark.usefixtures("folder")
def test_without_a_key_there_is_no_entry(folder: Path) -> None:
    cache.write("", 1)
    assert cache.read("", NUMBERS) is None and not folder.exists()


def test_keys_hold_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = {
        cache.key("a", "b"),
        cache.key("ab"),
        cache.key("a", "", "b"),
        cache.key("a", "b", ""),
        cache.key("a", "\ud800"),
    }
    monkeypatch.setattr(cache, "fingerprint", lambda rooms: b"another version")
    assert len({*keys, cache.key("a", "b")}) == 6


_STARTS = """
from rulespec.load import load_ruleset
from rulespec.diagnostics.report import Report
from rulespec.engine.verify.verified_facts import failed_checks
from rulespec.engine.verify.starts import check_starts
ruleset = load_ruleset("tutorial")
failed_checks(ruleset.declarations, ruleset.layers)
check_starts(ruleset, Report())
"""
WORKERS = {
    "import rulespec.syntax.tree": cache.LANGUAGE,
    "import rulespec.documents.yaml_reader": cache.LANGUAGE,
    "import rulespec.documents.schema_check": cache.LANGUAGE,
    "import rulespec.load": cache.LANGUAGE,
    "import rulespec.engine.words.check": (*cache.LANGUAGE, "engine/words"),
    "import rulespec.engine.dialects.unknown": (*cache.LANGUAGE, "engine/notation", "engine/dialects"),
    _STARTS: STARTING,
}
"""Scripts that import the modules behind cache entries whose keys cover only some rooms."""


@pytest.mark.parametrize("script", WORKERS)
@pytest.mark.sampled(2)
def test_keys_of_some_rooms_hold_what_makes_their_values(script: str) -> None:
    root = Path(cache.__file__).parent
    seen = {name for room in ("*", *WORKERS[script]) for name, _, _ in cache.program_files(root, room)}
    script += "\nimport sys; print(*(m.__file__ for n, m in sys.modules.items() if n.startswith('rulespec')))"
    listed = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    names = {str(Path(name).relative_to(root)) for name in listed} - {"engine/__init__.py"}
    assert len(names) > 10 and names <= seen
    everything = {name for name, _, _ in cache.program_files(root)}
    assert seen < everything and not any(name.startswith("engine/wasm") for name in seen)


def test_a_room_is_part_of_the_keys_that_name_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("top.py", "check/a.py", "engine/words/b.py", "engine/wasm/c.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(cache, "_HOME", tmp_path)
    rooms = {"language": cache.LANGUAGE, "words": (*cache.LANGUAGE, "engine/words"), "all": cache.PROGRAM}

    def keys() -> dict[str, str]:
        cache.fingerprint.cache_clear()
        cache._fingerprint.cache_clear()
        return {name: cache.key("a", rooms=of) for name, of in rooms.items()}

    try:
        before = keys()
        for name, changed in {
            "top.py": {"language", "words", "all"},
            "check/a.py": {"language", "words", "all"},
            "engine/words/b.py": {"words", "all"},
            "engine/wasm/c.py": {"all"},
        }.items():
            (tmp_path / name).write_text(name)
            after = keys()
            assert {of for of in rooms if after[of] != before[of]} == changed
            before = after
    finally:
        cache.fingerprint.cache_clear()
        cache._fingerprint.cache_clear()


def test_another_build_has_other_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The new file has the same length as the old one, and the fixed times set by a packager."""
    keys = set()
    try:
        for build, text in (("one", "1"), ("two", "2")):
            (tmp_path / build).mkdir()
            (tmp_path / build / "top.py").write_text(text)
            os.utime(tmp_path / build / "top.py", (1, 1))
            monkeypatch.setattr(cache, "_HOME", tmp_path / build)
            cache.fingerprint.cache_clear()
            cache._fingerprint.cache_clear()
            keys.add(cache.key("a"))
    finally:
        cache.fingerprint.cache_clear()
        cache._fingerprint.cache_clear()
    assert len(keys) == 2


def test_there_are_not_more_than_so_many(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MAX_ENTRIES", 20)
    monkeypatch.setattr(cache, "PRUNE_EVERY", 10)
    for i in range(100):
        cache.write(cache.key(str(i)), i)
        assert cache.read(cache.key(str(i)), NUMBERS) == i
        assert len(list(folder.iterdir())) <= 20 + 10
    monkeypatch.setattr(cache, "MAX_ENTRY", 200)
    cache.write("large", 10**500)
    assert cache.read("large", NUMBERS) is None and not any("large" in p.name for p in folder.iterdir())


def test_every_module_that_is_loaded_is_part_of_the_key() -> None:
    """A module in a folder outside the fingerprint would keep stale entries valid."""
    load_ruleset("imperial+first_edition")
    root = Path(cache.__file__).parent
    seen = {os.path.realpath(root / name) for name, _, _ in cache.program_files(root)}
    own = {m for m in sys.modules if m.startswith("rulespec") and not m.startswith(("rulespec.cli", "rulespec.lsp"))}
    files = {os.path.realpath(str(sys.modules[m].__file__)) for m in own}
    assert len(files) > 30 and files <= seen


def test_files_in_any_depth_are_part_of_the_key(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    beyond = tmp_path.parent / "beyond"
    beyond.mkdir()
    (tmp_path / "linked").symlink_to("../beyond")
    for path in (deep / "module.py", deep / "a.schema.json", beyond / "linked.py", deep / "notes.md"):
        path.write_text("")
    assert {Path(name).name for name, _, _ in cache.program_files(tmp_path)} == {
        "module.py",
        "a.schema.json",
        "linked.py",
    }


@pytest.mark.parametrize("named", [None, "", " ", "/tmp/kept", "/tmp/kept/", "below", "/tmp/../kept"])
def test_the_folder_is_that_of_the_platform(named: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    if named is None:
        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    else:
        monkeypatch.setenv("XDG_CACHE_HOME", named)
    monkeypatch.delenv("RULESPEC_CACHE", raising=False)
    from platformdirs import user_cache_path

    cache._user_folder.cache_clear()
    try:
        assert cache._folder() == str(user_cache_path("rulespec", appauthor=False))
    finally:
        cache._user_folder.cache_clear()
