"""Operators on numbers, sets and orders."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from rulespec.engine.program import ir
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.bags import OF_BAGS, BagEmitter
from rulespec.engine.wasm.expressions import TRUTHS, ExpressionEmitter
from rulespec.engine.wasm.paths import OF_PATHS, PathEmitter
from rulespec.engine.wasm.wasm_format import I32
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import ROW, WORD, order_bits

_INSTRUCTIONS = {"+": "add", "-": "sub", "*": "mul", "|": "or", "&": "and", "count": "popcnt", "behind": "shr_u"}
"""Operators that compile to one instruction."""
_CALLS = {"mul": "product", "fit": "fit", "the": "only", "/": "floor_divided", "%": "remainder"}
"""Operators that call a runtime function; an operator in no table calls the function of its own name."""
_ORDERS = {"members": "order_members", "append": "order_append", "without": "order_without", "place": "order_place"}
_WIDE_CALLS = {"|": "wide_or", "&": "wide_and", "diff": "wide_diff", "until": "wide_until"}


class WideOrderError(Exception):
    """Raised for a program with orders wider than one word."""


class OperatorEmitter:
    """An emitter of operators."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        self._bags = BagEmitter(x)
        self._paths = PathEmitter(x)
        x.add_forms({ir.Op: self._op}, {ir.Op: self._op_words})
        self._written: dict[str, Callable[[ir.Op], None]] = {
            **dict.fromkeys(["/", "%"], self._divided),
            **dict.fromkeys(["min", "max"], self._extreme),
            **dict.fromkeys(["bit", "one"], self._bit),
            **dict.fromkeys(["append", "without", "place"], self._order),
            "neg": self._negated,
            "abs": self._absolute,
            "passed": self._passed,
            "diff": self._difference,
            "pick": self._picked,
            "next": self._next,
            "until": self._until,
            "moved": partial(_moved, x),
            "members": self._members,
            "front": self._front,
        }

    def _op(self, e: ir.Op) -> None:
        code = self.x.code
        if e.op in TRUTHS:
            self.x.compared(e)
            code.do("extend")
        elif e.op in OF_BAGS:
            self._bags.value(e)
        elif e.op in OF_PATHS:
            self._paths.value(e)
        elif self.x.words(e) == ROW:
            self._row_op(e)
        elif self.x.words(e.args[0]) > 1 and e.op in ("count", "pick", "the", "place", "front"):
            self._of_several(e)
        elif e.op in ("&", "diff") and any(self.x.words(arg) > 1 for arg in e.args):
            sets.push(code, self._op_words(e))
        elif e.op in self._written:
            self._written[e.op](e)
        else:
            self._values(e)
            if e.op in _INSTRUCTIONS:
                code.do(_INSTRUCTIONS[e.op])
            else:
                code.call(_CALLS.get(e.op, e.op))

    def _values(self, e: ir.Op) -> None:
        """Pushes the operands."""
        for arg in e.args:
            self.x.value(arg)

    def _op_words(self, e: ir.Op) -> list[Word]:
        """The words of an operator's result, a set."""
        x, words = self.x, self.x.words(e)
        if e.op in ("|", "&", "diff"):
            one, *others = (x.operand(arg, words, cut=True) for arg in e.args)
            for other in others:
                one = sets.combined(x.code, e.op, one, other)
            return one
        if e.op in ("bit", "one"):
            return self._single(e, words)
        if e.op in OF_BAGS:
            return self._bags.words(e, words)
        assert e.op in ("until", "members")  # seldom
        self._row_op(e)
        at = x.code.local(I32)
        x.code.do("wrap")
        x.code.set(at)
        return sets.loaded(x.code, at, words)

    def _single(self, e: ir.Op, words: int) -> list[Word]:
        """The set of one member; with `one`, the empty set for none."""
        x, code = self.x, self.x.code
        member = e.args[0]
        if isinstance(member, ir.Const):
            return sets.of_number(code, 1 << member.value if member.value >= 0 else 0, words)
        local = x.held(member, 1)
        code.get(local)
        code.const(WORD * words)
        code.do("ge_s" if e.op == "one" else "ge_u")
        code.if_()
        code.do("unreachable")
        code.end()
        return sets.single(code, local, words)

    def _negated(self, e: ir.Op) -> None:
        self.x.code.const(0)
        self._values(e)
        self.x.code.do("sub")

    def _difference(self, e: ir.Op) -> None:
        self._values(e)
        self.x.code.const(-1)
        self.x.code.do("xor", "and")

    def _picked(self, e: ir.Op) -> None:
        """The first member at or after a given one, which may lie beyond all possible members of the set."""
        self._values(e)
        self.x.code.call("pick1" if self.x.widths.words else "pick")

    def _until(self, e: ir.Op) -> None:
        self.x.value(e.args[0])
        sets.push(self.x.code, self.x.operand(e.args[1], 1, cut=True))
        self.x.value(e.args[2])
        self.x.code.call("until")

    def _next(self, e: ir.Op) -> None:
        self.x.value(e.args[0])
        self.x.code.const(1)
        self.x.code.do("add")
        self.x.value(e.args[1])
        self.x.code.do("rem_u")

    def _passed(self, e: ir.Op) -> None:
        """The number of further operands, in ascending order, that are below the first one."""
        code, number = self.x.code, self.x.held(e.args[0], 1)
        code.const(0)
        for end in e.args[1:]:
            self.x.value(end)
            code.get(number)
            code.do("lt_s", "extend", "add")

    def _divided(self, e: ir.Op) -> None:
        """Floor division, and its remainder."""
        by = e.args[1].value if isinstance(e.args[1], ir.Const) else 0
        if by > 0 and by & (by - 1) == 0:
            self.x.value(e.args[0])
            self.x.code.const(by.bit_length() - 1 if e.op == "/" else by - 1)
            self.x.code.do("shr_s" if e.op == "/" else "and")
        else:
            self._values(e)
            self.x.code.call(_CALLS[e.op])

    def _extreme(self, e: ir.Op) -> None:
        """The least or the greatest operand, folded from the left."""
        code = self.x.code
        one, other = code.local(), code.local()
        self.x.value(e.args[0])
        for arg in e.args[1:]:
            self.x.value(arg)
            code.set(other)
            code.tee(one)
            code.get(other)
            code.get(one)
            code.get(other)
            code.do("le_s" if e.op == "min" else "ge_s", "select")

    def _absolute(self, e: ir.Op) -> None:
        code = self.x.code
        one, negated = code.local(), code.local()
        self._values(e)
        code.tee(one)
        code.const(0)
        code.get(one)
        code.do("sub")
        code.tee(negated)
        code.get(one)
        code.const(0)
        code.do("ge_s", "select")

    def _bit(self, e: ir.Op) -> None:
        """The set of one member; with `one`, the empty set for none."""
        code = self.x.code
        self._values(e)
        member = code.local()
        code.set(member)
        code.const(1)
        code.get(member)
        code.do("shl")
        if e.op == "one":
            code.const(0)
            code.get(member)
            code.const(0)
            code.do("ge_s", "select")

    def _front(self, e: ir.Op) -> None:
        bits = e.args[1]
        assert isinstance(bits, ir.Const)
        fits(self.x, bits.value)
        self.x.value(e.args[0])
        self.x.code.const((1 << bits.value) - 1)
        self.x.code.do("and")
        self.x.code.const(1)
        self.x.code.do("sub")

    def _order(self, e: ir.Op) -> None:
        bits = e.args[-1]
        assert isinstance(bits, ir.Const)
        fits(self.x, bits.value)
        self._values(e)
        self.x.code.call(_ORDERS[e.op])

    def _members(self, e: ir.Op) -> None:
        """The set of the members of an order, in one word."""
        if self.x.words(e.args[0]) == ROW:
            self._row_op(e)
            self.x.code.call("wide_low")
        else:
            self._order(e)

    def _of_several(self, e: ir.Op) -> None:
        """A number computed from a multi-word value."""
        x, code, words = self.x, self.x.code, self.x.words(e.args[0])
        if words < ROW:
            result = x.operand(e.args[0], words)
            if e.op == "count":
                sets.push_count(code, result)
                return
            sets.push(code, result)
            for arg in e.args[1:]:
                x.value(arg)
            code.call(f"{'pick' if e.op == 'pick' else 'only'}{words}")
            return
        x.address(e.args[0])
        if e.op == "front":
            code.const(0)
            x.value(e.args[1])
            code.call("wide_field")
            code.const(1)
            code.do("sub")
            return
        for arg in e.args[1:]:
            x.value(arg)
        code.call({"count": "wide_count", "pick": "wide_pick", "the": "wide_only", "place": "wide_place"}[e.op])

    def _row_op(self, e: ir.Op) -> None:
        """The address of the result of an operator on rows in memory."""
        x, code = self.x, self.x.code
        to = x.memory.temporary()
        if e.op in ("bit", "one"):
            code.const(to)
            x.value(e.args[0])
            code.call(f"wide_{e.op}")
        else:
            assert e.op in ("members", "append", "without", "behind", *_WIDE_CALLS)
            rows = 2 if e.op in _WIDE_CALLS else 1
            code.const(to)
            for number, arg in enumerate(e.args):
                if number < rows:
                    x.address(arg)
                else:
                    x.value(arg)
            code.call(_WIDE_CALLS.get(e.op, f"wide_{e.op}"))
            if e.op == "without":
                code.do("drop")
        code.const(to)


def _moved(x: ExpressionEmitter, e: ir.Op) -> None:
    """A one-word set, shifted by a constant distance."""
    members, by, within = e.args
    assert isinstance(by, ir.Const)
    x.value(members)
    x.code.const(abs(by.value))
    x.code.do("shl" if by.value >= 0 else "shr_u")
    x.value(within)
    x.code.do("and")


def fits(x: ExpressionEmitter, bits: int) -> None:
    """Raises `WideOrderError` if an order exceeds one word, unless wide values are allowed."""
    if not x.widths.words and order_bits(x.p, bits) > WORD:
        raise WideOrderError
