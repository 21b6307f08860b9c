"""What is well-formed and still hardly meant: maps, tables and set-ups that do not hang together.

These are warnings. Each looks for what breaks a pattern that the ruleset itself follows, not for what is unusual.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, pairwise, product

from msgspec import Struct

from rulespec.check.termination import expressions, parts, statement_expressions, walk
from rulespec.diagnostics.diagnostic import Label, Span
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.documents.nodes import Mapping, Node, Scalar, bits, content_column, entries, get, text, words
from rulespec.syntax import ast
from rulespec.syntax.parser import parse_expr
from rulespec.typed import nodes as typed
from rulespec.types import Ent, Num, SetOf

_MAX_KEYS = 2_000  # combinations of keys that a look-up is tried with
_MAX_FACTS = 50  # of regions, that are compared with one another
_ALIKE = 8  # regions that have something in common before one that lacks it is remarkable
_SHOWN = 6  # names in a message
_COMPARISONS = frozenset(["==", "!=", "<", "<=", ">", ">=", "in"])


def check_semantics(root: Mapping, declarations: typed.Declarations, rules: typed.Rules, report: Report) -> None:
    """Warns of what is hardly meant. The ruleset must have no errors.

    Args:
        root: the merged YAML tree, for places.
        declarations: what the tree declares.
        rules: the typed rules.
        report: what is found goes here.
    """
    groups = list(_by_rule(rules))
    _Map(root, declarations, groups, report).check()
    unsafe = _lookups(declarations, groups, report)
    _tables(root, declarations, unsafe, report)
    _set_ups(root, declarations, report)
    _piles(root, declarations, report)
    _options(rules, report)


def _by_rule(rules: typed.Rules) -> Iterator[list[typed.Expr]]:
    """All expressions, those of one rule together."""
    for definition in rules.definitions.values():
        roots = [value for _, value in definition.lets] + ([definition.body] if definition.body is not None else [])
        yield [e for r in roots for e in expressions(r)]
    for procedure in rules.procedures.values():
        yield [e for s in walk(procedure.body) for r in statement_expressions(s) for e in expressions(r)]
    for invariant in rules.invariants.values():
        yield list(expressions(invariant.condition))
    if rules.scoring is not None:
        found = [rules.scoring.score]
        for t in rules.scoring.tiebreaks:
            found += [e for e in (t.source, t.key, t.value) if e is not None]
        yield [e for r in found for e in expressions(r)]


def _listed(names: list[str]) -> str:
    shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
    return shown + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")


# --- the map -------------------------------------------------------------------------------


class _Map:
    """Regions that nothing leads to, and facts of regions that do not fit their links."""

    def __init__(
        self, root: Mapping, declarations: typed.Declarations, groups: list[list[typed.Expr]], report: Report
    ) -> None:
        self.root = root
        self.d = declarations
        self.groups = groups
        self.report = report
        self.kind = declarations.kinds.get(text(get(root, "map", "kind")))
        self.leads: list[set[int]] = []
        """To which other regions the links of each region lead."""

    def check(self) -> None:
        """Reports what is wrong with the map, if there is one and it has links."""
        kind = self.kind
        if kind is None:
            return
        links = [kind.facts[name] for name, _, _ in entries(get(self.root, "map", "links")) if name in kind.facts]
        self.leads = [{b for f in links for b in bits(f.values[a])} - {a} for a in range(len(kind.entities))]
        if not any(self.leads):
            return
        of_regions = [f for f in kind.facts.values() if f not in links and _kind(f.type) == kind.name]
        self._reached(kind, of_regions)
        for fact in of_regions:
            self._touching(kind, fact)
        for fact in of_regions[:_MAX_FACTS]:
            self._complete(kind, fact)

    def _members(self, fact: typed.FactDecl, entity: int) -> list[int]:
        """The entities that a fact of an entity names."""
        value = fact.values[entity]
        if isinstance(fact.type, SetOf):
            return list(bits(value))
        return [value] if value >= 0 else []

    def _reached(self, kind: typed.Kind, of_regions: list[typed.FactDecl]) -> None:
        """Links and facts of the regions make parts of the map; all but the largest must be named somewhere else."""
        near = [set(found) for found in self.leads]
        for fact in of_regions:
            for a in range(len(kind.entities)):
                for b in self._members(fact, a):
                    near[a].add(b)
                    near[b].add(a)
        entered = set().union(*near)
        for a, found in enumerate(near):
            for b in tuple(found):
                near[b].add(a)
        areas = sorted(_parts(near), key=len, reverse=True)
        named = self._named(kind)
        for area in areas:
            if area is not areas[0] and not area & named:
                names = [kind.entities[r].name for r in sorted(area)]
                rest = f"; nor to {_listed(names[1:])} beside it" if len(names) > 1 else ""
                message = f"no link leads to `{names[0]}` from the rest of the map{rest}"
                self._unreached(kind.entities[min(area)], message)
            elif len(area) > 1:
                starts = self._starts(kind)
                for r in sorted(area - entered - named - starts):
                    entity = kind.entities[r]
                    self._unreached(entity, f"links lead out of `{entity.name}`, but none leads to it")

    def _unreached(self, entity: typed.Entity, message: str) -> None:
        help_ = "link it with its neighbours, or take it out"
        self.report.warning("RS231", message, entity.span, help=help_)

    def _named(self, kind: typed.Kind) -> set[int]:
        """The regions that rules, tables, other kinds or starts of state name: something may be put there."""
        found: set[int] = set()
        for other in self.d.kinds.values():
            if other is kind or other.product:
                continue
            for fact in other.facts.values():
                if _kind(fact.type) == kind.name:
                    found.update(r for a in range(len(fact.values)) for r in self._members(fact, a))
        for table in self.d.tables.values():
            if _kind(table.value) == kind.name:
                decl = typed.FactDecl(table.name, table.value, table.span, list(table.rows.values()))
                found.update(r for a in range(len(decl.values)) for r in self._members(decl, a))
        fields = [*self.d.fields.values(), *(f for k in self.d.kinds.values() for f in k.state.values())]
        starts = [f.start for f in fields if f.start is not None] + [p.value for p in self.d.placements]
        for e in [*(e for group in self.groups for e in group), *(e for s in starts for e in expressions(s))]:
            if isinstance(e, typed.Lit) and _kind(e.type) == kind.name:
                decl = typed.FactDecl("", e.type, e.span, [e.value])
                found.update(self._members(decl, 0))
        return found

    def _starts(self, kind: typed.Kind) -> set[int]:
        """The regions in which the set-up places pieces."""
        found: set[int] = set()
        for placement in self.d.placements:
            if isinstance(placement.target, tuple) and placement.target[1].index == kind.name:
                last = placement.keys[-1]
                found |= {last} if isinstance(last, int) else set(range(len(kind.entities)))
        return found

    def _touching(self, kind: typed.Kind, fact: typed.FactDecl) -> None:
        """Where regions mostly share a link with those that a fact of theirs names, the others are remarkable."""
        apart: list[tuple[int, int]] = []
        total = 0
        for a in range(len(kind.entities)):
            for b in self._members(fact, a):
                total += 1
                if a != b and b not in self.leads[a] and a not in self.leads[b]:
                    apart.append((a, b))
        if 2 * len(apart) >= total:
            return
        for a, b in apart:
            here, there = kind.entities[a].name, kind.entities[b].name
            node = get(self.root, "map", "regions", here, fact.name)
            place = next((w.span for w in words(node) if w.text == there), kind.entities[a].span)
            help_ = f"{total - len(apart)} of {total} such regions share a link: link the two, or name another region"
            notes = [Label(kind.entities[b].span, "declared here")]
            message = f"the `{fact.name}` of `{here}` is `{there}`, and no link joins them"
            self.report.warning("RS232", message, place, notes=notes, help=help_)

    def _complete(self, kind: typed.Kind, fact: typed.FactDecl) -> None:
        """Where all regions that are alike in something have a fact but one, that one is remarkable."""
        if not isinstance(fact.type, Ent):
            return
        for other in islice(kind.facts.values(), _MAX_FACTS):
            if not isinstance(other.type, Ent) or other.type.kind == kind.name:
                continue
            alike: dict[int, list[int]] = {}
            for r, value in enumerate(other.values):
                alike.setdefault(value, []).append(r)
            for value, regions in alike.items():
                without = [r for r in regions if fact.values[r] < 0]
                if value < 0 or len(without) != 1 or len(regions) <= _ALIKE:
                    continue
                entity, what = kind.entities[without[0]], self.d.kinds[other.type.kind].entities[value].name
                message = f"`{entity.name}` has no `{fact.name}`, as all other regions with `{other.name}: {what}` have"
                self.report.warning("RS238", message, entity.span, help=f"say its `{fact.name}`")


def _kind(type_: object) -> str:
    """The kind of an entity or a set; "" for anything else."""
    return type_.kind if isinstance(type_, Ent | SetOf) else ""


def _parts(near: list[set[int]]) -> list[set[int]]:
    """The connected parts of an undirected graph."""
    parts: list[set[int]] = []
    seen: set[int] = set()
    for first in range(len(near)):
        if first in seen:
            continue
        part, rest = {first}, [first]
        while rest:
            new = near[rest.pop()] - part
            part |= new
            rest += new
        seen |= part
        parts.append(part)
    return parts


# --- tables --------------------------------------------------------------------------------


class _Range(Struct):
    """The least and the greatest value of a number, and what it depends on."""

    low: int
    high: int
    of: set[object]


def _range(e: typed.Expr, d: typed.Declarations) -> _Range | None:
    """What is known of a number without running the rules; None if that is nothing."""
    if isinstance(e, typed.Lit):
        return _Range(e.value, e.value, set())
    if isinstance(e, typed.Seats):
        return _Range(d.min_players, d.max_players, {"players"})
    if isinstance(e, typed.Field) and e.decl.low is not None and e.decl.high is not None:
        return _Range(e.decl.low, e.decl.high, {e.decl})
    if isinstance(e, typed.Op) and e.op in ("+", "-", "min", "max") and len(e.args) == 2:
        a, b = (_range(x, d) for x in e.args)
        if a is None or b is None:
            return None
        of = a.of | b.of
        if e.op == "+":
            return _Range(a.low + b.low, a.high + b.high, of)
        if e.op == "-":
            return _Range(a.low - b.high, a.high - b.low, of)
        pick = min if e.op == "min" else max
        return _Range(pick(a.low, b.low), pick(a.high, b.high), of)
    return None


def _lookups(d: typed.Declarations, groups: list[list[typed.Expr]], report: Report) -> set[str]:
    """Warns of look-ups whose key may have no row, and returns their tables.

    Only where the key is all that the rule says: if the rule compares what the key depends on, that may be a guard.
    """
    unsafe: set[str] = set()
    for group in groups:
        compared: dict[str, set[object]] = {}
        for e in group:
            known = _keys(e, d) if isinstance(e, typed.TableRow) else None
            if known is None or not isinstance(e, typed.TableRow):
                continue
            missing = [keys for keys in product(*known.tried) if keys not in e.table.rows]
            if missing and known.of and e.table.name not in compared:
                compared[e.table.name] = _compared(group, e.table)
            if not missing or known.of & compared.get(e.table.name, set()):
                continue
            unsafe.add(e.table.name)
            shown = _listed([_row(d, e.table, keys) for keys in missing])
            notes = [Label(e.table.span, "declared here")]
            help_ = "add the row, or guard the look-up with a condition"
            message = f"the table `{e.table.name}` has no row for {shown}"
            report.warning("RS235", message, e.span, notes=notes, help=help_)
    return unsafe


class _Keys(Struct):
    """The values that each key of a look-up may have, and what they depend on."""

    tried: list[range]
    of: set[object]


def _keys(e: typed.TableRow, d: typed.Declarations) -> _Keys | None:
    """The keys of a look-up; None if they are not known, or too many."""
    tried: list[range] = []
    of: set[object] = set()
    total = 1
    for key, type_ in zip(e.keys, e.table.keys, strict=True):
        if isinstance(key, typed.Lit) or not isinstance(type_, Ent):
            found = _range(key, d)
            if found is None:
                return None
            tried.append(range(found.low, found.high + 1))
            of |= found.of
        else:
            tried.append(range(len(d.kinds[type_.kind].entities)))
        total *= len(tried[-1])
    return _Keys(tried, of) if total <= _MAX_KEYS else None


def _row(d: typed.Declarations, table: typed.TableDecl, keys: tuple[int, ...]) -> str:
    names = [
        d.kinds[t.kind].entities[k].name if isinstance(t, Ent) else str(k)
        for t, k in zip(table.keys, keys, strict=True)
    ]
    return ", ".join(names)


def _compared(group: list[typed.Expr], table: typed.TableDecl) -> set[object]:
    """The state that a rule, or a definition that it calls, compares with something; keys of the table aside."""
    found: set[object] = set()
    known: set[typed.Definition] = set()
    roots = [e for e in group if isinstance(e, typed.Call) or (isinstance(e, typed.Op) and e.op in _COMPARISONS)]
    stack: list[typed.Expr] = list(roots)
    while stack:
        e = stack.pop()
        if isinstance(e, typed.Field):
            found.add(e.decl)
        elif isinstance(e, typed.Seats):
            found.add("players")
        elif isinstance(e, typed.Call) and e.definition not in known:
            known.add(e.definition)
            stack += [value for _, value in e.definition.lets]
            stack += [e.definition.body] if e.definition.body is not None else []
        if not (isinstance(e, typed.TableRow) and e.table is table):
            stack += parts(e)
    return found


def _tables(root: Mapping, d: typed.Declarations, unsafe: set[str], report: Report) -> None:
    """Warns of rows of numbers with a gap or in the wrong order, and of inner rows that one row lacks."""
    for table in d.tables.values():
        rows = get(root, "tables", table.name, "rows")
        if isinstance(rows, Mapping):
            _rows(table, rows, 0, unsafe, report)


def _rows(table: typed.TableDecl, rows: Mapping, depth: int, unsafe: set[str], report: Report) -> None:
    if isinstance(table.keys[depth], Num):
        _numbers(table, rows, unsafe, report)
    if depth + 1 == len(table.keys):
        return
    inner = [(place, node) for _, place, node in entries(rows) if isinstance(node, Mapping)]
    for _, node in inner:
        _rows(table, node, depth + 1, unsafe, report)
    if table.name in unsafe or not isinstance(table.keys[depth + 1], Num):
        return
    sets = [frozenset(node.entries) for _, node in inner]
    usual = max(sets, key=sets.count, default=frozenset())
    if 2 * sets.count(usual) <= len(sets):
        return
    for (place, _), found in zip(inner, sets, strict=True):
        if found < usual:
            names = sorted(usual - found, key=int)
            message = f"`{place.text}` has no row for {_listed(names)} in the table `{table.name}`, as the others have"
            report.warning("RS233", message, place.span, help="add the row, or take it out of the others too")


def _numbers(table: typed.TableDecl, rows: Mapping, unsafe: set[str], report: Report) -> None:
    """Rows by number. Overlays add theirs at the end: only rows of one file have an order."""
    before: dict[str, Scalar] = {}
    seen: dict[int, Scalar] = {}
    for key, place, _ in entries(rows):
        last = before.get(place.span.file)
        if int(key) in seen:
            notes = [Label(seen[int(key)].span, "the first one")]
            report.error("RS119", f"the table `{table.name}` has two rows for {int(key)}", place.span, notes=notes)
        elif last is not None and int(last.text) > int(key):
            message = f"the rows of `{table.name}` are out of order: {key} comes behind {last.text}"
            report.warning("RS234", message, place.span, help="let them stand from low to high")
        seen[int(key)] = before[place.span.file] = place
    numbers = sorted(seen)
    steps = {b - a for a, b in pairwise(numbers)}
    left_out = numbers[-1] - numbers[0] + 1 - len(numbers) if numbers else 0
    # Numbers that lie far apart, or all as far, are chosen so; one that is left out of many is not.
    if len(steps) > 1 and 3 * left_out <= len(numbers) and table.name not in unsafe:
        missing = [n for a, b in pairwise(numbers) for n in range(a + 1, b)]
        behind = seen[next(n for n in numbers if n > missing[0])]
        message = f"the rows of `{table.name}` leave out {_listed([str(n) for n in missing])}"
        report.warning("RS233", message, behind.span, help="add the row that is missing")


# --- set-ups -------------------------------------------------------------------------------


def _set_ups(root: Mapping, d: typed.Declarations, report: Report) -> None:
    """Warns if most numbers of players have a set-up of their own for something, and the rest have none."""
    setup = get(root, "setup")
    counts = {int(n): node for n, _, node in entries(get(setup, "players"))}
    everybody = range(d.min_players, d.max_players + 1)
    first: dict[tuple[str, str], tuple[Scalar, set[int]]] = {}
    for number, node in counts.items():
        for section in ("pieces", "state", "accounts"):
            for path, where, _ in entries(get(node, section)):
                first.setdefault((section, path), (where, set()))[1].add(number)
    for (section, path), (where, found) in first.items():
        missing = [n for n in everybody if n not in found]
        if missing and 2 * len(found) > len(everybody) and get(setup, section, path) is None:
            names = ", ".join(map(str, missing))
            message = f"`{path}` is set up for other numbers of players, but not for {names}"
            report.warning("RS236", message, where.span, help="say it for them too, or for all under `setup:`")


def _piles(root: Mapping, d: typed.Declarations, report: Report) -> None:
    """Warns of `supply: all - 12` where not 12 pieces stand elsewhere."""
    for path, _, node in entries(get(root, "setup", "pieces")):
        taken = _taken(node)
        piece_name, _, place_name = path.partition(".")
        piece = d.pieces.get(piece_name)
        if taken is None or piece is None:
            continue
        elsewhere = _elsewhere(d, piece, place_name)
        if elsewhere is None or elsewhere == taken:
            continue
        much = f"{elsewhere - taken} too many" if elsewhere > taken else f"{taken - elsewhere} too few"
        message = f"`{path}` leaves {taken} for other places, but {elsewhere} are set up there: {much}"
        report.warning("RS237", message, node.span, help="count them again")


def _taken(node: Node) -> int | None:
    """The number in `name - number`."""
    if not isinstance(node, Scalar) or not isinstance(node.value, str):
        return None
    try:
        tree = parse_expr(node.text, node.span.file, node.span.line, content_column(node), cached=True)
    except DiagnosticsError:
        return None
    fits = isinstance(tree, ast.Binary) and tree.op == "-" and isinstance(tree.left, ast.Ref | ast.Attribute)
    if isinstance(tree, ast.Binary) and fits and isinstance(tree.right, ast.Number):
        return tree.right.value
    return None


def _elsewhere(d: typed.Declarations, piece: typed.PieceDecl, place: str) -> int | None:
    """How many pieces of a single pile are set up outside a place; None if that is not said in plain numbers."""
    counts: dict[tuple[str, tuple[int, ...]], int] = {}
    for p in d.placements:
        if not isinstance(p.target, tuple) or p.target[0] is not piece or p.target[1].name == place:
            continue
        if piece.each or p.players is not None or not isinstance(p.value, typed.Lit):
            return None
        kinds = [p.target[1].index] if p.target[1].index else []
        if any(d.kinds[k].is_player for k in kinds):
            return None
        members = [
            range(len(d.kinds[kind].entities)) if isinstance(key, typed.Var) else [key]
            for kind, key in zip(kinds, p.keys, strict=True)
        ]
        for ids in product(*members):
            counts[p.target[1].name, ids] = p.value.value
    return sum(counts.values())


# --- options -------------------------------------------------------------------------------


def _options(rules: typed.Rules, report: Report) -> None:
    """Warns of options that are legal in no position, whatever the game does."""
    for procedure in rules.procedures.values():
        for s in walk(procedure.body):
            for option in s.options if isinstance(s, typed.Decide) else ():
                span = _never(option)
                if span is not None:
                    notes = [Label(option.span, "the option")]
                    message = f"the option `{option.name}` is never legal: this holds in no position"
                    help_ = "take the option out, or mend the condition"
                    report.warning("RS412", message, span, notes=notes, help=help_)


def _never(option: typed.OptionDef) -> Span | None:
    """The condition, or the empty range, that makes an option impossible."""
    for p in option.params:
        if isinstance(p.low, typed.Lit) and isinstance(p.high, typed.Lit) and p.low.value > p.high.value:
            return p.span
        if p.high is None and isinstance(p.low, typed.KindSet) and not p.low.kind.is_player and not p.low.kind.entities:
            return p.span
        if p.where is not None and _settled(p.where) is False:
            return p.where.span
    return next((r.condition.span for r in option.requires if _settled(r.condition) is False), None)


def _settled(e: typed.Expr) -> bool | None:
    """Whether a condition is true or false by what is written alone; None if it depends on the game."""
    if isinstance(e, typed.Lit):
        return bool(e.value)
    if not isinstance(e, typed.Op):
        return None
    if e.op in ("and", "or", "not"):
        known = [_settled(a) for a in e.args]
        if e.op == "not":
            return None if known[0] is None else not known[0]
        stop = e.op == "or"
        return stop if stop in known else None if None in known else not stop
    values = [a.value for a in e.args if isinstance(a, typed.Lit)]
    if e.op not in _COMPARISONS or e.op == "in" or len(values) < 2:
        return None
    a, b = values
    return {"==": a == b, "!=": a != b, "<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b}[e.op]
