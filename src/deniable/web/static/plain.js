/**
 * What becomes of answers, in plain words and round numbers.
 *
 * A report changes the odds of two answers by a ratio R at most. So if all k answers are as common, at most R / (R + k - 1)
 * of those who send it would truly say so: the share of 100 people that is shown, rounded up, never better than the truth.
 */

import { isWeak, lowered } from "./denial.js";
import { channelOf } from "./design.js";
import { digits, say } from "./language.js";
import { disguisesAny, drawsAny, protection } from "./lottery.js";
import { chanceLine, oftenWords } from "./often.js";
import { quoted } from "./words.js";

const CLOSE = 1e-5; // of a person: chances are whole numbers out of 2^32
const FEW = 2; // questions that are named

/** Of 100 people who send the same report: how many would truly say so, at most. */
export function truly(question, { answer }) {
  if (answer === Infinity) return 100;
  const share = answer / (answer + question.answers.length - 1);
  return Math.min(100, Math.ceil(100 * share - CLOSE));
}

/** What becomes of the answer to one question, in a sentence or two. */
export function plainOf(channel, question, figures) {
  const kind = protection(channel, question);
  if (kind === "clear") return say("Your answer is sent as you give it.");
  if (kind === "interval") return say("Only the range that you pick is sent, as you pick it.");
  if (kind === "fixed") return say("What is sent gives your answer away.");
  const seen = question.omit ? ` ${say("If you leave it out, that can be seen.")}` : "";
  return `${question.isNumber ? numberWords(figures) : answerWords(channel, question, figures)}${seen}`;
}

function numberWords({ width }) {
  if (width === null) return say("Your number is multiplied by chance before it is sent. Zero stays zero.");
  const reach = digits(lowered(width / 2, 2), { maximumSignificantDigits: 2 });
  return say("Chance adds something to your number or takes something off, mostly up to about {reach}. So what is sent is hardly ever your number, and may make no sense. Numbers far from it can be ruled out.", { reach });
}

function answerWords(channel, question, figures) {
  const some = truly(question, figures);
  if (channel.counts) return say("Only the number that you report is sent.");
  if (figures.whole === Infinity || figures.answer === Infinity)
    return channel.group.length > 1
      ? say("This is decided together with other questions. All of them together can give your answer away.")
      : say("Some of what can be sent gives your answer away.");
  if (isWeak(channel, question, figures))
    return say("Nearly everybody who sends what you send would truly say so.");
  const even = () => `${say("Suppose all answers are equally common.")} ${evenWords(question, figures, some)}`;
  const words = [
    question.askIf ? otherwiseWords(question) : null,
    oftenWords(channel, question, figures.clearest) ?? even(),
    figures.linked ? linkedWords(figures.linked) : null,
  ];
  return words.filter(Boolean).join(" ");
}

/** What is sent for those who are not asked a question. */
function otherwiseWords({ shown, otherwise }) {
  return say("Every device sends an answer here. If you are not asked, yours answers {answer}, and chance may change that, too.", {
    answer: quoted(shown[otherwise]),
  });
}

/** That what is sent about questions that a condition links with this one is evidence of it, too. */
function linkedWords(linked) {
  if (linked.length > FEW) return say("What is sent about other questions hints at it, too, but proves nothing.");
  const questions = quoted(...linked.map(({ wording }) => wording));
  return linked.every(({ askIf }) => askIf)
    ? say("Some people are also asked {questions}. Every device sends something there. That hints at this answer, too, but proves nothing.", { questions })
    : say("What is sent about {questions} hints at it, too, but proves nothing.", { questions });
}

/** What a report tells, if all answers are equally common: where no words for what chance does are as short. */
function evenWords(question, figures, some) {
  const words = { some, others: 100 - some };
  if (some === 100) return say("Of 100 people who send the same, hardly one would truly say something else.");
  const report = figures.clearest;
  if (figures.linked)
    return say("Of 100 people whose replies say the same, at least {others} would truly say something else.", words);
  if (report === null)
    return say("Of 100 people whose replies say the same, about {others} would truly say something else. Nobody can tell which ones.", words);
  if (question.answers.length > 2)
    return say(
      "Of 100 people who send {report}, about {others} would truly say something else. Nobody can tell which ones.",
      { ...words, report: quoted(question.shown[report]) },
    );
  return say("Of 100 people who send {report}, about {others} would truly say {other}. Nobody can tell which ones.", {
    ...words,
    report: quoted(question.shown[report]),
    other: quoted(question.shown[1 - report]),
  });
}

// ---------------------------------------------------------------- the survey as a whole

/** How a question is treated: "open", "weak", "hidden" by the device, or "own" where respondents draw. */
function treatment(design, figures, question) {
  const channel = channelOf(design, question);
  if (protection(channel, question) !== "lottery") return "open";
  if (isWeak(channel, question, figures.questions.get(question.name))) return "weak";
  return channel.byRespondent ? "own" : "hidden";
}

/** What happens, in three short lines. */
export function openingLines(design, figures) {
  const all = new Set(design.questions.map((question) => treatment(design, figures, question)));
  if (!disguisesAny(design))
    return [
      say("Your answers are sent as you give them."),
      say("Whoever gets your reply can read them."),
      say("You need not take part."),
    ];
  const first = drawsAny(design)
    ? chanceLine(design, (question) => treatment(design, figures, question) === "hidden")
    : say("You decide by chance what to report, and only you know what came up.");
  const mixed = all.has("open") || all.has("weak");
  const second = mixed
    ? say("Where it says “Disguised”, nobody can be sure what you truly answered. Elsewhere, read what is sent.")
    : say("So nobody can be sure what you truly answered.");
  const third = say("How often chance steps in is known. So its effect can be removed from the results for everyone, but not from a single reply. The effect of lies cannot.");
  return [first, second, third];
}

/** What somebody can guess who knows answers that share a draw, at worst; null where that is no more. */
export function knownWords(design, figures) {
  const found = design.questions.filter((question) => {
    const { answer, whole } = figures.questions.get(question.name);
    const hidden = ["hidden", "own"].includes(treatment(design, figures, question));
    return hidden && !question.isNumber && channelOf(design, question).group.length > 1 && whole > answer;
  });
  if (!found.length) return null;
  const most = Math.max(...found.map((each) => truly(each, { answer: figures.questions.get(each.name).whole })));
  return most === 100
    ? say("Somebody who knew some of your true answers could be nearly sure of those that chance decides together with them.")
    : say("Even somebody who knew all your other true answers would guess wrong in about {others} or more of 100 cases.", { others: 100 - most });
}

/** The disguised question that is hidden least, for the picture; null where there is none with answers. */
export function leastHidden(design, figures) {
  const found = design.questions.filter(
    (question) => !question.isNumber && ["hidden", "own"].includes(treatment(design, figures, question)) &&
      !channelOf(design, question).counts,
  );
  const shares = new Map(found.map((question) => [question, truly(question, figures.questions.get(question.name))]));
  return found.reduce((most, each) => (most === null || shares.get(each) > shares.get(most) ? each : most), null);
}

/** What the picture shows: how many of 100 people, of whom, and what is said of them and of the others. */
export function pictureWords(design, figures) {
  const question = leastHidden(design, figures);
  if (question === null) return null;
  const { clearest: report, linked, ...mine } = figures.questions.get(question.name);
  const some = truly(question, mine);
  const words = { some, others: 100 - some, report: quoted(question.shown[report ?? 1]) };
  const assumed = question.answers.length === 2
    ? say("Suppose half of all people would truly say {report}.", words)
    : say("Suppose all answers are equally common.");
  return {
    some,
    caption: [say("An example, not a result:"), quoted(question.wording), assumed, whoseWords(report !== null, linked, words)].join(" "),
    key: linked
      ? [say("At most {some} would truly say so.", words), say("At least {others} would not.", words)]
      : [say("About {some} would truly say so.", words), say("About {others} would not.", words)],
    after: say("Nobody can tell who is who."),
  };
}

/** The 100 people, by what they send: one report, or where several tell of an answer, whatever points to it most clearly. */
function whoseWords(sent, linked, words) {
  if (sent) return say("Take 100 people who send {report}.", words);
  if (!linked) return say("Take 100 people whose reply points most clearly to one answer.");
  const questions = quoted(...linked.map(({ wording }) => wording));
  return say("Take 100 people for whom this answer and what is sent about {questions} point the same way. This is the case that is hidden least.", { questions });
}
