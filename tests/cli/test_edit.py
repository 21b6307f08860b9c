"""`rulespec edit`: edits of a map in its own terms; the rest of its files stays, and all files outside its folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result
from folders import GAMES

from rulespec.cli.main import cli
from rulespec.cli.main import run as cli_run
from rulespec.lsp.map_edits import MapEdits
from rulespec.lsp.map_files import MapEditError


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The tutorial's game in a temporary folder."""
    folder = tmp_path / "lake"
    shutil.copytree(GAMES / "tutorial", folder, ignore=shutil.ignore_patterns("logs", "perft"))
    return folder


def edit(folder: Path, *edits: str, yes: bool = True) -> Result:
    words = [word for each in edits for word in ("--do", each)]
    return CliRunner().invoke(cli, ["edit", str(folder), *words, *(["--yes"] if yes else [])])


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def regions(folder: Path) -> dict[str, dict[str, object]]:
    data: dict[str, dict[str, object]] = yaml.safe_load((folder / "map.yaml").read_text("utf-8"))["map"]["regions"]
    return data


def commands(wanted: dict[str, dict[str, object]]) -> Iterator[str]:
    """The edits that build a map: its regions with their facts, then its links without kinds."""
    for name, facts in wanted.items():
        yield " ".join(["add", name, *(f"{k}={v}" for k, v in facts.items() if k not in (*KINDS, "port"))])
    for a, b in combinations(wanted, 2):
        for kind in KINDS:
            if b in wanted[a].get(kind, []):  # type: ignore[operator]
                yield f"link {a} {b}"
    for name, facts in wanted.items():
        if "port" in facts:
            yield f"set {name} port {facts['port']}"


@pytest.mark.proof
def test_a_map_from_nothing(lake: Path, tmp_path: Path) -> None:
    wanted = regions(lake)
    path = lake / "map.yaml"
    path.write_text(path.read_text("utf-8").partition("    north_lake")[0].replace("regions:", "regions: {}"), "utf-8")
    listed = tmp_path / "edits.txt"
    listed.write_text("# the lake\n" + "\n".join(commands(wanted)) + "\n", "utf-8")
    result = CliRunner().invoke(cli, ["edit", str(lake), "--from", str(listed), "--yes"])
    assert result.exit_code == 0 and "the map has no problems" in result.stdout, result.output
    edited = regions(lake)
    assert [*edited] == [*wanted]
    for name, facts in wanted.items():
        assert {k: sorted(v) if isinstance(v, list) else v for k, v in edited[name].items()} == {
            k: sorted(v) if isinstance(v, list) else v for k, v in facts.items()
        }
        assert [*edited[name]] == [*facts], "facts are in the order in which they are declared"
    assert CliRunner().invoke(cli, ["validate", str(lake)]).exit_code == 0
    before = files(lake)
    assert "nothing changes" in edit(lake, "set hills terrain land").stdout and files(lake) == before


KINDS = ("land", "sea", "coast")


def links(name: str) -> list[tuple[str, str, str]]:
    """The links of a shipped map: two regions and a kind."""
    ends = regions(GAMES / name)
    return [(a, b, k) for a, b in combinations(ends, 2) for k in KINDS if b in ends[a].get(k, ())]  # type: ignore[operator]


@pytest.mark.proof  # 0.5 s
@pytest.mark.parametrize(
    "name, a, b, kind", [(name, *link) for name in ("tutorial", "imperial", "imperial_2030") for link in links(name)]
)
def test_the_kind_of_a_link_follows_from_the_checks(name: str, a: str, b: str, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "games" / name
    for each in {name, "imperial"}:  # extended by the others
        shutil.copytree(GAMES / each, folder.with_name(each), ignore=shutil.ignore_patterns("logs", "perft"))
    one = MapEdits(folder)
    one.make(lambda: one.unlink(a, b, kind))
    one.make(lambda: one.link(a, b))
    ends = yaml.safe_load(one.map.texts[folder.resolve() / "map.yaml"])["map"]["regions"]
    assert b in ends[a][kind] and a in ends[b][kind]


@pytest.mark.proof
def test_a_renamed_region_is_renamed_everywhere_in_the_folder(lake: Path) -> None:
    other = lake.parent / "other"
    shutil.copytree(lake, other)
    before = files(other)
    result = edit(lake, "rename isle holm")
    assert result.exit_code == 0 and "recorded games" not in result.stdout
    after = files(lake)
    assert files(other) == before
    assert {name for name in after if after[name] != before[name]} == {
        *("drawing.yaml", "map.yaml", "scenarios/details.yaml", "titles.de.yaml")
    }
    assert all(len(a) == len(b) for a, b in zip(after.values(), before.values(), strict=True))  # an equally long name
    assert b"holm: Insel" in after["titles.de.yaml"]
    assert CliRunner().invoke(cli, ["test", str(lake)]).exit_code == 0
    edit(lake, "rename holm isle")
    assert files(lake) == before


@pytest.mark.proof  # 0.9 s
def test_what_depends_on_a_region_goes_with_it_or_is_listed(lake: Path) -> None:
    (lake / "variants").mkdir()
    overlay = lake / "variants" / "wet.yaml"
    overlay.write_text("id: wet\ntitle: Wet\nfor: tutorial\nversion: '1'\nchanges: {map.regions.forest.terrain: sea}\n")
    result = edit(lake, "remove forest")
    assert "variants/wet.yaml: `forest` also occurs here" in result.stdout
    overlay.unlink()
    assert result.exit_code == 0 and "scenarios/details.yaml:320: `forest` also occurs here" in result.stdout
    assert "the map has no problems" in result.stdout
    texts = {name: text.decode() for name, text in files(lake).items()}
    assert [name for name, text in texts.items() if "forest" in text] == ["scenarios/details.yaml"]
    result = edit(lake, "remove south_lake")  # the only sea shared by two ports
    assert "RS" in result.stdout and regions(lake).keys().isdisjoint({"south_lake"})
    assert "port" not in regions(lake)["stoneport"]


@pytest.mark.proof  # 0.4 s
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_all_else_stays_as_it_is(lake: Path, end: str) -> None:
    path = lake / "map.yaml"
    text = path.read_text("utf-8").replace("    hills:", "    # by hand\n    hills:").replace("}\n", "}  # so\n")
    text = text.replace("    isle: {terrain: land, ", "    isle:\n      # no port\n      terrain: 'land'\n      ", 1)
    text = text.replace("coast: [north_lake, south_lake]}", "coast:\n        - north_lake # up\n        - south_lake")
    path.write_bytes(text.replace("\n", end).encode())
    before = path.read_bytes().splitlines(keepends=True)
    assert edit(lake, "link isle marsh land", "set hills title 'The: Hills'", "unlink isle north_lake").exit_code == 0
    after = path.read_bytes().splitlines(keepends=True)
    new = [line.decode().strip() for line in after if line not in before]
    assert new == [
        "north_lake: {terrain: sea, sea: [south_lake], coast: [reedhaven, forest]}  # so",
        'hills: {title: "The: Hills", terrain: land, land: [reedham, stonegate, heathfield]}  # so',
        "marsh: {terrain: land, land: [stoneport, heathmouth, isle], coast: [south_lake]}  # so",
        "land: [marsh]",
    ]
    gone = [line.decode().strip() for line in before if line not in after]
    assert gone[-1] == "- north_lake # up" and len(gone) == 4
    assert all(line.endswith(end.encode()) for line in after)


@pytest.mark.parametrize(
    "words, said",
    [
        ("lnk isle marsh", "did you mean `link`?"),
        ("link isle", "expected `link REGION REGION [KIND]`"),
        ("link isle mrsh", "there is no region `mrsh` in map.yaml; did you mean `marsh`?"),
        ("link isle isle land", "a link must join two different regions"),
        ("link isle marsh road", "there is no kind of links `road`"),
        ("unlink isle marsh", "have no such link"),
        ("set isle terain land", "did you mean `terrain`?"),
        ("set isle terrain [[[1", "RS1"),
        ("unset isle port", "there is no fact `port`"),
        ("move isle x 3", "`x` is not a whole number"),
        ("add ../x terrain=land", "`../x` is not a region name: use lower-case letters"),
        ("add isle", "there is already a region `isle`"),
        ("add bog terrain", "write FACT=VALUE"),
        ("rename isle marsh", "isle"),
        ("rename isle ../x", "is not a name"),
        ("set isle title 'half", "No closing quotation"),
        ("put isle factory.up 1", "did you mean `factory.at`?"),
        ("put isle army.at 1", "there is no place of pieces in regions `army.at`"),
        ("put isle factory.at -1", "the number of pieces cannot be -1"),
        ("put isle factory.at one", "`one` is not a whole number"),
    ],
)
@pytest.mark.proof  # 0.5 s
def test_what_cannot_be_is_refused_with_the_way_out(lake: Path, words: str, said: str) -> None:
    before = files(lake)
    result = edit(lake, "set hills title Hills", words)
    assert said in result.output and "Traceback" not in result.output
    assert cli_run(["edit", str(lake), "--do", words, "--yes"]) in (1, 2)
    assert files(lake) == before, "all edits are made, or none"


@pytest.mark.proof
def test_pieces_are_put_in_regions_at_the_start(lake: Path) -> None:
    before = (lake / "setup.yaml").read_text("utf-8")
    assert (
        edit(lake, "put reedhaven factory.at 1", "put reedham factory.at 0", "put heathfield factory.at 2").exit_code
        == 0
    )
    after = (lake / "setup.yaml").read_text("utf-8")
    assert after == before.replace(
        "{reedham: 1, stoneport: 1, heathfield: 1}", "{stoneport: 1, heathfield: 2, reedhaven: 1}"
    )
    (lake / "setup.yaml").write_text("setup: {pieces: {factory.at: 1}}\n", "utf-8")
    assert "puts the same number of `factory.at` everywhere" in edit(lake, "put reedham factory.at 2").output


@pytest.mark.proof
def test_a_map_without_a_set_up_gets_one(tmp_path: Path) -> None:
    assert cli_run(["new", "mine", "--from", "imperial", "--map", "a,b", "--to", str(tmp_path)]) == 0
    assert edit(tmp_path / "mine", "put b factory.at 1").exit_code == 0
    assert yaml.safe_load((tmp_path / "mine" / "setup.yaml").read_text("utf-8")) == {
        "setup": {"pieces": {"factory.at": {"b": 1}}}
    }


def test_nothing_is_written_without_a_yes(lake: Path) -> None:
    before = files(lake)
    result = edit(lake, "set hills title Hills", yes=False)
    assert "+    hills: {title: Hills" in result.stdout and "nothing was written" in result.stdout
    assert files(lake) == before


def test_links_out_of_the_folder_are_not_followed(lake: Path) -> None:
    outside = lake.parent / "map.yaml"
    (lake / "map.yaml").rename(outside)
    (lake / "map.yaml").symlink_to(outside)
    before = outside.read_bytes()
    result = edit(lake, "set hills title Hills")
    assert result.exit_code == 1 and "is a link to another folder" in result.output and outside.read_bytes() == before


@pytest.mark.proof  # 0.3 s
def test_what_somebody_else_has_changed_meanwhile_stays(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = (lake / "map.yaml").read_bytes() + b"# theirs\n"

    def agreed(number: int, yes: bool) -> bool:
        (lake / "map.yaml").write_bytes(theirs)
        return True

    monkeypatch.setattr("rulespec.cli.output.is_confirmed", agreed)
    result = edit(lake, "set hills title Hills")
    assert result.exit_code == 1 and "changed by somebody else" in result.output
    assert (lake / "map.yaml").read_bytes() == theirs


@pytest.fixture
def roads(tmp_path: Path) -> Path:
    """A copy of Tetrarchia, whose links are entities, in a temporary folder."""
    shutil.copytree(GAMES / "tetrarchia", tmp_path / "roads", ignore=shutil.ignore_patterns("logs", "perft"))
    return tmp_path / "roads"


def test_links_that_are_entities_are_left_to_their_author(roads: Path) -> None:
    map_ = MapEdits(roads)
    entities = "the links of this map are entities"
    for refused, said in [
        (lambda: map_.link("baetica", "britannia"), entities),
        (lambda: map_.unlink("baetica", "lvsitania"), entities),
        (lambda: map_.remove("baetica"), "is an end of links with facts: first remove `mavretania_"),
    ]:
        with pytest.raises(MapEditError) as error:
            map_.make(refused)
        assert said in str(error.value)
    assert map_.map.texts == {}


@pytest.mark.proof
def test_all_but_the_links_of_such_a_map_is_edited(roads: Path) -> None:
    new = "nova area=hispania number=3 name_is=rebuilt number_is=rebuilt sea_is=rebuilt"
    result = edit(
        roads,
        "rename baetica betica",
        "set britannia title Albion",
        "move libya 700 800",
        f"add {new}",
        "move nova 10 20",
    )
    assert result.exit_code == 0, result.output
    text = (roads / "map.yaml").read_text("utf-8")
    assert "        baetica_lvsitania: {ends: [betica, lvsitania], link_is" in text, "the link has a name of its own"
    assert "title: Albion" in text and "    nova:" in text and "position: [10, 20]" in text
    outlines = (roads / "outlines.yaml").read_text("utf-8")
    assert yaml.safe_load(outlines)["drawing"]["boards"]["province"]["outlines"]["libya"]["label"] == [700, 800]
    before = files(roads)
    assert edit(roads, "remove nova").exit_code == 0
    assert {name for name, data in files(roads).items() if data != before[name]} == {"map.yaml"}


@pytest.mark.proof
def test_several_regions_get_a_fact_in_one_step(lake: Path) -> None:
    path = lake / "map.yaml"
    before = path.read_text("utf-8").splitlines()
    result = edit(lake, *(f"set {name} title 'In the {name}'" for name in ("isle", "marsh", "forest")))
    changed = [b for a, b in zip(before, path.read_text("utf-8").splitlines(), strict=True) if a != b]
    assert [line.strip().partition(", terrain")[0] for line in changed] == [
        f"{name}: {{title: In the {name}" for name in ("marsh", "forest", "isle")
    ]
    assert result.stdout.count("written: ") == 1, "one step: the file is written at a time"
    after = files(lake)
    assert edit(lake, "set isle title A", "set mrsh title B").exit_code == 1
    assert files(lake) == after, "none of them, if one cannot be"


@pytest.mark.proof
def test_regions_of_a_base_are_refused_with_the_way_out(lake: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine"
    mine.mkdir()
    (mine / "game.yaml").write_text("id: mine\ntitle: Mine\nversion: '1'\nextends: ../lake\n", "utf-8")
    said = "`isle` is a region of the base: change it there, or by an overlay"
    assert said in edit(mine, "set isle terrain sea").output, "without a map of its own"
    (mine / "map.yaml").write_text("map:\n  regions:\n    bog: {terrain: land}\n", "utf-8")
    before = files(tmp_path)
    map_ = MapEdits(mine)
    for refused in (
        lambda: map_.set("isle", "terrain", "sea"),
        lambda: map_.link("bog", "isle"),
        lambda: map_.rename("isle", "holm"),
        lambda: map_.remove("isle"),
        lambda: map_.move("isle", 1, 1),
    ):
        with pytest.raises(MapEditError, match=said):
            map_.make(refused)
    assert files(tmp_path) == before
    assert edit(mine, "set bog title Bog", "rename bog moor", "move moor 20 30").exit_code == 0
    text = (mine / "map.yaml").read_text("utf-8")
    assert text == "map:\n  regions:\n    moor: {title: Bog, terrain: land, position: [20, 30]}\n"
