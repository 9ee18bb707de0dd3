/**
 * The lottery: true answers in, reported answers out, on the respondent's own device.
 *
 * Every decision compares a random whole number u of 32 bits with published whole numbers: the outcome is
 * the first one above u. No fraction is ever compared, so everybody can check every step.
 *
 * An answer is its cell (its place among the answers), a number, or null where a number was left out.
 */

import { held } from "./design.js";

export const SCALE = 2 ** 32;
const GRID = 1024; // points of the noise grid per width of a number's range

/** The place of the first threshold above u. */
export function firstAbove(thresholds, u) {
  let low = 0;
  let high = thresholds.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] > u) high = middle;
    else low = middle + 1;
  }
  return low;
}

const ALIKE = new Map(); // thresholds by the number of outcomes

/** Thresholds of a choice among so many outcomes, all alike. */
export function uniform(outcomes) {
  if (!ALIKE.has(outcomes)) {
    const places = Array.from({ length: outcomes }, (_, place) => place + 1);
    ALIKE.set(
      outcomes,
      places.map((place) => nearestEven((place * SCALE) / outcomes)),
    );
  }
  return ALIKE.get(outcomes);
}

/** The nearest whole number; of two equally near ones the even one, as Python rounds. */
export function nearestEven(value) {
  const below = Math.floor(value);
  const beyond = value - below;
  if (beyond < 0.5) return below;
  if (beyond > 0.5) return below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** Whether following this instruction for this question takes a random number of its own. */
function draws(instruction, question) {
  if (instruction.do === "other") return question.answers.length > 2;
  return instruction.do === "draw" || instruction.do === "lookup" || instruction.do === "add";
}

/** Whether any instruction of the lottery may need a random number for this question. */
export function needsDraw(channel, question) {
  return channel.lottery.some((instruction) => draws(instruction, question));
}

/** Whether one's own coin or die can do all that has to be drawn: there is a lottery and nothing else. */
export function ownWillDo(channel) {
  return channel.lottery.length > 1 && !channel.group.some((question) => needsDraw(channel, question));
}

const FOLLOW = {
  truth: (instruction, question, answer) => answer,
  opposite: (instruction, question, answer) => 1 - answer,
  other: (instruction, question, answer, u) => {
    const others = question.answers.length - 1;
    if (others === 1) return 1 - answer;
    const picked = firstAbove(uniform(others), u);
    return picked >= answer ? picked + 1 : picked;
  },
  draw: (instruction, question, answer, u) => firstAbove(held(instruction.thresholds, question.name), u),
  say: (instruction, question) => held(instruction.cells, question.name),
  lookup: (instruction, question, answer, u) => firstAbove(instruction.thresholds[answer], u),
  add: (instruction, question, answer, u) => {
    const step = (question.high - question.low) / GRID;
    const point =
      nearestEven((answer - question.low) / step) + instruction.first + firstAbove(instruction.thresholds, u);
    return question.low + point * step;
  },
};

/**
 * Draw one channel's lottery and follow it for all questions of its group.
 *
 * `own` is the place of the instruction where the respondent's own coin or die has told it already. All
 * random numbers are taken whether or not the instruction needs them, so their number tells nothing.
 */
export function drawOnce(channel, answers, draw, own) {
  const many = channel.lottery.length > 1;
  const u = many && own === undefined ? draw() : null;
  const told = own ?? (many ? firstAbove(channel.thresholds, u) : 0);
  const instruction = channel.lottery[told];
  const reports = new Map();
  const drawn = new Map();
  for (const question of channel.group) {
    const word = needsDraw(channel, question) ? draw() : null;
    const answer = answers.true.get(question.name);
    const personal = instruction.do === "truth" ? undefined : answers.personal?.get(question.name);
    drawn.set(question.name, word);
    if (answer === null) reports.set(question.name, null);
    else reports.set(question.name, personal ?? FOLLOW[instruction.do](instruction, question, answer, word));
  }
  return { told, u, drawn, reports };
}

/** Disguise all answers: what each channel's lottery told, and what is to be reported. */
export function disguise(design, answers, draw, own = new Map()) {
  return design.channels.map((channel) => drawOnce(channel, answers, draw, own.get(channel)));
}

/** The words in which replies to this question are told, or null where they are numbers. */
export function reportedWords(channel, question) {
  return channel.lottery[0].reported ?? question.answers;
}

/** What a reply says for each question, in order: the answer's word, a number, or null where it was left out. */
export function told(design, outcomes) {
  const reports = new Map();
  design.channels.forEach((channel, place) => {
    for (const question of channel.group) {
      const report = outcomes[place].reports.get(question.name);
      const words = reportedWords(channel, question);
      reports.set(question.name, report === null || words === null ? report : words[report]);
    }
  });
  return design.questions.map((question) => [question.name, reports.get(question.name)]);
}
