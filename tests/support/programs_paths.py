"""Random parts of programs with paths: as parameters, in conditions on steps, in loops, and as search results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from programs_heads import Writer

PATH, TOWN = "path town", "town"
Scope = dict[str, str]
RULES = """\
def detour(way: path town, t: town) -> int: count(way) + last(way).tax - sum(x.tax for x to y in way where y != t)
procedure walk(way: path town, k: int):
    for t in way where t.tax < k:
        if n > k:
            continue
        set t.owner to none
        set n to n + 1
        if t == last(way):
            leave
"""


def param(w: Writer, scope: Scope, name: str) -> str:
    """A parameter that chooses a path, without a privacy clause; it is added to the scope."""
    x, y = w.fresh(), w.fresh()
    start = w.expr("set town", scope, 1)
    step = {**scope, name: PATH, x: TOWN}
    after = {**step, y: TOWN}
    onward = w.pick(f"{x}.near", f"{x}.near | {{oak, fir}}", "{oak, ash}", w.expr("set town", step, 1))
    where = f" where {w.expr('bool', after, 1)}" if w.number(3) == 0 else ""
    uses = w.pick(
        *("", f" once {y}", f" once {x}, {y}.near", f" once {w.expr('town', after, 1)}"),
        f" once any of {w.expr('set town', after, 1)}",
    )
    counts = w.pick("", "", f" counts {y}.tax", f" counts {w.expr('int', after, 1)}")
    within = w.pick("1", "2", "3", "few", "(few - 1)", "abs(m) % 4")
    whole = w.pick("", " until none")
    scope[name] = PATH
    about = w.pick(f"last({name}) != oak", f"count({name}) > few", f"elm in {name}", w.expr("bool", scope, 1))
    whole_way = f" where {about}" if w.number(3) == 0 else ""
    path = f"path({x} from {start} to {y} in {onward}{where}{uses}{counts} within {within}{whole})"
    return f"{name} in {path}{whole_way}"


def _named(w: Writer, scope: Scope) -> str | None:
    """A path in scope, or None."""
    paths = [name for name, type_ in scope.items() if type_ == PATH]
    return w.pick(*paths) if paths else None


def number(w: Writer, scope: Scope) -> str | None:
    """A number that depends on a path in scope; None without one."""
    way = _named(w, scope)
    if way is None:
        return None
    x, y, t = w.fresh(), w.fresh(), w.fresh()
    inner = {**scope, x: TOWN, y: TOWN}
    steps = f"{x} to {y} in {way}{w.pick('', f' where {y} != oak')}"
    return w.pick(
        *(
            f"count({way})",
            f"first({way}).tax",
            f"detour({way}, oak)",
            f"count({steps})",
            f"sum({t}.tax for {t} in {way})",
        ),
        *(f"sum({w.expr('int', inner, 1)} for {steps})", f"count({{{y} for {steps}}})"),
        *(
            f"count(union({{{x}, {y}}} for {steps}))",
            f"(1 if any({steps}) else 2)",
            f"(3 if all({steps}: {x} != {y}) else 4)",
        ),
    )


def statement(w: Writer, scope: Scope, pad: str) -> list[str] | None:
    """Statements that use a path in scope; None without one."""
    way = _named(w, scope)
    if way is None:
        return None
    x, y = w.fresh(), w.fresh()
    if w.number(3) == 0:
        return [f"{pad}walk({way}, {w.expr('int', scope, 1)})"]
    if w.number(2):
        inner = {**scope, x: TOWN, y: TOWN}
        return [f"{pad}for {x} to {y} in {way}:", f"{pad}    set n to {w.expr('int', inner, 1)}"]
    return [f"{pad}for {x} in {way}{w.pick('', f' where {x} != oak')}:", f"{pad}    set {x}.mark to n"]


def _ways(w: Writer, scope: Scope, name: str = "") -> str:
    """A path expression of few stops in brackets, which may name the path so far."""
    x, y = w.fresh(), w.fresh()
    step = {**scope, x: TOWN} | ({name: PATH} if name else {})
    after = {**step, y: TOWN}
    start = w.pick("{oak}", "{oak, fir}", "{ash, elm}", w.expr("set town", scope, 1))
    onward = w.pick(f"{x}.near", f"{x}.near | {{oak, fir}}", "{oak, ash}", f"friends[{x}]")
    where = f" where {w.expr('bool', after, 1)}" if w.number(3) == 0 else ""
    uses = w.pick(
        *(f" once {y}", f" once {x}, {y}.near", f" once {w.expr('town', after, 1)}"),
        f" once any of {x}.near, any of {w.expr('set town', after, 1)}",
    )
    counts = w.pick("", f" counts {y}.tax", f" counts {w.expr('int', after, 1)}")
    within = w.pick("1", "2", "3", "few", "abs(m) % 4")
    return f"{x} from {start} to {y} in {onward}{where}{uses}{counts} within {within}"


def trail(w: Writer, scope: Scope) -> str:
    """The set of towns reached by a trail."""
    return f"trail({_ways(w, scope)})"


def longest(w: Writer, scope: Scope) -> str:
    """The maximum value of a path."""
    name, t = w.fresh(), w.fresh()
    inner = {**scope, name: PATH}
    path = f"{name} in path({_ways(w, scope, name)}{w.pick('', ' until none')})"
    where = f" where {w.expr('bool', inner, 1)}" if w.number(2) else ""
    worth = w.pick(f"count({name})", f"sum({t}.tax for {t} in {name})", w.expr("int", inner, 1))
    default = w.expr("int", scope, 1)
    search = f"longest({path}{where} worth {worth}"
    return w.pick(f"{search}, else {default})", f"({search}) ?? {default})")
