"""`rulespec validate`: reports all problems of rulesets."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec
from msgspec import Struct

from rulespec import cache
from rulespec.cli import output
from rulespec.cli.audience import redacted
from rulespec.diagnostics.diagnostic import Diagnostic, Span
from rulespec.diagnostics.render import to_github
from rulespec.diagnostics.report import DiagnosticsError, Report
from rulespec.typed import nodes as typed

_MAX_DIALECTS = 50
"""Maximum number of dialects in the folder of a ruleset."""
_MAX_WORDS = 1_000_000
"""Maximum size of a words file in bytes."""

if TYPE_CHECKING:  # slow to import, and not needed for usage errors
    from rulespec.cli.further_checks import OverlaySets
    from rulespec.engine.verify.played import PlayReport
    from rulespec.ruleset_files import Files


format_option = click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "github", "sarif"]),
    default="text",
    help="Output format: text, JSON, GitHub workflow commands, SARIF 2.1.0.",
)
Explore = Callable[[typed.Ruleset, Report], None]
"""A function that explores a valid ruleset, and adds findings to the report."""


def _refuse_deep(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value is not None:
        raise click.UsageError(f"{param.opts[0]} is now a separate command: `rulespec explore REF`", ctx)


@click.command("validate")
@click.argument("refs", metavar="REF...", nargs=-1, required=True)
@format_option
@click.option("--fix", is_flag=True, help="Show the safe fixes, ask, write them, and check again.")
@click.option("--yes", is_flag=True, help="With --fix: write without asking.")
@click.option("--overlays", is_flag=True, help="Also check which overlays are compatible.")
@click.option("--no-play", is_flag=True, help="Play no games; only check the files.")
@click.option(
    "--minutes",
    type=click.IntRange(1, 1_000),
    metavar="N",
    help="Play as many games as take about N minutes, instead of a few seconds.",
)
@click.option("--deep", hidden=True, expose_value=False, callback=_refuse_deep)
@click.option("--deep-log", hidden=True, expose_value=False, callback=_refuse_deep)
@click.pass_context
def command(
    ctx: click.Context,
    refs: tuple[str, ...],
    format_: str,
    fix: bool,
    yes: bool,
    overlays: bool,
    no_play: bool,
    minutes: int | None,
) -> None:
    """Check the rulesets REF…: files, names, types, resources, flow and dialects; then play random games.

    The games take a few seconds and cover every number of players, and settings other than the defaults. They depend
    only on the ruleset, not on the machine; --minutes plays more of them, and --no-play none. Their result is cached
    until a file of the ruleset changes. One run reports all problems of a ruleset. Exit code: 0 sound (there may be
    warnings), 1 problems, 2 no such ruleset.

    Example: rulespec validate imperial
    """
    if fix and format_ != "text":
        raise click.UsageError("--fix needs --format text")
    if yes and not fix:
        raise click.UsageError("--yes needs --fix")
    if minutes is not None and no_play:
        raise click.UsageError("--minutes cannot be combined with --no-play")
    results = [checked(ref, overlays=overlays, play=not no_play, minutes=minutes) for ref in refs]
    if fix:
        from rulespec.cli.fix import apply_fixes, old_names

        diagnostics = [*old_names(refs), *(d for r in results for d in r.report.diagnostics)]
        sources = {name: text for r in results if r.ruleset is not None for name, text in r.ruleset.sources.items()}
        if diagnostics and apply_fixes(refs, diagnostics, sources, yes):
            results = [checked(ref, overlays=overlays, play=not no_play, minutes=minutes) for ref in refs]
    finish(ctx, results, format_)


def finish(ctx: click.Context, results: list[CheckedReference], format_: str) -> None:
    """Prints results in the requested format, and exits with the worst exit code."""
    _PRINTERS[format_](results)
    ctx.exit(max(r.code for r in results))


class CheckedReference(Struct, frozen=True):
    """The result for a reference: the ruleset (None if it has errors), its diagnostics, and the exit code.

    `sets` has the results for combinations of the offered overlays, if requested; `games` has the games played, if any.
    """

    ref: str
    ruleset: typed.Ruleset | None
    report: Report
    code: int
    sets: OverlaySets | None
    games: PlayReport | None


def checked(
    ref: str,
    explore: Explore | None = None,
    *,
    overlays: bool = False,
    play: bool = False,
    minutes: int | None = None,
) -> CheckedReference:
    """Checks a reference; on request, also explores it, plays games, or checks the offered overlays."""
    report, ruleset, sets, games = Report(), None, None, None
    try:
        ruleset = check(ref, report)
        if explore is not None and ruleset is not None and report.ok:
            explore(ruleset, report)
        if play and ruleset is not None and report.ok:
            from rulespec.cli.further_checks import played

            games = played(ruleset, report, minutes)
            report.extend(games.diagnostics)
        if overlays and ruleset is not None:
            from rulespec.cli.further_checks import check_overlay_sets

            sets = check_overlay_sets(ref, ruleset, report)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
    code = output.OK
    if not report.ok:
        # A reference without a ruleset is a usage error; errors in the ruleset are problems.
        missing = any(d.span is None and d.code in {"RS501", "RS502"} for d in report.diagnostics)
        code = output.UNUSABLE if missing else output.PROBLEMS
    return CheckedReference(ref, ruleset, report, code, sets, games)


def _print_text(results: list[CheckedReference]) -> None:
    for r in results:
        output.show(r.report.diagnostics, r.ruleset.sources if r.ruleset is not None else None)
        output.echo(_summary(r))
        for each in r.games.depths if r.games is not None else ():
            output.echo(
                f"`{each.procedure}` calls itself up to {each.reached} deep in these games; its limit is {each.deep}"
            )
        for line in r.sets.lines() if r.sets is not None else ():
            output.echo(line)


def _print_json(results: list[CheckedReference]) -> None:
    from rulespec.fixes import with_fixes

    texts = output.texts_of(_all(results))
    rulesets = [
        {
            "ref": r.ref,
            **output.hashes(r.ruleset),
            "sound": r.report.ok,
            "diagnostics": output.in_json(with_fixes(r.report.diagnostics, texts)),
            **({"accepted": _accepted_json(r.report)} if r.report.accepted else {}),
            **({"played": _played_json(r.games)} if r.games is not None else {}),
            **({"overlays": r.sets.to_json()} if r.sets is not None else {}),
        }
        for r in results
    ]
    output.echo_json({"rulesets": rulesets})


def _accepted_json(report: Report) -> list[dict[str, Any]]:
    warnings = output.in_json([each.warning for each in report.accepted])
    return [{"diagnostic": warning, "reason": a.reason} for warning, a in zip(warnings, report.accepted, strict=True)]


def _played_json(games: PlayReport) -> dict[str, Any]:
    depths = [{"procedure": d.procedure, "reached": d.reached, "deep": d.deep} for d in games.depths]
    counts = {"games": games.games, "combinations": games.combinations, "of": games.of}
    return {**counts, **({"depths": depths} if depths else {})}


def _print_github(results: list[CheckedReference]) -> None:
    for diagnostic in _all(results):
        click.echo(to_github(diagnostic))


def _print_sarif(results: list[CheckedReference]) -> None:
    from rulespec.diagnostics.sarif import to_sarif
    from rulespec.fixes import with_fixes

    result = _all(results)
    output.echo_json(to_sarif(with_fixes(result, output.texts_of(result))))


def _all(results: list[CheckedReference]) -> list[Diagnostic]:
    """All diagnostics without duplicates, as several references may read the same files."""
    return redacted(dict.fromkeys(d for r in results for d in r.report.diagnostics))


_PRINTERS: dict[str, Callable[[list[CheckedReference]], None]] = {
    "text": _print_text,
    "json": _print_json,
    "github": _print_github,
    "sarif": _print_sarif,
}


_ENGINE = ("game", "lower", "passes", "program", "python", "verify")
STARTING = (*cache.LANGUAGE, *(f"engine/{room}" for room in _ENGINE))
"""The rooms involved in starting a game."""


def check(ref: str, report: Report, files: Files | None = None) -> typed.Ruleset | None:
    """Checks a ruleset and its accompanying files, which are read through `files` if given and otherwise from disk.

    Returns:
        The ruleset; None if it has errors.
    """
    from rulespec.load import load_ruleset

    whole = Report()
    try:
        ruleset = load_ruleset(ref, whole, files)
    except DiagnosticsError as error:
        report.extend(error.diagnostics)
        return None
    _check_further(ruleset, whole, files)
    result = whole
    if any("accept:" in text for text in ruleset.sources.values()):
        from rulespec.check.accepted import accept  # lazily: a cached ruleset needs no other module of the checker

        result = accept(whole, ruleset.sources, ruleset.layers)
    report.extend(result.diagnostics)
    report.accepted += result.accepted
    return ruleset


def _check_further(ruleset: typed.Ruleset, report: Report, files: Files | None) -> None:
    """Checks facts, the start of a game, words, and the files beside the rules."""
    starts = Report()
    key = cache.key("starts", ruleset.sources_hash, rooms=STARTING)
    if files is not None or cache.read(key, msgspec.json.Decoder(bool)) is not True:
        from rulespec.engine.verify.starts import check_starts
        from rulespec.engine.verify.verified_facts import failed_checks  # lazily: nothing else here needs the engine

        starts.extend(failed_checks(ruleset.declarations, ruleset.layers))
        check_starts(ruleset, starts)
        if files is None and not starts.diagnostics:
            cache.write(key, True)
    report.extend(starts.diagnostics)
    _words(ruleset, report)
    _beside(ruleset, report)


def _words(ruleset: typed.Ruleset, report: Report) -> None:
    """Checks the words for people, unless the cache knows the same files as valid."""
    from rulespec.documents.folders import visible
    from rulespec.documents.text_files import display, read_text

    result = Report()
    stems = [at / stem for at, stem in ruleset.titled]
    paths = {path for stem in stems for path in islice(visible(stem.parent, f"{stem.name}*.yaml"), 99)}
    try:
        texts = [f"{p}\0{read_text(p, display(p), _MAX_WORDS)}" for p in sorted(paths)]
    except DiagnosticsError:
        texts = []
    key = cache.key("sound titles", ruleset.sources_hash, *texts, rooms=(*cache.LANGUAGE, "engine/words"))
    if paths and (not texts or cache.read(key, msgspec.json.Decoder(bool)) is not True):
        from rulespec.engine.words.valid_words import check_words

        check_words(ruleset, result)
        if texts and not result.diagnostics:
            cache.write(key, True)
    report.extend(result.diagnostics)


def _beside(ruleset: typed.Ruleset, report: Report) -> None:
    """Checks the files beside the rules: offered overlays, dialects and the notation.

    `rulespec test` checks scenarios.
    """
    from rulespec.documents.folders import visible
    from rulespec.documents.text_files import display, inside, is_present
    from rulespec.engine.dialects.dialect import read_dialect
    from rulespec.engine.dialects.notation_file import notation_of
    from rulespec.engine.dialects.unknown import unknown_names
    from rulespec.engine.dialects.unread_fields import uneven_forms
    from rulespec.engine.dialects.wrong_expressions import wrong_expressions

    folders = ruleset.folders
    missing = [n for n in ruleset.offered if not any(is_present(f / "variants" / f"{n}.yaml") for f in folders)]
    places = _offers(ruleset) if missing else {}
    for name in missing:
        help_ = f"write variants/{name}.yaml, or remove it from the list"
        report.error("RS502", f"there is no file for the overlay `{name}`", places.get(name), help=help_)
    for folder in ruleset.folders:
        try:
            notation_of(Path(display(folder)))
        except DiagnosticsError as error:
            report.extend(error.diagnostics)
        paths = sorted(islice(visible(folder / "dialects", "*.yaml"), _MAX_DIALECTS + 1))
        if len(paths) > _MAX_DIALECTS:
            message = f"this ruleset has more than {_MAX_DIALECTS} dialects"
            report.error(
                "RS107", message, Span(display(paths[0]), 1, 1, 1, 1), help="remove dialects that are not needed"
            )
            continue
        for path in paths:
            try:
                dialect = read_dialect(Path(display(inside(folder, f"dialects/{path.name}"))))
                report.extend(unknown_names(dialect))
                report.extend(uneven_forms(dialect))
                if report.ok:  # a game can be started
                    report.extend(wrong_expressions(dialect, ruleset))
            except DiagnosticsError as error:
                report.extend(error.diagnostics)


def _offers(ruleset: typed.Ruleset) -> dict[str, Span]:
    """The places in game.yaml where each overlay is offered, by the overlay's name."""
    from rulespec.documents.kept_trees import read_kept
    from rulespec.documents.text_files import display
    from rulespec.documents.yaml_nodes import Mapping, get, words

    results: dict[str, Span] = {}
    for folder in ruleset.folders:
        path = folder / "game.yaml"
        node = read_kept(path, display(path))
        for word in words(get(node, "overlays")) if isinstance(node, Mapping) else []:
            results.setdefault(word.text, word.span)
    return results


def _summary(r: CheckedReference) -> str:
    ruleset, result = r.ruleset, output.problems(r.report.diagnostics)
    if r.report.accepted:
        result = ", ".join(filter(None, [result, f"{output.counted(len(r.report.accepted), 'warning')} accepted"]))
    if ruleset is None:
        return f"{r.ref}: {output.style(result, fg='red')}"
    played = []
    if r.games is not None:
        from rulespec.cli.further_checks import amount_of_play

        played = [amount_of_play(r.games)]
    name = f"{ruleset.ref} {ruleset.version}"
    if not r.report.ok:
        return f"{name}: {' · '.join([output.style(result, fg='red'), *played])}"
    low, high = ruleset.players
    declarations, rules = ruleset.declarations, ruleset.rules
    parts = [
        f"{low} players" if low == high else f"{low}-{high} players",
        output.counted(_decisions(rules), "decision"),
        output.counted(len(rules.procedures), "procedure"),
        output.counted(len(rules.definitions), "definition"),
        output.counted(len(rules.invariants), "invariant"),
        output.counted(len(declarations.settings), "setting"),
        *played,
    ]
    sound = output.style("sound", fg="green") + (f" ({result})" if result else "")
    return f"{name}: {sound} · {' · '.join(parts)}"


def _decisions(rules: typed.Rules) -> int:
    """The number of decisions in the rules."""
    from rulespec.typed.rule_traversal import walk

    statements = (s for procedure in rules.procedures.values() for s in walk(procedure.body))
    return len({s.name for s in statements if isinstance(s, typed.Decide)})
