"""Random edits of maps in random layouts: the wanted data, no comment lost, few lines changed; or a refusal."""

from __future__ import annotations

import difflib
import random
import re
from typing import Any

import pytest

from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.yaml_nodes import DEFAULT_LIMITS, Mapping, Sequence, get, to_plain
from rulespec.documents.yaml_reader import parse_yaml
from rulespec.edits.yaml_edits import YamlEdits, flow

ORDER = ("title", "terrain", "home", "land", "sea", "doc", "position")


class Layout:
    """A writer of mappings in random layouts; each comment has a number of its own."""

    def __init__(self, choose: random.Random) -> None:
        self.choose = choose
        self.comments = 0

    def comment(self) -> str:
        self.comments += 1
        return f"# c{self.comments}."

    def end(self) -> str:
        """The rest of a line: blanks, or a comment."""
        return self.choose.choice(["", "", "", "  ", f"  {self.comment()}", f"\t{self.comment()}"])

    def between(self, indent: str) -> list[str]:
        """Lines that may follow an entry."""
        return self.choose.choice([[], [], [], [""], [f"{indent}{self.comment()}"], ["", f"{indent}{self.comment()}"]])

    def scalar(self, value: Any) -> str:
        plain = flow(value)
        if not isinstance(value, str) or plain.startswith('"'):
            return plain
        return self.choose.choice([plain, plain, f'"{value}"', f"'{value}'"])

    def flow(self, value: Any, indent: str) -> str:
        """A value in brackets, on one line or on several, with or without a last comma."""
        if not isinstance(value, dict | list):
            return self.scalar(value)
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        if isinstance(value, dict):
            parts = [f"{self.scalar(k)}: {self.flow(v, indent + '  ')}" for k, v in value.items()]
        else:
            parts = [self.flow(v, indent + "  ") for v in value]
        last = self.choose.choice(["", "", ","]) if parts else ""
        if not parts or self.choose.random() < 0.75:
            return f"{opening}{', '.join(parts)}{last}{closing}"
        lines = [f"{indent}  {part}{',' if part is not parts[-1] else last}{self.end()}" for part in parts]
        return "\n".join([f"{opening}{self.end()}", *lines, f"{indent}{closing}"])

    def block(self, value: dict[str, Any], indent: str) -> list[str]:
        """The lines of a mapping."""
        lines = []
        step = indent + " " * self.choose.choice([1, 2, 2, 3, 4])
        for key, part in value.items():
            name = f"{indent}{self.scalar(key)}:{' ' * self.choose.choice([1, 1, 1, 3])}"
            if isinstance(part, dict) and part and self.choose.random() < 0.6:
                lines += [f"{name.rstrip()}{self.end()}", *self.block(part, step)]
            elif isinstance(part, list) and part and self.choose.random() < 0.4:
                dash = self.choose.choice([indent, step])  # lists may begin below their key
                lines += [f"{name.rstrip()}{self.end()}"]
                for item in part:
                    lines += [f"{dash}- {self.flow(item, step)}{self.end()}", *self.between(dash)]
            elif isinstance(part, str) and "\n" in part:
                lines += [f"{name}|", *(f"{step}{line}" for line in part.splitlines())]
                continue  # a comment below would be indented less, or a part of the text
            else:
                lines.append(f"{name}{self.flow(part, indent)}{self.end()}")
            lines += self.between(indent)
        return lines


def a_map(choose: random.Random) -> dict[str, Any]:
    names = [f"{choose.choice('bkz')}{i}" for i in range(choose.randrange(2, 7))]

    def region() -> dict[str, Any]:
        parts: dict[str, Any] = {"terrain": choose.choice(["land", "sea"])}
        for kind in ("land", "sea"):
            if choose.random() < 0.6:
                parts[kind] = choose.sample(names, choose.randrange(len(names)))
        if choose.random() < 0.3:
            parts = {"title": choose.choice(["The North", "no: way", "Kap Hoorn"]), **parts}
        if choose.random() < 0.2:
            parts["doc"] = "two\nlines\n"
        if choose.random() < 0.3:
            parts["position"] = [choose.randrange(99), choose.randrange(99)]
        return parts

    return {"kind": "region", "regions": {name: region() for name in names}, "checks": {}}


def edit(choose: random.Random, one: YamlEdits, wanted: dict[str, Any]) -> tuple[str, ...]:
    """A random edit of a text and of its data; returns the path of what is taken out, if it is."""
    regions = wanted["map"]["regions"]
    name = choose.choice([*regions])
    path, parts = ("map", "regions", name), regions[name]
    lists = [key for key in ("land", "sea") if parts.get(key) is not None]
    match choose.randrange(7):
        case 0:
            parts["terrain"] = choose.choice(["swamp", "no", "two words"])
            one.put((*path, "terrain"), parts["terrain"])
        case 1 if "home" not in parts:
            later = [key for key in parts if key in ORDER[3:]]
            rest = {key: parts.pop(key) for key in ([*parts][[*parts].index(later[0]) :] if later else [])}
            parts |= {"home": "rome", **rest}
            one.put((*path, "home"), "rome", ORDER)
        case 2 if lists:
            key = choose.choice(lists)
            is_sorted = len(parts[key]) > 1 and sorted(parts[key]) == parts[key]
            parts[key].append("m1")
            if is_sorted:
                parts[key].sort()
            one.add_item((*path, key), "m1")
        case 3 if any(parts[key] for key in lists):
            key = choose.choice([key for key in lists if parts[key]])
            gone = choose.choice(parts[key])
            parts[key].remove(gone)
            one.remove_item((*path, key), gone)
            return (*path, key, gone)
        case 4:
            wanted["map"]["regions"] = {("y9" if n == name else n): value for n, value in regions.items()}
            one.rename_key(path, "y9")
        case 5:
            del regions[name]
            one.remove(path)
            return path
        case _:
            regions["n1"] = {"terrain": "land", "land": [name]}
            one.put(("map", "regions", "n1"), {"terrain": "land", "land": [name]})
    return ()


def lines_of(text: str, path: tuple[str, ...]) -> list[str]:
    """The lines of an entry or an item, and the comments and blank lines after it."""
    node = get(parse_yaml(text, "x.yaml", DEFAULT_LIMITS), *path[:4])
    assert node is not None
    first = node.span.line
    if len(path) == 5:  # an item of a list
        assert isinstance(node, Sequence)
        node = next(item for item in node.items if to_plain(item) == path[4])
        first = node.span.line
    elif len(path) == 3:
        parent = get(parse_yaml(text, "x.yaml", DEFAULT_LIMITS), *path[:2])
        assert isinstance(parent, Mapping)
        first = parent.entries[path[2]][0].span.line
    lines = text.splitlines()
    last = node.span.end_line
    while last < len(lines) and (not lines[last].strip() or lines[last].strip().startswith("#")):
        last += 1
    return lines[first - 1 : last]


def one_case(seed: int) -> bool:
    """Whether an edit is made; asserts that it is the right one."""
    choose = random.Random(seed)
    layout, wanted = Layout(choose), {"map": a_map(choose)}
    head = choose.choice([[], [layout.comment()], ["---"], [layout.comment(), "", layout.comment()]])
    end = choose.choice(["\n", "\n", "\r\n"])
    lines = [line for part in (*head, *layout.block(wanted, "")) for line in part.split("\n")]
    text = end.join(lines) + choose.choice([end, end, ""])
    assert to_plain(parse_yaml(text, "x.yaml", DEFAULT_LIMITS)) == wanted
    one = YamlEdits(text, "x.yaml", DEFAULT_LIMITS)
    try:
        gone = edit(choose, one, wanted)
        result = one.applied()
    except DiagnosticsError:
        return False
    data = to_plain(parse_yaml(result, "x.yaml", DEFAULT_LIMITS))
    assert repr(data) == repr(wanted), text
    assert result.count("\r\n") == (result.count("\n") if end == "\r\n" else 0)
    before, after = text.splitlines(), result.splitlines()
    changed = [line for line in difflib.ndiff(before, after) if line[0] in "+-"]
    lost = {*re.findall(r"# c\d+\.", text)} - {*re.findall(r"# c\d+\.", result)}
    if gone:
        assert sum(line[0] == "+" for line in changed) <= 2, (text, result)
        assert lost <= {*re.findall(r"# c\d+\.", "\n".join(lines_of(text, gone)))}, (text, result)
    else:
        assert not lost, (text, result)
        assert len(changed) <= 4, (text, result)
    return True


@pytest.mark.parametrize("begin", range(0, 3_000, 100))
@pytest.mark.sampled(1)
def test_edits_in_random_layouts(begin: int) -> None:
    assert sum(one_case(seed) for seed in range(begin, begin + 100)) >= 99  # the rest is refused, and not written
