"""Declarations in `game.yaml`: units, players and settings."""

from __future__ import annotations

from rulespec.check.declarations.players import read_players
from rulespec.check.declarations.reader import DeclarationReader
from rulespec.diagnostics.suggestions import either, nearest
from rulespec.documents.yaml_nodes import Node, Scalar, entries, get, text, words
from rulespec.syntax.keywords import WORDS
from rulespec.typed import nodes as typed
from rulespec.typed.settings import refused, taken
from rulespec.types import BOOL, Bad, Ent


def read_game(r: DeclarationReader) -> None:
    """Declares units, the player kind, and settings."""
    game = get(r.root, "game")
    for unit in words(get(game, "units")):
        if unit.text in WORDS:
            r.report.error("RS223", f"`{unit.text}` is a reserved word", unit.span)
        elif r.claim(unit.text, unit.span):
            r.d.units[unit.text] = unit.span
    read_players(r, get(game, "players"))
    for name, place, node in entries(get(game, "settings")):
        _setting(r, name, place, node)


def _setting(r: DeclarationReader, name: str, place: Scalar, node: Node) -> None:
    if not r.claim(name, place.span):
        return
    values = words(get(node, "values"))
    default = get(node, "default")
    doc = text(get(node, "doc"))
    shown = text(default)
    if get(node, "type") is not None:
        _number(r, name, place, node)
        return
    if not values:
        if not isinstance(default, Scalar) or not isinstance(default.value, bool):
            message = "the default of a setting without `values` must be `true` or `false`"
            r.report.error("RS227", message, (default or node).span)
        r.d.settings[name] = typed.SettingDecl(name, BOOL, None, shown, doc, place.span)
        return
    names = tuple(v.text for v in values)
    if shown not in names:
        guess, notes = nearest(shown, {v.text: v.span for v in values})
        message = f"`{shown}` is not a value of `{name}`"
        help_ = guess or f"write {either(names)}"
        r.report.error("RS227", message, (default or node).span, help=help_, notes=notes)
        shown = names[0]
    r.d.settings[name] = typed.SettingDecl(name, Ent(name), names, shown, doc, place.span)
    kind = typed.Kind(name, place.span, implicit=True)
    r.d.kinds[name] = kind
    for value in values:
        if value.text in kind.index:
            r.report.error("RS223", f"`{value.text}` is listed twice", value.span)
        else:
            r.writable(value.text, value.span)
            r.d.add_entity(kind, typed.Entity(value.text, value.text, value.span))


def _number(r: DeclarationReader, name: str, place: Scalar, node: Node) -> None:
    """Declares a numeric setting."""
    written, default = get(node, "type"), get(node, "default")
    type_, ref = r.type(written)
    low, high = (ref.low, ref.high) if ref is not None and ref.form == "range" else (0, 0)
    span = (written or node).span
    setting = typed.SettingDecl(name, type_, None, text(default), text(get(node, "doc")), place.span, (low, high))
    r.d.settings[name] = setting
    value = taken(setting, setting.default)
    if get(node, "values") is not None:
        r.report.error("RS227", "a setting cannot have both `values` and a `type`", span, help="remove one of them")
    elif isinstance(type_, Bad):
        pass
    elif ref is None or ref.form != "range":
        r.report.error("RS227", "the `type` of a setting must be a number with a range", span, help="write `int 0..9`")
    elif low > high:
        r.report.error("RS307", "the range is empty", span)
    elif value is None:
        message = f"the setting `{name}` {refused(setting, setting.default)}"
        r.report.error("RS227", message, (default or node).span)
    setting.default = value or str(low)
