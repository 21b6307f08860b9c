"""`rulespec edit`: a map in words of the map; nothing else in its files changes, and nothing outside its folder."""

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


@pytest.fixture
def lake(tmp_path: Path) -> Path:
    """The tutorial's game, in a folder of one's own."""
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
    """The edits that make a map: its regions with their facts, then its links without their kinds."""
    for name, facts in wanted.items():
        yield " ".join(["add", name, *(f"{k}={v}" for k, v in facts.items() if k not in (*KINDS, "port"))])
    for a, b in combinations(wanted, 2):
        for kind in KINDS:
            if b in wanted[a].get(kind, []):  # type: ignore[operator]
                yield f"link {a} {b}"
    for name, facts in wanted.items():
        if "port" in facts:
            yield f"set {name} port {facts['port']}"


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


@pytest.mark.parametrize(
    "name, a, b, kind", [(name, *link) for name in ("tutorial", "imperial", "imperial_2030") for link in links(name)]
)
@pytest.mark.sampled(4)
def test_the_kind_of_a_link_follows_from_the_checks(name: str, a: str, b: str, kind: str, tmp_path: Path) -> None:
    folder = tmp_path / "games" / name
    for each in {name, "imperial"}:  # which the others extend
        shutil.copytree(GAMES / each, folder.with_name(each), ignore=shutil.ignore_patterns("logs", "perft"))
    one = MapEdits(folder)
    one.make(lambda: one.unlink(a, b, kind))
    one.make(lambda: one.link(a, b))
    ends = yaml.safe_load(one.map.texts[folder.resolve() / "map.yaml"])["map"]["regions"]
    assert b in ends[a][kind] and a in ends[b][kind]


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
    assert all(len(a) == len(b) for a, b in zip(after.values(), before.values(), strict=True))  # as long a name
    assert b"holm: Insel" in after["titles.de.yaml"]
    assert CliRunner().invoke(cli, ["test", str(lake)]).exit_code == 0
    edit(lake, "rename holm isle")
    assert files(lake) == before


def test_what_depends_on_a_region_goes_with_it_or_is_listed(lake: Path) -> None:
    (lake / "variants").mkdir()
    overlay = lake / "variants" / "wet.yaml"
    overlay.write_text("id: wet\ntitle: Wet\nfor: tutorial\nversion: '1'\nchanges: {map.regions.forest.terrain: sea}\n")
    result = edit(lake, "remove forest")
    assert "variants/wet.yaml: `forest` stands here, too" in result.stdout
    overlay.unlink()
    assert result.exit_code == 0 and "scenarios/details.yaml:320: `forest` stands here, too" in result.stdout
    assert "the map has no problems" in result.stdout
    texts = {name: text.decode() for name, text in files(lake).items()}
    assert [name for name, text in texts.items() if "forest" in text] == ["scenarios/details.yaml"]
    result = edit(lake, "remove south_lake")  # the only sea of two ports
    assert "RS" in result.stdout and regions(lake).keys().isdisjoint({"south_lake"})
    assert "port" not in regions(lake)["stoneport"]


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
        ("link isle", "it is written `link REGION REGION [KIND]`"),
        ("link isle mrsh", "there is no region `mrsh` in map.yaml; did you mean `marsh`?"),
        ("link isle isle land", "a link joins two regions"),
        ("link isle marsh road", "there is no kind of links `road`"),
        ("unlink isle marsh", "have no such link"),
        ("set isle terain land", "did you mean `terrain`?"),
        ("set isle terrain [[[1", "RS1"),
        ("unset isle port", "there is no fact `port`"),
        ("move isle x 3", "`x` is no whole number"),
        ("add ../x terrain=land", "a region has a name of small letters"),
        ("add isle", "there is a region `isle` already"),
        ("add bog terrain", "write FACT=VALUE"),
        ("rename isle marsh", "isle"),
        ("rename isle ../x", "is no name"),
        ("set isle title 'half", "No closing quotation"),
    ],
)
@pytest.mark.sampled(6)
def test_what_cannot_be_is_refused_with_the_way_out(lake: Path, words: str, said: str) -> None:
    before = files(lake)
    result = edit(lake, "set hills title Hills", words)
    assert said in result.output and "Traceback" not in result.output
    assert cli_run(["edit", str(lake), "--do", words, "--yes"]) in (1, 2)
    assert files(lake) == before, "all edits are made, or none"


def test_nothing_is_written_without_a_yes(lake: Path) -> None:
    before = files(lake)
    result = edit(lake, "set hills title Hills", yes=False)
    assert "+    hills: {title: Hills" in result.stdout and "nothing is written" in result.stdout
    assert files(lake) == before


def test_links_out_of_the_folder_are_not_followed(lake: Path) -> None:
    outside = lake.parent / "map.yaml"
    (lake / "map.yaml").rename(outside)
    (lake / "map.yaml").symlink_to(outside)
    before = outside.read_bytes()
    result = edit(lake, "set hills title Hills")
    assert result.exit_code == 1 and "leads elsewhere" in result.output and outside.read_bytes() == before


def test_what_somebody_else_has_changed_meanwhile_stays(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    theirs = (lake / "map.yaml").read_bytes() + b"# theirs\n"

    def agreed(number: int, yes: bool) -> bool:
        (lake / "map.yaml").write_bytes(theirs)
        return True

    monkeypatch.setattr("rulespec.cli.edit.is_confirmed", agreed)
    result = edit(lake, "set hills title Hills")
    assert result.exit_code == 1 and "changed by somebody else" in result.output
    assert (lake / "map.yaml").read_bytes() == theirs


def test_links_that_are_entities_are_left_to_their_author(tmp_path: Path) -> None:
    shutil.copytree(GAMES / "tetrarchia", tmp_path / "t", ignore=shutil.ignore_patterns("logs", "perft"))
    names = [*regions(tmp_path / "t")][:2]
    result = edit(tmp_path / "t", f"link {names[0]} {names[1]}")
    assert result.exit_code == 1 and "the links of this map are entities" in result.output
