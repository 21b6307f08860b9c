"""Edits of YAML: the data are those wanted, and nothing else of the text is another."""

from __future__ import annotations

import random
from typing import Any

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import DEFAULT_LIMITS, to_plain
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.edits.yaml_edits import YamlEdits, flow

TEXT = """\
# a map
map:
  regions:   # all of them
    oak:
      position: [1, 2]   # where it is
      link: [elm, ash, fir]
      # it has no port

    # from here on by hand
    elm: {position: [3, 4], link: [oak]}  # short
    ash:
      link:
        - oak  # by a road
        - elm
"""


def edits(text: str = TEXT) -> YamlEdits:
    return YamlEdits(text, "x.yaml", DEFAULT_LIMITS)


def data(text: str) -> Any:
    return to_plain(parse_yaml(text, "x.yaml"))


def changed(before: str, after: str) -> list[str]:
    """The lines that are gone, and those that are new."""
    old, new = before.split("\n"), after.split("\n")
    return [f"-{line}" for line in old if line not in new] + [f"+{line}" for line in new if line not in old]


def test_a_value_is_replaced_and_the_comment_stays() -> None:
    one = edits()
    one.put(("map", "regions", "oak", "position"), [9, 8])
    one.put(("map", "regions", "elm", "position"), [3, 4])  # as it is
    assert changed(TEXT, one.applied()) == [
        "-      position: [1, 2]   # where it is",
        "+      position: [9, 8]   # where it is",
    ]


def test_entries_are_added_where_the_others_end() -> None:
    one = edits()
    one.put(("map", "regions", "oak", "title"), "The: Oak")
    one.put(("map", "regions", "elm", "title"), "Elm")
    one.add(("map", "regions", "fir"), ["fir:", "  position: [1, 1]", "  # link: [ash]"], {"position": [1, 1]})
    result = one.applied()
    assert '      # it has no port\n      title: "The: Oak"\n\n' in result
    assert "elm: {position: [3, 4], link: [oak], title: Elm}  # short" in result
    assert result.endswith("        - elm\n    fir:\n      position: [1, 1]\n      # link: [ash]\n")


def test_what_is_taken_out_takes_its_comments_along() -> None:
    one = edits()
    one.remove(("map", "regions", "oak"))
    for path in (("map", "regions", "elm", "link"), ("map", "regions", "ash", "link")):
        one.remove_item(path, "oak")
    result = one.applied()
    assert "it has no port" not in result and "# from here on by hand" in result and "# all of them" in result
    assert "elm: {position: [3, 4], link: []}  # short" in result and result.endswith("      link:\n        - elm\n")


def test_all_items_and_all_entries_may_go() -> None:
    one = edits()
    for name in ("elm", "fir", "ash"):
        one.remove_item(("map", "regions", "oak", "link"), name)
    for name in ("elm", "oak"):
        one.remove_item(("map", "regions", "ash", "link"), name)
    assert data(one.applied())["map"]["regions"]["ash"] == {"link": []}
    one = edits()
    for name in ("oak", "elm", "ash"):
        one.remove(("map", "regions", name))
    assert data(one.applied()) == {"map": {"regions": {}}}
    one = edits("map:\n  regions: {}\n")
    one.add(("map", "regions", "oak"), ["oak:", "  position: [1, 1]"], {"position": [1, 1]})
    assert one.applied() == "map:\n  regions:\n    oak:\n      position: [1, 1]\n"


@pytest.mark.parametrize("text", [TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT, TEXT.rstrip("\n")])
def test_line_ends_and_marks_stay(text: str) -> None:
    one = edits(text)
    one.put(("map", "regions", "oak", "position"), [9, 8])
    one.put(("map", "regions", "fir"), {"position": [1, 1]})
    result = one.applied()
    assert result.startswith(text[:3]) and result.count("\r\n") == (result.count("\n") if "\r" in text else 0)
    assert data(result.replace("\r\n", "\n"))["map"]["regions"]["fir"] == {"position": [1, 1]}


def test_what_would_say_something_else_is_refused() -> None:
    one = edits("map:\n  text: |\n    last")
    one.add(("map", "more"), ["more: 1", "less: 2"], 1)
    with pytest.raises(DiagnosticsError, match="RS567"):
        one.applied()


@pytest.mark.parametrize(
    "value", ["", "yes", "1", "a: b", "[x]", "#1", "'", "é", "M0 0l1-2 3 4z", "null", "1.0", "0x1", " a"]
)
def test_values_are_read_as_they_were(value: str) -> None:
    assert data(f"x: {{y: {flow(value)}, z: [{flow(value)}, 2]}}") == {"x": {"y": value, "z": [value, 2]}}


def written(choose: random.Random, value: Any, depth: int) -> list[str]:
    """A mapping as people write it: in braces or on lines, with comments and blank lines."""
    lines = []
    for key, part in value.items():
        note = choose.choice(["", "", f"  # of {key}"])
        if isinstance(part, dict) and part and choose.random() < 0.6:
            lines += [f"{'  ' * depth}{key}:{note}", *written(choose, part, depth + 1)]
        elif isinstance(part, list) and part and choose.random() < 0.4:
            lines += [f"{'  ' * depth}{key}:", *(f"{'  ' * (depth + 1)}- {flow(item)}{note}" for item in part)]
        else:
            lines.append(f"{'  ' * depth}{key}: {flow(part)}{note}")
        lines += choose.choice([[], [], [], [""], [f"{'  ' * depth}# after {key}"]])
    return lines


@pytest.mark.parametrize("seed", range(400))
@pytest.mark.sampled(100)
def test_any_edits_give_the_data_that_were_wanted(seed: int) -> None:
    choose = random.Random(seed)
    names = [f"r{i}" for i in range(choose.randrange(2, 7))]
    regions = {
        n: {"position": [choose.randrange(99), 2], "link": choose.sample(names, 2), "title": f"T {n}"} for n in names
    }
    end = choose.choice(["\n", "\r\n"])
    text = "\n".join(written(choose, {"map": {"kind": "x", "regions": regions}}, 0)).replace("\n", end) + choose.choice(
        ["", end]
    )
    one = edits(text)
    wanted = data(text.replace("\r\n", "\n"))
    for n in choose.sample(names, len(names) - 1):
        at, path = wanted["map"]["regions"], ("map", "regions", n)
        match choose.randrange(4):
            case 0:
                at[n]["position"] = [7, choose.randrange(9)]
                one.put((*path, "position"), at[n]["position"])
            case 1:
                at[n]["note"] = "a: b"
                one.put((*path, "note"), "a: b")
            case 2:
                del at[n]
                one.remove(path)
            case _:
                at[n]["link"].remove(gone := choose.choice(at[n]["link"]))
                one.remove_item((*path, "link"), gone)
    result = one.applied()
    assert data(result.replace("\r\n", "\n")) == wanted
    comments = [line for line in text.split("\n") if line.strip().startswith("#")]
    assert sum(line in result.split("\n") for line in comments) >= len(comments) - len(names)
