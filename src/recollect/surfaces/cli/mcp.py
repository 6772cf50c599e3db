"""The mcp command: a memory for any client of the Model Context Protocol."""

from argparse import Namespace

from recollect.errors import SettingsError
from recollect.surfaces.cli.command import Command, argument, flag
from recollect.surfaces.cli.output import Session

LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


def mcp(session: Session, given: Namespace) -> None:
    """Serve the memory until the client goes away."""
    if given.http and not given.insecure_local:
        raise SettingsError(
            "--http asks for no key: say --insecure-local too, or let `recollect serve` offer MCP behind keys"
        )
    try:
        from recollect.surfaces.mcp.reference import REFERENCE
        from recollect.surfaces.mcp.server import build, http_app, on
        from recollect.surfaces.mcp.tools import TOOLS
    except ImportError as error:
        raise SettingsError(f"MCP needs its extra: pip install 'recollect[mcp]' ({error})") from None
    with session.opened(background=not session.later) as memory:
        tools = REFERENCE if given.compat else TOOLS
        server = build(on(memory), tools=tools, read_only=given.read_only)
        if not given.http:
            server.run("stdio")
            return
        import uvicorn

        from recollect.surfaces.address import Address

        app = http_app(server, [f"{host}:*" for host in LOOPBACK])
        with Address(LOOPBACK[0], given.port).bound() as listening:
            url = f"http://{LOOPBACK[0]}:{listening.getsockname()[1]}/mcp"
            session.show({"serving": url}, f"serving {url} without keys; Ctrl-C stops")
            uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listening])


COMMANDS = (
    Command("mcp", mcp, "Serve the memory to MCP clients, over stdio or on loopback.", (
        flag("--read-only", "offer no tool that writes"),
        argument("--compat", choices=["reference"], help="the nine tools of the MCP reference memory server"),
        flag("--http", "streamable HTTP at /mcp on 127.0.0.1 instead of stdio; needs --insecure-local"),
        flag("--insecure-local", "with --http: yes, without keys, for whoever is on this machine"),
        argument("--port", type=int, default=8765, help="with --http: the port (8765); 0 takes a free one"),
    )),
)  # fmt: skip
