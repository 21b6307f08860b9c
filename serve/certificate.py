"""The TLS certificate of a server."""

from __future__ import annotations

import ssl
from pathlib import Path

from rulespec.documents.text_files import display, read_bytes
from rulespec.errors import RulespecError

_MAX_BYTES = 1_000_000


class CertificateError(RulespecError):
    """A file that is not a certificate with its key; the message gives the fault and the expected form."""


def secured(certificate: Path, key: Path) -> ssl.SSLContext:
    """The TLS context for a certificate and its private key.

    Raises:
        DiagnosticsError: as in `read_bytes`, if a file is unreadable.
        CertificateError: if the files are not a certificate with its key.
    """
    for file in (certificate, key):
        read_bytes(file, display(file), _MAX_BYTES)  # the library would block on a pipe, and read a device endlessly
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # no prompt for a password
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", "") or "").replace("_", " ").lower()
        raise CertificateError(
            f"{display(certificate)} and {display(key)} are not a certificate and its private key"
            f"{f': {reason}' if reason else ''}; both must be PEM files, and the key must not have a passphrase"
        ) from None
    return context
