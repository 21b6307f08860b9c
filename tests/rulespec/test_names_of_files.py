"""Names of files and folders: hidden ones are part of nothing, and strange ones can be named."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest
from commands import invoke, spoken
from folders import GAMES, ROOT

from rulespec import load_ruleset
from rulespec.cli.draw import watched
from rulespec.engine.dialects.dialect_files import dialects
from rulespec.engine.logs.samples import logs_in
from rulespec.lsp.files import EditorFiles
from rulespec.lsp.project import check, reference, references_at_hand
from rulespec.references import known_rulesets, parts_of

NIM = GAMES / "gallery" / "nim"
APPLE = b"\x00\x05\x16\x07\x00\x02\x00\x00Mac OS X        "


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RULESPEC_PATH", raising=False)


# --- hidden files -----------------------------------------------------------------------------------------------------

HIDDEN = [".#play", "._play", ".play", "..play", ".play.rules.swp-"]
PLACES = ["", "rules", "variants", "scenarios", "dialects", "logs", "titles", ".git", "rules/.git", "logs/.DS_Store.d"]


def litter(folder: Path) -> None:
    """Puts what other programs leave behind into every folder of a ruleset."""
    for place in PLACES:
        (folder / place).mkdir(exist_ok=True)
        for name in HIDDEN:
            for suffix in (".rules", ".yaml", ".jsonl", ".json"):
                if name == ".#play":
                    (folder / place / f"{name}{suffix}").symlink_to("user@host.1234:567")
                else:
                    (folder / place / f"{name}{suffix}").write_bytes(APPLE)
    for name in ("._titles.de.yaml", "._drawing.yaml", ".#game.yaml", "._measures.yaml", ".#extra.rules"):
        (folder / name).write_bytes(APPLE)


@pytest.mark.parametrize("game", ["gallery/nim", pytest.param("tutorial", marks=pytest.mark.proof)])
def test_what_is_hidden_is_part_of_nothing(game: str) -> None:
    shutil.copytree(GAMES / game, "box_1/own")
    shutil.copytree(GAMES / game, "box_2/own")
    litter(Path("box_2/own"))
    commands = [
        ("validate", "{}/own", "--no-play"),
        ("validate", "{}/own", "--overlays", "--no-play"),
        ("titles", "{}/own"),
        ("format", "{}/own", "--check"),
        ("test", "{}/own"),
        ("draw", "./{}/own", "--out", "{}.svg"),
        ("coverage", "{}/own", "--format", "json"),
    ]
    for words in commands:
        clean, littered = (spoken(*(word.format(name) for word in words)) for name in ("box_1", "box_2"))
        assert (littered[0], re.sub(r"\d+\.\d+ s", "", littered[1].replace("box_2", "box_1"))) == (
            clean[0],
            re.sub(r"\d+\.\d+ s", "", clean[1]),
        ), words
    assert load_ruleset("box_2/own").hash == load_ruleset("box_1/own").hash


@pytest.mark.proof  # 0.3 s
def test_what_is_hidden_starts_no_variant_and_is_no_game() -> None:
    shutil.copytree(NIM, "nim")
    litter(Path("nim"))
    shutil.copytree(NIM, ".hidden")
    shutil.copytree(NIM, "games/.hidden")
    assert spoken("new", "mine", "--from", "./nim")[0] == 0
    assert spoken("validate", "./mine")[0] == 0
    assert ".hidden" not in known_rulesets()
    assert "._play" not in invoke("validate", "nim+tal")[2]  # is not among what is meant
    assert invoke("validate", "nim+._play")[0] != 0
    assert invoke("validate", "./.hidden")[0] == 0  # who names it means it


def test_what_is_hidden_is_not_watched() -> None:
    shutil.copytree(NIM, "nim")
    done = []

    def change(_: float) -> None:
        done.append(1)
        path = Path(
            "nim/rules/.#play.rules" if len(done) == 1 else "nim/.git/x.yaml" if len(done) == 2 else "nim/x.yaml"
        )
        path.parent.mkdir(exist_ok=True)
        path.write_text("")

    assert len(list(watched([Path("nim")], rounds=3, sleep=change))) == 2


def test_what_is_hidden_is_no_log_and_no_dialect() -> None:
    shutil.copytree(NIM, "nim")
    litter(Path("nim"))
    assert all(not path.name.startswith(".") for path in [*logs_in(Path("nim/logs")), *dialects("nim")])


def test_an_editor_does_not_stop_at_a_lock() -> None:
    shutil.copytree(NIM, "nim")
    litter(Path("nim"))
    files, rules = EditorFiles(), Path("nim/rules/play.rules").resolve()
    files.open[rules] = rules.read_text("utf-8")
    ref = reference(rules, files)
    assert ref is not None
    checked, diagnostics = check(ref, files)
    assert checked is not None and not diagnostics
    assert references_at_hand(ref, files, "play")
    assert reference(rules.with_name("._play.rules"), files) is None


def test_folders_are_listed_in_one_place() -> None:
    """Elsewhere somebody would forget the files that are hidden."""
    listed = re.compile(r"\.(r?glob|iterdir)\(|os\.(walk|scandir)\(")
    allowed = {
        "rulespec/documents/folders.py",
        "rulespec/cache.py",  # its own folders
        "engine/simulate/parquet.py",  # parts by their whole names
        "engine/corpus/stores.py",  # the same
        "engine/corpus/position_moves.py",  # the tables of a store, by their whole names
        "engine/logs/samples.py",  # with an error if it cannot be read
        "serve/edit/first_map.py",  # up to a number, without the hidden ones
    }
    results = {
        path.relative_to(ROOT).as_posix()
        for room in ("rulespec", "engine", "drawing", "cli", "lsp", "pages", "serve", "guests")
        for path in (ROOT / room).rglob("*.py")
        if not path.is_symlink() and listed.search(path.read_text("utf-8"))
    }
    assert {name for name in results if not name.startswith(("rulespec/engine", "rulespec/cli"))} <= allowed


# --- strange names ----------------------------------------------------------------------------------------------------

STRANGE = [
    "c++",
    "a+b",
    "x + y",
    "a=b",
    "a,b",
    "-x",
    "--help",
    "ü ö",
    "it's",
    "nim+old",
    "$HOME",
    "#1",
    "a+b.yaml",
    "+",
]


@pytest.mark.parametrize("folder", STRANGE)
@pytest.mark.parametrize("form", [(), ("--map", "oak,elm"), ("--overlay",)])
@pytest.mark.sampled(1)
def test_new_prints_commands_that_work(folder: str, form: tuple[str, ...]) -> None:
    shutil.copytree(NIM, "nim")  # beside `nim+old`
    Path(folder).mkdir(exist_ok=True)
    ref = ("--from", "kuhn_poker") if form != ("--map", "oak,elm") else ()
    status, out, err = invoke("new", "mine", *ref, *form, f"--to={folder}")
    assert status == 0, err
    commands = [shlex.split(line) for line in out.splitlines() if line.startswith("  rulespec ")]
    assert len(commands) >= 2
    for _, *words in commands:
        status, out, err = invoke(*words)
        assert status in (0, 1 if words[0] == "diff" else 0), (words, out, err)


@pytest.mark.parametrize("folder", STRANGE)
@pytest.mark.sampled(2)
def test_any_folder_can_be_named(folder: str, tmp_path: Path) -> None:
    shutil.copytree(NIM, Path(folder, "own"))
    Path(folder, "house.yaml").write_text('id: house\ntitle: House\nfor: nim\nversion: "1.0"\n')
    own, house = str(tmp_path / folder / "own"), str(tmp_path / folder / "house.yaml")
    for ref in (own, f"{own}+{house}", f"nim+{house}", f"./{folder}/own+./{folder}/house.yaml"):
        assert load_ruleset(ref).id == "nim", ref
        assert len(parts_of(ref)) == 1 + ("house" in ref)
    for words in (("format", own, "--check"), ("draw", own, "--out", "x.svg"), ("perft", own, "--depth", "1")):
        assert spoken(*words)[0] == 0, words
    assert spoken("simulate", f"{own}+{house}", "--games", "2", "--out", "r.jsonl")[0] == 0
    file = Path(own, "rules/play.rules")
    files = EditorFiles()
    assert check(reference(file, files) or "", files)[0] is not None


@pytest.mark.parametrize(
    "ref, parts",
    [
        ("imperial", ["imperial"]),
        ("imperial+playimperial+a", ["imperial", "playimperial", "a"]),
        ("nim+old", ["nim", "old"]),  # as it has always been
        ("nim+old/", ["nim+old/"]),
        ("./nim+old/", ["./nim+old/"]),
        ("./a+b", ["./a+b"]),
        ("a+b", ["a+b"]),
        ("nim+a+x.yaml", ["nim", "a+x.yaml"]),
        ("nim+tall+a+x.yaml+tall", ["nim", "tall", "a+x.yaml", "tall"]),
        ("a+b+./c++/y.yaml", ["a+b", "./c++/y.yaml"]),
        ("nim+./c++/none.yaml", ["nim", "./c++/none.yaml"]),
        ("nim+./none.yaml+./c++/y.yaml", ["nim", "./none.yaml", "./c++/y.yaml"]),
        ("./c++/none", ["./c++/none"]),
        ("none+a", ["none", "a"]),
        ("+" * 500, [""] * 501),
    ],
)
def test_the_parts_of_a_reference(ref: str, parts: list[str]) -> None:
    for name in ("nim", "a+b", "nim+old"):
        shutil.copytree(NIM, name)
    Path("c++").mkdir()
    for path in ("a+x.yaml", "c++/y.yaml"):
        Path(path).write_text("")
    assert parts_of(ref) == parts


@pytest.mark.parametrize("ref", ["./c++/none", "nim+./c++/none.yaml", "nim+", "nim++x", "+x", "./a+b/c+d"])
def test_what_is_missing_is_told_once(ref: str) -> None:
    status, _, err = invoke("validate", ref)
    assert status and err.count("error[") == 1
