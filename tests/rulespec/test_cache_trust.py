"""Write access to the cache folder gains nothing: no code, no hang, no other result, and no lost file.

An entry counts as missing unless this user's own processes signed it under its name.
"""

from __future__ import annotations

import multiprocessing
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from hashlib import blake2b, sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from commands import invoke
from deadlines import DEADLINE
from folders import RULESETS
from kept_rulesets import LOADERS
from proofs import proofs_but

from rulespec import cache, load
from rulespec.cli.main import cli
from rulespec.cli.validate import STARTING, check
from rulespec.diagnostics.report import Report
from rulespec.documents import schema_check
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.schema_check import check_schema
from rulespec.load import load_ruleset
from rulespec.syntax.ast_json import PackedTree
from rulespec.syntax.parser import parse_expr

EXPR = "sum(a.b for a in town where not (a == none or a in {oak, elm})) + 3 money if n is some else min(1, -2)"
DECODER = msgspec.json.Decoder(PackedTree)
NUMBERS = msgspec.json.Decoder(list[int])


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name, function in LOADERS.items():
        monkeypatch.setattr(load, name, function)
    return tmp_path / "cache"


# --- forged entries ---------------------------------------------------------------------------------------------------


def _hex(text: str) -> bytes:
    return b"rulespec cache entry " + text.encode()


def _by(key: bytes, name: str, body: bytes) -> bytes:
    """The first line of an entry signed with another key."""
    return _hex(blake2b(name.encode() + b"\n" + body, key=key, digest_size=32).hexdigest())


FORGERIES: dict[str, Callable[[str, bytes], bytes]] = {
    "nothing": lambda name, body: b"",
    "no signature": lambda name, body: _hex(""),
    "a checksum": lambda name, body: _hex(sha256(body).hexdigest()),
    "a checksum of name and value": lambda name, body: _hex(sha256(name.encode() + b"\n" + body).hexdigest()),
    "another key": lambda name, body: _by(b"k" * 32, name, body),
    "no key": lambda name, body: _by(b"", name, body),
    "zeros": lambda name, body: _hex("0" * 64),
    "the form of an earlier version": lambda name, body: _hex(f"signed {sha256(body).hexdigest()}"),
    "its own signature of another value": lambda name, body: cache.header(name, b"[9]"),
    "its own signature of another name": lambda name, body: cache.header("0" * 64, body),
    "its own signature, cut": lambda name, body: cache.header(name, body)[:-1],
    "its own signature, longer": lambda name, body: cache.header(name, body) + b"0",
    "its own signature in capitals": lambda name, body: cache.header(name, body).upper(),
}
"""First lines that can be written without the key."""


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forged_entry_is_a_missing_one(folder: Path, forgery: str) -> None:
    name = cache.key("numbers", "1")
    cache.write(name, [1, 2])
    assert cache.read(name, NUMBERS) == [1, 2]
    for body in (b"[1,3]", b"[1,2]"):  # even the true value is not accepted
        (folder / name).write_bytes(FORGERIES[forgery](name, body) + b"\n" + body)
        assert cache.read(name, NUMBERS) is None


@pytest.mark.parametrize("end", [0, 1, 20, 21, 84, 85, 86, 88, -1])
def test_a_truncated_entry_is_a_missing_one(folder: Path, end: int) -> None:
    name = cache.key("numbers", "1")
    cache.write(name, [1, 2])
    whole = (folder / name).read_bytes()
    (folder / name).write_bytes(whole[:end])
    assert cache.read(name, NUMBERS) is None


def test_an_entry_is_one_under_its_own_name_only(folder: Path) -> None:
    one, other = cache.key("numbers", "1"), cache.key("numbers", "2")
    cache.write(one, [1, 2])
    (folder / one).rename(folder / other)
    assert cache.read(other, NUMBERS) is None
    (folder / other).rename(folder / one)
    assert cache.read(one, NUMBERS) == [1, 2]


def _forge(folder: Path, change: Callable[[bytes], bytes], forgery: str) -> None:
    """Changes the values of all entries."""
    for entry in folder.iterdir():
        body = change(entry.read_bytes().partition(b"\n")[2])
        entry.write_bytes(FORGERIES[forgery](entry.name, body) + b"\n" + body)


def _other_numbers(body: bytes) -> bytes:
    return body.replace(b"1", b"3").replace(b"2", b"1")


@pytest.mark.parametrize("game", proofs_but(["tutorial", "imperial+playimperial", "nim"], "nim"))
@pytest.mark.parametrize("change", [_other_numbers, lambda body: body, lambda body: b"true"])
@pytest.mark.parametrize("forgery", ["a checksum", "another key"])
@pytest.mark.sampled(2)
def test_forged_entries_play_no_other_game(
    folder: Path, game: str, change: Callable[[bytes], bytes], forgery: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_check, "_VALIDATORS", {})  # as in another process, with nothing compiled yet
    sound = load_ruleset(game)
    written = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
    _forge(folder, change, forgery)
    monkeypatch.setattr(schema_check, "_VALIDATORS", {})
    again = load_ruleset(game)
    assert again.hash == sound.hash and repr(again.rules) == repr(sound.rules)
    assert {entry.name: entry.read_bytes() for entry in folder.iterdir()} == written  # rewritten unchanged


@pytest.mark.proof  # 0.6 s
def test_entries_that_have_changed_places_play_no_other_game(folder: Path) -> None:
    sound = load_ruleset("tutorial")
    entries = sorted(folder.iterdir())
    bodies = [entry.read_bytes() for entry in entries]
    for entry, body in zip(entries, bodies[1:] + bodies[:1], strict=True):
        entry.write_bytes(body)
    again = load_ruleset("tutorial")
    assert again.hash == sound.hash and repr(again.rules) == repr(sound.rules)


@pytest.mark.parametrize("value", [b"true", b"[0,0,0,[]]", b'{"games":9,"combinations":9,"of":9,"diagnostics":[]}'])
def test_no_forged_entry_hides_a_mistake(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: bytes
) -> None:
    """Forged entries claim that everything `validate` looks up is sound."""
    shutil.copytree(RULESETS / "nim", game := tmp_path / "game")
    rules = next(game.glob("rules/*.rules"))
    rules.write_text(rules.read_text("utf-8") + "\ndef unused() -> int: 1\n", "utf-8")
    keys: list[str] = []
    plain = cache.read

    def asked(key: str, decoder: msgspec.json.Decoder[object]) -> object:
        keys.append(key)
        return plain(key, decoder)

    with monkeypatch.context() as patch:
        patch.setattr(cache, "read", asked)
        patch.setattr("rulespec.documents.schema_check._VALIDATORS", {})  # as in a new process
        first = invoke("validate", game, "--no-play")
    assert "RS405" in first[1] + first[2] and len(keys) > 10
    for key in keys:
        (folder / key).write_bytes(FORGERIES["another key"](key, value) + b"\n" + value)
        (folder / key).chmod(0o600)
    monkeypatch.setattr("rulespec.documents.schema_check._VALIDATORS", {})
    assert invoke("validate", game, "--no-play") == first


def test_a_signed_entry_of_another_type_is_a_missing_one(folder: Path) -> None:
    name = cache.key("numbers", "1")
    cache.write(name, {"a": 1})
    assert cache.read(name, NUMBERS) is None


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize("value", [1, "true", None, [], {"sound": True}, False])
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


def test_where_a_schema_is_compiled_the_cache_is_not_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cache lookup takes longer than the check: schemas are written out, and files are read."""
    asked: list[str] = []
    plain = cache.read

    def noted(key: str, decoder: msgspec.json.Decoder[object]) -> object:
        asked.append(key)
        return plain(key, decoder)

    node, schema = parse_kept("a: 1", "f.yaml"), {"type": "object"}
    monkeypatch.setattr(cache, "read", noted)
    for _ in range(3):
        check_schema(node, schema, Report(), what="file", cached=True)
    assert len(asked) == 1
    check_schema(node, {"type": "array"}, report := Report(), what="file", cached=True)
    assert len(asked) == 2 and [d.code for d in report.diagnostics] == ["RS213"]


# --- what lies where an entry belongs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pipe", "folder", "link", "loop", "device", "shared", "huge"])
def test_only_own_regular_files_are_read(folder: Path, kind: str, tmp_path: Path) -> None:
    tree = parse_expr(EXPR, "f", cached=True)
    (entry,) = folder.iterdir()
    whole = entry.read_bytes()
    entry.unlink()
    if kind == "pipe":
        os.mkfifo(entry)  # opening it would block forever
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
        assert cache.read(entry.name, DECODER) is not None  # and is rewritten


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


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder accessible to other users, with a cache folder and a state folder per user."""
    root = Path(tempfile.mkdtemp())
    root.chmod(0o755)
    monkeypatch.setenv("RULESPEC_CACHE", str(root / "cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(root / "first"))
    yield root
    shutil.rmtree(root)


def _as_another_user(root: Path, results: multiprocessing.Queue[tuple[object, str]]) -> None:
    os.setuid(54_321)
    os.environ["XDG_STATE_HOME"] = str(root / "second")
    name = cache.key("numbers", "1")
    before = cache.read(name, NUMBERS)
    cache.write(name, [3])
    results.put((before, cache.place()))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be two users")
@pytest.mark.parametrize("mode", [0o755, 0o777, 0o1777])
def test_two_users_of_one_folder_read_nothing_of_each_other(shared: Path, mode: int) -> None:
    folder = shared / "cache"
    name = cache.key("numbers", "1")
    cache.write(name, [1])
    (shared / "second").mkdir()
    os.chown(shared / "second", 54_321, -1)
    folder.chmod(mode)
    (folder / name).chmod(0o644)
    fork = multiprocessing.get_context("fork")
    results: multiprocessing.Queue[tuple[object, str]] = fork.Queue()
    other = fork.Process(target=_as_another_user, args=(shared, results))
    other.start()
    before, place = results.get(timeout=DEADLINE)
    other.join()
    assert before is None and place.startswith("none (")
    assert [entry.name for entry in folder.iterdir()] == [name]
    assert cache.read(name, NUMBERS) == ([1] if mode == 0o755 else None)
    folder.chmod(0o755)
    assert cache.read(name, NUMBERS) == [1]


def test_an_entry_that_another_user_has_put_there_is_a_missing_one(folder: Path, tmp_path: Path) -> None:
    """The entry has the user's own key, in a temporarily accessible folder."""
    name = cache.key("numbers", "1")
    cache.write(name, [1])
    own = (tmp_path / "state/rulespec/signing_key").read_bytes()
    assert len(own) == 32
    (folder / name).write_bytes(_by(bytes(reversed(own)), name, b"[3]") + b"\n[3]")
    assert cache.read(name, NUMBERS) is None


def test_a_file_that_is_being_written_is_no_way_out(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(mode=0o700)
    (tmp_path / "precious").write_text("mine")
    key = cache.key("tree", "expr", EXPR, rooms=cache.LANGUAGE)
    (folder / f"{key}.{os.getpid()}.new").symlink_to(tmp_path / "precious")
    parse_expr(EXPR, "f", cached=True)
    assert (tmp_path / "precious").read_text() == "mine"


def test_only_own_entries_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The setting points to a folder of a user's files: notes, and files named by hashes like cache entries."""
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
