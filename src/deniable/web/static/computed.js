/**
 * Computed questions: the device works out an answer from others, which are asked here and never sent.
 *
 * The formula is published in parts: a sum of answers, each times a number, compared with a bound.
 */

import { element } from "./element.js";
import { fieldFor } from "./form.js";
import { say } from "./language.js";
import { isolated } from "./words.js";

const COMPARED = {
  ">=": (total, bound) => total >= bound,
  ">": (total, bound) => total > bound,
  "<=": (total, bound) => total <= bound,
  "<": (total, bound) => total < bound,
  "==": (total, bound) => total === bound,
  "!=": (total, bound) => total !== bound,
};

/** The cell of a computed question, 0 or 1, from the answers to unsent ones (cells, or numbers) by name. */
export function workedOut(design, { terms, sign, bound }, answers) {
  let total = 0;
  for (const [name, factor] of terms) {
    const { values } = design.unsent.find((question) => question.name === name);
    const answer = answers.get(name);
    total += factor * (values === null ? answer : values[answer]);
  }
  return COMPARED[sign](total, bound) ? 1 : 0;
}

/** Put what the device works out among the true answers. */
export function workOut(design, answers) {
  for (const { name, computed } of design.questions)
    if (computed !== null) answers.true.set(name, workedOut(design, computed, answers.unsent));
}

/**
 * The fields from which a question is computed, as far as `fields` have none of them yet, and a box of them.
 *
 * `then` says what becomes of what is worked out.
 */
export function sourceFields(design, question, id, notes, fields, then = "") {
  const asked = new Set(fields.filter(([kind]) => kind === "unsent").map(([, name]) => name));
  const names = question.computed.terms.map(([name]) => name).filter((name) => !asked.has(name));
  const boxes = design.unsent
    .filter(({ name }) => names.includes(name))
    .map((source, index) => {
      const field = fieldFor(source, { id: `${id}-${index}`, legend: isolated(source.wording) });
      fields.push(["unsent", source.name, field]);
      return field.box;
    });
  return element(
    "section",
    { class: "computed", "aria-labelledby": `${id}-head` },
    element("h3", { id: `${id}-head`, class: "wording" }, isolated(question.wording)),
    element(
      "p",
      { class: "hint" },
      `${
        boxes.length
          ? say("Your device works this out, yes or no, from the answers below. Those answers are never sent and never kept.")
          : say("Your device works this out, yes or no, from the answers above. Those answers are never sent and never kept.")
      } ${then}`,
    ),
    notes,
    boxes,
  );
}
