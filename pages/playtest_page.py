"""The page of a playtest: one static file, generated from the JSON report."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from pathlib import Path
from string import Template
from typing import Any

from rulespec.engine.playtest.figures import ending_shares, most_changed, rate, users
from rulespec.engine.playtest.sentence import acted, leads, number, remarks, short
from rulespec.pages.playtest_plots import bands, forest, lengths, sweep

Report = Mapping[str, Any]
"""A playtest report, or a part of one; see playtest.schema.json."""
MOST_OPTIONS = 16
"""The maximum number of options on the page, the most used ones."""
_TRIED = 10
"""The maximum number of points shown of those tried for a target."""
_UNSHOWN = (
    "<p class='note'>With <code>--logs FOLDER</code> beside <code>--page</code>, "
    "the first games can be opened from here.</p>"
)
_FEW = 6
"""The number of options used for comparing strengths."""


def page(report: Report) -> str:
    """The page of a report. Escapes texts from rulesets and from the command line."""
    template = Template(Path(__file__).with_name("playtest.html").read_text("utf-8"))
    names = ", ".join(rule["name"] for rule in report["rules"])
    return template.substitute(
        title=escape(f"{names} against {report['base']['name']}"),
        rules=_sweep(report) if "sweep" in report else "\n".join(_rule(rule, report) for rule in report["rules"]),
        target=_target(report["target"]) if "target" in report else "",
        strengths=_strengths(report),
        games_shown=_games(report),
        ladder=_ladder(report["ladder"]),
        games=f"{report['players']} players, seed {report['seed']}. All bounds hold together 19 times in 20.",
        command=escape(report["command"]),
        hashes=_hashes(report),
    )


def _sweep(report: Report) -> str:
    """All measures over the values of a constant, and each value separately."""
    path, base = report["sweep"]["path"], report["sweep"]["base"]
    values = [value for value in report["sweep"]["values"] if value != base]
    answers = [rule["strengths"][0]["answers"] for rule in report["rules"]]
    plots = "".join(
        f"<figure><figcaption>{escape(a['title'])}</figcaption>"
        f"{sweep(values, [each[at] for each in answers], base)}</figure>"
        for at, a in enumerate(answers[0])
    )
    rules = "\n".join(
        f"<details><summary>{escape(rule['name'])}: {escape(rule['sentence'])}</summary>{_rule(rule, report)}</details>"
        for rule in report["rules"]
    )
    note = f"Differences from the game with {base}, with bounds that hold for all values together."
    return (
        f"<h1>{escape(path)} in {escape(report['base']['name'])}</h1><p class='note'>{escape(note)}</p>"
        f"<div class='small'>{plots}</div>\n{rules}"
    )


def _target(target: Report) -> str:
    """The values nearest to the target."""
    share, title = target["share"], target["title"]
    note = f"{target['points']:,} points, {target['games']:,} games of seed {target['seed']}; no verdicts."
    if "matter" in target:
        note += f" Those that matter, the strongest first: {', '.join(target['matter']) or 'none'}."
    head = (*target["paths"], "games", title, "±")
    rows = [
        [
            *((str(value), "") for value in each["values"]),
            (f"{each['games']:,}", ""),
            *(("-" if each[key] is None else number(each[key], share), "") for key in ("mean", "half")),
        ]
        for each in target["tried"][:_TRIED]
    ]
    heading = f"<h2>Nearest to {escape(title)} = {number(target['wanted'], share)}</h2>"
    return f"{heading}<p class='note'>{escape(note)}</p>{_table(head, rows, cards=True)}"


def _rule(rule: Report, report: Report) -> str:
    """The part of the page on one rule."""
    first, base = rule["strengths"][0], report["base"]["name"]
    names = (escape(base), escape(rule["name"]))
    key = f"<p class='note key'><b class='b'></b>{names[0]}<b class='r'></b>{names[1]}</p>"
    return "\n".join(
        [
            f"<h1>{names[1]} against {names[0]}</h1>",
            f"<p class='sentence'>{escape(rule['sentence'])}</p>",
            *(f"<p>{escape(text)}</p>" for text in (*rule["otherwise"], acted(first)) if text),
            *(f"<p class='note'>{escape(text)}</p>" for each in rule["strengths"] for text in remarks(each)),
            _answers(rule, base),
            _figure(
                "All differences on one scale",
                "In units of the difference that matters; grey: no difference that matters.",
                forest(first["answers"]),
            ),
            "<h2>How the answers came about</h2>",
            "<p class='note'>The difference by the number of pairs of games, with its bounds.</p>",
            f"<div class='small'>{_bands(first)}</div>",
            f"<h2>How games ended</h2><p class='note'>Shares of games; no verdicts.</p>{key}",
            _bars([(title, 100 * a, 100 * b) for title, (a, b) in ending_shares(rule, first)], "{:.1f} %"),
            _leads(first, base, rule["name"]),
            f"<h2>Lengths</h2><p class='note'>Games by number of decisions.</p>{key}",
            lengths(*(figures["lengths"] for figures in first["figures"])),
            f"<h2>Used options</h2><p class='note'>How often in a game; no verdicts.</p>{key}",
            _options(first["figures"]),
            _changed(first["figures"], base, rule["name"], rule["seat"]),
            f"<h2>Who wins</h2><p class='note'>Shares of games; no verdicts.</p>{key}",
            _wins(first["figures"]),
        ]
    )


def _answers(rule: Report, base: str) -> str:
    first, *others = rule["strengths"]
    head = ("", base, rule["name"], "difference", "between", "answer", *(f"{o['name']} says" for o in others))
    rows = []
    for at, a in enumerate(first["answers"]):
        bounds = "-" if a["low"] is None else " to ".join(number(a[key], a["share"], "+") for key in ("low", "high"))
        values = [
            number(a["other"], a["share"]),
            number(a["value"], a["share"]),
            number(a["difference"], a["share"], "+"),
        ]
        beside = [o["answers"][at] for o in others]
        said = [(a["says"], a["verdict"]), *((short(each), each["verdict"]) for each in beside)]
        rows.append([(a["title"], ""), *((v, "") for v in values), (bounds, ""), *said])
    return _table(head, rows, cards=True)


def _table(head: Sequence[str], rows: Iterable[Sequence[tuple[str, str]]], *, cards: bool = False) -> str:
    """A table; each cell is its text and its class. With `cards`, a row becomes a card on a narrow screen."""
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = ""
    for row in rows:
        cells = (_cell(label, text, kind) for label, (text, kind) in zip(head, row, strict=True))
        body += f"<tr>{''.join(cells)}</tr>\n"
    kind = " class='cards'" if cards else ""
    return f"<table{kind}><thead><tr>{top}</tr></thead>\n<tbody>{body}</tbody></table>"


def _cell(label: str, text: str, kind: str) -> str:
    attribute = f' data-label="{escape(label)}"' if label else ""
    return f"<td{attribute}><span class='{kind}'>{_breaking(text)}</span></td>"


def _breaking(text: str) -> str:
    """A text with line breaks allowed inside names, as in `market.buy(fish)`, but not inside numbers."""
    return re.sub(r"([._(])(?=[^\W\d])", r"\1<wbr>", escape(text)).replace(" %", "&nbsp;%")


def _figure(caption: str, note: str, content: str) -> str:
    return f"<figure><figcaption>{escape(caption)}</figcaption><p class='note'>{escape(note)}</p>{content}</figure>"


def _bands(first: Report) -> str:
    results = []
    for answer, band in zip(first["answers"], first["bands"], strict=True):
        if len(band) > 1:
            plot = bands(band, answer["share"], answer["matters"])
            results.append(f"<figure><figcaption>{escape(answer['title'])}</figcaption>{plot}</figure>")
    return "".join(results) or "<p class='note'>Too few games.</p>"


def _options(figures: Sequence[Report]) -> str:
    rule, base = (each["options"] for each in figures)
    names = sorted({*rule, *base}, key=lambda name: -max(_times(rule, name), _times(base, name)))[:MOST_OPTIONS]
    return _bars([(name, _times(base, name), _times(rule, name)) for name in names], "{:.1f}")


def _leads(first: Report, base: str, name: str) -> str:
    """The lead over time."""
    rows = [[(cell, "") for cell in row] for row in leads(first)]
    by = first["figures"][0]["lead_by"] or first["figures"][1]["lead_by"]
    if not rows:
        return ""
    note = f"The lead by {by}: how often it changes, when it is taken for good, and its maximum; no verdicts."
    return f"<h2>The lead</h2><p class='note'>{note}</p>{_table(('', base, name), rows, cards=True)}"


def _changed(figures: Sequence[Report], base: str, name: str, seat: str) -> str:
    """The options whose use differs most: share, first decision with the option, and seats or roles that use it."""
    rule, without = (each["options"] for each in figures)
    head = ("", base, name, f"first in {base}", f"first in {name}", f"by, in {base}", f"by, in {name}")
    rows = []
    for option in most_changed(rule, without, MOST_OPTIONS):
        sides = [side.get(option) for side in (without, rule)]
        cells = [rate(side["times"] if side else 0) for side in sides]
        cells += [f"{side['first']:,.0f}" if side is not None else "-" for side in sides]
        cells += [users(side, _FEW, seat) if side is not None else "-" for side in sides]
        rows.append([(option, ""), *((cell, "") for cell in cells)])
    if not rows:
        return ""
    note = "The options whose use differs most: uses per game, decisions before the first use, and users."
    return f"<p class='note'>{note}</p>{_table(head, rows, cards=True)}"


def _times(options: Report, name: str) -> float:
    return float(options[name]["times"]) if name in options else 0.0


def _wins(figures: Sequence[Report]) -> str:
    rule, base = (each["wins"] for each in figures)
    names = sorted({*rule, *base})
    won = [(name, *(100 * side[name]["won"] if name in side else 0.0 for side in (base, rule))) for name in names]
    return _bars(won, "{:.0f} %")


def _bars(rows: Sequence[tuple[str, float, float]], form: str) -> str:
    """Pairs of bars: a name, a number without the rule, and with it."""
    if not rows:
        return "<p class='note'>None.</p>"
    longest = max(max(row[1:]) for row in rows) or 1.0
    results = ""
    for name, base, rule in rows:
        results += f"<span class='name'>{_breaking(name)}</span>"
        for kind, value in (("b", base), ("r", rule)):
            bar = f"<span class='bar {kind}' style='width:{100 * value / longest:.1f}%'></span>"
            results += f"{bar}<span class='n'>{form.format(value)}</span>"
    return f"<div class='bars'>{results}</div>"


def _strengths(report: Report) -> str:
    """Lengths and used options, without the rule, for each kind of bot and for recorded games."""
    strengths = report["rules"][0]["strengths"]
    sides = [(each["name"], each["figures"][1]) for each in strengths]
    sides += [("recorded games", report["recorded"])] if "recorded" in report else []
    options = [figures["options"] for _, figures in sides]
    shown = sorted(options[0], key=lambda name: -_times(options[0], name))
    shown = [name for name in shown if "(" in name][:_FEW] or shown[:_FEW]
    head = ("", *(name for name, _ in sides))
    rows = [[("games", ""), *((f"{figures['games']:,}", "") for _, figures in sides)]]
    rows.append([("decisions in a game", ""), *((f"{figures['decisions']:,.0f}", "") for _, figures in sides)])
    for name in shown:
        whole = name.partition("(")[0]
        shares = [
            100 * _times(each, name) / (_times(each, whole) or 1) if "(" in name else _times(each, name)
            for each in options
        ]
        rows.append([(name, ""), *((f"{share:.0f} %" if "(" in name else f"{share:.1f}", "") for share in shares)])
    return _table(head, rows)


def _games(report: Report) -> str:
    """Links to the pages of single games."""
    games = report.get("games", ())
    if not games:
        return _UNSHOWN
    names = [report["base"]["name"], *(rule["name"] for rule in report["rules"])]
    rows = ""
    for at in sorted({each["number"] for each in games}):
        links = {each["rule"]: escape(each["page"], quote=True) for each in games if each["number"] == at}
        cells = (f"<a href='{links[rule]}'>{escape(name)}</a>" for rule, name in enumerate(names) if rule in links)
        rows += f"<tr><td>game {at}</td><td>{' · '.join(cells)}</td></tr>\n"
    note = "<p class='note'>The first games, without the rule and under it, move by move.</p>"
    return f"{note}<table><tbody>{rows}</tbody></table>"


def _ladder(matches: Sequence[Report]) -> str:
    if not matches:
        return "<p class='note'>No matches were played.</p>"
    rows = []
    for each in matches:
        bounds = "-" if each["low"] is None else f"{100 * each['low']:.0f} % to {100 * each['high']:.0f} %"
        won, even = (f"{100 * share:.0f} %" for share in (each["won"] / each["games"], each["even"]))
        gain = (
            "-" if each["gain"] is None else "{:+.0f} % ({:+.0f} to {:+.0f})".format(*(100 * g for g in each["gain"]))
        )
        texts = (f"{each['one']} against {each['other']}", f"{each['games']:,}", won, bounds, even, gain, each["says"])
        rows.append([(text, "") for text in texts])
    return _table(("match", "games", "won", "between", "even", "gains", "the first is"), rows, cards=True)


def _hashes(report: Report) -> str:
    rows = [
        [(each["name"], ""), (each["ruleset"], "text"), (each["ruleset_hash"], ""), (each["sources_hash"], "")]
        for each in (report["base"], *report["rules"])
    ]
    return _table(("", "ruleset", "hash of the meaning", "hash of the sources"), rows, cards=True)
