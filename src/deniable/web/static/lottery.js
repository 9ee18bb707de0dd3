/**
 * The lottery: true answers in, reported answers out, on the respondent's own device.
 *
 * An answer is its cell (its index among the answers), a number, or null where a number was left out.
 */

import { firstAbove, sharesOf } from "./chances.js";
import { columnsOf } from "./design.js";
import { follow, kindOf } from "./instruction.js";

/** Whether any instruction of the lottery may need a random number for this question. */
function needsDraw(channel, question) {
  return channel.lottery.some((instruction) => kindOf(instruction).among(instruction, question) !== undefined);
}

/** Whether this instruction sends the answer to the harmless question in place of the true one. */
export function isHarmless(channel, instruction, question) {
  return instruction.do !== "truth" && channel.personal.has(question.name);
}

/**
 * How an answer is protected: by a "lottery", where chance decides what is sent.
 *
 * Elsewhere the published chances leave one report for each answer, which gives it away: the answer itself ("clear"),
 * the "interval" of a number, or always the same other word for it ("fixed").
 */
export function protection(channel, question) {
  const shares = sharesOf(channel.thresholds);
  const [only, ...others] = channel.lottery.filter((_, index) => shares[index] > 0);
  const reports = others.length ? null : kindOf(only).fixed(only, question);
  if (reports === null) return "lottery";
  const words = reportedWords(channel, question);
  if (reports.some((report, cell) => words[report] !== question.answers[cell])) return "fixed";
  return question.byInterval ? "interval" : "clear";
}

/** Whether a lottery decides anything for this group. */
export function isDrawn(channel) {
  return channel.group.some((question) => protection(channel, question) === "lottery");
}

/** Whether any answer of this survey is disguised. */
export function disguisesAny(design) {
  return design.channels.some(isDrawn);
}

/** Whether this device draws for a group: not where respondents draw by themselves. */
export function drawsHere(channel) {
  return isDrawn(channel) && !channel.byRespondent;
}

/** Whether this device draws anything for this survey. */
export function drawsAny(design) {
  return design.channels.some(drawsHere);
}

/** The instruction that adds noise to a number; undefined where there is none. */
export function noiseOf(channel) {
  return channel.lottery.find((instruction) => instruction.do === "add");
}

/** Whether one's own coin or die can do all that has to be drawn: anything but noise, which needs too many throws. */
export function ownWillDo(channel) {
  const noisy = (question) => question.isNumber && needsDraw(channel, question);
  return drawsHere(channel) && !channel.group.some(noisy);
}

/**
 * Draw one channel's lottery and follow it for all questions of its group.
 *
 * `own` is what the respondent's own coin or die has picked already: the index of the instruction, and numbers by
 * question. The device takes all random numbers whether or not the instruction needs them, so their number tells nothing.
 */
export function drawOnce(channel, answers, draw, own) {
  const many = channel.lottery.length > 1;
  const u = many && own === undefined ? draw() : null;
  const index = own?.instruction ?? (many ? firstAbove(channel.thresholds, u) : 0);
  const instruction = channel.lottery[index];
  const reports = new Map();
  const drawn = new Map();
  for (const question of channel.group) {
    const word = needsDraw(channel, question) ? wordFor(question, draw, own) : null;
    const answer = answers.true.get(question.name);
    const harmless = isHarmless(channel, instruction, question) ? answers.personal?.get(question.name) : undefined;
    drawn.set(question.name, word);
    if (answer === null) reports.set(question.name, null);
    else reports.set(question.name, harmless ?? follow(instruction, question, answer, word));
  }
  return { instruction: index, u, drawn, reports, thrown: own !== undefined };
}

/** The random number of a question: the device's, or the one that throws stand for. */
function wordFor(question, draw, own) {
  return own === undefined ? draw() : (own.words.get(question.name) ?? 0);
}

/** Where respondents have drawn by themselves, what they report is what they picked, and nothing is drawn. */
function pickedBy(channel, picked) {
  return { instruction: null, reports: new Map(channel.group.map(({ name }) => [name, picked.get(name)])) };
}

/** Disguise all answers: what each channel's lottery picked, and what is to be reported. */
export function disguise(design, answers, draw, own = new Map()) {
  return design.channels.map((channel) =>
    channel.byRespondent ? pickedBy(channel, answers.picked) : drawOnce(channel, answers, draw, own.get(channel)),
  );
}

/** The words in which replies to this question are given, or null where they are numbers. */
export function reportedWords(channel, question) {
  return channel.lottery[0].reported ?? question.answers;
}

/** The same as people read them. */
export function shownWords(channel, question) {
  return channel.lottery[0].reported ?? question.shown;
}

/** What a reply says in each column: a version, the answer's word, a number, or null where it has no answer. */
export function replyColumns(design, outcomes) {
  const reports = new Map(design.versions);
  for (const { question, report } of design.again) reports.set(question.name, report);
  design.channels.forEach((channel, index) => {
    for (const question of channel.group) {
      const report = outcomes[index].reports.get(question.name);
      const words = reportedWords(channel, question);
      reports.set(question.name, report === null || words === null ? report : words[report]);
    }
  });
  return columnsOf(design).map((name) => [name, reports.get(name) ?? null]);
}
