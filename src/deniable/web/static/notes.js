/**
 * Where the promise stands: above the questions in plain words, with figures for experts behind one link; and beside each
 * question for its own part.
 */

import { channelOf } from "./design.js";
import { denialOf, isWeak } from "./denial.js";
import { element } from "./element.js";
import { directionOf, ownLanguage, say } from "./language.js";
import { protection } from "./lottery.js";
import { againLines } from "./remembered.js";
import { people } from "./people.js";
import { knownWords, openingLines, pictureWords, plainOf } from "./plain.js";
import { promiseLines, promiseOf, togetherWords } from "./promise.js";
import { shortVersionLines } from "./versions.js";
import { isolated } from "./words.js";

/**
 * Why people are asked, and the promise, stand above the questions, and make room for what comes after them.
 *
 * Who has read it, before agreeing or at the first section, finds it folded.
 */
export function showPromise(page, asked, read = false) {
  const { text, questions } = page.design;
  const shown = !asked || !questions.length ? [] : read ? [folded(page)] : [introduction(text), promiseBox(page)];
  document.getElementById("promise").replaceChildren(...shown.filter(Boolean));
}

function folded(page) {
  return element(
    "details",
    { class: "promise-box" },
    element("summary", {}, say("What happens to your answers")),
    promised(page),
  );
}

/** What the collector says first; those who were asked to agree have read it. */
function introduction({ intro, consent }) {
  return intro && !consent ? element("p", { class: "lines" }, isolated(intro)) : null;
}

function promiseBox(page) {
  return element(
    "section",
    { class: "promise-box", "aria-labelledby": "promise-head" },
    element("h2", { id: "promise-head" }, say("What happens to your answers")),
    promised(page),
  );
}

function promised(page) {
  const { design, figures } = page;
  const picture = pictureWords(design, figures);
  const known = knownWords(design, figures);
  const lines = [...openingLines(design, figures), ...shortVersionLines(design), ...againLines(page)];
  return [
    element(
      "ul",
      { class: "opening" },
      lines.map((line) => element("li", {}, line)),
    ),
    picture && people(picture),
    known && element("p", {}, known),
    element("p", {}, nameLine()),
    whoAsks(design.text),
    expertFigures(design, figures),
  ].flat();
}

/** Who is not told: what a reply holds, and what is stored with it. */
function nameLine() {
  return say("Your name is not sent. Your reply is stored without your internet address, without date and time. Others may notice that you took part.");
}

/** Who asks, and how to reach them. */
export function whoAsks({ contact, help }) {
  return [
    contact ? element("p", { class: "contact" }, `${say("Who asks:")} ${isolated(contact)}`) : null,
    help
      ? element("details", {}, element("summary", {}, say("Help")), element("p", { class: "lines" }, isolated(help)))
      : null,
  ];
}

/** The one link behind which experts find every figure, in a language that the page has words in. */
export function experts(...children) {
  return element(
    "details",
    { class: "experts" },
    element("summary", {}, say("Figures for experts")),
    element("div", { lang: ownLanguage(), dir: directionOf(ownLanguage()) }, children),
  );
}

function expertFigures(design, figures) {
  const whole = promiseLines(design, figures).map((line) => element("li", {}, line));
  const each = design.questions.map((question) => {
    const channel = channelOf(design, question);
    const mine = figures.questions.get(question.name);
    const words = [togetherWords(channel, question), promiseOf(channel, question), denialOf(channel, question, mine)];
    return element(
      "li",
      {},
      element("strong", {}, isolated(question.wording)),
      words.filter(Boolean).map((text) => element("span", { class: "figure" }, text)),
    );
  });
  return experts(element("ul", {}, whole), element("ul", { class: "figures" }, each));
}

/** A question's badge, as what is sent about it deserves. */
export function markOf(channel, question, figures) {
  const kind = protection(channel, question);
  if (isWeak(channel, question, figures)) return say("Hardly disguised");
  if (kind === "clear") return say("Sent as it is");
  if (kind === "interval") return say("Only the range is sent");
  return kind === "fixed" ? say("Not disguised") : say("Disguised");
}

/** What is said beside one question: a badge and what becomes of the answer, in sight. */
export function notesOf({ figures }) {
  return (channel, question) => {
    const mine = figures.questions.get(question.name);
    const hidden = protection(channel, question) === "lottery" && !isWeak(channel, question, mine);
    return [
      element("p", { class: hidden ? "mark" : "mark clear" }, marked(channel, markOf(channel, question, mine))),
      element("p", { class: "notes" }, plainOf(channel, question, mine)),
    ];
  };
}

function marked(channel, mark) {
  if (!channel.byRespondent) return mark;
  return channel.counts ? say("You count: {mark}", { mark }) : say("You draw: {mark}", { mark });
}
