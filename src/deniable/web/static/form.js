/**
 * The questions, each with the kind of field that its answers need.
 *
 * Fields are named by their index, never by what was answered, and browsers are asked not to remember them.
 */

import { announce, element } from "./element.js";
import { digits, say } from "./language.js";
import { isolated, partsOf } from "./words.js";

const FEW = 9; // answers that are shown all at once
const OMITTED = "left out";
const LATIN = new Map([..."٠١٢٣٤٥٦٧٨٩"].map((digit, value) => [digit, String(value)]));
for (const sign of ",٫") LATIN.set(sign, ".");
for (const sign of "−–") LATIN.set(sign, "-");
const TYPED = { useGrouping: false, maximumFractionDigits: 20 };

/** A field for one question: its element, a way to read it, and a way to complain beside it. */
export function fieldFor(question, { id, legend, notes = [], row = false }) {
  const help = question.help ? [element("p", { class: "hint" }, isolated(question.help))] : [];
  notes = [...help, notes].flat();
  if (question.isNumber) return numberField(question, { id, legend, notes });
  const answers = shownAnswers(question);
  if (question.byInterval && !question.integer)
    notes.push(element("p", { class: "hint" }, say("Where two ranges meet, choose the one with the larger numbers.")));
  if (question.omit) answers.push([OMITTED, say("Leave this out (which will be seen)")]);
  return answers.length <= FEW
    ? choiceField(answers, { id, legend, notes, row })
    : listField(answers, { id, legend, notes });
}

/** The answers that people may pick, as [cell, words]. */
function shownAnswers({ answers, shown = answers, offered = answers.length }) {
  return shown.slice(0, offered).map((word, cell) => [String(cell), isolated(word)]);
}

/** Between which numbers: without signs between thousands, as one would type them. */
function rangeWords({ integer, ...question }) {
  const [low, high] = [question.low, question.high].map((each) => digits(each, TYPED));
  return integer
    ? say("A whole number from {low} to {high}", { low, high })
    : say("A number from {low} to {high}", { low, high });
}

function numberField(question, { id, legend, notes }) {
  const range = rangeWords(question);
  const empty = question.unseen ? say("It may be left empty.") : say("It may be left empty, and that would be seen.");
  const hint = `${range}.${question.omit ? ` ${empty}` : ""}`;
  const input = element("input", {
    id,
    type: "text", // a browser reads numbers by its own language, and takes 1,5 for 15 in another one
    inputmode: question.low < 0 ? null : question.integer ? "numeric" : "decimal", // without a minus on some phones
    autocomplete: "off",
    "aria-describedby": `${id}-hint ${id}-fault`,
  });
  const fault = faultLine(id);
  const box = element(
    "div",
    { class: "question" },
    element("label", { class: "wording", for: id }, legend),
    notes,
    element("p", { id: `${id}-hint`, class: "hint" }, hint),
    input,
    fault,
  );
  const please = say("{range}, please.", { range });
  const read = () => {
    if (input.value.trim() === "") return question.omit ? { answer: null } : { fault: please };
    const answer = typedNumber(input.value, question);
    return answer >= question.low && answer <= question.high ? { answer } : { fault: please };
  };
  return {
    box,
    read,
    complain: complaints(box, input, fault, [input]),
    clear: () => {
      input.value = "";
    },
  };
}

/**
 * The number that was typed, with a point or a comma before its fraction, in Latin or Arabic digits; NaN where it is none.
 *
 * 1.234 may stand for a thousand: where that is possible, too, it is none.
 */
export function typedNumber(text, { integer, high }) {
  const latin = [...text.trim()].map((sign) => LATIN.get(sign) ?? sign).join("");
  const found = (integer ? /^[+-]?\d+$/ : /^[+-]?(\d+[.]?\d*|[.]\d+)$/).test(latin) ? Number(latin) : NaN;
  return /[.]\d{3}$/.test(latin) && Math.abs(found) >= 1 && 1000 * Math.abs(found) <= high ? NaN : found;
}

function choiceField(answers, { id, legend, notes, row }) {
  const fault = faultLine(id);
  const inputs = answers.map(([value], index) =>
    element("input", { type: "radio", id: `${id}-${index}`, name: id, value, autocomplete: "off" }),
  );
  const choices = answers.map(([, word], index) =>
    element("label", { class: "choice", for: `${id}-${index}` }, inputs[index], element("span", { translate: "no" }, word)),
  );
  const box = element(
    "fieldset",
    { class: row ? "question row" : "question", "aria-describedby": `${id}-fault` },
    element("legend", { class: "wording" }, legend),
    notes,
    element("div", { class: "choices", translate: "no" }, choices),
    fault,
  );
  const read = () => chosen(inputs.find((input) => input.checked)?.value);
  const clear = () =>
    inputs.forEach((input) => {
      input.checked = false;
    });
  return { box, read, complain: complaints(box, inputs[0], fault, []), clear };
}

function listField(answers, { id, legend, notes }) {
  const fault = faultLine(id);
  const options = answers.map(([value, word]) => option(value, word));
  const list = element(
    "select",
    { id, autocomplete: "off", translate: "no", "aria-describedby": `${id}-fault` },
    element("option", { value: "" }, say("Choose …")),
    options,
  );
  const box = element(
    "div",
    { class: "question" },
    element("label", { class: "wording", for: id }, legend),
    notes,
    list,
    fault,
  );
  const clear = () => {
    list.value = "";
  };
  return { box, read: () => chosen(list.value || undefined), complain: complaints(box, list, fault, [list]), clear };
}

/** One of a list: it can hold no other element, so its direction is its own. */
function option(value, word) {
  const made = element("option", { value, dir: "auto" });
  made.textContent = partsOf(word).join("");
  return made;
}

function chosen(value) {
  if (value === undefined) return { fault: say("Please choose an answer.") };
  return { answer: value === OMITTED ? null : Number(value) };
}

/** A box to tick: ticked is the second answer, and left alone the first. */
export function tickField(question, { id }) {
  const input = element("input", { type: "checkbox", id, autocomplete: "off" });
  const box = element(
    "label",
    { class: "choice", for: id },
    input,
    element("span", {}, isolated(question.wording), question.help ? element("small", {}, isolated(question.help)) : null),
  );
  const clear = () => {
    input.checked = false;
  };
  return { box, read: () => ({ answer: input.checked ? 1 : 0 }), complain: () => input, clear };
}

function faultLine(id) {
  return element("p", { id: `${id}-fault`, class: "fault" });
}

/** A way to say beside a field what is wrong with it; `null` takes it back, and so does whatever is entered then. */
function complaints(box, focus, line, marked) {
  const complain = (text) => {
    line.textContent = text ?? "";
    marked.forEach((input) => input.setAttribute("aria-invalid", String(text !== null)));
    return focus;
  };
  box.addEventListener("input", () => {
    if (line.textContent === "") return;
    complain(null);
    announce("");
  });
  return complain;
}

/**
 * Read fields, given as [kind, name, field]: maps of answers by kind and name.
 *
 * Where one has no answer it is told so, the first such field gets the focus, and there is no result.
 */
export function readAll(fields) {
  const answers = { true: new Map(), personal: new Map(), unsent: new Map(), picked: new Map(), hidden: new Set() };
  let first = null;
  for (const [kind, name, field] of fields) {
    const { answer, fault } = field.read();
    const focus = field.complain(fault ?? null);
    if (fault) first ??= focus;
    else answers[kind].set(name, answer);
  }
  first?.focus();
  return first ? null : answers;
}

/** The harmless question that stands in for a sensitive one, with the same answers. */
export function personalField(channel, question, id) {
  const note = element(
    "p",
    { class: "hint" },
    say("The harmless question. Chance may send this answer in place of the one above. Please answer both."),
  );
  const asked = { ...question, omit: false, help: "" };
  return fieldFor(asked, { id, legend: isolated(channel.personal.get(question.name)), notes: [note] });
}
