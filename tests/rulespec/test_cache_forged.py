"""A forged entry of the cache, checksum and all, plays no other game: trees are compared with their texts."""

from __future__ import annotations

import random
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import msgspec
import pytest
from folders import GAMES, RULESETS, shipped_files

from rulespec import cache
from rulespec.diagnostics.diagnostic import Span
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.documents.as_written import as_written as yaml_as_written
from rulespec.documents.kept_trees import _DECODER as YAML
from rulespec.documents.kept_trees import pack as pack_yaml
from rulespec.documents.kept_trees import parse_kept
from rulespec.documents.kept_trees import unpack as unpack_yaml
from rulespec.documents.nodes import Mapping, Node, Sequence, to_plain
from rulespec.documents.reader import parse_yaml
from rulespec.load import load_ruleset
from rulespec.syntax import ast
from rulespec.syntax.as_written import as_written
from rulespec.syntax.ast_json import ROOTS, Packed, pack, unpack
from rulespec.syntax.origin import Origin
from rulespec.syntax.parser import parse_expr, parse_rules, parse_type
from rulespec.syntax.printed import printed

RULES = sorted([*shipped_files("rules/*.rules"), *shipped_files("variants/*.rules"), *RULESETS.rglob("*.rules")])
SECTIONS = sorted(
    path
    for path in [*shipped_files("*.yaml"), *shipped_files("variants/*.yaml"), *RULESETS.rglob("*.yaml")]
    if path.name != "coasts.yaml"  # read by no ruleset
)
ORIGIN = Origin("f")
PACKED = msgspec.json.Decoder(Packed)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def forge(folder: Path, change: Callable[[Any], Any]) -> int:
    """Changes all entries, with their checksums; how many have changed."""
    changed = 0
    for entry in folder.iterdir():
        body = entry.read_bytes().partition(b"\n")[2]
        data = change(msgspec.json.decode(body))
        new = msgspec.json.encode(data)
        if new != body:
            changed += 1
            entry.write_bytes(cache.header(new) + b"\n" + new)
    return changed


def other_numbers(data: Any) -> Any:
    """The data with other numbers in trees of rules."""
    if isinstance(data, dict) and "numbers" in data:
        data["numbers"] = [n + 1 for n in data["numbers"]]
    return data


def other_names(data: Any) -> Any:
    if isinstance(data, dict) and len(set(data.get("names", ()))) > 1:
        data["names"] = data["names"][1:] + data["names"][:1]
    return data


def other_texts(data: Any) -> Any:
    if isinstance(data, dict) and "texts" in data:
        swapped = {"+": "-", "-": "+", "<": "<=", "<=": "<", "and": "or", "or": "and", "any": "all", "min": "max"}
        data["texts"] = [swapped.get(t, t) for t in data["texts"]]
    return data


def other_scalars(data: Any) -> Any:
    """The data with other numbers and words in trees of YAML: [tag, line, column, end, end, text, style]."""
    if isinstance(data, list):
        if len(data) == 7 and data[0] == 0 and isinstance(data[5], str):
            text = data[5]
            new = str(int(text) + 1) if text.isdigit() else {"land": "sea", "true": "false"}.get(text, text)
            return [*data[:5], new, data[6]]
        return [other_scalars(each) for each in data]
    return data


def other_places(data: Any) -> Any:
    """The data with the values of two entries of each mapping exchanged."""
    if isinstance(data, list):
        if len(data) == 7 and data[0] == 2 and isinstance(data[6], list) and len(data[6]) > 1:
            data[6][0], data[6][1] = data[6][1], data[6][0]
        return [other_places(each) for each in data]
    return data


def without_the_last(data: Any) -> Any:
    if isinstance(data, list):
        if len(data) == 7 and data[0] == 2 and isinstance(data[6], list) and len(data[6]) > 2:
            data = [*data[:5], data[5][:-1], data[6][:-1]]
        return [without_the_last(each) for each in data]
    return data


@pytest.mark.parametrize("game", ["tutorial", "imperial+playimperial", "nim", "chess"])
@pytest.mark.parametrize(
    "change", [other_numbers, other_names, other_texts, other_scalars, other_places, without_the_last]
)
@pytest.mark.sampled(3)
def test_a_forged_entry_plays_no_other_game(folder: Path, game: str, change: Callable[[Any], Any]) -> None:
    sound = load_ruleset(game)
    assert forge(folder, change) or (game, change) == ("nim", other_texts)
    again = load_ruleset(game)
    assert (again.hash, again.declarations.constants.keys()) == (sound.hash, sound.declarations.constants.keys())
    assert repr(again.rules) == repr(sound.rules) if game == "nim" else True
    assert not forge(folder, lambda data: data)  # written again, as they were
    monkey = {entry.name: entry.read_bytes() for entry in folder.iterdir()}
    load_ruleset(game)
    assert monkey == {entry.name: entry.read_bytes() for entry in folder.iterdir()}


def parsed(path: Path) -> tuple[str, tuple[ast.Item, ...]] | None:
    text = path.read_text("utf-8")
    try:
        return text + "\n", parse_rules(text, "f")
    except DiagnosticsError:
        return None


@pytest.mark.parametrize("path", RULES, ids=lambda p: f"{p.parent.parent.name}-{p.name}")
@pytest.mark.sampled(34)
def test_every_tree_is_as_it_is_written(path: Path) -> None:
    if (result := parsed(path)) is not None:
        assert as_written(result[1], result[0], ORIGIN)


@pytest.mark.parametrize("path", SECTIONS, ids=lambda p: f"{p.parent.name}-{p.name}")
@pytest.mark.sampled(92)
def test_every_section_is_as_it_is_written(path: Path) -> None:
    text = path.read_text("utf-8")
    assert yaml_as_written(parse_yaml(text, "f"), text)


EXPRESSIONS = [
    "1",
    "007 money",
    "-1",
    "a - b - c",
    "a - (b - c)",
    "(a + b) * c",
    "a + b * c",
    "((a)) + (b)",
    "not a == b",
    "(not a) == b",
    "not (a and b or c)",
    "a or b and c",
    "(a or b) and c",
    "(a or b) and (c or d) or e",
    "a if b else c if d else e",
    "(a if b else c) if d else e",
    "f(a) + b",
    "f(a + b)",
    "f((a) + b)",
    "a[b][c, d].e",
    "(a | b).c",
    "a.b[c].d(e, f)",
    "x in {a, b}",
    "x not in {}",
    "[a, b]",
    "[]",
    "(a ?? b) is none",
    "a is some and b is none",
    "count(a in b)",
    "count(a in b for c in d where e)",
    "sum(a.b for a in c for d in e)",
    "sum(count(x in y) for z in w)",
    "{a.b for a in c for d in e}",
    "{a in b where c}",
    "{a in b by c, d}",
    "min(a, b)",
    "max(a for b in c, else d)",
    "any(a in b for c in d)",
    "any(a in b where c for d in e where f)",
    "all(a in b for c in d: e)",
    "first(a in b from c where d by e)",
    "first(a)",
    "best(a in b by c)",
    "the(a in b where c)",
    "the(a)",
    "next(a)",
    "union(a for b in c)",
    "reach(a from b: c)",
    "reach(a from b to c in d costs e within f)",
    "cheapest(a from b to c in d costs e until f, else g)",
    "ray(a, b)",
    "ray(a, b until c)",
    'told(a, "b")',
    "a once b(c)",
    "-a * b",
    "-(a * b)",
    "true and false",
]
TYPES = ["money", "region?", "set region", "int 0..6", "int? 0..6", "int -3..-1", "order card"]


@pytest.mark.parametrize("text", EXPRESSIONS)
def test_every_form_is_as_it_is_written(text: str) -> None:
    for origin in (ORIGIN, Origin("f", 7, 12)):
        assert as_written(parse_expr(text, "f", origin.line, origin.column), text, origin)
    for other in EXPRESSIONS:
        if other != text:
            assert not as_written(parse_expr(other, "f"), text, ORIGIN), other


@pytest.mark.parametrize("text", TYPES)
def test_every_type_is_as_it_is_written(text: str) -> None:
    for other in TYPES:
        assert as_written(parse_type(other, "f"), text, ORIGIN) == (other == text)


# --- mutants ----------------------------------------------------------------------------------------------------------


def meaning(node: Any) -> Any:
    """A tree without its places."""
    if type(node) is tuple:
        return tuple(meaning(each) for each in node)
    if type(node) in ast.NODES:
        return (type(node).__name__, *(meaning(getattr(node, f)) for f in node.__struct_fields__ if f != "span"))
    return node


def replaced(node: Any, at: int, new: Any, count: list[int]) -> Any:
    """A tree with another node or tuple in the place of number `at`."""
    number, count[0] = count[0], count[0] + 1
    if number == at:
        return new
    if type(node) is tuple:
        return tuple(replaced(each, at, new, count) for each in node)
    if type(node) in ast.NODES:
        fields = {name: replaced(getattr(node, name), at, new, count) for name in node.__struct_fields__}
        return type(node)(**fields)
    return node


def nodes(node: Any) -> list[Any]:
    results = [node]
    if type(node) is tuple:
        for each in node:
            results += nodes(each)
    elif type(node) in ast.NODES:
        for name in node.__struct_fields__:
            results += nodes(getattr(node, name))
    return results


def mutant(tree: Any, all_: list[Any], rng: random.Random) -> Any:
    """The tree with a part exchanged, left out, turned round, lifted out of another, or with another word in it."""
    at = rng.randrange(len(all_))
    old = all_[at]
    kind = rng.randrange(4)
    if type(old) is tuple and old:
        parts = list(old)
        if kind == 0:
            del parts[rng.randrange(len(parts))]
        elif kind == 1:
            rng.shuffle(parts)
        elif kind == 2:
            parts.insert(rng.randrange(len(parts) + 1), rng.choice(parts))
        else:
            parts.append(rng.choice([n for n in all_ if type(n) is type(parts[0])]))
        new: Any = tuple(parts)
    elif isinstance(old, ast.Binary) and kind == 0:
        new = type(old)(old.span, old.op, old.right, old.left)
    elif isinstance(old, ast.Binary) and isinstance(old.left, ast.Binary) and kind == 1:  # a + b + c: a + (b + c)
        inner = old.left
        right = ast.Binary(inner.right.span.to(old.right.span), old.op, inner.right, old.right)
        new = ast.Binary(old.span, inner.op, inner.left, right)
    elif isinstance(old, ast.Binary) and isinstance(old.right, ast.Binary) and kind == 2:
        inner = old.right
        left = ast.Binary(old.left.span.to(inner.left.span), old.op, old.left, inner.left)
        new = ast.Binary(old.span, inner.op, left, inner.right)
    elif isinstance(old, ast.Expr | ast.Stmt):
        base = ast.Expr if isinstance(old, ast.Expr) else ast.Stmt
        inside = nodes(old)[1:] if kind < 3 else all_
        new = rng.choice([n for n in inside if isinstance(n, base)] or [old])
    elif isinstance(old, str | int | bool):
        new = rng.choice([n for n in all_ if type(n) is type(old)])
    else:
        new = rng.choice([n for n in all_ if type(n) is type(old)])
    return replaced(tree, at, new, [0])


@pytest.mark.parametrize(
    "text, other",
    [
        ("f(a.b)", lambda: call("f", ref("a", 3), ref("b", 5))),
        ("f(a + b)", lambda: call("f", ref("a", 3), ref("b", 7))),
        ("f(ab)", lambda: call("f", ref("a", 3), ref("b", 4))),
        ("f(a ?? b)", lambda: call("f", ref("a", 3), ref("b", 8))),
        ("{a.b}", lambda: ast.SetLiteral(place(1, 6), (ref("a", 2), ref("b", 4)))),
        ("[a & b]", lambda: ast.InOrder(place(1, 8), (ref("a", 2), ref("b", 6)))),
        ("a[b.c]", lambda: ast.Index(place(1, 7), ref("a", 1), (ref("b", 3), ref("c", 5)))),
        ("count(a in b)", lambda: call("count", ast.Binary(place(7, 13), "in", ref("a", 7), ref("b", 12)))),
        ("any( a in b )", lambda: call("any", ast.Binary(place(6, 12), "in", ref("a", 6), ref("b", 11)))),
        ("{a in b}", lambda: ast.SetLiteral(place(1, 9), (ast.Binary(place(2, 8), "in", ref("a", 2), ref("b", 7)),))),
        ("ab()", lambda: ref("ab", 1)),
        ("ab ()", lambda: ref("ab", 1)),
        ("abc", lambda: ref("ab", 1)),
        ("3 a", lambda: ast.Number(place(1, 2), 3, None)),
        ("(a", lambda: ref("a", 2)),
        ("(a]", lambda: ref("a", 2)),
    ],
)
def test_what_begins_like_a_tree_is_not_it(text: str, other: Callable[[], Any]) -> None:
    assert not as_written(other(), text, ORIGIN)


@pytest.mark.parametrize("text", ["region?", "region 0..6", "set region"])
def test_what_begins_like_a_type_is_not_it(text: str) -> None:
    at = text.index("region") + 1
    plain = ast.TypeRef("plain", ast.Name("region", place(at, at + 6)), 0, 0, place(at, at + 6))
    assert not as_written(plain, text, ORIGIN)


def place(begin: int, end: int) -> Span:
    return Span("f", 1, begin, 1, end)


def ref(name: str, at: int) -> ast.Ref:
    return ast.Ref(place(at, at + len(name)), name)


def call(name: str, *args: Any) -> ast.CallExpr:
    return ast.CallExpr(place(1, args[-1].span.end_column + 1), ast.Name(name, place(1, len(name) + 1)), args)


@pytest.mark.parametrize("path", RULES, ids=lambda path: path.stem)
@pytest.mark.sampled(34)
def test_nearly_all_is_as_it_is_printed(path: Path) -> None:
    """A printed tree is parsed into the same tree: so a text like that is of that tree."""
    if (result := parsed(path)) is None:
        return
    for node in nodes(result[1]):
        if isinstance(node, ast.Expr):
            try:
                text = printed(node)
            except KeyError:
                continue
            assert meaning(parse_expr(text, "f")) == meaning(node), text


@pytest.mark.parametrize("count", [150, pytest.param(1_000, marks=pytest.mark.proof)])
def test_no_other_tree_is_as_it_is_written(count: int) -> None:
    rng = random.Random(31)
    trees = [result for path in RULES if (result := parsed(path)) is not None and len(result[0]) < 6_000]
    tried = refused = 0
    for _ in range(count):
        text, tree = rng.choice(trees)
        try:
            other = mutant(tree, nodes(tree), rng)
            packed = PACKED.decode(msgspec.json.encode(pack(other, ORIGIN)))
        except (msgspec.ValidationError, KeyError, TypeError, ValueError):
            continue
        read = unpack(packed, ORIGIN, ROOTS["rules"])
        if read is None:
            continue
        tried += 1
        same = meaning(read) == meaning(tree)
        if not same:
            refused += 1
            assert not as_written(read, text, ORIGIN), difference(meaning(read), meaning(tree))
    assert tried > count * 3 // 10 and refused > count // 5


def difference(one: Any, other: Any) -> Any:
    """The smallest parts in which two trees differ."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        parts = [difference(a, b) for a, b in zip(one, other, strict=True) if a != b]
        return parts[0] if len(parts) == 1 else parts
    return one, other


def yaml_mutant(data: Any, rng: random.Random) -> Any:
    """Packed YAML with something exchanged."""
    lists: list[list[Any]] = []

    def gather(value: Any) -> None:
        if isinstance(value, list):
            lists.append(value)
            for each in value:
                gather(each)

    gather(data)
    one, two = rng.choice(lists), rng.choice(lists)
    if not one or not two:
        return data
    i, j = rng.randrange(len(one)), rng.randrange(len(two))
    match rng.randrange(4):
        case 0:
            one[i], two[j] = deepcopy(two[j]), deepcopy(one[i])
        case 1:
            one[i] = deepcopy(two[j])
        case 2:
            del one[i]
        case _:
            one.insert(i, deepcopy(one[rng.randrange(len(one))]))
    return data


@pytest.mark.parametrize("count", [300, pytest.param(3_000, marks=pytest.mark.proof)])
def test_no_other_yaml_is_as_it_is_written(count: int) -> None:
    rng = random.Random(31)
    texts = [text for path in SECTIONS if len(text := path.read_text("utf-8")) < 5_000]
    tried = 0
    for _ in range(count):
        text = rng.choice(texts)
        tree = parse_yaml(text, "f")
        data = msgspec.to_builtins(pack_yaml(tree))
        try:
            packed = YAML.decode(msgspec.json.encode(yaml_mutant(data, rng)))
        except (msgspec.ValidationError, ValueError):
            continue
        other = unpack_yaml(packed, "f")
        if other is not None and in_order(other) != in_order(tree):
            tried += 1
            assert not yaml_as_written(other, text), text
    assert tried > count // 30


def in_order(node: Node) -> Any:
    """A tree as plain data, in which the order of keys counts."""
    if isinstance(node, Mapping):
        return [(key, in_order(value)) for key, (_, value) in node.entries.items()]
    return [in_order(item) for item in node.items] if isinstance(node, Sequence) else to_plain(node)


YAMLS = [
    "a: 1\nb: {c: 2, d: [3, 4]}\n",
    "a: {b: 1}\nc: 2\n",
    "a: {b: 1, c: 2}\n",
    "- a\n- [b, c]\n- d: e\n  f: g\n",
    "- a\n- [b, c]\n- d: e\n- f: g\n",
    "a:\n  b: 1\nc: 2\n",
    "a:\n  b: 1\n  c: 2\n",
    "a: \"1\"\nb: 'it''s'\nc: \"x\\ty\"\n",
    "a: >-\n  one\n  two\nb: |\n  three\n  four\n",
    "a: one\n  two\nb:\nc: ~\n",
    "# nothing but a: 1\na: 1  # and b: 2\nb: 3\n",
    "a:\n- 1\n- 2\nb: [1, 2,]\n",
    "x: '{a: 1}'\ny: {a: 1}\n",
    "[]",
    "{}",
]


@pytest.mark.parametrize("text", YAMLS)
def test_every_form_of_yaml_is_as_it_is_written(text: str, folder: Path) -> None:
    assert yaml_as_written(parse_yaml(text, "f"), text)
    for other in YAMLS:
        if other != text:
            assert not yaml_as_written(parse_yaml(other, "f"), text), other
    rest = [to_plain(parse_kept(text, "f")) for _ in range(2)]
    assert rest[0] == rest[1] == to_plain(parse_yaml(text, "f"))


def test_the_games_are_there() -> None:
    assert len(RULES) > 50 and len(SECTIONS) > 150 and GAMES.is_dir()
