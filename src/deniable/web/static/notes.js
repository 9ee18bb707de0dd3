/**
 * Where the promise stands: above the questions as a whole, and beside each question for its own part.
 */

import { element } from "./element.js";
import { promiseLines, promiseOf, togetherWords } from "./promise.js";

/** The promise stands above the questions, and makes room for what comes after them. */
export function showPromise({ design, privacy }, shown) {
  const lines = shown ? promiseLines(design, privacy).map((line) => element("li", {}, line)) : [];
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

/** What is said beside one question: its own promise, and what can be denied. */
export function notesOf(page) {
  return (channel, question) => {
    const figures = page.privacy.questions.find((each) => each.name === question.name);
    const said = [figures?.sentence, figures?.together]
      .filter(Boolean)
      .map((sentence) => element("p", { class: "hint" }, sentence));
    return element(
      "div",
      { class: "notes" },
      element(
        "p",
        { class: "promise" },
        [togetherWords(channel, question), promiseOf(channel, question)].filter(Boolean).join(" "),
      ),
      element("details", {}, element("summary", {}, "What can be denied"), said),
    );
  };
}
