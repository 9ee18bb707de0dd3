"""`deniable bayes DESIGN REPLIES -o MODEL.json`: a naive Bayes classifier from disguised replies."""

from typing import Annotated, Literal

import typer

from deniable.channel.design import Design
from deniable.cli.arguments import DesignFile, Html, MissingCells, ModelOut, Replies, Target, keep_apart, training_set
from deniable.cli.show import AsJson, print_json, print_table, say, say_written
from deniable.learn.naive_bayes import NaiveBayes
from deniable.report import page
from deniable.report.bayes_tables import bayes_page, bayes_rows
from deniable.report.models import bayes_document


def command(
    path: DesignFile,
    replies: Replies,
    out: ModelOut,
    target: Target = None,
    smoothing: Annotated[
        Literal["auto", "laplace", "none"], typer.Option(help="What is added to estimates: none for raw products.")
    ] = "auto",
    method: Annotated[
        str,
        typer.Option(help="auto, inverse, bayes, latent, pairs, shrunk, naive, global, byclass or none (uncorrected)."),
    ] = "auto",
    missing: MissingCells = "skip",
    html: Html = None,
    as_json: AsJson = False,
) -> None:
    """Learn a naive Bayes classifier from disguised replies, and save it."""
    keep_apart(path, replies, html, out)
    design = Design.load(path, check_text=False)
    target, training, left_out = training_set(design, replies, target, method, missing)
    bayes = NaiveBayes(design, smoothing=None if smoothing == "none" else smoothing, method=method)
    bayes.fit(training, target)
    bayes.save(out)
    if html is not None:
        page.write(bayes_page(bayes, design.title or f"Naive Bayes for {target}", bayes.n_replies_), html)
    if as_json:
        print_json(bayes_document(bayes, out, left_out))
    else:
        for line in [*left_out, *[bayes.note_] * bool(bayes.note_)]:
            say(line)
        heads, rows = bayes_rows(bayes)
        print_table("", heads, rows)
        say(f"{out}: naive Bayes for {target} by the method {bayes.method_!r} from {bayes.n_replies_:,} replies")
    say_written(html, "the table as a page", as_json)
