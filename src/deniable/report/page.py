"""Pages that need nothing but themselves: no script, no font and no picture from elsewhere.

They are light or dark as the reader's screen is, and always light on paper.
"""

import html
import re
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path

from deniable.errors.written import not_written
from deniable.report import colours

POLICY = "default-src 'none'; style-src 'unsafe-inline'"
UNSPEAKABLE = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # what XML cannot hold

STYLE = (
    colours.STYLE
    + """
:root { color-scheme: light; --paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --shade: #f6f8fa; }
@media screen and (prefers-color-scheme: dark) {
  :root { color-scheme: dark; --paper: #14181d; --ink: #e6e9ed; --soft: #9aa5b1; --line: #3a424c; --shade: #1c2229; }
}
body { margin: 0; padding: 2rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
       font: 1rem/1.55 system-ui, sans-serif; }
main > * { max-width: 44rem; margin-inline: auto; }
main > figure, main > .wide { max-width: none; }
.wide > table { margin-inline: auto; }
h1 { font-size: 1.7rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { font-size: 1.2rem; margin-top: 2.2rem; overflow-wrap: anywhere; }
p, li, dd { overflow-wrap: anywhere; }
.soft, figcaption { color: var(--soft); }
figure { margin-block: 2rem; }
figcaption { max-width: 44rem; margin: 1rem auto 0; font-size: .9rem; }
.scroll { position: relative; overflow-x: auto; }
.scroll:has(> table, > .tree) { background:
  linear-gradient(to right, var(--paper) 30%, transparent) left / 2.5rem 100% no-repeat local,
  linear-gradient(to left, var(--paper) 30%, transparent) right / 2.5rem 100% no-repeat local,
  linear-gradient(to right, var(--line), transparent) left / .9rem 100% no-repeat scroll,
  linear-gradient(to left, var(--line), transparent) right / .9rem 100% no-repeat scroll; }
main > .scroll { max-width: min(60rem, 100%); min-width: min(44rem, 100%); width: fit-content; }
.scroll > svg { display: block; margin-inline: auto; }
.unfolded { container-type: inline-size; }
.sideways { margin: 0 0 .5rem; overflow: hidden; max-height: clamp(0px, (var(--wide) - 100cqi) * 99, 3.2rem);
            color: var(--soft); text-align: center; }
.card { padding: 1rem; background: #ffffff; border-radius: 6px; }
.card svg { display: block; max-width: 100%; height: auto; }
.panels { display: flex; flex-wrap: wrap; justify-content: center; gap: 1.5rem 2rem; }
.panels > div { max-width: 100%; }
@media screen and (max-width: 40rem) {
  .card { padding: .6rem; margin-inline: -.9rem; }
  .panels > .pan { max-width: none; }
  .pan svg { max-width: none; }
}
.card .keys { display: flex; flex-wrap: wrap; justify-content: center; gap: .2rem 1.5rem; margin: .8rem 0 0;
              color: #1f2328; font-size: .8rem; }
.card .keys svg { display: inline-block; margin-right: .4rem; }
.axis { margin: 0; color: var(--soft); font-size: .8rem; }
.axis.across { text-align: center; }
a { color: inherit; text-underline-offset: .15em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
@media screen and (max-width: 40rem) { th, td { padding-inline: .45rem; } }
td.figure, th.figure { text-align: right; white-space: nowrap; }
td.picture { min-width: 9rem; }
td.picture svg { display: block; }
@media screen and (max-width: 60rem) {
  .stacked { display: block; max-width: 44rem; }
  .stacked thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stacked tbody { display: block; }
  .stacked tr { display: flex; flex-wrap: wrap; gap: .1rem 1.2rem; padding-block: .6rem;
                border-bottom: 1px solid var(--line); }
  .stacked td { border: none; padding: 0; }
  .stacked td.word, .stacked td.picture { width: 100%; }
  .stacked td.word { font-weight: 600; overflow-wrap: anywhere; }
  .stacked td[data-head]::before { content: attr(data-head) " "; color: var(--soft); }
}
pre { padding: 1rem; overflow-x: auto; background: var(--shade); border: 1px solid var(--line); border-radius: 6px;
      font-size: .85rem; line-height: 1.45; }
summary { cursor: pointer; }
@media print {
  body { padding: 0; }
  main > .scroll, .scroll { overflow: visible; background: none; }
  .sideways { display: none; }
  .scroll > svg { max-width: 100%; height: auto; }
  pre { white-space: pre-wrap; }
  h2, h3 { break-after: avoid; }
  .together, tr, li { break-inside: avoid; }
}
"""
)


NOTEBOOK = f"""--paper: #ffffff; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0; --shade: #f6f8fa;
--ours: {colours.OURS}; --reported: {colours.REPORTED}; padding: .8rem; background: var(--paper); color: var(--ink);
.axis {{ margin: 0; color: var(--soft); font-size: .8rem; }}
.axis.across {{ text-align: center; }}"""


def document(title: str, body: str, style: str = "") -> str:
    """A whole page under this title, which is its heading too; the body is HTML already."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(title)}</title>
<style>{STYLE}{style}</style>
</head>
<body>
<main>
<h1>{escaped(title)}</h1>
{body}
</main>
</body>
</html>
"""


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of words and figures."""
    head = "".join(f"<th>{escaped(each)}</th>" for each in heads)
    lines = "".join(f"<tr>{''.join(f'<td>{escaped(cell)}</td>' for cell in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def items(texts: Iterable[str]) -> str:
    """A list; its texts are HTML already."""
    return f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>"


def scrolled(content: str, label: str) -> str:
    """What may be wider than a phone, in a box that scrolls; the content is HTML already."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{escaped(label)}">{content}</div>'


def pictured(picture: str, style: str) -> str:
    """A picture in a notebook: on paper of its own, with its style, which touches nothing else there."""
    return f'<div class="deniable"><style>.deniable {{ {NOTEBOOK} {style} }}</style>{picture}</div>'


def escaped(text: object) -> str:
    """Any text as it may stand in HTML and SVG, inside and outside of attributes."""
    return html.escape(UNSPEAKABLE.sub("\ufffd", str(text)))


def noted(note: str) -> str:
    """A note in brackets, where there is one."""
    return f" ({escaped(note)})" if note else ""


def write(page: str, path: str | PathLike[str]) -> None:
    """Write a page to a file."""
    try:
        Path(path).write_text(page, encoding="utf-8")
    except OSError as error:
        raise not_written(path, error) from error
