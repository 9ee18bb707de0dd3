/**
 * Questions that not everybody is asked: shown or hidden on this device, by true answers that stay here.
 *
 * What is hidden is answered all the same, as the design says, and disguised like any answer. So a reply has the same
 * shape and length whatever was asked. Rules are published as lists (survey/skip.py) and evaluated alike in Python.
 */

const COMPARED = {
  ">=": (number, bound) => number >= bound,
  ">": (number, bound) => number > bound,
  "<=": (number, bound) => number <= bound,
  "<": (number, bound) => number < bound,
  "==": (number, bound) => number === bound,
  "!=": (number, bound) => number !== bound,
};

/** Whether a rule holds for answers by name; an answer that was left out, or not given yet, fulfils no comparison. */
export function ruleHolds([kind, ...parts], answers) {
  if (kind === "cells") return parts[1].includes(answers.get(parts[0]));
  if (kind === "number") {
    const [name, sign, bound] = parts;
    const number = answers.get(name) ?? null;
    return number !== null && COMPARED[sign](number, Number(bound));
  }
  if (kind === "not") return !ruleHolds(parts[0], answers);
  return kind === "all"
    ? parts.every((part) => ruleHolds(part, answers))
    : parts.some((part) => ruleHolds(part, answers));
}

/** Put what the design says in place of answers to questions that are not asked; gives the names of those. */
export function answerOthers(design, answers) {
  const hidden = new Set();
  for (const { name, askIf, otherwise } of design.questions) {
    if (askIf === null || ruleHolds(askIf, answers)) continue;
    answers.set(name, otherwise);
    hidden.add(name);
  }
  return hidden;
}

/** The names of all questions whose answers decide, in a rule. */
export function namesIn([kind, ...parts]) {
  return kind === "cells" || kind === "number" ? [parts[0]] : parts.flatMap(namesIn);
}
