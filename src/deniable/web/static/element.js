/**
 * Pieces of the page, made of text and never of markup.
 *
 * Whatever a collector wrote into a title, a question or an answer is shown as it is written, in a <bdi> of its own.
 */

import { foreignLanguageOf } from "./language.js";
import { partsOf } from "./words.js";

/** An element with attributes (functions are listeners, on...) and children (texts or elements). */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  fill(made, attributes);
  made.append(...children.flat().flatMap(nodes));
  return made;
}

/** A child as what is appended: a text with each of its collector's words apart, an element as it is. */
function nodes(child) {
  if (child === null || child === undefined) return [];
  if (typeof child !== "string") return [child];
  return partsOf(child).map((part, index) => (index % 2 ? bdi(part) : part));
}

function bdi(word) {
  return element("bdi", { lang: foreignLanguageOf(word) }, word);
}

/** The same for pictures. */
export function drawing(name, attributes = {}, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(made, attributes);
  made.append(...children);
  return made;
}

function fill(made, attributes) {
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(key, value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, String(value));
  }
}

/** A table with a caption; the first cell of each row is its heading. Labels stand beside cells on small screens. */
export function table(caption, heads, rows) {
  const head = element(
    "tr",
    {},
    heads.map((text) => element("th", { scope: "col" }, text)),
  );
  const lines = rows.map(([first, ...others]) =>
    element(
      "tr",
      {},
      element("th", { scope: "row" }, first),
      others.map((text, index) => element("td", { "data-label": heads[index + 1] }, element("span", {}, text))),
    ),
  );
  return element(
    "table",
    {},
    element("caption", { class: "aside" }, caption),
    element("thead", {}, head),
    element("tbody", {}, lines),
  );
}

/** A button. */
export function button(text, click, kind = "") {
  return element("button", { type: "button", class: kind, click }, text);
}

/** Tell those who do not see the screen what just happened. */
export function announce(text) {
  const live = document.getElementById("live");
  if (live) live.textContent = text;
}

/** Show one step of the page: its heading gets the focus, so that keyboards and screen readers start there. */
export function showStep(heading, ...children) {
  const head = element("h2", { tabindex: "-1" }, heading);
  document.getElementById("step").replaceChildren(head, ...children.flat().filter(Boolean));
  const goesOn = showStep.before && showStep.before !== heading;
  if (showStep.before) head.focus({ preventScroll: true });
  if (goesOn) head.scrollIntoView();
  showStep.before = heading;
  return head;
}
