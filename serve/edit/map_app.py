"""The application of an editor: its page, which has nothing of the map in it, and a socket."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from rulespec.pages.edit_page import edit_page
from rulespec.pages.table_page import POLICY
from rulespec.serve.edit.desk import Desk
from rulespec.serve.edit.map_connection import EditConnection
from rulespec.serve.guard import OriginGuard


def edit_app(desk: Desk, key: str, port: int) -> ASGIApp:
    """The application.

    Args:
        desk: the editor.
        key: what a page must say first.
        port: that the server listens to, on this machine alone.
    """
    page, framed = edit_page(), {"Content-Security-Policy": POLICY}

    async def index(_: Request) -> Response:
        return HTMLResponse(page, headers=framed)

    async def report(request: Request) -> Response:
        """A report requested by the page, at an unguessable address."""
        written = desk.programs.reports.get(request.url.path)
        return Response(status_code=404) if written is None else HTMLResponse(written, headers=framed)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        running = asyncio.create_task(desk.run())
        yield
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running

    pages = Starlette(routes=[Route("/", index), Route("/report/{name}", report)], lifespan=lifespan)

    async def routed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await pages(scope, receive, send)
            return
        await receive()
        if scope["path"] != "/socket":
            await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return
        await send({"type": "websocket.accept"})
        await EditConnection(receive, send, desk, key).live()

    return OriginGuard(routed, port)
