"""Signatures and explanations of names, taken from their declarations."""

from __future__ import annotations

import re

from rulespec.documents.yaml_nodes import get, text
from rulespec.lsp.index import NameIndex, name
from rulespec.rule_ids import ListedRule
from rulespec.syntax import ast
from rulespec.typed import nodes as typed
from rulespec.typed.settings import written
from rulespec.types import BOOL

_SHOWN = 12  # entities listed for a kind


def signature(named: typed.Named, index: NameIndex) -> str:
    """One line with the kind of declaration, its name and its type."""
    match named:
        case typed.Definition():
            return f"def {name(named)}({_params(named.params)}) -> {named.result}"
        case typed.Procedure():
            value = f" -> {named.result}" if named.result is not None else ""
            deep = f" at most {named.deep} deep" if named.deep is not None else ""
            return f"procedure {name(named)}({_params(named.params)}){value}{deep}"
        case typed.Guard():
            return f"guard {name(named)}({_params(named.params)})"
        case ast.OptionGroup():
            return f"options {name(named)}"
        case typed.Var() if named.table is not None:
            return f"table {named.name}[{named.table.kind}]: {named.type}"
        case typed.Var():
            return f"{named.name}: {named.type}"
        case typed.FieldDecl():
            owner = f"{named.kind}." if named.kind else ""
            limits = "" if named.low is None else f" {named.low}..{named.high}"
            return f"{'account' if named.account else 'state'} {owner}{named.name}: {named.type}{limits}"
        case typed.FactDecl():
            return f"fact {index.owners.get(id(named), '')}.{named.name}: {named.type}"
        case typed.Entity():
            return f"{index.owners.get(id(named), '')} {named.name}"
        case typed.Kind():
            return f"kind {named.name}"
        case typed.Unit():
            return f"unit {named.name}"
        case typed.PieceDecl():
            return f"pieces {named.name}{_keys(named.each)}"
        case typed.PlaceDecl():
            indexed = f"[{named.index}]" if named.index else ""
            return f"place {index.owners.get(id(named), '')}.{named.name}{indexed}"
        case typed.CapacityDecl():
            return f"capacity {named.name}{_keys((named.index,) if named.index else ())}"
        case typed.TableDecl():
            return f"table {named.name}{_keys(named.keys)}: {named.value}"
        case typed.TrackDecl():
            return f"{'ring' if named.ring else 'line'} {named.name} of {named.kind}"
        case typed.ConstantDecl():
            return f"constant {named.name}: {named.type} = {_value(named, index)}"
        case typed.Measure():
            owner = f"{named.var.type}." if named.var is not None else ""
            return f"measure {owner}{named.name}: {named.value.type}"
        case typed.SettingDecl():
            return f"setting {named.name}: {written(named)} = {named.default}"


def explanation(named: typed.Named, index: NameIndex) -> str:
    """The author's text about a declaration: docstring, title or `doc`; "" if there is none."""
    root = index.checked.source.root
    match named:
        case ast.OptionGroup():
            return named.doc.text
        case typed.Definition() | typed.Procedure() | typed.Guard() | typed.SettingDecl() | typed.Measure():
            return named.doc
        case typed.Kind():
            members = [e.name for e in named.entities]
            more = f", … {len(members)} of them" if len(members) > _SHOWN else ""
            return "\n\n".join(t for t in (named.doc, ", ".join(members[:_SHOWN]) + more) if t)
        case typed.Entity():
            return " · ".join(t for t in (named.title, named.doc) if t)
        case typed.FieldDecl() if named.kind:
            return text(get(root, "kinds", named.kind, "state", named.name, "doc"))
        case typed.FieldDecl():
            return text(get(root, "accounts" if named.account else "state", named.name, "doc"))
        case typed.PieceDecl():
            return text(get(root, "pieces", named.name, "doc"))
        case typed.CapacityDecl():
            return text(get(root, "capacities", named.name, "doc"))
        case typed.TableDecl():
            return text(get(root, "tables", named.name, "doc"))
        case typed.TrackDecl():
            return text(get(root, "tracks", named.name, "doc"))
        case _:
            return ""


def listed_rule(line: str, column: int, index: NameIndex) -> tuple[int, ListedRule] | None:
    """The rule in `rules.yaml` whose id is at a column of a line, with the first column of the id, from 1."""
    for word in re.finditer(r"[A-Z][A-Z0-9-]+", line):
        if word.start() < column <= word.end() + 1 and word[0] in index.checked.ruleset.listed:
            return word.start() + 1, index.checked.ruleset.listed[word[0]]
    return None


def _params(params: tuple[typed.Var, ...]) -> str:
    return ", ".join(f"{p.name}: {p.type}" for p in params)


def _keys(keys: tuple[object, ...]) -> str:
    return f"[{', '.join(map(str, keys))}]" if keys else ""


def _value(constant: typed.ConstantDecl, index: NameIndex) -> str:
    if constant.type == BOOL:
        return "true" if constant.value else "false"
    kind = index.checked.declarations.kinds.get(getattr(constant.type, "kind", ""))
    if kind is not None and 0 <= constant.value < len(kind.entities):
        return kind.entities[constant.value].name
    return str(constant.value)
