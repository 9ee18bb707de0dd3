/**
 * A hundred little people, of whom some are filled: shares for readers who do not read per cents.
 */

import { drawing, element } from "./element.js";

const PEOPLE = 100;
const ROW = 20;
const WIDE = 14;
const TALL = 18; // of one person, with the room around
const PERSON = "m4.4 0a2.4 2.4 0 1 0 4.8 0a2.4 2.4 0 1 0-4.8 0m-1.4 10.6v-3.6a3.8 3.8 0 0 1 7.6 0v3.6z"; // head and body

/** A picture of 100 people, the first `some` of them filled, between a caption and what is said of both kinds. */
export function people({ some, caption, key, after }) {
  const paths = [
    ["some", 0, some],
    ["rest", some, PEOPLE],
  ]
    .filter(([, from, to]) => to > from)
    .map(([kind, from, to]) => drawing("path", { class: kind, d: drawn(from, to) }));
  const tall = (PEOPLE / ROW) * TALL;
  const box = { viewBox: `0 0 ${ROW * WIDE} ${tall}`, class: "people", "aria-hidden": "true" };
  return element(
    "figure",
    { class: "hundred" },
    element("figcaption", {}, caption),
    drawing("svg", box, ...paths),
    element("ul", { class: "key" }, key.map((words, index) => element("li", {}, person(index ? "rest" : "some"), words))),
    element("p", {}, after),
  );
}

/** One of them, beside what is said of that kind. */
function person(kind) {
  const box = { viewBox: `0 0 ${WIDE} ${TALL}`, class: "people", "aria-hidden": "true" };
  return drawing("svg", box, drawing("path", { class: kind, d: drawn(0, 1) }));
}

function drawn(from, to) {
  return Array.from({ length: to - from }, (_, index) => {
    const place = from + index;
    return `M${(place % ROW) * WIDE} ${Math.floor(place / ROW) * TALL + 3.4}${PERSON}`;
  }).join("");
}
