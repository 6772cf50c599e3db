"""The command that serves the memory to others."""

from argparse import Namespace

from recollect import settings
from recollect.errors import SettingsError
from recollect.surfaces import notice
from recollect.surfaces.cli.command import Command, argument, flag, repeated
from recollect.surfaces.cli.logs import LOG, logged
from recollect.surfaces.cli.output import Session


def serve(session: Session, given: Namespace) -> None:
    """Serve REST until stopped."""
    try:
        from recollect.memory import scope_of
        from recollect.surfaces.address import Address
        from recollect.surfaces.rest.app import create_app
        from recollect.surfaces.rest.house import Limits
        from recollect.surfaces.rest.serve import serve
    except ImportError as error:
        raise SettingsError("serving needs the server extra: pip install 'recollect[server]'") from error
    address = Address(given.host, given.port)
    if given.insecure_local and not address.loopback:
        raise SettingsError("--insecure-local needs no keys, so it is for a loopback address only")
    chosen = settings.load()
    limits = Limits(body=chosen.max_body, rate=chosen.rate_limit)
    listening = address.bound()
    memory = session.opened(background=not given.no_workers)
    hosts = [given.host, *given.allow_host]
    app = create_app(memory, limits=limits, hosts=hosts, insecure=given.insecure_local)
    port = listening.getsockname()[1]
    keys = "without keys" if given.insecure_local else "with keys: see `recollect keys create`"
    url = f"http://{given.host}:{port}"
    own = notice.Notice(url, scope_of(memory).tenant)
    path = notice.path_of(settings.load(db=session.db).db) if address.loopback else None
    if path is not None:
        app.state.house.notice = own
        notice.put(path, own)
    session.show({"serving": url}, f"serving {url} {keys}; Ctrl-C stops")
    with logged(given.log):
        serve(app, listening, lambda: None if path is None else notice.take_away(path, own))


COMMANDS = (
    Command("serve", serve, "Serve the memory over HTTP: REST under /v1, OpenAPI, health, metrics.", (
        argument("--host", default="127.0.0.1", help="the address to listen on (127.0.0.1)"),
        argument("--port", type=int, default=8420, help="the port (8420); 0 takes a free one"),
        flag("--no-workers", "leave follow-up work to `recollect worker` processes"),
        flag("--insecure-local", "ask for no key; on a loopback address only"),
        repeated("--allow-host", "a name that clients may reach this server by, besides its address"),
        LOG,
    )),
)  # fmt: skip
