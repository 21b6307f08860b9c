"""Facts known at a place in the rules, from assignments to state and tested conditions.

A forward data-flow analysis: an assigned value is known until it may change, and a tested condition is known within its
branch. On entry to a procedure, the facts common to all its calls are known. The analysis tracks only state that the
`to` and `open` clauses of private state read, so it costs nothing for most rulesets.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rulespec.check.lints.keys import Key, Keys, moved
from rulespec.language.operators import COMPARISONS, OPERATORS
from rulespec.typed import nodes as typed
from rulespec.typed.rule_traversal import expressions, walk
from rulespec.types import BOOL

Facts = dict[Key, Key]
"""A map from the key of each field or condition to the key of its value."""


class Known:
    """The facts known during a traversal of the rules.

    Args:
        rules: the rules.
        start: name of the start procedure.
        conditions: the conditions that will be queried.
        loose: variables that are reassigned.

    Attributes:
        current: the known facts; None in unreachable code, such as after `return`.
        grown: whether fewer facts are now known on entry to some procedure, so that another pass is needed.
    """

    def __init__(
        self, rules: typed.Rules, start: str, loose: frozenset[typed.Var], conditions: Iterable[typed.Expr]
    ) -> None:
        self._read = frozenset(e.decl for each in conditions for e in expressions(each) if isinstance(e, typed.Field))
        self.current: Facts | None = {}
        self.grown = False
        self._loose = loose
        self._inputs: dict[typed.Procedure, Facts] = {}
        self._changed: dict[typed.Procedure, frozenset[typed.FieldDecl]] = {}
        bodies = (walk(procedure.body) for procedure in rules.procedures.values())
        self._called = {s.procedure for body in bodies for s in body if isinstance(s, typed.CallProcedure)}
        self._called -= {procedure for name, procedure in rules.procedures.items() if name == start}

    # --- asking -------------------------------------------------------------------------------

    def holds(self, condition: Key) -> bool:
        """Whether a condition is known to be true; true in unreachable code."""
        return self.current is None or (condition is not None and _is(self._value(condition, self.current), truth=True))

    def value(self, key: Key) -> Key:
        """The key of an expression's value if the value is known, otherwise the expression's own key."""
        return key if self.current is None else self._value(key, self.current)

    def _value(self, key: Key, facts: Facts) -> Key:
        """The key of an expression's value, with known parts replaced by their values."""
        if key is None or key in facts:
            return facts.get(key)
        if key[0] != "op":
            return key
        word, args = str(key[1]), [self._value(part, facts) for part in key[2:] if isinstance(part, tuple)]
        if word in ("and", "or"):
            stop = word == "or"
            if any(_is(arg, truth=stop) for arg in args):
                return _truth(truth=stop)
            return _truth(truth=not stop) if all(_is(arg, truth=not stop) for arg in args) else key
        if word == "not":
            return _truth(truth=_is(args[0], truth=False)) if args[0] is not None and args[0][0] == "lit" else key
        return _compared(word, args, key)

    # --- following ----------------------------------------------------------------------------

    def enter(self, procedure: typed.Procedure) -> None:
        """Resets the facts to those known on entry to a procedure."""
        self.current = dict(self._inputs[procedure]) if procedure in self._inputs else None
        if procedure not in self._called:
            self.current = {}

    def call(self, procedure: typed.Procedure, args: Sequence[Key]) -> None:
        """Applies a call: passes the facts on to the procedure, and keeps those that the procedure leaves unchanged."""
        if self.current is None or not self._read:
            return
        inputs = self._inputs_of(procedure, args)
        before = self._inputs.get(procedure)
        met = inputs if before is None else _both(before, inputs)
        if met != before:
            self._inputs[procedure] = met
            self.grown = True
        self.forget(self._changed_by(procedure))

    def _inputs_of(self, procedure: typed.Procedure, args: Sequence[Key]) -> Facts:
        """The facts on entry of a procedure, in terms of its parameters."""
        assert self.current is not None
        params: list[Key] = [("var", param) for param in procedure.params]
        pairs = list(zip(args, params, strict=True))
        names: Keys = {arg: param for arg, param in pairs if arg is not None and arg[0] == "var" and self._stays(param)}
        facts = [(moved(key, names), moved(value, names)) for key, value in self.current.items()]
        for arg, param in pairs:
            if arg is not None and arg[0] == "field" and arg[1] in self._read and self._stays(param):
                facts.insert(0, (moved(arg, names), param))
        return {key: value for key, value in facts if key is not None and value is not None}

    def name(self, var: typed.Var, key: Key) -> None:
        """Makes a variable an alias of a field, until the field changes."""
        if self.current is None or not _mentions(key, self._read) or not self._stays(("var", var)):
            return
        if key is not None and key[0] == "field" and self._stays(key):
            before = self.current.get(key)
            if before is None or before[0] != "lit":
                self.current[key] = ("var", var)

    def suppose(self, condition: Key, *, truth: bool) -> None:
        """Records a tested condition and its truth value."""
        if self.current is None or not _mentions(condition, self._read) or not self._stays(condition):
            return
        assert condition is not None
        self.current[condition] = _truth(truth=truth)
        if condition[0] != "op":
            return
        word, args = condition[1], [part for part in condition[2:] if isinstance(part, tuple)]
        if word == "not" or (word == "and" and truth) or (word == "or" and not truth):
            for arg in args:
                self.suppose(arg, truth=truth != (word == "not"))
        elif word == ("==" if truth else "!="):
            for one, other in (args, args[::-1]):
                if one[0] == "field" and other[0] in ("lit", "var"):
                    self.current[one] = other

    def assign(self, field: typed.Field, key: Key, value: Key) -> None:
        """Applies an assignment to a field."""
        if field.decl not in self._read:
            return
        self.forget([field.decl])
        lasting = value is not None and value[0] in ("lit", "var") and self._stays(value)
        if self.current is not None and key is not None and self._stays(key) and lasting:
            self.current[key] = value

    def forget(self, fields: Iterable[typed.FieldDecl], variables: Iterable[typed.Var] = ()) -> None:
        """Drops facts about fields that may have changed, and about reassigned variables."""
        gone = frozenset([*fields, *variables]) if self.current else ()
        if self.current and gone:
            self.current = {k: v for k, v in self.current.items() if not any(_mentions(part, gone) for part in (k, v))}

    def meet(self, ways: Iterable[Facts | None]) -> None:
        """Joins branches: keeps the facts common to all of them."""
        met: Facts | None = None
        for facts in ways:
            met = facts if met is None else met if facts is None else _both(met, facts)
        self.current = None if met is None else dict(met)

    def copy(self) -> Facts | None:
        """A copy of the current facts."""
        return None if self.current is None else dict(self.current)

    def _stays(self, key: Key) -> bool:
        """Whether a key keeps its value while the state is unchanged."""
        if key is None or key[0] == "call":
            return False
        return all(self._stays(p) if isinstance(p, tuple) else p not in self._loose for p in key[1:] if _is_part(p))

    # --- what changes -------------------------------------------------------------------------

    def changed_in(self, block: typed.Block) -> frozenset[typed.FieldDecl]:
        """The fields that a block may change, directly or through calls."""
        results: set[typed.FieldDecl] = set()
        for s in walk(block) if self.current else ():  # otherwise there are no facts to invalidate
            results |= set(_changed_at(s))
            if isinstance(s, typed.CallProcedure):
                results |= self._changed_by(s.procedure)
        return frozenset(results)

    def _changed_by(self, procedure: typed.Procedure) -> frozenset[typed.FieldDecl]:
        if procedure not in self._changed:
            todo, seen = [procedure], {procedure}
            results: set[typed.FieldDecl] = set()
            while todo:
                for s in walk(todo.pop().body):
                    results |= set(_changed_at(s))
                    if isinstance(s, typed.CallProcedure) and s.procedure not in seen:
                        seen.add(s.procedure)
                        todo.append(s.procedure)
            self._changed[procedure] = frozenset(results)
        return self._changed[procedure]


def _changed_at(s: typed.Stmt) -> Iterator[typed.FieldDecl]:
    """The fields changed directly by a statement."""
    if isinstance(s, typed.Assign) and isinstance(s.target, typed.Field):
        yield s.target.decl
    elif isinstance(s, typed.Transfer):
        yield from (end.decl for end in (s.source, s.target) if isinstance(end, typed.Field))
    elif isinstance(s, typed.Put):  # a fresh place resets the state of the token
        yield from s.kind.state.values()
    elif isinstance(s, typed.Decide):
        for option in s.options:
            yield from _paid(option.head)


def _paid(head: tuple[typed.HeadPart, ...]) -> Iterator[typed.FieldDecl]:
    for part in head:
        if isinstance(part, typed.Cost):
            yield from (end.decl for end in (part.source, part.target) if isinstance(end, typed.Field))
        elif isinstance(part, typed.Needs):
            yield from _paid(part.guard.head)


def _truth(*, truth: bool) -> Key:
    return ("lit", BOOL, int(truth))


def _is(key: Key, *, truth: bool) -> bool:
    return key is not None and key[0] == "lit" and bool(key[2]) == truth


def _compared(word: str, args: list[Key], key: Key) -> Key:
    """The known value of a comparison, or else the comparison itself."""
    if len(args) != 2 or None in args:
        return key
    (one, other), literal = args, [arg for arg in args if arg is not None and arg[0] == "lit"]
    if word in ("==", "!="):
        if one == other or len(literal) == 2:
            return _truth(truth=(one == other) == (word == "=="))
    elif word in COMPARISONS and len(literal) == 2:
        low, high = (arg[2] for arg in literal)
        if isinstance(low, int) and isinstance(high, int):
            return _truth(truth=bool(OPERATORS[word].meaning(low, high)))
    return key


def _both(one: Facts, other: Facts) -> Facts:
    return {key: value for key, value in one.items() if other.get(key) == value}


def _is_part(part: object) -> bool:
    return isinstance(part, tuple | typed.Var)


def _mentions(key: Key, gone: frozenset[object]) -> bool:
    return key is not None and any(
        _mentions(part, gone)
        if isinstance(part, tuple)
        else isinstance(part, typed.FieldDecl | typed.Var) and part in gone
        for part in key[1:]
    )
