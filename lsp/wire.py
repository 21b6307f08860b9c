"""The transport of the language server: passes on bounded, well-formed messages, and answers others with an error."""

from __future__ import annotations

import json
import logging
import re
from typing import Any, BinaryIO, NamedTuple, NoReturn

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

MAX_BYTES = 16_000_000
"""The maximum size of a message in bytes."""
_MAX_LINE = 65_536
_LENGTH = re.compile(rb"Content-Length: *([0-9]{1,30})\r?\n\Z", re.IGNORECASE)
_LONGEST_LENGTH = 64
_NOT_JSON, _NOT_A_MESSAGE, _WRONG_PARAMS = -32700, -32600, -32602


class WireFault(NamedTuple):
    """A fault in a message, with its JSON-RPC code."""

    code: int
    text: str


class Wire:
    """The input of a server, without messages that its library cannot handle.

    A faulty request is answered with an error, and a faulty notification with a line in the editor's log. The library
    itself would print tracebacks without answering, and crash on an oversized length.

    Args:
        server: the server.
        stdin: the editor's output.
        stdout: the editor's input.
    """

    def __init__(self, server: LanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
        self._server = server
        self._stdin = stdin
        self._stdout = stdout
        self._heads: list[bytes] = []
        self._body = b""

    def readline(self) -> bytes:
        """A line from the header of the next valid message; empty at the end of input."""
        if not self._heads:
            body = self._next()
            if body is None:
                return b""
            self._heads = [b"\r\n", b"Content-Length: %d\r\n" % len(body)]
            self._body = body
        return self._heads.pop()

    def read(self, _: int) -> bytes:
        """The body of the current message."""
        return self._body

    def _next(self) -> bytes | None:
        while (body := self._framed()) is not None:
            message, fault = self._message(body)
            if fault is None:
                return body
            self._answer(message, fault)
        return None

    def _framed(self) -> bytes | None:
        """The next body; None at the end of input. Text before a length is skipped, to recover from framing errors."""
        before = b""
        while line := self._stdin.readline(_MAX_LINE):
            stated = _LENGTH.search(before + line)
            before = b"" if line.endswith(b"\n") else line[-_LONGEST_LENGTH:]
            if stated is None:
                continue
            length = int(stated[1])
            if length > MAX_BYTES:
                self._answer(
                    None, WireFault(_NOT_A_MESSAGE, f"the message has {length:,} bytes, but the limit is {MAX_BYTES:,}")
                )
                continue
            while self._stdin.readline(_MAX_LINE).strip():
                pass
            body = self._stdin.read(length)
            return body if len(body) == length else None
        return None

    def _message(self, body: bytes) -> tuple[Any, WireFault | None]:
        """A message, or its fault."""
        inner = list[object]()

        def noted(part: dict[str, Any]) -> dict[str, Any]:
            if "jsonrpc" in part:
                inner.append(part)
            return part

        try:
            message = json.loads(body.decode(), object_hook=noted, parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            return None, WireFault(_NOT_JSON, f"this is not JSON: {str(error)[:200]}")
        if isinstance(message, list):
            return None, WireFault(_NOT_A_MESSAGE, "this is a batch of messages: send them one by one")
        if len(inner) != 1 or not _is_message(message):
            return message, WireFault(_NOT_A_MESSAGE, "this is not a JSON-RPC 2.0 message")
        if "method" in message:
            try:
                self._server.protocol.structure_message(message)
            except JsonRpcException:
                method = message["method"][:80]
                return message, WireFault(_WRONG_PARAMS, f"the parameters of {method} are not those of the protocol")
        return message, None

    def _answer(self, message: Any, fault: WireFault) -> None:
        id_ = message.get("id") if isinstance(message, dict) else None
        if isinstance(message, dict) and "method" in message and "id" not in message:
            log = {"type": 1, "message": fault.text}
            answer: dict[str, Any] = {"method": "window/logMessage", "params": log}
        else:
            answer = {"id": id_ if _is_id(id_) else None, "error": {"code": fault.code, "message": fault.text}}
        data = json.dumps({"jsonrpc": "2.0", **answer}).encode()
        self._stdout.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self._stdout.flush()


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _is_id(id_: object) -> bool:
    return isinstance(id_, (str, int)) and not isinstance(id_, bool)


def _is_message(message: object) -> bool:
    """Whether a value has the form of a request, a notification or a response."""
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    if "method" in message:
        return isinstance(message["method"], str) and ("id" not in message or _is_id(message["id"]))
    return _is_id(message.get("id")) and ("result" in message or isinstance(message.get("error"), dict))


def serve(server: LanguageServer, stdin: BinaryIO, stdout: BinaryIO) -> None:
    """Serves an editor until it disconnects."""
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # the library would print a traceback for each fault
    wire: Any = Wire(server, stdin, stdout)
    server.start_io(wire, stdout)
