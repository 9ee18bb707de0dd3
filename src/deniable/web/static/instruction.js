/**
 * What a lottery may tell one to do with a question: all that the page knows of each instruction, in one table.
 *
 *   among     the numbers with which a random number of its own is compared; without it, none is drawn
 *   outcomes  what these numbers stand for, in words; without it, the draw is noise
 *   report    what is reported, given the true answer and the index of the outcome that was drawn
 *   fixed     the report for each answer in turn, where no chance has any part in it; null where it has
 *   does      what happens, as part of a sentence
 *   asks      what it asks of respondents who draw by themselves, as part of a sentence
 *   inWords   what the lottery has picked, in a few words
 *   others    how many answers to another question the report may depend on as well; 1 where there is none
 *   sends     what it sends about a question: one's "own" answer, an "other" one, or the chances of any; else null
 *   reveals   what somebody learns who knows that other answer, as a sentence
 *
 * An answer is its cell (its index among the answers), a number, or null where a number was left out.
 */

import { SCALE, firstAbove, nearestEven, percent, percents, sharesOf, short, uniform } from "./chances.js";
import { held } from "./design.js";
import { clauses, listed, say } from "./language.js";
import { quoted } from "./words.js";

const GRID = 1024; // points of the noise grid per width of a number's range
const MAX_LISTED = 40; // chances of a table, beyond which a sentence only says how many reports have which

/** How much one step of noise adds to a number. */
export function stepOf(question) {
  return (question.high - question.low) / GRID;
}

const INSTRUCTIONS = {
  truth: {
    report: (instruction, question, answer) => answer,
    fixed: (instruction, question) => question.answers?.map((_, cell) => cell) ?? [],
    sends: () => "own",
    does: () => say("your true answer is sent"),
    asks: () => say("report your true answer"),
    inWords: () => say("your own answer"),
  },
  opposite: {
    report: (instruction, question, answer) => 1 - answer,
    fixed: () => [1, 0],
    sends: () => "other",
    does: () => say("the opposite of your answer is sent"),
    asks: () => say("report the opposite of your answer"),
    inWords: () => say("the opposite of your answer"),
  },
  other: {
    among: (instruction, question) => (question.answers.length > 2 ? uniform(question.answers.length - 1) : undefined),
    outcomes: (instruction, question, answer) => question.shown.filter((_, cell) => cell !== answer),
    report: (instruction, question, answer, picked = 0) => (picked >= answer ? picked + 1 : picked),
    fixed: (instruction, question) => (question.answers.length > 2 ? null : [1, 0]),
    sends: () => "other",
    does: (instruction, question) =>
      question.answers.length > 2 ? say("one of the other answers is drawn and sent") : say("the other answer is sent"),
    asks: (instruction, question) =>
      question.answers.length > 2
        ? say("draw one of the other answers, each with the same chance, and report that")
        : say("report the other answer"),
    inWords: () => say("another answer"),
  },
  draw: {
    among: (instruction, question) => held(instruction.thresholds, question.name),
    outcomes: (instruction, question) => question.shown,
    report: (instruction, question, answer, picked) => picked,
    sends: (instruction, question) => sharesOf(held(instruction.thresholds, question.name)),
    does: (instruction, question) =>
      say("an answer that has nothing to do with you is drawn and sent ({chances})", {
        chances: drawn(instruction, question),
      }),
    asks: (instruction, question) =>
      say("draw any answer ({chances}) and report that", { chances: drawn(instruction, question) }),
    inWords: () => say("an answer by chance"),
  },
  say: {
    report: (instruction, question) => held(instruction.cells, question.name),
    sends: (instruction, question) => question.answers.map((_, cell) => Number(cell === held(instruction.cells, question.name))),
    does: (instruction, question) =>
      say("{answer} is sent, whatever is true", { answer: quoted(forcedWord(instruction, question)) }),
    asks: (instruction, question) =>
      say("report {answer}, whatever is true", { answer: quoted(forcedWord(instruction, question)) }),
    inWords: (instruction, question) =>
      say("{answer}, whatever is true", { answer: quoted(forcedWord(instruction, question)) }),
  },
  lookup: {
    among: (instruction, question, answer = 0) => instruction.thresholds[answer],
    outcomes: (instruction) => instruction.reported,
    report: (instruction, question, answer, picked) => picked,
    fixed: ({ thresholds }) => {
      const sure = thresholds.map((column) => sharesOf(column).indexOf(1));
      return sure.includes(-1) ? null : sure;
    },
    does: (instruction, question) =>
      say("what is sent is drawn, with chances that depend on your answer: {chances}", {
        chances: summedUp(instruction) ?? lookedUp(instruction, question),
      }),
    asks: (instruction, question) =>
      say("draw what you report, with chances that depend on your answer: {chances}", {
        chances: lookedUp(instruction, question),
      }),
    inWords: () => say("something drawn by chance"),
  },
  beside: {
    others: (instruction, question) => question.answers.length,
    report: (instruction, question, answer, picked, other) => other,
    does: ({ wording }) => say("your answer to {question} is sent", { question: quoted(wording) }),
    asks: ({ wording }) => say("report your answer to {question}", { question: quoted(wording) }),
    inWords: ({ wording }) => say("your answer to {question}", { question: quoted(wording) }),
    reveals: ({ wording }) =>
      say("What you report may be your answer to {question}: whoever knows that one may learn this one.", {
        question: quoted(wording),
      }),
  },
  count: {
    others: ({ items }) => items.length + 1,
    report: ({ own }, question, answer, picked, other) => other + (own ? answer : 0),
    does: () => say("the number of statements that hold for you is sent"),
    asks: () => say("report how many of the statements hold for you"),
    inWords: () => say("how many statements hold"),
    reveals: ({ own }) =>
      own
        ? say(
            "Whoever knows how many of the harmless statements hold for you learns the rest; so does anybody if all of " +
              "them hold, or none.",
          )
        : say("No statement of your list is sensitive."),
  },
  multiply: {
    among: (instruction) => instruction.thresholds,
    report: ({ first, unit }, question, answer, picked) => {
      const step = stepOf(question);
      const number = question.low + nearestEven((answer - question.low) / step) * step;
      const point = nearestEven(((number * (first + picked)) / unit - question.low) / step);
      return question.low + point * step;
    },
    does: factorWords,
    inWords: () => say("your number times a factor"),
  },
  add: {
    among: (instruction) => instruction.thresholds,
    report: (instruction, question, answer, picked) => {
      const step = stepOf(question);
      const point = nearestEven((answer - question.low) / step) + instruction.first + picked;
      return question.low + point * step;
    },
    does: (instruction, question) =>
      say(
        "noise is added: the number that is sent lies within {reach} of yours in 95 % of all cases, and further away in " +
          "the others",
        { reach: short(reach(instruction, question)) },
      ),
    inWords: () => say("your number plus a chance amount"),
  },
};

function drawn(instruction, question) {
  const shares = sharesOf(held(instruction.thresholds, question.name));
  const alike = Math.max(...shares) - Math.min(...shares) < 1e-6;
  if (alike) return say("each with the same chance");
  const chances = percents(shares);
  return listed(
    shares.map((_, cell) => say("{answer} with {chance}", { answer: quoted(question.shown[cell]), chance: chances[cell] })),
  );
}

function forcedWord(instruction, question) {
  return question.shown[held(instruction.cells, question.name)];
}

function lookedUp(instruction, question) {
  const lines = instruction.thresholds.map((column, cell) => {
    const chances = sharesOf(column).map((share, report) => [share, instruction.reported[report]]);
    const likely = chances.filter(([share]) => share > 0).map(([share, word]) => say("{answer} with {chance}", { answer: quoted(word), chance: percent(share) }));
    return say("if it is {answer}, {reports}", { answer: quoted(question.shown[cell]), reports: listed(likely) });
  });
  return clauses(lines);
}

/** The chances of a table too large to list that are the same for each answer, as of Hadamard's cards; else null. */
function summedUp({ thresholds, reported }) {
  if (thresholds.length * reported.length <= MAX_LISTED) return null;
  const [first, ...others] = thresholds.map((column) => {
    const chances = sharesOf(column).sort((one, two) => two - one).map(percent);
    const counts = new Map(chances.map((chance) => [chance, chances.filter((each) => each === chance).length]));
    const parts = [...counts].map(([chance, count]) =>
      count > 1 ? say("{count} with {chance} each", { count, chance }) : say("{count} with {chance}", { count, chance }),
    );
    return listed(parts, (all, next) => say("{all} and {next}", { all, next }));
  });
  if (first.length > 100 || others.some((each) => each !== first)) return null;
  return say("whatever it is, {chances}, of {count} possible reports; which ones depends on it", {
    chances: first,
    count: reported.length,
  });
}

/** How far noise goes in 95 % of all cases. */
function reach(instruction, question) {
  const [low, high] = [0.025, 0.975].map(
    (share) => instruction.first + firstAbove(instruction.thresholds, share * SCALE),
  );
  return Math.max(-low, high) * stepOf(question);
}

/** Between which factors one is drawn, and how often it is exactly one. */
function factorWords({ thresholds, first, unit }) {
  const [low, high] = [0.025, 0.975].map((share) => short((first + firstAbove(thresholds, share * SCALE)) / unit));
  const shares = sharesOf(thresholds);
  const spike = shares[unit - first] - (shares[unit - first + 1] ?? 0); // what stands out above its neighbour
  if (spike > 0.005)
    return say(
      "your number is multiplied by a factor that is drawn, between {low} and {high} in 95 % of all cases, and exactly 1 " +
        "with a chance of about {chance}; nought is sent as nought",
      { low, high, chance: percent(spike) },
    );
  return say(
    "your number is multiplied by a factor that is drawn, between {low} and {high} in 95 % of all cases; nought is sent as " +
      "nought",
    { low, high },
  );
}

const UNLESS_SAID = { sends: () => null, among: () => undefined, outcomes: () => undefined, fixed: () => null, others: () => 1 };

/** All that the page knows of an instruction. */
export function kindOf(instruction) {
  return KINDS.get(instruction.do);
}

const KINDS = new Map(Object.entries(INSTRUCTIONS).map(([name, kind]) => [name, { ...UNLESS_SAID, ...kind }]));

/** What is reported for an answer; u is the random number that was drawn for this question, if any. */
export function follow(instruction, question, answer, u) {
  const kind = kindOf(instruction);
  const thresholds = kind.among(instruction, question, answer);
  return kind.report(instruction, question, answer, thresholds && firstAbove(thresholds, u));
}
