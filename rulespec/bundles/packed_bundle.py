"""The packed form of a bundle: canonical JSON, compressed with zlib and encoded in base64, read within size limits.

    {"sources": "9c…", "sum": "4e…", "packed": "eNq…"}

The JSON contains the parts of the bundle's reference, the folders of its rulesets (each extends the next), its rules
files by path and, separately, its display files (words and drawings). `sources` is the hash of the rules' sources;
`sum` is the SHA-256 of the display files. The unpacked files are never written to disk.
"""

from __future__ import annotations

import binascii
import hashlib
import json
import zlib
from pathlib import PureWindowsPath
from typing import Any, NoReturn

import msgspec
from msgspec import Struct

from rulespec.diagnostics.diagnostic import Span, shown
from rulespec.diagnostics.report import failure
from rulespec.ruleset_files import MAX_FILES

MAX_PACKED = 2_000_000
"""Maximum length of a packed bundle in characters: fifty times that of the largest shipped ruleset."""
MAX_UNPACKED = 12_000_000
"""Maximum length of the unpacked JSON in bytes: twice the most that a ruleset may read, with its words and its drawing.
"""
MAX_NAME = 200
"""Maximum length in characters of a file's path in a bundle."""
_KEYS = ("sources", "sum", "packed")
_HELP = "add `--rules REF` to replay the log under rules that you have: its other lines may be intact"


class Bundle(Struct, frozen=True):
    """A bundle as embedded in a log.

    Attributes:
        sources: the hash of its sources.
        sum: the hash of its display files, which `sources` excludes.
        packed: the compressed contents.
    """

    sources: str
    sum: str
    packed: str

    def to_json(self) -> dict[str, str]:
        """The bundle as plain data for a log header."""
        return {"sources": self.sources, "sum": self.sum, "packed": self.packed}


class Contents(Struct, frozen=True, forbid_unknown_fields=True):
    """The files of a bundle.

    Attributes:
        reference: the folder of the ruleset, then each overlay: an id, or the path of a file in the bundle.
        rulesets: the folders of the ruleset and its bases; each extends the next.
        rules: maps the path of each file with rules to its text.
        shown: maps the path of each file with words or drawings to its text.
    """

    reference: list[str]
    rulesets: list[str]
    rules: dict[str, str]
    shown: dict[str, str]


_DECODER = msgspec.json.Decoder(Contents)


def bundle_in(data: Any, place: Span) -> Bundle:
    """Reads the bundle in a log header.

    Raises:
        DiagnosticsError: RS656 if it is malformed, RS657 if it is too large.
    """
    if not isinstance(data, dict) or set(data) != {*_KEYS} or not all(isinstance(v, str) for v in data.values()):
        _unreadable("it must be an object with the strings `sources`, `sum` and `packed`", place)
    if len(data["packed"]) > MAX_PACKED or max(len(data["sources"]), len(data["sum"])) > MAX_NAME:
        _too_large(f"more than {MAX_PACKED:,} characters", place)
    return Bundle(**data)


def packed(contents: Contents, sources: str, place: Span) -> Bundle:
    """Packs files whose rules have the hash `sources`.

    Raises:
        DiagnosticsError: RS657 if they are too large for a bundle.
    """
    _check_bounds(contents, place)
    data = _canonical(msgspec.to_builtins(contents))
    if len(data) > MAX_UNPACKED:
        _too_large(f"more than {MAX_UNPACKED:,} bytes", place)
    text = binascii.b2a_base64(zlib.compress(data, 9), newline=False).decode()
    if len(text) > MAX_PACKED:
        _too_large(f"more than {MAX_PACKED:,} characters", place)
    return Bundle(sources, _sum(contents.shown), text)


def unpacked(bundle: Bundle, place: Span) -> Contents:
    """Unpacks an untrusted bundle and checks its contents; errors are reported at `place`.

    Raises:
        DiagnosticsError: RS656 (unreadable), RS657 (too large), RS658 (a name outside the bundle), RS659 (wrong sum).
    """
    contents = _decoded(_inflated(bundle, place), place)
    _check_bounds(contents, place)
    for path in (*contents.rules, *contents.shown):
        if not _is_below(path):
            message = f"the path {shown(path[:MAX_NAME])} leads out of the bundle"
            raise failure("RS658", message, place, _HELP)
    if not contents.reference or not contents.rulesets:
        _unreadable("it names no ruleset", place)
    if _sum(contents.shown) != bundle.sum:
        message = "the words and drawings in the bundle do not match its checksum: they have been changed"
        raise failure("RS659", message, place, _HELP)
    return contents


def _inflated(bundle: Bundle, place: Span) -> bytes:
    """The unpacked bytes; decompression stops after `MAX_UNPACKED` + 1."""
    try:
        unpacker = zlib.decompressobj()
        data = unpacker.decompress(binascii.a2b_base64(bundle.packed, strict_mode=True), MAX_UNPACKED + 1)
    except (ValueError, zlib.error):
        _unreadable("it is not base64 of zlib", place)
    if len(data) > MAX_UNPACKED:
        _too_large(f"more than {MAX_UNPACKED:,} bytes when unpacked", place)
    if not unpacker.eof or unpacker.unused_data:
        _unreadable("it is truncated, or has data after its end", place)
    return data


def _decoded(data: bytes, place: Span) -> Contents:
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        _unreadable("its JSON is not a bundle", place)


def _check_bounds(contents: Contents, place: Span) -> None:
    for files in (contents.rules, contents.shown):
        if len(files) > MAX_FILES:
            _too_large(f"more than {MAX_FILES} files", place)
    if len(contents.reference) > MAX_FILES or len(contents.rulesets) > MAX_FILES:
        _too_large(f"more than {MAX_FILES} parts", place)


def _is_below(path: str) -> bool:
    """Whether a path stays inside its bundle, on every system."""
    parts = path.split("/")
    plain = path.isprintable() and "\\" not in path and not PureWindowsPath(path).drive and len(path) <= MAX_NAME
    return plain and len(parts) > 1 and not any(not part or part.startswith(".") for part in parts)


def _sum(shown: dict[str, str]) -> str:
    return hashlib.sha256(_canonical(shown)).hexdigest()


def _canonical(data: Any) -> bytes:
    """Data as canonical JSON: sorted keys, no whitespace."""
    return json.dumps(data, sort_keys=True, separators=(",", ":")).encode()


def _unreadable(why: str, place: Span) -> NoReturn:
    raise failure("RS656", f"the bundle in this log cannot be read: {why}", place, _HELP)


def _too_large(what: str, place: Span) -> NoReturn:
    raise failure("RS657", f"the bundle has {what}", place, _HELP)
