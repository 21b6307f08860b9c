"""Constants and lookup tables."""

from __future__ import annotations

from rulespec.check.declarations.entities import fact_value
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.check.origins import added
from rulespec.check.scope import Env
from rulespec.diagnostics.diagnostic import Label
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.yaml_nodes import Mapping, Node, Scalar, entries, get, words
from rulespec.typed import nodes as typed
from rulespec.types import Bad, Ent, Num, SetOf, Type, settled


def read_constants(r: DeclarationReader) -> None:
    """Declares the constants."""
    for name, place, node in entries(get(r.root, "constants")):
        if not r.claim(name, place.span):
            continue
        tree = r.tree(node)
        if tree is None:
            r.d.broken.add(name)
            continue
        value = r.x.infer(tree, Env())
        if not isinstance(value, typed.Lit):
            r.report.error("RS227", f"`{name}` must be a constant", node.span)
            r.d.broken.add(name)
            continue
        type_ = settled(value.type)
        r.d.constants[name] = typed.ConstantDecl(name, type_, value.value, place.span)


def read_tables(r: DeclarationReader) -> None:
    """Declares the tables, and reads their rows."""
    for name, place, node in entries(get(r.root, "tables")):
        if not r.claim(name, place.span):
            continue
        keys = tuple(r.type(k)[0] for k in words(get(node, "key")))
        value, _ = r.type(get(node, "value"))
        spans = [(get(node, key) or place).span for key in ("key", "value")]
        table = typed.TableDecl(name, keys, value, {}, place.span, spans[0], spans[1])
        if any(isinstance(k, Bad) for k in keys):
            r.d.broken.add(name)
            continue
        if any(not isinstance(k, Num | Ent) or getattr(k, "optional", False) for k in keys) or not keys:
            r.report.error("RS224", "the keys of a table must be numbers or entities", place.span)
            r.d.broken.add(name)
            continue
        unnamed = any(isinstance(k, Ent) and not r.complete(k.kind) for k in keys)
        if unnamed or (isinstance(value, Ent | SetOf) and r.unknown(value.kind)):
            r.report.error("RS224", "players are not known before the game", place.span)
            r.d.broken.add(name)
            continue
        r.d.tables[name] = table
        rows = get(node, "rows")
        if rows is not None:
            _rows(r, table, rows, keys, ())


def _rows(
    r: DeclarationReader, table: typed.TableDecl, node: Node, keys: tuple[Type, ...], prefix: tuple[int, ...]
) -> None:
    if not keys:
        decl = typed.FactDecl(table.name, table.value, table.span, type_span=table.value_span)
        table.rows[prefix] = fact_value(r, decl, node)
        table.places[prefix] = node.span
        return
    if not isinstance(node, Mapping):
        notes = [Label(table.key_span, "the keys of the table")]
        r.report.error("RS227", f"expected a mapping with a row for each {keys[0]}", node.span, notes=notes)
        return
    seen: dict[int, Scalar] = {}
    for key, place, value in entries(node):
        if isinstance(keys[0], Ent):
            index = r.entity(place, keys[0].kind)
        elif key.lstrip("-").isdigit() and len(key) <= 15:
            index = int(key)
        else:
            r.report.error("RS301", f"`{key}` is not a number", place.span)
            continue
        if index in seen and isinstance(keys[0], Num):  # two notations of a key, such as `1` and `01`
            notes = [Label(seen[index].span, "the first row")]
            r.report.error("RS119", f"the table `{table.name}` has two rows for {index}", place.span, notes=notes)
        seen.setdefault(index, place)
        _rows(r, table, value, keys[1:], (*prefix, index))
    if isinstance(keys[0], Ent):
        kind = r.d.kinds[keys[0].kind]
        unknown = [did_you_mean(key, kind.index) for key, _, _ in entries(node) if key not in kind.index]
        missing = [e.name for i, e in enumerate(kind.entities) if i not in seen]
        missing = [m for m in missing if not any(f"`{m}`" in hint for hint in unknown)]  # present, but misspelt
        if missing:
            names = ", ".join(f"`{m}`" for m in missing[:6]) + (" …" if len(missing) > 6 else "")
            where = added([kind.entities[kind.index[m]] for m in missing], kind)
            message = f"the table `{table.name}` has no row for {names}"
            r.report.error("RS228", message, node.span, notes=where, help=f"add `{missing[0]}: …`")
