/**
 * The second round: one digit, disguised once, kept before it is shown, shown before it is sent.
 */

import { modelForm, targetOf } from "./asked.js";
import { drawDigit, isRight } from "./digit.js";
import { sumWords } from "./denial.js";
import { wholeEpsilon } from "./deniability.js";
import { announce, button, element, showStep, table } from "./element.js";
import { notesOf, showPromise } from "./notes.js";
import { exactly } from "./preview.js";
import { instructionWords } from "./promise.js";
import { randomId, secureDraws } from "./randomness.js";
import { followUpBytes } from "./reply.js";
import { passAndSend } from "./sending.js";
import { ticket } from "./ticket.js";
import { isolated } from "./words.js";

/** The second round: what the model uses and what it predicts, asked here; `confirm(right)` goes on with the digit. */
export function followUp(page, confirm) {
  const { design, model, round } = page;
  const form = modelForm(design, model, "follow", [targetOf(design, model)]);
  const compute = () => {
    const answers = form.read();
    if (!answers) return announce("Some questions still need an answer.");
    const right = isRight(model, answers);
    answers.clear();
    form.clear();
    return confirm(right);
  };
  const box = element(
    "details",
    { class: "mirror" },
    element("summary", {}, "Second round: was the model right about you?"),
    element(
      "p",
      {},
      "The collector asks for help to test the published model. Answer what the model uses, and last what it guesses. " +
        "Your device works out whether the guess is right: 1 if it is, 0 if not. A lottery then disguises that digit. " +
        "Only the digit that the lottery leaves will be sent, after you have seen it. What you answer here is neither " +
        "sent nor kept.",
    ),
    element("p", { class: "wording" }, isolated(round.question.wording)),
    notesOf(round)(round.channel, round.question),
    element("p", {}, sumWords(wholeEpsilon(design), round.figures.epsilon)),
    element("p", {}, "You need not take part. This device draws and sends one digit in this survey, and no other."),
    form.boxes,
    element("div", { class: "actions" }, button("Draw the digit", compute)),
  );
  return { box, clear: form.clear };
}

/** A digit that was drawn before waits to be sent; the answers behind it are gone. */
export function waitingRound(see) {
  const box = element(
    "section",
    { class: "mirror" },
    element("p", {}, "The second round: its digit was drawn before, and has not been received yet."),
    element("div", { class: "actions" }, button("See it", see)),
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
  const state = element("p", { class: "line", role: "status" }, `What will be sent: ${JSON.parse(bytes).reported}`);
  const send = async () => {
    sender.disabled = true;
    second.send();
    second.invitation = page.invitation ?? page.drawer.invitation ?? second.invitation;
    const outcome = await passAndSend(page, second, "follow-up", (seconds) => {
      state.textContent = `Not reached; the same bytes go again in ${seconds} seconds.`;
    });
    if (outcome.arrived) return done();
    second.refused();
    state.textContent = outcome.refused;
    state.className = "line refused";
  };
  const sender = button("Send", send, "main");
  showPromise(page, false);
  showStep(
    "The second round",
    element("p", {}, "The digit was drawn on your device, once. Reloading does not draw again."),
    drawn && howDrawn(page.round, drawn),
    state,
    exactly(bytes),
    element("div", { class: "actions" }, sender, button("Not now", done, "quiet")),
  );
  announce("The digit was drawn. See what will be sent, then send it.");
}

/** The lottery as it was drawn, beside what was worked out. */
function howDrawn({ channel, question }, { answers, outcome, reported }) {
  const words = (cell) => `${cell} (${isolated(question.answers[cell])})`;
  const row = [
    isolated(question.wording),
    words(answers.true.get(question.name)),
    instructionWords(channel, channel.lottery[outcome.instruction], question),
    element("strong", {}, words(reported)),
  ];
  const heads = ["Question", "Worked out here", "The lottery said", "Will be sent"];
  return element(
    "div",
    {},
    ticket(channel, outcome, answers),
    table("Only what stands at “Will be sent” leaves this device.", heads, [row]),
  );
}
