/**
 * The model goes back to the respondent: it is applied to true answers here, and nothing is sent.
 *
 * The follow-up round sends one digit: whether the model was right about the harmless personal answers.
 * Zhan and Matwin, section 2.4
 */

import { channelOf } from "./design.js";
import { announce, button, element } from "./element.js";
import { fieldFor, readAll } from "./form.js";
import { cellOf, chancesOf, predicted } from "./model.js";
import { percent } from "./chances.js";
import { isolated } from "./words.js";

/** A model's column as a question: with the wording of the design, and its numbers as numbers. */
function asked(design, column) {
  const known = design.all.find((question) => question.name === column.name);
  const numeric = column.range !== undefined || column.numbers !== undefined;
  const [low, high] = column.range?.map(Number) ?? [known?.low ?? -Infinity, known?.high ?? Infinity];
  return {
    name: column.name,
    wording: known?.wording ?? column.name,
    answers: numeric ? null : (column.answers ?? column.words),
    isNumber: numeric,
    integer: column.integer ?? known?.integer ?? false,
    omit: column.omit ?? false,
    unseen: true,
    low,
    high,
  };
}

/** True cells from the fields' answers: words are told by their place, numbers fall into intervals. */
function cellsOf(model, questions, answers) {
  return model.columns.map((column, place) => {
    const answer = answers.get(column.name);
    return cellOf(column, questions[place].isNumber || answer === null ? answer : questions[place].answers[answer]);
  });
}

/** "What would the model say about you?" */
export function mirror(page) {
  const { design, model } = page;
  const questions = model.columns.map((column) => asked(design, column));
  const fields = questions.map((question, place) => [
    "true",
    question.name,
    fieldFor(question, { id: `mirror-${place}`, legend: isolated(question.wording) }),
  ]);
  const said = element("div", { class: "said", "aria-live": "polite" });
  const target = design.all.find((question) => question.name === model.target);
  const tell = () => {
    const answers = readAll(fields);
    if (!answers) return;
    const chances = chancesOf(model, cellsOf(model, questions, answers.true));
    const best = predicted(chances);
    said.replaceChildren(
      element(
        "p",
        { class: "told" },
        `${isolated(target?.wording ?? model.target)} The model says: `,
        element("strong", {}, isolated(model.classes[best])),
      ),
      element(
        "ul",
        { class: "legend" },
        chances.map((chance, place) =>
          element("li", { class: place === best ? "hit" : null }, `${isolated(model.classes[place])} ${percent(chance)}`),
        ),
      ),
      element(
        "p",
        { class: "hint" },
        "Computed on this device. Nothing was sent, and nothing you entered here is kept.",
      ),
    );
  };
  const clear = () => {
    fields.forEach(([, , field]) => field.clear());
    said.replaceChildren();
  };
  const box = element(
    "details",
    { class: "mirror" },
    element("summary", {}, "What would the model say about you?"),
    element(
      "p",
      {},
      "The collector has published a model that was learnt from replies as they were sent. It came with this page; " +
        "it is applied here, to what you enter here, and no request is made.",
    ),
    fields.map(([, , field]) => field.box),
    element("div", { class: "actions" }, button("Ask the model", tell), button("Clear", clear, "quiet")),
    said,
  );
  return { box, clear };
}

/** Whether every question of the model, and its target, has a harmless personal question in one group. */
export function canFollowUp(design, model) {
  const target = design.questions.find((question) => question.name === model.target);
  const channel = target && channelOf(design, target);
  return (
    Boolean(channel) &&
    [model.target, ...model.columns.map((column) => column.name)].every((name) => channel.personal.has(name))
  );
}

/** The second round: was the model right about your harmless answers? Only 0 or 1 is sent. */
export function followUp(page, confirm) {
  const { design, model } = page;
  const names = [...model.columns.map((column) => column.name), model.target];
  const questions = names.map((name) => design.questions.find((question) => question.name === name));
  const channel = channelOf(design, questions.at(-1));
  const fields = questions.map((question, place) => [
    "personal",
    question.name,
    fieldFor({ ...question, omit: false }, { id: `follow-${place}`, legend: isolated(channel.personal.get(question.name)) }),
  ]);
  const clear = () => fields.forEach(([, , field]) => field.clear());
  const compute = () => {
    const answers = readAll(fields)?.personal;
    if (!answers) return;
    const cells = model.columns.map((column) => answers.get(column.name));
    const right = predicted(chancesOf(model, cells)) === answers.get(model.target);
    clear();
    announce(right ? "The model was right." : "The model was wrong.");
    confirm(right);
  };
  const box = element(
    "details",
    { class: "mirror" },
    element("summary", {}, "Second round: was the model right about your harmless answers?"),
    element(
      "p",
      {},
      "Answer the harmless questions once more. The model guesses the last answer from the others, here on your " +
        "device, and only whether it was right (1) or not (0) will be sent, after you have seen it.",
    ),
    element(
      "p",
      {},
      "That digit is not disguised. Whoever can link it to your reply may learn from both that what you replied was " +
        "the truth. This is why it is asked on a later day. You need not take part.",
    ),
    fields.map(([, , field]) => field.box),
    element("div", { class: "actions" }, button("Was it right?", compute)),
  );
  return { box, clear };
}
