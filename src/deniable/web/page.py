"""The respondent's page, as files that the site serves: the same bytes for everyone.

All that happens to true answers happens in the scripts beside this module, in the respondent's browser. Here they are
only read, hashed and named, so that a browser refuses any script but these.
"""

import html
import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256, sha384
from importlib.resources import files
from types import MappingProxyType

from deniable.channel.design import Design
from deniable.errors import BadRequest
from deniable.report import folded, picture

ENTRY = "page.js"
SCRIPT = "survey.js"  # all modules in one
KINDS = {"js": "text/javascript; charset=utf-8", "css": "text/css; charset=utf-8", "svg": "image/svg+xml"}
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
IMPORT = re.compile(r'^import \{\s*([^}]+?),?\s*\} from "\./([a-z]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|const|class) (\w+))", re.MULTILINE)


@dataclass(frozen=True)
class StaticFile:
    """A file of the page: its bytes, what kind they are, and the hash that a browser holds them against."""

    content: bytes
    content_type: str
    integrity: str


@cache
def static_files() -> Mapping[str, StaticFile]:
    """Everything under /static, by name: one script, one style, one picture; and the dashboard's script and style."""
    others = ("style.css", "icon.svg", "dashboard.js", "dashboard.css")
    found = {SCRIPT: bundle(), **{name: source(name) for name in others}}
    found["dashboard.css"] += picture.STYLE + folded.STYLE  # trees look there as on every other page
    return MappingProxyType({name: _static(name, text.encode()) for name, text in found.items()})


def _static(name: str, content: bytes) -> StaticFile:
    integrity = f"sha384-{b64encode(sha384(content).digest()).decode()}"
    return StaticFile(content, KINDS[name.rpartition(".")[2]], integrity)


@cache
def source(name: str) -> str:
    """A file of the page as it was written."""
    return files("deniable.web").joinpath("static", name).read_text(encoding="utf-8")


def modules(entry: str = ENTRY) -> list[str]:
    """The modules of a script, each after those that it imports."""
    placed: list[str] = []

    def index(name: str) -> None:
        for _, imported in IMPORT.findall(source(name)):
            if f"{imported}.js" not in placed:
                index(f"{imported}.js")
        placed.append(name)

    index(entry)
    return placed


def bundle(entry: str = ENTRY) -> str:
    """All modules as one script: each becomes a function that gives what it exports.

    One script has one hash. Browsers do not hold imported modules against hashes as reliably: some fetch a module
    that failed the check once more, without it.
    """
    return "".join(_wrapped(name) for name in modules(entry))


def _wrapped(name: str) -> str:
    exported = ", ".join(EXPORT.findall(source(name)))
    body = EXPORT.sub("", IMPORT.sub(r"const { \1 } = from_\2;", source(name)))
    return f"const from_{name.removesuffix('.js')} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"


@dataclass(frozen=True)
class Published:
    """A design as it is published: the very text whose SHA-256 is the fingerprint."""

    text: str

    @property
    def fingerprint(self) -> str:
        """SHA-256 of the text, in hex."""
        return sha256(self.text.encode()).hexdigest()

    def said(self, key: str) -> str:
        """What the text says under a key, if it is a text; nothing otherwise."""
        value = json.loads(self.text).get(key)
        return value if isinstance(value, str) else ""


def respondent_page(design: Design, single_file: str | None) -> str:
    """The page of one survey; it fetches the design and checks it against the fingerprint in its own address.

    `single_file` is the SHA-256 of the page as one file, for everybody to compare; shared devices are offered none.
    """
    script, style = (static_files()[name].integrity for name in (SCRIPT, "style.css"))
    head = [
        f'<link rel="stylesheet" href="/static/style.css" integrity="{style}">',
        '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">',
        f'<script type="module" src="/static/{SCRIPT}" integrity="{script}"></script>',
    ]
    download = _said(
        "Download this page as one file", "a", f'href="/survey/{design.fingerprint}/offline.html" download'
    )
    why = _said("You can look at the program and answer without a connection. It is the same file for everyone.")
    file = _said("The file’s check number (SHA-256):")
    foot = [f"<p>{download}. {why}</p>", f"<p>{file} <code>{single_file}</code></p>"] if single_file else [""]
    return _document(Published(design.to_json()), head, foot, "")


def offline_page(design: Design | Published, site: str) -> str:
    """The page as one file that holds all it needs, and sends to this site only; the same on any machine."""
    published = design if isinstance(design, Published) else Published(design.to_json())
    script, style = bundle(), source("style.css")
    policy = (
        f"default-src 'none'; script-src '{_hash(script)}'; style-src '{_hash(style)}'; connect-src {_origin(site)}; "
        "form-action 'none'; base-uri 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    )
    document = {"fingerprint": published.fingerprint, "design": published.text, "site": site.rstrip("/")}
    embedded = json.dumps(document, sort_keys=True).replace("<", "\\u003c")
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        f"<style>{style}</style>",
    ]
    tail = f'<script type="application/json" id="embedded">{embedded}</script>\n<script type="module">{script}</script>'
    foot = [f"<p>{_said('This page is one file. It holds its whole program, and everyone gets the same one.')}</p>"]
    return _document(published, head, foot, tail)


def _hash(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"


def _origin(site: str) -> str:
    """Scheme, host and port of an address, if it has nothing that a policy could misread."""
    found = re.match(r"https?://[A-Za-z0-9.\-\[\]:]+", site)
    if found is None:
        raise BadRequest("the site's address", "one like https://survey.example.org", site, "correct --url")
    return found.group()


def _said(words: str, tag: str = "span", attributes: str = "") -> str:
    """Words of the page itself, which its script puts into the language that is shown."""
    return f'<{tag} {attributes} data-say="{words}">{words}</{tag}>'


def _document(design: Published, head: list[str], foot: list[str], tail: str) -> str:
    title = html.escape(design.said("title") or "A survey")
    return "\n".join(_lines(design, title, head, foot, tail))


def _lines(design: Published, title: str, head: list[str], foot: list[str], tail: str) -> Iterator[str]:
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="referrer" content="no-referrer">'
    yield from head
    yield f"<title>{title}</title>\n</head>\n<body>"
    yield f'<header><div id="languages"></div><h1><bdi>{title}</bdi></h1></header>'
    yield '<main>\n<div id="promise"></div>\n<div id="step"><p>One moment …</p></div>'
    yield "<noscript><p>This survey works by a script in your own browser. Please allow scripts here.</p></noscript>"
    yield '<div id="live" class="unseen" aria-live="polite"></div>\n</main>'
    about, *checks = foot
    yield f"<footer>{about}"
    if retention := design.said("retention"):
        erased = _said("All replies to this survey are erased after this day:")
        day = html.escape(retention)
        yield f'<p>{erased} <time datetime="{day}">{day}</time></p>'
    number = _said("This survey’s check number. It is the same for everyone:")
    yield f"<details>{_said('Check this page', 'summary')}"
    yield from checks
    yield f"<p>{number} <code>{design.fingerprint}</code></p></details></footer>"
    yield f"{tail}</body>\n</html>\n"
