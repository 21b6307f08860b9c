"""Compilation of a program to a WebAssembly module."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import partial

from msgspec import Struct

from rulespec.engine.passes.count_work import count_work
from rulespec.engine.passes.invariants import split
from rulespec.engine.passes.occupancy import Occupancy, with_occupancy
from rulespec.engine.passes.pipeline import PASSES, Pass, optimized
from rulespec.engine.program import ir
from rulespec.engine.program.columns import Columns, option_columns
from rulespec.engine.program.cost import Costs
from rulespec.engine.program.limits import MAX_STEPS
from rulespec.engine.program.long_values import LongValues, long_values, scored
from rulespec.engine.program.taint import Reads
from rulespec.engine.program.traversal import walk
from rulespec.engine.wasm import wide_sets as sets
from rulespec.engine.wasm.calls import CallEmitter, Definitions
from rulespec.engine.wasm.closure_memos import ClosureMemos, MemoTimes
from rulespec.engine.wasm.expressions import ExpressionEmitter
from rulespec.engine.wasm.layout import BATCH, Memory, TooLargeError, words
from rulespec.engine.wasm.loops import LoopEmitter
from rulespec.engine.wasm.neighbours import NeighbourEmitter
from rulespec.engine.wasm.operators import OperatorEmitter, WideOrderError
from rulespec.engine.wasm.options import OptionEmitter, cases
from rulespec.engine.wasm.paths import QueryEmitter
from rulespec.engine.wasm.pieces import pieces
from rulespec.engine.wasm.procedures import ProcedureEmitter
from rulespec.engine.wasm.ranked import RankEmitter
from rulespec.engine.wasm.roots import rank_parts, rank_size, rank_source, roots, sorted_most, value_source
from rulespec.engine.wasm.rows import RowForm, same_options
from rulespec.engine.wasm.runtime.sources import MODULES, functions, meanings, stack_functions
from rulespec.engine.wasm.sights import sight_source, sight_tables, write_sights
from rulespec.engine.wasm.small_python import compile_functions, parsed
from rulespec.engine.wasm.spread import ClosureEmitter, SpreadEmitter
from rulespec.engine.wasm.values import span
from rulespec.engine.wasm.wasm_format import I64, Module
from rulespec.engine.wasm.wide_sets import Word
from rulespec.engine.wasm.widths import MOST_ON_STACK, ROW, WORD, Widths
from rulespec.errors import RulespecError

_UNBOUNDED = 1 << 60
"""The step budget where no steps are counted."""
_STEP = 4
"""Cells of a row compared per step (`runtime.search`)."""


class NoWasmError(RulespecError):
    """Raised for a program that wasm cannot run; the text is the reason."""


class Compiled(Struct):
    """A program compiled to a module.

    Attributes:
        p: the original program.
        code: the module.
        memory: the layout of its memory.
        occupancy: the maintained sets.
        asked: the program with its invariants split so that they can be tested for single members.
        options: for each option, by its number in the buffer, its decision and choice.
        supposes: whether any expression contains a hypothetical call; evaluating one writes to the state.
    """

    p: ir.Program
    code: bytes
    memory: Memory
    occupancy: Occupancy
    asked: ir.Program
    options: list[tuple[int, int]]
    supposes: bool


def compile_program(p: ir.Program, passes: Sequence[Pass] = PASSES, steps: int = MAX_STEPS) -> Compiled:
    """Compiles a program to a module.

    Args:
        p: the original program.
        passes: the passes to apply first.
        steps: the step limit from one decision to the next.

    Raises:
        NoWasmError: if the program needs more memory than a module may have.
    """
    counting = count_work(p)
    costs = Costs(counting, Costs(p))
    asked = split(counting)
    fast, occupancy = with_occupancy(optimized(asked, passes))
    for orders in (False, True):
        try:
            return _Compiler(p, asked, fast, occupancy, costs, steps, orders=orders).compiled()
        except WideOrderError:
            continue
        except TooLargeError:
            break
    raise NoWasmError("it needs more memory than a game may have in wasm")


class _Compiler:
    """One compilation."""

    def __init__(
        self,
        p: ir.Program,
        asked: ir.Program,
        fast: ir.Program,
        occupancy: Occupancy,
        costs: Costs,
        steps: int,
        *,
        orders: bool,
    ) -> None:
        self.p, self.asked, self.fast, self.occupancy, self.costs = p, asked, fast, occupancy, costs
        added: dict[int, int] = {}
        for f in occupancy.families.values():
            added |= dict.fromkeys(range(f.at, f.at + f.sets), f.count)
        for (_, count, number), first in occupancy.holdings.items():
            added |= dict.fromkeys(range(first - 1, first + max(fast.arrays[number]) + 1), count)
        self.widths = Widths(fast, occupancy.cells, added, orders=orders)
        self.module = Module()
        params = max((each.end for each in option_columns(fast)), default=2) - 2
        self.memory = Memory(self.module, self.widths, occupancy.start(p.start), params)
        self.memory.constants |= {"STEPS": steps, "UNBOUNDED": _UNBOUNDED}

    def compiled(self) -> Compiled:
        """Emits all functions and tables, and returns the finished module with its description."""
        memory, module = self.memory, self.module
        long = long_values(self.p, self.costs.whole)
        if long.seen and self.p.alike:
            raise NoWasmError("with kinds of these sizes, deciding who sees private state may take too many steps")
        x = ExpressionEmitter(self.fast, module, memory, self.widths, self.costs)
        loops, neighbours = LoopEmitter(x), NeighbourEmitter(x)
        OperatorEmitter(x)
        CallEmitter(x)
        memos = ClosureMemos(self.fast, self.occupancy)
        times = MemoTimes(x)
        ClosureEmitter(x, loops, memos, times)
        RankEmitter(x, loops)
        SpreadEmitter(x, loops, neighbours)
        QueryEmitter(x)
        listing = [self.costs.legal(d) for d in self.costs.p.decisions]
        procedures = ProcedureEmitter(x, self.occupancy, memos, listing)
        options = OptionEmitter(x, loops, long)
        self._tables(options, procedures.by_row)
        options.write()
        Definitions(x, memos, times).write()
        procedures.write()
        self._invariants(x, long)
        for number, e in enumerate(scored(self.fast)):
            self._function(x, f"score{number}", 1, e, number in long.scored)
        for number, a in enumerate(self.fast.asides):
            self._function(x, f"aside{number}", a.params, a.value, number in long.asides)
        write_sights(x, long)
        ranks = rank_source(self.fast, lambda e: self.widths.words if x.words(e) > 1 else 1)
        on_stack = stack_functions(min(MOST_ON_STACK, self.widths.words)) if self.widths.words else []
        for each in (
            *map(functions, MODULES),
            meanings(),
            on_stack,
            parsed(ranks),
            parsed(value_source(self.p)),
            parsed(sight_source(self.p, memory)),
        ):
            compile_functions(each, module, memory.constants)
        encoded, numbers = module.encoded(memory.pages), list(options.numbers)
        supposes = any(isinstance(e, ir.Suppose) for root in roots(self.fast) for e in walk(root))
        return Compiled(self.p, encoded, memory, self.occupancy, self.asked, numbers, supposes)

    def _function(self, x: ExpressionEmitter, name: str, params: int, e: ir.Expr, is_long: bool) -> None:
        """Writes the function for an expression; a further parameter selects a word of a set.

        In a scoring expression, that parameter is the member compared by a tiebreak.
        """
        code = x.begin(params + 1)
        x.slots = {slot: slot for slot in range(params + 1)}
        if is_long:
            code.do("unreachable")
        if x.words(e) > 1:
            self._word(x, e, params)
        else:
            x.value(e)
        self.module.define(name, code, params + 1, I64, export=True)

    def _word(self, x: ExpressionEmitter, e: ir.Expr, which: int) -> None:
        """Pushes the word of a set selected by a parameter; zero beyond the last one."""
        code, words = x.code, x.words(e)
        if words == ROW:
            x.address(e)
            code.get(which)
            code.const(3)
            code.do("shl", "add", "wrap")
            code.load()
            return
        local = x.held(e, words)
        code.const(0)
        for k in range(words):
            code.get(local + k)
            code.get(which)
            code.const(k)
            code.do("ne", "select")

    def _invariants(self, x: ExpressionEmitter, long: LongValues) -> None:
        """Writes the function that tests an invariant for the members in one word."""
        code = x.begin(2)
        for piece in cases(code, pieces(self.asked)):
            v = self.fast.invariants[piece.invariant]
            if piece.invariant in long.invariants:
                code.do("unreachable")
            x.slots, x.known = {}, {}
            with code.scope():
                if v.each is not None:
                    x.slots[v.each[0]], x.known[v.each[0]] = self._members(x, piece.word)
                x.truth(v.condition.expr)
                code.do("extend", "return")
        code.const(1)
        self.module.define("holds", code, 2, I64)

    def _members(self, x: ExpressionEmitter, word: int) -> tuple[int, int]:
        """The set whose only word is the second parameter: its locals, and its number of words."""
        code, words = x.code, min(ROW, word + 1)
        if words == 1:
            return 1, 1
        results: list[Word] = [*[None] * word, partial(code.get, 1)]
        if words == ROW:
            code.const(x.in_row(results))
        else:
            sets.push(code, results)
        local = code.locals(span(words))
        code.set_all(local, span(words))
        return local, words

    def _tables(self, options: OptionEmitter, by_row: Collection[int]) -> None:
        """Lays out the lookup tables of the fixed functions."""
        memory, p = self.memory, self.fast
        waits = p.asked()
        every = [piece.members for piece in pieces(self.asked)]
        takes = []
        columns = option_columns(p)
        width = max((each.end for each in columns), default=2)
        for (d, k), of in zip(options.numbers, columns, strict=True):
            c = p.decisions[d].choices[k]
            row = [-1 - c.block if c.block in by_row else c.block, of.end - 2, *_argument_words(c, of, memory)]
            takes += [*row, *[0] * (width - len(row))]
        signs = [0 if bits == WORD else 1 for bits in self.widths.bits] + [0] * (len(memory.ranks) * memory.words)
        constants = memory.constants
        constants["RESULT"] = 8 * (4 + p.seats * (rank_size(p) + 1))
        constants["SEATS"] = p.seats
        constants["RANK"] = rank_size(p)
        constants["RANK_PARTS"] = memory.numbers(rank_parts(p))
        constants["SORTED"] = memory.room(16 * sorted_most(p))
        constants["RESULTS"] = memory.room(constants["RESULT"] * BATCH)
        constants["MAIN"] = p.main
        constants["ASKED"] = memory.numbers([waits.get(b, -1) for b in range(len(p.blocks))])
        constants["TAKES"] = memory.numbers(takes)
        constants["SAMES"] = memory.numbers(same_options(self.p))
        weighed = [any(c.weight is not None or c.policy != 1 for c in d.choices) for d in p.decisions]
        constants["WEIGHED"] = memory.numbers(list(map(int, weighed)))
        constants["SIGNS"] = memory.numbers(signs)
        constants["INVARIANTS"] = len(every)
        constants["MEMBERS"] = memory.room(8 * len(every))
        constants["ALWAYS"] = memory.room(8 * len(every))
        constants["EVERY"] = memory.room(8 * len(every))
        memory.module_data(constants["EVERY"], words(every))
        places, houses = self.occupancy.places, self.occupancy.houses
        constants["PLACES"] = self._lists({at: [self._bit(*s) for s in sets] for at, sets in places.items()})
        constants["HOUSES"] = self._lists({at: [self._house(*s) for s in sets] for at, sets in houses.items()})
        constants |= sight_tables(self.p, memory)
        self._rows()
        self._values_read()

    def _rows(self) -> None:
        """Lays out the positions of wide cells in rows (`rows`)."""
        memory, form = self.memory, RowForm(self.p)
        moved: list[int] = []
        for cell in memory.ranks:
            if cell < form.cells:
                for word, column in enumerate((cell, *form.further.get(cell, ()))):
                    moved += (8 * column, memory.address(cell) + 8 * word)
        constants = memory.constants
        constants["ROW"] = 8 * form.columns
        constants["RULES_END"] = memory.state + 8 * form.cells
        constants["MOVED"] = memory.numbers(moved)
        constants["MOVED_END"] = constants["MOVED"] + 8 * len(moved)

    def _values_read(self) -> None:
        """Lays out the cells that each value reads from a row, points last: address and length of a list of parts."""
        p, memory, reads = self.p, self.memory, Reads(self.p)
        values = [value.value for value in p.values]
        read = [reads.of(e) for e in (*values, *([p.scoring.score] if p.scoring is not None else []))] or [frozenset()]
        lists = []
        for cells in read:
            parts = _parts(cells)
            addresses = [memory.state + 8 * at for part in parts for at in (part.start, part.stop)]
            lists.append(memory.numbers([len(parts), *addresses]))
        memory.constants["VALUES_READ"] = memory.numbers(lists)

    def _lists(self, rows: Mapping[int, Sequence[tuple[int, ...]]]) -> int:
        """The address of a table: for each cell the address of its list, which begins with its length, or 0."""
        result = [0] * self.memory.cells
        first = self.memory.room(8 * sum(1 + sum(map(len, row)) for row in rows.values()))
        flat: list[int] = []
        for at, row in rows.items():
            result[at] = first + 8 * len(flat)
            flat += [len(row), *(x for one in row for x in one)]
        self.memory.module_data(first, words(flat))
        return self.memory.numbers(result)

    def _bit(self, at: int, bit: int) -> tuple[int, int]:
        """The address of the word and the bit in it."""
        word, rest = divmod(bit.bit_length() - 1, WORD)
        return self.memory.address(at) + 8 * word, 1 << rest

    def _house(self, first: int, bit: int, array: Sequence[int]) -> tuple[int, int, int, int]:
        memory = self.memory
        at, one = self._bit(first, bit)
        stride = 8 * memory.words if self.widths.cells[first] else 8
        return at, one, memory.numbers(array), stride


def _argument_words(c: ir.Choice, columns: Columns, memory: Memory) -> list[int]:
    """The addresses of all words of an option's arguments."""
    widths = zip(c.params, columns.widths, strict=True)
    return [memory.address(q.cell) + 8 * word for q, width in widths for word in range(width)]


def _parts(cells: Collection[int]) -> list[range]:
    """The ranges of a row that cover these cells; gaps shorter than one comparison are bridged."""
    parts: list[range] = []
    for at in sorted(cells):
        if parts and at < parts[-1].stop + _STEP:
            parts[-1] = range(parts[-1].start, at + 1)
        else:
            parts.append(range(at, at + 1))
    return parts
