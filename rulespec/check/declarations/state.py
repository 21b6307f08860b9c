"""State, accounts and piece types, with start values and places."""

from __future__ import annotations

import re

from rulespec.check.declarations.reader import TEXTS, DeclarationReader
from rulespec.check.origins import constants_at, typed_at
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.report import Report
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text, truth, words
from rulespec.typed import nodes as typed
from rulespec.types import NO_NUMBER, Bad, Ent, Maybe, Num


def read_state(r: DeclarationReader) -> None:
    """Declares state and accounts of kinds and of the game."""
    for name, key, node in entries(get(r.root, "kinds")):
        if name in r.d.kinds:
            kind = r.d.kinds[name]
            r.refer(key, kind)
            for field, place, spec in entries(get(node, "state")):
                if field in (*kind.facts, *kind.places, *kind.state, *TEXTS, "index"):
                    r.report.error("RS223", f"`{field}` already has another meaning", place.span)
                else:
                    kind.state[field] = _field(r, field, name, place, spec)
    for section in ("state", "accounts"):
        for field, place, spec in entries(get(r.root, section)):
            if r.claim(field, place.span):
                r.d.fields[field] = _field(r, field, "", place, spec)


def _field(r: DeclarationReader, name: str, kind: str, place: Scalar, spec: Node) -> typed.FieldDecl:
    unit = get(spec, "account")
    if isinstance(unit, Scalar):
        if unit.text not in r.d.units:
            hint, notes = nearest(unit.text, r.d.units)
            hint = hint or f"declare `{unit.text}` under `units` in game.yaml"
            r.report.error("RS224", f"`{unit.text}` is not a unit", unit.span, notes=notes, help=hint)
        elif unit.text in r.d.units:
            r.refer(unit, typed.Unit(unit.text, r.d.units[unit.text]))
        unlimited = truth(get(spec, "unlimited"))
        return typed.FieldDecl(
            name,
            kind,
            Num(unit.text),
            place.span,
            account=True,
            unlimited=unlimited,
            type_span=unit.span,
        )
    written = get(spec, "type")
    type_, ref = r.type(written)
    decl = typed.FieldDecl(name, kind, type_, place.span, type_span=written.span if written is not None else None)
    if ref is not None and ref.form in ("range", "optional range"):
        decl.low, decl.high = ref.low, ref.high
        if ref.low > ref.high:
            r.report.error("RS307", "the range is empty", ref.span)
    return decl


def read_starts(r: DeclarationReader) -> None:
    """Reads the start values of state and accounts."""
    for name, _, node in entries(get(r.root, "kinds")):
        if name in r.d.kinds:
            for field, _, spec in entries(get(node, "state")):
                if field in r.d.kinds[name].state and not (field == "place" and r.d.kinds[name].places):
                    _start(r, r.d.kinds[name].state[field], spec)
    for section in ("state", "accounts"):
        for field, _, spec in entries(get(r.root, section)):
            if field in r.d.fields:
                _start(r, r.d.fields[field], spec)


def _start(r: DeclarationReader, field: typed.FieldDecl, spec: Node) -> None:
    start = get(spec, "start")
    if start is not None:
        field.start = _start_value(r, field, start)
        check_range(r, field, field.start)
    elif isinstance(field.type, Ent) and not field.type.optional and field.type.kind in r.d.kinds:
        message = f"`{field.name}` needs a start value of kind `{field.type.kind}`"
        kind = r.d.kinds[field.type.kind]
        help_ = "add `start: …`, or make it optional with `?`"
        if kind.by_seat:
            help_ = f"add `start: first({kind.name})`, or make it optional with `?`"
        elif not any(e.name[0].isalpha() for e in kind.entities):
            help_ = "make it optional with `?`: no entity of the kind has a name that begins with a letter"
        r.report.error("RS228", message, field.span, help=help_)
    elif _misses_zero(field) and not isinstance(field.type, Bad):
        help_ = "add `start: …`"
        r.report.error("RS307", f"`{field.name}` would start at 0, outside its range", field.span, help=help_)


def _start_value(r: DeclarationReader, field: typed.FieldDecl, start: Node) -> typed.Expr:
    """The start value of a field; in it, the name of the field's kind denotes the current entity unless a set fits."""
    what = f"the start of `{field.name}`"
    if not (isinstance(start, Scalar) and re.search(rf"\b{re.escape(field.kind or ' ')}\b", start.text)):
        return r.expr(start, field.type, what)
    x, disputes = r.x, len(r.x.disputes or ())
    x.report = tried = Report()
    value = r.expr(start, field.type, what)
    x.report = r.report
    if not tried.errors and len(x.disputes or ()) == disputes:
        x.report.extend(tried.diagnostics)
        return value
    del (x.disputes or [])[disputes:]
    field.at = typed.Var(field.kind, Ent(field.kind), start.span)
    return r.expr(start, field.type, what, Env().bind(field.at))


def check_range(r: DeclarationReader, field: typed.FieldDecl, value: typed.Expr) -> None:
    """Reports a start value that is out of range; the engine checks values that depend on the number of players."""
    if not isinstance(value, typed.Lit) or isinstance(value.type, Bad) or value.value == NO_NUMBER:
        return
    notes = [*constants_at(value.span, r.d), Label(typed_at(field), "declared here")]
    if field.low is not None and field.high is not None and not field.low <= value.value <= field.high:
        message = f"`{field.name}` must be between {field.low} and {field.high}"
        r.report.error("RS307", message, value.span, notes=notes)
    elif field.account and not field.unlimited and value.value < 0:
        r.report.error("RS307", f"`{field.name}` cannot start below 0", value.span, notes=notes)


def _misses_zero(field: typed.FieldDecl) -> bool:
    """Whether the range of a field excludes 0. Empty ranges are reported elsewhere."""
    if field.low is None or field.high is None or field.low > field.high or isinstance(field.type, Maybe):
        return False
    return not field.low <= 0 <= field.high


def read_pieces(r: DeclarationReader) -> None:
    """Declares the piece types."""
    for name, place, node in entries(get(r.root, "pieces")):
        if not r.claim(name, place.span):
            continue
        each = []
        for word in words(get(node, "each")):
            if word.text not in r.d.kinds:
                hint, notes = r.hint(word)
                message = f"`{word.text}` is not a kind that pieces can belong to"
                r.report.error("RS224", message, word.span, notes=notes, help=hint)
            else:
                each.append(word.text)
                r.refer(word, r.d.kinds[word.text])
        places: dict[str, typed.PlaceDecl] = {}
        for place_name, where, spec in entries(get(node, "places")):
            index = get(spec, "index")
            kind = text(index)
            if index is not None and kind not in r.d.kinds:
                hint, notes = nearest(kind, {k.name: k.span for k in r.d.kinds.values()})
                r.report.error("RS224", f"`{kind}` is not a kind", index.span, notes=notes, help=hint)
                r.d.broken.add(name)
            elif index is not None:
                r.refer(index, r.d.kinds[kind])
            r.writable(place_name, where.span, place=True)
            places[place_name] = typed.PlaceDecl(place_name, kind, where.span)
        if len(each) < len(words(get(node, "each"))):
            r.d.broken.add(name)
        if name not in r.d.broken:
            r.d.pieces[name] = typed.PieceDecl(name, tuple(each), places, place.span)
