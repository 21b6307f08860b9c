"""Operators on numbers, sets and orders."""

from __future__ import annotations

from rulespec.engine.program import ir
from rulespec.engine.wasm import words as sets
from rulespec.engine.wasm.expressions import TRUTHS, ExpressionEmitter
from rulespec.engine.wasm.wasm_format import I32
from rulespec.engine.wasm.widths import ROW, WORD, order_bits
from rulespec.engine.wasm.words import Word

_PLAIN = {"+": "add", "-": "sub", "*": "mul", "|": "or", "&": "and"}
_CALLS = {"mul": "product", "fit": "fit", "flip": "flip", "pick": "pick", "the": "only", "until": "until"}
_ORDERS = {"members": "order_members", "append": "order_append", "without": "order_without", "place": "order_place"}
_WIDE_CALLS = {"|": "wide_or", "&": "wide_and", "diff": "wide_diff", "until": "wide_until"}


class WideOrderError(Exception):
    """There are orders of more than one word."""


class OperatorEmitter:
    """Writes operators into the function at hand."""

    def __init__(self, x: ExpressionEmitter) -> None:
        self.x = x
        x.add_forms({ir.Op: self._op}, {ir.Op: self._op_words})

    def _op(self, e: ir.Op) -> None:
        code = self.x.code
        if e.op in TRUTHS:
            self.x.compared(e)
            code.do("extend")
        elif self.x.words(e) == ROW:
            self._row_op(e)
        elif self.x.words(e.args[0]) > 1 and e.op in ("count", "pick", "the", "place", "front"):
            self._of_several(e)
        elif e.op in ("&", "diff") and any(self.x.words(arg) > 1 for arg in e.args):
            sets.push(code, self._op_words(e))
        elif e.op == "diff":
            self.x.value(e.args[0])
            self.x.value(e.args[1])
            code.const(-1)
            code.do("xor", "and")
        elif e.op == "until":
            self.x.value(e.args[0])
            sets.push(code, self.x.operand(e.args[1], 1, cut=True))
            self.x.value(e.args[2])
            code.call("until")
        elif e.op == "members":
            self._members(e)
        elif e.op in _ORDERS:
            self._order(e)
        else:
            self._number(e)

    def _op_words(self, e: ir.Op) -> list[Word]:
        """The words of a set that an operator makes."""
        x, words = self.x, self.x.words(e)
        if e.op in ("|", "&", "diff"):
            one, *others = (x.operand(arg, words, cut=True) for arg in e.args)
            for other in others:
                one = sets.combined(x.code, e.op, one, other)
            return one
        if e.op in ("bit", "one"):
            return self._single(e, words)
        assert e.op in ("until", "members")  # seldom
        self._row_op(e)
        at = x.code.local(I32)
        x.code.do("wrap")
        x.code.set(at)
        return sets.loaded(x.code, at, words)

    def _single(self, e: ir.Op, words: int) -> list[Word]:
        """The set of one member; of none with `one`."""
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

    def _number(self, e: ir.Op) -> None:
        """An operator on numbers and sets of one word."""
        code, name = self.x.code, e.op
        if name == "neg":
            code.const(0)
        for arg in () if name in ("passed", "min", "max") else e.args:
            self.x.value(arg)
        if name in _PLAIN:
            code.do(_PLAIN[name])
        elif name == "pick" and self.x.widths.words:  # it may start behind the members that the set can have
            code.call("pick1")
        elif name in _CALLS:
            code.call(_CALLS[name])
        elif name == "neg":
            code.do("sub")
        elif name == "count":
            code.do("popcnt")
        elif name in ("/", "%"):
            self._divided(e)
        elif name in ("min", "max"):
            self._extreme(name, e.args)
        elif name == "abs":
            self._absolute()
        elif name in ("bit", "one"):
            self._bit(name)
        elif name == "next":
            size = code.local()
            code.set(size)
            code.const(1)
            code.do("add")
            code.get(size)
            code.do("rem_u")
        elif name == "front":
            self._front(e)
        elif name == "behind":
            code.do("shr_u")
        else:
            assert name == "passed"
            number = self.x.held(e.args[0], 1)
            code.const(0)
            for end in e.args[1:]:
                self.x.value(end)
                code.get(number)
                code.do("lt_s", "extend", "add")

    def _divided(self, e: ir.Op) -> None:
        """Division that rounds down, and its remainder; both operands are on the stack."""
        by = e.args[1].value if isinstance(e.args[1], ir.Const) else 0
        if by > 0 and by & (by - 1) == 0:
            self.x.code.do("drop")
            self.x.code.const(by.bit_length() - 1 if e.op == "/" else by - 1)
            self.x.code.do("shr_s" if e.op == "/" else "and")
        else:
            self.x.code.call("floor_divided" if e.op == "/" else "remainder")

    def _extreme(self, name: str, args: tuple[ir.Expr, ...]) -> None:
        """The least or the greatest of any number of numbers: of the first two, of that and the third, and so on."""
        code = self.x.code
        one, other = code.local(), code.local()
        self.x.value(args[0])
        for arg in args[1:]:
            self.x.value(arg)
            code.set(other)
            code.tee(one)
            code.get(other)
            code.get(one)
            code.get(other)
            code.do("le_s" if name == "min" else "ge_s", "select")

    def _absolute(self) -> None:
        """The absolute value of the number on the stack."""
        code = self.x.code
        one, negated = code.local(), code.local()
        code.tee(one)
        code.const(0)
        code.get(one)
        code.do("sub")
        code.tee(negated)
        code.get(one)
        code.const(0)
        code.do("ge_s", "select")

    def _bit(self, name: str) -> None:
        """The set of one member; of none with `one`."""
        code = self.x.code
        member = code.local()
        code.set(member)
        code.const(1)
        code.get(member)
        code.do("shl")
        if name == "one":
            code.const(0)
            code.get(member)
            code.const(0)
            code.do("ge_s", "select")

    def _front(self, e: ir.Op) -> None:
        bits = e.args[1]
        assert isinstance(bits, ir.Const)
        fits(self.x, bits.value)
        self.x.code.do("drop")
        self.x.code.const((1 << bits.value) - 1)
        self.x.code.do("and")
        self.x.code.const(1)
        self.x.code.do("sub")

    def _order(self, e: ir.Op) -> None:
        bits = e.args[-1]
        assert isinstance(bits, ir.Const)
        fits(self.x, bits.value)
        for arg in e.args:
            self.x.value(arg)
        self.x.code.call(_ORDERS[e.op])

    def _members(self, e: ir.Op) -> None:
        """The set of the members of an order, in one word."""
        if self.x.words(e.args[0]) == ROW:
            self._row_op(e)
            self.x.code.call("wide_low")
        else:
            self._order(e)

    def _of_several(self, e: ir.Op) -> None:
        """A number that a value of several words gives."""
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
        """An operator of rows in memory: the address of one."""
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


def fits(x: ExpressionEmitter, bits: int) -> None:
    """Makes sure that an order is one word, if there are no wide values."""
    if not x.widths.words and order_bits(x.p, bits) > WORD:
        raise WideOrderError
