/**
 * The step in which respondents choose a version: how much their answers are protected.
 *
 * What each version protects is worked out from its published lotteries, like everything else that the page promises.
 */

import { figuresOf } from "./deniability.js";
import { channelOf, versionedBlocks, withVersions } from "./design.js";
import { denialOf, isWeak, wholeWords } from "./denial.js";
import { announce, button, element, showStep } from "./element.js";
import { say } from "./language.js";
import { disguisesAny, protection } from "./lottery.js";
import { experts } from "./notes.js";
import { plainOf, truly } from "./plain.js";
import { promiseOf } from "./promise.js";
import { takeVersions } from "./versions.js";
import { isolated, quoted } from "./words.js";

const FEW = 3; // questions that are named

/** Let the respondent choose a version of each of these blocks. */
export function showChoice(page, blocks) {
  const fields = blocks.map((block, index) => choiceField(page.design, block, `version-${index}`));
  const submit = (event) => {
    event.preventDefault();
    const chosen = fields.map((field) => field.read());
    if (chosen.includes(undefined)) return announce(say("Please choose one."));
    const named = blocks.map(({ column }, index) => [column, chosen[index]]);
    return decide(page, new Map([...page.design.versions, ...named]));
  };
  const form = element(
    "form",
    { autocomplete: "off", novalidate: true, submit },
    fields.map((field) => field.box),
    element("div", { class: "actions" }, element("button", { type: "submit", class: "main" }, say("Go on"))),
  );
  page.forget = () => form.reset();
  showStep(
    say("How shall your answers be protected?"),
    element("p", {}, say("You decide. Whoever reads your reply can see what you chose.")),
    form,
  );
}

/** The way back to the choice, until the answers are disguised; null where there is none. */
export function chooseAgain(page) {
  const chosen = versionedBlocks(page.design).filter((block) => block.chosen);
  if (!chosen.length) return null;
  const drawn = [...page.design.versions].filter(([column]) => !chosen.some((block) => block.column === column));
  const again = () => decide(page, new Map(drawn));
  return element("div", { class: "actions" }, button(say("Choose another protection"), again, "quiet"));
}

function decide(page, versions) {
  takeVersions(page, versions);
  page.render();
}

function choiceField(design, block, id) {
  const fault = element("p", { id: `${id}-fault`, class: "fault" });
  const inputs = block.versions.map((_, index) =>
    element("input", {
      type: "radio",
      id: `${id}-${index}`,
      name: id,
      value: index,
      autocomplete: "off",
      "aria-describedby": `${id}-${index}-words`,
    }),
  );
  const offers = block.versions.map((version, index) => offer(design, block, version, inputs[index]));
  const box = element(
    "fieldset",
    { class: "question", "aria-describedby": `${id}-fault` },
    element("legend", { class: "wording" }, say("Your answers to {questions}", { questions: questionsIn(design, block) })),
    element("div", { class: "offers" }, offers),
    fault,
  );
  box.addEventListener("input", () => {
    fault.textContent = "";
    announce("");
  });
  const read = () => {
    const index = inputs.findIndex((input) => input.checked);
    fault.textContent = index < 0 ? say("Please choose one.") : "";
    if (index < 0) inputs[0].focus();
    return block.versions[index]?.name;
  };
  return { box, read };
}

/** The questions of a block, or the first few of them. */
function questionsIn(design, { versions }) {
  const asked = new Set(versions.flatMap(({ channels }) => channels.flatMap(({ group }) => group)));
  const found = design.all.filter((question) => asked.has(question)).map(({ wording }) => wording);
  const more = found.length - FEW;
  const names = quoted(...found.slice(0, FEW));
  return more > 0 ? say("{names} and {more} more", { names, more }) : names;
}

/** One version that can be chosen: its name, what it protects, and the same question by question. */
function offer(design, block, { name }, input) {
  const own = withVersions({ ...design, blocks: [block] }, new Map([[block.column, name]]));
  const figures = figuresOf(own);
  const wordings = own.questions.map(
    (question) => `${isolated(question.wording)} ${promiseOf(channelOf(own, question), question)}`,
  );
  const list = element(
    "ul",
    {},
    wordings.map((words) => element("li", {}, words)),
  );
  return element(
    "div",
    { class: "offer" },
    element("label", { class: "choice", for: input.id }, input, element("strong", {}, isolated(name))),
    element("p", { id: `${input.id}-words`, class: "promise" }, plainProtection(own, figures)),
    experts(element("p", {}, protectionWords(own, figures)), list),
  );
}

/** What a version protects, in plain words: those of its weakest question, or how many are hidden at all. */
function plainProtection(own, figures) {
  const mine = (question) => [channelOf(own, question), question, figures.questions.get(question.name)];
  if (own.questions.length === 1) return plainOf(...mine(own.questions[0]));
  const hidden = own.questions.filter((question) => {
    const [channel, , found] = mine(question);
    return protection(channel, question) === "lottery" && found.answer !== Infinity && !isWeak(channel, question, found);
  });
  const words = { some: hidden.length, all: own.questions.length };
  if (!hidden.length) return say("Nothing is disguised. Whoever gets your reply can read your answers.");
  if (hidden.length < own.questions.length)
    return say("Disguised: {some} of {all} questions. What is sent about the others can give your answers away.", words);
  const others = 100 - Math.max(...hidden.map((question) => truly(question, figures.questions.get(question.name))));
  const each = say(
    "At each question: of 100 people who send the same, about {others} or more would truly say something else.",
    { others },
  );
  return `${say("Suppose all answers are equally common.")} ${each}`;
}

/** What a version protects, in one sentence. */
export function protectionWords(own, figures) {
  if (!disguisesAny(own)) return say("Nothing is disguised: what is sent gives your answers away.");
  if (own.questions.length === 1) {
    const [question] = own.questions;
    return denialOf(channelOf(own, question), question, figures.questions.get(question.name));
  }
  if (figures.epsilon !== Infinity) return wholeWords(figures);
  const hidden = own.questions.filter((question) => {
    const mine = figures.questions.get(question.name);
    return !mine.exposed && !isWeak(channelOf(own, question), question, mine);
  });
  const count = own.questions.length;
  if (!hidden.length) return say("Answers are disguised, but what is sent can still give them away.");
  return say("Answers to {some} of {count} questions can be denied; what is sent about the others can give them away.", {
    some: hidden.length,
    count,
  });
}
