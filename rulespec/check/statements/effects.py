"""Effects of statements, computed from syntax trees: assigned names, decisions, and exits from loops."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulespec.syntax import ast
from rulespec.syntax.shared import spread
from rulespec.typed import nodes as typed

Stmts = tuple[ast.Stmt, ...]


class Effects:
    """The effects of statements, including those of called procedures.

    Attributes:
        groups: option groups by name.
        procedures: syntax trees of the procedures by name.
        originals: maps the name of a procedure to the procedure that `original(…)` calls in it.
    """

    def __init__(self, declarations: typed.Declarations, groups: Mapping[str, ast.OptionGroup]) -> None:
        self.decls = declarations
        self.groups = groups
        self.procedures: dict[str, ast.Procedure] = {}
        self.originals: dict[str, str] = {}
        self._own: dict[str, tuple[frozenset[object], frozenset[str]]] = {}
        self._of_procedures: dict[str, frozenset[object]] = {}

    def of(self, stmts: Stmts, original: str) -> frozenset[object]:
        """The names of fields, globals and variables that the statements may assign.

        `original` is the procedure that `original(…)` calls in them.
        """
        called: set[str] = set()
        return self._of_block(stmts, original, called).union(*map(self.of_procedure, called))

    def _of_block(self, stmts: Stmts, original: str, called: set[str]) -> frozenset[object]:
        """The same without the effects of called procedures, whose names are added to `called`."""
        return frozenset().union(*(self._of_statement(s, original, called) for s in stmts))

    def _of_statement(self, s: ast.Stmt, original: str, called: set[str]) -> frozenset[object]:
        if isinstance(s, ast.Decide):
            return frozenset().union(*(self._of_block(block, original, called) for block in self._ways(s)))
        result = frozenset().union(*(self._of_block(block, original, called) for block in blocks_of(s)))
        if isinstance(s, ast.Assign | ast.Rearrange):
            target = s.target
            if isinstance(target, ast.Attribute):
                result |= {target.name.text}
            elif isinstance(target, ast.Ref):
                result |= {target.name}
            elif isinstance(target, ast.Index) and isinstance(target.target, ast.Ref):
                result |= {target.target.name}
        if isinstance(s, ast.Put):
            result |= self._of_move()
        called.add(callee(s, original))
        return result

    def assigned(self, stmts: Stmts) -> frozenset[str]:
        """The variables assigned directly by the statements, excluding `let`."""
        return frozenset([f"let {name}" for name in self._of_block(stmts, "", set()) if isinstance(name, str)])

    def _of_move(self) -> frozenset[object]:
        """The names that a move of a token may change: its place, and in a fresh place also its state."""
        kinds = [kind for kind in self.decls.kinds.values() if any(place.fresh for place in kind.places.values())]
        return frozenset(["place", *(field for kind in kinds for field in kind.state)])

    def of_procedure(self, name: str) -> frozenset[object]:
        """The names of fields, globals and variables that a procedure may assign."""
        if name not in self._of_procedures:
            results: set[object] = set()
            todo, seen = [name], {name}
            while todo:
                own, called = self._of_own(todo.pop())
                results |= own
                todo += called - seen
                seen |= called
            self._of_procedures[name] = frozenset(results)
        return self._of_procedures[name]

    def _of_own(self, name: str) -> tuple[frozenset[object], frozenset[str]]:
        """The names assigned directly by a procedure, and the procedures that it calls."""
        if name not in self._own:
            called: set[str] = set()
            procedure = self.procedures.get(name)
            body = procedure.body if procedure is not None else ()
            own = self._of_block(body, self.originals.get(name, ""), called)
            self._own[name] = own, frozenset(called)
        return self._own[name]

    def decides(self, name: str) -> bool:
        """Whether a procedure contains a decision, directly or through calls."""
        return self._procedure_decides(name, set())

    def _procedure_decides(self, name: str, seen: set[str]) -> bool:
        procedure = self.procedures.get(name)
        if procedure is None or name in seen:
            return False
        seen.add(name)
        return any(self._statement_decides(s, self.originals.get(name, ""), seen) for s in procedure.body)

    def _statement_decides(self, s: ast.Stmt, original: str, seen: set[str]) -> bool:
        if isinstance(s, ast.Decide | ast.Draw) or (isinstance(s, ast.Rearrange) and s.word == "shuffle"):
            return True
        if self._procedure_decides(callee(s, original), seen):
            return True
        return any(self._statement_decides(inner, original, seen) for block in blocks_of(s) for inner in block)

    def leaves(self, stmts: Stmts) -> bool:
        """Whether a `leave` in these statements exits the enclosing loop."""
        for s in stmts:
            if isinstance(s, ast.Jump) and s.word == "leave":
                return True
            if isinstance(s, ast.For | ast.Repeat) or (isinstance(s, ast.Decide) and s.form == "draft"):
                continue
            blocks = self._ways(s) if isinstance(s, ast.Decide) else blocks_of(s)
            if any(self.leaves(b) for b in blocks):
                return True
        return False

    def passes_turn(self, stmts: Stmts) -> bool:
        """Whether a `pass turn` in these statements applies to the enclosing `turns`."""
        for s in stmts:
            if isinstance(s, ast.Jump) and s.word == "pass turn":
                return True
            if isinstance(s, ast.Turns):
                continue
            blocks = self._ways(s) if isinstance(s, ast.Decide) else blocks_of(s)
            if any(self.passes_turn(b) for b in blocks):
                return True
        return False

    def _ways(self, s: ast.Decide) -> list[Stmts]:
        """The blocks of a decision: the bodies of its options, and `otherwise`."""
        return [*(o.body for o in self.options(s)), s.otherwise.body if s.otherwise is not None else ()]

    def options(self, s: ast.Decide) -> list[ast.OptionDef]:
        """The options of a decision, including those of known groups."""
        return list(spread(s.options, self._included))

    def _included(self, name: ast.Name) -> Iterable[ast.Member]:
        """The members of a group included by a decision."""
        if name.text not in self.groups:
            return ()
        self.decls.used.add(f"options {name.text}")
        self.decls.refer(name.span, self.groups[name.text])
        return self.groups[name.text].options


def callee(s: ast.Stmt, original: str) -> str:
    """The name of the procedure or definition that a statement calls; "" for other statements."""
    call = s.value if isinstance(s, ast.Let | ast.Assign | ast.Return) else s
    if not isinstance(call, ast.CallStmt | ast.CallExpr):
        return ""
    return original if call.name.text == "original" and original else call.name.text


def blocks_of(s: ast.Stmt) -> list[Stmts]:
    """The blocks of a branch or a loop."""
    if isinstance(s, ast.If):
        return [b for _, b in s.branches]
    if isinstance(s, ast.Match):
        return [s.other or (), *(b for _, b in s.cases)]
    return [s.body] if isinstance(s, ast.For | ast.Repeat) else []
