"""Limits on expansion, with excess from every possible source: see docs/reference/limits.md.

Each limit is exceeded by a single file, and again by several files far below it, such as overlays or extended rulesets.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from cases import GAME, write
from folders import GAMES

from rulespec.check.declarations.reader import MAX_EXPRESSIONS
from rulespec.check.size import MAX_ALL_ENTITIES, MAX_ENTITIES, MAX_FACTS
from rulespec.cli.main import run
from rulespec.cli.validate import check
from rulespec.diagnostics.report import MAX_ERRORS, DiagnosticsError, Report
from rulespec.engine.dialects.dialect_files import dialects
from rulespec.engine.game.game import Game
from rulespec.engine.game.machines import Backend
from rulespec.engine.game.numbered import every_option
from rulespec.engine.game.option import RulesetFaultError
from rulespec.engine.verify.starts import check_starts
from rulespec.engine.verify.suite import log_files
from rulespec.engine.wasm.widths import MOST_ON_STACK, ROW, words_of
from rulespec.load import load_ruleset
from rulespec.references import find_ruleset
from rulespec.ruleset_files import MAX_FILES, MAX_ITEMS, MAX_RULES_BYTES, MAX_TOTAL, MAX_TOTAL_RULES, MAX_TOTAL_VALUES
from rulespec.typed import nodes as typed

PLAY = "procedure play():\n    end game\n"
Files = dict[str, str]


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RULESPEC_PATH", str(tmp_path))


def codes(ref: str) -> set[str]:
    report = Report()
    try:
        load_ruleset(ref, report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    return {d.code for d in report.diagnostics}


def entities(name: str, count: int) -> str:
    return "{" + ", ".join(f"{name}_{i}: {{}}" for i in range(count)) + "}"


def kinds(first: int, last: int, size: int, head: str = "") -> str:
    """Kinds `k<first>` to `k<last - 1>` with the given number of entities, one per line."""
    return "".join(f"  k{i}: {{{head}entities: {entities(f'e{i}', size)}}}\n" for i in range(first, last))


def in_one(files: Files) -> str:
    write(Path("one"), {"rules/play.rules": PLAY, **files})
    return "one"


def in_overlays(parts: list[Files], base: Files | None = None) -> str:
    """A reference to a small ruleset with one overlay per part: `add` is its YAML, `rules` its rules."""
    files = {"rules/play.rules": PLAY, **(base or {})}
    for i, part in enumerate(parts):
        files[f"variants/o{i}.yaml"] = f"id: o{i}\ntitle: O\nfor: small\nversion: '1'\n{part.get('add', '')}"
        if "rules" in part:
            files[f"variants/o{i}.rules"] = part["rules"]
    write(Path("laid"), files)
    return "laid" + "".join(f"+o{i}" for i in range(len(parts)))


def in_a_chain(parts: list[Files]) -> str:
    """The last of several rulesets that extend one another, each with its own files."""
    for i, part in enumerate(parts):
        head = f"id: r{i}\ntitle: R\nversion: '1'\nextends: r{i - 1}\n" if i else GAME
        write(Path(f"r{i}"), {"game.yaml": head, **({} if i else {"rules/play.rules": PLAY}), **part})
    return f"r{len(parts) - 1}"


# --- what is written --------------------------------------------------------------------------------------------------


def definitions(first: int, last: int, width: int = 0) -> str:
    return "".join(f"def d{i}() -> int: 1{' ' * width}\n" for i in range(first, last))


def rows(count: int, name: str = "t") -> str:
    return f"  {name}: {{key: int, value: int, rows: {{{', '.join(f'{i}: 1' for i in range(count))}}}}}\n"


def many_files_by_overlays() -> str:
    """An overlay that includes twenty others, which include twenty each; an overlay included twice is read once."""
    inner = [(f"o1_{i}", [f"o2_{i}_{j}" for j in range(20)]) for i in range(20)]
    includes = {"o0": [name for name, _ in inner], **dict(inner)}
    names = [*includes, *(name for _, more in inner for name in more)]
    head = "title: O\nfor: small\nversion: '1'\n"
    files = {
        f"variants/{name}.yaml": f"id: {name}\n{head}includes: [{', '.join(includes.get(name, ()))}]\n"
        for name in names
    }
    write(Path("laid"), {"rules/play.rules": PLAY, **files})
    return "laid+o0"


WRITTEN: dict[str, tuple[Callable[[], str], Callable[[], str]]] = {
    "files": (
        lambda: in_one({f"rules/f{i}.rules": f"# {i}\n" for i in range(MAX_FILES)}),
        many_files_by_overlays,
    ),
    "characters": (
        lambda: in_one({f"{n}.yaml": "# " + "x" * 950_000 for n in ("kinds", "map", "tracks", "tables", "setup")}),
        lambda: in_a_chain([{"tables.yaml": "# " + "x" * (MAX_TOTAL // 5)} for _ in range(6)]),
    ),
    "characters of rules": (
        lambda: in_one({f"rules/f{i}.rules": "#" * (MAX_RULES_BYTES - 1) + "\n" for i in range(3)}),
        lambda: in_overlays([{"rules": "#" * (MAX_TOTAL_RULES // 5) + "\n"} for _ in range(6)]),
    ),
    "rules": (
        lambda: in_one({"rules/d.rules": definitions(0, MAX_ITEMS)}),
        lambda: in_overlays([{"rules": definitions(i * 500, i * 500 + 500)} for i in range(4)]),
    ),
    "values": (
        lambda: in_one(
            {
                "tables.yaml": "tables:\n" + "".join(rows(1_900, f"t{i}") for i in range(12)),
                "kinds.yaml": f"kinds:\n{kinds(0, 5, 1_900)}",
            }
        ),
        lambda: in_a_chain(
            [{"tables.yaml": "tables:\n" + "".join(rows(1_900, f"t{n}_{i}") for i in range(4))} for n in range(5)]
        ),
    ),
}


@pytest.mark.parametrize("way", [0, 1], ids=["one", "many"])
@pytest.mark.parametrize("what", WRITTEN)
@pytest.mark.sampled(1)
def test_what_is_written_is_bounded(what: str, way: int) -> None:
    assert MAX_TOTAL_VALUES < 12 * 1_900 * 2 + 5 * 1_900 * 2
    assert "RS107" in codes(WRITTEN[what][way]())


@pytest.mark.proof  # 0.3 s
def test_one_file_may_hold_as_much_as_all_of_them() -> None:
    assert "RS107" not in codes(in_one({"rules/d.rules": definitions(0, MAX_ITEMS - 1)}))


# --- what it stands for -----------------------------------------------------------------------------------------------

FACTS = "facts: {" + ", ".join(f"f{i}: bool" for i in range(100)) + "}, "

STANDS_FOR: dict[str, tuple[Callable[[], str], Callable[[], str]]] = {
    "entities of a kind": (
        lambda: in_one({"kinds.yaml": f"kinds:\n{kinds(0, 1, 71)}  b: {{product: [k0, k0]}}\n"}),
        lambda: in_overlays(
            [{"add": f"add:\n  kinds.k0.entities.x{i}: {{}}\n"} for i in range(2)],
            {"kinds.yaml": f"kinds:\n{kinds(0, 1, 69)}  b: {{product: [k0, k0]}}\n"},
        ),
    ),
    "entities in total": (
        lambda: in_one(
            {"kinds.yaml": f"kinds:\n{kinds(0, 1, 70)}" + "".join(f"  b{i}: {{product: [k0, k0]}}\n" for i in range(5))}
        ),
        lambda: in_a_chain(
            [{"kinds.yaml": f"kinds:\n{'' if i else kinds(0, 1, 70)}  b{i}: {{product: [k0, k0]}}\n"} for i in range(5)]
        ),
    ),
    "facts": (
        lambda: in_one({"kinds.yaml": f"kinds:\n{kinds(0, 1, 1_001, FACTS)}"}),
        lambda: in_overlays(
            [{"add": f"add:\n  kinds.k0.facts.x{i}: bool\n"} for i in range(2)],
            {"kinds.yaml": f"kinds:\n{kinds(0, 1, 990, FACTS)}"},
        ),
    ),
    "expressions in YAML": (
        lambda: in_one({"tables.yaml": "constants:\n" + constants(0, 260)}),
        lambda: in_a_chain([{"tables.yaml": "constants:\n" + constants(i * 65, i * 65 + 65)} for i in range(4)]),
    ),
}


def constants(first: int, last: int) -> str:
    return "".join(f"  c{i}: 1{' + 1' * 99}\n" for i in range(first, last))


@pytest.mark.parametrize("way", [0, 1], ids=["one", "many"])
@pytest.mark.parametrize("what", STANDS_FOR)
@pytest.mark.sampled(2)
def test_what_it_stands_for_is_bounded(what: str, way: int) -> None:
    assert MAX_ENTITIES < 71 * 71
    assert MAX_ALL_ENTITIES < 5 * 70 * 70
    assert MAX_FACTS < 1_001 * 100
    assert MAX_EXPRESSIONS < 260 * 397
    assert codes(STANDS_FOR[what][way]()) == {"RS108"}


def test_a_product_of_the_values_of_settings_counts() -> None:
    values = ", ".join(f"v{i}" for i in range(80))
    game = f"{GAME}settings: {{o: {{values: [{values}], default: v0}}}}\n"
    assert codes(in_one({"game.yaml": game, "kinds.yaml": "kinds: {b: {product: [o, o]}}\n"})) == {"RS108"}


@pytest.mark.parametrize(
    "kind",
    [
        "{each: [player], number: 1300, places: {yard: {}}}",
        "{each: [k0, k0], number: 3, places: {yard: {}}}",
        "{number: 1, places: {yard: {}, at: {index: b}, on: {index: b}}}",
    ],
)
def test_tokens_and_their_places_are_bounded(kind: str) -> None:
    product = "  b: {product: [k0, k0]}\n"
    assert codes(in_one({"kinds.yaml": f"kinds:\n{kinds(0, 1, 60)}{product}  t: {kind}\n"})) == {"RS108"}


@pytest.mark.parametrize(
    "expression, code",
    [
        ("all(x in b: room(at[x]) > 0)", "RS411"),
        ("all(x in b: count(at[x]) >= 0)", ""),  # allowed
        ("all(x in b: all(y in t: y.at != x))", "RS411"),
    ],
)
@pytest.mark.sampled(1)
def test_the_work_with_tokens_is_bounded(expression: str, code: str) -> None:
    tokens = "  t: {number: 2000, places: {yard: {}, at: {index: b, at_most: 9}}}\n"
    rules = f"{PLAY}invariant i:\n    {expression}\n"
    files = {"kinds.yaml": f"kinds:\n{kinds(0, 1, 70)}  b: {{product: [k0, k0]}}\n{tokens}", "rules/play.rules": rules}
    assert codes(in_one(files)) - {"RS880"} == ({code} if code else set())


def test_capacities_are_bounded() -> None:
    places = "places: {yard: {}, at: {index: k0, at_most: 'count(x in k1 where any(y in k1 where y == x))'}}"
    files = {"kinds.yaml": f"kinds:\n{kinds(0, 1, 250)}{kinds(1, 2, 60)}  t: {{number: 9, {places}}}\n"}
    assert codes(in_one(files)) == {"RS411"}


# --- mistakes, starts, time -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["one", "many"])
def test_errors_are_bounded(way: str) -> None:
    unknown = "procedure p():\n" + "    set nobody_knows to 1\n" * (MAX_ERRORS + 50)
    many = [{"rules": f"procedure p{i}():\n" + "    set nobody_knows to 1\n" * 60} for i in range(5)]
    ref = in_one({"rules/p.rules": unknown}) if way == "one" else in_overlays(many)
    with pytest.raises(DiagnosticsError) as raised:
        load_ruleset(ref)
    assert len(raised.value.diagnostics) == MAX_ERRORS + 1
    assert raised.value.diagnostics[0].code == "RS902"
    assert run(["validate", ref]) == 1


COUNTER = {"kinds.yaml": "state: {n: {type: int}}\n"}
LOOP = "procedure play():\n    repeat at most 400000:\n        set n to n + 1\n    end game\n"
STEPS = "procedure play():\n" + "    set n to n + 1\n" * 2_500 + "    end game\n"
SEATS = GAME.replace("max: 4", "max: 64")


@pytest.mark.parametrize(
    "files",
    [
        {"game.yaml": GAME, "rules/play.rules": LOOP, **COUNTER},
        {"game.yaml": SEATS, "rules/play.rules": STEPS, **COUNTER},
        {
            "game.yaml": SEATS,
            "kinds.yaml": f"kinds:\n{kinds(0, 1, 300)}pieces: {{p: {{each: [k0], places: {{at: {{index: k0}}}}}}}}\n",
        },
    ],
    ids=["a long loop", "many seats", "many cells"],
)
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_trying_out_the_start_is_bounded(files: Files) -> None:
    report = Report()
    check_starts(load_ruleset(in_one(files)), report)
    assert [d.code for d in report.diagnostics] == ["RS710"]


@pytest.mark.parametrize("rounds", [20_000, 24_000, 28_000])
@pytest.mark.proof
def test_a_start_of_a_large_game_is_tried(rounds: int) -> None:
    """A start as expensive as that of Imperial on a map eight times as large."""
    report = Report()
    loop = LOOP.replace("400000", str(rounds))
    check_starts(load_ruleset(in_one({"game.yaml": GAME, "rules/play.rules": loop, **COUNTER})), report)
    assert report.diagnostics == ()


def test_a_start_that_takes_little_is_tried_with_all_numbers_of_players() -> None:
    ruleset: typed.Ruleset = load_ruleset(in_one({"game.yaml": SEATS}))
    report = Report()
    check_starts(ruleset, report)
    assert report.diagnostics == ()


@pytest.mark.proof  # 0.3 s
@pytest.mark.parametrize(
    "files",
    [
        {"setup.yaml": "setup: {state: {k0.s: 'count(x in k1 where any(y in k1 where y == x))'}}\n"},
        {"setup.yaml": "setup: {pieces: {p.at: 'count(x in k1 where x == e1_0)'}}\n"},
    ],
    ids=["a deep one", "a wide one"],
)
def test_start_values_are_bounded(files: Files) -> None:
    state = kinds(0, 1, 250, "state: {s: {type: int}}, ")
    pieces = "pieces: {p: {each: [k0], places: {at: {index: k0}}}}\n"
    ref = in_one({"kinds.yaml": f"kinds:\n{state}{kinds(1, 2, 60)}{pieces}", **files})
    assert "RS411" in codes(ref)
    assert check(ref, report := Report()) is not None
    assert all(d.code != "RS415" for d in report.diagnostics)  # short, measured by the actual work


WIDE = """
procedure play():
    for p in player:
        decide act by p:
            option put(a in k0, b in k0, c in k0, d in k0):
                require a == b and b == c and c == d and a != b
                end game
            option nothing:
                end game
"""
LONG = """
procedure play():
    for p in player:
        decide act by p:
            option put(a in 1 .. 2_000, b in 1 .. a):
                require a == b and a != b
                end game
            option nothing:
                end game
"""


@pytest.mark.parametrize("number, warned", [(1024, set()), (1025, {"RS880"})])
def test_a_kind_whose_sets_are_slow_in_wasm_is_warned_of(number: int, warned: set[str]) -> None:
    """The limit is that for sets in locals."""
    assert codes(in_one({"kinds.yaml": f"kinds:\n{kinds(0, 1, number)}"})) == warned
    assert words_of(number) == (ROW if warned else MOST_ON_STACK)


def test_listing_an_option_is_bounded_by_the_sizes_of_its_sets() -> None:
    assert codes(in_one({"kinds.yaml": f"kinds:\n{kinds(0, 1, 1200)}", "rules/play.rules": WIDE})) == {"RS411", "RS880"}


@pytest.mark.parametrize("backend", ["python", "interpreter"])
@pytest.mark.sampled(1)
@pytest.mark.proof
def test_listing_an_option_is_bounded_by_its_numbers(backend: Backend) -> None:
    ruleset = load_ruleset(in_one({"game.yaml": SEATS, "rules/play.rules": LONG.replace("_", "")}))
    game = Game(ruleset, ["a", "b"], backend=backend)
    with pytest.raises(RulesetFaultError, match="have too many values"):
        list(every_option(game))


# --- links and paths --------------------------------------------------------------------------------------------------

SECRET = "secret: 1\n"


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file outside the folder of the rulesets."""
    home = tmp_path / "home"
    home.mkdir()
    (tmp_path / "secret").mkdir()
    for name in ("secret.yaml", "secret.rules", "game.yaml", "secret.jsonl"):
        (tmp_path / "secret" / name).write_text(SECRET, "utf-8")
    write(tmp_path / "secret" / "ruleset", {"rules/play.rules": PLAY})
    write(home / "mine", {"rules/play.rules": PLAY, "variants/o.yaml": "id: o\ntitle: O\nfor: small\nversion: '1'\n"})
    return tmp_path / "secret"


@pytest.mark.parametrize(
    "name, overlay",
    [
        ("game.yaml", ""),
        ("kinds.yaml", ""),
        ("rules/more.rules", ""),
        ("variants/p.yaml", "+p"),
        ("variants/o.rules", "+o"),
        ("dialects/d.yaml", ""),
    ],
)
def test_no_file_is_read_through_a_link_that_leads_out(
    name: str, overlay: str, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    link = Path("home/mine", name)
    link.parent.mkdir(exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(secret / ("secret.rules" if name.endswith(".rules") else "secret.yaml"))
    assert run(["validate", f"home/mine{overlay}"]) == 1
    note = capsys.readouterr().err
    assert "error[RS106]" in note
    assert "secret: 1" not in note


def test_a_folder_may_not_be_a_link_that_leads_out_either(secret: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("home/mine/dialects").symlink_to(secret)
    assert run(["validate", "home/mine"]) == 1
    assert "error[RS106]" in capsys.readouterr().err
    assert not [path for path in dialects("home/mine") if "mine" in path.parts]


@pytest.mark.parametrize("name", ["scenarios/s.yaml", "logs/l.jsonl"])
def test_no_scenario_and_no_log_is_read_through_a_link(
    name: str, secret: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("home/mine", name).parent.mkdir()
    Path("home/mine", name).symlink_to(secret / ("secret.yaml" if "yaml" in name else "secret.jsonl"))
    assert run(["test", "home/mine"]) != 0
    assert "error[RS106]" in capsys.readouterr().err
    if "log" in name:
        with pytest.raises(DiagnosticsError, match="RS106"):
            log_files(load_ruleset("home/mine"))


def test_links_within_a_ruleset_are_files_like_others(secret: Path) -> None:
    write(Path("home/mine"), {"parts/kinds.yaml": "state: {n: {type: int}}\n"})
    Path("home/mine/kinds.yaml").symlink_to("parts/kinds.yaml")
    assert codes("home/mine") == {"RS405"}


@pytest.mark.parametrize("extends", ["../../secret/ruleset", "../sibling", "{tmp}/secret/ruleset", "sibling"])
def test_a_ruleset_extends_nothing_outside_the_folder_that_holds_it(extends: str, secret: Path) -> None:
    Path("home/sibling").symlink_to(secret / "ruleset")
    extends = extends.format(tmp=secret.parent)
    game = f"id: heir\ntitle: H\nversion: '1'\nextends: {extends}\n"
    write(Path("home/heir"), {"game.yaml": game})
    assert codes("home/heir") == {"RS106"}


@pytest.mark.parametrize("extends", ["../mine", "mine", "ruleset"])
def test_a_ruleset_extends_one_beside_it_or_one_that_is_known(
    extends: str, secret: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESPEC_PATH", str(secret))
    write(Path("home/heir"), {"game.yaml": f"id: heir\ntitle: H\nversion: '1'\nextends: {extends}\n"})
    assert codes("home/heir") == set()


def test_who_names_a_ruleset_may_do_so_by_a_link(secret: Path) -> None:
    Path("here").symlink_to("home/mine")
    assert find_ruleset("here") == (secret.parent / "home" / "mine")
    Path("o.yaml").symlink_to("home/mine/variants/o.yaml")
    assert codes("here+./o.yaml") == set()


@pytest.mark.proof  # 0.3 s
def test_the_rulesets_of_the_tests_are_far_below_the_bounds() -> None:
    assert codes(str(GAMES / "imperial") + "+playimperial") <= {"RS405", "RS514"}
