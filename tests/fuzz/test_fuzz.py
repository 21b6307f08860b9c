"""Fuzzing on a small scale: past findings stay fixed, and a few inputs for every entry point end well."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from types import SimpleNamespace

import pytest
from folders import TESTS

from fuzz import file_mutate
from fuzz.__main__ import Fuzzer
from fuzz.file_mutate import FileMutator
from fuzz.grammar import Writer
from fuzz.parts import joined, split, write
from fuzz.played import play
from fuzz.seeds import seeds
from fuzz.session import Session, Wrong
from fuzz.shrink import shrink
from fuzz.targets import TARGETS
from fuzz.worker import Worker
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.verify.combinations import CombinationGames
from rulespec.syntax.parser import parse_rules

FOLDER = TESTS / "fixtures" / "fuzz"
INPUTS = int(os.environ.get("RULESPEC_FUZZ", "25"))
SECONDS = 40  # processor seconds: fails only for hangs; `python -m fuzz` is stricter
SAVED = sorted(p for p in FOLDER.glob("*/*"))


@pytest.fixture(scope="module", params=TARGETS)
def worker(request: pytest.FixtureRequest) -> Iterator[Worker]:
    with Worker(request.param, SECONDS) as it:
        yield it


@pytest.mark.parametrize("worker", sorted({path.parent.name for path in SAVED}), indirect=True)
@pytest.mark.sampled(1)
def test_what_was_found_stays_mended(worker: Worker) -> None:
    wrong = {p.name: worker.run(p.read_bytes()).wrong for p in SAVED if p.parent.name == worker.target}
    assert not any(wrong.values()), wrong


@pytest.mark.sampled(1)
def test_any_input_ends_with_an_exit_code_and_a_message(worker: Worker, tmp_path: Path) -> None:
    fuzzer = Fuzzer(worker.target, 0, tmp_path)
    said: set[str] = set()
    for number in range(INPUTS):
        data = fuzzer.input()
        outcome = worker.run(data)
        assert not outcome.wrong, f"input {number}: {outcome.wrong}\n{data[:5000]!r}"
        said.update(outcome.said)
    assert len(said) > 2
    assert not {path.parent.name for path in SAVED} - TARGETS.keys()


@pytest.mark.parametrize("name", TARGETS)
@pytest.mark.sampled(1)
def test_the_seeds_of_every_target_lead_to_its_end(name: str) -> None:
    """Otherwise, all inputs would be refused early, and the rest would go untested."""
    with Worker(name) as worker:
        outcomes = (worker.run(data) for data in seeds(name)[:12])
        assert any(said.endswith(" 0") for outcome in outcomes for said in outcome.said)


PLAYED = """\
id: home
title: Home
version: "1.0"
players: {kind: player, min: 1, max: 2}
units: [money]
start: play
--- rules/play.rules
procedure play():
    for p in player:
        decide turn by p:
            option go_on:
"""


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize(
    "effect, said",
    [
        ("pass", "a game ends (False, False)"),
        ('require false "never"', "a game ends (False, True)"),
        ("ask again", "a game ends (True, False)"),
        ("set p.cash to 1 money / (players - players)", "validate 1"),
    ],
)
def test_what_validate_plays_is_tried_out(effect: str, said: str) -> None:
    with Worker("play", SECONDS) as worker:
        outcome = worker.run(f"{PLAYED}                {effect}\n".encode())
    assert not outcome.wrong, outcome.wrong
    assert said in outcome.said


def test_another_game_in_python_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write(split(f"{PLAYED}                pass\n".encode(), "game.yaml"), tmp_path / "home")
    session = Session(b"x")
    play(Path("home"), session)
    assert "validate 0" in session.said
    other = SimpleNamespace(decisions=7, ending="nobody", failure=None)
    monkeypatch.setattr(CombinationGames, "again", lambda games, number: other)
    with pytest.raises(Wrong, match="is another one in Python"):
        play(Path("home"), session)


# --- what watches ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "mistake, kind",
    [
        ("raise KeyError('x')", "KeyError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("import os; os.abort()", "crash"),
        ("9 ** 9 ** 9", "hang"),  # in C, where Python's signal handlers do not run
        ("x = b'x' * 600_000_000", "large"),
        ("x = bytearray(9_000_000_000)", "MemoryError"),
        ("print('{', end='')", ""),
        ("import warnings; warnings.warn('once')", "UserWarning"),
    ],
)
@pytest.mark.sampled(1)
def test_a_mistake_is_seen(mistake: str, kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The worker process imports this instead of the targets.
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\n"
        "class Target:\n"
        "    def run(self, data, folder):\n"
        f"        {mistake}\n"
        "        return {'done 0'}\n"
        "sys.modules['fuzz.targets'] = types.SimpleNamespace(TARGETS={'yaml': Target()})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    # Only a hang may reach the time limit, on machines under any load.
    with Worker("yaml", seconds=1 if kind == "hang" else SECONDS) as worker:
        outcome = worker.run(b"x")
        assert outcome.kind.partition(" ")[0] == kind, outcome.wrong
        assert bool(outcome.wrong) == bool(kind)


def test_a_failure_is_kept_and_made_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys, types\n"
        "class Target:\n"
        "    def run(self, data, folder):\n"
        "        assert b'title' not in data\n"
        "        return {'done 0'}\n"
        "sys.modules['fuzz.targets'] = types.SimpleNamespace(TARGETS={'sections': Target()})\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    fuzzer = Fuzzer("sections", 0, tmp_path / "out")
    with Worker("sections") as worker:
        for data in (b"id: x\n", b"id: x\ntitle: x\n", b"title: y\n"):
            fuzzer.try_out(worker, data)
    assert (fuzzer.summary.inputs, len(fuzzer.summary.failures)) == (3, 1)
    (small,) = (tmp_path / "out" / "sections").glob("*.input")
    assert small.read_bytes() == b"title"


@pytest.mark.proof
def test_a_run_ends_and_tells_what_it_came_to(tmp_path: Path) -> None:
    summary = Fuzzer("yaml", 0, tmp_path).run(0, inputs=40)
    note = json.loads((tmp_path / "yaml" / "summary.json").read_text())
    assert note == json.loads(json.dumps(asdict(summary)))
    assert note["inputs"] >= 40 and note["failures"] == []


# --- what makes inputs ------------------------------------------------------------------------------------------------


@pytest.mark.proof
def test_an_input_is_made_anew_by_its_seed(tmp_path: Path) -> None:
    for name in ("log", "rules", "seat", "tar", "zip", "parquet", "svg"):
        one, two = (Fuzzer(name, 7, tmp_path) for _ in range(2))
        assert [one.input() for _ in range(9)] == [two.input() for _ in range(9)]


@pytest.mark.parametrize(
    "name, sign, at",
    [
        ("tar", b"ustar", 257),
        ("zip", b"PK\5\6", None),
        ("parquet", b"PAR1", -4),
        ("svg", b"</svg>", None),
        ("store", b"SQLite", 0),
    ],
)
@pytest.mark.sampled(1)
def test_a_changed_file_keeps_its_form(
    name: str, sign: bytes, at: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Most mutations preserve the format; otherwise, all would be refused at the first bytes."""
    monkeypatch.setattr(file_mutate, "_COUNTS", (1, 2, 16))  # 5,000 large parts take a second to compress
    fuzzer = Fuzzer(name, 1, tmp_path)
    inputs = [fuzzer.input() for _ in range(60)]
    formed = [data for data in inputs if (sign in data if at is None else data[at:].startswith(sign))]
    packed = [data for data in inputs if data.startswith((b"\x1f\x8b", b"BZh"))]
    assert len(formed) + len(packed) > 30
    assert len(set(inputs)) > 40


def test_a_changed_header_of_tar_has_its_checksum(tmp_path: Path) -> None:
    fuzzer = Fuzzer("tar", 1, tmp_path)
    plain = next(data for data in fuzzer.corpus if data[257:262] == b"ustar")
    mutator = FileMutator(fuzzer.rng, fuzzer.corpus)
    headers = [mutator._field(plain[:512]) for _ in range(40)]
    sums = [256 + sum(header) - sum(header[148:156]) == int(header[148:154], 8) for header in headers]
    assert all(sums) and len(set(headers)) > 10


def test_a_part_without_a_change_is_written_as_it_was() -> None:
    """Reading the footer for mutation and writing it back loses nothing."""
    import thrift_writer as thrift

    from fuzz.foreign import part_of_results, part_of_store

    for part in (part_of_store(), part_of_results()):
        size = int.from_bytes(part[-8:-4], "little")
        fields, _ = thrift.read(part[-8 - size : -8])
        assert thrift.written(fields) == part[-8 - size : -8]


def test_a_damaged_length_is_not_believed() -> None:
    """The list claims more entries than there are bytes."""
    import thrift_writer as thrift

    for kind in (thrift.BYTE, thrift.LIST, thrift.TRUE):
        with pytest.raises(ValueError, match="longer"):
            thrift.read(b"\x19" + bytes([0xF0 | kind]) + b"\xff" * 8 + b"\x7f\0\0\0")


def test_files_of_an_input_lead_nowhere_else(tmp_path: Path) -> None:
    data = b"a\n--- x/y.yaml\nb\n--- ../z.yaml\n--- /z.yaml\n--- x.py\n--- log.jsonl\nc"
    parts = split(data, "first.yaml")
    assert list(parts) == ["first.yaml", "x/y.yaml", "log.jsonl"]
    assert split(joined(parts, "first.yaml"), "first.yaml") == {**parts, "log.jsonl": b"c\n"}
    write(parts, tmp_path / "home")
    assert {p.name for p in tmp_path.rglob("*") if p.is_file()} == {"first.yaml", "y.yaml", "log.jsonl"}


def test_what_the_grammar_makes_can_be_parsed() -> None:
    refused = []
    for number in range(60):
        text = Writer(random.Random(number), ["oak", "p", "turn"]).text("rules", 6)
        try:
            parse_rules(text, "f")
        except DiagnosticsError as error:
            refused += [d.message for d in error.diagnostics]
    assert len(refused) < 10, refused  # brackets and blocks may be nested too deeply


def test_shrinking_leaves_what_matters() -> None:
    data = "".join(f"line {n}\n" for n in range(200)).encode()
    assert shrink(data, lambda d: b"7" in d and b"line 13" in d, 30) in (b"line 137", b"7line 13", b"line 13\n7")
