"""The certificate of a server that speaks TLS itself."""

from __future__ import annotations

import ssl
from pathlib import Path

from rulespec.documents.text_files import display, read_bytes
from rulespec.errors import RulespecError

_MAX_BYTES = 1_000_000


class CertificateError(RulespecError):
    """Files that are not a certificate and its key; the message has the fault and the expected form."""


def secured(certificate: Path, key: Path) -> ssl.SSLContext:
    """The means to speak TLS with a certificate and its private key.

    Raises:
        DiagnosticsError: as `read_bytes`, if a file cannot be read.
        CertificateError: if they are not a certificate and its key.
    """
    for file in (certificate, key):
        read_bytes(file, display(file), _MAX_BYTES)  # the library would wait for a pipe, and read a device for ever
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key, password=lambda: "")  # else it would ask at the terminal
    except (OSError, ValueError) as error:
        reason = str(getattr(error, "reason", "") or "").replace("_", " ").lower()
        raise CertificateError(
            f"{display(certificate)} and {display(key)} are not a certificate and its private key"
            f"{f': {reason}' if reason else ''}; both are files in PEM form, the key without a passphrase"
        ) from None
    return context
