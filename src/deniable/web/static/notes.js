/**
 * Where the promise stands: above the questions as a whole, and beside each question for its own part.
 */

import { denialOf, isWeak } from "./denial.js";
import { element } from "./element.js";
import { protection } from "./lottery.js";
import { againLines } from "./remembered.js";
import { promiseLines, promiseOf, togetherWords } from "./promise.js";

/** The promise stands above the questions, and makes room for what comes after them. */
export function showPromise(page, asked) {
  const { design, figures } = page;
  const shown = asked && design.questions.length > 0;
  const said = shown ? [...againLines(page), ...promiseLines(design, figures)] : [];
  const lines = said.map((line) => element("li", {}, line));
  document
    .getElementById("promise")
    .replaceChildren(
      ...(shown
        ? [
            element(
              "section",
              { class: "promise-box", "aria-label": "The promise" },
              element("h2", {}, "The promise"),
              element("ul", {}, lines),
            ),
          ]
        : []),
    );
}

const MARKS = {
  clear: "Asked in the clear",
  interval: "Only the interval is sent",
  fixed: "Not disguised",
  lottery: "Disguised",
};

/** What is said beside one question: a badge, its promise, and what can be denied; in sight where that is little. */
export function notesOf({ figures }) {
  return (channel, question) => {
    const kind = protection(channel, question);
    const mine = figures.questions.get(question.name);
    const weak = isWeak(channel, question, mine);
    const denial = denialOf(channel, question, mine);
    const promise = [togetherWords(channel, question), promiseOf(channel, question)].filter(Boolean).join(" ");
    const mark = kind === "lottery" && !weak ? "mark" : "mark clear";
    return [
      element("p", { class: mark }, marked(channel, weak ? "Hardly disguised" : MARKS[kind])),
      element(
        "div",
        { class: "notes" },
        channel.byRespondent ? null : element("p", { class: "promise" }, promise), // which stands above the group
        weak ? element("p", { class: "promise" }, denial) : folded(denial),
      ),
    ];
  };
}

function marked(channel, words) {
  return channel.byRespondent ? `You ${channel.counts ? "count" : "draw"}: ${words.toLowerCase()}` : words;
}

function folded(denial) {
  if (denial === null) return null;
  return element("details", {}, element("summary", {}, "What can be denied"), element("p", { class: "hint" }, denial));
}
