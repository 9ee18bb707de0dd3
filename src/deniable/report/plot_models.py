"""Charts of a confusion matrix, and of how often each class gives each answer (naive Bayes)."""

import altair as alt
import pandas as pd

from deniable.evaluate.score import Confusion, Evaluation
from deniable.learn.naive_bayes import NaiveBayes
from deniable.report.bayes_tables import bayes_rows
from deniable.report.charts import WIDTH, beside_axis, in_lines, legend, narrow, room_of, styled
from deniable.report.colours import CLASSES, OURS

CELL = 90  # pixels


def confusion(found: Confusion | Evaluation) -> alt.TopLevelMixin:
    """True classes by predicted ones: shares of all people with their standard errors."""
    shown = found.confusion if isinstance(found, Evaluation) else found
    frame = pd.DataFrame(
        [
            (true, word, each.value, f"{each.value:.3f} ± {each.stderr:.3f}")
            for (true, word), each in shown.cells.items()
        ],
        columns=["true", "predicted", "share", "words"],
    )
    classes = list(shown.classes)
    base = alt.Chart(frame).encode(
        x=alt.X("predicted:N", title="predicted class", sort=classes, axis=alt.Axis(labelAngle=0, labelLimit=CELL)),
        y=alt.Y("true:N", title="true class", sort=classes, axis=alt.Axis(labelLimit=0)),
    )
    depth = alt.Color(
        "share:Q",
        title="share of people",
        legend=alt.Legend(orient="bottom", gradientLength=2 * CELL),
        scale=alt.Scale(domain=[0, 1], range=["#ffffff", OURS], interpolate="rgb", clamp=True),
    )
    cells = base.mark_rect(stroke="#d1d9e0").encode(color=depth)
    ink = alt.condition("datum.share > 0.6", alt.value("#ffffff"), alt.value("#1f2328"))
    words = base.mark_text(fontSize=12).encode(text="words:N", color=ink)
    return styled(alt.layer(cells, words).properties(width=alt.Step(CELL), height=alt.Step(CELL / 2)))


def bayes(model: NaiveBayes) -> alt.TopLevelMixin:
    """How often each class gives each answer; questions that tell most about the class come first."""
    _, rows = bayes_rows(model)
    classes = [str(each) for each in model.classes_]
    frame = pd.DataFrame(
        [
            (f"{question} {answer}", name, share)
            for question, answer, *shares, _ in rows
            for name, share in zip(classes, shares, strict=True)
        ],
        columns=["answer", "class", "share"],
    )
    frame["answer"] = in_lines(frame["answer"])
    scale = alt.Scale(domain=classes, range=[CLASSES[index % len(CLASSES)] for index in range(len(classes))])
    title = f"share of those whose {model.target_ or 'class'} is"
    return narrow(
        alt.Chart(frame)
        .mark_point(filled=True, size=70, opacity=0.9)
        .encode(
            x=alt.X("share:Q", title="share who give the answer", scale=alt.Scale(zero=True)),
            y=beside_axis("answer", "answer"),
            color=alt.Color("class:N", title=title, sort=classes, scale=scale, legend=legend()),
        )
        .properties(width=WIDTH, height=alt.Step(room_of(frame["answer"])))
    )
