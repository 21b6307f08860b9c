"""The replay page of a table, with the viewer's variations and a bot's opinions."""

from __future__ import annotations

from msgspec import Struct

from rulespec.engine.bots.opinions import JUDGE, opinions
from rulespec.engine.game.game import Game, as_shown
from rulespec.engine.game.omniscient import OMNISCIENT
from rulespec.engine.game.option import Option
from rulespec.engine.game.seat_knowledge import NotFoundError
from rulespec.engine.logs.variations import Anchored
from rulespec.engine.replay.replay import ReplayResult
from rulespec.engine.words.narrator import Narrator
from rulespec.engine.words.words import Words
from rulespec.pages.replay_page import replay_page
from rulespec.pages.study_parts import StudyParts
from rulespec.serve.hall import Hall
from rulespec.serve.line_desk import private_anchors
from rulespec.serve.live import Live
from rulespec.serve.past_process import PastGame, game_of
from rulespec.serve.published import anchors


class StudyRequest(Struct, frozen=True):
    """A request for a replay page.

    Attributes:
        past: the game.
        viewer: the reader (None for everybody); `OMNISCIENT` sees everything.
        language: the language of the texts.
        about: the line below the title.
        variations: the viewer's own variations and the published ones.
        judged: the seats on whose decisions a bot gives opinions; empty if there are no opinions.
    """

    past: PastGame
    viewer: str | None
    language: str
    about: str
    variations: tuple[Anchored, ...] = ()
    judged: tuple[str, ...] = ()


def study_of(request: StudyRequest) -> str:
    """The replay page; runs in a separate process.

    Raises:
        DiagnosticsError: if it would be too large.
    """
    game = game_of(request.past)
    words = Words(game.ruleset, request.language)

    def text(at: Game, option: Option) -> str:
        return Narrator(words, at, request.viewer).option(option)

    judged = opinions(game, JUDGE, request.judged, text) if request.judged else ()
    bot = JUDGE if request.judged else ""
    parts = StudyParts(request.variations, bot, tuple(judged), request.about, at_end=True)
    result = ReplayResult("game.jsonl", game, None, [*game.history], [*range(game.ply)])
    return replay_page(result, request.viewer, request.language, parts=parts)


def gives_opinions(hall: Hall) -> bool:
    """Whether a bot of the server can give opinions; search bots need an extra dependency."""
    return any(bot.startswith("flat") for bot in hall.bots)


def may_judge(hall: Hall, live: Live) -> bool:
    """Whether a bot may give opinions at a table: after the end of the game, or in a copy if the owner permits it."""
    if not gives_opinions(hall):
        return False
    if not live.table.alone:
        return live.table.game.is_over
    origin = live.origin
    table = hall.games.get(origin.table) if origin is not None else None
    return table is not None and (table.table.aside.opinions or table.table.game.is_over)


async def study(hall: Hall, live: Live, viewer: str | None) -> str:
    """The replay page that a viewer sees."""
    async with live.lock:
        request = _request(live, viewer)
    return str(await hall.ask(study_of, request))


async def opinion(hall: Hall, live: Live, viewer: str | None) -> str:
    """The replay page with a bot's opinions on the decisions that the viewer can see.

    Raises:
        NotFoundError: if opinions are not allowed yet, or are already being computed.
    """
    async with live.lock:
        if not may_judge(hall, live):
            raise NotFoundError("bot opinions are available after the end, or in a copy if the owner allows it")
        if live.judging:
            raise NotFoundError("an opinion is already being computed")
        request = _request(live, viewer, judges=True)
        if not request.judged:
            raise NotFoundError("in a game with secrets, spectators get no bot opinions")
        live.judging = True
    try:
        return str(await hall.ask(study_of, request))
    finally:
        live.judging = False


def _request(live: Live, viewer: str | None, *, judges: bool = False) -> StudyRequest:
    table = live.table
    eyes = OMNISCIENT if table.is_revealed else viewer
    game = as_shown(table.game, eyes)
    whole = table.is_revealed or not game.omniscient.secretive
    seats = game.seats if whole or table.alone else (viewer,) if viewer is not None else ()
    noted = () if table.alone else (*anchors(live.notes(viewer, whole=whole)), *private_anchors(live, viewer))
    house = [each["title"] for each in live.rules.house_rules]
    about = " · ".join([*house, ", ".join(game.shown_names.values()), live.rules.words.word("decisions", game.ply)])
    return StudyRequest(live.past(eyes), eyes, live.rules.words.language, about, noted, tuple(seats) if judges else ())
