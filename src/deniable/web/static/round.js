/**
 * The second round: one digit, disguised once, and kept before anything is shown of it.
 *
 * As with replies, what chance did is shown before sending only where the design says so (`show_draw`), and afterwards else.
 */

import { modelForm, targetOf } from "./asked.js";
import { drawDigit, isRight } from "./digit.js";
import { denialOf, sumWords } from "./denial.js";
import { wholeEpsilon } from "./deniability.js";
import { announce, button, element, showStep, table } from "./element.js";
import { say, secondsWords } from "./language.js";
import { experts, notesOf, showPromise } from "./notes.js";
import { exactly } from "./preview.js";
import { instructionWords, promiseOf } from "./promise.js";
import { randomId, secureDraws } from "./randomness.js";
import { followUpBytes } from "./reply.js";
import { passAndSend } from "./sending.js";
import { ticket } from "./ticket.js";
import { waitChoice } from "./waiting.js";
import { isolated } from "./words.js";

/** The second round: what the model uses and what it predicts, asked here; `confirm(right)` goes on with the digit. */
export function followUp(page, confirm) {
  const { design, model, round } = page;
  const form = modelForm(design, model, "follow", [targetOf(design, model)]);
  const compute = () => {
    const answers = form.read();
    if (!answers) return announce(say("Some questions still need an answer."));
    const right = isRight(model, answers);
    answers.clear();
    form.clear();
    return confirm(right);
  };
  const box = element(
    "details",
    { class: "mirror" },
    element("summary", {}, say("Second round: was the model right about you?")),
    element(
      "p",
      {},
      say(
        "You can help to test the model. Answer what it uses, and last what it guesses. Your device works out whether the " +
          "guess is right: 1 if it is, 0 if not. Chance then disguises that digit. Only the disguised digit will be sent. " +
          "What you answer here is neither sent nor kept.",
      ),
    ),
    element("p", { class: "wording" }, isolated(round.question.wording)),
    notesOf(round)(round.channel, round.question),
    experts(
      element("p", {}, promiseOf(round.channel, round.question)),
      element("p", {}, denialOf(round.channel, round.question, round.figures.questions.get(round.question.name))),
      element("p", {}, sumWords(wholeEpsilon(design), round.figures.epsilon)),
    ),
    element("p", {}, say("You need not take part. This device sends one digit in this survey, and no other.")),
    form.boxes,
    element("div", { class: "actions" }, button(say("Draw the digit"), compute)),
  );
  return { box, clear: form.clear };
}

/** A digit that was drawn before waits to be sent; the answers behind it are gone. */
export function waitingRound(see) {
  const box = element(
    "section",
    { class: "mirror" },
    element("p", {}, say("The second round: its digit was drawn before, and has not been received yet.")),
    element("div", { class: "actions" }, button(say("See it"), see)),
  );
  return { box, clear: () => {} };
}

/**
 * Show the disguised digit, and send it if the respondent says so.
 *
 * `right` (0 or 1) is disguised here unless a digit was drawn before, in this tab or another.
 */
export async function secondRound(page, second, right, done) {
  let drawn = null;
  const bytes = await second.keep(() => {
    if (right === null) return null;
    drawn = drawDigit(page.round, right, secureDraws());
    return followUpBytes(randomId(), page.fingerprint, page.status.model, drawn.reported);
  });
  if (bytes === null) return done();
  const { reported: digit } = JSON.parse(bytes);
  const shown = page.design.showDraw;
  const first = shown
    ? say("What will be sent: {digit}", { digit })
    : say("You will see what was sent once it has arrived. If people saw it before and quit because of it, results would be wrong.");
  const state = element("p", { class: "line", role: "status" }, first);
  const wait = waitChoice(page);
  const send = async () => {
    sender.disabled = true;
    page.waits = wait?.chosen() ?? false;
    second.send();
    second.invitation = page.invitation ?? page.drawer.invitation ?? second.invitation;
    const tell = (words) => (state.textContent = words);
    const waiting = (seconds) =>
      tell(say("The survey cannot be reached now. It is tried again in {time}.", { time: secondsWords(seconds) }));
    const outcome = await passAndSend(page, second, "follow-up", waiting, tell);
    if (outcome.arrived) {
      page.digit = digit; // shown once, where its arrival is told
      return done();
    }
    second.refused();
    state.textContent = outcome.refused;
    state.className = "line refused";
  };
  const sender = button(say("Send"), send, "main");
  showPromise(page, false);
  showStep(
    say("The second round"),
    element("p", {}, say("The digit was drawn on your device, once. Loading the page again changes nothing.")),
    drawn && shown && howDrawn(page.round, drawn),
    state,
    experts(drawn && !shown && howDrawn(page.round, drawn), exactly(bytes)),
    wait?.box,
    element("div", { class: "actions" }, sender, button(say("Not now"), done, "quiet")),
  );
  announce(
    shown
      ? say("The digit was drawn. See what will be sent, then send it.")
      : say("The digit was drawn. You will see it as soon as it has arrived."),
  );
}

/** The lottery as it was drawn, beside what was worked out. */
function howDrawn({ channel, question }, { answers, outcome, reported }) {
  const words = (cell) => `${cell} (${isolated(question.shown[cell])})`;
  const row = [
    isolated(question.wording),
    words(answers.true.get(question.name)),
    instructionWords(channel, channel.lottery[outcome.instruction], question),
    element("strong", {}, words(reported)),
  ];
  const heads = [say("Question"), say("Worked out here"), say("Chance picked"), say("Will be sent")];
  return element(
    "div",
    {},
    ticket(channel, outcome, answers),
    table(say("Only what stands at “Will be sent” leaves this device."), heads, [row]),
  );
}
