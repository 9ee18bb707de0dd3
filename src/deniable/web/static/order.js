/**
 * The order of questions, drawn on the device where a design asks for that: within sections, and never before a question
 * whose answer decides whether they are asked.
 */

import { firstAbove, uniform } from "./chances.js";
import { namesIn } from "./skip.js";

/** Boxes in an order of their own, section by section; `sectionsOf` says which ones a section has. */
export function inDrawnOrder(sections, draw) {
  return sections.flatMap(({ boxes }) => ordered(shuffled(boxes, draw)));
}

/** Every order with the same chance. */
function shuffled(boxes, draw) {
  const left = [...boxes];
  const found = [];
  while (left.length) found.push(...left.splice(left.length > 1 ? firstAbove(uniform(left.length), draw()) : 0, 1));
  return found;
}

/** The same order, but whatever decides stands before what it decides. */
function ordered(boxes) {
  const left = [...boxes];
  const found = [];
  const inside = new Set(boxes.flatMap(({ questions }) => questions.map(({ name }) => name)));
  const waits = ({ questions }) => {
    const own = new Set(questions.map(({ name }) => name));
    const placed = new Set(found.flatMap((each) => each.questions.map(({ name }) => name)));
    const needed = questions.flatMap(({ askIf }) => (askIf === null ? [] : namesIn(askIf)));
    return needed.some((name) => inside.has(name) && !own.has(name) && !placed.has(name));
  };
  while (left.length) {
    const next = left.findIndex((each) => !waits(each));
    found.push(...left.splice(Math.max(next, 0), 1));
  }
  return found;
}
