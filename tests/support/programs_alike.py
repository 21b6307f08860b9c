"""Random parts of programs about indistinguishable tokens: in parameters, variables, sets and orders."""

from __future__ import annotations

from programs_places import Scope, Writer

_KINDS = """
  cask:
    each: [player]
    number: 3
    alike: true
    state:
      age: {type: int 0..3}
      sealed: {type: bool, private: {to: "first(player)", open: few < 3}}
      twin: {type: cask?}
    places: {cellar: {}, quay: {index: town}, hold: {index: player, fresh: true}}
"""
_STATE = """
  tapped: {type: cask?}
  lot: {type: set cask}
  row: {type: order cask}
"""
CASK = "cask"


def with_alike(world: str) -> str:
    """The world of worlds.py with indistinguishable tokens."""
    world = world.replace("kinds:\n", f"kinds:{_KINDS}", 1)
    return world.replace("\nstate:\n", f"\nstate:{_STATE}", 1)


def casks(w: Writer, s: Scope, d: int) -> str:
    """An expression for a set of casks."""
    name, town = w.fresh(), w.expr("town", s, d)
    known = [f"{{{n}}}" for n, type_ in s.items() if type_ in (CASK, "cask?")]
    where = w.pick(f"{name}.age < 2", f"not {name}.sealed", f"{name}.twin is none", f"{name} != tapped")
    of = w.pick("cask", "cellar", "quay", f"quay[{town}]", "lot", "hold", "(row | {})", f"cask[{_player(s)}]", *known)
    return w.pick(of, of, f"{{{name} in {of} where {where}}}", f"({of} - lot)")


def _player(s: Scope) -> str:
    return next((name for name, type_ in s.items() if type_ == "player"), "first(player)")


def param(w: Writer, s: Scope) -> tuple[str, str]:
    """A parameter's domain and type."""
    of = casks(w, s, 0) if w.number(2) else w.pick("cask", "cellar", "(cask - lot)", "(cask - {tapped})")
    return (f"{of} or none", "cask?") if w.number(3) == 0 else (of, CASK)


def number(w: Writer, s: Scope, d: int) -> str:
    """A numeric expression about casks."""
    name = w.fresh()
    return w.pick(f"count({casks(w, s, d)})", f"sum({name}.age for {name} in {casks(w, s, d)})")


def truth(w: Writer, s: Scope, d: int) -> str:
    """A condition about casks."""
    name = w.fresh()
    known = [n for n, type_ in s.items() if type_ == CASK]
    if known and w.number(2):
        return f"({w.pick(*known)} {w.pick('== tapped', '!= tapped', 'is some')})"
    return f"any({name} in {casks(w, s, d)} where {w.pick(f'{name}.sealed', f'{name}.age > 1', f'{name} in cellar')})"


def statement(w: Writer, s: Scope, pad: str) -> list[str]:
    """A statement that moves casks, or changes their state; a variable may name one."""
    name, of, town = w.fresh(), casks(w, s, 0), w.expr("town", s, 0)
    if w.number(4) == 0:
        s[name] = "cask?"
        return [f"{pad}let {name} = first({of})"]
    known = [f"{{{n}}}" for n, type_ in s.items() if type_ in (CASK, "cask?")]
    does = w.pick(
        f"set {name}.age to ({name}.age + 1) % 4",
        f"set {name}.sealed to not {name}.sealed",
        f"set {name}.twin to {w.pick('tapped', name, 'none')}",
        f"set tapped to {w.pick(name, 'none')}",
        f"set lot to lot {w.pick('|', '-')} {{{name}}}",
        f"{w.pick(f'add {name} to', f'take {name} from')} row",
        f"move {name} to {w.pick('cellar', f'quay[{town}]', f'hold[{name}.player]')}",
    )
    return [f"{pad}for {name} in {w.pick(of, *known, *known)}:", f"{pad}    {does}"]


def procedures(w: Writer) -> list[str]:
    """A turn with casks, in which a procedure can wait while its caller still refers to some."""
    scope = {"p": "player"}
    lines = ["procedure cooper(p: player):", *statement(w, scope, "    ")]
    lines += [f"    decide barrels by {w.pick('p', 'first(player)', 'any of player lead p')}:"]
    for i in range(1 + w.number(3)):
        inner = dict(scope)
        first, inner["c"] = param(w, inner)
        more = ""
        if w.number(2):
            second, inner["d"] = param(w, inner)
            more = f", d in {second}" + (f" where {truth(w, inner, 0)}" if w.number(2) else "")
        right = w.pick("", "", " by next(p)")
        lines += [f"        option work{i}(c in {first}{more}){right}:"]
        lines += [f"            require {truth(w, inner, 0)}"] if w.number(3) == 0 else []
        lines += statement(w, inner, "            ")
        lines += ["            taste(p)"] if w.number(3) == 0 else []
        lines += statement(w, inner, "            ") if w.number(2) else []
    lines += ["        otherwise:", "            set n to n + 1"]
    tasting = ["procedure taste(p: player):", "    decide tasting by p:", "        option taste_one(c in cask[p]):"]
    tasting += statement(w, {"p": "player", "c": CASK}, "            ")
    return [*tasting, *lines]
