"""Habits from other languages, with the equivalent forms of the rules language.

A habit is a pattern for the faulty line. `¦` marks the position of the syntax error, and a prefix names the context of
the line: `def: if ¦x > 0:` is in the body of a definition, `head: …` is a line at the left margin, and `: …` is an
expression in a YAML file. The first matching pattern gives the help.
"""

from __future__ import annotations

import re
from itertools import chain

_ITEM = re.compile(r"(?:(?:replace|wrap|hook) )?(def|procedure|guard|invariant|scoring|options|extend|change)\b")

_BODY = r"^(?:procedure|options|extend|): (?:[^()]*: )?"
_HEAD = r"^head: (?:replace |wrap |hook )?"

_CHANGES = (
    (
        _HEAD + r"extend decision (\w+) ?: ?¦(?:require|let|cost|needs)\b",
        r"add a condition to one of its options: `change option NAME of \1: require …`",
    ),
    (
        r"^head: (?:replace|wrap|remove|extend) ¦option (\w+)",
        r"`change option \1 of DECISION:` edits it: `require …`, `remove …`, `replace … with …`",
    ),
    (
        r"^head: ¦?(?:restrict|relax|limit|forbid|allow|modify|amend|edit|alter|patch|narrow|tighten|loosen)\b",
        "`change option NAME of DECISION:` edits it: `require …`, `remove …`, `replace … with …`",
    ),
    (r"is some as \w+ ¦(?:and|or)\b", "only a whole condition can name a value: test the rest in an inner `if`"),
    (r"^head: change ¦decision (\w+)", r"name one of its options: `change option NAME of \1:`"),
    (r"^head: change ¦(\w+)\.(\w+)", r"write `change option \2 of \1:`"),
    (r"^head: change option (\w+) ?¦:", r"name its decision: `change option \1 of DECISION:`"),
    (r"^(?:change: |head: change .*: )replace .*¦(?::|by\b|to\b|->)", "the form is `replace … with …`"),
    (
        r"^(?:change: |head: change .*: )¦(?:set|pay|move|if|for|leave|pass|add|insert|put|end)\b",
        "a statement is inserted beside another one: `before S: …` or `after S: …`",
    ),
)

_HEADS = (
    (_HEAD + r"def\b.*¦(?:=|:(?!=))", "a definition declares the type of its value: `def name(…) -> int:`"),
    (_HEAD + r"(?:def|procedure|guard) \w+ ?¦(?!\()", "brackets follow the name, also without parameters: `name()`"),
    (_HEAD + r"(?:def|procedure) \w+\(.*¦=", "a parameter has no default: every call gives it"),
    (_HEAD + r"(?:def|procedure) \w+\([^)]*¦[^({]*[,)]", "a parameter is written with its type: `name: type`"),
    (_HEAD + r"def\b.*->.*\b(?:list|List) ?¦", "there are no lists: a set is written `set kind`"),
    (_HEAD + r"def\b.*->.*\w+ ?¦(?:or|\||\[)", "a value that may be none has a type with `?`; a set is `set kind`"),
    (_HEAD + r"(?:def|procedure)\b.*(?:->|:) ?(?:set ?¦|¦\[)", "a set is written `set kind`"),
    (
        _HEAD + r"(?:def|guard)\b.*\bat most \d+ ¦deep\b|^head: (?:def|guard)\b.*¦(?:at most \d+ )?deep\b",
        "a definition or a guard cannot call itself, but `procedure name(…) -> int at most n deep:` can",
    ),
    (_HEAD + r"procedure\b.*\bat most \d+ ?¦:", "complete it: `at most 12 deep` for a recursive procedure"),
    (_HEAD + r"procedure\b.*\bat most ¦\w+", "the depth is a number: `at most 12 deep`"),
    (_HEAD + r"procedure\b.*\bdeep ¦->", "the type comes first: `procedure name(…) -> int at most 12 deep:`"),
    (
        _HEAD + r"procedure\b.*\)(?: -> \w+)? ¦(?:deep|depth|max|maximum|up|limit|most|recursive)\b",
        "a recursive procedure declares its depth: `procedure name(…) at most 12 deep:`",
    ),
    (
        r"^head: ¦?(?:recursive|rec)\b",
        "a recursive procedure declares its depth: `procedure name(…) at most 12 deep:`",
    ),
    (_HEAD + r"extend ¦", "only a decision is extended: `extend decision name:`; wrap a procedure: `wrap procedure …`"),
    (
        r"^head: ¦?(?:define|function|func|fn|sub|proc|rule|action|method|override|overrides)\b",
        "`procedure name(…):` changes the game, `def name(…) -> int:` computes a value",
    ),
    (
        r"^head: ¦?(?:import\b|use\b|using\b|(?:include|require) ?\(?[\"\w]+[./\"])",
        "all files of `rules/` are read together: remove it",
    ),
    (
        r"^head: ¦?(?:class|enum|kind|type|struct|state|var|let|const|constant|global)\b|^head: ¦\w+ ?(?:=|:=)",
        "kinds and state are declared in kinds.yaml, constants in tables.yaml",
    ),
    (
        r"^head: ¦(?:option|include|require|decide|chance|set|pay|move|if|for|match|repeat|end|leave|return|pass)\b",
        "statements and decisions belong in the indented body of a procedure",
    ),
    (
        r"^guard: ¦?(?:set|pay|move|end|decide|chance|if|for|match|repeat|leave|return|pass|\w+ ?\()",
        "a guard holds only `let`, `require`, `cost` and `needs`: effects belong in the body of an option",
    ),
    (r"^(?:procedure|options|def): ¦?(?:def|procedure) ", "definitions and procedures begin at the left margin"),
)

_ONE_EXPRESSION = (
    (r"^def: ¦?(?:el)?if\b", "a definition is one expression: write `a if c else b`"),
    (r"^def: ¦?else\b", "a definition is one expression: write `a if c else b`"),
    (r"^def: ¦?return\b", "a definition is one expression: write it without `return`"),
    (r"^def: (?:case .*|else): ?(?:return|set|pay|move|leave|pass|let) ?¦", "only a value follows a case"),
    (r"\bmatch ¦.*: ?case\b", "put each `case` of a `match` on a separate, indented line"),
    (r"^def: ¦?switch\b", "write `match`"),
    (r"^(?:def|guard): let \w+ ?¦\[", "a table belongs to a procedure; a definition takes values, or builds a set"),
    (r"\blet \w+\[.*¦where\b", "a table has a value for each member of a whole kind: test it when it is read"),
    (r"\blet (\w+)\[\w+ in \w+ ?¦,", r"a table has one key: declare a product of kinds, and write `\1[x in PRODUCT]`"),
    (r"\blet (\w+)\[(\w+) ?¦\]", r"also name the member: `let \1[x in \2] = …`"),
    (
        r"^def: ¦?(?:for|foreach|while|repeat)\b",
        "a definition has no loops: use `sum(e for x in s)`, `count(x in s where c)`, `any`, `all`, `max`, …",
    ),
    (
        r"^def: ¦?(?:set|pay|move|end|decide|chance|require|leave|pass)\b",
        "a definition neither changes state nor asks: use a `procedure`",
    ),
    (
        r"^def: ¦(?!default\b|otherwise\b)[\w({-]",
        "a definition is one expression, after lines of `let`; it spans lines only in brackets",
    ),
    (r"^invariant: ¦?require\b", "an invariant is one condition: write it without `require`"),
    (r"^invariant: ¦?if\b", "an invariant is one condition: write `b if a else true`"),
    (
        r"^scoring: (?:score )?¦?for\b|^head: scoring ?(?:\w+ ?)?¦",
        "the head names each player in turn: `scoring p in player:`",
    ),
    (_HEAD + r"invariant \w+ ?¦\(", "an invariant has no parameters: `all(x in s: c)` asks for each"),
    (r"^invariant: ¦[\w({-]", "an invariant is one condition: join several with `and`, over lines in brackets"),
    (_HEAD + r"invariant \w+: ?¦[\w(]", "write the condition on the next line, indented"),
)

_COMPARING = (
    (r"<¦>", "unequal is written `!=`"),
    (r"[=!]=¦=", "equal is written `==`, and unequal `!=`"),
    (r"¦=<", "at most is written `<=`"),
    (r"¦=>", "at least is written `>=`"),
    (r"&¦&|¦&&", "write `and`"),
    (r"\|¦\||¦\|\|", "write `or`"),
    (r"[^&]&[^&].*¦(?:==|!=|<|>)", "`&` is for sets: join conditions with `and`, in brackets if need be"),
    (r"[^|]\|[^|].*¦(?:==|!=|<|>)", "`|` is for sets: join conditions with `or`, in brackets if need be"),
    (r"\bis ¦not (?:none|None|null|nil)\b", "write `is some`"),
    (r"\bis ¦(?:None|null|nil|empty)\b", "write `is none`"),
    (r"\bis ¦not\b", "`is` tests only `none` and `some`: unequal is written `!=`"),
    (r"\bis ¦", "`is` tests only `none` and `some`: equal is written `==`"),
    (r"\bbetween\b", "write `a <= n and n <= b`"),
    (r"\bcase ¦(?:==|!=|<|>)", "a `case` names entities; compare numbers with `if … elif …`"),
    (r"[=<>].*¦(?:==|!=|<=|>=|<|>)", "put two comparisons together with `and`"),
)

_STATEMENTS = (
    (
        _BODY + r"(?:(?:while|until) ?¦|(?:loop|do) ?¦:)",
        "write `repeat at most n:`, and in its block `if …: leave`; `repeat:` alone needs a decision on every path",
    ),
    (_BODY + r"repeat ¦(?:while|until)\b", "write `repeat at most n:`, and in its block `if …: leave`"),
    (_BODY + r"repeat ¦", "write `repeat at most n:`"),
    (_BODY + r"turns \w+ in [^:]*¦at\b", "the bound comes last: `turns p in s until all pass at most n:`"),
    (_BODY + r"turns \w+ in [^:]*¦by\b", "an order by keys is a set: `turns p in {x in s by k} until all pass:`"),
    (_BODY + r"turns \w+ ¦(?:from|after)\b", "the set comes first: `turns p in s from e until all pass:`"),
    (
        _BODY + r"(?:turns \w+ in [^:]*¦|turns \w+ ¦|turn ¦\w+ in\b)",
        "write `turns p in s until all pass:` or `until all but n pass:`, with `drops` if passing members are out",
    ),
    (_BODY + r"draft \w+ by any ¦of\b", "a draft is the plan of one seat: `draft name by p:`"),
    (_BODY + r"draft \w+ by [^:]*¦at\b", "a draft has no limit: count in a variable, and `require` it"),
    (_BODY + r"(?:draft \w+ ?¦|draft ?¦:|decide \w+ by [^:]*¦draft\b)", "write `draft name by p:`"),
    (_BODY + r"withdraw ?¦", "`withdraw` is an option that every draft has by itself"),
    (_BODY + r"done ?¦$", "`leave` ends a draft; `done` may be the name of an option that uses it"),
    (_BODY + r"(?:skip ?¦turn|end ?¦turn|pass ?¦(?:the|his|my)\b|passes ?¦$)", "write `pass turn`"),
    (_BODY + r"unless ?¦", "write `if not (…):`"),
    (_BODY + r"(?:for each|foreach|for all) ?¦", "write `for x in s:`"),
    (_BODY + r"for ¦\(", "write `for x in s:`, without brackets"),
    (_BODY + r"for \w+ ¦(?:of|from)\b", "write `for x in s:`; `repeat at most n:` counts"),
    (r"\bfor \w+ in \d+ ?¦\.\.", "`for` goes over entities: `repeat at most n:` counts"),
    (_BODY + r"for \w+ ?¦,", "a `for` has one variable: put another `for` into its block"),
    (r"else ¦if\b|\b(?:elseif|elsif|else_if) ?¦", "write `elif`"),
    (_BODY + r"(?:break|last) ?¦$", "write `leave`"),
    (
        _BODY + r"(?:next|skip) ?¦$",
        "write `continue` for the next turn of the loop, `pass` to do nothing",
    ),
    (
        _BODY + r"(?:exit|stop|quit|halt) ?¦",
        "`return` leaves the procedure, `leave` the loop, `end game` ends the game",
    ),
    (_BODY + r"end ?¦(?:$|if|for|procedure|repeat)", "a block ends with its indentation; `end game` ends the game"),
    (_BODY + r"default ?¦:|^\w*: ¦(?:default|otherwise)\b|\bcase ¦_", "write `else:`"),
    (_BODY + r"else ?¦:", "`else` is indented like its `if`; that of a `match` like its `case`"),
    (_BODY + r"switch ?¦", "write `match`"),
    (r"\bcase .*(?:-¦>|¦->)", "write `case a:`"),
    (
        _BODY + r"(?:ask|choice|prompt|vote) ?¦",
        "a question to a player is `decide name by player:`, with options",
    ),
    (
        _BODY + r"(?:raise|throw|error|fail|assert|check) ?¦",
        "forbid actions by a `require` of the option; promise conditions by an `invariant`",
    ),
    (_BODY + r"(?:print|log|echo) ?[¦(]", "rules print nothing: remove it"),
    (_BODY + r"(?:set|let) \w.* ¦[-+*/%]=", "write `set x to x + e`"),
    (_BODY + r"set .* ¦:?=", "assign with `set … to …`"),
    (
        _BODY + r"(?:let \w+ =|set .* to) (?:roll|random|rand|throw|dice) ¦",
        "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block",
    ),
    (
        r"\b(?:roll|random|rand|randint|dice)\([^()]*¦",
        "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block",
    ),
    (
        _BODY + r"(?:let \w+ =|set .* to) (?:choose|ask|pick)(?: ¦|\(.*\) ?¦by\b)",
        "write a choice on its own line: `choose name(x in s) by p`; `x` is visible from there to the end of the block",
    ),
    (r"^\w*: let \w+ ?¦:(?!=)", "a local has the type of its value: `let name = …`"),
    (r"^\w*: let \w+ ?¦,", "one `let` for each local"),
    (r"^\w*: let \w+ ?¦", "a local is made with `let name = …`"),
    (_BODY + r"(?:var|val|local|auto|const|int|bool|number|my) ¦\w+ ?:?=(?!=)", "a local is made with `let name = …`"),
    (_BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?(?:[-+*/%]=|\+\+|--)", "write `set x to x + e`"),
    (_BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?:?=(?!=)", "assign with `set … to …`"),
    (_BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?==", "this comparison has no effect: assign with `set … to …`"),
    (
        _BODY + r"(?:add|append|insert|include|push) ¦\D|^\w*: \w[\w.]*¦\.(?:add|append|insert|push)\b",
        "a member is added to a set by `set s to s | {x}`",
    ),
    (
        _BODY + r"(?:remove|delete|discard) ¦|^\w*: \w[\w.]*¦\.(?:remove|delete|discard)\b",
        "a member is removed from a set by `set s to s - {x}`",
    ),
    (_BODY + r"(?:add|increase|increment|inc|gain) ¦", "write `set x to x + e`; money is paid: `pay e from a to b`"),
    (
        _BODY + r"(?:subtract|decrease|decrement|dec|lose) ¦",
        "write `set x to x - e`; money is paid: `pay e from a to b`",
    ),
    (_BODY + r"(?:call|do|run|await|goto) ¦", "call a procedure by its name alone: `name(…)`"),
    (_BODY + r"pay .*¦to\b", "write `pay e from a to b`, in this order"),
    (_BODY + r"move .*¦from\b", "give the number: `move 1 of pile from place to place`"),
    (_BODY + r"move ¦of\b|move \w+ ¦of\b|move all\b.*¦", "give the number: `move 1 of pile from place to place`"),
    (_BODY + r"end game ¦by\b|end game won ¦", "write `end game won by {p}`"),
    (r"[-+*/%|&(,=]\s*¦$|\b(?:and|or|not|to|in|where)\s*¦$|¦\\", "an expression spans lines only in brackets"),
    (r"¦\{|\{ ?¦$|^\w*: ¦\}|^head: ¦?\}", "a block begins with `:` and is indented: no braces"),
    (
        r"\b(?:if|elif|for|match)\b.*¦(?:set|pay|move|end|let|return|leave|again|pass|then)\b",
        "a `:` comes before the body",
    ),
)

_DECISIONS = (
    (r"\boptions? \w+.*¦->", "an option has no value: its body sets state"),
    (
        r"\boption \w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))? ?¦(?:if|where|when|require|unless)\b",
        "put a condition on a parameter in the brackets, `(x in s where c)`, any other in the body, `require c`",
    ),
    (r"\boption \w+(?: by .*)? if .*¦:", "put a condition of an option in its body: `require c`"),
    (
        r": (?:option|decide|chance|procedure|def)\b.*[\w)] ¦\"[^\"]*\" ?:?$",
        "a description is the first line of the body",
    ),
    (r"\boption \w+\(.*\bin .*¦\?", "to allow none, write `x in s or none`"),
    (r"\boption \w+\(.*, ?where ¦", "there is no comma before `where`"),
    (
        r"\boption \w+\(.*\bin \S+ ¦to\b|\boption \w+\(\w+ ¦from\b|\boption .*\bin \w+ ¦\d",
        "numbers are a range: `(n in 1 .. 3)`",
    ),
    (r"\boption \w+\(.*\bin set ¦", "a parameter ranges over the kind's name, or over any other set: `(x in kind)`"),
    (r"\boption \w+\(.*¦=(?!=)", "a parameter has no default: add an option without it"),
    (
        r"\boption \w+\((?:.*, *)?\w+ ?¦",
        "a parameter of an option ranges over a set or numbers: `(x in kind)`, `(n in 1 .. 3)`",
    ),
    (_BODY + r"(?:option|include) ?¦", "options belong in the block of a `decide … by …:`"),
    (_BODY + r"decide by ¦", "a decision has a name: `decide name by player:`"),
    (
        _BODY + r"decide \w+ by (?:¦?(?:all|each|every|everyone|everybody|any)\b)",
        "to ask all players: `decide name together by p in s:`",
    ),
    (_BODY + r"decide \w+ together .*¦:|decide \w+ together ?¦", "write `decide name together by p in s:`"),
    (_BODY + r"decide .* if .*¦:", "put the `decide` into the block of an `if …:`"),
    (r"\bweight ?¦:", "a weight is a number: `weight 2`"),
    (r"\boption [^:]*: ¦[\w(]", "the body of an option is statements: its effects, or `pass`"),
    (_BODY + r"chance \w+ ¦by\b", "nobody decides a `chance`: omit `by`"),
    (_BODY + r"chance \w+ ¦in\b", "each result of a `chance` is an option: `option face(n in 1 .. 6):` in its block"),
)

_PATH = "a path is said in this order: `path(x from s to y in t where c once u counts k within n until none)`"
_TRAIL = "a trail is said in this order: `trail(x from s to y in t where c once u counts k within n)`"
_LONGEST = "the form is `longest(way in path(x from s to y in t once u within n) worth w, else d)`"
_SEARCHES = (
    (r"\btrail\(\w+ ¦in path\(|\btrail\(path¦\(", "a trail names no path: `trail(x from s to y in t once u within n)`"),
    (r"\btrail\(\w+ ¦in\b", "a trail begins in a set: `trail(x from s to y in t once u within n)`"),
    (r"\btrail\(.*¦until\b", "a trail goes wherever it can: leave `until` out; `where` says which steps there are"),
    (r"\btrail\(.*¦worth\b", f"what a path is worth at most: {_LONGEST}"),
    (r"\btrail\((?!.*\bwithin\b.*¦).*¦\)", "say how far: `trail(x from s to y in t once u within n)`"),
    (r"\btrail\(.*¦(?:,|once\b|where\b|counts\b|within\b|costs\b)", _TRAIL),
    (r"\blongest\(\w+ ¦from\b", f"the paths need separate brackets: {_LONGEST}"),
    (r"\blongest\(path¦\(", f"the path has a name: {_LONGEST}"),
    (r"\blongest\(.*\bwithin [^()]*¦worth\b", f"`worth` comes after the bracket of `path(…)`: {_LONGEST}"),
    (r"\blongest\(.*\bworth .*¦else\b", "a comma comes before `else`: `worth w, else d`"),
    (r"\blongest\(.*¦(?:\)|,|costs\b)", f"say what a path is worth: {_LONGEST}"),
)
_PATHS = (
    *_SEARCHES,
    (r"\bpath\(\w+ ¦in\b", "a path begins in a set: `path(x from s to y in t within n)`"),
    (r"\bpath\(.*\bto \w+ ¦(?!in\b)", "say where a step leads: `path(x from s to y in t within n)`"),
    (r"\bpath\(.*\buntil ¦", "only `until none` ends it: as far as it goes; `where` says which steps there are"),
    (r"\bpath\((?!.*\bwithin\b.*¦).*¦\)", "say how far: `path(x from s to y in t within n)`"),
    (r"\bpath\(.*¦(?:,|once\b|where\b|counts\b|within\b|costs\b)", _PATH),
)

_CHOSEN = "write a number, then `of` a set or pieces in a place: `choose 2 of s`, `choose 0 .. 3 of pile.place`"
_SEVERAL = (
    (
        r"\b(?:for|any|all|count|sum|first)\b.*\bin choose ¦",
        "only a parameter of an option chooses: `option name(two in choose 2 of s)`",
    ),
    (
        r"\bin choose .*\bof .*¦\.\.",
        "numbers are a range without `choose`: `(n in 1 .. 6)`; of a set, `choose 2 of s`",
    ),
    (r"\bin choose (?!.+ of .*¦).*¦", _CHOSEN),
    (
        r"\boption \w+\(.*\bin (?:pick|any|some|exactly|subset|subsets) ¦",
        "several at once are chosen: `(two in choose 2 of s)`, `(lot in choose 0 .. 3 of pile.place)`",
    ),
)

_DRAWS = (
    (_BODY + r"roll .*\) ?¦by\b", "nobody decides a `roll`: leave `by` out, or write `choose`"),
    (_BODY + r"(?:roll|choose) .*¦:", "no block follows: its parameters are known to the end of this block"),
    (_BODY + r"choose .*\) ?¦(?:$|weight)", "name the chooser: `choose name(x in s) by p`"),
    (_BODY + r"roll(?: \w+)? ?¦|roll \w+\(\w* ?¦", "write `roll name(n in 1 .. 6)`"),
    (_BODY + r"choose(?: \w+)? ?¦|choose \w+\(\w* ?¦", "write `choose name(x in s) by p`"),
)

_EXPRESSIONS = (
    (r"\b(max|min)\(.*\bfor\b[^()]*, ?¦(?!else)", r"each set has its `for`: `\1(e for x in a for y in b)`"),
    (r"\b(sum|union)\(.*\bfor\b[^()]*¦,", r"each set has its `for`: `\1(e for x in a for y in b)`"),
    (r"\b(any|all)\(\w+ in [^()]*¦,(?! *\w+ in\b)", r"a condition follows a colon: `\1(x in s: c)`"),
    (r"\b(count|any|all)\(\w+ in [^()]*¦,", r"write `for` before the next: `\1(x in a for y in b …)`"),
    (r"\b(sum|max|min|union)\(\w+ in [^()]*¦[:)]", r"write `\1(e for x in s)`"),
    (r"\{\w+ ?¦:|\{\w+ in [^{}]*¦:", "write `{x in s where c}`"),
    (
        r"\b(any|count|first)\((?:.*\bin [^()]*¦(?::|for)|.*¦(?:for|where)\b|[^()]*¦.*\bfor\b)",
        r"write `\1(x in s where c)`",
    ),
    (
        r"\ball\([^:]*\bin\b[^:]*\bwhere\b[^:]*¦\)",
        "`where` limits the members that are asked; what holds for all of them follows a colon: `all(x in s: c)`",
    ),
    (r"\ball\(.*¦", "write `all(x in s: c)`"),
    (r"\bnone ?¦\(", "write `not any(x in s: c)`"),
    (
        r"\b(?:exists|every|forall|some)(?:\(.*¦| ¦\w+ in\b)",
        "write `any(x in s: c)` or `all(x in s: c)`",
    ),
    (r"\bbest\([^()]*\bin\b.*¦\)", "say by what: `best(x in s by e)`; all with a condition are `{x in s where c}`"),
    (r"\bin (?!.*\belse\b).*? if .*¦[):,]", "a condition on the members of a set begins with `where`"),
    (r"(?:sum|max|min|count|union|any|all)\(\[[^\]]*¦", "leave the square brackets out"),
    (r"¦\[|\bin \([^()]*¦,", "a set is written in braces: `{a, b}`"),
    (r"\w¦!\.", "`?.` passes none on; otherwise check it first: `if … is some as x:`"),
    (r"\w¦\?\[|\?¦\[", "`?.` comes before a name; otherwise write `… if e is some as x else …`"),
    (r"\bis some ¦as\b", "`as` can name a value only in the condition of an `if`: `… if e is some as x else …`"),
    (r"\bmatch ¦[\w(]", "a `match` with a value needs its own `let x =`, `set x to`, `return`, or line after a `:`"),
    (r"¦\?.*:|¦\? ", "a choice is written `a if c else b`"),
    (r"\w¦\?", "ask for it: `is some`, `is none`"),
    (r"\d¦?\.¦?\d|¦\.\d", "numbers are whole: there are no fractions"),
    (r"\d¦[,_]\d", "a number is written with digits alone"),
    (r"\d+ ?¦\.\.", "a range is only allowed in a parameter of an option: compare with `a <= n and n <= b`"),
    (r"\*¦\*|¦\^", "there is no power: multiply"),
    (r"^\w*: ¦?(?://|/\*|--)|¦/\*|¦//", "a comment begins with `#`"),
    (r"/¦/", "`/` divides and rounds down; a comment begins with `#`"),
    (r"¦mod\b", "the remainder is `%`"),
    (r"¦div\b", "`/` divides and rounds down"),
    (r"\+¦\+|-¦-", "write `x + 1`"),
    (r"-¦>|¦(?:->|::)", "what belongs to an entity follows a dot: `entity.name`"),
    (r"\w\((?:[^()]*, *)?\w+ ?¦= ?\w", "arguments are given in their order, without names; equal is written `==`"),
    (
        r" if .*¦(?:[):,]|$)",
        "add the other value: `a if c else b`; conditional statements belong in the block of an `if c:`",
    ),
    (r"\blambda\b", "rules are no values: write a `def`"),
    (r"^head: \w+ ¦\"", "a name is written without quotes"),
    (r"^(?:def|invariant): \"[^\"]*\"¦", "a text describes the expression under it; no value is a text"),
    (r"^head: .*¦\"", "a text comes first in the indented body"),
    (r"^\w+: ¦\"", "a description is the first line of the body of a procedure, decision or option; else write `# …`"),
    (r"¦\"", "there is no text in expressions: entities and values of settings are written without quotes"),
    (_BODY + r"pay .*¦", "the form is `pay e from a to b`, between accounts"),
    (_BODY + r"move .*¦", "the form is `move 1 of pile from place to place`"),
)

_WHOLE_PLAN = "a condition on the whole plan belongs in the option that ends it: `option done:`, `require …`, `leave`"
_FORMS = (
    (r"^head: ¦needs\b.*(?:rulespec|[<>])", "the required version belongs in `game.yaml`: `needs: rulespec >=0.2`"),
    (r"\bset ¦?set\b|\bset \w+ ¦set\b", "no set holds sets: a parameter chooses one, `two in choose 2 of s`"),
    (r"\blet (\w+) = \{\w+ ?¦:", r"a table has a value for each member of a kind: `let \1[x in kind] = 0`"),
    (r"\blet (\w+) ?¦: ?(?:\w+ )?\w+ ?\[", r"a table has a value for each member of a kind: `let \1[x in kind] = {}`"),
    (
        r"\blet \w+\[\w+ in \S+ ?¦\.\.",
        "a table has a value for each member of a kind, never of numbers: declare a kind, such as a track",
    ),
    (r"\bsum\(\w+ ?¦\)", "write `sum(e for x in s)`; the number of members is `count(s)`"),
    (r"^(?:def|procedure): \w+\(.*\) ¦at most\b", "the head has the depth: `procedure name(…) at most 12 deep:`"),
    (r"\bcase [^:]* if .*¦:", "a `case` names entities alone: ask the rest in its value, or in an `if` in its block"),
    (r"^\w+: ¦(\w+) ?(?:=>|->)", r"write `case \1: …`"),
    (r"\bmatch ?¦:", "name the subject: `match e:`; conditions are `if … elif … else`"),
    (
        r"^def: let ¦\w+ ?=",
        "`let` comes before the value of a definition, never in a case: name it before the `match`",
    ),
    (r"¦\?:", "a value in the place of none follows `??`: `e ?? 0`"),
    (r"^\w+: for .*¦until\b", "`for` goes round once: `turns p in s until all pass:`; `leave` ends a loop"),
    (r"^\w+: \w+ ¦pass(?:es)?\b", "write `pass turn`"),
    (r"^\w+: for ¦\(\w+, *\w+\)", "write `for x in s:`; steps of a path are `for x to y in way:`"),
    (r"^\w+: for \w+ ?¦,.* in (\w*way|path|route)\b", r"steps of a path are `for x to y in \1:`"),
    (
        r"\b(?:shortest|nearest|quickest|distance|dist)\(\w+ ¦from\b",
        "write `cheapest(x from s to y in t costs 1 until c)`",
    ),
    (
        r"\bpath\((?!\w+ from\b)[^()]*¦",
        "a path begins in a set and continues by steps: `path(x from s to y in t within n)`",
    ),
    (
        r"\bpath\(\w+ ¦(?!from\b|in\b)",
        "a path begins in a set and continues by steps: `path(x from s to y in t within n)`",
    ),
    (_BODY + r"(?:plan|transaction|propose|proposal) ¦\w+ by\b", "a plan that may be withdrawn is `draft name by p:`"),
    (
        r"\w+: (?:option \w+.*: ?)?(?:commit|confirm|accept|submit|finish) ?¦$",
        "`leave` ends a draft; `done` may be the name of an option that uses it",
    ),
    (r"^(?:procedure|options|extend): ¦require\b", f"only options are allowed here; {_WHOLE_PLAN}"),
    (
        r"^(?:procedure|options|extend): ¦for \w+ in\b",
        "a parameter gives an option for each member, `option name(x in s)`; for several options, `with x in s:`",
    ),
    (
        r"\bin choose (?:(?:up to|at most|max) ¦?|up ¦to |at ¦most )\w",
        "a range of numbers: `choose 0 .. 3 of …`",
    ),
    (
        r"\bin choose (?:all|any|some) ?¦of\b",
        "write how many: `choose 0 .. count(s) of s`; all of them need no choice",
    ),
    (
        _BODY + r"choose .*\) by .* ¦weight\b",
        "a player chooses without weights; `roll` has them: `roll name(x in s) weight w`",
    ),
)

_GROUPS = (
    _FORMS,
    _CHANGES,
    _HEADS,
    _ONE_EXPRESSION,
    _COMPARING,
    _STATEMENTS,
    _SEVERAL,
    _PATHS,
    _DECISIONS,
    _DRAWS,
    _EXPRESSIONS,
)
_WORDS = frozenset("and as by case else elif for from if in is let not or set to where".split())  # noqa: SIM905
_SHOWN = 80
"""Maximum number of characters to match: after the error, before it, and at the start of the line."""


def habit(lines: list[str], line: int, column: int) -> str:
    """The help for a syntax error from another language's habit, or "".

    Args:
        lines: the lines of the text.
        line: the line of the error, from 1.
        column: the column of the error, from 1.
    """
    written = lines[line - 1].replace("¦", " ")
    before, rest = written[: column - 1], written[column - 1 :]
    results = re.search(r"([A-Za-z]+) ?$", before[-_SHOWN:]), re.match(r"[A-Za-z]+", rest)
    for word in (part[0].strip() for part in results if part):
        if word.lower() in _WORDS and word != word.lower():
            return f"write words of the language in lower case: `{word.lower()}`"
    item = _item(lines, line)
    if item == "head" and (match := _ITEM.match(before)) and match[1] == "def":
        type_, colon, body = before.partition("->")[2].partition(":")
        if type_ and colon:  # the body is on the line of the head
            item, before = "def", body
    if len(before) > 2 * _SHOWN:
        before = before[:_SHOWN] + before[-_SHOWN:]
    place = f"{item}: {before.lstrip()}¦{rest[:_SHOWN].rstrip()}"
    for pattern, hint in chain(*_GROUPS):
        if match := re.search(pattern, place):  # compiled on demand: most runs need none of them
            return match.expand(hint)
    return ""


def _item(lines: list[str], line: int) -> str:
    """The kind of item around a line; "head" for a line at the left margin, "" in YAML."""
    if len(lines) == 1:
        return ""
    if lines[line - 1][:1].strip():
        return "head"
    for above in reversed(lines[: line - 1]):
        if match := _ITEM.match(above):
            return match[1]
    return "head"
