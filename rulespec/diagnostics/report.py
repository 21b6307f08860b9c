"""Collection of the diagnostics of a run, and the exception that carries them."""

from __future__ import annotations

from collections.abc import Iterable

from rulespec.diagnostics.diagnostic import Accepted, Diagnostic, Label, Severity, Span
from rulespec.errors import RulespecError

MAX_ERRORS = 200
"""Maximum number of errors per run: nobody reads more, and a hostile file may cause any number."""


class DiagnosticsError(RulespecError):
    """One or more errors that abort an operation.

    Attributes:
        diagnostics: the errors, with the warnings of the same run.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return "\n".join(
            f"{d.span}: {d.message} [{d.code}]" if d.span else f"{d.message} [{d.code}]" for d in self.diagnostics
        )


def failure(
    code: str,
    message: str,
    span: Span | None,
    help: str = "",  # noqa: A002 - the name of the field it fills
    notes: tuple[Label, ...] = (),
) -> DiagnosticsError:
    """An exception for a single error; for the parameters, see `Diagnostic`."""
    return DiagnosticsError((Diagnostic(code, Severity.ERROR, message, span, notes=notes, help=help),))


class Report:
    """A collector of diagnostics, so that one run reports all problems.

    Args:
        most: the maximum number of errors.

    Attributes:
        accepted: the accepted warnings with their reasons; `diagnostics` excludes them.
    """

    def __init__(self, most: int = MAX_ERRORS) -> None:
        self._most = most
        # A dict preserves the order of insertion; the key removes duplicates.
        self._diagnostics: dict[tuple[str, str, Span | None], Diagnostic] = {}
        self._errors = 0
        self.accepted: list[Accepted] = []

    def add(self, diagnostic: Diagnostic) -> None:
        """Adds a diagnostic, unless the report already has one with the same code, message and place."""
        key = (diagnostic.code, diagnostic.message, diagnostic.span)
        if key not in self._diagnostics:
            self._diagnostics[key] = diagnostic
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
        """Adds an error; for the parameters, see `Diagnostic`.

        Raises:
            DiagnosticsError: with all diagnostics so far, once the maximum number of errors is reached.
        """
        self.add(Diagnostic(code, Severity.ERROR, message, span, label, tuple(notes), help))
        if self._errors >= self._most:
            message = f"stopped after {self._most} errors"
            self.add(Diagnostic("RS902", Severity.ERROR, message, None, help="fix these first"))
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
        """Adds a warning; for the parameters, see `Diagnostic`."""
        self.add(Diagnostic(code, Severity.WARNING, message, span, label, tuple(notes), help))

    def replace(self, diagnostic: Diagnostic, other: Diagnostic | None) -> None:
        """Replaces a diagnostic of this report with a version that has other notes and help; None removes a warning."""
        key = (diagnostic.code, diagnostic.message, diagnostic.span)
        if other is None:
            del self._diagnostics[key]
        else:
            self._diagnostics[key] = other

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """All diagnostics, sorted by file, line, column and code; diagnostics without a place come first."""
        return tuple(sorted(self._diagnostics.values(), key=_place))

    @property
    def ok(self) -> bool:
        """Whether there are no errors; warnings do not count."""
        return self._errors == 0

    @property
    def errors(self) -> int:
        """The number of errors."""
        return self._errors

    def raise_if_errors(self) -> None:
        """Raises `DiagnosticsError` with all diagnostics so far if one is an error."""
        if not self.ok:
            raise DiagnosticsError(self.diagnostics)


def _place(diagnostic: Diagnostic) -> tuple[str, int, int, str]:
    span = diagnostic.span
    if span is None:
        return ("", 0, 0, diagnostic.code)
    return (span.file, span.line, span.column, diagnostic.code)
