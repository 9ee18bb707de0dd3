"""The collector's pages: templates in which every text is escaped, and headers that allow nothing but our own files."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.responses import HTMLResponse

from deniable.web import shown
from deniable.web.page import static_files

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; "
        "trusted-types 'none'"
    ),
    "Referrer-Policy": "same-origin",  # with no-referrer, browsers send forms with the origin "null"
    "Cache-Control": "no-store",
}


@cache
def _templates() -> Environment:
    found = Environment(
        loader=PackageLoader("deniable.web"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=shown.speakable,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters.update(shown.FILTERS)
    found.globals["integrity"] = lambda name: static_files()[name].integrity
    return found


def page(template: str, context: Mapping[str, Any], status: int = 200) -> HTMLResponse:
    """A page made from a template."""
    text = _templates().get_template(template).render(context)
    return HTMLResponse(text, status, headers=HEADERS)
