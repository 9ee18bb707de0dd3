/**
 * Lotteries that respondents draw by themselves: told in words that can be followed with a die, coins or cards.
 *
 * The device draws nothing for them and is not told what came up. It asks for the report, and sends that as it is.
 */

import { SCALE, percents, sharesOf } from "./chances.js";
import { isWeak } from "./denial.js";
import { element } from "./element.js";
import { fieldFor } from "./form.js";
import { clauses, either, listed, say } from "./language.js";
import { protection, reportedWords, shownWords } from "./lottery.js";
import { doneWords, sentence } from "./promise.js";
import { isolated, quoted } from "./words.js";

const THINGS = [
  { sides: 2, name: () => say("a coin"), shown: () => [say("heads"), say("tails")] },
  {
    sides: 4,
    name: () => say("a card from a full pack"),
    shown: () => [say("hearts"), say("diamonds"), say("spades"), say("clubs")],
  },
  { sides: 6, name: () => say("a die") },
  { sides: 10, name: () => say("one of ten slips of paper with the numbers from 1 to 10") },
  { sides: 20, name: () => say("one of twenty slips of paper with the numbers from 1 to 20") },
  { sides: 100, name: () => say("a number from 1 to 100, by slips of paper, say") },
];

/** Something that everybody has, with sides that give exactly these chances; undefined where there is nothing. */
export function thingFor(thresholds) {
  const whole = (threshold, sides) =>
    Math.abs(threshold - (Math.round((threshold * sides) / SCALE) * SCALE) / sides) <= 1;
  return THINGS.find(({ sides }) => thresholds.every((threshold) => whole(threshold, sides)));
}

/** When each outcome holds, in words: "on 1 to 4"; by chance alone where nothing has such sides. */
function sidesOf(thing, thresholds) {
  const chances = percents(sharesOf(thresholds));
  return chances.map((chance, index) => {
    if (thing === undefined) return say("with chance {chance}", { chance });
    const [from, to] = [thresholds[index - 1] ?? 0, thresholds[index]].map((each) =>
      Math.round((each * thing.sides) / SCALE),
    );
    const some = either(thing.shown?.().slice(from, to) ?? []);
    if (some) return say("on {side}", { side: some });
    return to - from === 1 ? say("on {side}", { side: to }) : say("on {from} to {to}", { from: from + 1, to });
  });
}

/** How to draw, line by line; the first line says with what. */
export function drawingWords(channel) {
  const [only, ...others] = channel.lottery;
  if (channel.how.length) return channel.how;
  if (channel.counts) return countingWords(channel.group[0], only);
  const byAnswer = !others.length && only.do === "lookup";
  const thing = thingFor(byAnswer ? only.thresholds.flat() : channel.thresholds);
  const many = channel.group.length > 1;
  const what = { thing: thing?.name() ?? say("anything that has these chances (dice, cards, coins)") };
  const head = many
    ? say("Think of your true answers to the questions below. Draw once for all of them, with {thing}. Tell nobody what comes up:", what)
    : say("Think of your true answer to the question below. Draw with {thing}. Tell nobody what comes up:", what);
  return [head, ...(byAnswer ? answerLines(channel, only, thing) : instructionLines(channel, thing))];
}

/** A list of statements, of which only the number that hold is to be told. */
function countingWords({ statement }, { items, own }) {
  const head = say("Count how many of these statements hold for you. Report only how many, and tell nobody which:");
  return [head, ...[...items, ...(own ? [statement] : [])].map(isolated)];
}

/** What each instruction asks for; where that differs by question, of each in turn. */
function instructionLines(channel, thing) {
  const shares = sharesOf(channel.thresholds);
  const sides = sidesOf(thing, channel.thresholds);
  const found = new Map();
  channel.lottery.forEach((instruction, index) => {
    const words = channel.group.map((question) => doneWords(channel, instruction, question));
    const alike = words.every((each) => each === words[0]);
    const asked = alike
      ? words[0]
      : clauses(
          channel.group.map(({ wording }, each) =>
            say("for {question} {asked}", { question: quoted(wording), asked: words[each] }),
          ),
        );
    if (shares[index] > 0) found.set(asked, [...(found.get(asked) ?? []), sides[index]]);
  });
  return [...found].map(([asked, some]) => {
    const when = listed(some, (all, next) => say("{all}, or {next}", { all, next }));
    return sentence(say("{when}: {asked}", { when, asked }));
  });
}

/** What to report by what comes up, one line for each true answer. */
function answerLines(channel, { thresholds, reported }, thing) {
  const [question] = channel.group;
  return thresholds.map((column, cell) => {
    const shares = sharesOf(column);
    const reports = sidesOf(thing, column).map((sides, index) => `${quoted(reported[index])} ${sides}`);
    const likely = listed(reports.filter((_, index) => shares[index] > 0));
    return say("If your true answer is {answer}, report {reports}.", {
      answer: quoted(question.shown[cell]),
      reports: likely,
    });
  });
}

/** What becomes of a report, and who knows what it means: in so many words only where it can be denied. */
function sentWords(channel, figures) {
  const hidden = channel.group.every(
    (each) => protection(channel, each) === "lottery" && !isWeak(channel, each, figures.questions.get(each.name)),
  );
  return hidden
    ? say("What you pick is sent as you pick it. Nobody but you knows whether it is true.")
    : say("What you pick is sent as you pick it. This device is not told whether it is true.");
}

/** The fields for all questions of one draw, below one explanation of it. */
export function groupFields({ design, figures }, channel, notes, fields) {
  const group = design.questions.filter((question) => channel.group.includes(question));
  const boxes = group.map((question) => {
    const field = fieldFor(
      { ...question, answers: reportedWords(channel, question), shown: shownWords(channel, question), offered: undefined },
      {
        id: `question-${design.questions.indexOf(question)}`,
        legend: isolated(question.wording),
        notes: [...notes(channel, question), element("p", { class: "hint" }, say("What do you report?"))],
      },
    );
    fields.push(["picked", question.name, field]);
    return field.box;
  });
  const [head, ...lines] = drawingWords(channel);
  const id = `draw-${design.questions.indexOf(group[0])}`;
  return element(
    "div",
    { class: "by-hand", role: "group", "aria-labelledby": id }, // a group of fields: two may have the same heading
    element("h3", { id }, channel.counts ? say("You count by yourself") : say("You draw by yourself")),
    element("p", {}, head),
    element(
      "ul",
      {},
      lines.map((line) => element("li", {}, line)),
    ),
    element("p", {}, sentWords(channel, figures)),
    boxes,
  );
}
