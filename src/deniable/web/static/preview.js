/**
 * What was answered, what the lottery said and exactly what will be sent, side by side.
 */

import { channelOf } from "./design.js";
import { element, table } from "./element.js";
import { instructionWords } from "./promise.js";
import { reportsIn } from "./reply.js";
import { notAskedWords, versionRows } from "./versions.js";
import { isolated } from "./words.js";

/** A report in words. */
function spoken(report) {
  if (report === null) return "nothing (left out)";
  return typeof report === "number" ? String(report) : isolated(report);
}

function answerWords(question, answer) {
  if (answer === null) return "nothing (left out)";
  return question.isNumber ? String(answer) : isolated(question.answers[answer]);
}

/** Both sides, while the true answers are still in memory. */
export function fullPreview(design, answers, outcomes, bytes) {
  const reports = reportsIn(bytes);
  const versions = sentVersions(design, reports).map(([name, how, sent]) => [name, "\u2013", how, sent]);
  const rows = design.questions.map((question) => {
    const channel = channelOf(design, question);
    const [answered, picked] = channel.byRespondent
      ? ["\u2013", "only you know"]
      : drawnWords(channel, outcomes[design.channels.indexOf(channel)], question, answers);
    const sent = element("strong", {}, spoken(reports.get(question.name)));
    return [isolated(question.wording), answered, picked, sent];
  });
  const heads = ["Question", "You answered", "The lottery said", "Will be sent"];
  const again = againRows(design).map(([wording, sent]) => [wording, "\u2013", "the same as before", sent]);
  const lines = [...versions, ...rows, ...again];
  const shown = untranslated(table("Only what stands at “Will be sent” leaves this device.", heads, lines));
  return withRest(design, shown);
}

/** What was answered, and what the lottery of this device said. */
function drawnWords(channel, { instruction }, question, answers) {
  const harmless = answers.personal.get(question.name);
  const said = harmless === undefined ? "" : ` (harmless question: ${isolated(question.answers[harmless])})`;
  return [
    `${answerWords(question, answers.true.get(question.name))}${said}`,
    instructionWords(channel, channel.lottery[instruction], question),
  ];
}

/** A row for each version: what it is called, how it came about, and what is sent. */
function sentVersions(design, reports) {
  const sent = (column) => element("strong", {}, spoken(reports.get(column)));
  return versionRows(design).map(([column, name, how]) => [name, how, sent(column)]);
}

/** A row for each question that was asked before, whose report goes again. */
function againRows(design) {
  return design.again.map(({ question, report }) => [isolated(question.wording), element("strong", {}, spoken(report))]);
}

/** A table, and what is said of the questions that are not in it. */
function withRest(design, shown) {
  const rest = notAskedWords(design);
  return rest === null ? shown : element("div", {}, shown, element("p", { class: "hint" }, rest));
}

/** What will be sent, where the true answers are gone from memory. */
export function sentPreview(design, bytes) {
  const reports = reportsIn(bytes);
  const versions = sentVersions(design, reports).map(([name, , sent]) => [name, sent]);
  const rows = design.questions.map((question) => [
    isolated(question.wording),
    element("strong", {}, spoken(reports.get(question.name))),
  ]);
  const lines = [...versions, ...rows, ...againRows(design)];
  const shown = untranslated(table("Your answers, as they will be sent.", ["Question", "Will be sent"], lines));
  return withRest(design, shown);
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
    "details",
    {},
    element("summary", {}, "The exact bytes that will be sent"),
    bytes.endsWith(" ")
      ? element("p", { class: "hint" }, "Spaces at the end make all replies to this survey equally long.")
      : null,
    element(
      "pre",
      { tabindex: "0", class: "bytes", dir: "ltr", translate: "no", "aria-label": "The exact bytes that will be sent" },
      asTheyAre,
    ),
  );
}
