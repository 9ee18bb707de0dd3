/**
 * What can be denied, worked out on this device from the published lottery and nothing else.
 *
 *   ratio    the largest P(reports | truths) / P(reports | other truths), for one question or for a whole group
 *   epsilon  its natural logarithm; groups are drawn independently, so over a whole reply their epsilons add up
 *
 * A ratio is infinite where some report is impossible under some truth. The chances of reports are taken from the very
 * function that draws them. The figures are those of the library (channel/ratio.py), never better than the truth.
 */

import { checkedShares } from "./chances.js";
import { versionsLeft } from "./design.js";
import { kindOf, stepOf } from "./instruction.js";
import { say } from "./language.js";
import { noiseOf, reportedWords } from "./lottery.js";
import { namesIn } from "./skip.js";

const ALIKE = 1 + 1e-12; // pairs whose ratios differ by less are one
const CONFIDENCE = 0.95;

/**
 * The figures of a whole design. Of each question, by name:
 *
 *   epsilon   what the report to this question alone tells; infinite for numbers, and where leaving out is seen
 *   together  whether its group gives away together what no question gives away alone
 *   exposed   whether what is sent about its group may give it away, by itself or together with others of the group
 *   alone, whole  the ratios of its lottery, for this question and for its whole group
 *   answer    the ratio of all that is sent about the group under one answer to this question and under another, for
 *             somebody who knows no more than that all answers are equally likely
 *   clearest  the report that speaks most clearly for the answer of the same word, where there is one
 *   linked    the other questions that a condition makes tell of it; left out where there are none
 *   width     of the interval that holds a number under noise with 95 % confidence; null for all others
 */
export function figuresOf(design) {
  const questions = new Map();
  let epsilon = 0;
  let ratio = 1;
  const rest = { epsilon: 0, ratio: 1 }; // of all questions that are not exposed
  for (const channel of design.channels) {
    checkPersonal(channel);
    const group = channel.group.map((question) => ({ question, ratio: ratioOf(channel, [question]) }));
    const whole = group.length > 1 ? ratioOf(channel, channel.group) : group[0].ratio;
    const seen = channel.group.some(isSeen) ? Infinity : whole;
    const together = group.length > 1 && seen === Infinity && !group.some((each) => ownRatio(each) === Infinity);
    for (const each of group)
      questions.set(each.question.name, {
        epsilon: roundedUp(Math.log(ownRatio(each))),
        together,
        exposed: ownRatio(each) === Infinity || whole === Infinity,
        alone: each.ratio,
        whole,
        answer: ratioOf(channel, [each.question], othersIn(channel, each.question)),
        clearest: clearestOf(channel, each.question),
        width: widthOf(channel, each.question),
      });
    epsilon += Math.log(seen);
    ratio *= seen;
    if (group.every(({ question }) => questions.get(question.name).exposed)) continue;
    rest.epsilon += Math.log(whole); // of the whole group, also where some of it is seen: no better than the truth
    rest.ratio *= whole;
  }
  for (const linked of linkedQuestions(design)) shareRatios(design, linked, questions);
  return { epsilon: roundedUp(epsilon), ratio, rest: { ...rest, epsilon: roundedUp(rest.epsilon) }, questions };
}

/** Questions of which one decides whether another is asked tell of each other: sets of their names. */
function linkedQuestions(design) {
  const sets = design.questions.map(({ name }) => new Set([name]));
  for (const { name, askIf } of design.questions) {
    for (const other of askIf === null ? [] : namesIn(askIf)) {
      const [mine, theirs] = [name, other].map((each) => sets.findIndex((some) => some.has(each)));
      if (mine === theirs || theirs < 0) continue;
      for (const each of sets[theirs]) sets[mine].add(each);
      sets.splice(theirs, 1);
    }
  }
  return sets.filter(({ size }) => size > 1);
}

/** What is sent about linked questions is evidence of each: their ratios multiply, at most. */
function shareRatios(design, names, figures) {
  const channels = design.channels.filter(({ group }) => group.some(({ name }) => names.has(name)));
  for (const channel of channels) {
    const others = channels.filter((each) => each !== channel);
    const factor = others.reduce((product, each) => product * seenRatio(each), 1);
    for (const { name } of channel.group)
      if (names.has(name)) {
        const linked = design.questions.filter((each) => names.has(each.name) && each.name !== name);
        Object.assign(figures.get(name), { answer: figures.get(name).answer * factor, clearest: null, linked }); // not one report alone
      }
  }
}

/** The chance of each report under each answer to a question by itself: [answer][report]. */
export function matrixOf(channel, question) {
  const chances = checked(channel.thresholds);
  return chancesOf(channel, question).map((byInstruction) =>
    byInstruction[0].map((_, report) => sum(byInstruction.map((each, index) => chances[index] * each[report]))),
  );
}

/** The report whose odds are furthest apart, if it speaks for the answer of the same word; else null. */
function clearestOf(channel, question) {
  if (question.isNumber || channel.group.length > 1 || reportedWords(channel, question) !== question.answers) return null;
  const truths = matrixOf(channel, question);
  const odds = question.answers.map((_, report) => {
    const column = truths.map((each) => each[report]);
    return Math.max(...column) === column[report] ? column[report] / Math.min(...column) : 0;
  });
  const most = Math.max(...odds);
  const clearest = odds.map((each) => most > 0 && each * ALIKE >= most);
  if (clearest[1]) return 1; // the answer that people would rather deny, where no other is clearer
  return most === 0 ? null : clearest.indexOf(true);
}

/** Epsilon of a whole reply; where a version is not known, that of the one that hides least. */
export function wholeEpsilon(design) {
  const worst = design.blocks.map((block) =>
    versionsLeft(block, design.versions)
      .map(({ channels }) => sum(channels.map((channel) => Math.log(seenRatio(channel)))))
      .reduce((most, epsilon) => Math.max(most, epsilon), 0),
  );
  return roundedUp(sum(worst));
}

/** The ratio of all that is sent about a group. */
function seenRatio(channel) {
  return channel.group.some(isSeen) ? Infinity : ratioOf(channel, channel.group);
}

/** Epsilon to 6 decimals, never better than the truth. */
function roundedUp(epsilon) {
  return epsilon === Infinity ? epsilon : Math.ceil(epsilon * 1e6) / 1e6;
}

/** Whether something of the answer is seen whatever the lottery does: a number, or that it was left out. */
function isSeen(question) {
  return question.isNumber || question.omit;
}

function ownRatio({ question, ratio }) {
  return isSeen(question) ? Infinity : ratio;
}

/** A harmless answer takes the place of a drawn or forced one only: of those the chances are known. */
function checkPersonal(channel) {
  if (channel.personal.size && !channel.lottery.every(({ do: what }) => ["truth", "draw", "say"].includes(what)))
    throw unsound();
}

/** What is said where chances are no chances. */
export function unsound() {
  return new Error(say("The lottery of this survey is not sound, so nobody could say what it hides. Nothing is asked."));
}

// ---------------------------------------------------------------- the ratio of a lottery

/** The questions that share the draw of this one and have answers; a number beside them has its own figures. */
function othersIn(channel, question) {
  return channel.group.filter((each) => each !== question && !each.isNumber);
}

/** The largest ratio over all reports and truths of some questions; truths of the others in their draw are unknown. */
function ratioOf(channel, questions, others = []) {
  if (questions.some((question) => question.isNumber)) return Infinity;
  const chances = checked(channel.thresholds);
  let states = [{ above: chances, below: chances }];
  const all = [...questions.map((each) => pairsOf(channel, each)), ...others.map((each) => alikeOf(channel, each))];
  for (const pairs of all) {
    states = notOutdone(extended(states, pairs));
    if (states.some(({ below }) => sum(below) === 0)) return Infinity;
  }
  return Math.max(1, ...states.map(({ above, below }) => sum(above) / sum(below)));
}

function checked(thresholds) {
  const shares = checkedShares(thresholds);
  if (shares === null) throw unsound();
  return shares;
}

/** The chances of all reports to a question under one truth and instruction, given an answer to another question. */
function reportChances(channel, instruction, question, answer, other) {
  const kind = kindOf(instruction);
  const thresholds = kind?.among(instruction, question, answer);
  const chances = new Array(reportedWords(channel, question).length).fill(0);
  (thresholds ? checked(thresholds) : [1]).forEach((share, picked) => {
    const report = kind?.report(instruction, question, answer, thresholds && picked, other);
    if (!(report in chances)) throw unsound();
    chances[report] += share;
  });
  return chances;
}

/** The chances of all reports to a question under every truth and instruction, given an answer to another question. */
function chancesOf(channel, question, other = 0) {
  return question.answers.map((_, answer) =>
    channel.lottery.map((instruction) => reportChances(channel, instruction, question, answer, other)),
  );
}

/** All answers to another question on which the report may depend as well; a single one where there is no such. */
function othersBeside(channel, question) {
  const counts = channel.lottery.map((instruction) => kindOf(instruction)?.others(instruction, question) ?? 1);
  return [...new Array(Math.max(...counts)).keys()];
}

/** For every report, its chances if all truths are equally likely, one per instruction. */
function alikeOf(channel, question) {
  const truths = chancesOf(channel, question);
  const reports = reportedWords(channel, question).map((_, report) =>
    channel.lottery.map((_, index) => sum(truths.map((chances) => chances[index][report])) / truths.length),
  );
  return distinct(reports).map((chances) => ({ above: chances, below: chances }));
}

/** For every report, the chances that speak most for a truth and those that speak least, one per instruction. */
function pairsOf(channel, question) {
  const pairs = new Map();
  for (const beside of othersBeside(channel, question)) {
    const truths = chancesOf(channel, question, beside);
    reportedWords(channel, question).forEach((_, report) => {
      const seen = distinct(truths.map((chances) => chances.map((each) => each[report])));
      const most = seen.filter((each) => !seen.some((other) => other !== each && atMost(each, other)));
      const least = seen.filter((each) => !seen.some((other) => other !== each && atMost(other, each)));
      for (const above of most) for (const below of least) pairs.set([...above, ...below].join(), { above, below });
    });
  }
  return [...pairs.values()];
}

function distinct(lists) {
  return [...new Map(lists.map((list) => [list.join(), list])).values()];
}

function atMost(one, other) {
  return one.every((chance, index) => chance <= other[index]);
}

/** Chances of an instruction multiply over questions; only their proportions matter. */
function extended(states, pairs) {
  const found = [];
  for (const state of states) {
    for (const pair of pairs) {
      const above = state.above.map((chance, index) => chance * pair.above[index]);
      if (sum(above) === 0) continue;
      const below = state.below.map((chance, index) => chance * pair.below[index]);
      const scale = Math.max(...below) || Math.max(...above);
      found.push({ above: above.map((each) => each / scale), below: below.map((each) => each / scale) });
    }
  }
  return found;
}

/** Those with no other that, on some scale, is at least as likely above and at most as likely below. */
function notOutdone(states) {
  const ratios = new Map(states.map((state) => [state, sum(state.above) / sum(state.below)]));
  let left = [...states].sort((one, other) => (ratios.get(one) < ratios.get(other) ? 1 : -1));
  const kept = [];
  while (left.length) {
    const [best, ...others] = left;
    kept.push(best);
    left = others.filter((each) => !outdoes(best, each));
  }
  return kept;
}

function outdoes(best, { above, below }) {
  let least = 0;
  let most = Infinity;
  for (let index = 0; index < above.length; index += 1) {
    if (above[index] > 0) least = Math.max(least, above[index] / best.above[index]);
    if (best.below[index] > 0) most = Math.min(most, below[index] / best.below[index]);
  }
  return least <= most * ALIKE;
}

function sum(chances) {
  return chances.reduce((total, chance) => total + chance, 0);
}

// ---------------------------------------------------------------- numbers under noise

/** The width that holds a number under noise with 95 % confidence, in the question's own unit. */
function widthOf(channel, question) {
  const noise = noiseOf(channel);
  if (!question.isNumber || !noise) return null;
  const densest = checked(noise.thresholds).sort((one, other) => other - one);
  let held = 0;
  const whole = densest.findIndex((chance) => {
    if (held + chance >= CONFIDENCE - 1e-12) return true;
    held += chance;
    return false;
  });
  return (whole + (CONFIDENCE - held) / densest[whole]) * stepOf(question);
}
