"""The webhook of a server: an address that receives notices about turns."""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from contextlib import suppress

MOST = 2_000
"""The maximum number of tables with pending notices."""
_TRIES = 3
_PAUSE = 5.0
_WAIT = 10.0


class Hook:
    """Posts {table, seat, serial} to an address, in a separate thread, with at most three attempts.

    A later notice replaces pending notices of the same table, and at the limit the oldest table is dropped, so that an
    unresponsive address uses a limited amount of memory.

    Args:
        url: the address.
        pause: the number of seconds between attempts.
        wait: the number of seconds to wait for an answer.
    """

    def __init__(self, url: str, pause: float = _PAUSE, wait: float = _WAIT) -> None:
        self._url = url
        self._pause = pause
        self._wait = wait
        self._waiting: dict[str, tuple[int, set[str]]] = {}  # table → serial, seats
        self._changed = threading.Condition()
        threading.Thread(target=self._post_all, name="hook", daemon=True).start()

    def __call__(self, table: str, seat: str, serial: int) -> None:
        """Queues a notice that it is a seat's turn."""
        with self._changed:
            before, seats = self._waiting.get(table, (serial, set[str]()))
            if table not in self._waiting and len(self._waiting) >= MOST:
                del self._waiting[next(iter(self._waiting))]
            self._waiting[table] = serial, {*(seats if before == serial else ()), seat}
            self._changed.notify()

    def _post_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                table = next(iter(self._waiting))
                serial, seats = self._waiting.pop(table)
            for seat in sorted(seats):
                self._post(json.dumps({"table": table, "seat": seat, "serial": serial}).encode())

    def _post(self, data: bytes) -> None:
        for tried in range(_TRIES):
            if tried:
                time.sleep(self._pause)
            with suppress(Exception):  # no response of a foreign service may end the thread
                request = urllib.request.Request(self._url, data, {"Content-Type": "application/json"}, method="POST")
                with urllib.request.urlopen(request, timeout=self._wait):
                    return
