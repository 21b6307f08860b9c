"""The valid words of a ruleset, cached on disk."""

from __future__ import annotations

from itertools import chain

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from rulespec import cache
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.engine.words.titles import Key, Titles, languages, read_titles
from rulespec.ruleset_files import Files
from rulespec.typed import nodes as typed


class _Fitting(Struct, array_like=True, forbid_unknown_fields=True):
    """The validity of a language's words for their ruleset.

    Attributes:
        unfit: the invalid texts, which belong to lower layers.
        internal: the state used only by the rules.
        actors: the decisions at which a seat acts for another entity.
    """

    unfit: list[Key]
    internal: list[str]
    actors: list[str]


_FITTING = msgspec.json.Decoder(_Fitting)
_ROOMS = (*cache.LANGUAGE, "engine/words")


def check_words(ruleset: typed.Ruleset, report: Report, files: Files | None = None) -> None:
    """Reports faults in a ruleset's words, in all languages. `files` provides the files; by default, they come from
    disk.
    """
    result, cached = Report(), files is None or files.cached
    try:
        own = read_titles(ruleset, "", result, files)
        fitting_titles(ruleset, own, own, result, cached=cached)
        for language in languages(ruleset):
            fitting_titles(ruleset, read_titles(ruleset, language, result, files), own, result, cached=cached)
    except DiagnosticsError as error:
        result.extend(error.diagnostics)
    report.extend(result.diagnostics)


def fitting_titles(
    ruleset: typed.Ruleset, titles: Titles, own: Titles, report: Report, *, cached: bool = True
) -> Titles:
    """The texts in a language that are valid for the ruleset; reports the invalid words of the topmost layer.

    Args:
        ruleset: the ruleset.
        titles: the words of a language.
        own: the default words, which define the actors.
        report: the report that receives the diagnostics.
        cached: whether to use the cache on disk, which is not worthwhile for texts that change with every keystroke.
    """
    sources = chain.from_iterable((*own.sources.items(), *titles.sources.items()))
    key = cache.key("titles", ruleset.sources_hash, *sources, rooms=_ROOMS) if cached else ""
    fitting = cache.read(key, _FITTING) if key else None
    if fitting is None:
        result = Report()
        fitting = _checked(ruleset, titles, own, result)
        if key and not result.diagnostics:
            cache.write(key, fitting)
        report.extend(result.diagnostics)
    unfit = set(fitting.unfit)
    texts = {name: text for name, text in titles.texts.items() if name not in unfit}
    internal = {name: titles.internal[name] for name in fitting.internal if name in titles.internal}
    named = ((name, titles.actors.get(name, titles.actor)) for name in fitting.actors)
    actors = {name: e for name, e in named if e is not None}
    return replace(titles, texts=texts, internal=internal, actor=None, actors=actors)


def _checked(ruleset: typed.Ruleset, titles: Titles, own: Titles, report: Report) -> _Fitting:
    from rulespec.engine.words.check import TextCheck  # lazily: texts are checked once
    from rulespec.engine.words.lookalikes import warn_of_lookalikes

    check = TextCheck(ruleset, own, report)
    unfit = [key for key, text in titles.texts.items() if not check.fits(*key, text)]
    warn_of_lookalikes(ruleset, titles, own, report)
    if titles is not own:
        return _Fitting(unfit, [], [])
    internal = [name for name, e in own.internal.items() if check.has_state(name, e)]
    return _Fitting(unfit, internal, check.all_actors())
