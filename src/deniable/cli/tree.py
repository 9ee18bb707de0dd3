"""`deniable tree DESIGN REPLIES -o MODEL.json`: a decision tree from disguised replies."""

from typing import Annotated, Literal

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, MissingCells, ModelOut, Replies, Target, keep_apart, training_set
from deniable.cli.show import AsJson, print_json, say, say_written
from deniable.learn.decision_tree import TreeClassifier
from deniable.report import page
from deniable.report.models import tree_document
from deniable.report.picture import tree_page, tree_svg
from deniable.report.tree_text import tree_text


def command(
    path: DesignFile,
    replies: Replies,
    out: ModelOut,
    target: Target = None,
    criterion: Annotated[Literal["entropy", "gini"], typer.Option(help="ID3 (entropy) or CART (gini).")] = "entropy",
    method: Annotated[
        str,
        typer.Option(
            help="auto, inverse, bayes, latent, pairs, shrunk, naive, global, byclass, local, joint, none (uncorrected)"
        ),
    ] = "auto",
    faithful: Annotated[bool, typer.Option("--faithful", help="Grow to the end, as the papers do.")] = False,
    max_depth: Annotated[int | None, typer.Option(help="Questions on a path, at most.")] = None,
    missing: MissingCells = "skip",
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Grow a decision tree from disguised replies, and save it. --html tree.svg draws all of it as one picture."""
    keep_apart(path, replies, html, out)
    design = Design.load(path, check_text=False)
    target, training, left_out = training_set(design, replies, target, method, missing)
    tree = TreeClassifier(
        design,
        criterion=criterion,
        method=method,
        stop=None if faithful else "noise",
        max_depth=max_depth,
    )
    tree.fit(training, target)
    tree.save(out)
    if html is not None:
        title = design.title or f"A tree for {target}"
        drawn = tree_svg(tree, None) if html.suffix.lower() == ".svg" else tree_page(tree, title, tree.n_replies_)
        page.write(drawn, html)
    if as_json:
        print_json(tree_document(tree, out, left_out))
    else:
        for line in [*left_out, *[tree.note_] * bool(tree.note_)]:
            say(line)
        say(tree_text(tree))
        say(f"{out}: a tree by the method {tree.method_!r} from {tree.n_replies_:,} replies")
    say_written(html, "the tree as a picture", as_json)
