"""A log that includes its rules replays by itself, in any folder and under any installed version of the rules."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import invoke, spoken
from folders import GAMES, RULESETS

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.engine.logs.native import read_log
from rulespec.engine.replay.replay import named_ruleset, replay_log
from rulespec.load import load_ruleset

QUICKSTART = GAMES / "imperial" / "logs" / "quickstart.jsonl"
OVERLAY = 'id: {0}\ntitle: {0}\nversion: "1"\ndoc: An overlay of the tests.\nfor: nim\n'


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that contains unpublished rules."""
    folder = tmp_path / "home"
    shutil.copytree(RULESETS / "nim", folder / "nim")
    shutil.copytree(RULESETS / "nim", folder / "inner" / "heaps+more")
    (folder / "own" / "titles").mkdir(parents=True)
    (folder / "own" / "more.yaml").write_text(OVERLAY.format("more"))
    (folder / "own" / "titles" / "more.yaml").write_text("title: More Nim\n")
    (folder / "own" / "titles" / "more.de.yaml").write_text("title: Mehr Nim\n")
    (folder / "more.yaml").write_text(OVERLAY.format("more_of_it"))
    (folder / "over").mkdir()
    (folder / "over" / "game.yaml").write_text(
        'id: over\ntitle: Over\nversion: "1"\ndoc: Over another.\nextends: nim+tall\noverlays: []\n'
    )
    monkeypatch.chdir(folder)
    monkeypatch.delenv("RULESPEC_PATH", raising=False)
    return folder


def played(ref: str, log: str = "game.jsonl") -> Path:
    code, output = spoken("play", ref, "--players", 2, "--bots", 2, "--seed", 7, "--log", log)
    assert code == 0, output
    return Path(log)


def refused(*args: object) -> str:
    """The message of a command that refuses the file."""
    with pytest.raises(DiagnosticsError) as caught:
        invoke(*args)
    return f"{caught.value} {caught.value.diagnostics[0].help}"


OWN = {
    "a folder": "./nim",
    "a folder with a strange name": "./inner/heaps+more/",
    "an overlay by its id": "./nim+tall",
    "an overlay of one's own": "./nim+./own/more.yaml",
    "two of the same name": "./nim+./own/more.yaml+./more.yaml",
    "an overlay in the ruleset's folder by its path": "./nim+./nim/variants/tall.yaml",
    "over another ruleset": "./over",
    "over another ruleset, with an overlay of one's own": "./over+./own/more.yaml",
}


@pytest.mark.parametrize("name", OWN)
@pytest.mark.sampled(4)
def test_a_log_of_ones_own_rules_carries_them(name: str, home: Path, tmp_path: Path) -> None:
    log = played(OWN[name])
    before = replay_log(log)
    assert before.game.ruleset.hash == load_ruleset(OWN[name]).hash
    shutil.move(log, tmp_path / "game.jsonl")
    shutil.rmtree(home)
    home.mkdir()
    log = tmp_path / "game.jsonl"
    code, output = spoken("replay", log)
    assert code == 0 and f"under the rules in the log ({before.game.ruleset.ref}, as of " in output
    after = replay_log(log)
    assert (after.game.hash, after.game.result, after.divergence) == (before.game.hash, before.game.result, None)
    assert str(home) not in log.read_text() and str(home) not in str(dict(after.game.ruleset.sources))
    for args in (
        ("view", log, "--out", tmp_path / "game.html"),
        ("draw", log, "--out", tmp_path / "game.svg"),
        ("log", log, "--public"),
        ("replay", log, "--out", tmp_path / "again.jsonl"),
    ):
        code, output = spoken(*args)
        assert code == 0 and "under the rules in the log" in output, args
    assert "under the rules in the log" in (tmp_path / "game.html").read_text()
    assert (tmp_path / "again.jsonl").read_text() == log.read_text()


@pytest.mark.proof
def test_a_log_of_shipped_rules_does_not(home: Path) -> None:
    assert read_log(played("tutorial")).header.bundle is None


@pytest.mark.proof
def test_titles_and_drawings_travel_with_it(home: Path, tmp_path: Path) -> None:
    log = played("./nim+./own/more.yaml")
    shutil.rmtree(home / "own")
    assert "More Nim" in spoken("replay", log)[1]
    assert "Mehr Nim" in spoken("replay", log, "--language", "de")[1]
    shutil.copy(QUICKSTART, "quick.jsonl")
    picture = spoken("draw", "quick.jsonl", "--out", "a.svg")
    assert picture[0] == 0 and spoken("log", "quick.jsonl", "--bundle", "--out", "whole.jsonl")[0] == 0
    assert spoken("draw", "whole.jsonl", "--out", "b.svg")[0] == 0
    assert Path("a.svg").read_text() == Path("b.svg").read_text()


def test_a_game_goes_on_under_the_rules_that_it_carries(home: Path, tmp_path: Path) -> None:
    code, _ = spoken("play", "./nim", "--players", 2, "--log", tmp_path / "g.jsonl", "--seed", 1, stdin="1\nq\n")
    assert code == 0
    shutil.rmtree(home / "nim")
    code, output = spoken("play", tmp_path / "g.jsonl", stdin="1\nq\n")
    assert code == 0 and "under the rules in the log (nim, as of " in output and "continues after 1 decision" in output
    assert len(read_log(tmp_path / "g.jsonl").entries) == 2
    assert read_log(tmp_path / "g.jsonl").header.bundle is not None
    code, _, messages = invoke("play", tmp_path / "g.jsonl", "--log", "other.jsonl")
    assert code == 2 and "omit --log" in messages


def test_rules_that_have_changed_since_do_not_matter(home: Path) -> None:
    log = played("./nim")
    tables = home / "nim" / "tables.yaml"
    (home / "games").mkdir()
    tables.write_text(tables.read_text().replace("9", "30"))
    shutil.copytree(home / "nim", home / "games" / "nim")
    assert spoken("replay", log)[0] == 0
    assert "RS618" in spoken("replay", log, "--rules", "./nim")[1]
    code, output = spoken("diff", log, "./nim")
    assert code == 1 and "9" in output and "30" in output and "1 difference" in output


def test_diff_of_a_log_without_rules_says_how_to_put_them_in(home: Path) -> None:
    messages = refused("diff", QUICKSTART, "imperial")
    assert "RS660" in messages and "--bundle" in messages


@pytest.mark.proof  # 0.4 s
def test_rules_are_put_into_a_log_and_its_lines_stay(home: Path) -> None:
    shutil.copy(QUICKSTART, "quick.jsonl")
    assert invoke("log", "quick.jsonl", "--bundle", "--out", "whole.jsonl")[0] == 0
    plain, whole = Path("quick.jsonl").read_text().split("\n"), Path("whole.jsonl").read_text().split("\n")
    assert whole[1:] == plain[1:]
    header = json.loads(whole[0])
    bundle = header.pop("bundle")
    assert header == json.loads(plain[0])
    assert len(bundle["packed"]) < 72_000
    assert invoke("log", "whole.jsonl", "--bundle")[1].rstrip() == Path("whole.jsonl").read_text().rstrip()
    Path("whole.jsonl.gz").write_bytes(gzip.compress(Path("whole.jsonl").read_bytes()))
    assert spoken("replay", "whole.jsonl.gz")[0] == 0


def other_hash(text: str) -> str:
    header, end, rest = text.partition("\n")
    return json.dumps(json.loads(header) | {"ruleset_hash": "01" * 16, "sources_hash": "0" * 32}) + end + rest


def other_overlay(text: str) -> str:
    header, end, rest = text.partition("\n")
    return json.dumps(json.loads(header) | {"ruleset": "imperial+first_edition"}) + end + rest


@pytest.mark.sampled(2)
@pytest.mark.parametrize("change", [other_hash, other_overlay])
@pytest.mark.parametrize("flag", ["--bundle", "--bundle-beside"])
def test_other_rules_than_the_logs_own_are_not_put_in(change: Callable[[str], str], flag: str, home: Path) -> None:
    Path("quick.jsonl").write_text(change(QUICKSTART.read_text()))
    assert "RS661" in refused("log", "quick.jsonl", flag, "--rules", "imperial")
    assert not Path("rules").exists()


def test_rules_that_mean_the_same_are_put_in_but_are_not_found_beside_it(home: Path) -> None:
    log = played("./nim")
    header, _, rest = log.read_text().partition("\n")
    log.write_text(json.dumps({k: v for k, v in json.loads(header).items() if k != "bundle"}) + "\n" + rest)
    tables = home / "nim" / "tables.yaml"
    tables.write_text("# as in the book\n" + tables.read_text())
    assert "RS661" in refused("log", log, "--bundle-beside", "--rules", "./nim")
    assert spoken("log", log, "--bundle", "--rules", "./nim", "--out", "whole.jsonl")[0] == 0
    shutil.rmtree(home / "nim")
    code, output = spoken("replay", "whole.jsonl")
    assert code == 0 and "under the rules in the log (nim, as of " in output and "RS618" not in output


@pytest.mark.proof  # 0.3 s
def test_rules_lie_beside_many_logs_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = home / "corpus"
    corpus.mkdir()
    for number in range(3):
        shutil.copy(QUICKSTART, corpus / f"{number}.jsonl")
    played("./nim+tall", "corpus/nim.jsonl")
    code, output, _ = invoke("log", *sorted(corpus.glob("*.jsonl")), "--bundle-beside")
    assert code == 0 and len(output.splitlines()) == 2
    assert len(list((corpus / "rules").iterdir())) == 2
    code, output = spoken("replay", *sorted(corpus.glob("?.jsonl")))
    assert code == 0 and output.count("under the rules in the log (imperial, as of ") == 3
    ruleset = named_ruleset(read_log(corpus / "0.jsonl"))
    assert all(name.startswith("(in the log)/") for name in ruleset.sources)


def spoiled(text: str) -> str:
    return text.replace("rulespec_bundle", "rulespec_box")


def of_another(text: str) -> str:
    data = json.loads(text)
    return json.dumps(data | {"sources": "0" * 32})


@pytest.mark.parametrize(
    "change, code",
    [(spoiled, "RS656"), (of_another, "RS659"), (lambda t: t[:-9], "RS656"), (lambda _: "[" * 99_999, "RS656")],
)
@pytest.mark.sampled(2)
def test_rules_beside_a_log_are_a_strangers_too(change: Callable[[str], str], code: str, home: Path) -> None:
    shutil.copy(QUICKSTART, "quick.jsonl")
    assert invoke("log", "quick.jsonl", "--bundle-beside")[0] == 0
    (path,) = Path("rules").iterdir()
    path.write_text(change(path.read_text()))
    status, _, messages = invoke("replay", "quick.jsonl")
    assert status == 2 and code in messages


def test_a_link_beside_a_log_leads_nowhere(home: Path) -> None:
    shutil.copy(QUICKSTART, "quick.jsonl")
    assert invoke("log", "quick.jsonl", "--bundle-beside")[0] == 0
    (path,) = Path("rules").iterdir()
    outside = shutil.move(path, home.parent / "outside")
    path.symlink_to(outside)
    code, _, messages = invoke("replay", "quick.jsonl")
    assert code == 2 and "RS106" in messages


def test_a_header_names_no_file_beside_it(home: Path) -> None:
    header, _, rest = QUICKSTART.read_text().partition("\n")
    for hash_ in ("../../secret", "/etc/passwd", "x" * 64, ""):
        Path("quick.jsonl").write_text(json.dumps(json.loads(header) | {"sources_hash": hash_}) + "\n" + rest)
        code, output = spoken("replay", "quick.jsonl")
        assert code == 0 and "in the log (" not in output


def test_rules_in_a_log_do_not_take_part_in_tests_of_a_ruleset(home: Path) -> None:
    log = played("./nim")
    for old in (home / "nim" / "logs").glob("*"):
        shutil.rmtree(old) if old.is_dir() else old.unlink()
    shutil.copy(log, home / "nim" / "logs" / "game.jsonl")
    assert spoken("test", "./nim")[0] == 0
    tables = home / "nim" / "tables.yaml"
    tables.write_text(tables.read_text().replace("9", "2"))
    assert spoken("test", "./nim")[0] == 1


@pytest.mark.proof  # 0.2 s
def test_an_overlay_is_laid_over_the_rules_in_a_log_where_they_are_at_hand(home: Path) -> None:
    assert invoke("replay", played("./nim"), "--under", "+tall")[0] in (0, 1)
    tables = home / "nim" / "tables.yaml"
    before = tables.read_text()
    tables.write_text(before.replace("9", "30"))
    code, _, messages = invoke("replay", "game.jsonl", "--under", "+tall")
    assert code == 2 and "RS624" in messages
    tables.write_text(before)
    code, output = spoken("replay", "game.jsonl", "--under", "./nim")
    assert code == 0 and "recorded under the rules in the log (nim, as of " in output
    code, output = spoken("replay", "game.jsonl", "game.jsonl", "--under", "./nim")
    assert code == 0 and "under the other rules: 2 legal, 2 with the same winners" in output
    result = json.loads(spoken("replay", "game.jsonl", "--under", "./nim", "--format", "json")[1])
    assert result["logs"][0]["rules_in_log"] is True


@pytest.mark.parametrize(
    "args",
    [
        [],
        ["--bundle", "--for", "A"],
        ["--bundle", "--bundle-beside"],
        ["--bundle", "--check", "x.jsonl"],
        ["--bundle-beside", "--out", "x"],
    ],
)
def test_one_thing_at_a_time_is_asked_of_a_log(args: list[str], home: Path) -> None:
    assert invoke("log", QUICKSTART, *args)[0] == 2
    assert invoke("log", QUICKSTART, QUICKSTART, "--bundle")[0] == 2
