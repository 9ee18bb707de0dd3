"""The site's own address, as respondents reach it."""

import re

from deniable.errors import BadRequest

SITE = re.compile(r"https?://([A-Za-z0-9.-]+|\[[0-9a-f:]+\])(:\d+)?(/[A-Za-z0-9._~-]+)*/?")


def site_address(url: str) -> str:
    """An address that may stand in links, without a slash at its end; no names, queries or marks are part of it."""
    if not SITE.fullmatch(url):
        raise BadRequest("--url", "the site's own address, such as https://survey.example.org", url, "correct it")
    return url.rstrip("/")
