/**
 * Sections: one page of questions after the other, with a bar that tells how far one has come.
 *
 * All fields stay on the page; those of other sections, and of questions that are not asked, are hidden. Which ones that
 * are is decided here and told nobody.
 */

import { announce, button, element } from "./element.js";
import { readAll } from "./form.js";
import { say } from "./language.js";
import { answerOthers } from "./skip.js";
import { isolated } from "./words.js";

/** Boxes in sections: a question without a section stands in that of the one before it. */
export function sectionsOf(boxes) {
  const sections = [];
  for (const each of boxes) {
    const { section } = each.questions[0];
    if (!sections.length || (section && section !== sections.at(-1).name)) sections.push({ name: section, boxes: [] });
    sections.at(-1).boxes.push(each);
  }
  return sections;
}

/** The form of all sections. `finish(answers)` gets all answers at the end, `arrive(index)` is told of every section. */
export class Sections {
  constructor(page, { fields, boxes }, { ahead, behind, label, finish, arrive, start = 0 }) {
    Object.assign(this, { page, fields, boxes, finish, arrive });
    this.sections = boxes.length ? sectionsOf(boxes) : [{ name: "", boxes }]; // where all was answered before
    this.parts = this.sections.map(({ boxes: some }) => element("div", { class: "section" }, some.map(({ box }) => box)));
    this.progress = element("progress", { max: this.sections.length, "aria-hidden": "true" });
    this.where = element("p", { class: "hint where" });
    this.back = button(say("Back"), () => this.go(-1), "quiet");
    this.next = element("button", { type: "submit", class: "main" }, say("Next"));
    Object.assign(this, { label, ahead, behind });
    const submit = (event) => {
      event.preventDefault();
      this.submitted();
    };
    const keydown = (event) => this.pressed(event);
    this.form = element(
      "form",
      { autocomplete: "off", novalidate: true, submit, keydown, input: () => this.decide(), reset: () => this.decide() },
      this.sections.length > 1 ? [this.where, this.progress] : null,
      ahead,
      this.parts,
      behind,
      element("div", { class: "actions" }, this.next, this.back),
    );
    this.index = Math.min(start, this.sections.length - 1);
    this.decide();
    this.show();
  }

  /** Hide what is not asked, as far as the answers so far decide. */
  decide() {
    const answers = new Map();
    for (const [kind, name, field] of this.fields) if (kind === "true") answers.set(name, field.read().answer);
    this.hidden = answerOthers(this.page.design, answers);
    for (const [kind, name, field] of this.fields)
      if (kind === "true" || kind === "personal") field.box.hidden = this.hidden.has(name);
    for (const { box, questions } of this.boxes)
      if (questions.some(({ askIf }) => askIf !== null)) box.hidden = questions.every(({ name }) => this.hidden.has(name));
    this.show();
  }

  /** The sections in which anything is asked. */
  get asked() {
    const some = ({ boxes }) => boxes.some(({ questions }) => !questions.every(({ name }) => this.hidden.has(name)));
    const found = this.sections.map((section, index) => (some(section) ? index : -1)).filter((index) => index >= 0);
    return found.length ? found : [0];
  }

  get isLast() {
    return this.index >= this.asked.at(-1);
  }

  /** The fields of what is asked: of this section, or of all. */
  fieldsIn(part) {
    return this.fields.filter(
      ([, name, { box }]) => !this.hidden.has(name) && (part === null || part.contains(box)),
    );
  }

  show() {
    if (!this.form) return;
    this.parts.forEach((part, index) => {
      part.hidden = index !== this.index;
    });
    const { asked } = this;
    const place = asked.indexOf(this.index) + 1;
    const { name } = this.sections[this.index];
    const words = { place, all: asked.length, name: isolated(name) };
    this.progress.max = asked.length;
    this.progress.value = place;
    this.where.replaceChildren(
      element("span", {}, name ? say("Part {place} of {all}: {name}", words) : say("Part {place} of {all}", words)),
    );
    this.back.hidden = asked[0] === this.index;
    const label = this.isLast ? this.label : say("Next");
    if (this.next.textContent !== label) this.next.textContent = label; // else a click that is under way would miss it
    for (const each of [this.behind].flat()) if (each) each.hidden = !this.isLast;
    for (const each of [this.ahead].flat()) if (each) each.hidden = this.index !== asked[0];
  }

  /** Go to the next section, or the one before. */
  go(step) {
    const { asked } = this;
    this.index = asked[asked.indexOf(this.index) + step] ?? this.index;
    this.show();
    this.arrive(this.index);
  }

  /** Enter in a field goes on to the button: what cannot be undone needs a press of its own. */
  pressed(event) {
    if (event.key !== "Enter" || event.isComposing || !event.target.matches("input")) return;
    event.preventDefault();
    this.next.focus();
  }

  submitted() {
    if (this.next.disabled) return;
    const lacking = () => announce(say("Some questions still need an answer."));
    if (!readAll(this.fieldsIn(this.parts[this.index]))) return lacking();
    if (!this.isLast) return this.go(1);
    const answers = readAll(this.fieldsIn(null));
    if (!answers) return lacking();
    answers.hidden = answerOthers(this.page.design, answers.true);
    this.next.disabled = true;
    return this.finish(answers).finally(() => {
      this.next.disabled = false;
    });
  }
}
