"""New games from `rulespec new`: sound, playable, and passing their test at once; nothing is ever overwritten."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from cases import write
from click.testing import CliRunner
from folders import RULESETS

from rulespec.cli.main import cli, run
from rulespec.diagnostics.report import Report
from rulespec.diff import diff
from rulespec.load import load_ruleset, load_source
from rulespec.references import known_rulesets
from rulespec.schemas import load_schema

NIM, ERRORS = str(RULESETS / "nim"), str(RULESETS / "errors")
OWN = [str(p.parent) for p in sorted(RULESETS.glob("*/game.yaml"))]
SHIPPED = known_rulesets()
LAID_OVER = ["imperial+first_edition", f"{NIM}+tall"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A temporary folder away from the games."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(RULESETS))


def succeed(*args: str) -> str:
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == 0, (args, result.stdout, result.stderr, result.exception)
    return result.stdout


def refused(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert run(["new", *args]) == 2
    return capsys.readouterr().err


def files() -> list[str]:
    return sorted(str(p) for p in Path().rglob("*") if p.is_file())


def players(ref: str) -> str:
    low, high = load_ruleset(ref).players
    return str(max(low, min(2, high)))


def uncommented(text: str) -> str:
    """The text with the commented-out YAML of its last paragraphs enabled, without the comments above."""
    paragraphs = text.split("\n\n")
    rest = [re.sub(r"^# ", "", p, flags=re.MULTILINE) for p in paragraphs if re.match(r"# [a-z]+:\n", p)]
    return "\n".join(rest)


# --- from nothing -----------------------------------------------------------------------------------------------------


def test_a_game_from_nothing_is_sound_plays_and_passes_its_tests() -> None:
    succeed("new", "mine")
    assert ": sound" in succeed("validate", "./mine")
    succeed("simulate", "./mine", "--players", "2", "--games", "50")
    assert " · 2 scenarios · " in succeed("test", "./mine")


# --- works at once ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "base", [*(pytest.param(base, marks=pytest.mark.proof) for base in (*SHIPPED, *LAID_OVER)), *OWN]
)
@pytest.mark.sampled(1)
def test_a_folder_is_sound_plays_and_passes_its_test(base: str) -> None:
    succeed("new", "mine", "--from", base)
    assert ": sound" in succeed("validate", "./mine")
    succeed("simulate", "./mine", "--players", players("./mine"), "--games", "2", "--cap", "150")
    assert " · 1 scenario · " in succeed("test", "./mine")
    # Commented-out entries are the defaults: enabling them changes nothing.
    for name in ("tables", "map"):
        file = Path("mine") / f"{name}.yaml"
        if file.exists():
            text = uncommented(file.read_text("utf-8"))
            assert text
            file.write_text(text, "utf-8")
    game = Path("mine/game.yaml")
    body = game.read_text("utf-8")
    if result := re.search(r"^# settings:\n(#   .*\n)+", body, re.MULTILINE):
        game.write_text(body + re.sub(r"^# ", "", result[0], flags=re.MULTILINE), "utf-8")
    assert diff(load_source(base, Report()), load_source("./mine", Report())) == []


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize("base", [*SHIPPED, *LAID_OVER, *OWN])
@pytest.mark.sampled(1)
def test_an_overlay_is_sound_and_plays(base: str) -> None:
    succeed("new", "mine", "--from", base, "--overlay")
    assert files() == ["mine.yaml"]
    ref = f"{base}+./mine.yaml"
    assert ": sound" in succeed("validate", ref)
    succeed("simulate", ref, "--players", players(ref), "--games", "2", "--cap", "150")
    assert diff(load_source(base, Report()), load_source(ref, Report())) == []
    # It names every option and every constant.
    text = Path("mine.yaml").read_text("utf-8")
    declarations = load_ruleset(base).declarations
    for option in declarations.settings:
        assert re.search(rf"^#   {option}: ", text, re.MULTILINE), option
    constants = load_source(base, Report()).source.root.entries.get("constants")
    for key in getattr(constants[1], "entries", {}) if constants else {}:
        assert re.search(rf"^#   constants\.{key}: ", text, re.MULTILINE), key


def test_one_number_is_changed_by_taking_its_comment_away() -> None:
    succeed("new", "mine", "--from", NIM, "--overlay")
    file = Path("mine.yaml")
    text = file.read_text("utf-8").replace("# changes:", "changes:")
    file.write_text(text.replace("#   constants.stones: 9", "  constants.stones: 12"), "utf-8")
    (result,) = diff(load_source(NIM, Report()), load_source(f"{NIM}+./mine.yaml", Report()))
    assert (result.path, result.old, result.new) == ("constants.stones", 9, 12)


def test_what_is_emptied_for_a_map_of_ones_own() -> None:
    succeed("new", "mine", "--from", ERRORS)
    assert "# replaces:\n#   - map.regions\n" in Path("mine/game.yaml").read_text("utf-8")
    succeed("new", "other", "--from", NIM)
    assert "replaces" not in Path("other/game.yaml").read_text("utf-8")
    assert not Path("other/map.yaml").exists()


def test_the_files_say_where_their_schema_is() -> None:
    succeed("new", "mine", "--from", ERRORS)
    succeed("new", "over", "--from", ERRORS, "--overlay")
    schemas = {"mine/game.yaml": "game", "mine/tables.yaml": "tables", "mine/map.yaml": "map", "over.yaml": "overlay"}
    for name, schema in (schemas | {"mine/scenarios/start.yaml": "scenarios"}).items():
        modeline, _, path = Path(name).read_text("utf-8").split("\n")[0].partition("=")
        assert modeline == "# yaml-language-server: $schema"
        assert json.loads((Path(name).parent / path).read_text("utf-8")) == load_schema(schema)


@pytest.mark.proof  # 0.4 s
def test_it_is_told_what_to_do_next(tmp_path: Path) -> None:
    lines = succeed("new", "mine", "--from", NIM).splitlines()
    assert lines[0] == "written: mine"
    for line in lines[1:]:
        args = line.removeprefix("  rulespec ").split()
        assert CliRunner().invoke(cli, args).exit_code == 0, line
    (tmp_path / "there").mkdir()
    lines = succeed("new", "mine", "--from", NIM, "--overlay", "--to", "there").splitlines()
    assert lines[1] == f"  rulespec validate {NIM}+there/mine.yaml"


# --- the base, wherever it is -----------------------------------------------------------------------------------------


def extends(name: str = "mine") -> str:
    result = re.search(r"^extends: (.*)$", Path(name, "game.yaml").read_text("utf-8"), re.MULTILINE)
    assert result
    return result[1]


def test_a_shipped_base_is_named_by_its_id(tmp_path: Path) -> None:
    base = SHIPPED[0]
    (tmp_path / "there").mkdir()
    succeed("new", "mine", "--from", base, "--to", "there")
    assert extends("there/mine") == base


@pytest.mark.proof
def test_a_base_nearby_is_named_by_its_id_and_one_elsewhere_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RULESPEC_PATH")
    shutil.copytree(NIM, tmp_path / "set" / "nim")
    succeed("new", "mine", "--from", "set/nim", "--to", "set")
    succeed("new", "mine", "--from", "set/nim+tall")
    assert (extends("set/mine"), extends("mine")) == ("nim", "../set/nim+tall")
    (tmp_path / "games").mkdir()
    shutil.copytree(NIM, tmp_path / "games" / "nim")
    succeed("new", "further", "--from", "nim")  # an id known only here
    assert extends("further") == "../games/nim"
    monkeypatch.chdir("/")
    for name in ("set/mine", "mine", "further"):
        assert ": sound" in succeed("validate", str(tmp_path / name))


def test_a_base_out_of_reach_cannot_be_extended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("RULESPEC_PATH")
    assert "cannot extend" in refused(capsys, "mine", "--from", NIM)
    assert not Path("mine").exists()
    shutil.copytree(NIM, tmp_path / "nim")
    succeed("new", "mine", "--from", "nim")
    assert extends() == "nim"


def test_a_path_that_cannot_be_written_down(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copytree(NIM, tmp_path / "my games" / "nim")
    assert "only letters, digits" in refused(capsys, "mine", "--from", "my games/nim")
    assert not Path("mine").exists()
    succeed("new", "mine", "--from", "my games/nim", "--overlay")


@pytest.mark.proof  # 0.4 s
def test_an_overlay_of_the_base_that_is_named_by_its_path(capsys: pytest.CaptureFixture[str]) -> None:
    succeed("new", "over", "--from", NIM, "--overlay")
    assert "extends overlays by id" in refused(capsys, "mine", "--from", f"{NIM}+./over.yaml")
    succeed("new", "more", "--from", f"{NIM}+./over.yaml", "--overlay")
    succeed("validate", f"{NIM}+./over.yaml+./more.yaml")
    assert files() == ["more.yaml", "over.yaml"]


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["", "Mine", "2mine", "my-map", "my map", "../mine", "a/b", ".", "map\n", "x" * 65, "märz", "a+b"]
)
def test_bad_names(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    message = refused(capsys, name, "--from", NIM)
    assert "is not a valid ruleset name: write up to 64 lower-case letters, digits and `_`" in " ".join(message.split())
    assert files() == []


@pytest.mark.parametrize("name", ["con", "aux", "prn", "nul", "com1", "lpt9"])
@pytest.mark.parametrize("form", [[], ["--from", NIM], ["--from", NIM, "--overlay"]])
def test_names_that_windows_keeps_for_itself(name: str, form: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert f"choose another, such as `{name}_`" in " ".join(refused(capsys, name, *form).split())
    assert files() == []


@pytest.mark.parametrize("name, base", [("nim", NIM), ("tall", f"{NIM}+tall"), ("tall", NIM)])
def test_the_name_of_the_base_is_taken(name: str, base: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "is already a name in" in refused(capsys, name, "--from", base)
    assert files() == []


@pytest.mark.parametrize("overlay", [[], ["--overlay"]])
def test_nothing_is_overwritten(overlay: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    succeed("new", "mine", "--from", NIM, *overlay)
    before = {f: Path(f).read_bytes() for f in files()}
    assert "already exists" in refused(capsys, "mine", "--from", ERRORS, *overlay)
    (tmp_path / "empty").mkdir()
    (tmp_path / "empty.yaml").symlink_to("nowhere")
    assert "already exists" in refused(capsys, "empty", "--from", ERRORS, *overlay)
    assert {f: Path(f).read_bytes() for f in files()} == before
    assert not Path("nowhere").exists()


@pytest.mark.parametrize(
    "args, message",
    [
        (["mine", "--overlay"], "give it with --from"),
        (["mine", "--from", "nothing"], "there is no ruleset `nothing`"),
        (["mine", "--from", f"{NIM}+nothing"], "there is no overlay `nothing`"),
        (["mine", "--from", NIM, "--to", "nowhere"], "does not exist"),
    ],
)
def test_wrong_usage(args: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert message in refused(capsys, *args)
    assert files() == []


def test_a_base_that_is_not_sound(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = write(tmp_path / "bad", {"rules/play.rules": "procedure play():\n    turn()\n"})
    before = files()
    assert "RS221" in refused(capsys, "mine", "--from", str(base))
    assert files() == before


@pytest.mark.parametrize("overlay", [[], ["--overlay"]])
def test_nothing_half_written_stays(
    overlay: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(path: Path, *_: object, **__: object) -> int:
        if overlay or "rules" in path.parts:
            raise OSError(28, "No space left on device")
        return 0

    if overlay:
        monkeypatch.setattr(Path, "open", full)
    else:
        monkeypatch.setattr(Path, "write_text", full)
    assert "cannot be written: No space left on device" in refused(capsys, "mine", "--from", NIM, *overlay)
    monkeypatch.undo()
    assert not Path("mine").exists() and not Path("mine.yaml").exists()
