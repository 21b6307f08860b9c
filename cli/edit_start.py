"""A process, limited in time and memory, that reads a drawing for the page of a folder without a map."""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import click
import msgspec

from rulespec.cli.drawing_flags import DrawingFlags
from rulespec.cli.edit_program import end_with_the_server
from rulespec.cli.new_files import check_name, new_files
from rulespec.cli.new_map import read_map
from rulespec.diagnostics.diagnostic import Diagnostic
from rulespec.diagnostics.report import DiagnosticsError
from rulespec.drawing.map_findings import counts_of
from rulespec.drawing.map_identity import refuse_alike
from rulespec.drawing.map_import import DrawnMap
from rulespec.drawing.reading.contexts import Part
from rulespec.serve.edit.first_map import ReadDrawing, ReadFinding, ReadShape, StartRequest

_MEMORY = 4_000_000_000
"""Maximum memory of the process in bytes."""
_FLAG = re.compile(r"--(layer|not) ('[^']*'|[^\s,;`]+)")
"""A flag of a command in a help text, which the page shows as a button."""
_MOST = 100


def answer(request: StartRequest) -> ReadDrawing:
    """The map of a drawing with the files of its ruleset, or the reason why it cannot be read."""
    part = Part(tuple(request.layers), tuple(request.without))
    drawing = Path(request.drawing)
    try:
        check_name(request.name)
        drawn = read_map(drawing, part)
        refuse_alike(drawn)
        flags = DrawingFlags(str(drawing), request.base or None, (), part.layers, part.without, None)
        new = new_files(request.name, Path(request.folder), flags, drawn)
    except DiagnosticsError as error:
        return ReadDrawing(refused=[*_findings(error.diagnostics)])
    except click.ClickException as error:
        return ReadDrawing(refused=[ReadFinding("", 0, error.message)])
    return ReadDrawing(
        counts=str(counts_of(drawn)),
        findings=[*_findings(drawn.findings)],
        shapes=[ReadShape(r.outline, r.fill, r.title or r.name, *(r.position or (0, 0))) for r in drawn.regions],
        frame=_frame(drawn),
        files=new.texts,
    )


def _findings(diagnostics: tuple[Diagnostic, ...]) -> Iterator[ReadFinding]:
    for each in diagnostics[:_MOST]:
        ways = [[name, shlex.split(value)[0]] for name, value in _FLAG.findall(each.help) if value.strip("'")]
        yield ReadFinding(each.code, each.span.line if each.span is not None else 0, each.message, each.help, ways)


def _frame(drawn: DrawnMap) -> list[int]:
    """The frame around all outlines."""
    return [*drawn.frame] if drawn.frame is not None else [0, 0, 1000, 1000]


def main() -> None:
    """Prints the answer to the request in the first argument, as JSON."""
    end_with_the_server()
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    request = msgspec.json.decode(sys.argv[1], type=StartRequest)
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        try:
            result = answer(request)
        except MemoryError:
            result = ReadDrawing(refused=[ReadFinding("", 0, "this drawing takes too much memory to be read")])
    sys.stdout.buffer.write(msgspec.json.encode(result))


if __name__ == "__main__":
    main()
