/**
 * The promise in plain words, computed from the published lottery itself.
 *
 * Chances are the whole numbers of the lottery divided by 2^32, so that everybody can check the sentences.
 */

import { held, isClear } from "./design.js";
import { SCALE, firstAbove } from "./lottery.js";

/** A chance in percent: 80 %, 33.33 %. */
export function percent(share) {
  return `${Number((100 * share).toPrecision(4))}\u00a0%`;
}

/** The chances behind cumulated thresholds. */
export function sharesOf(thresholds) {
  return thresholds.map((threshold, place) => (threshold - (thresholds[place - 1] ?? 0)) / SCALE);
}

/** A number in few digits. */
export function short(number) {
  return String(Number(number.toPrecision(4)));
}

const DOES = {
  truth: () => "your true answer is sent",
  opposite: () => "the opposite of it is sent",
  other: (instruction, question) =>
    question.answers.length === 2 ? "the other answer is sent" : "one of the other answers is drawn and sent",
  draw: (instruction, question) =>
    `an answer that has nothing to do with you is drawn and sent (${drawn(instruction, question)})`,
  say: (instruction, question) =>
    `“${question.answers[held(instruction.cells, question.name)]}” is sent, whatever is true`,
};

function drawn(instruction, question) {
  const shares = sharesOf(held(instruction.thresholds, question.name));
  const alike = Math.max(...shares) - Math.min(...shares) < 1e-6;
  if (alike) return `each with ${percent(1 / shares.length)}`;
  return shares.map((share, cell) => `“${question.answers[cell]}” with ${percent(share)}`).join(", ");
}

/** What happens to the answer to one question, as a sentence. */
export function promiseOf(channel, question) {
  const first = channel.lottery[0];
  if (isClear(channel, question)) return "Asked in the clear: your answer is sent as it is. It cannot be denied.";
  if (first.do === "add") return noisePromise(first, question);
  if (first.do === "lookup") return lookupPromise(first, question);
  if (channel.lottery.length === 1)
    return "Only the interval you choose is sent, as it is. That interval cannot be denied.";
  return lotteryPromise(channel, question);
}

function lotteryPromise(channel, question) {
  const chances = new Map();
  const shares = sharesOf(channel.thresholds);
  channel.lottery.forEach((instruction, place) => {
    if (shares[place] === 0) return;
    const personal = instruction.do !== "truth" && channel.personal.has(question.name);
    const words = personal
      ? "your answer to the harmless question is sent"
      : DOES[instruction.do](instruction, question);
    chances.set(words, (chances.get(words) ?? 0) + shares[place]);
  });
  const parts = [...chances].map(([words, share], place) =>
    chances.size === 2 && place === 1
      ? `otherwise (${percent(share)}) ${words}`
      : `with chance ${percent(share)} ${words}`,
  );
  const sentence = parts.join("; ");
  return `${sentence[0].toUpperCase()}${sentence.slice(1)}.`;
}

function lookupPromise(instruction, question) {
  const lines = instruction.thresholds.map((column, cell) => {
    const chances = sharesOf(column).map((share, report) => [share, instruction.reported[report]]);
    const likely = chances.filter(([share]) => share > 0).map(([share, word]) => `“${word}” with ${percent(share)}`);
    return `if it is “${question.answers[cell]}”, ${likely.join(", ")}`;
  });
  return `What is sent is drawn, with chances that depend on your answer: ${lines.join("; ")}.`;
}

function noisePromise(instruction, question) {
  const [low, high] = [0.025, 0.975].map(
    (share) => instruction.first + firstAbove(instruction.thresholds, share * SCALE),
  );
  const reach = (Math.max(-low, high) * (question.high - question.low)) / 1024;
  return (
    `Noise is added: the number that is sent lies within ${short(reach)} of yours in 95\u00a0% of all cases, ` +
    "and further away in the others."
  );
}

/** What the lottery of a group has told, in a few words, for one question. */
export function instructionWords(channel, instruction, question) {
  if (instruction.do !== "truth" && channel.personal.has(question.name)) return "answer the harmless question instead";
  return {
    truth: () =>
      isClear(channel, question)
        ? "no lottery: asked in the clear"
        : channel.lottery.length === 1
          ? "no lottery: the interval is sent"
          : "tell the truth",
    opposite: () => "say the opposite",
    other: () => "say another answer",
    draw: () => "draw an answer",
    say: () => `say “${question.answers[held(instruction.cells, question.name)]}”`,
    lookup: () => "draw what to say",
    add: () => "add noise",
  }[instruction.do]();
}

/** What is said where a question shares its draw with others. */
export function togetherWords(channel, question) {
  const others = channel.group.filter((each) => each !== question).map((each) => `“${each.wording}”`);
  if (!others.length || channel.lottery.length < 2) return null;
  return `One draw decides for this question and ${others.join(", ")} together.`;
}

/** Epsilon as a sentence. */
export function epsilonWords(epsilon) {
  if (epsilon === "infinity") {
    return "Epsilon is infinite: some of what is sent can give an answer away.";
  }
  const times = Math.ceil(10 * Math.exp(epsilon) - 1e-6) / 10;
  return (
    `Epsilon is ${short(Math.ceil(epsilon * 1000) / 1000)}: your whole reply is at most ${times} times as likely ` +
    "under one set of true answers as under another."
  );
}

/** The promise as a whole, line by line: never better than what the design and its privacy figures say. */
export function promiseLines(design, privacy) {
  const clear = design.channels.flatMap((channel) => channel.group.filter((question) => isClear(channel, question)));
  if (clear.length === design.questions.length) {
    return ["Nothing is disguised in this survey: what you answer is sent as it is, and cannot be denied."];
  }
  const exposed = privacy.questions.filter((each) => each.epsilon === "infinity" || each.together);
  const wordings = exposed.map(
    ({ name }) => `“${design.questions.find((question) => question.name === name).wording}”`,
  );
  return [
    "Your answers stay in this browser. A lottery on this device disguises them, " +
      "and only the disguised answers are sent." +
      (clear.length ? " Questions that are asked in the clear say so, and are sent as you answer them." : ""),
    "What the lottery tells you is not sent. Still the shares of all respondents together can be estimated.",
    epsilonWords(privacy.epsilon),
    exposed.length
      ? `What is sent about these can give the answer away, each in the way it says: ${wordings.join(", ")}.`
      : null,
    "The lottery protects your answers. It does not hide that you took part.",
  ].filter(Boolean);
}
