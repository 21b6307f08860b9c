"""All expressions of a program, from the outside."""

from __future__ import annotations

from collections.abc import Iterator

from rulespec.engine.program import ir
from rulespec.engine.program.alike import secrets_of


def roots(p: ir.Program, *, definitions: bool = True) -> Iterator[ir.Expr]:
    """The expressions of blocks, decisions, invariants and scoring, and of definitions."""
    if definitions:
        for f in p.functions:
            yield from (value for _, value in f.lets)
            yield f.body
    for block in p.blocks:
        for i in block.body:
            yield from of_instruction(i)
        exit_ = block.exit
        if isinstance(exit_, ir.Branch):
            yield exit_.condition
        elif isinstance(exit_, ir.Switch):
            yield exit_.value
        elif isinstance(exit_, ir.End) and exit_.winners is not None:
            yield exit_.winners
    for d in p.decisions:
        yield from (e for e in (d.by, d.among) if e is not None)
        for c in d.choices:
            yield from of_choice(c)
    yield from (v.condition.expr for v in p.invariants)
    yield from (e for secrets in secrets_of(p).values() for s in secrets for e in (s.to, s.open) if e is not None)
    yield from scored(p)


def of_instruction(i: ir.Instruction) -> Iterator[ir.Expr]:
    """The expressions of an instruction."""
    if isinstance(i, ir.Store):
        yield from (i.target, i.value)
    elif isinstance(i, ir.Transfer):
        yield from (i.source, i.target, i.amount)
    elif isinstance(i, ir.Check):
        yield i.condition


def of_choice(c: ir.Choice) -> Iterator[ir.Expr]:
    """The expressions of an option."""
    for q in c.params:
        yield from (e for e in (q.low, q.high, q.where.expr if q.where else None) if e is not None)
    for r in c.requires:
        yield from (value for _, value in r.lets)
        yield r.expr
    yield from (e for e in (c.by, c.weight) if e is not None)


def scored(p: ir.Program) -> list[ir.Expr]:
    """The expressions of the scoring, with the player in slot 0 and what a tiebreak compares in slot 1."""
    if p.scoring is None:
        return []
    ties = [e for t in p.scoring.tiebreaks for e in (t.source, t.key, t.value) if e is not None]
    return [p.scoring.score, *ties]


def ranked(p: ir.Program) -> bool:
    """Whether what breaks ties is one number each: no list that must be sorted first."""
    return p.scoring is None or all(t.source is t.key is None for t in p.scoring.tiebreaks)
