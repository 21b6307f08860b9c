"""The schemas of a ruleset's files: valid, consistent with the documentation, and precise about the place of errors."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from folders import ROOT, shipped_files
from jsonschema import Draft202012Validator
from limits import soon

from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import Report
from rulespec.documents.schema_check import check_schema, fits
from rulespec.documents.yaml_nodes import to_plain
from rulespec.documents.yaml_reader import parse_yaml, read_yaml
from rulespec.schemas import BESIDE, NAMES, OUTPUTS, WIRE, load_schema

FILES = [p for n in NAMES for p in shipped_files(f"{n}.yaml")]
OVERLAYS = shipped_files("variants/*.yaml")


def findings(name: str, text: str) -> tuple[Diagnostic, ...]:
    report = Report()
    check_schema(parse_yaml(text, f"{name}.yaml"), load_schema(name), report, what=f"{name} file")
    return report.diagnostics


def examples() -> Iterator[tuple[str, str]]:
    """The YAML blocks of the documentation, each with the schema of its section."""
    name = ""
    text = (ROOT / "docs" / "reference" / "files.md").read_text("utf-8")
    for match in re.finditer(r"^#+ ([^\n]*)$|^```yaml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        heading, block = match.groups()
        if block is not None:
            yield name, block
        elif file := re.fullmatch(r"`(\w+)\.yaml`", heading):
            name = file[1]
        else:
            name = "overlay" if heading == "Overlays" else name if heading.startswith("Keys of") else ""


def subschemas(schema: Any, path: str = "#") -> Iterator[tuple[str, Any]]:
    yield path, schema
    if not isinstance(schema, dict):
        return
    for key in ("additionalProperties", "items", "if", "then", "else", "propertyNames"):
        if key in schema:
            yield from subschemas(schema[key], f"{path}/{key}")
    for key in ("properties", "$defs"):
        for name, inner in schema.get(key, {}).items():
            yield from subschemas(inner, f"{path}/{key}/{name}")


# --- the schemas themselves -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NAMES)
def test_schema_is_valid(name: str) -> None:
    schema = load_schema(name)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == f"urn:rulespec:schema:{name}"
    jsonschema_rs.meta.validate(schema)


@pytest.mark.parametrize("name", NAMES)
def test_references_stay_inside_and_all_definitions_are_used(name: str) -> None:
    schema = load_schema(name)
    results = [s["$ref"] for _, s in subschemas(schema) if isinstance(s, dict) and "$ref" in s]
    assert set(results) == {f"#/$defs/{d}" for d in schema.get("$defs", {})}
    assert str(schema).count("'$ref'") == len(results)  # `subschemas` is complete


@pytest.mark.parametrize("name", NAMES)
def test_every_property_is_described(name: str) -> None:
    schema = load_schema(name)
    properties = [(p, s) for p, s in subschemas(schema) if "/properties/" in p and s is not True]
    assert properties
    for path, inner in properties:
        if path.rsplit("/", 2)[1] == "properties":
            assert inner["title"], path
            assert inner["description"].endswith("."), path


FRAGMENT = re.compile(r"(?i:of|in how|after how|how|where|who|which)\b|.*\b(?:how many|that who|who asks)\b")
"""A description without a noun for its value: `Of the longest game.`, `How many failed.`"""


@pytest.mark.parametrize("name", [*NAMES, *BESIDE, *OUTPUTS, *WIRE])
def test_a_description_names_its_value(name: str) -> None:
    schemas = [schema for _, schema in subschemas(load_schema(name)) if isinstance(schema, dict)]
    assert [schema["description"] for schema in schemas if FRAGMENT.match(schema.get("description", ""))] == []


def test_a_fragment_is_noticed() -> None:
    assert all(
        map(FRAGMENT.match, ("Of the longest game.", "How many failed.", "the entity that who decides acts for"))
    )
    assert not any(
        map(FRAGMENT.match, ("Office hours.", "However few.", "The number of games.", "Whether it is over."))
    )


@pytest.mark.parametrize("name", NAMES)
def test_every_mapping_is_closed_or_bounded(name: str) -> None:
    for path, inner in subschemas(load_schema(name)):
        kinds = inner.get("type", ()) if isinstance(inner, dict) else ()
        if "object" in ([kinds] if isinstance(kinds, str) else kinds):
            closed = inner["additionalProperties"] is False
            assert closed or ("maxProperties" in inner and "propertyNames" in inner), path
        if "array" in ([kinds] if isinstance(kinds, str) else kinds):
            assert "maxItems" in inner, path
        if "string" in ([kinds] if isinstance(kinds, str) else kinds):
            assert "maxLength" in inner or "enum" in inner, path


def test_unknown_schema() -> None:
    with pytest.raises(KeyError):
        load_schema("../game")


# --- what is accepted -------------------------------------------------------------------------------------------------


def test_documentation_has_an_example_of_each() -> None:
    assert {name for name, _ in examples()} >= set(NAMES)


@pytest.mark.parametrize("name, text", [pytest.param(n, t, id=n) for n, t in examples() if n])
def test_documented_example(name: str, text: str) -> None:
    assert findings(name, text) == ()


@pytest.mark.parametrize("path", FILES + OVERLAYS, ids=lambda p: str(p.relative_to(ROOT)))
def test_shipped_ruleset(path: Path) -> None:
    report = Report()
    name = "overlay" if path in OVERLAYS else path.stem
    check_schema(read_yaml(path, path.name), load_schema(name), report, what=f"{name} file")
    # A ruleset that extends another one may omit what its base has; loading checks the merged result.
    partial = name not in ("game", "overlay") and "\nextends:" in path.with_name("game.yaml").read_text("utf-8")
    assert [d for d in report.diagnostics if not (partial and d.code == "RS212")] == []


GAME = "id: a\ntitle: A\nversion: '1'\nplayers: {kind: p, min: 2, max: 2}\nstart: play\n"
OVERLAY = "id: a\ntitle: A\nfor: b\nversion: '1'\n"


@pytest.mark.parametrize(
    "name, text",
    [
        ("game", GAME),
        ("game", "id: a\ntitle: A\nversion: '1'\nextends: b\nreplaces: [map.regions]\n"),
        ("kinds", "{}"),
        ("kinds", "kinds: {k: {entities: {a: {}, '7': {title: Seven}, c: , d: {s: [a, '7'], b: true, n: -3}}}}"),
        ("kinds", "kinds: {k: {state: {a: {type: set k, private: true}, b: {account: money, private: hidden}}}}"),
        ("kinds", "pieces: {stone: {places: {bag: {}}}}"),
        ("tables", "constants: {a: 1, b: -1, c: true, d: 2 money, e: none, f: 'max(1, 2)'}"),
        ("tables", "tables: {t: {key: [k, int], value: k?, rows: {a: {-1: b, 0: none}}}}"),
        ("tracks", "tracks: {t: {line: k, spaces: {a: {upto: -1}, b: {upto: 5 money}, c: }}}"),
        ("setup", "setup: {pieces: {stone.bag: players * 3, army.at: {a: {b: 1, c: x + 1}}}, players: {12: {}}}"),
        ("setup", "setup: {state: {card: none, k.a: 1, k.7.a: 2}, accounts: {bank: 5 money, k.cash: 2}}"),
        ("overlay", OVERLAY),
        ("overlay", OVERLAY + "changes: {tables.t.rows.-1: {a: [b]}, map: 3}\nremove: [kinds.d.entities.30]\n"),
    ],
)
def test_accepted(name: str, text: str) -> None:
    assert findings(name, text) == ()


# --- what is refused, and where ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, text, code, at, message",
    [
        # the whole file
        ("map", "", "RS213", "1:1", "the map file must be a mapping"),
        ("setup", "pieces: {}", "RS211", "1:1", "unknown key `pieces` in the setup file"),
        ("kinds", "kind: {}", "RS211", "1:1", "unknown key `kind` in the kinds file"),
        # game
        ("game", GAME.replace("start: play\n", ""), "RS212", "1:1", "the key `start` is missing from the game file"),
        ("game", GAME.replace("'1'", "1"), "RS213", "3:10", "`version` must be text"),
        ("game", GAME.replace("id: a", "id: A-1"), "RS215", "1:5", "`A-1` is not a valid value for `id`"),
        ("game", GAME.replace("min: 2", "min: 0"), "RS216", "4:25", "`0` is out of range for `players.min`"),
        ("game", GAME + "units: money", "RS213", "6:8", "`units` must be a list"),
        ("game", GAME + "settings: {x: {}}", "RS212", "6:15", "the key `default` is missing from `settings.x`"),
        (
            "game",
            GAME + "settings: {x: {default: later}}",
            "RS213",
            "6:25",
            "`settings.x.default` must be `true` or `false`",
        ),
        ("game", GAME + "settings: {x: {values: [a, b], default: true}}", "RS213", "6:41", "must be text"),
        ("game", GAME + "settings: {x: {values: [a], default: a}}", "RS217", "6:24", "must have at least 2 items"),
        ("game", GAME + "overlays: [../evil]", "RS215", "6:12", "is not a valid value for `overlays[1]`"),
        # kinds
        ("kinds", "kinds: {Nation: {}}", "RS215", "1:9", "`Nation` cannot be a key in `kinds`"),
        ("kinds", "kinds: {n: {fact: {}}}", "RS211", "1:13", "unknown key `fact` in `kinds.n`"),
        (
            "kinds",
            "kinds: {n: {product: [a, b], entities: {}}}",
            "RS211",
            "1:30",
            "unknown key `entities` in `kinds.n`",
        ),
        ("kinds", "kinds: {n: {product: [a]}}", "RS217", "1:22", "`kinds.n.product` must have at least 2 items"),
        ("kinds", "kinds: {n: {facts: {a: int 0..6}}}", "RS215", "1:24", "is not a valid value for `kinds.n.facts.a`"),
        ("kinds", "kinds: {n: {facts: {a: }}}", "RS213", "1:24", "`kinds.n.facts.a` must be text"),
        ("kinds", "kinds: {n: {entities: [a, b]}}", "RS213", "1:23", "`kinds.n.entities` must be a mapping"),
        ("kinds", "kinds: {n: {entities: {a: 3}}}", "RS213", "1:27", "must be a mapping or empty"),
        ("kinds", "kinds: {n: {entities: {a: {f: }}}}", "RS213", "1:31", "`kinds.n.entities.a.f` must be text or"),
        ("kinds", "kinds: {n: {entities: {a: {f: {}}}}}", "RS213", "1:31", "`kinds.n.entities.a.f` must be text or"),
        (
            "kinds",
            "kinds: {n: {entities: {a: {f: [b, 3]}}}}",
            "RS213",
            "1:35",
            "`kinds.n.entities.a.f[2]` must be text",
        ),
        ("kinds", "kinds: {n: {entities: {a: {position: [1]}}}}", "RS217", "1:38", "must have at least 2 items"),
        ("kinds", "kinds: {n: {state: {a: {}}}}", "RS212", "1:24", "the key `type` is missing from `kinds.n.state.a`"),
        ("kinds", "kinds: {n: {state: {a: {type: int, unlimited: true}}}}", "RS211", "1:36", "unknown key `unlimited`"),
        ("kinds", "kinds: {n: {state: {a: {account: money, start: 3}}}}", "RS211", "1:41", "unknown key `start`"),
        ("kinds", "kinds: {n: {state: {a: {type: int 0-6}}}}", "RS215", "1:31", "`int 0-6` is not a valid value for"),
        ("kinds", "kinds: {n: {state: {a: {type: int, start: }}}}", "RS213", "1:43", "must be text or a whole number"),
        ("kinds", "state: {a: {account: money}}", "RS212", "1:12", "the key `type` is missing from `state.a`"),
        ("kinds", "accounts: {a: {account: money, limited: true}}", "RS211", "1:32", "unknown key `limited`"),
        ("kinds", "accounts: {a: {account: money, private: 3}}", "RS213", "1:41", "`accounts.a.private` must be"),
        ("kinds", "pieces: {a: {each: n, places: {}}}", "RS213", "1:20", "`pieces.a.each` must be a list"),
        ("kinds", "pieces: {a: {each: [n]}}", "RS212", "1:13", "the key `places` is missing from `pieces.a`"),
        ("kinds", "pieces: {a: {places: {b: {indx: n}}}}", "RS211", "1:27", "unknown key `indx`"),
        # map and tracks
        ("map", "map: {regions: {}}", "RS212", "1:6", "the key `kind` is missing from `map`"),
        ("map", "map: {kind: r, links: {a: both}, regions: {}}", "RS214", "1:27", "`both` is not allowed as"),
        ("map", "map: {kind: r, regions: {a b: {}}}", "RS215", "1:26", "`a b` cannot be a key in `map.regions`"),
        ("map", "map: {kind: r, regions: {a: {sea: [B]}}}", "RS215", "1:36", "`B` is not a valid value for"),
        ("tracks", "tracks: {t: {spaces: {}}}", "RS212", "1:13", "the key `ring` is missing from `tracks.t`"),
        ("tracks", "tracks: {t: {ring: a, line: b, spaces: {}}}", "RS211", "1:14", "unknown key `ring` in `tracks.t`"),
        (
            "tracks",
            "tracks: {t: {line: b, spaces: {a: {upto: [1]}}}}",
            "RS213",
            "1:42",
            "must be a whole number or text",
        ),
        ("tracks", "tracks: {t: {ring: b, unit: money, spaces: {}}}", "RS211", "1:23", "unknown key `unit`"),
        # tables
        ("tables", "constants: {a: [1]}", "RS213", "1:16", "`constants.a` must be text or a whole number"),
        ("tables", "tables: {t: {key: int, rows: {}}}", "RS212", "1:13", "the key `value` is missing from `tables.t`"),
        (
            "tables",
            "tables: {t: {key: set n, value: int, rows: {}}}",
            "RS215",
            "1:19",
            "`set n` is not a valid value for",
        ),
        (
            "tables",
            "tables: {t: {key: int, value: int, rows: [1]}}",
            "RS213",
            "1:42",
            "`tables.t.rows` must be a mapping",
        ),
        ("tables", "tables: {t: {key: int, value: int, rows: {1: {A: 1}}}}", "RS215", "1:47", "`A` cannot be a key in"),
        ("tables", "tables: {t: {key: int, value: int, rows: {1: }}}", "RS213", "1:46", "`tables.t.rows.1` must be"),
        # setup
        ("setup", "setup: {pieces: {army: 3}}", "RS215", "1:18", "`army` cannot be a key in `setup.pieces`"),
        ("setup", "setup: {pieces: {a.b: {c: true}}}", "RS213", "1:27", "`setup.pieces.a.b.c` must be text or"),
        ("setup", "setup: {state: {a.b.c.d: 1}}", "RS215", "1:17", "`a.b.c.d` cannot be a key in `setup.state`"),
        ("setup", "setup: {accounts: {bank: {a: 1}}}", "RS213", "1:26", "`setup.accounts.bank` must be text or"),
        ("setup", "setup: {players: {two: {}}}", "RS215", "1:19", "`two` cannot be a key in `setup.players`"),
        ("setup", "setup: {players: {2: {cash: 1}}}", "RS211", "1:23", "unknown key `cash` in `setup.players.2`"),
        # overlay
        (
            "overlay",
            "id: a\ntitle: A\nversion: '1'\n",
            "RS212",
            "1:1",
            "the key `for` is missing from the overlay file",
        ),
        ("overlay", OVERLAY + "change: {}", "RS211", "5:1", "unknown key `change` in the overlay file"),
        ("overlay", OVERLAY + "settings: {a: [3]}", "RS213", "5:15", "`settings.a` must be"),
        ("overlay", OVERLAY + "changes: {a..b: 3}", "RS215", "5:11", "`a..b` cannot be a key in `changes`"),
        ("overlay", OVERLAY + "add:\n  kinds.Nation: 3", "RS215", "6:3", "`kinds.Nation` cannot be a key in `add`"),
        ("overlay", OVERLAY + "remove: {a.b: 1}", "RS213", "5:9", "`remove` must be a list"),
        ("overlay", OVERLAY + "remove: [a.b, a/b]", "RS215", "5:15", "`a/b` is not a valid value for `remove[2]`"),
    ],
)
def test_refused(name: str, text: str, code: str, at: str, message: str) -> None:
    result = findings(name, text)
    places = [(d.code, str(d.span).partition(":")[2]) for d in result]
    assert (code, at) in places, result
    assert any(message in d.message for d in result), result
    assert all(d.help for d in result)


@pytest.mark.parametrize(
    "name, text, word",
    [
        ("kinds", "kinds: {n: {entites: {}}}", "entities"),
        ("kinds", "kinds: {n: {state: {a: {acount: money}}}}", "account"),
        ("kinds", "kinds: {n: {product: [a, b], fcts: {}}}", "facts"),
        ("tracks", "tracks: {t: {rings: r, spaces: {}}}", "ring"),
        ("map", "map: {kind: r, links: {a: twoway}, regions: {}}", "two_way"),
        ("overlay", OVERLAY + "chnages: {}", "changes"),
    ],
)
def test_typo_is_named(name: str, text: str, word: str) -> None:
    assert any(d.help == f"did you mean `{word}`?" for d in findings(name, text)), findings(name, text)


# --- size -------------------------------------------------------------------------------------------------------------


def test_large_map_is_fast() -> None:
    row = "    r{0}: {{title: Region {0}, terrain: sea, sea: [r1, r2, r3, r4, r5, r6], position: [1, {0}]}}\n"
    text = "map:\n  kind: region\n  regions:\n" + "".join(row.format(n) for n in range(2000))
    node = parse_yaml(text, "map.yaml")
    report = Report()
    with soon():
        check_schema(node, load_schema("map"), report, what="map file")
    assert report.ok


@pytest.mark.parametrize(
    "name, head",
    [("tables", "tables: {t: {key: int, value: int, rows: "), ("setup", "setup: {pieces: {a.b: ")],
)
def test_deep_nesting_is_no_overflow(name: str, head: str) -> None:
    opened = head.count("{")
    depth = 63 - opened  # everything accepted by the reader
    findings(name, head + "{a: " * depth + "1" + "}" * (depth + opened))


@pytest.mark.parametrize("name", NAMES)
def test_nothing_compares_all_items_with_each_other(name: str) -> None:
    # `uniqueItems` is quadratic for unsortable items, and is checked even after `maxItems` has failed.
    assert all("uniqueItems" not in s for _, s in subschemas(load_schema(name)) if isinstance(s, dict))


@pytest.mark.parametrize(
    "name, text",
    [
        ("game", GAME + "units: [" + ", ".join(f"{{a: {n}}}" for n in range(11_000)) + "]"),
        ("kinds", "kinds: {k: {entities: {" + ", ".join(f"A{n}: 3" for n in range(25_000)) + "}}}"),
        ("tables", "tables: {t: {key: int, value: int, rows: {" + ", ".join(f"{n}: " for n in range(25_000)) + "}}}"),
        ("overlay", OVERLAY + "changes: {" + ", ".join(f"A{n}: 1" for n in range(25_000)) + "}"),
        ("kinds", "kinds: {k: {facts: {a: 'set " + " " * 500_000 + "!'}}}"),
    ],
    ids=["list", "entities", "rows", "paths", "pattern"],
)
@pytest.mark.sampled(1)
def test_hostile_file_is_refused_soon(name: str, text: str) -> None:
    node = parse_yaml(text, "f.yaml")
    report = Report()
    with soon():
        check_schema(node, load_schema(name), report, what="file")
    assert 0 < report.errors <= 200


# --- two libraries ----------------------------------------------------------------------------------------------------

ODD: tuple[Any, ...] = (None, True, False, 0, 1, -1, 1.0, 10**30, "", "a", "A", "a\n", "0", "é" * 70)
ODD += ([], ["a", "a"], {}, {"a": 1}, {"": []})


def damaged(value: Any, rng: random.Random) -> Any:
    """A copy with one place dropped, duplicated, renamed or replaced."""
    if not value or not isinstance(value, dict | list) or rng.random() < 0.1:
        return rng.choice(ODD)
    if isinstance(value, list):
        at = rng.randrange(len(value))
        middle = rng.choice([[], [value[at], value[at]], [damaged(value[at], rng)]])
        return [*value[:at], *middle, *value[at + 1 :]]
    key = rng.choice(sorted(value))
    rest = {k: v for k, v in value.items() if k != key}
    return rng.choice([rest, {**rest, f"{key}x": value[key]}, value | {key: damaged(value[key], rng)}])


@pytest.mark.parametrize("path", [*FILES, *OVERLAYS], ids=lambda p: "/".join(p.parts[-3:]))
@pytest.mark.sampled(3)
def test_the_quick_verdict_is_that_of_jsonschema(path: Path) -> None:
    schema, rng = load_schema(path.stem if path in FILES else "overlay"), random.Random(path.name)
    slow, verdicts = Draft202012Validator(schema), []
    sound = to_plain(read_yaml(path, path.name))
    for plain in [sound, *(damaged(sound, rng) for _ in range(40))]:
        errors = [e.validator for e in slow.iter_errors(plain)]
        # If they ever differ, jsonschema must have the last word: it sees everything the quick one refuses.
        assert not (errors and fits(plain, schema))
        assert not (set(errors) - {"required"} and fits(plain, schema, partial=True))
        verdicts.append(fits(plain, schema, partial=True))
    assert verdicts[0] and not all(verdicts)
