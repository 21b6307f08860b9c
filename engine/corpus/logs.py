"""The logs of a corpus: files, folders, globs and archives, in a fixed order."""

from __future__ import annotations

import glob
import hashlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import DiagnosticsError, failure
from rulespec.documents.folders import visible_files
from rulespec.documents.text_files import is_folder
from rulespec.engine.corpus.archives import members
from rulespec.engine.logs.log_text import MAX_NATIVE_BYTES, log_bytes, log_text
from rulespec.engine.logs.samples import ENDINGS, TEXT_ENDINGS, is_archive, is_container, is_log_name
from rulespec.engine.notation.text_formats import read_games
from rulespec.engine.notation.text_moves import each_alone


class Log(Struct, frozen=True):
    """A log of a corpus.

    Attributes:
        game: the number of the log.
        name: the path relative to the corpus; in an archive, the archive's path followed by the member's.
        data: the bytes; empty if the log is unreadable.
        refusal: the reason why the log is unreadable, with the diagnostic code, or "".
        skipped: the number of lines before this game, in a file with several games.
    """

    game: int
    name: str
    data: bytes
    refusal: tuple[str, str] | tuple[()] = ()
    skipped: int = 0

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()


class Manifest(Struct, frozen=True):
    """The identity of a corpus, from its first scan.

    Attributes:
        logs: the number of logs.
        digest: the SHA-256 hash of their names and bytes.
    """

    logs: int
    digest: str


class Corpus:
    """The logs at some paths.

    Args:
        paths: files, folders (searched recursively), globs, and archives.
        only: a pattern such as `*.json` or `2024/*`, which must match a log's name or the last part of it; "" for all
            logs.
    """

    def __init__(self, paths: Sequence[Path], only: str = "") -> None:
        self._paths = paths
        self._only = only
        self._digest = hashlib.sha256()

    def logs(self) -> Iterator[Log]:
        """The logs, one in memory at a time.

        Raises:
            DiagnosticsError: RS601 if a path contains no log, or an archive is unreadable; RS602 if it is too large;
                RS582 if no log matches the pattern.
        """
        self._digest = hashlib.sha256()
        number, seen = 0, False
        for path in self._paths:
            for log in _logs_at(path):
                seen = True
                if self._only and not _has_name(log.name, self._only):
                    continue
                self._digest.update(f"{log.name}\n{log.sha256}\n".encode())
                yield replace(log, game=number)
                number += 1
        if seen and not number:
            message = f"no log matches {shown(self._only)}"
            raise failure(
                "RS582",
                message,
                None,
                "write a pattern such as '*.json', which must match the whole name or its last part",
            )

    def manifest(self) -> Manifest:
        """The identity of the corpus, from a scan of all logs."""
        logs = sum(1 for _ in self.logs())
        return Manifest(logs, self.digest)

    @property
    def digest(self) -> str:
        """The digest of the logs in the latest scan."""
        return self._digest.hexdigest()


def _has_name(name: str, pattern: str) -> bool:
    """Whether a pattern matches a name, or the last part of it."""
    return fnmatchcase(name, pattern) or fnmatchcase(name.rpartition("/")[2], pattern)


def _logs_at(path: Path) -> Iterator[Log]:
    for number, (name, data, skipped) in enumerate(_single(_named(path))):
        plain = "".join(c if c.isprintable() else "�" for c in name)
        if isinstance(data, bytes):
            yield Log(number, plain, data, skipped=skipped)
        else:
            wrong = data.diagnostics[0]
            yield Log(number, plain, b"", (wrong.code, wrong.message))


def _named(path: Path) -> Iterator[tuple[str, bytes | DiagnosticsError]]:
    """The names and bytes of the logs at a path; for an unreadable file of a folder or pattern, its error."""
    if not is_container(str(path)):
        yield str(path), log_bytes(path, str(path), MAX_NATIVE_BYTES)[0]
        return
    if is_archive(path.name) and not is_folder(path):
        yield from _in_archive(path)
        return
    if is_folder(path):
        files = [file for file in visible_files(path) if is_log_name(file.name) or is_archive(file.name)]
    else:
        files = [Path(name) for name in glob.iglob(str(path), recursive=True)]  # noqa: PTH207 - of any root
    if not files:
        raise _no_log(path)
    for file in sorted(files):
        try:
            yield from _in_archive(file) if is_archive(file.name) and not is_folder(file) else _named(file)
        except DiagnosticsError as error:
            yield str(file), error


def _single(
    logs: Iterator[tuple[str, bytes | DiagnosticsError]],
) -> Iterator[tuple[str, bytes | DiagnosticsError, int]]:
    """Logs, with a log of several games split into one per game; each with the number of lines before it."""
    for name, data in logs:
        if not isinstance(data, bytes) or not name.endswith(TEXT_ENDINGS):
            yield name, data, 0
            continue
        try:
            text, _ = log_text(data, name, MAX_NATIVE_BYTES)
            games = [*each_alone(read_games(text, name), text)]
        except DiagnosticsError as error:
            yield name, error, 0
            continue
        if len(games) < 2:
            yield name, data, 0
        for number, game in enumerate(games if len(games) > 1 else (), 1):
            yield f"{name}#{number}", game.text.encode(), game.skipped


def holds_several(path: Path) -> bool:
    """Whether a file contains several games; False if it is unreadable."""
    if not path.name.endswith(TEXT_ENDINGS):
        return False
    with suppress(DiagnosticsError):
        data, _ = log_bytes(path, str(path), MAX_NATIVE_BYTES)
        games = read_games(log_text(data, str(path), MAX_NATIVE_BYTES)[0], str(path))
        return next(games, None) is not None and next(games, None) is not None
    return False


def _in_archive(path: Path) -> Iterator[tuple[str, bytes]]:
    log = None
    for log, data in members(path):
        yield f"{path}/{log}", data
    if log is None:
        raise _no_log(path)


def _no_log(path: Path) -> DiagnosticsError:
    help_ = f"name files ending in {', '.join(ENDINGS)}, or folders or archives that contain such files"
    return failure("RS601", f"{shown(str(path))} contains no log", None, help_)
