/**
 * What was answered and what is sent about it, in few words; the very bytes for those who want them.
 */

import { channelOf } from "./design.js";
import { element, table } from "./element.js";
import { digits, either, say } from "./language.js";
import { drawsAny, drawsHere, noiseOf, protection, reportedWords, shownWords } from "./lottery.js";
import { markOf } from "./notes.js";
import { reportsIn } from "./reply.js";
import { namesIn } from "./skip.js";
import { notAskedWords, versionRows, versionWords } from "./versions.js";
import { isolated } from "./words.js";

const EXACT = { maximumFractionDigits: 20 };

/** A report in words, as people read them; numbers are rounded. */
function spoken(design, question, report) {
  if (report === null || report === undefined) return say("nothing (left out)");
  const channel = channelOf(design, question);
  if (typeof report === "number") {
    const number = numberWords(question, report);
    return noiseOf(channel) ? say("{number} (yours, plus or minus chance)", { number }) : number;
  }
  return isolated(shownWords(channel, question)[reportedWords(channel, question).indexOf(report)] ?? report);
}

/** A number that is sent: in whole ones where people answer in whole ones, in three digits elsewhere. */
function numberWords({ integer }, number) {
  if (Number.isInteger(number)) return digits(number);
  return say("about {number}", { number: integer ? digits(Math.round(number)) : digits(number, { maximumSignificantDigits: 3 }) });
}

function answerWords(question, answer) {
  if (answer === null || answer === undefined) return say("nothing (left out)");
  return question.isNumber ? digits(answer, EXACT) : isolated(question.shown[answer]);
}

/** Both sides, while the true answers are still in memory. */
export function fullPreview(design, answers, bytes) {
  const reports = reportsIn(bytes);
  const versions = sentVersions(design, reports).map(([name, sent]) => [name, "\u2013", sent]);
  const rows = design.questions.map((question) => [
    isolated(question.wording),
    channelOf(design, question).byRespondent ? say("only you know") : answered(question, answers),
    element("strong", {}, spoken(design, question, reports.get(question.name))),
  ]);
  const heads = [say("Question"), say("You answered"), say("Will be sent")];
  const again = againRows(design).map(([wording, sent]) => [wording, say("the same as before"), sent]);
  const lines = [...versions, ...rows, ...again];
  const caption = [
    say("Only what stands at “Will be sent” leaves this device."),
    drawsAny(design) ? say("Where chance changed nothing, nobody else is told so.") : "",
  ].filter(Boolean);
  const shown = untranslated(table(caption.join(" "), heads, lines));
  return withRest(design, shown);
}

function answered(question, answers) {
  if (answers.hidden.has(question.name)) return say("not asked");
  const harmless = answers.personal.get(question.name);
  const own = answerWords(question, answers.true.get(question.name));
  if (harmless === undefined) return own;
  return `${own} ${say("(harmless question: {answer})", { answer: isolated(question.shown[harmless]) })}`;
}

/** A row for each version: what it is called, and what is sent. */
function sentVersions(design, reports) {
  return versionRows(design).map(([column, name]) => [name, element("strong", {}, versionWords(design, column, reports.get(column)))]);
}

/** A row for each question that was asked before, whose report goes again. */
function againRows(design) {
  return (design.again ?? []).map(({ question, report }) => [
    isolated(question.wording),
    element("strong", {}, againWords(question, report)),
  ]);
}

function againWords(question, report) {
  if (report === null) return say("nothing (left out)");
  if (typeof report === "number") return numberWords(question, report);
  return isolated(question.shown?.[question.answers.indexOf(report)] ?? report);
}

/** A table, what is said of the questions that are not in it, and of those that not everybody is asked. */
export function withRest(design, shown) {
  const rest = [notAskedWords(design), skippedWords(design)].filter(Boolean);
  return element("div", {}, shown, rest.map((words) => element("p", { class: "hint" }, words)));
}

/** Why a reply has something about questions that were not asked; null where everybody is asked everything. */
function skippedWords(design) {
  if (design.questions.every(({ askIf }) => askIf === null)) return null;
  const all = say("Where you are not asked a question, this device sends an answer to it by itself.");
  const open = design.questions.filter(({ askIf }) => askIf).flatMap(({ askIf }) => namesIn(askIf)).some((name) => {
    const deciding = design.questions.find((each) => each.name === name);
    return deciding === undefined || protection(channelOf(design, deciding), deciding) !== "lottery";
  });
  return open ? all : `${all} ${say("So a sent answer does not show that you were asked.")}`;
}

/** What is sent, or was, without what was answered. */
export function sentPreview(page, bytes, arrived = false) {
  const { design } = page;
  const reports = reportsIn(bytes);
  const rows = design.questions.map((question) => [
    element("span", {}, isolated(question.wording), question.askIf ? element("small", {}, say("Every device sends something here.")) : null),
    element("strong", {}, spoken(design, question, reports.get(question.name))),
  ]);
  const heads = [say("Question"), arrived ? say("Was sent") : say("Will be sent")];
  const caption = arrived ? arrivedWords(page) : say("Your reply, as it will be sent.");
  const lines = [...sentVersions(design, reports), ...rows, ...againRows(design)];
  return withRest(design, untranslated(table(caption, heads, lines)));
}

/** What was sent, and whether chance had a part in it. */
function arrivedWords({ design, figures }) {
  if (!drawsAny(design)) return say("Your reply, as it was sent.");
  const changed = design.questions.filter((question) => {
    const channel = channelOf(design, question);
    return drawsHere(channel) && protection(channel, question) === "lottery";
  });
  const marks = changed.map((question) => markOf(channelOf(design, question), question, figures.questions.get(question.name)));
  return changed.length === design.questions.length
    ? say("This is what was sent. Chance may have changed it or left it as it was. Nobody else is told which. The results allow for both.")
    : say("This is what was sent. Where it said {marks}, chance may have changed it or left it as it was. Nobody else is told which. The results allow for both.", {
        marks: either([...new Set(marks)].map((mark) => say("“{word}”", { word: mark }))),
      });
}

/** A browser that translates a page would show other words than those that are sent. */
function untranslated(shown) {
  shown.querySelectorAll("tbody").forEach((body) => body.setAttribute("translate", "no"));
  return shown;
}

/** The very bytes. */
export function exactly(bytes) {
  const asTheyAre = element("bdi");
  asTheyAre.textContent = bytes;
  return element(
    "div",
    {},
    element("p", {}, say("The exact bytes that will be sent:")),
    element("p", { class: "hint" }, say("The id is a random number, made for this one reply.")),
    bytes.endsWith(" ")
      ? element("p", { class: "hint" }, say("Spaces at the end make all replies to this survey equally long."))
      : null,
    bytes.includes(":null")
      ? element("p", { class: "hint" }, say("The word null stands where nothing is sent about a question."))
      : null,
    element(
      "pre",
      { tabindex: "0", class: "bytes", dir: "ltr", translate: "no", "aria-label": say("The exact bytes that will be sent:") },
      asTheyAre,
    ),
  );
}
