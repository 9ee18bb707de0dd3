/**
 * The second round: one digit, kept before it is shown, shown before it is sent.
 */

import { button, element, showStep } from "./element.js";
import { exactly } from "./preview.js";
import { randomId } from "./randomness.js";
import { followUpBytes } from "./reply.js";
import { sendUntilArrived } from "./send.js";

/** Show whether the model was right, and send that (0 or 1) if the respondent says so. */
export async function secondRound(page, second, right, done) {
  const bytes = await second.keep(() => followUpBytes(randomId(), page.fingerprint, page.status.model, right));
  if (bytes === null) return done();
  const { correct } = JSON.parse(bytes);
  const state = element("p", { class: "told", role: "status" }, `What will be sent: ${correct}`);
  const send = async () => {
    sender.disabled = true;
    if (page.invitation) second.invitation = page.invitation;
    const outcome = await sendUntilArrived(`${page.base}/follow-ups`, second, (seconds) => {
      state.textContent = `Not reached; the same bytes go again in ${seconds} seconds.`;
    });
    return outcome.arrived ? done() : (state.textContent = outcome.refused);
  };
  const sender = button("Send", send, "main");
  return showStep(
    "The second round",
    element(
      "p",
      {},
      correct ? "The model was right about your harmless answers." : "The model was wrong about your harmless answers.",
    ),
    state,
    exactly(bytes),
    element("div", { class: "actions" }, sender, button("Not now", done, "quiet")),
  );
}
