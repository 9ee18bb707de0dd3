/**
 * How often chance has its way with an answer: in how many of 100 cases it sends something else, and what.
 *
 * This is what the lottery does, so it holds however common an answer is.
 */

import { sharesOf } from "./chances.js";
import { kindOf } from "./instruction.js";
import { listed, say } from "./language.js";
import { drawsHere, isHarmless, protection } from "./lottery.js";
import { quoted } from "./words.js";

const CLOSE = 1e-5; // of a case: chances are whole numbers out of 2^32
const FEW = 3; // answers that are listed

/**
 * The chances of what is sent about a question: one's `own` answer, the `other` one or one of the others, an answer that
 * chance `picked` (a chance for each), that to the `harmless` question; null where the lottery is a table, or noise.
 */
function chancesOf(channel, question) {
  if (question.isNumber) return null;
  const shares = sharesOf(channel.thresholds);
  const found = { own: 0, other: 0, harmless: 0, picked: question.answers.map(() => 0) };
  for (const [index, instruction] of channel.lottery.entries()) {
    const sends = isHarmless(channel, instruction, question) ? "harmless" : kindOf(instruction).sends(instruction, question);
    if (sends === null) return null;
    if (typeof sends === "string") found[sends] += shares[index];
    else
      sends.forEach((share, cell) => {
        found.picked[cell] += shares[index] * share;
      });
  }
  return found;
}

/** What chance does to answers to this question, and what that means; null where none is true in so few words. */
export function oftenWords(channel, question, report) {
  const found = channel.byRespondent ? null : chancesOf(channel, question);
  if (found === null) return null;
  const picked = found.picked.reduce((total, share) => total + share, 0);
  const kinds = [found.other, found.harmless, picked].filter((share) => share > 0);
  const changed = hundred(1 - found.own, found.other === 0 || found.own >= 0.5);
  if (kinds.length !== 1 || changed < 1 || changed > 99) return null;
  if (found.harmless > 0)
    return say("In about {changed} of 100 cases, the answer to the harmless question is sent. In the others, it is the answer to this one.", { changed });
  const what = picked > 0 ? pickedWords(question, found.picked, changed) : changedWords(question, changed);
  if (question.answers.length > 2) return `${what} ${say("So whatever is sent may come from chance, not from you.")}`;
  const shown = picked > 0 ? Number(found.picked[1] > 0) : (report ?? 1);
  return `${what} ${say("So {report} may come from chance, not from you.", { report: quoted(question.shown[shown]) })}`;
}

function changedWords(question, changed) {
  return question.answers.length > 2
    ? say("In about {changed} of 100 cases, chance sends a different answer.", { changed })
    : say("In about {changed} of 100 cases, chance sends the other answer.", { changed });
}

/** How often chance picks the answer, and which. */
function pickedWords(question, shares, changed) {
  if (Math.max(...shares) - Math.min(...shares) < CLOSE)
    return say("In about {changed} of 100 cases, chance picks one of the answers, each equally often.", { changed });
  if (question.answers.length > FEW) return say("In about {changed} of 100 cases, chance picks the answer.", { changed });
  const times = partsOf(changed, shares);
  const list = times.map((count, cell) => timesWords(count, quoted(question.shown[cell]))).filter(Boolean);
  return say("In about {changed} of 100 cases, chance picks the answer: {list}.", { changed, list: listed(list) });
}

/** How often an answer is picked; null where it never is. */
function timesWords(count, answer) {
  if (count === 1) return say("once {answer}", { answer });
  return count > 0 ? say("{count} times {answer}", { count, answer }) : null;
}

/** A chance as cases of 100, rounded so that it looks no better than it is: down where it is what protects. */
function hundred(share, down) {
  return down ? Math.floor(100 * share + CLOSE) : Math.ceil(100 * share - CLOSE);
}

/** So many cases in parts, in proportion to shares; they add up. */
function partsOf(cases, shares) {
  const total = shares.reduce((sum, share) => sum + share, 0);
  const exact = shares.map((share) => (cases * share) / total);
  const whole = exact.map((each) => Math.floor(each + CLOSE));
  const order = [...exact.keys()].sort((one, two) => exact[two] - whole[two] - (exact[one] - whole[one]));
  const missing = cases - whole.reduce((sum, each) => sum + each, 0);
  order.slice(0, missing).forEach((cell) => {
    whole[cell] += 1;
  });
  return whole;
}

// ---------------------------------------------------------------- the survey as a whole

/** What chance does to the answers of a survey for which this device draws, in a line; `hides(question)`: whether it does. */
export function chanceLine(design, hides) {
  const drawn = design.channels.filter(drawsHere);
  const [first] = drawn;
  const all = first.group.length > 1 && first.group.length === design.questions.length && first.group.every(hides);
  if (all && first.lottery.every((instruction) => takesAll(first, instruction)))
    return say("Please answer truthfully. Chance decides whether this device sends all your answers unchanged or replaces them all with random ones. Nobody else is told which.");
  const hidden = drawn.filter(({ group }) => group.some(hides));
  if (hidden.length === 1 && hidden[0].lottery.every((instruction) => takesAll(hidden[0], instruction)) && hidden[0].group.length > 1)
    return say("Please answer truthfully. Chance decides whether this device sends all answers marked “Disguised” unchanged or replaces them all with random ones. Nobody else is told which.");
  const disguised = drawn.flatMap((channel) =>
    channel.group.filter((each) => protection(channel, each) === "lottery").map((question) => ({ channel, question })),
  );
  const answers = disguised.filter(({ question }) => !question.isNumber);
  const alone = drawn.every(({ group }) => group.length === 1);
  if (!answers.length || !alone || !answers.every(({ channel, question }) => hides(question) && mostlyStays(channel, question)))
    return say("Please answer truthfully. Chance may change some of your answers before they leave this device.");
  if (disguised.length === 1)
    return say("Please answer truthfully. Before sending, this device changes the answers of some people by chance. Nobody else is told whose.");
  return answers.length < disguised.length
    ? say("Please answer truthfully. Before sending, this device changes some answers and numbers by chance. Nobody else is told how.")
    : say("Please answer truthfully. Before sending, this device changes some answers by chance. Nobody else is told which.");
}

/** Whether an instruction sends all answers of a group as they are, or draws all of them. */
function takesAll(channel, instruction) {
  return channel.group.every((question) => {
    if (question.isNumber || isHarmless(channel, instruction, question)) return false;
    const sends = kindOf(instruction).sends(instruction, question);
    return sends === "own" || Array.isArray(sends);
  });
}

/** Whether more than half of all people send their own answer, whichever it is. */
function mostlyStays(channel, question) {
  const found = chancesOf(channel, question);
  return found !== null && found.own + Math.min(...found.picked) > 0.5;
}
