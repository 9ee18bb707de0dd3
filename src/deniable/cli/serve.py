"""`deniable serve DESIGN...`: the survey site."""

import socket
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import StoreUrl
from deniable.cli.show import say
from deniable.collect.places import DEFAULT, open_store
from deniable.errors import BadRequest
from deniable.web.server import serve
from deniable.web.site import Site


def command(
    paths: Annotated[list[Path], typer.Argument(metavar="DESIGN...", help="Design files (TOML), one per survey.")],
    store: StoreUrl = DEFAULT,
    port: Annotated[int, typer.Option(min=0, max=65535, help="0 takes any free one.")] = 8000,
    host: Annotated[str, typer.Option(envvar="DENIABLE_HOST", help="The address to listen on.")] = "127.0.0.1",
    url: Annotated[
        str | None,
        typer.Option(envvar="DENIABLE_URL", help="How respondents reach the site: https://survey.example.org"),
    ] = None,
    opens: Annotated[str | None, typer.Option(metavar="DAY", help="The first day on which replies are taken.")] = None,
    closes: Annotated[str | None, typer.Option(metavar="DAY", help="The last one.")] = None,
    kiosk: Annotated[bool, typer.Option("--kiosk", help="For shared tablets: keep nothing on the device.")] = False,
    access_log: Annotated[bool, typer.Option("--access-log", help="Log every request, addresses included.")] = False,
) -> None:
    """Serve surveys: respondents' browsers disguise the answers, the store holds only replies."""
    designs = [Design.load(path, check_text=False) for path in paths]
    with _listen(host, port) as listening:
        url = url or f"http://{host}:{listening.getsockname()[1]}"
        site = Site(designs, store, url, kiosk=kiosk)
        _schedule(store, [survey.design for survey in site.surveys.values()], opens, closes)
        for survey in site.surveys.values():
            say(f"{survey.title}: {site.url}/survey/{survey.fingerprint}")
            say(f"  or, easier to read out, {site.url}/survey/{survey.address}")
            say(f"  as one file, the same for everyone, SHA-256 {survey.single_file_digest}")
        for design, why in site.over:
            say(f"{design.title or 'Survey'}: not served; {why}")
        say(f"the dashboard: {site.url}/admin")
        serve(site, listening, access_log)
        say("stopped")


def _schedule(store: str, designs: Sequence[Design], opens: str | None, closes: str | None) -> None:
    """Set the days that are given; what is not given stays as it was, and a survey that was closed stays closed."""
    if not (opens or closes):
        return
    with open_store(store) as opened:
        for design in designs:
            days = opened.state(design.fingerprint).to_json()
            opened.schedule(design.fingerprint, opens or days["opens"], closes or days["closes"])


def _listen(host: str, port: int) -> socket.socket:
    """A socket, taken before anything else is done."""
    try:
        return socket.create_server((host, port), backlog=2048)
    except OSError as error:
        problem = f"{host}:{port} ({error.strerror})"
        raise BadRequest("--port", "a free port of this machine", problem, "choose another one") from None
