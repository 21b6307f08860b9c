"""A Model Context Protocol server for a toolbox, on standard input and output."""

from __future__ import annotations

from typing import Any

import anyio
import mcp_types as types
from anyio import to_thread
from mcp.server.lowlevel.server import Server
from mcp.server.stdio import stdio_server

from rulespec.documents.versions import RULESPEC
from rulespec.guests.tools import Toolbox


def server(box: Toolbox) -> Server[Any]:
    """The server of a toolbox. It calls one tool at a time, in a thread, so that it stays responsive."""
    one = anyio.CapacityLimiter(1)

    async def listed(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(
            tools=[
                types.Tool(name=tool.name, description=tool.doc, input_schema=tool.schema())
                for tool in box.tools.values()
            ]
        )

    async def called(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        text, wrong = await to_thread.run_sync(box.call, params.name, params.arguments, limiter=one)
        return types.CallToolResult(content=[types.TextContent(type="text", text=text)], is_error=wrong)

    return Server("rulespec", version=RULESPEC, on_list_tools=listed, on_call_tool=called)


def serve(box: Toolbox) -> None:
    """Serves a toolbox until standard input ends."""

    async def run() -> None:
        own = server(box)
        async with stdio_server() as (reading, writing):
            await own.run(reading, writing, own.create_initialization_options())

    anyio.run(run)
