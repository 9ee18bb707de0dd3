/**
 * What can be denied, in plain sentences.
 */

import { kindOf } from "./instruction.js";
import { digits, say } from "./language.js";
import { protection } from "./lottery.js";
import { quoted } from "./words.js";

const LAST_BIT = 1e-8; // chances are whole numbers out of 2^32: .8 is .80000000004
const STEP = 2 ** -32; // between two chances: a ratio r may be r^2 such steps off
const MAX_SLACK = 1e-3; // beyond, a ratio is not taken for a rounder one
const DENIABLE = 100; // a ratio beyond which nobody believes a denial
const MANY = 1e6;

/** A ratio to one decimal, never better than the truth. */
function roundedUp(ratio) {
  if (ratio === Infinity) return ratio;
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
  const seen = question.omit ? ` ${say("That you left it out would be seen.")}` : "";
  return `${(question.isNumber ? numberDenial : answerDenial)(channel, question, figures)}${seen}`;
}

function numberDenial(channel, question, { width }) {
  if (width === null)
    return say(
      "What is sent is your number times a factor that nobody knows. Small numbers are sent as small ones, and nought as " +
        "nought, so epsilon is infinite.",
    );
  const span = Math.min(width, question.high - question.low);
  return say(
    "From what is sent, your number can only be guessed to a range about {within} wide (with 95 % confidence). Numbers far " +
      "from it can be ruled out, so epsilon is infinite.",
    { within: roundedDown(span) },
  );
}

/** A width to a few digits, never better than the truth. */
export function lowered(width, figures) {
  const unit = 10 ** (Math.floor(Math.log10(width)) - figures + 1);
  return Math.floor((width / unit) * (1 + LAST_BIT)) * unit;
}

/** The same in words. */
function roundedDown(width, figures = 3) {
  return digits(lowered(width, figures), { maximumSignificantDigits: figures });
}

function answerDenial(channel, question, { alone, whole, answer }) {
  const shared = channel.lottery.find((instruction) => kindOf(instruction).reveals);
  if (shared) return kindOf(shared).reveals(shared);
  if (alone === Infinity)
    return say("Some of what can be sent is possible under some answers only, and gives the answer away.");
  if (whole === Infinity) return togetherDenial(channel, question, alone);
  const times = timesWords(answer);
  const denial = say("what is sent is {times}, {verdict}.", { times, verdict: verdictWords(channel, question, answer) });
  if (channel.group.length === 1) return `${denial[0].toUpperCase()}${denial.slice(1)}`;
  return say(
    "For somebody who knows no more than that all answers are equally likely, {denial} For somebody who knows your other " +
      "answers that share this draw, it is {times}.",
    { denial, times: timesWords(whole) },
  );
}

/** What becomes of one answer, as the end of a sentence. */
function verdictWords(channel, question, ratio) {
  if (roundedUp(ratio) > DENIABLE) return say("which hardly protects you");
  const personal = channel.personal.get(question.name) ?? channel.harmless;
  if (personal === undefined) return say("so you can deny it");
  return say("so you can deny it, as long as nobody knows your answer to {question}", { question: quoted(personal) });
}

function togetherDenial(channel, question, alone) {
  const questions = quoted(...channel.group.filter((each) => each !== question).map(({ wording }) => wording));
  const flips = channel.lottery.every((instruction) => ["truth", "opposite"].includes(instruction.do));
  const denial =
    roundedUp(alone) <= DENIABLE
      ? say(
          "Alone it could be denied; drawn together with {questions} it cannot: some of what can be sent about them is " +
            "possible under some answers only.",
          { questions },
        )
      : say(
          "Drawn together with {questions} it cannot be denied: some of what can be sent about them is possible under some " +
            "answers only.",
          { questions },
        );
  return flips ? `${denial} ${say("Whoever knows one true answer learns the others.")}` : denial;
}

/** How much more likely a report can be under one true answer than under another, in words. */
function timesWords(ratio) {
  const times = roundedUp(ratio);
  if (times > MANY) return say("at worst over a million times as likely under one true answer as under another");
  return say("at most {times} times as likely under one true answer as under another", { times: digits(times) });
}

/** The same under one set of true answers and another. */
function setTimesWords(ratio) {
  const times = roundedUp(ratio);
  if (times > MANY) return say("at worst over a million times as likely under one set of true answers as under another");
  return say("at most {times} times as likely under one set of true answers as under another", { times: digits(times) });
}

/** A verdict on several answers together: never to be held against one on a single answer. */
function wholeVerdict(ratio) {
  return roundedUp(ratio) <= DENIABLE ? say("so you can deny it") : say("which hardly protects it as a whole");
}

/** What the answers to several questions tell together, as a sentence. */
export function wholeWords({ ratio }) {
  const said = say("what is sent is {times}, {verdict}.", { times: setTimesWords(ratio), verdict: wholeVerdict(ratio) });
  return `${said[0].toUpperCase()}${said.slice(1)}`;
}

/** An epsilon to three decimals, never better than the truth. */
function epsilonShown(epsilon) {
  return digits(Math.ceil(epsilon * 1000 - LAST_BIT) / 1000);
}

/** What a reply and the second round's digit tell together, as sentences. */
export function sumWords(reply, digit) {
  const alone = say("Epsilon of this digit is {digit}.", { digit: epsilonShown(digit) });
  const both =
    reply === Infinity
      ? say(
          "A reply to this survey can give answers away by itself: its epsilon is infinite. The digit tells no more than " +
            "{digit} on top of that.",
          { digit: epsilonShown(digit) },
        )
      : say(
          "A reply to this survey has epsilon {reply}. Nothing in the two says that they come from one person, but whoever " +
            "can link them learns both: epsilon {both} together.",
          { reply: epsilonShown(reply), both: epsilonShown(reply + digit) },
        );
  return `${alone} ${both}`;
}

/** What is sent about all questions but those that it can give away, as a sentence; null where there are no others. */
export function restWords({ epsilon, ratio }) {
  if (epsilon === 0) return null;
  return say("For all others together epsilon is {epsilon}: what is sent is {times}, {verdict}.", {
    epsilon: epsilonShown(epsilon),
    times: setTimesWords(ratio),
    verdict: wholeVerdict(ratio),
  });
}

/** What a whole reply tells, as a sentence. */
export function epsilonWords({ epsilon, ratio }) {
  return say("Epsilon is {epsilon}: your whole reply is {times}, {verdict}.", {
    epsilon: epsilonShown(epsilon),
    times: setTimesWords(ratio),
    verdict: wholeVerdict(ratio),
  });
}
