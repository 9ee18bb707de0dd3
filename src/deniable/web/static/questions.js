/**
 * The form of a whole design: a field for each question, or for those from which it is computed.
 */

import { sourceFields } from "./computed.js";
import { channelOf } from "./design.js";
import { element } from "./element.js";
import { fieldFor, personalField } from "./form.js";
import { protection } from "./lottery.js";
import { isolated } from "./words.js";

const THEN = "What is worked out goes through the lottery like any answer.";

/**
 * The fields of a whole design, as [kind, name, field].
 *
 * The kind is "true", "personal" for the harmless questions, or "unsent" for those from which others are computed.
 */
export function surveyFields(design, notesOf) {
  const fields = [];
  const boxes = design.questions.map((question, place) => {
    const channel = channelOf(design, question);
    if (question.computed !== null)
      return sourceFields(design, question, `question-${place}`, notesOf(channel, question), fields, THEN);
    const field = fieldFor(question, {
      id: `question-${place}`,
      legend: isolated(question.wording),
      notes: notesOf(channel, question),
    });
    fields.push(["true", question.name, field]);
    if (!channel.personal.has(question.name) || protection(channel, question) !== "lottery") return field.box;
    const harmless = personalField(channel, question, `personal-${place}`);
    fields.push(["personal", question.name, harmless]);
    return element("div", { class: "pair" }, field.box, harmless.box);
  });
  return { fields, boxes };
}
