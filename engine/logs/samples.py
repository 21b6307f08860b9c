"""Log names: samples such as `chess:mate`, the logs in a folder, and names that denote several logs."""

from __future__ import annotations

import re
from pathlib import Path

from rulespec.diagnostics.diagnostic import shown
from rulespec.diagnostics.report import failure
from rulespec.diagnostics.suggestions import did_you_mean
from rulespec.documents.folders import is_hidden, visible_files
from rulespec.documents.text_files import is_folder, is_present
from rulespec.references import find_ruleset

_NAME = re.compile(r"([a-z][a-z0-9_]+):([A-Za-z0-9_./-]+)")
"""The id of a ruleset, and the name of a log; a single letter before the colon would be a drive."""
_TEXTS = (".pgn", ".pdn", ".sgf", ".mat")
_TYPES = (".jsonl", ".json", *_TEXTS)
TEXT_ENDINGS = (*_TEXTS, *(f"{each}.gz" for each in _TEXTS))
"""The file name extensions of games as text; such a file may contain several games."""
ENDINGS = (*_TYPES, *(f"{each}.gz" for each in _TYPES))
"""The file name extensions of logs."""
MAX_LOGS = 1_000
"""Maximum number of logs per folder."""


def is_log_name(name: str) -> bool:
    """Whether a file name or path denotes a log: it has a log extension and is not hidden."""
    return name.endswith(ENDINGS) and not is_hidden(name.rpartition("/")[2])


def logs_in(folder: Path) -> list[Path]:
    """The logs directly in a folder, sorted by name.

    Raises:
        DiagnosticsError: RS601 if the folder is unreadable or has no logs, RS602 if it has more than `MAX_LOGS`.
    """
    try:
        results = sorted(p for p in folder.iterdir() if is_log_name(p.name) and not p.is_dir())
    except OSError as error:
        message = f"`{folder}` cannot be read: {error.strerror}"
        raise failure("RS601", message, None) from None
    if not results:
        help_ = f"name a folder that contains files ending in {', '.join(ENDINGS)}"
        raise failure("RS601", f"`{folder}` contains no log", None, help_)
    if len(results) > MAX_LOGS:
        message = f"`{folder}` contains {len(results):,} logs; at most {MAX_LOGS:,} are read at a time"
        raise failure("RS602", message, None, "put them into several folders")
    return results


def samples(folder: Path) -> dict[str, Path]:
    """The sample logs in a ruleset's folder, sorted: path below `logs`, without the extension → file."""
    home = folder / "logs"
    results: dict[str, Path] = {}
    for path in sorted(visible_files(home)):
        name = path.relative_to(home).as_posix()
        ending = next((e for e in ENDINGS[::-1] if name.endswith(e)), None)
        if ending is not None:
            results.setdefault(name.removesuffix(ending), path)
    return results


def sample(text: str) -> Path | None:
    """The file of a sample log such as `chess:mate`; None if the text has a different form, or names a file.

    Raises:
        DiagnosticsError: RS501 for an unknown ruleset, RS601 for an unknown log.
    """
    match = _NAME.fullmatch(text)
    if match is None or is_present(Path(text)):
        return None
    ref, name = match.groups()
    known = samples(find_ruleset(ref))
    if name in known:
        return known[name]
    hint = did_you_mean(name, known) or f"list them with `rulespec games {ref}`"
    raise failure("RS601", f"{shown(ref)} has no sample log {shown(name)}", None, hint)


ARCHIVES = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".zip")
"""The file name extensions of archives."""
_PATTERN = frozenset("*?[")


def is_archive(name: str) -> bool:
    """Whether a file name has an archive extension."""
    return name.endswith(ARCHIVES)


def is_pattern(name: str) -> bool:
    """Whether a name is a pattern such as `games/**/*.jsonl`, rather than an existing file."""
    return not _PATTERN.isdisjoint(name) and not is_present(Path(name))


def is_container(name: str) -> bool:
    """Whether a name denotes several logs: an archive, a folder or a pattern."""
    return is_archive(name) or is_folder(Path(name)) or is_pattern(name)
