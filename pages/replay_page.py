"""The page of a replay: a board, its moves and charts in one HTML file, small enough to e-mail."""

from __future__ import annotations

from html import escape
from string import Template
from typing import TYPE_CHECKING

from rulespec.diagnostics.report import Report, failure
from rulespec.engine.replay.replay import ReplayResult
from rulespec.pages.document import VIEWER_SCRIPTS, document, own_file
from rulespec.pages.replay_data import Replay, told_replay
from rulespec.pages.study_parts import StudyParts

if TYPE_CHECKING:
    from rulespec.engine.corpus.position_moves import MoveCounts

MAX_BYTES = 32_000_000
"""The maximum size of a page in bytes: the most that mail services accept and phones can open."""
_STYLES = ("vendor/uplot/uPlot.min.css", "viewer.css")


def replay_page(
    result: ReplayResult,
    seat: str | None,
    language: str | None = None,
    report: Report | None = None,
    counts: MoveCounts | None = None,
    *,
    reasons: bool = False,
    parts: StudyParts | None = None,
) -> str:
    """The page of a replayed log.

    Args:
        result: the log.
        seat: the reader (None for everybody); `OMNISCIENT` sees everything.
        language: the language of the texts; None for the ruleset's language.
        report: receives the warning that words and measures take too long to evaluate (RS575).
        counts: the options taken in an archive, shown only to omniscient readers.
        reasons: whether each move lists the statements behind its changes, with their values.
        parts: variations and opinions; None for the variations of the log.

    Raises:
        DiagnosticsError: RS574 if it would be too large; RS534 if there is no such language.
    """
    replay = told_replay(result, seat, language, counts, reasons=reasons, parts=parts)
    if report is not None:
        report.extend(replay.warnings)
    text = document(
        f"{replay.title} · {replay.about}",
        language=replay.language,
        styles=[own_file(name) for name in _STYLES],
        body=_body(replay),
        data=replay.data,
        scripts=[own_file(name) for name in VIEWER_SCRIPTS],
    )
    if len(text) > MAX_BYTES:
        message = f"the page has {len(text):,} characters, but browsers become slow beyond {MAX_BYTES:,}"
        raise failure("RS574", message, None, help="show the beginning of the game: --until N")
    return text


def _body(replay: Replay) -> str:
    """The elements of the page, to be filled by its script."""
    licence = own_file("vendor/uplot/LICENSE")
    notice = f"<!-- The charts are drawn by uPlot, https://github.com/leeoniya/uPlot:\n{licence}-->\n"
    body = Template(own_file("viewer.html"))  # in one pass, so that a `$` in a text is kept
    words = {name: escape(text) for name, text in replay.words.items()}
    return notice + body.substitute(words, title=escape(replay.title), about=escape(replay.about), board=replay.board)
