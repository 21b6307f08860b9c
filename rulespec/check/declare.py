"""Declarations of all names of a ruleset, in its YAML sections and its rules; checks for reserved words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from rulespec.check.context import Context
from rulespec.check.declarations.boards import board_entities, read_spaces
from rulespec.check.declarations.entities import add_entities, read_entities, read_facts
from rulespec.check.declarations.game_file import read_game
from rulespec.check.declarations.kinds import read_kinds, read_products
from rulespec.check.declarations.players import read_seats, read_teams
from rulespec.check.declarations.set_up import read_set_up
from rulespec.check.declarations.state import read_pieces, read_starts, read_state
from rulespec.check.declarations.tables import read_constants, read_tables
from rulespec.check.expressions.names import no_shadow
from rulespec.check.scope import Env
from rulespec.check.size import check_size
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents import yaml_nodes
from rulespec.documents.yaml_nodes import entries, get
from rulespec.overlays.overlay import Source
from rulespec.syntax import ast
from rulespec.syntax.keywords import NO_DEFINITIONS, NO_NAMES, NO_PROCEDURES
from rulespec.typed import nodes as typed
from rulespec.types import BAD, MAX_DEPTH, SetOf


def declare(c: Context) -> None:
    """Fills the declarations in dependency order; reports invalid values."""
    reader = c.reader
    read_game(reader)
    read_kinds(reader)
    entities = [*read_entities(reader), *board_entities(reader)]
    add_entities(reader, entities)
    read_products(reader)
    read_facts(reader, entities)
    read_seats(reader)
    read_teams(reader)
    read_spaces(reader)
    with_tokens = any(get(node, "places") is not None for _, _, node in entries(get(reader.root, "kinds")))
    if with_tokens:
        from rulespec.check.declarations.places import read_capacities, read_places  # lazily: most rulesets have none

        read_places(reader)
    read_state(reader)
    read_pieces(reader)
    read_constants(reader)
    read_tables(reader)
    if with_tokens:
        read_capacities(reader)
    if _with_bounds(reader.root):
        from rulespec.check.declarations.capacities import read_bounds  # lazily: most rulesets have none

        read_bounds(reader)
    read_starts(reader)
    read_set_up(reader)


def _with_bounds(root: yaml_nodes.Mapping) -> bool:
    """Whether there are capacities of piece places, or shared ones."""
    places = (spec for _, _, piece in entries(get(root, "pieces")) for _, _, spec in entries(get(piece, "places")))
    return get(root, "capacities") is not None or any(get(spec, "at_most") is not None for spec in places)


def _declare_depth(c: Context, procedure: typed.Procedure, deep: ast.Number) -> None:
    """Sets the maximum depth of a recursive procedure; reports depths that are out of range."""
    procedure.deep, procedure.deep_span = min(max(deep.value, 2), MAX_DEPTH), deep.span
    if procedure.deep != deep.value:
        message = f"the depth of a recursive procedure must be from 2 to {MAX_DEPTH}, not {deep.value}"
        help_ = "remove `at most … deep`, or write at least 2" if deep.value < 2 else "use a loop for repetition"
        c.expressions.error("RS420", message, deep.span, help=help_)


def check_signatures(c: Context) -> None:
    """Types the parameters and results of all rules before any body, so that the order of rules is irrelevant."""
    x, effects = c.expressions, c.statements.effects
    for (_, name), item in c.source.items.items():
        if isinstance(item, ast.Def | ast.Procedure | ast.Guard):
            params: list[typed.Var] = []
            if name in (NO_DEFINITIONS if isinstance(item, ast.Def) else NO_PROCEDURES):
                x.error("RS223", f"`{name}` {_WORD}", item.name.span)
            for p in item.params:
                if p.name.text in {q.name for q in params}:
                    x.error("RS223", f"two parameters are called `{p.name.text}`", p.name.span)
                type_ = x.type_of(p.type)
                if p.type.form in ("range", "optional range") and type_ != BAD:
                    x.error("RS224", "a parameter cannot have a range", p.type.span)
                no_shadow(x, p.name, Env())
                params.append(typed.Var(p.name.text, type_, p.name.span))
                x.decls.refer(p.name.span, params[-1])
            if isinstance(item, ast.Def):
                result = x.stored_type(item.result)
                x.rules.definitions[name] = typed.Definition(
                    name, tuple(params), result, item.doc.text, item.name.span, item.result.span
                )
                if isinstance(item.at_most, ast.Number):
                    x.rules.definitions[name].at_most = item.at_most.value
                    if not isinstance(result, SetOf) and result != BAD:
                        message = f"`at most` needs a set, but the value of `{name}` is {result}"
                        x.error("RS414", message, item.at_most.span)
            elif isinstance(item, ast.Guard):
                x.rules.guards[name] = typed.Guard(name, tuple(params), item.doc.text, item.name.span)
            else:
                procedure = typed.Procedure(name, tuple(params), item.doc.text, item.name.span)
                x.rules.procedures[name] = procedure
                if item.result is not None:
                    procedure.result, procedure.result_span = x.stored_type(item.result), item.result.span
                    if item.result.form in ("range", "optional range") and procedure.result != BAD:
                        x.error("RS224", "the value of a procedure cannot have a range", item.result.span)
                if isinstance(item.deep, ast.Number):
                    _declare_depth(c, procedure, item.deep)
                effects.procedures[name] = item
                effects.originals[name] = c.source.originals.get(("procedure", name), "")
    for name, definition in x.rules.definitions.items():
        if name in x.rules.procedures:
            notes = (Label(definition.span, "the definition is here"),)
            x.error("RS223", f"`{name}` is also a definition", x.rules.procedures[name].span, notes=notes)


_RULE = re.compile(r"^(?:(?:replace|wrap|hook) +)?(def|procedure|guard) +(\w+)")
_VARIABLE = re.compile(r"\blet +(\w+) *=|(?:\bfor +|\bwith +|[(,] *)(\w+) +in\b|\b(\w+): +\w")


def tell_words(source: Source, texts: Mapping[str, str], report: Report) -> None:
    """Reports declared names that are reserved words, a likely cause if only rules files have errors."""
    broken = {d.span.file for d in report.diagnostics if d.span is not None}
    if report.ok or not all(file.endswith(".rules") for file in broken):
        return
    result = Report()
    try:
        c = Context(source, result)
        check_size(c)
        declare(c)
        check_signatures(c)
    except DiagnosticsError:
        pass  # too large, or too many errors: reported once the rules can be parsed
    for d in result.diagnostics:
        if d.code == "RS223" and d.message.endswith(_WORD):
            report.extend([d])
    for file in sorted(broken & set(texts)):
        for name, span in _in_text(file, texts[file]):
            report.error("RS223", f"`{name}` {_WORD}", span)


_WORD = "is a reserved word"


def _in_text(file: str, text: str) -> Iterator[tuple[str, Span]]:
    """The reserved words used as names of rules and variables in a text that does not parse."""
    for number, line in enumerate(text.split("\n"), 1):
        rule = _RULE.match(line)
        if rule is not None:
            refused = NO_DEFINITIONS if rule[1] == "def" else NO_PROCEDURES
            if rule[2] in refused:
                yield rule[2], Span(file, number, rule.start(2) + 1, number, rule.end(2) + 1)
        for variable in _VARIABLE.finditer(line):
            group = variable.lastindex or 0
            if variable[group] in NO_NAMES and (group != 3 or rule is not None):
                yield variable[group], Span(file, number, variable.start(group) + 1, number, variable.end(group) + 1)
