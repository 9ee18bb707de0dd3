/**
 * The promise in plain words, computed from the published lottery itself.
 *
 * Chances are the whole numbers of the lottery divided by 2^32, so that everybody can check the sentences.
 */

import { percent, sharesOf } from "./chances.js";
import { epsilonWords, restWords } from "./denial.js";
import { kindOf } from "./instruction.js";
import { disguisesAny, drawsAny, drawsHere, isDrawn, isHarmless, protection } from "./lottery.js";
import { clauses, listed, say } from "./language.js";
import { versionLines } from "./versions.js";
import { quoted } from "./words.js";

/** What happens to the answer to one question, as a sentence. */
export function promiseOf(channel, question) {
  const kind = protection(channel, question);
  if (kind === "clear") return say("Asked in the clear: your answer is sent as it is. It cannot be denied.");
  if (kind === "interval")
    return say("Only the interval you choose is sent, as it is. That interval cannot be denied.");
  if (kind === "fixed")
    return say("Not disguised: what is sent follows from your answer and gives it away. It cannot be denied.");
  return lotteryPromise(channel, question);
}

function lotteryPromise(channel, question) {
  const chances = new Map();
  const shares = sharesOf(channel.thresholds);
  channel.lottery.forEach((instruction, index) => {
    if (shares[index] === 0) return;
    const words = doneWords(channel, instruction, question);
    chances.set(words, (chances.get(words) ?? 0) + shares[index]);
  });
  const parts = [...chances].map(([words, share], index) => {
    if (chances.size === 1) return words;
    return chances.size === 2 && index === 1
      ? say("otherwise ({chance}) {what}", { chance: percent(share), what: words })
      : say("with chance {chance} {what}", { chance: percent(share), what: words });
  });
  const what = clauses(parts);
  return sentence(channel.byRespondent ? say("you draw yourself: {what}", { what }) : what);
}

/** What an instruction does to a question, or asks of respondents who draw by themselves, as part of a sentence. */
export function doneWords(channel, instruction, question) {
  const harmless = isHarmless(channel, instruction, question);
  const kind = kindOf(instruction);
  if (channel.byRespondent)
    return harmless
      ? say("report your answer to {question}", { question: quoted(channel.personal.get(question.name)) })
      : kind.asks(instruction, question);
  return harmless ? say("your answer to the harmless question is sent") : kind.does(instruction, question);
}

/** Words as a sentence. */
export function sentence(words) {
  return `${words[0].toUpperCase()}${words.slice(1)}.`;
}

/** What the lottery of a group has picked, in a few words, for one question. */
export function instructionWords(channel, instruction, question) {
  if (isHarmless(channel, instruction, question)) return say("your answer to the harmless question");
  const open = protection(channel, question) !== "lottery";
  return open ? say("nothing: what is sent follows from your answer") : kindOf(instruction).inWords(instruction, question);
}

/** The same for the whole group. */
export function groupWords(channel, instruction) {
  return listed([...new Set(channel.group.map((question) => instructionWords(channel, instruction, question)))]);
}

/** What is said where a question shares its draw with others. */
export function togetherWords(channel, question) {
  const others = channel.group.filter((each) => each !== question).map(({ wording }) => wording);
  if (!others.length || channel.lottery.length < 2 || !isDrawn(channel)) return null;
  return say("One draw decides for this question and {questions} together.", { questions: quoted(...others) });
}

/** The promise as a whole, line by line, with figures that were worked out from the design itself. */
export function promiseLines(design, figures) {
  const versions = versionLines(design);
  if (!disguisesAny(design)) {
    return [
      ...versions,
      versions.length
        ? say("Nothing is disguised in your version: each question says what is sent, and that cannot be denied.")
        : say("Nothing is disguised in this survey: each question says what is sent, and that cannot be denied."),
    ];
  }
  const exposed = design.questions.filter(({ name }) => figures.questions.get(name).exposed);
  return [
    ...versions,
    ...drawingLines(design),
    ...(exposed.length ? exposedLines(exposed, figures) : [epsilonWords(figures)]),
    design.channels.every(({ counts }) => counts)
      ? say("Nothing hides that you took part.")
      : say("The lottery protects your answers. It does not hide that you took part."),
  ].filter(Boolean);
}

/** Which questions make epsilon infinite, and what is left for the others. */
function exposedLines(exposed, { rest, questions: figures }) {
  const questions = quoted(...exposed.map(({ wording }) => wording));
  const names = new Set(exposed.map(({ name }) => name));
  const apart = [...figures].every(([name, { answer }]) => names.has(name) || answer < Infinity); // else a condition links them
  return [
    say("Epsilon is infinite, since what is sent about these can give the answer away, as each of them explains: {questions}.", { questions }),
    apart ? restWords(rest) : null,
  ];
}

/** Who draws, for which questions, and what becomes of the others. */
function drawingLines(design) {
  const all = (wanted) => design.channels.every((channel) => channel.group.every((each) => wanted(channel, each)));
  const byHand = design.channels.some((channel) => channel.byRespondent && !channel.counts);
  const counted = design.channels.some((channel) => channel.counts);
  const others = all((channel, question) => channel.byRespondent || protection(channel, question) === "lottery")
    ? ""
    : ` ${say("The other questions say what is sent, and that cannot be denied.")}`;
  const here = all((channel, question) => drawsHere(channel) && protection(channel, question) === "lottery");
  return [
    drawsAny(design) ? `${lotteryWords(here)}${byHand ? "" : others}` : null,
    counted
      ? say(
          "Where a list of statements is shown, you report only how many of them hold for you, and that is sent exactly as " +
            "you pick it. Which ones hold is not asked, and this device is not told.",
        )
      : null,
    byHand ? `${byHandWords(design)}${others}` : null,
    [
      byHand || drawsAny(design) ? say("What the lottery tells you is not sent.") : "",
      byHand
        ? say(
            "Still the shares of all respondents together can be estimated, if people follow it, and what can be denied " +
              "rests on that.",
          )
        : say("Still the shares of all respondents together can be estimated."),
    ]
      .filter(Boolean)
      .join(" "),
  ];
}

/** What a lottery on the device does: to all questions, or to those that are marked. */
function lotteryWords(all) {
  return all
    ? say(
        "A lottery on this device decides what is sent about each question, and nothing else about it is sent. It may be " +
          "your true answer: each question says what is sent, and how often.",
      )
    : say(
        "A lottery on this device decides what is sent about the questions that are marked “Disguised” or “Hardly " +
          "disguised”. It may be your true answer: each of them says what is sent, and how often.",
      );
}

/** What respondents who draw by themselves do. */
function byHandWords(design) {
  const which = design.channels.every((channel) => channel.byRespondent && !channel.counts)
    ? say("You draw the lottery yourself, and pick what it tells you to report.")
    : say(
        "For the questions that are marked “You draw”, you draw the lottery yourself, and pick what it tells you to report.",
      );
  const sent = say(
    "What you pick is sent exactly as you pick it. Only you know what came up: this device is not told whether what you " +
      "pick is true.",
  );
  return `${which} ${sent}`;
}
