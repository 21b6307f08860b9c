"""The web application of an editor: a socket, and a page that itself contains nothing of the map."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rulespec.pages.edit_page import edit_page, start_page
from rulespec.pages.table_page import POLICY
from rulespec.serve.edit.desk import Desk
from rulespec.serve.edit.first_map import Start
from rulespec.serve.edit.first_requests import start_routes
from rulespec.serve.edit.map_connection import EditConnection
from rulespec.serve.guard import OriginGuard


def edit_app(opened: Desk | Start, key: str, port: int) -> ASGIApp:
    """The web application of an editor.

    Args:
        opened: the editor, or the folder for a new map.
        key: the key expected in the first message of a page.
        port: the port on this machine's loopback address.
    """
    start = opened if isinstance(opened, Start) else None
    framed = {"Content-Security-Policy": POLICY}

    def desk() -> Desk | None:
        return opened.desk if isinstance(opened, Start) else opened

    async def index(_: Request) -> Response:
        return HTMLResponse(start_page() if desk() is None else edit_page(), headers=framed)

    async def report(request: Request) -> Response:
        """The report requested by the page, at an unguessable address."""
        at = desk()
        written = at.programs.reports.get(request.url.path) if at is not None else None
        return Response(status_code=404) if written is None else HTMLResponse(written, headers=framed)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(opened.run())
        yield
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    routes = [Route("/", index), Route("/report/{name}", report)]
    pages = Starlette(routes=[*routes, *(start_routes(start, key) if start is not None else ())], lifespan=lifespan)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await pages(scope, receive, send)
            return
        await receive()
        at = desk()
        if scope["path"] != "/socket" or at is None:
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        await send({"type": "websocket.accept"})
        await EditConnection(receive, send, at, key).live()

    return OriginGuard(routed, port)
