"""Random parts of programs about links as entities: their facts and state, their ends, the link between two."""

from __future__ import annotations

from collections.abc import Callable

Pick = Callable[..., str]
Expr = Callable[[str], str]

_KIND = "  rail: {state: {worn: {type: int}}}\n"
_MAP = """
--- map.yaml
map:
  kind: halt
  links:
    rail:
      two_way: true
      facts: {miles: int, home: town?}
      of:
        ra: {ends: [mill, port], miles: 3, home: oak}
        rb: {ends: [moor, port], miles: 4}
        rc: {ends: [mill, moor], miles: 9, home: ash}
    wire:
      two_way: true
      of:
        wa: {ends: [mill, port]}
        wb: {ends: [port, mill]}
        wc: {ends: [mill, moor]}
        wd: {ends: [port, mill]}
    shoot: {two_way: false, of: {ta: {ends: [mill, moor]}, tb: {ends: [moor, mill]}, tc: {ends: [mill, moor]}}}
    slope: {two_way: false, of: {da: {ends: [moor, mill]}, db: {ends: [mill, moor]}, dc: {ends: [moor, port]}}}
  regions: {mill: {}, port: {}, moor: {}, barn: {}}
"""


def linked(world: str) -> str:
    """A world with a map."""
    return world.replace("  good: {entities", f"{_KIND}  good: {{entities") + _MAP


def number(pick: Pick, expr: Expr, fresh: Callable[[], str]) -> str:
    """A numeric expression about links; `expr` writes an expression of a type, `fresh` returns a new name."""
    x, y = fresh(), fresh()
    halt = pick("mill", "barn", f"(first({x} in halt where {x}.index >= {expr('int')}) ?? moor)")
    link = pick("ra", f"(rail[{halt}, {pick('port', halt)}] ?? rc)", "next(rb)")
    return pick(
        f"{link}.{pick('miles', 'worn', 'index')}",
        f"sum({y}.miles + {y}.worn for {y} in rail.at({halt}) where {y}.home == {expr('town?')})",
        f"count({y} in slope.at({halt}) where {y}.source == {halt} or {y}.target.index > {expr('int')})",
        f"count(reach({y} from {{{halt}}}: {y}.{pick('rail', 'slope')} - {link}.ends))",
        f"count({y} in halt where slope[{y}, moor] is some and slope[{y}, moor].index != {expr('int')})",
        f"cheapest({x} from {{moor}} to {y} in {x}.rail costs (rail[{x}, {y}] ?? ra).miles until {y} == mill, else 7)",
        f"count(union({y}.ends for {y} in rail where {expr('bool')}))",
        *_parallel(pick, expr, halt, (x, y, fresh())),
    )


def _parallel(pick: Pick, expr: Expr, halt: str, names: tuple[str, str, str]) -> tuple[str, ...]:
    """Numeric expressions about links with the same ends; `names` are new."""
    x, y, way = names
    kind = pick("wire", "shoot")
    between = f"{kind}.between({x}, {y})"
    links = pick(between, f"{{{way}l in {between} where {way}l.index < {expr('int')}}}", f"{kind}.at({y})")
    steps = f"{x} from {{{halt}}} to {y} in {x}.{kind} once {pick('', 'any of ')}{links} within {pick('2', '5')}"
    return (
        f"sum({y}.index + 1 for {y} in {kind}.between({halt}, {pick('mill', 'moor', halt)}))",
        f"count(trail({steps}))",
        f"longest({way} in path({steps}) worth count({way}), else {expr('int')})",
        f"cheapest({x} from {{{halt}}} to {y} in {x}.{kind} costs count({between}) until {y} == moor, else 7)",
    )


def statement(pick: Pick, expr: Expr, x: str) -> str:
    """A statement that changes the state of a link; `x` is a new name."""
    link = pick("rb", f"(first({x} in rail where {x}.worn > {expr('int')}) ?? ra)")
    return f"set {link}.worn to {expr('int')}"
