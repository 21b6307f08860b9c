"""Syntax habits from other languages in choices, tables, paths, drafts, turns and orders; see `habits.py`."""

from __future__ import annotations

BODY = r"^(?:procedure|options|extend|): (?:[^()]*: )?"
"""The beginning of a pattern for a statement."""
_PROCEDURE = r"^head: (?:replace |wrap |hook )?procedure"

_BEST = "write `first(x in s by k)` for the member with the least k, `first(x in s by -k)` for the greatest"
_ORDERS = (
    (r"\{\w+ in [^{}]*¦(?:sort|sorted|order|ordered|orderby)\b", "write `{x in s by k}` for an order by keys"),
    (
        r"\bby [^{}():]*¦(?:desc|descending|asc|ascending|reverse|reversed|down)\b",
        "write `by k` for the least first, `by -k` for the greatest first",
    ),
    (
        r"\btake (?:¦first|first ¦|¦last|last ¦)",
        "name it first, `let x = first(o)`; then, if it is not none, `take x from o`",
    ),
    (
        r"\badd .* ¦(?:before|after|at|into|in)\b",
        "write `add x to o` to append it; then `set o to {y in o by y != x}` moves it to the front",
    ),
    (
        r"\boption \w+\(.*\bin (?:order|path|bag) ¦\w",
        "choose one member, `(x in s)`, or several, `(two in choose 2 of s)`; for an order, ask again for each member",
    ),
    (r"\b(?:max|min)\(\w+ in [^()]*¦by\b|\b(?:max|min|first|sorted)\(.*\bkey ?¦=", _BEST),
)
_AFTER = (
    (
        r"\b(?:require|if|and|or|where|return|to) once ¦|\brequire .* ¦after \w+\(",
        "write the condition first: `e once f(a)` is `e` after the procedure `f`",
    ),
    (
        r"\bonce (?:¦(?:pay|set|move)\b|(?:pay|set|move) ¦)",
        "put the statement into a procedure, `… once f(a)`",
    ),
    (r"\bonce \w+\([^()]*\) ?¦,", "put both calls into one procedure: `once` runs a single one"),
    (
        r"\bonce \w+\([^()]*\) ?¦(?:and\b|or\b|in\b|[-+*/=<>!])",
        "put it in brackets, as `once` binds weakest: `(e once f(a)) and c`",
    ),
)
_ANY_OF = (
    (r"decide \w+ by any of [^:{]*¦where\b", "write the players as a set: `by any of {q in s where c}`"),
    (r"decide \w+ by any of .*¦", "write `by any of s` or `by any of s lead p`"),
    (
        r"decide \w+ by any ¦\w",
        "write `by any of s` for the first player to answer, `decide name together by p in s:` for all of them",
    ),
    (r"decide (\w+) by (\w+) in .* ¦together\b", r"write `decide \1 together by \2 in s:`"),
    (r"decide draft ¦\w+ by\b", "write `draft name by p:`"),
)
_NAMED_VALUES = (
    (r"\b(?:el)?if (\w+) ?(?:¦:=|:¦=)", r"write `if … is some as \1:`"),
    (r"\bis none ¦as\b", "write `is some as x` to name the value: none has no name"),
    (r"\b(?:el)?if (?!.*\bsome ¦)[^:]*¦as (\w+)", r"test and name the value: `if … is some as \1:`"),
)
_OVERLAYS = (
    (r"^head: ¦?add\b.*\bto (\w+) ?:", r"write `extend decision \1:` to add options; for a rule, remove `add`"),
    (r"^head: remove option (\w+) ?¦$", r"name its decision: `remove option \1 of DECISION`"),
    (
        r"^(?:head: change .*:|change:) order (\w+) ¦",
        r"write `order \1 by k` for the least first, `order \1 by -k` for the greatest first, or `order \1 from e`",
    ),
)
_DEPTHS = (
    (_PROCEDURE + r" \w+ ¦at most\b", "move the depth after the brackets: `procedure name(…) at most 12 deep:`"),
    (_PROCEDURE + r"\b.*\)(?: -> \w+)? ¦\d", "write `procedure name(…) at most 12 deep:`"),
    (
        _PROCEDURE + r"\b.*: ?(?:at ¦most|¦at most)\b",
        "move the depth before the `:`, `procedure name(…) at most 12 deep:`",
    ),
)

FIRST_TRIES = (
    *_OVERLAYS,
    *_DEPTHS,
    *_NAMED_VALUES,
    *_ANY_OF,
    *_AFTER,
    *_ORDERS,
    (r": *(set|bag|path|order) ?(?:¦\[|of ¦|¦of)", r"write `\1 kind`"),
    (r"\bin choose\(\w[^()]*¦,", "remove the brackets: `choose 2 of s`, `choose 0 .. 3 of pile.place`"),
    (r"\bprivate ¦where\b", "write `where` before `private`: `(x in s where c private)`"),
    (r"\b(?:option|choose|roll) \w+\((?:.*, *)?private ¦\w+ in\b", "write `private` last: `(x in s private)`"),
    (
        r"\bprivate to (?:all|everyone|everybody|any) ?¦",
        "remove `private` if all may see it, or write `private to s` for a set of players",
    ),
    (r"\broll \w+ ¦weight\b", "write the weight last: `roll name(x in s) weight w`"),
    (r"\bsubsets? ¦of\b", "write `x in subsets(s)`"),
    (
        r"\bcount\(\w+ ?¦,",
        "write `count(x in s where c)` for the members for which c holds, `b[x]` for the pieces of x in a bag",
    ),
    (r"\blet (\w+)\[for ¦", r"write `let \1[x in kind] = 0`"),
    (
        r"\blet (\w+)\[\w+ in \w+\] ?¦\[",
        r"declare a product of kinds, and write `\1[x in PRODUCT]`: a table has one key",
    ),
    (
        r"\([^()]*\bmatch ¦\w",
        "name the value before, `let x = match e:`, or put it into a `def`: a `match` takes several lines",
    ),
    (
        r"\b(?:path|trail)\(\w+ from .*\bto ¦\{",
        "name the stop to which a step leads, `to y in t`; for the end of a path, add a condition after the brackets: "
        "`way in path(…) where last(way) in s`",
    ),
    (r"\bonce (?:¦within\b|within ¦)", "name what must not repeat: `once y` for the stops"),
    (r"\bpaths\(\w+ ¦from\b", "write `path(x from s to y in t within n)`"),
    (r"\b(\w+) ¦(?:ends|starts|begins)\b", r"write `first(\1)` or `last(\1)` for an end of a path"),
    (
        BODY + r"turns \w+ in (?!.*\buntil\b.*¦)[^:\[{]*¦,",
        "write an order in square brackets: `turns p in [a, b] until all pass:`",
    ),
)
"""The patterns, each with its help; they come before more general ones."""
