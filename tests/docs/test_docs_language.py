"""The reference: its grammar is the parser's, its words and keys are all there are, and its examples hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from docs_pages import Block, anchor, blocks, headings, prose, text
from folders import ROOT
from generated_parts import with_generated_parts
from key_tables import FILES, key_names, rows
from word_index import BY_HAND, LINKS, words_of_the_language

from rulespec.cli.validate import check
from rulespec.diagnostics.report import Report
from rulespec.engine.game.game import Game
from rulespec.load import load_ruleset
from rulespec.schemas import load_schema
from rulespec.syntax import ast
from rulespec.syntax.keywords import WORDS
from rulespec.syntax.parser import parse_expr, parse_type

PAGE = "docs/reference/rules.md"
FILES_PAGE = "docs/reference/files.md"
GRAMMAR = (ROOT / "rulespec" / "syntax" / "grammar.lark").read_text("utf-8")


HEADER = yaml.safe_dump({"id": "example", "title": "Example", "for": "orchard", "version": "1.0"})


def examples(*languages: str) -> list[Block]:
    return [block for page in (FILES_PAGE, PAGE) for block in blocks(page) if block.language in languages]


def orchard(folder: Path) -> Path:
    """Writes the ruleset of docs/concepts.md."""
    for block in blocks("docs/concepts.md"):
        if block.name.startswith("orchard/"):
            path = folder / block.name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.body, "utf-8")
    return folder / "orchard"


def lines(grammar: str) -> set[str]:
    """The lines of a grammar that say something, with blanks as one."""
    results = {" ".join(line.split()) for line in grammar.splitlines()}
    return {line for line in results if line and not line.startswith(("//", "%"))}


def test_the_grammar_shown_is_the_parsers_and_all_of_it() -> None:
    shown = lines("\n".join(block.body for block in examples("lark")))
    layout = {line for line in lines(GRAMMAR) if line.startswith("_NL:")}  # said in words: blocks and ends of lines
    assert shown == lines(GRAMMAR) - layout


def test_every_word_of_the_grammar_is_in_the_list_of_reserved_words() -> None:
    words = set(re.findall(r'"([a-z]+)"', GRAMMAR))
    words |= {word for choice in re.findall(r"/\(([a-z|]+)\)", GRAMMAR) for word in choice.split("|")}
    section = prose(PAGE).partition("\n## Reserved words\n")[2].partition("\n## ")[0]
    assert set(re.findall(r"`([a-z]+)`", section)) == WORDS >= words


def test_every_form_has_its_rule_its_grammar_and_an_example() -> None:
    parts = re.split(r"^#{2,3} (.*)$", prose(PAGE), flags=re.MULTILINE)
    forms = {title: body for title, body in zip(parts[1::2], parts[2::2], strict=True) if "**Rule.**" in body}
    assert len(forms) >= 30
    for title, body in forms.items():
        assert "**Grammar.**" in body and "**Example.**" in body, title


@pytest.mark.parametrize("page", [FILES_PAGE, PAGE])
def test_the_contents_are_the_headings(page: str) -> None:
    contents = prose(page).partition("\n## Contents\n")[2].partition("\n## ")[0]
    listed = re.findall(r"\[([^\]]*)\]\(#([^)]*)\)", contents)
    titles = [title for level, title in headings(page) if level in (2, 3)]
    assert listed == [(title, anchor(title)) for title in titles if title != "Contents"]


@pytest.mark.parametrize("block", examples("expr"), ids=lambda block: f"line {block.line}")
def test_expressions_have_the_values_shown(block: Block, tmp_path: Path) -> None:
    game = Game(load_ruleset(block.name.lower() or str(orchard(tmp_path))), ["Ann", "Bob"])
    for line in block.body.splitlines():
        expression, _, value = line.partition("#")
        assert game.omniscient.value(expression.strip()) == value.strip(), expression


def nodes(node: object) -> Iterator[object]:
    """A syntax tree and all that is in it."""
    yield node
    for part in node if isinstance(node, tuple) else [getattr(node, f) for f in getattr(node, "__struct_fields__", ())]:
        yield from nodes(part)


def without_one(text: str) -> Iterator[tuple[str, int, str]]:
    """An expression without one argument of a form that takes any number: form, position, the rest."""
    for e in nodes(parse_expr(text, PAGE)):
        call = isinstance(e, ast.CallExpr) and e.name.text in ("min", "max")
        args = e.args if call and isinstance(e, ast.CallExpr) else e.items if isinstance(e, ast.SetLiteral) else ()
        if len(args) < 2:
            continue
        form = e.name.text if isinstance(e, ast.CallExpr) else "set"
        texts = [text[arg.span.column - 1 : arg.span.end_column - 1] for arg in args]
        before, after = text[: args[0].span.column - 1], text[args[-1].span.end_column - 1 :]
        for at in range(len(args)):
            yield form, at, before + ", ".join(texts[:at] + texts[at + 1 :]) + after


def test_each_argument_of_a_form_with_any_number_of_them_counts(tmp_path: Path) -> None:
    """No example is right by its other arguments alone, and those after the second decide some."""
    decisive: set[tuple[str, int]] = set()
    for block in examples("expr"):
        game = Game(load_ruleset(block.name.lower() or str(orchard(tmp_path))), ["Ann", "Bob"])
        for line in block.body.splitlines():
            text, _, value = (part.strip() for part in line.partition("#"))
            cases = [(form, at) for form, at, rest in without_one(text) if game.omniscient.value(rest) != value]
            assert cases or not list(without_one(text)), text
            decisive.update(cases)
    assert decisive >= {(form, at) for form in ("min", "max") for at in range(3)} | {("set", 0), ("set", 1)}


def test_types_parse() -> None:
    for block in examples("type"):
        for line in block.body.splitlines():
            parse_type(line, PAGE)


@pytest.mark.parametrize("block", examples("rules"), ids=lambda block: f"line {block.line}")
def test_rules_are_sound_in_their_ruleset(block: Block, tmp_path: Path) -> None:
    """Laid over Orchard as an overlay, or added to it: there are no errors."""
    folder = orchard(tmp_path)
    if block.name == "overlay":
        (folder / "variants").mkdir()
        (folder / "variants" / "example.yaml").write_text(HEADER, "utf-8")
        (folder / "variants" / "example.rules").write_text(block.body, "utf-8")
        load_ruleset(f"{folder}+example")
    else:
        (folder / "rules" / "example.rules").write_text(block.body, "utf-8")
        load_ruleset(str(folder))


@pytest.mark.parametrize(
    "block", [b for b in examples("yaml") if b.name == "overlay"], ids=lambda block: f"line {block.line}"
)
def test_overlays_are_sound_over_their_ruleset(block: Block, tmp_path: Path) -> None:
    folder = orchard(tmp_path)
    (folder / "variants").mkdir()
    (folder / "variants" / "example.yaml").write_text(HEADER + block.body, "utf-8")
    report = Report()
    check(f"{folder}+example", report)
    assert report.diagnostics == ()


def test_generated_parts_are_current() -> None:
    """`python tests/support/regenerate.py --pages` writes them again."""
    assert [page for page, new in with_generated_parts().items() if new != text(page)] == []


@pytest.mark.parametrize("name", FILES)
def test_every_key_of_a_schema_is_in_its_table_and_described(name: str) -> None:
    assert key_names(name) == properties(load_schema(name))
    assert [path for path, _, says in rows(name) if not says] == []


def test_every_word_sign_and_key_of_the_language_is_in_the_index() -> None:
    keys = {key for name in (*FILES, "titles") for key in properties(load_schema(name), deep=name != "titles")}
    listed = set(re.findall(r"^\* `([^`]+)`: \[", text("docs/reference/index.md"), re.MULTILINE))
    assert words_of_the_language() | keys <= listed


def test_sections_explain_the_words_for_which_the_index_names_them_by_hand() -> None:
    for title, words in {**BY_HAND, **LINKS}.items():
        page = PAGE if title in BY_HAND else FILES_PAGE
        shown = title if title in BY_HAND or title[0].isupper() else f"`{title}`"
        section = re.split(rf"^#+ {re.escape(shown)}$", text(page), flags=re.MULTILINE)[1]
        section = re.split(r"^#{2,3} ", section, flags=re.MULTILINE)[0]
        for word in words.split():
            assert re.search(rf"\b{word.strip('.')}\b", section), (title, word)


def properties(node: Any, *, deep: bool = True) -> set[str]:
    """The keys for which a schema has properties."""
    if isinstance(node, list):
        return set().union(*(properties(each) for each in node))
    if not isinstance(node, dict):
        return set()
    own = set(node.get("properties", {}))
    inner = [*node.get("properties", {}).values(), *node.get("$defs", {}).values()]
    inner += [value for key, value in node.items() if key not in ("properties", "$defs", "enum", "const", "default")]
    return own.union(*(properties(each) for each in inner)) if deep else own
