"""Reading of untrusted files: acceptance, refusal, and the place of the diagnostic."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from limits import soon

from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.schema_check import check_schema
from rulespec.documents.text_files import MISLEADING, inside, misleading, read_text
from rulespec.documents.yaml_nodes import FileLimits, Mapping, Scalar, Sequence, locate, to_plain
from rulespec.documents.yaml_reader import parse_yaml, read_yaml

GOOD = """\
# yaml-language-server: $schema=map.json
title: "Imperial"
regions:
  - {id: rome, links: [naples, genoa]}
  - id: naples

  # a comment that belongs to nothing
start: -3
open: true
home: ~
note: |
  two
  lines
"""


def refused(text: str, limits: FileLimits | None = None) -> tuple[Diagnostic, ...]:
    with pytest.raises(DiagnosticsError) as caught:
        parse_yaml(text, "f.yaml", limits or FileLimits())
    return caught.value.diagnostics


def only(text: str) -> Diagnostic:
    (diagnostic,) = refused(text)
    return diagnostic


def codes(text: str) -> list[str]:
    return [d.code for d in refused(text)]


# --- what is accepted


def test_a_tree_holds_the_values_of_the_file() -> None:
    assert to_plain(parse_yaml(GOOD, "f.yaml")) == {
        "title": "Imperial",
        "regions": [{"id": "rome", "links": ["naples", "genoa"]}, {"id": "naples"}],
        "start": -3,
        "open": True,
        "home": None,
        "note": "two\nlines\n",
    }


def test_every_value_and_key_knows_its_place() -> None:
    root = parse_yaml(GOOD, "f.yaml")
    assert isinstance(root, Mapping)
    key, value = root.entries["title"]
    assert key.span == Span("f.yaml", 2, 1, 2, 6)
    assert value.span == Span("f.yaml", 2, 8, 2, 18)
    genoa = locate(root, ["regions", 0, "links", 1])
    assert isinstance(genoa, Scalar)
    assert genoa.span == Span("f.yaml", 4, 32, 4, 37)
    links = locate(root, ["regions", 0, "links"])
    assert isinstance(links, Sequence)
    assert links.span == Span("f.yaml", 4, 23, 4, 38)


def test_a_block_ends_with_its_last_value_not_with_the_comment_after_it() -> None:
    regions = locate(parse_yaml(GOOD, "f.yaml"), ["regions"])
    assert regions is not None
    assert (regions.span.end_line, regions.span.end_column) == (5, 15)


def test_columns_count_characters_not_bytes() -> None:
    node = locate(parse_yaml("{é: ü, z: x}", "f"), ["z"])
    assert node is not None
    assert node.span.column == 11


@pytest.mark.parametrize("path", [["nothing"], ["regions", 9], ["regions", -1], ["title", "x"], ["regions", "id"]])
def test_a_path_that_leads_nowhere_finds_nothing(path: list[str | int]) -> None:
    assert locate(parse_yaml(GOOD, "f.yaml"), path) is None


def test_keys_are_text_even_where_yaml_has_other_ideas() -> None:
    assert to_plain(parse_yaml("{on: 1, No: 2, 3: 4, true: 5}", "f")) == {"on": 1, "No": 2, "3": 4, "true": 5}


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n"])
def test_a_file_without_content_is_null(text: str) -> None:
    assert to_plain(parse_yaml(text, "f")) is None


@pytest.mark.parametrize(
    "text",
    [
        "a-b",
        "2-4",
        "0.1.0",
        "n.treasury > 0",
        "yesterday",
        "12 players",
        "-",
        "+",
        ".",
        "y",
        "1..3",
        "2024-01-01 x",
        "=",
    ],
)
def test_ordinary_text_stays_text(text: str) -> None:
    assert to_plain(parse_yaml(f"a: {text}" if text != "-" else "a: '-'", "f")) == {"a": text}


@pytest.mark.parametrize("text", ["yes", "1:30", "010", "1.5", "2024-01-01", "<<", "null", "0x1F"])
def test_quotes_make_text_of_anything(text: str) -> None:
    assert to_plain(parse_yaml(f"a: '{text}'\n'{text}': b", "f")) == {"a": text, text: "b"}


def test_windows_line_ends_and_a_byte_order_mark_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "f.yaml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.replace("\n", "\r\n").encode())
    assert read_yaml(file, "f.yaml") == parse_yaml(GOOD, "f.yaml")
    assert "\r" not in read_text(file, "f.yaml")


# --- what is refused


@pytest.mark.parametrize("text", ["yes", "No", "ON", "off", "True", "FALSE", "Null"])
def test_a_word_that_readers_disagree_about_must_be_quoted(text: str) -> None:
    diagnostic = only(f"a: {text}")
    assert diagnostic.code == "RS121"
    assert diagnostic.span == Span("f.yaml", 1, 4, 1, 4 + len(text))
    assert text in diagnostic.message
    assert f'`"{text}"`' in diagnostic.help


@pytest.mark.parametrize(
    "text",
    ["010", "0x1F", "0o17", "0b11", "+5", "1_000", "1.5", "1.", ".5", "1e3", "-.inf", ".nan", "9" * 16, "9" * 500],
)
def test_numbers_are_whole_decimal_and_of_sensible_size(text: str) -> None:
    assert only(f"a: {text}").code == "RS122"
    assert codes(f"{text}: a") == ["RS122"]


def test_the_largest_number_has_fifteen_digits() -> None:
    assert to_plain(parse_yaml("-" + "9" * 15, "f")) == -(10**15 - 1)


@pytest.mark.parametrize("text", ["1:30", "12:30:45", "2024-01-01", "2024-1-1T10:00:00Z", "2024-01-01 10:00:00"])
def test_times_and_dates_must_be_quoted(text: str) -> None:
    diagnostic = only(f"a: {text}")
    assert diagnostic.code == "RS123"
    assert "quote it" in diagnostic.help


def test_a_key_that_comes_twice_is_shown_at_both_places() -> None:
    diagnostic = only("rome: 1\nnaples: 2\n'rome': 3\n")
    assert diagnostic.code == "RS119"
    assert diagnostic.span == Span("f.yaml", 3, 1, 3, 7)
    assert diagnostic.notes[0].span == Span("f.yaml", 1, 1, 1, 5)


def test_a_number_and_its_text_are_the_same_key() -> None:
    assert codes("{1: a, '1': b}") == ["RS119"]


@pytest.mark.parametrize(
    "text, code",
    [
        ("a: &x 1", "RS114"),
        ("a: *x", "RS114"),
        ("a: !!python/object/apply:os.system [id]", "RS115"),
        ("a: !x 1", "RS115"),
        ("! a", "RS115"),
        ("%YAML 1.1\n---\na: 1", "RS115"),
        ("a: 1\n---\nb: 2", "RS116"),
        ("a: {<<: {b: 1}}", "RS117"),
        ("? [a]\n: b", "RS118"),
        ("{[a]: b, {c: d}: e}", "RS118"),
        ("?\n: b", "RS118"),
        ("~: b", "RS118"),
        ("a: [1", "RS111"),
        ("a: b: c", "RS111"),
        ("a:\n\t- b", "RS111"),
        ("a: 'x", "RS111"),
        ("a: @x", "RS111"),
        ("a: !q!x 1", "RS111"),
        ('a: "\\q"', "RS111"),
        ("a: \0", "RS105"),
        ("a: \x1b[31m", "RS105"),
        ("a: \u202ex", "RS105"),
        ("a: \u2028", "RS105"),
        ("a: 1\rb: 2", "RS105"),
        ("a: \ud800", "RS105"),
        ('a: "\\e[31m"', "RS105"),
        ('a: "\\0"', "RS105"),
    ],
)
def test_what_yaml_offers_and_a_ruleset_does_not_need_is_refused(text: str, code: str) -> None:
    result = refused(text)
    assert {d.code for d in result} == {code}
    assert all(d.span is not None and d.help and d.message for d in result)


def test_a_tab_in_the_indentation_is_called_a_tab() -> None:
    diagnostic = only("a:\n\tb: 1")
    assert diagnostic.help == "indent with spaces, not tabs"
    assert str(diagnostic.span) == "f.yaml:2:1"


@pytest.mark.parametrize(
    "text, note",
    [
        ('a: "x\nb: "y"\n', "f.yaml:1:4"),
        ("a: 1\nb 2  # comment\n\n# comment\nc: 3\n", "f.yaml:2:1"),
        ("a:\n  - b c\n    d: 1\n", "f.yaml:2:3"),
    ],
    ids=["a quote", "a colon", "a colon in a list"],
)
def test_what_got_lost_on_a_line_before_is_noted_there(text: str, note: str) -> None:
    assert note in [str(n.span) for n in only(text).notes]


def test_all_mistakes_of_a_file_are_told_together() -> None:
    assert codes("a: yes\nb: 1:30\na: 010\nc: &x 1\n") == ["RS121", "RS123", "RS119", "RS122", "RS114"]


def test_after_many_mistakes_the_reader_gives_up() -> None:
    assert len(refused("- no\n" * 10_000)) == 50


# --- bombs


@pytest.mark.parametrize(
    "bomb, code",
    [
        ("[" * 400_000, "RS112"),
        ("{a: " * 100_000, "RS112"),
        ("- " * 400_000, "RS112"),
        ("? " * 400_000, "RS112"),
        ("\n".join(" " * i + "a:" for i in range(1_900)), "RS112"),
        ("[a,]," * 100_000, "RS111"),
        ("[" + "a," * 900_000 + "]", "RS113"),
        ("a: [*a, *a]\n" * 100, "RS114"),
        ("".join(f"%TAG !a{i}! tag:x\n" for i in range(80_000)) + "--- a", "RS115"),
        ("a\n...\n" + "".join(f"%TAG !a{i}! tag:x\n" for i in range(80_000)) + "--- a", "RS115"),
        ("---\n" * 400_000, "RS116"),
        ("&a " * 400_000, "RS111"),
        ("a" * 2_000_001, "RS103"),
        ("é" * 1_900_000 + ": " + "x", "RS111"),
    ],
    ids=lambda value: value[:8] if isinstance(value, str) else None,
)
@pytest.mark.sampled(4)
def test_a_bomb_is_refused_quickly(bomb: str, code: str) -> None:
    with soon():
        assert code in {d.code for d in refused(bomb)}


def test_depth_is_allowed_up_to_the_limit_and_not_beyond() -> None:
    assert isinstance(parse_yaml("[" * 64 + "]" * 64, "f"), Sequence)
    (diagnostic,) = refused("[" * 65 + "]" * 65)
    assert (diagnostic.code, str(diagnostic.span)) == ("RS112", "f.yaml:1:65")


def test_limits_can_be_set() -> None:
    assert [d.code for d in refused("[[a]]", FileLimits(depth=1))] == ["RS112"]
    assert [d.code for d in refused("[a, b, c, d]", FileLimits(events=5))] == ["RS113"]
    assert [d.code for d in refused("a: 12345", FileLimits(size=5))] == ["RS103"]


@given(st.text(alphabet="ab01:-?{}[],&*!|>'\"%@#<~ \n\t.éx", max_size=60))
def test_any_text_is_either_a_tree_or_a_report_with_places(text: str) -> None:
    result: tuple[Diagnostic, ...] | None = None
    try:
        to_plain(parse_yaml(text, "f"))
    except DiagnosticsError as error:
        result = error.diagnostics
    assert result != ()
    assert all(d.span is not None and d.help and d.code.startswith("RS1") for d in result or ())


# --- files


def refused_file(path: Path, limit: int = 1_000) -> Diagnostic:
    with pytest.raises(DiagnosticsError) as caught:
        read_text(path, "shown.yaml", limit)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.help
    return diagnostic


def test_a_file_that_is_not_there_is_named_as_the_user_named_it(tmp_path: Path) -> None:
    diagnostic = refused_file(tmp_path / "none")
    assert diagnostic.code == "RS101"
    assert "shown.yaml" in diagnostic.message


@pytest.mark.parametrize("name", ["a\0b", "a" * 5_000, "\ud800"])
def test_an_impossible_name_is_refused_without_a_traceback(tmp_path: Path, name: str) -> None:
    assert refused_file(tmp_path / name).code == "RS101"


def test_folders_pipes_and_devices_are_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", Path("/dev/zero")):
        assert refused_file(path).code == "RS102"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.touch(mode=0o000)
    assert refused_file(file).code == "RS101"


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(tmp_path: Path) -> None:
    file = tmp_path / "f"
    file.write_text("x" * 10)
    assert read_text(file, "f", 10) == "x" * 10
    assert refused_file(file, 9).code == "RS103"


@pytest.mark.parametrize(
    "data, code, place",
    [
        (b"ab\nc\xff", "RS104", "2:2"),
        ("é\n".encode() + b"\xc3", "RS104", "2:1"),
        ("a: 1".encode("utf-16"), "RS104", "1:1"),
        (b"a\nb\x00", "RS105", "2:2"),
    ],
)
def test_what_is_not_text_is_refused_at_its_place(tmp_path: Path, data: bytes, code: str, place: str) -> None:
    file = tmp_path / "f"
    file.write_bytes(data)
    diagnostic = refused_file(file)
    assert (diagnostic.code, str(diagnostic.span)) == (code, f"shown.yaml:{place}")


# --- references between files


def test_a_path_inside_the_folder_is_allowed_whether_or_not_the_file_exists(tmp_path: Path) -> None:
    assert inside(tmp_path, "rules/a.rules") == tmp_path / "rules" / "a.rules"


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "../x", "a/../../x", "a/..", "", "a\\b", "C:x", "C:/x", "a\0", "//h/x"]
)
def test_a_path_that_leaves_the_folder_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(DiagnosticsError) as caught:
        inside(tmp_path, path, Span("f", 1, 2, 1, 3))
    assert [(d.code, str(d.span)) for d in caught.value.diagnostics] == [("RS106", "f:1:2")]


def test_a_symbolic_link_may_lead_around_the_folder_but_not_out_of_it(tmp_path: Path) -> None:
    root = tmp_path / "home"
    root.mkdir()
    (root / "in").symlink_to(root / "x")
    (root / "out").symlink_to(tmp_path)
    (root / "loop").symlink_to(root / "loop")
    assert inside(root, "in") == root / "in"
    for name in ("out", "out/f", "out/home/../f"):
        with pytest.raises(DiagnosticsError):
            inside(root, name)
    try:  # whether a loop "stays inside" differs between Python releases; all fail to read it
        path = inside(root, "loop")
    except DiagnosticsError:
        return
    assert refused_file(path).code == "RS101"


# --- schemas

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "title": {"type": "string", "minLength": 2},
        "count": {"type": "integer", "minimum": 1},
        "side": {"enum": ["land", "sea"]},
        "id": {"type": "string", "pattern": "^[a-z_]+$"},
        "links": {"type": "array", "items": {"type": "string"}, "uniqueItems": True, "maxItems": 3},
        "names": {"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}},
        "any": {
            "anyOf": [
                {"type": "string"},
                {"type": "object", "properties": {"x": {"type": "integer"}}, "additionalProperties": False},
            ]
        },
        "kind": {
            "oneOf": [
                {"type": "object", "properties": {"is": {"const": "a"}, "v": {"type": "integer"}}, "required": ["is"]},
                {"type": "object", "properties": {"is": {"const": "b"}, "w": {"type": "string"}}, "required": ["is"]},
            ]
        },
    },
    "required": ["title"],
    "additionalProperties": False,
}


def checked(text: str) -> list[tuple[str, str, str]]:
    report = Report()
    check_schema(parse_yaml(text, "f"), SCHEMA, report, what="map file")
    assert all(d.help for d in report.diagnostics)
    return [(d.code, str(d.span).removeprefix("f:"), d.message) for d in report.diagnostics]


def test_a_good_file_passes_its_schema() -> None:
    assert checked("{title: Imperial, count: 1, any: {x: 1}, kind: {is: b, w: x}}") == []


@pytest.mark.parametrize(
    "line, code, place, words",
    [
        ("tilte: x", "RS211", "2:1", "`tilte`"),
        ("count: many", "RS213", "2:8", "a whole number"),
        ("count: 0", "RS216", "2:8", "out of range"),
        ("side: see", "RS214", "2:7", "`see`"),
        ("id: A-1", "RS215", "2:5", "`A-1`"),
        ("links: [a, 5]", "RS213", "2:12", "`links[2]` must be text"),
        ("links: [a, a]", "RS218", "2:8", "twice"),
        ("links: [a, b, c, d]", "RS217", "2:8", "at most 3 items"),
        ("names: {a: 1, B: 2}", "RS215", "2:15", "`B`"),
        ("any: 5", "RS219", "2:6", "none of the allowed forms"),
        ("any: {x: a}", "RS213", "2:10", "`any.x` must be a whole number"),
        ("any: {y: 1}", "RS211", "2:7", "`y`"),
        ("kind: {is: a, v: x}", "RS213", "2:18", "`kind.v`"),
        ("kind: {is: c}", "RS219", "2:7", "none of the allowed forms"),
        ("kind:\n  v: 1", "RS219", "3:3", "none of the allowed forms"),
    ],
)
def test_a_schema_error_is_told_at_the_value_or_key_it_is_about(line: str, code: str, place: str, words: str) -> None:
    ((found_code, found_place, message),) = checked(f"title: Imperial\n{line}\n")
    assert (found_code, found_place) == (code, place)
    assert words in message


def test_a_missing_key_is_told_at_the_head_of_its_mapping() -> None:
    assert checked("count: 3\nside: sea\n") == [("RS212", "1:1", "the key `title` is missing from the map file")]


def test_a_misspelt_key_gets_the_right_one_as_a_hint() -> None:
    report = Report()
    check_schema(parse_yaml("{title: Imperial, cuont: 3}", "f"), SCHEMA, report, what="map file")
    assert report.diagnostics[0].help == "did you mean `count`?"


def test_the_wrong_kind_of_file_and_an_empty_file_are_said_to_be_so() -> None:
    assert checked("[]") == [("RS213", "1:1", "the map file must be a mapping")]
    assert checked("") == [("RS213", "1:1", "the map file must be a mapping")]


def test_schema_errors_are_bounded() -> None:
    assert len(checked("title: ab\nlinks:\n" + "  - 5\n" * 3_000)) <= 51


def test_a_schema_may_refer_to_a_related_one() -> None:
    report = Report()
    schema = {"properties": {"a": {"$ref": "https://rulespec.example/common.json#/$defs/id"}}}
    related = {"$id": "https://rulespec.example/common.json", "$defs": {"id": {"type": "string"}}}
    check_schema(parse_yaml("a: 5", "f"), schema, report, what="file", related=[related])
    assert [d.code for d in report.diagnostics] == ["RS213"]


@pytest.mark.parametrize("step", [31, pytest.param(1, marks=pytest.mark.proof)])
def test_whatever_is_misleading_is_unprintable(step: int) -> None:
    """So printable texts need no search, and all others are searched completely."""
    for code in (*range(0x3000), *range(0x3000, sys.maxunicode + 1, step)):
        text = f"a{chr(code)}b\n"
        assert bool(misleading(text)) is bool(MISLEADING.search(text))
