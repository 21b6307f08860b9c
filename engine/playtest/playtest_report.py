"""The report of a playtest as plain data, for text and page; see playtest.schema.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import asdict, replace

from rulespec.engine.bots.match import MatchStanding
from rulespec.engine.playtest.playtest import ComparedRule, Playtest, Strength
from rulespec.engine.playtest.rule_trial import Answered, Band, RuleTrial, distinct
from rulespec.engine.playtest.sentence import otherwise, sentence, verdict
from rulespec.engine.words.words import Words


def report(playtest: Playtest, strengths: Sequence[Strength], ladder: Sequence[MatchStanding]) -> dict[str, Any]:
    """The report of a playtest as plain data; see playtest.schema.json."""
    plan = playtest.base.plan
    every = [trial for each in strengths for trial in each.trials]
    rules = []
    for at, rule in enumerate(playtest.rules):
        trial = strengths[0].trials[at]
        titles = [each.title for each in trial.asked]
        shown = distinct([each for each in every if [one.title for one in each.asked] == titles])
        answers = _shown(trial, shown)
        text = sentence(answers, trial.same, trial.pairs - trial.failed, strengths[0].name)
        others = (otherwise(answers, _shown(each.trials[at], shown), each.name) for each in strengths[1:])
        rules.append(
            _game(rule)
            | {"seat": rule.seat, "sentence": text, "otherwise": [each for each in others if each]}
            | {"endings": _endings(rule, playtest.base, [each.trials[at] for each in strengths])}
            | {"strengths": [_strength(each, at, shown) for each in strengths]}
        )
    return {
        "base": _game(playtest.base),
        "players": plan.players[0],
        "random": plan.random,
        "seed": plan.seed,
        "cap": plan.cap,
        "pairs": [each.pairs for each in strengths],
        "rules": rules,
        "ladder": [_match(each) for each in ladder],
    }


def _game(rule: ComparedRule) -> dict[str, Any]:
    return {
        "name": rule.name,
        "ruleset": rule.plan.ruleset,
        "ruleset_hash": rule.plan.ruleset_hash,
        "sources_hash": rule.plan.sources_hash,
        "settings": rule.plan.settings,
    }


def _endings(rule: ComparedRule, base: ComparedRule, trials: Sequence[RuleTrial]) -> dict[str, str]:
    """The endings of all games, with their titles."""
    words = Words(rule.ruleset), Words(base.ruleset)
    under, without = ({name for each in trials for name in each.figures[at].endings} for at in (0, 1))
    titles = {name: words[1].ending(name) for name in without} | {name: words[0].ending(name) for name in under}
    return dict(sorted(titles.items()))


def _shown(trial: RuleTrial, shown: Mapping[int, str]) -> list[Answered]:
    """The answers for some numbers, with their titles."""
    answers = trial.answers()
    return [Answered(replace(answers[at].asked, title=title), answers[at].answer) for at, title in shown.items()]


def _strength(strength: Strength, at: int, shown: Mapping[int, str]) -> dict[str, Any]:
    trial = strength.trials[at]
    return {
        "bots": list(strength.bots),
        "name": strength.name,
        "pairs": trial.pairs,
        "equal": trial.equal,
        "failed": trial.failed,
        "stuck": trial.stuck,
        "capped": trial.capped,
        "answers": [_answer(each) for each in _shown(trial, shown)],
        "acted": trial.acts.to_json(),
        "figures": [each.to_json() for each in trial.figures],
        "bands": _bands([trial.bands[number] for number in shown]),
    }


def _answer(each: Answered) -> dict[str, Any]:
    answer = {k: round(v, 6) if isinstance(v, float) else v for k, v in asdict(each.answer).items()}
    asked = each.asked
    return (
        {"question": asked.question, "title": asked.title, "share": asked.share}
        | answer
        | {"says": verdict(each.answer)}
    )


def _bands(bands: Sequence[Sequence[Band]]) -> list[list[list[float]]]:
    """For each number, the bands: the number of pairs, the difference, and its bounds."""
    return [[[b.pairs, *(round(v, 6) for v in (b.difference, b.low, b.high))] for b in band] for band in bands]


def _match(standing: MatchStanding) -> dict[str, Any]:
    share, gain = standing.share, standing.gain
    return {
        "one": standing.one,
        "other": standing.other,
        "even": round(standing.even, 6),
        "games": standing.games,
        "won": round(standing.won, 4),
        "low": None if share is None else round(share.low, 6),
        "high": None if share is None else round(share.high, 6),
        "gain": None if gain is None else [round(each, 6) for each in (gain.value, gain.low, gain.high)],
        "verdict": standing.verdict,
        "needed": standing.needed,
        "says": standing.says,
    }
