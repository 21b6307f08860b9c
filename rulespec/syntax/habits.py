"""Habits from other languages, with the equivalent forms in the rules language.

A habit is a pattern for the faulty line. `¦` marks the position of the syntax error, and a prefix names the context of
the line: `def: if ¦x > 0:` is in the body of a definition, `head: …` is a line at the left margin, and `: …` is an
expression in a YAML file. The first pattern that matches determines the help.
"""

from __future__ import annotations

import re
from itertools import chain

from rulespec.syntax.form_habits import BODY, FIRST_TRIES
from rulespec.syntax.head_habits import CHANGES, HEADS, ONE_EXPRESSION

_ITEM = re.compile(r"(?:(?:replace|wrap|hook) )?(def|procedure|guard|invariant|scoring|options|extend|change)\b")

_COMPARING = (
    (r"<¦>", "write `!=` for unequal"),
    (r"[=!]=¦=", "write `==` for equal, `!=` for unequal"),
    (r"¦=<", "write `<=` for at most"),
    (r"¦=>", "write `>=` for at least"),
    (r"&¦&|¦&&", "write `and`"),
    (r"\|¦\||¦\|\|", "write `or`"),
    (r"[^&]&[^&].*¦(?:==|!=|<|>)", "join conditions with `and`, in brackets if necessary: `&` is for sets"),
    (r"[^|]\|[^|].*¦(?:==|!=|<|>)", "join conditions with `or`, in brackets if necessary: `|` is for sets"),
    (r"\bis ¦not (?:none|None|null|nil)\b", "write `is some`"),
    (r"\bis ¦(?:None|null|nil|empty)\b", "write `is none`"),
    (r"\bis ¦not\b", "write `!=` for unequal: `is` tests only `none` and `some`"),
    (r"\bis ¦", "write `==` for equal: `is` tests only `none` and `some`"),
    (r"\bbetween\b", "write `a <= n and n <= b`"),
    (r"\bcase ¦(?:==|!=|<|>)", "compare numbers with `if … elif …`: a `case` names entities"),
    (r"[=<>].*¦(?:==|!=|<=|>=|<|>)", "join two comparisons with `and`"),
)

_STATEMENTS = (
    (
        BODY + r"(?:(?:while|until) ?¦|(?:loop|do) ?¦:)",
        "write `repeat at most n:`, and in its block `if …: leave`; `repeat:` alone needs a decision on every path",
    ),
    (BODY + r"repeat ¦(?:while|until)\b", "write `repeat at most n:`, and in its block `if …: leave`"),
    (BODY + r"repeat ¦", "write `repeat at most n:`"),
    (BODY + r"turns \w+ in [^:]*¦at\b", "write the bound last: `turns p in s until all pass at most n:`"),
    (BODY + r"turns \w+ in [^:]*¦by\b", "order the set in braces: `turns p in {x in s by k} until all pass:`"),
    (BODY + r"turns \w+ ¦(?:from|after)\b", "write the set first: `turns p in s from e until all pass:`"),
    (
        BODY + r"(?:turns \w+ in [^:]*¦|turns \w+ ¦|turn ¦\w+ in\b)",
        "write `turns p in s until all pass:` or `until all but n pass:`, with `drops` if passing members are out, "
        "and `from e` or `where c` after the set",
    ),
    (BODY + r"draft \w+ by any ¦of\b", "name a single seat: `draft name by p:`"),
    (BODY + r"draft \w+ by [^:]*¦at\b", "count in a variable, and `require` the limit: a draft itself has none"),
    (BODY + r"(?:draft \w+ ?¦|draft ?¦:|decide \w+ by [^:]*¦draft\b)", "write `draft name by p:`"),
    (BODY + r"withdraw ?¦", "remove it: every draft already has the option `withdraw`"),
    (BODY + r"done ?¦$", "write `leave` to end a draft, for example in an option called `done`"),
    (BODY + r"(?:skip ?¦turn|end ?¦turn|pass ?¦(?:the|his|my)\b|passes ?¦$)", "write `pass turn`"),
    (BODY + r"unless ?¦", "write `if not (…):`"),
    (BODY + r"(?:for each|foreach|for all) ?¦", "write `for x in s:`"),
    (BODY + r"for ¦\(", "write `for x in s:`, without brackets"),
    (BODY + r"for \w+ ¦(?:of|from)\b", "write `for x in s:`, or `repeat at most n:` to count"),
    (r"\bfor \w+ in \d+ ?¦\.\.", "write `repeat at most n:` to count: `for` visits entities"),
    (BODY + r"for \w+ ?¦,", "put another `for` into the block: a `for` has one variable"),
    (r"else ¦if\b|\b(?:elseif|elsif|else_if) ?¦", "write `elif`"),
    (BODY + r"(?:break|last) ?¦$", "write `leave`"),
    (
        BODY + r"(?:next|skip) ?¦$",
        "write `continue` for the next turn of the loop, `pass` to do nothing",
    ),
    (
        BODY + r"(?:exit|stop|quit|halt) ?¦",
        "write `return` to leave the procedure, `leave` to leave the loop, `end game` to end the game",
    ),
    (
        BODY + r"end ?¦(?:$|if|for|procedure|repeat)",
        "remove it: a block ends with its indentation; to end the game, write `end game`",
    ),
    (BODY + r"default ?¦:|^\w*: ¦(?:default|otherwise)\b|\bcase ¦_", "write `else:`"),
    (BODY + r"else ?¦:", "indent `else` like its `if`, or in a `match` like its `case`"),
    (BODY + r"switch ?¦", "write `match`"),
    (r"\bcase .*(?:-¦>|¦->)", "write `case a:`"),
    (
        BODY + r"(?:ask|choice|prompt|vote) ?¦",
        "write `decide name by player:`, with options, for a question to a player",
    ),
    (
        BODY + r"(?:raise|throw|error|fail|assert|check) ?¦",
        "write `require` in the option to forbid an action, an `invariant` to assert a condition",
    ),
    (BODY + r"(?:print|log|echo) ?[¦(]", "remove it: rules cannot print"),
    (BODY + r"(?:set|let) \w.* ¦[-+*/%]=", "write `set x to x + e`"),
    (BODY + r"set .* ¦:?=", "assign with `set … to …`"),
    (
        BODY + r"(?:let \w+ =|set .* to) (?:roll|random|rand|throw|dice) ¦",
        "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block",
    ),
    (
        r"\b(?:roll|random|rand|randint|dice)\([^()]*¦",
        "write a roll on its own line: `roll name(n in 1 .. 6)`; `n` is visible from there to the end of the block",
    ),
    (
        BODY + r"(?:let \w+ =|set .* to) (?:choose|ask|pick)(?: ¦|\(.*\) ?¦by\b)",
        "write a choice on its own line: `choose name(x in s) by p`; `x` is visible from there to the end of the block",
    ),
    (r"^\w*: let \w+ ?¦:(?!=)", "write `let name = …`: a variable has the type of its value"),
    (r"^\w*: let \w+ ?¦,", "write one `let` for each variable"),
    (r"^\w*: let \w+ ?¦", "declare a variable with `let name = …`"),
    (
        BODY + r"(?:var|val|local|auto|const|int|bool|number|my) ¦\w+ ?:?=(?!=)",
        "declare a variable with `let name = …`",
    ),
    (BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?(?:[-+*/%]=|\+\+|--)", "write `set x to x + e`"),
    (BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?:?=(?!=)", "assign with `set … to …`"),
    (BODY + r"\w+ ?¦(?:[.\[][\w.\[\]]*)? ?==", "assign with `set … to …`: this comparison has no effect"),
    (
        BODY + r"(?:add|append|insert|include|push) ¦\D|^\w*: \w[\w.]*¦\.(?:add|append|insert|push)\b",
        "write `set s to s | {x}` to add a member to a set, `add x to o` to append one to an order",
    ),
    (
        BODY + r"(?:remove|delete|discard) ¦|^\w*: \w[\w.]*¦\.(?:remove|delete|discard)\b",
        "write `set s to s - {x}` to remove a member from a set, `take x from o` from an order",
    ),
    (BODY + r"(?:add|increase|increment|inc|gain) ¦", "write `set x to x + e`, or `pay e from a to b` for money"),
    (
        BODY + r"(?:subtract|decrease|decrement|dec|lose) ¦",
        "write `set x to x - e`, or `pay e from a to b` for money",
    ),
    (BODY + r"(?:call|do|run|await|goto) ¦", "call a procedure by its name alone: `name(…)`"),
    (BODY + r"pay .*¦to\b", "write `pay e from a to b`, in this order"),
    (BODY + r"move .*¦from\b", "give the number: `move 1 of pile from place to place`"),
    (BODY + r"move ¦of\b|move \w+ ¦of\b|move all\b.*¦", "give the number: `move 1 of pile from place to place`"),
    (BODY + r"end game ¦by\b|end game won ¦", "write `end game won by {p}`"),
    (
        r"[-+*/%|&(,=]\s*¦$|\b(?:and|or|not|to|in|where)\s*¦$|¦\\",
        "put an expression that spans several lines in brackets",
    ),
    (r"¦\{|\{ ?¦$|^\w*: ¦\}|^head: ¦?\}", "remove the braces: a block begins with `:` and is indented"),
    (
        r"\b(?:if|elif|for|match)\b.*¦(?:set|pay|move|end|let|return|leave|again|pass|then)\b",
        "write a `:` before the body",
    ),
)

_DECISIONS = (
    (r"\boptions? \w+.*¦->", "remove the type: an option has no value, and its body sets state"),
    (
        r"\boption \w+(?:\([^()]*(?:\([^()]*\)[^()]*)*\))? ?¦(?:if|where|when|require|unless)\b",
        "put a condition on a parameter in the brackets, `(x in s where c)`, others in the body, `require c`",
    ),
    (r"\boption \w+(?: by .*)? if .*¦:", "put a condition of an option in its body: `require c`"),
    (
        r": (?:option|decide|chance|procedure|def)\b.*[\w)] ¦\"[^\"]*\" ?:?$",
        "move the description to the first line of the body",
    ),
    (r"\boption \w+\(.*\bin .*¦\?", "write `x in s or none` to allow none"),
    (r"\boption \w+\(.*, ?where ¦", "remove the comma before `where`"),
    (
        r"\boption \w+\(.*\bin \S+ ¦to\b|\boption \w+\(\w+ ¦from\b|\boption .*\bin \w+ ¦\d",
        "write numbers as a range: `(n in 1 .. 3)`",
    ),
    (r"\boption \w+\(.*\bin set ¦", "write the name of the kind, or any other set, without `set`: `(x in kind)`"),
    (r"\boption \w+\(.*¦=(?!=)", "remove the default, and add an option without the parameter"),
    (
        r"\boption \w+\((?:.*, *)?\w+ ?¦",
        "write the values of the parameter, a set or numbers: `(x in kind)`, `(n in 1 .. 3)`",
    ),
    (BODY + r"(?:option|include) ?¦", "move options into the block of a `decide … by …:`"),
    (BODY + r"decide by ¦", "name the decision: `decide name by player:`"),
    (
        BODY + r"decide \w+ by (?:¦?(?:all|each|every|everyone|everybody|any)\b)",
        "write `decide name together by p in s:` for a decision of all players",
    ),
    (BODY + r"decide \w+ together .*¦:|decide \w+ together ?¦", "write `decide name together by p in s:`"),
    (BODY + r"decide .* if .*¦:", "put the `decide` into the block of an `if …:`"),
    (r"\bweight ?¦:", "write the weight as a number: `weight 2`"),
    (r"\boption [^:]*: ¦[\w(]", "write statements as the body of an option: its effects, or `pass`"),
    (BODY + r"chance \w+ ¦by\b", "remove `by`: nobody decides a `chance`"),
    (
        BODY + r"chance \w+ ¦in\b",
        "write each result of a `chance` as an option in its block: `option face(n in 1 .. 6):`",
    ),
)

_PATH = (
    "write the parts of a path in this order: `path(x from s to y in t where c once u counts k within n until none)`"
)
_TRAIL = "write the parts of a trail in this order: `trail(x from s to y in t where c once u counts k within n)`"
_LONGEST = "write `longest(way in path(x from s to y in t once u within n) worth w, else d)`"
_OUT_OF_ORDER = r"(?:[,:]|(?:once|where|counts|within|costs|at|max|up|by|with|length)\b)"
_SEARCHES = (
    (
        r"\btrail\(\w+ ¦in path\(|\btrail\(path¦\(",
        "write `trail(x from s to y in t once u within n)`: a trail names no path",
    ),
    (r"\btrail\(\w+ ¦in\b", "write the set where the trail begins: `trail(x from s to y in t once u within n)`"),
    (r"\btrail\(.*¦until\b", "remove `until`, and restrict the steps by `where`: a trail goes as far as it can"),
    (r"\btrail\(.*¦worth\b", f"for the greatest worth of a path, {_LONGEST}"),
    (r"\btrail\((?!.*\bwithin\b.*¦).*¦\)", "add a limit: `trail(x from s to y in t once u within n)`"),
    (r"\btrail\(.*¦" + _OUT_OF_ORDER, _TRAIL),
    (r"\blongest\(\w+ ¦from\b", f"put the path into separate brackets: {_LONGEST}"),
    (r"\blongest\(path¦\(", f"name the path: {_LONGEST}"),
    (r"\blongest\(.*\bwithin [^()]*¦worth\b", f"move `worth` after the brackets of `path(…)`: {_LONGEST}"),
    (r"\blongest\(.*\bworth .*¦else\b", "write a comma before `else`: `worth w, else d`"),
    (r"\blongest\(.*¦(?:\)|,|costs\b)", f"add the worth of a path: {_LONGEST}"),
)
_PATHS = (
    *_SEARCHES,
    (r"\bpath\(\w+ ¦in\b", "write the set where the path begins: `path(x from s to y in t within n)`"),
    (r"\bpath\(.*\bto \w+ ¦(?!in\b)", "add the targets of a step: `path(x from s to y in t within n)`"),
    (
        r"\bpath\(.*\buntil ¦",
        "write `until none` for paths that go as far as they can, or restrict the steps by `where`",
    ),
    (r"\bpath\((?!.*\bwithin\b.*¦).*¦\)", "add a limit: `path(x from s to y in t within n)`"),
    (r"\bpath\(.*¦" + _OUT_OF_ORDER, _PATH),
)

_CHOSEN = "write a number, then `of` a set or pieces in a place: `choose 2 of s`, `choose 0 .. 3 of pile.place`"
_SEVERAL = (
    (
        r"\b(?:for|any|all|count|sum|first)\b.*\bin choose ¦",
        "move `choose` into a parameter of an option: `option name(two in choose 2 of s)`",
    ),
    (
        r"\bin choose .*\bof .*¦\.\.",
        "write numbers as a range without `choose`, `(n in 1 .. 6)`, or choose from a set, `choose 2 of s`",
    ),
    (r"\bin choose (?!.+ of .*¦).*¦", _CHOSEN),
    (
        r"\boption \w+\(.*\bin (?:pick|any|some|exactly|subset|subsets) ¦",
        "write `choose` for several members: `(two in choose 2 of s)`, `(lot in choose 0 .. 3 of pile.place)`",
    ),
)

_DRAWS = (
    (BODY + r"roll .*\) ?¦by\b", "remove `by`, or write `choose`: nobody decides a `roll`"),
    (
        BODY + r"(?:roll|choose) .*¦:",
        "remove the `:`, and continue below without indentation: the parameters are known to the end of this block",
    ),
    (BODY + r"choose .*\) ?¦(?:$|weight)", "name the chooser: `choose name(x in s) by p`"),
    (BODY + r"roll(?: \w+)? ?¦|roll \w+\(\w* ?¦", "write `roll name(n in 1 .. 6)`"),
    (BODY + r"choose(?: \w+)? ?¦|choose \w+\(\w* ?¦", "write `choose name(x in s) by p`"),
)

_EXPRESSIONS = (
    (r"\b(max|min)\(.*\bfor\b[^()]*, ?¦(?!else)", r"write `for` before each variable: `\1(e for x in a for y in b)`"),
    (r"\b(sum|union)\(.*\bfor\b[^()]*¦,", r"write `for` before each variable: `\1(e for x in a for y in b)`"),
    (r"\b(any|all)\(\w+ in [^()]*¦,(?! *\w+ in\b)", r"write a colon before the condition: `\1(x in s: c)`"),
    (r"\b(count|any|all)\(\w+ in [^()]*¦,", r"write `for` before the next variable: `\1(x in a for y in b …)`"),
    (r"\b(sum|max|min|union)\(\w+ in [^()]*¦[:)]", r"write `\1(e for x in s)`"),
    (r"\{\w+ ?¦:|\{\w+ in [^{}]*¦:", "write `{x in s where c}`"),
    (
        r"\b(any|count|first)\((?:.*\bin [^()]*¦(?::|for)|.*¦(?:for|where)\b|[^()]*¦.*\bfor\b)",
        r"write `\1(x in s where c)`",
    ),
    (
        r"\ball\([^:]*\bin\b[^:]*\bwhere\b[^:]*¦\)",
        "write the condition for all members after a colon: `all(x in s: c)`; `where` only selects the members",
    ),
    (r"\ball\(.*¦", "write `all(x in s: c)`"),
    (r"\bnone ?¦\(", "write `not any(x in s: c)`"),
    (
        r"\b(?:exists|every|forall|some)(?:\(.*¦| ¦\w+ in\b)",
        "write `any(x in s: c)` or `all(x in s: c)`",
    ),
    (
        r"\bbest\([^()]*\bin\b.*¦\)",
        "add `by` and a key: `best(x in s by e)`; for all with a condition, write `{x in s where c}`",
    ),
    (r"\bin (?!.*\belse\b).*? if .*¦[):,]", "write a condition on the members of a set after `where`"),
    (r"(?:sum|max|min|count|union|any|all)\(\[[^\]]*¦", "remove the square brackets"),
    (r"¦\[|\bin \([^()]*¦,", "write a set in braces: `{a, b}`"),
    (r"\w¦!\.", "write `?.` to pass none on, or check the value first: `if … is some as x:`"),
    (r"\w¦\?\[|\?¦\[", "write `… if e is some as x else …`: only a name may follow `?.`"),
    (r"\bis some ¦as\b", "move `as` into the condition of an `if`: `… if e is some as x else …`"),
    (
        r"\bmatch ¦[\w(]",
        "write a `match` with a value directly after `let x =`, `set x to`, `return`, or the line end of a `:`",
    ),
    (r"¦\?.*:|¦\? ", "write `a if c else b`"),
    (r"\w¦\?", "test for none with `is some` or `is none`"),
    (r"\d¦?\.¦?\d|¦\.\d", "write a whole number: there are no fractions"),
    (r"\d¦[,_]\d", "write a number with digits alone"),
    (r"\d+ ?¦\.\.", "compare with `a <= n and n <= b`: a range is only allowed in a parameter of an option"),
    (r"\*¦\*|¦\^", "multiply: there is no operator for powers"),
    (r"^\w*: ¦?(?://|/\*|--)|¦/\*|¦//", "start a comment with `#`"),
    (r"/¦/", "write `/` to divide and round down, or `#` for a comment"),
    (r"¦mod\b", "write `%` for the remainder"),
    (r"¦div\b", "write `/` to divide and round down"),
    (r"\+¦\+|-¦-", "write `x + 1`"),
    (r"-¦>|¦(?:->|::)", "write a dot before a member of an entity: `entity.name`"),
    (r"\w\((?:[^()]*, *)?\w+ ?¦= ?\w", "write arguments in their order, without names, or `==` for equal"),
    (
        r" if .*¦(?:[):,]|$)",
        "add the other value, `a if c else b`, or move a conditional statement into the block of an `if c:`",
    ),
    (r"\blambda\b", "write a `def`: rules are not values"),
    (r"^head: \w+ ¦\"", "write the name without quotes"),
    (
        r"^(?:def|invariant): \"[^\"]*\"¦",
        "write an expression below the text, which only describes it: values cannot be text",
    ),
    (r"^head: .*¦\"", "move the text to the first line of the indented body"),
    (
        r"^\w+: ¦\"",
        "move a description to the first line of its block, or write `# …`",
    ),
    (r"¦\"", "write entities and values of settings without quotes: expressions contain no text"),
    (BODY + r"pay .*¦", "write `pay e from a to b`, between accounts"),
    (BODY + r"move .*¦", "write `move 1 of pile from place to place`"),
)

_WHOLE_PLAN = "put a condition on the whole plan into the option that ends it: `option done:`, `require …`, `leave`"
_FORMS = (
    (r"^head: ¦needs\b.*(?:rulespec|[<>])", "move the required version to `game.yaml`: `needs: rulespec >=0.2`"),
    (
        r"\bset ¦?set\b|\bset \w+ ¦set\b",
        "choose a set by a parameter, `two in choose 2 of s`: a set cannot contain sets",
    ),
    (r"\blet (\w+) = \{\w+ ?¦:", r"write a table with a value for each member of a kind: `let \1[x in kind] = 0`"),
    (
        r"\blet (\w+) ?¦: ?(?:\w+ )?\w+ ?\[",
        r"write a table with a value for each member of a kind: `let \1[x in kind] = {}`",
    ),
    (
        r"\blet \w+\[\w+ in \S+ ?¦\.\.",
        "declare a kind, such as a track: a table has a value for each member of a kind, not for numbers",
    ),
    (r"\bsum\(\w+ ?¦\)", "write `sum(e for x in s)`, or `count(s)` for the number of members"),
    (r"^(?:def|procedure): \w+\(.*\) ¦at most\b", "move the depth to the head: `procedure name(…) at most 12 deep:`"),
    (
        r"\bcase [^:]* if .*¦:",
        "move the condition into the value of the case, or into an `if` in its block: a `case` names only entities",
    ),
    (r"^\w+: ¦(\w+) ?(?:=>|->)", r"write `case \1: …`"),
    (r"\bmatch ?¦:", "name the subject, `match e:`, or write conditions as `if … elif … else`"),
    (
        r"^def: let ¦\w+ ?=",
        "move `let` before the `match`: in a definition, it comes before the value",
    ),
    (r"¦\?:", "write `??` before the value that replaces none: `e ?? 0`"),
    (r"^\w+: for .*¦until\b", "write `turns p in s until all pass:` for repeated rounds, or `leave` to end the loop"),
    (r"^\w+: \w+ ¦pass(?:es)?\b", "write `pass turn`"),
    (r"^\w+: for ¦\(\w+, *\w+\)", "write `for x in s:`, or `for x to y in way:` for the steps of a path"),
    (r"^\w+: for \w+ ?¦,.* in (\w*way|path|route)\b", r"write `for x to y in \1:` for the steps of a path"),
    (
        r"\b(?:shortest|nearest|quickest|distance|dist)\(\w+ ¦from\b",
        "write `cheapest(x from s to y in t costs 1 until c)`",
    ),
    (
        r"\bpath\((?!\w+ from\b)[^()]*¦",
        "write a set where the path begins, then its steps: `path(x from s to y in t within n)`",
    ),
    (
        r"\bpath\(\w+ ¦(?!from\b|in\b)",
        "write a set where the path begins, then its steps: `path(x from s to y in t within n)`",
    ),
    (
        BODY + r"(?:plan|transaction|propose|proposal) ¦\w+ by\b",
        "write `draft name by p:` for a plan that may be withdrawn",
    ),
    (
        r"\w+: (?:option \w+.*: ?)?(?:commit|confirm|accept|submit|finish) ?¦$",
        "write `leave` to end a draft, for example in an option called `done`",
    ),
    (r"^(?:procedure|options|extend): ¦require\b", f"write only options here; {_WHOLE_PLAN}"),
    (
        r"^(?:procedure|options|extend): ¦for \w+ in\b",
        "write `option name(x in s)` for an option per member, `with x in s:` for several options per member",
    ),
    (
        r"\bin choose (?:(?:up to|at most|max) ¦?|up ¦to |at ¦most )\w",
        "write a range of numbers: `choose 0 .. 3 of …`",
    ),
    (
        r"\bin choose (?:all|any|some) ?¦of\b",
        "write how many, `choose 0 .. count(s) of s`; if all are meant, there is nothing to choose",
    ),
    (
        BODY + r"choose .*\) by .* ¦weight\b",
        "remove `weight`, or write `roll name(x in s) weight w`: a player chooses without weights",
    ),
)

_GROUPS = (
    FIRST_TRIES,
    _FORMS,
    CHANGES,
    HEADS,
    ONE_EXPRESSION,
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
    """The help for a syntax error that follows a habit from another language; "" for other errors.

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
