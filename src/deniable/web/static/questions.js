/**
 * The form of a whole design: a field for each question, or for those from which it is computed.
 */

import { sourceFields } from "./computed.js";
import { channelOf } from "./design.js";
import { element } from "./element.js";
import { fieldFor, personalField, tickField } from "./form.js";
import { say } from "./language.js";
import { protection } from "./lottery.js";
import { notesOf } from "./notes.js";
import { isolated, quoted } from "./words.js";
import { groupFields } from "./yourself.js";

/**
 * The fields of a whole design, as [kind, name, field], and boxes of them, as { box, questions }.
 *
 * The kind is "true", "personal" for the harmless questions, "unsent" for those from which others are computed, or
 * "picked" for the reports of respondents who draw by themselves: those of one draw stand together, at the first.
 */
export function surveyFields(page) {
  const { design } = page;
  const notes = notesOf(page);
  const fields = [];
  const boxes = [];
  for (const questions of blocksOf(design)) {
    const box = boxFor(page, questions, notes, fields);
    if (box !== null) boxes.push({ box, questions });
  }
  return { fields, boxes };
}

/** Questions that stand together: options of one choice, rows of one matrix, or one question alone. */
function blocksOf(design) {
  const blocks = [];
  let section = "";
  let stems = new Map(); // blocks of this section, by what is asked
  for (const question of design.questions) {
    if (question.section && question.section !== section) [section, stems] = [question.section, new Map()];
    const stem = stemOf(design, question);
    const block = stems.get(stem) ?? [];
    if (!block.length) blocks.push(block);
    if (stem) stems.set(stem, block);
    block.push(question);
  }
  return blocks;
}

/** What is asked of several questions at once; not where respondents draw, or where there is more to ask of each. */
function stemOf(design, question) {
  const channel = channelOf(design, question);
  if (channel.byRespondent || channel.personal.has(question.name) || question.computed !== null) return "";
  return question.multiple || question.matrix;
}

function boxFor(page, questions, notes, fields) {
  const { design } = page;
  const [question] = questions;
  const index = design.questions.indexOf(question);
  const channel = channelOf(design, question);
  if (stemOf(design, question)) return stemBox(page, questions, notes, fields);
  if (channel.byRespondent) return question === firstOf(design, channel) ? groupFields(page, channel, notes, fields) : null;
  if (question.computed !== null) {
    const then = say("What is worked out is disguised like any answer.");
    return sourceFields(design, question, `question-${index}`, notes(channel, question), fields, then);
  }
  const field = fieldFor(question, {
    id: `question-${index}`,
    legend: isolated(question.wording),
    notes: notes(channel, question),
  });
  fields.push(["true", question.name, field]);
  if (!channel.personal.has(question.name) || protection(channel, question) !== "lottery") return field.box;
  const harmless = personalField(channel, question, `personal-${index}`);
  fields.push(["personal", question.name, harmless]);
  return element("div", { class: "pair" }, field.box, harmless.box);
}

/** Boxes to tick, or rows of one matrix, below what is asked of all of them. */
function stemBox({ design }, questions, notes, fields) {
  const [first] = questions;
  const ticked = first.multiple !== "";
  const rows = questions.map((question) => {
    const id = `question-${design.questions.indexOf(question)}`;
    const field = ticked
      ? tickField(question, { id })
      : fieldFor(question, { id, legend: isolated(question.wording), row: true });
    fields.push(["true", question.name, field]);
    return field.box;
  });
  const said = new Map(); // questions by what is said of them
  for (const question of questions) {
    const key = notesKey(notes, channelOf(design, question), question);
    said.set(key, [...(said.get(key) ?? []), question]);
  }
  const [no, yes] = first.shown.map((word) => quoted(word));
  const hint = ticked ? element("p", { class: "hint" }, say("Tick all that hold. A ticked box counts as {yes}, an empty one as {no}.", { yes, no })) : null;
  return element(
    "fieldset",
    { class: ticked ? "question several" : "question matrix" },
    element("legend", { class: "wording" }, isolated(first.multiple || first.matrix)),
    [...said.values()].flatMap((some) => [
      said.size > 1 ? element("p", { class: "hint" }, some.map(({ wording }) => isolated(wording)).join(" · ")) : null,
      ...notes(channelOf(design, some[0]), some[0]),
    ]),
    hint,
    element("div", { class: "choices" }, rows),
  );
}

/** What is said beside a question, as text: questions of which the same is said need it once. */
function notesKey(notes, channel, question) {
  return notes(channel, question)
    .map((each) => each.textContent)
    .join();
}

/** The first question of a group, in the order in which they are asked. */
function firstOf(design, channel) {
  return design.questions.find((question) => channel.group.includes(question));
}
