"""An editor connected to the language server, which runs in a thread of the tests or in a separate process."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any, Self

from deadlines import DEADLINE, Deadline
from folders import ROOT

from rulespec.lsp.server import server
from rulespec.lsp.wire import serve

SECONDS = DEADLINE

Json = Any


class Editor:
    """A minimal editor for tests, whose server starts in a thread of the test process."""

    def __init__(self, folder: Path, capabilities: Json = None) -> None:
        self.folder = folder
        self.came: queue.Queue[Json] = queue.Queue()
        self.received: list[Json] = []
        self.number = 0
        self.texts: dict[Path, str] = {}
        self.versions: dict[Path, int] = {}
        self.input, self.output = self._start()
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()
        root = {"processId": None, "rootUri": folder.as_uri(), "capabilities": capabilities or {}}
        self.capabilities = self.ask("initialize", root)["capabilities"]
        self.tell("initialized", {})

    def _start(self) -> tuple[IO[bytes], IO[bytes]]:
        """Starts the server; returns its input and output."""
        asked, answered = os.pipe(), os.pipe()

        def serves() -> None:
            with os.fdopen(asked[0], "rb") as stdin, os.fdopen(answered[1], "wb") as stdout:
                serve(server(), stdin, stdout)

        self.server = threading.Thread(target=serves, daemon=True)
        self.server.start()
        return os.fdopen(asked[1], "wb"), os.fdopen(answered[0], "rb")

    def _end(self) -> None:
        """Waits for the end of the server."""
        self.server.join(SECONDS)
        assert not self.server.is_alive()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        try:
            self.ask("shutdown", None)
            self.tell("exit", None)
            self._end()
        finally:
            self.input.close()
            self.thread.join(SECONDS)
            self.output.close()

    def _listen(self) -> None:
        stream = self.output
        while head := stream.readline():
            length = int(head.split(b":")[1]) if head.lower().startswith(b"content-length") else 0
            while stream.readline().strip():
                pass
            self.came.put(json.loads(stream.read(length)))

    def send(self, data: bytes) -> None:
        self.input.write(b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        self.input.flush()

    def tell(self, method: str, params: Json) -> None:
        self.send(json.dumps({"jsonrpc": "2.0", "method": method, "params": params}).encode())

    def ask(self, method: str, params: Json) -> Json:
        self.number += 1
        self.send(json.dumps({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params}).encode())
        answer = self.wait(lambda m: m.get("id") == self.number and "method" not in m)
        assert "error" not in answer, answer
        return answer["result"]

    def wait(self, wanted: Callable[[Json], bool]) -> Json:
        """The next message that satisfies a predicate; other messages are kept."""
        for message in self.received:
            if wanted(message):
                self.received.remove(message)
                return message
        deadline = Deadline()
        while True:
            message = self.came.get(timeout=deadline.left)
            if wanted(message):
                return message
            self.received.append(message)

    # --- documents ---------------------------------------------------------------------------------------------------

    def path(self, name: str) -> Path:
        return self.folder / name

    def open(self, name: str, text: str | None = None) -> list[Json]:
        path = self.path(name)
        self.texts[path] = path.read_text("utf-8") if text is None else text
        document = {"uri": path.as_uri(), "languageId": "rulespec", "version": 1, "text": self.texts[path]}
        self.tell("textDocument/didOpen", {"textDocument": document})
        self.versions[path] = 1
        return self.diagnostics(name)

    def change(self, name: str, text: str) -> list[Json]:
        self.texts[self.path(name)] = text
        return self.edit(name, {"text": text})

    def edit(self, name: str, change: Json) -> list[Json]:
        path = self.path(name)
        self.versions[path] += 1
        document = {"uri": path.as_uri(), "version": self.versions[path]}
        self.tell("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        return self.diagnostics(name)

    def replace(self, name: str, old: str, new: str) -> list[Json]:
        text = self.texts[self.path(name)]
        assert text.count(old) == 1, old
        return self.change(name, text.replace(old, new))

    def close_all(self) -> None:
        for path in self.versions:
            self.tell("textDocument/didClose", {"textDocument": {"uri": path.as_uri()}})
        self.versions.clear()
        self.texts.clear()
        nowhere = {"textDocument": {"uri": "untitled:x"}, "position": {"line": 0, "character": 0}}
        self.ask("textDocument/hover", nowhere)  # all earlier notifications arrive before the answer
        self.received.clear()

    def diagnostics(self, name: str) -> list[Json]:
        """The next diagnostics of a file; of an open document, those of its current version."""
        wanted = {"uri": self.path(name).as_uri(), "version": self.versions.get(self.path(name))}

        def about_it(message: Json) -> bool:
            params = message.get("params", {})
            notes = {"uri": params.get("uri"), "version": params.get("version")}
            return message.get("method") == "textDocument/publishDiagnostics" and notes == wanted

        results: list[Json] = self.wait(about_it)["params"]["diagnostics"]
        return results

    def at(self, name: str, word: str, offset: int = 0) -> Json:
        """The position of a text's first occurrence in an open document, as request parameters."""
        text = self.texts[self.path(name)]
        start = text.index(word) + offset
        line = text.count("\n", 0, start)
        column = start - text.rfind("\n", 0, start) - 1
        position = {"line": line, "character": column}
        return {"textDocument": {"uri": self.path(name).as_uri()}, "position": position}

    def place(self, location: Json) -> tuple[str, str]:
        """A location as the name of its file and the text at its range."""
        path = Path(location["uri"].removeprefix("file://"))
        start, end = location["range"]["start"], location["range"]["end"]
        line = self.texts.get(path, path.read_text("utf-8")).split("\n")[start["line"]]
        return str(path.relative_to(self.folder)), line[start["character"] : end["character"]]


class ProcessEditor(Editor):
    """An editor whose server is the real command, `rulespec lsp`."""

    def __init__(self, folder: Path, errors: IO[bytes] | int = subprocess.DEVNULL) -> None:
        self.errors = errors
        super().__init__(folder)

    def _start(self) -> tuple[IO[bytes], IO[bytes]]:
        command = [sys.executable, "-m", "rulespec.cli.main", "lsp"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=self.errors, cwd=ROOT)
        assert self.process.stdin and self.process.stdout
        return self.process.stdin, self.process.stdout

    def _end(self) -> None:
        try:
            assert self.process.wait(SECONDS) == 0
        finally:
            self.process.kill()
            self.process.wait()
