"""`deniable tree DESIGN REPLIES -o MODEL.json`: a decision tree from disguised replies."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Replies, replies_table, with_target
from deniable.cli.show import say
from deniable.errors import BadFile
from deniable.frame import files
from deniable.learn.tree import TreeClassifier
from deniable.report import page
from deniable.report.picture import tree_page
from deniable.report.show import tree_text


def command(
    path: DesignFile,
    replies: Replies,
    out: Annotated[Path, typer.Option("-o", "--out", help="The model file to write.")],
    target: Annotated[
        str | None, typer.Option(help="The question to predict; the design's target if left out.")
    ] = None,
    criterion: Annotated[Literal["entropy", "gini"], typer.Option(help="ID3 (entropy) or CART (gini).")] = "entropy",
    method: Annotated[
        str, typer.Option(help="auto, inverse, bayes, latent, pairs or none (the uncorrected baseline).")
    ] = "auto",
    faithful: Annotated[bool, typer.Option("--faithful", help="Grow to the end, as the papers do.")] = False,
    max_depth: Annotated[int | None, typer.Option(help="Questions on a path, at most.")] = None,
    html: Annotated[
        Path | None, typer.Option("--html", metavar="PAGE", help="Also write the tree as a picture on a page.")
    ] = None,
) -> None:
    """Grow a decision tree from disguised replies, and save it."""
    _keep_apart(out, html, path, replies)
    promised = Design.load(path)
    design, table = with_target(promised, target), replies_table(promised, replies)
    noisy = [name for name in table.column_names if design.channel(name).has_noise and name != design.target]
    table = table.drop_columns(noisy)
    tree = TreeClassifier(
        design, criterion=criterion, method=method, stop=None if faithful else "noise", max_depth=max_depth
    )
    tree.fit(table.drop_columns([str(design.target)]), table.column(str(design.target)).to_numpy())
    tree.save(out)
    if html is not None:
        page.write(tree_page(tree, design.title or f"A tree for {design.target}", table.num_rows), html)
    for name in noisy:
        say(f"left out: {name} (a number under noise)")
    say(tree_text(tree))
    say(f"{out}: a tree by the method {tree.method_!r} from {table.num_rows:,} replies")
    if html is not None:
        say(f"{html}: the tree as a picture")


def _keep_apart(out: Path, html: Path | None, *read: Path) -> None:
    """Refuse to write one file over another of this command."""
    files.keep_apart(out, *read)
    if html is not None:
        files.keep_apart(html, *read)
        if html.resolve() == out.resolve():
            raise BadFile(html, "would overwrite the model", "write to another file")
