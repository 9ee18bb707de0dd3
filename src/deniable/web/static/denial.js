/**
 * What can be denied, in plain sentences.
 */

import { kindOf } from "./instruction.js";
import { protection } from "./lottery.js";
import { quoted } from "./words.js";

const LAST_BIT = 1e-8; // chances are whole numbers out of 2^32: .8 is .80000000004
const STEP = 2 ** -32; // between two chances: a ratio r may be r^2 such steps off
const MAX_SLACK = 1e-3; // beyond, a ratio is not taken for a rounder one
const DENIABLE = 100; // a ratio beyond which nobody believes a denial
const MANY = 1e6;

/** A ratio to one decimal, never better than the truth. */
function roundedUp(ratio) {
  const slack = Math.max(ratio * LAST_BIT, Math.min(ratio ** 2 * STEP, MAX_SLACK)); // 199, not 199.1, at theta .995
  return Math.ceil(10 * (ratio - slack)) / 10;
}

/** Whether a lottery decides what is sent, but hardly hides the answer. */
export function isWeak(channel, question, { answer, whole }) {
  return protection(channel, question) === "lottery" && (whole === Infinity || roundedUp(answer) > DENIABLE);
}

/** What can be denied about one question; null where no lottery decides, which the promise says already. */
export function denialOf(channel, question, figures) {
  if (protection(channel, question) !== "lottery") return null;
  const seen = question.omit ? " That you left it out would be seen." : "";
  return `${(question.isNumber ? numberDenial : answerDenial)(channel, question, figures)}${seen}`;
}

function numberDenial(channel, question, { width }) {
  if (width === null)
    return (
      "What is sent is your number times a factor that nobody knows. Small numbers are sent as small ones, and nought as " +
      "nought, so epsilon is infinite."
    );
  const span = Math.min(width, question.high - question.low);
  return (
    `From what is sent, your number can only be guessed to within about ${roundedDown(span)} (with 95\u00a0% ` +
    "confidence). Numbers far from it can be ruled out, so epsilon is infinite."
  );
}

/** A width to a few digits, never better than the truth. */
export function roundedDown(width, digits = 3) {
  const unit = 10 ** (Math.floor(Math.log10(width)) - digits + 1);
  const down = Math.floor((width / unit) * (1 + LAST_BIT)) * unit;
  return down.toLocaleString("en", { maximumSignificantDigits: digits });
}

function answerDenial(channel, question, { alone, whole, answer }) {
  const shared = channel.lottery.find((instruction) => kindOf(instruction).reveals);
  if (shared) return kindOf(shared).reveals(shared);
  if (alone === Infinity)
    return "Some of what can be sent is possible under some answers only, and gives the answer away.";
  if (whole === Infinity) return togetherDenial(channel, question, alone);
  const personal = channel.personal.get(question.name) ?? channel.harmless;
  const proviso = personal === undefined ? "" : `, as long as nobody knows your answer to ${quoted(personal)}`;
  const verdict = roundedUp(answer) <= DENIABLE ? `so you can deny it${proviso}` : "which hardly protects you";
  const denial = `what is sent is ${timesWords(answer, "true answer")}, ${verdict}.`;
  if (channel.group.length === 1) return `W${denial.slice(1)}`;
  return (
    `For somebody who knows no more than that all answers are equally likely, ${denial} For somebody who knows your ` +
    `other answers that share this draw, it is ${timesWords(whole, "true answer")}.`
  );
}

function togetherDenial(channel, question, alone) {
  const others = channel.group.filter((each) => each !== question).map((each) => quoted(each.wording));
  const flips = channel.lottery.every((instruction) => ["truth", "opposite"].includes(instruction.do));
  const names = others.join(", ");
  const denial =
    roundedUp(alone) <= DENIABLE
      ? `Alone it could be denied; drawn together with ${names} it cannot`
      : `Drawn together with ${names} it cannot be denied`;
  return (
    `${denial}: some of what can be sent about them is possible under some answers only.` +
    (flips ? " Whoever knows one true answer learns the others." : "")
  );
}

/** How much more likely a report can be under one truth than under another, in words. */
function timesWords(ratio, truth) {
  const times = roundedUp(ratio);
  const many = times > MANY ? "at worst over a million" : `at most ${times.toLocaleString("en")}`;
  return `${many} times as likely under one ${truth} as under another`;
}

/** A verdict on several answers together: never to be held against one on a single answer. */
function wholeVerdict(ratio, them) {
  return roundedUp(ratio) <= DENIABLE ? `so you can deny ${them}` : `which hardly protects ${them} as a whole`;
}

/** What the answers to several questions tell together, as a sentence. */
export function wholeWords({ ratio }) {
  return `What is sent is ${timesWords(ratio, "set of true answers")}, ${wholeVerdict(ratio, "it")}.`;
}

/** What a reply and the second round's digit tell together, as sentences. */
export function sumWords(reply, digit) {
  const shown = (epsilon) => Math.ceil(epsilon * 1000 - LAST_BIT) / 1000;
  const alone = `Epsilon of this digit is ${shown(digit)}.`;
  if (reply === Infinity)
    return (
      `${alone} A reply to this survey can give answers away by itself: its epsilon is infinite. The digit tells no ` +
      `more than ${shown(digit)} on top of that.`
    );
  return (
    `${alone} A reply to this survey has epsilon ${shown(reply)}. Nothing in the two says that they come from one ` +
    `person, but whoever can link them learns both: epsilon ${shown(reply + digit)} together.`
  );
}

/** What a whole reply tells, as a sentence. */
export function epsilonWords({ epsilon, ratio }) {
  if (epsilon === Infinity) return "Epsilon is infinite: some of what is sent can give an answer away.";
  const shown = Math.ceil(epsilon * 1000) / 1000;
  const times = timesWords(ratio, "set of true answers");
  return `Epsilon is ${shown}: your whole reply is ${times}, ${wholeVerdict(ratio, "it")}.`;
}
