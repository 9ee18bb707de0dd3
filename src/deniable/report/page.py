"""Pages that need nothing but themselves: no script, no font, no network."""

from collections.abc import Iterable, Sequence
from html import escape

STYLE = """
:root { color-scheme: light dark; --line: #8886; --card: #fff; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.15rem; margin-top: 2rem; }
figure { margin: 0; overflow-x: auto; background: var(--card); border-radius: 6px; padding: .5rem; }
figure svg { max-width: 100%; height: auto; }
table { border-collapse: collapse; font-size: .9rem; }
th, td { text-align: left; padding: .3rem .7rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
"""
POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def document(title: str, body: str) -> str:
    """A whole HTML document."""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n{body}\n</body></html>\n"
    )


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of words and figures."""
    head = "".join(f"<th>{escape(each)}</th>" for each in heads)
    lines = ("".join(f"<td>{escape(str(cell))}</td>" for cell in row) for row in rows)
    return (
        f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(f'<tr>{line}</tr>' for line in lines)}</tbody></table>"
    )
