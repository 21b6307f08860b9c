"""What can be wrong, where, and how to get out of it: diagnostics are frozen data, rendered elsewhere."""

from __future__ import annotations

import difflib
import heapq
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import islice

from msgspec import Struct

from rulespec.errors import RulespecError

# Code → title. A code, once released, keeps its meaning. Families: RS1xx reading files and YAML, RS2xx names and the
# shape of files, RS3xx types, units and resources, RS4xx termination, flow and unused parts, RS5xx overlays and
# references, RS6xx logs and dialects, RS7xx faults at run time, RS8xx scenarios, RS9xx the program itself.
CODES: dict[str, str] = {
    "RS101": "the file cannot be read",
    "RS102": "not a regular file",
    "RS103": "the file is too large",
    "RS104": "the file is not UTF-8 text",
    "RS105": "a character that does not belong in a text file",
    "RS106": "a path leads out of its folder",
    "RS107": "the files are too much together",
    "RS108": "a ruleset that is too large",
    "RS109": "a file that is not read where it is",
    "RS111": "not valid YAML",
    "RS112": "nested too deeply",
    "RS113": "too many values in one file",
    "RS114": "YAML anchors and aliases are not allowed",
    "RS115": "YAML tags and directives are not allowed",
    "RS116": "more than one YAML document in a file",
    "RS117": "YAML merge keys are not allowed",
    "RS118": "a key that is not a plain word",
    "RS119": "the same key twice",
    "RS121": "a word that YAML readers disagree about",
    "RS122": "a number that is not a plain decimal whole number",
    "RS123": "text that YAML readers take for a time or a date",
    "RS131": "not valid in the rules language",
    "RS132": "a character that the rules language does not know",
    "RS133": "wrong indentation",
    "RS134": "a number with too many digits",
    "RS135": "rules nested too deeply",
    "RS136": "a file that cannot be formatted",
    "RS211": "unknown key",
    "RS212": "missing key",
    "RS213": "wrong type of value",
    "RS214": "not one of the allowed values",
    "RS215": "not of the required form",
    "RS216": "number out of range",
    "RS217": "too many or too few",
    "RS218": "the same value twice",
    "RS219": "fits none of the allowed forms",
    "RS220": "not what the schema asks for",
    "RS221": "nothing has this name",
    "RS222": "a name that may mean several things",
    "RS223": "a name that is taken",
    "RS224": "not a type that can stand here",
    "RS225": "no such fact, state or place",
    "RS226": "the wrong number of arguments",
    "RS227": "not a value that can stand here",
    "RS228": "something is not said that must be",
    "RS229": "not used as it is meant",
    "RS230": "a two-way link with only one side",
    "RS231": "a region that nobody can reach",
    "RS232": "a region that names one it does not touch",
    "RS233": "a table with a gap",
    "RS234": "rows out of order",
    "RS235": "a look-up that may find no row",
    "RS236": "a set-up that leaves out a number of players",
    "RS237": "pieces of a set-up that do not add up",
    "RS238": "a region that lacks what those like it have",
    "RS239": "a rule that is not listed",
    "RS301": "types that do not fit",
    "RS302": "units that do not fit",
    "RS303": "a value that may be none",
    "RS304": "only variables and state can be set",
    "RS305": "only money is paid, only pieces are moved",
    "RS306": "accounts of different units",
    "RS307": "outside its range",
    "RS309": "a test that never fails",
    "RS310": "division by zero",
    "RS401": "a rule that calls itself",
    "RS402": "a loop that need not end",
    "RS403": "a `match` that leaves cases out",
    "RS404": "never reached",
    "RS405": "never used",
    "RS406": "`require` in the wrong place",
    "RS407": "nothing to leave or to go on with",
    "RS408": "not possible in a decision taken together",
    "RS409": "the same case twice",
    "RS410": "rules call one another too deeply",
    "RS411": "an expression that may take too long",
    "RS412": "an option that is never legal",
    "RS501": "no such ruleset",
    "RS502": "no such overlay",
    "RS503": "an overlay's path leads nowhere",
    "RS504": "an overlay's change changes nothing",
    "RS505": "two overlays change the same thing",
    "RS506": "an overlay for another ruleset",
    "RS507": "a ruleset that extends itself",
    "RS508": "an overlay adds what exists already",
    "RS509": "an overlay's rule has nothing to stand for",
    "RS511": "a rule must keep its parameters",
    "RS512": "an overlay that includes itself",
    "RS513": "an overlay for another version",
    "RS514": "an overlay leaves something unused",
    "RS601": "the log cannot be read",
    "RS602": "the log is too large",
    "RS603": "the last line of the log is cut off",
    "RS604": "not JSON",
    "RS605": "a log of another version",
    "RS607": "a line of the log has another form",
    "RS612": "a foreign log that is not JSON",
    "RS613": "a foreign log of another form",
    "RS614": "a foreign log that is too long",
    "RS615": "no such dialect",
    "RS616": "a kind of log that nothing here knows",
    "RS617": "the ruleset of a log does not fit",
    "RS618": "a log of another version of its ruleset",
    "RS620": "a foreign log does not name its players",
    "RS621": "a foreign log names an option nobody knows",
    "RS622": "a mistake in an expression of a dialect",
    "RS623": "most of a foreign log is not legal",
    "RS701": "the game needs too many cells",
    "RS702": "a start value that is not possible",
    "RS703": "the rules are at fault",
    "RS704": "the rules do not come to a decision",
    "RS705": "no such option",
    "RS706": "not a value of this option",
    "RS707": "not for so many players",
    "RS708": "not a name for a seat",
    "RS709": "a set-up that breaks an invariant",
    "RS710": "a start that takes too long to try out",
    "RS711": "a decision without a legal option",
    "RS712": "an invariant that the rules can break",
    "RS713": "turns that can go on for ever",
    "RS714": "a position without a way to the end",
    "RS715": "an option that is never offered",
    "RS801": "nothing that can be given",
    "RS802": "not enough pieces",
    "RS803": "not a call of a procedure",
    "RS811": "two scenarios have the same id",
    "RS812": "a scenario does not come out as expected",
    "RS813": "what a scenario gives does not fit",
    "RS814": "a step of a scenario is not possible",
    "RS815": "an expression of a scenario has no value",
    "RS816": "an invariant is broken in a scenario",
    "RS821": "a recorded game is not legal to its end",
    "RS822": "not something that can be expected of a game",
    "RS823": "a recorded game ends otherwise than expected",
    "RS824": "a recorded game breaks an invariant",
    "RS831": "a perft differs from what is recorded",
    "RS832": "a recorded game has no such position",
    "RS841": "a reason for what is run",
    "RS901": "a mistake of the program itself",
    "RS902": "so many errors that the rest is not looked for",
    "RS903": "the program does not do what holds of every game",
}

MAX_ERRORS = 200
"""Of one run. Nobody reads more, and a hostile file may cause any number."""

_WORD_LIMIT = 64  # difflib is quadratic in the length of a word
_CANDIDATE_LIMIT = 500
_COMPARED = 30
_QUOTED = re.compile(r"`([^`]*)`")
_RIVAL = 0.1  # a second candidate whose likeness is that near to the best one's may be meant just as well


class Span(Struct, frozen=True, order=True, gc=False):
    """A stretch of text in a file. Lines and columns count from 1, in characters; `end_column` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of `other`, which is later in the same file."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


class Label(Struct, frozen=True):
    """A second place that explains a diagnostic, and what is to be seen there."""

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """A mend that is certain: what stands at `span` becomes `text`. An empty span is a place where text is put in."""

    span: Span
    text: str


class Severity(StrEnum):
    """How bad it is: an error makes the ruleset or log unusable, a warning does not."""

    ERROR = "error"
    WARNING = "warning"


class Diagnostic(Struct, frozen=True):
    """One finding.

    Attributes:
        code: a stable key of `CODES`.
        severity: error or warning.
        message: one sentence on the cause.
        span: the place, or None where there is none (a file that does not exist and was not named in a file).
        label: a few words written under the place.
        notes: further places that matter, such as the declaration that a use contradicts.
        help: the way out, one or more lines.
        fix: the mend, where it is certain.
    """

    code: str
    severity: Severity
    message: str
    span: Span | None
    label: str = ""
    notes: tuple[Label, ...] = ()
    help: str = ""
    fix: Fix | None = None


class DiagnosticsError(RulespecError):
    """A failure that stops the work at hand; `diagnostics` says why."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(
            f"{d.span}: {d.message} [{d.code}]" if d.span else f"{d.message} [{d.code}]" for d in self.diagnostics
        )


class Report:
    """Collects diagnostics, so that one run tells everything that is wrong."""

    def __init__(self) -> None:
        # A dict keeps the order in which they came; the key makes a repetition of the same finding vanish.
        self._found: dict[tuple[str, str, Span | None], Diagnostic] = {}
        self._errors = 0

    def add(self, diagnostic: Diagnostic) -> None:
        """Adds a diagnostic, unless the same finding at the same place is there already."""
        key = (diagnostic.code, diagnostic.message, diagnostic.span)
        if key not in self._found:
            self._found[key] = diagnostic
            self._errors += diagnostic.severity is Severity.ERROR

    def extend(self, diagnostics: Iterable[Diagnostic]) -> None:
        """Adds several diagnostics, such as those of a `DiagnosticsError`."""
        for diagnostic in diagnostics:
            self.add(diagnostic)

    def error(
        self,
        code: str,
        message: str,
        span: Span | None,
        label: str = "",
        notes: Iterable[Label] = (),
        help: str = "",  # noqa: A002 - the name of the field it fills
    ) -> None:
        """Adds an error; the parameters are the fields of `Diagnostic`.

        Raises:
            DiagnosticsError: with everything collected so far, if there are `MAX_ERRORS` of them.
        """
        self.add(Diagnostic(code, Severity.ERROR, message, span, label, tuple(notes), help))
        if self._errors >= MAX_ERRORS:
            enough = f"there are {MAX_ERRORS} errors or more: the rest is not looked for"
            self.add(Diagnostic("RS902", Severity.ERROR, enough, None, help="mend these first"))
            self.raise_if_errors()

    def warning(
        self,
        code: str,
        message: str,
        span: Span | None,
        label: str = "",
        notes: Iterable[Label] = (),
        help: str = "",  # noqa: A002 - the name of the field it fills
    ) -> None:
        """Adds a warning; the parameters are the fields of `Diagnostic`."""
        self.add(Diagnostic(code, Severity.WARNING, message, span, label, tuple(notes), help))

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All findings in the order of file, line, column and code; those without a place come first."""
        return tuple(sorted(self._found.values(), key=_place))

    @property
    def ok(self) -> bool:
        """Whether there is no error. Warnings do not count."""
        return self._errors == 0

    @property
    def errors(self) -> int:
        """How many errors there are."""
        return self._errors

    def raise_if_errors(self) -> None:
        """Raises `DiagnosticsError` with everything collected so far, if any of it is an error."""
        if not self.ok:
            raise DiagnosticsError(self.diagnostics)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    span = diagnostic.span
    if span is None:
        return ("", 0, 0, diagnostic.code)
    return (span.file, span.line, span.column, diagnostic.code)


def did_you_mean(word: str, candidates: Iterable[str]) -> str:
    """A hint such as "did you mean `ionian_sea`?", or "" if no candidate is close; of two that are as close, both.

    The work is bounded: only the first few hundred candidates of ordinary length are looked at.
    """
    if len(word) > _WORD_LIMIT:
        return ""
    pool = [c for c in islice(candidates, _CANDIDATE_LIMIT) if 0 < len(c) <= _WORD_LIMIT and c != word]
    folded = word.casefold()
    best = [c for c in pool if c.casefold() == folded] or difflib.get_close_matches(word, _likely(word, pool), n=3)
    rivals = list(dict.fromkeys(best))
    if len(rivals) > 1:
        least = _likeness(word, rivals[0]) - _RIVAL
        rivals = [c for c in rivals if _likeness(word, c) > least][:2]
    return f"did you mean {' or '.join(f'`{c}`' for c in rivals)}?" if rivals else ""


def nearest(word: str, places: Mapping[str, Span | None]) -> tuple[str, tuple[Label, ...]]:
    """The hint of `did_you_mean`, and a note at each thing that it names.

    Args:
        word: the name that nothing has.
        places: where the things that could be meant are declared, by their names; None for words of the language.
    """
    hint = did_you_mean(word, places)
    spans = [(name, places.get(name)) for name in _QUOTED.findall(hint)]
    return hint, tuple(Label(span, f"`{name}` is declared here") for name, span in spans if span is not None)


def _likely(word: str, pool: list[str]) -> list[str]:
    """The candidates that have most letters in common with a word: only those are worth comparing letter by letter."""
    letters = Counter(word)
    return heapq.nlargest(_COMPARED, pool, key=lambda c: (letters & Counter(c)).total() / (len(word) + len(c)))


def _likeness(word: str, other: str) -> float:
    return difflib.SequenceMatcher(None, other, word).ratio()


def shown(text: str, limit: int = 60) -> str:
    """Text from a file as it may stand in a message: in backticks, on one line, and cut after `limit` characters."""
    line = text[: limit + 1].replace("\n", "\\n")
    return f"`{line}`" if len(line) <= limit else f"`{line[:limit]}…`"
