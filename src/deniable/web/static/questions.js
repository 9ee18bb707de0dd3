/**
 * The form of a whole design: a field for each question, or for those from which it is computed.
 */

import { sourceFields } from "./computed.js";
import { channelOf } from "./design.js";
import { element } from "./element.js";
import { fieldFor, personalField } from "./form.js";
import { protection } from "./lottery.js";
import { notesOf } from "./notes.js";
import { isolated } from "./words.js";
import { groupFields } from "./yourself.js";

const THEN = "What is worked out goes through the lottery like any answer.";

/**
 * The fields of a whole design, as [kind, name, field].
 *
 * The kind is "true", "personal" for the harmless questions, "unsent" for those from which others are computed, or
 * "picked" for the reports of respondents who draw by themselves: those of one draw stand together, at the first.
 */
export function surveyFields(page) {
  const { design } = page;
  const notes = notesOf(page);
  const fields = [];
  const boxes = design.questions.map((question, index) => {
    const channel = channelOf(design, question);
    if (channel.byRespondent)
      return question === firstOf(design, channel) ? groupFields(page, channel, notes, fields) : null;
    if (question.computed !== null)
      return sourceFields(design, question, `question-${index}`, notes(channel, question), fields, THEN);
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
  });
  return { fields, boxes };
}

/** The first question of a group, in the order in which they are asked. */
function firstOf(design, channel) {
  return design.questions.find((question) => channel.group.includes(question));
}
