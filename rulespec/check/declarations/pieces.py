"""Types of pieces and their places."""

from __future__ import annotations

from rulespec.check.declarations.reader import DeclarationReader
from rulespec.diagnostics.suggestions import nearest
from rulespec.documents.yaml_nodes import entries, get, text, words
from rulespec.typed import nodes as typed


def read_pieces(r: DeclarationReader) -> None:
    """Declares the types of pieces."""
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
