"""Tables of a naive Bayes model, for people to read."""

import numpy as np
from numpy.typing import NDArray

from deniable.inference.independence import mutual_information
from deniable.learn.naive_bayes import NaiveBayes
from deniable.report.page import document, escaped, noted, scrolled, table
from deniable.report.tree_text import words_of


def bayes_rows(bayes: NaiveBayes) -> tuple[list[str], list[list[object]]]:
    """Heads and rows of a table: how often each class has each answer, and how many times the answer favours one.

    Answers are grouped by question; the questions with the most information about the class come first.
    """
    classes = [str(each) for each in bayes.classes_]
    rows: list[list[object]] = []
    for index in sorted(range(len(bayes.chances_)), key=lambda each: -_information(bayes, each)):
        for cell, shares in enumerate(bayes.chances_[index]):
            answer = words_of(bayes, index, [cell])
            favoured = f"{classes[int(np.argmax(shares))]} x {_times(shares)}"
            rows.append([bayes.columns_.names[index], answer, *[float(share) for share in shares], favoured])
    return ["question", "answer", *[f"share of {each}" for each in classes], "speaks for"], rows


def bayes_page(bayes: NaiveBayes, title: str, replies: int) -> str:
    """The model as one page that needs nothing else."""
    heads, rows = bayes_rows(bayes)
    shown = [[f"{cell:.4f}" if isinstance(cell, float) else cell for cell in row] for row in rows]
    priors = ", ".join(f"{name} {share:.1%}" for name, share in zip(bayes.classes_, bayes.priors_, strict=True))
    return document(
        title,
        f"<p>Naive Bayes for {escaped(bayes.target_)} from {replies:,} disguised replies, by the method "
        f"{escaped(bayes.method_)}{noted(bayes.note_)}. Before any answer is known: {escaped(priors)}.</p>"
        "<p>Each answer speaks for a class as many times as it is more frequent there than in the class where it is "
        "rarest; an answer whose factor is near 1 says nothing.</p>"
        f"{scrolled(table(heads, shown), 'Shares of each answer')}",
    )


def _times(shares: NDArray[np.float64]) -> str:
    least = float(np.min(shares))
    return f"{float(np.max(shares)) / least:.2f}" if least > 0 else "-"


def _information(bayes: NaiveBayes, index: int) -> float:
    """The mutual information of a question and the class."""
    return mutual_information(np.maximum(bayes.chances_[index] * bayes.priors_, 0.0))
