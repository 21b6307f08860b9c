"""A writer to the cache folder gains nothing: no code, no hang, no other result, and no file is lost."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from deadlines import DEADLINE

from rulespec import cache
from rulespec.cli.main import cli
from rulespec.cli.validate import STARTING, check
from rulespec.diagnostics.report import Report
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.schema_check import check_schema
from rulespec.engine.lower.lowering import lower
from rulespec.engine.program import ir
from rulespec.engine.python.backend import PythonBackend
from rulespec.load import load_ruleset
from rulespec.syntax.ast_json import MAX_LEVELS, ROOTS, Packed, pack, unpack
from rulespec.syntax.origin import Origin
from rulespec.syntax.parser import parse_expr, parse_rules, parse_type

EXPR = "sum(a.b for a in town where not (a == none or a in {oak, elm})) + 3 money if n is some else min(1, -2)"
DECODER = msgspec.json.Decoder(Packed)
RULES = """procedure play():
    "text"
    if a == 1:
        x(y)
    elif b or c:
        pass
    else:
        match n:
            case 1, 2:
                pay 3 from a to b
            else:
                return
    decide d by p:
        option o(q in s where r "why"):
            set a to min(b for b in s where b is some, else 2)
def f(n: int 0..6) -> money:
    let m = n
    m + -1
scoring points in player:
    score x[0]
    tiebreak next(a)
"""
CODE = "__import__('os').system('id')"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def plain(text: str = "a + 1", start: str = "expr") -> dict[str, Any]:
    parse: Any = {"expr": parse_expr, "type": parse_type, "rules": parse_rules}[start]
    results: dict[str, Any] = msgspec.to_builtins(pack(parse(text, "f"), Origin("f")))
    return results


def decoded(data: Any, start: str = "expr") -> Any:
    """The tree of an entry with these data; None if it is refused."""
    try:
        packed = DECODER.decode(msgspec.json.encode(data))
    except ValueError:
        return None
    return unpack(packed, Origin("f"), ROOTS[start])


# --- entries that are wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        None,
        [],
        {},
        {"spans": [], "names": [], "texts": [], "numbers": [], "nodes": [], "steps": []},
        plain() | {"spans": [[1]]},
        plain() | {"spans": [[1, 1, 1, 0], [1, 1, 1, 2], [1, 5, 1, 6]]},
        plain() | {"spans": [[1, 1, 1, "6"], [1, 1, 1, 2], [1, 5, 1, 6]]},
        plain() | {"numbers": [CODE]},
        plain() | {"numbers": ["1"]},
        plain() | {"numbers": [1.0]},
        plain() | {"numbers": [True]},
        plain() | {"numbers": [-1]},
        plain() | {"numbers": [10**15]},
        plain() | {"names": [CODE]},
        plain() | {"names": ["a\n"]},
        plain() | {"names": [1]},
        plain() | {"texts": ["; import os; "]},
        plain() | {"texts": ["**"]},
        plain() | {"nodes": ["__import__"]},
        plain() | {"nodes": ["Expr"]},
        plain() | {"more": 1},
        plain() | {"steps": [0]},
        plain() | {"steps": [0, 0]},
        plain() | {"steps": ["0"]},
        plain() | {"steps": [999]},
        plain() | {"steps": [10**30]},
        plain() | {"steps": [-1]},
        plain() | {"steps": [-1, 1]},
        plain() | {"steps": [-1, -1]},
        plain() | {"steps": [-1, 0]},
        plain() | {"steps": [-99]},
        plain("int 0..6", "type"),
        plain("", "rules"),
    ],
)
def test_what_is_no_tree_is_refused(data: object) -> None:
    assert decoded(plain()) == parse_expr("a + 1", "f")
    assert decoded(data) is None


@pytest.mark.parametrize("text, start", [(EXPR, "expr"), ("set town", "type"), (RULES, "rules")])
@pytest.mark.proof
def test_any_value_in_any_place_is_refused_or_could_have_been_written(text: str, start: str) -> None:
    """Each step of an entry is replaced by each other one: what is accepted has the types that its fields say."""
    data = plain(text, start)
    accepted = 0
    steps = data["steps"]
    others = sorted({*steps, 0, 1, 2})[::20] if len(steps) > 200 else sorted({*steps})
    for at in range(len(steps)):
        for step in others:
            tree = decoded(data | {"steps": [*steps[:at], step, *steps[at + 1 :]]}, start)
            if tree is not None:
                accepted += 1
                again = msgspec.to_builtins(pack(tree, Origin("f")))
                assert decoded(again, start) == tree
                for part in nodes_of(tree):
                    assert_typed(part)
    assert accepted > len(steps)  # the unchanged ones


def nodes_of(tree: Any) -> list[Any]:
    result, parts = [], [tree]
    while parts:
        part = parts.pop()
        if isinstance(part, tuple):
            parts += part
        elif isinstance(part, msgspec.Struct):
            result.append(part)
            parts += msgspec.structs.astuple(part)
    return result


def assert_typed(node: Any) -> None:
    for field in msgspec.structs.fields(node):
        value = getattr(node, field.name)
        assert fits(value, field.type), (node, field)


def fits(value: Any, hint: Any) -> bool:
    from typing import get_args, get_origin

    if get_origin(hint) is tuple:
        *_, last = parts = get_args(hint)
        if not isinstance(value, tuple):
            return False
        if last is Ellipsis:
            return all(fits(each, parts[0]) for each in value)
        return len(value) == len(parts) and all(map(fits, value, parts))
    if parts := get_args(hint):
        return any(fits(value, part) for part in parts)
    return type(value) is hint if hint in (int, bool, str) else isinstance(value, hint)


def test_a_deep_tree_is_refused() -> None:
    data = plain("not a")
    span, op, *operand, unary = data["steps"]
    for levels, fine in ((MAX_LEVELS - 1, True), (MAX_LEVELS, False), (100_000, False)):
        steps = [span, op] * levels + operand + [unary] * levels
        assert (decoded(data | {"steps": steps}) is not None) == fine


@pytest.mark.parametrize(
    "value, kind", [(CODE, "texts"), (1, "texts"), (10**16, "numbers"), ("os.system", "names"), (["a"], "names")]
)
def test_a_forged_entry_is_parsed_again(folder: Path, value: object, kind: str) -> None:
    tree = parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    data = msgspec.json.decode(entry.read_bytes().partition(b"\n")[2])
    data[kind][0] = value
    cache.write(entry.name, data)
    assert parse_expr(EXPR, "f", cached=True) == tree


@pytest.mark.parametrize("value", [1, "true", None, [], {"sound": True}, False])
@pytest.mark.sampled(1)
def test_only_true_says_that_starts_are_sound(
    folder: Path, value: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rulespec.engine.verify.starts.check_starts", lambda *_: asked.append(1))
    cache.write(cache.key("starts", load_ruleset("tutorial").sources_hash, rooms=STARTING), value)
    asked: list[int] = []
    assert check("tutorial", Report()) is not None and asked == [1]


@pytest.mark.parametrize("value", [1, "true", None, [], {"sound": True}, False])
def test_only_true_says_that_files_fit_their_schemas(
    folder: Path, value: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []

    def fits(*_: object) -> bool:
        asked.append(1)
        return True

    node = parse_kept("a: 1", "f.yaml")
    monkeypatch.setattr("rulespec.documents.schema_check.fits", fits)
    for times in (1, 1, 2):
        if times == 2:
            for entry in folder.iterdir():
                cache.write(entry.name, value)
        check_schema(node, {"type": "object"}, Report(), what="file", cached=True)
        assert len(asked) == times


@pytest.mark.parametrize("number", [CODE, "1", 1.5, None])
@pytest.mark.sampled(2)
def test_only_integers_are_written_into_source(number: Any) -> None:
    program = lower(load_ruleset("tutorial"), 2, {})
    for part in (
        ir.Const(number),
        ir.Cell(number, ir.Const(0), 1),
        ir.Local(number),
        ir.Row(number, ir.Local(0)),
        ir.Lookup(number, ir.Local(0), 0),
        ir.Op("/", (ir.Local(0), ir.Local(1)), number),
        ir.Call(number, ()),
    ):
        broken = msgspec.structs.replace(program, functions=(ir.Function("f", 1, (), part), *program.functions))
        with pytest.raises((ValueError, TypeError)):
            PythonBackend(broken, passes=())


def test_only_known_operators_are_written_into_source() -> None:
    program = lower(load_ruleset("tutorial"), 2, {})
    for part in (ir.Op(f"+ {CODE} +", (ir.Local(0), ir.Local(0))), ir.Logic(f"or {CODE} or", (ir.Local(0),) * 2)):
        broken = msgspec.structs.replace(program, functions=(ir.Function("f", 1, (), part), *program.functions))
        with pytest.raises(KeyError):
            PythonBackend(broken, passes=())


# --- what lies where an entry belongs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "loop", "device", "shared", "huge"])
def test_only_own_regular_files_are_read(folder: Path, kind: str, tmp_path: Path) -> None:
    tree = parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.unlink()
    if kind == "pipe":
        os.mkfifo(entry)  # to open it would never end
    elif kind == "folder":
        entry.mkdir()
    elif kind == "link":
        (tmp_path / "elsewhere").write_bytes(whole)
        entry.symlink_to(tmp_path / "elsewhere")
    elif kind == "loop":
        entry.symlink_to(entry)
    elif kind == "device":
        entry.symlink_to("/dev/zero")
    elif kind == "shared":
        entry.write_bytes(whole)
        entry.chmod(0o666)
    else:
        with entry.open("wb") as file:
            file.write(whole)
            file.truncate(10**12)
    assert cache.read(entry.name, DECODER) is None
    assert parse_expr(EXPR, "f", cached=True) == tree
    if kind not in ("folder", "pipe"):
        assert cache.read(entry.name, DECODER) is not None  # and is written again


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_to_is_not_used(folder: Path, mode: int) -> None:
    parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    folder.chmod(mode)
    assert cache.read(entry.name, DECODER) is None
    parse_expr("1 + 1", "f", cached=True)
    assert list(folder.iterdir()) == [entry]
    assert "may be written to by others" in cache.place()
    folder.chmod(0o755)
    assert cache.read(entry.name, DECODER) is not None and cache.place() == str(folder)


def test_a_folder_or_entry_of_another_user_is_not_used(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert cache.read(entry.name, DECODER) is None
    assert "belongs to another user" in cache.place()


def test_a_file_that_is_being_written_is_no_way_out(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(mode=0o700)
    (tmp_path / "precious").write_text("mine")
    key = cache.key("tree", "expr", EXPR, rooms=cache.LANGUAGE)
    (folder / f"{key}.{os.getpid()}.new").symlink_to(tmp_path / "precious")
    parse_expr(EXPR, "f", cached=True)
    assert (tmp_path / "precious").read_text() == "mine"


def test_only_own_entries_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is set to one of somebody's files: notes, and files that have hashes for names, as ours have."""
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path))
    monkeypatch.setattr(cache, "MAX_ENTRIES", 10)
    monkeypatch.setattr(cache, "PRUNE_EVERY", 1)
    theirs = [f"{n:064x}" for n in range(30)] + [f"note {n}" for n in range(30)] + ["0" * 64 + ".1.new"]
    for name in theirs:
        (tmp_path / name).write_text("mine")
        os.utime(tmp_path / name, (1, 1))
    (tmp_path / "a folder").mkdir()
    (tmp_path / ("f" * 64)).symlink_to(tmp_path / "note 1")
    for i in range(100):
        cache.write(cache.key(str(i)), i)
    assert all((tmp_path / name).read_text() == "mine" for name in [*theirs, "f" * 64])
    assert len(list(tmp_path.iterdir())) - len(theirs) - 2 <= 11


def test_version_says_where_the_cache_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def message(name: str) -> str:
        monkeypatch.setenv("RULESPEC_CACHE", name)
        done = CliRunner().invoke(cli, ["--version"])
        assert done.exit_code == 0
        return done.output.splitlines()[1]

    assert message(str(folder)) == f"cache: {folder}"
    assert message("") == "cache: none (RULESPEC_CACHE is empty)"
    folder.mkdir()
    folder.chmod(0o777)
    assert message(str(folder)) == f"cache: none ({folder} may be written to by others)"
    assert message("x" * 5000).startswith("cache: none (") and message("x" * 5000).endswith("File name too long)")


@pytest.mark.proof
def test_a_pipe_in_the_folder_stalls_no_command(folder: Path) -> None:
    env = {**os.environ, "RULESPEC_CACHE": str(folder)}
    line = [sys.executable, "-m", "rulespec.cli.main", "validate", "--no-play", "tutorial"]
    first = subprocess.run(line, env=env, capture_output=True, check=True, timeout=DEADLINE)
    for entry in list(folder.iterdir()):
        entry.unlink()
        os.mkfifo(entry, 0o600)
    again = subprocess.run(line, env=env, capture_output=True, check=True, timeout=DEADLINE)
    assert again.stdout == first.stdout
