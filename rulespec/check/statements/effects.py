"""Effects of statements, found in the syntax trees: names they assign, decisions they hold, loops they leave."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from rulespec.syntax import ast
from rulespec.syntax.shared import spread
from rulespec.typed import nodes as typed

Stmts = tuple[ast.Stmt, ...]


class Effects:
    """Effects of statements and of the procedures they call.

    Attributes:
        groups: groups of options by name.
        procedures: syntax trees of the procedures by name.
        originals: the procedure that `original(…)` calls, by the name of the procedure it stands in.
    """

    def __init__(self, declarations: typed.Declarations, groups: Mapping[str, ast.OptionGroup]) -> None:
        self.decls = declarations
        self.groups = groups
        self.procedures: dict[str, ast.Procedure] = {}
        self.originals: dict[str, str] = {}
        self._own: dict[str, tuple[frozenset[object], frozenset[str]]] = {}
        self._of_procedures: dict[str, frozenset[object]] = {}

    def of(self, stmts: Stmts, original: str) -> frozenset[object]:
        """Names of the fields, globals and variables that the statements may assign.

        `original` is the procedure that `original(…)` calls in them.
        """
        called: set[str] = set()
        return self._of_block(stmts, original, called).union(*map(self.of_procedure, called))

    def _of_block(self, stmts: Stmts, original: str, called: set[str]) -> frozenset[object]:
        """The same without what procedures do that are called: their names are added to `called`."""
        return frozenset().union(*(self._of_statement(s, original, called) for s in stmts))

    def _of_statement(self, s: ast.Stmt, original: str, called: set[str]) -> frozenset[object]:
        if isinstance(s, ast.Decide):
            return frozenset().union(*(self._of_block(block, original, called) for block in self._ways(s)))
        result = frozenset().union(*(self._of_block(block, original, called) for block in _blocks(s)))
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

    def _of_move(self) -> frozenset[object]:
        """The names that a move of a token may change: its place, and in a fresh place its state."""
        kinds = [kind for kind in self.decls.kinds.values() if any(place.fresh for place in kind.places.values())]
        return frozenset(["place", *(field for kind in kinds for field in kind.state)])

    def of_procedure(self, name: str) -> frozenset[object]:
        """Names of the fields and globals that a procedure may assign, and of its variables."""
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
        """Names of what the statements of a procedure assign, and of the procedures that it calls."""
        if name not in self._own:
            called: set[str] = set()
            procedure = self.procedures.get(name)
            body = procedure.body if procedure is not None else ()
            own = self._of_block(body, self.originals.get(name, ""), called)
            self._own[name] = own, frozenset(called)
        return self._own[name]

    def decides(self, name: str) -> bool:
        """Whether a procedure, or one that it calls, holds a decision."""
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
        return any(self._statement_decides(inner, original, seen) for block in _blocks(s) for inner in block)

    def leaves(self, stmts: Stmts) -> bool:
        """Whether a `leave` in these statements belongs to the loop around them."""
        for s in stmts:
            if isinstance(s, ast.Jump) and s.word == "leave":
                return True
            if isinstance(s, ast.For | ast.Repeat):
                continue
            blocks = self._ways(s) if isinstance(s, ast.Decide) else _blocks(s)
            if any(self.leaves(b) for b in blocks):
                return True
        return False

    def passes_turn(self, stmts: Stmts) -> bool:
        """Whether a `pass turn` in these statements belongs to the `turns` around them."""
        for s in stmts:
            if isinstance(s, ast.Jump) and s.word == "pass turn":
                return True
            if isinstance(s, ast.Turns):
                continue
            blocks = self._ways(s) if isinstance(s, ast.Decide) else _blocks(s)
            if any(self.passes_turn(b) for b in blocks):
                return True
        return False

    def _ways(self, s: ast.Decide) -> list[Stmts]:
        """The blocks of a decision."""
        return [*(o.body for o in self.options(s)), s.otherwise.body if s.otherwise is not None else ()]

    def options(self, s: ast.Decide) -> list[ast.OptionDef]:
        """The options of a decision, including those of known groups."""
        return list(spread(s.options, self._included))

    def _included(self, name: ast.Name) -> Iterable[ast.Member]:
        """The members of a group that a decision includes."""
        if name.text not in self.groups:
            return ()
        self.decls.used.add(f"options {name.text}")
        self.decls.refer(name.span, self.groups[name.text])
        return self.groups[name.text].options


def callee(s: ast.Stmt, original: str) -> str:
    """The name that a statement calls, alone or for its value: that of a procedure, or of a definition; "" if none."""
    call = s.value if isinstance(s, ast.Let | ast.Assign | ast.Return) else s
    if not isinstance(call, ast.CallStmt | ast.CallExpr):
        return ""
    return original if call.name.text == "original" and original else call.name.text


def _blocks(s: ast.Stmt) -> list[Stmts]:
    """The blocks of a branch or a loop."""
    if isinstance(s, ast.If):
        return [b for _, b in s.branches]
    if isinstance(s, ast.Match):
        return [s.other or (), *(b for _, b in s.cases)]
    return [s.body] if isinstance(s, ast.For | ast.Repeat) else []
