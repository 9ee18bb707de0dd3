/**
 * The pass of an invited respondent: the reply's random id, signed by the survey's issuer, who has not seen it.
 *
 * The page trades the invitation for the signature before it asks anything. The id and the blinding factor are kept
 * on the device before the issuer is asked, so that a lost answer can be asked for again; the factor and the invitation
 * are forgotten as soon as the signature is there, and the whole pass when the reply has arrived.
 */

import { blind, bytesOf, finalize } from "./blind.js";
import { announce, button, element, showStep } from "./element.js";
import { say, secondsWords } from "./language.js";
import { randomId } from "./randomness.js";
import { posted } from "./send.js";

function refusalWords(status) {
  if (status === 403)
    return say("The survey does not know this invitation, or it was used before, perhaps on another device.");
  if (status === 404) return say("The survey is not at this address any more.");
  return status === 410 ? say("The survey is not open.") : say("The survey did not take the invitation.");
}

/** Whether an invitation has still to be traded before a reply can be sent. */
export function lacksPass({ design }, drawer) {
  return design.issuer !== null && !drawer.pass?.signature;
}

/**
 * Trade the invitation in a drawer for a signature on an id: { traded } or { refused: why } or { later: seconds }.
 *
 * Where no reply has an id yet, one is drawn here.
 */
export async function trade({ base, design }, drawer, round, id = null) {
  const { invitation } = drawer;
  if (!invitation)
    return {
      refused: say("This survey can be answered by invitation only. Please open it with the link that you were sent."),
    };
  const modulus = round === "reply" ? design.issuer.reply : design.issuer.follow_up;
  const pass = await drawer.alone(async () => {
    const kept = drawer.pass;
    if (kept !== null && (id === null || kept.id === id)) return kept;
    const name = id ?? randomId();
    const made = { id: name, ...(await blind(modulus, bytesOf(name))) };
    drawer.pass = made;
    return made;
  });
  if (pass.signature) return { traded: true };
  const asked = JSON.stringify({ invitation, round, blinded: pass.blinded });
  const answer = await posted(`${base}/signatures`, asked);
  if (answer.later !== undefined) return answer;
  if (!answer.ok) return { refused: refusalWords(answer.status) };
  const signature = await finalize(modulus, pass, (await answer.json()).signature);
  if (signature === null)
    return {
      refused: say("The survey’s signature does not fit the published key. Nothing was asked, nothing is sent."),
    };
  drawer.pass = { id: pass.id, prepared: pass.prepared, signature };
  drawer.invitation = null;
  return { traded: true };
}

/** Whether an invitation has still to be looked at before anything is asked: where it is traded later, or never. */
function isUnseen({ drawer, expected }) {
  return Boolean(drawer.invitation) && drawer.invitation !== expected;
}

/** Whether the invitation must be shown to the survey before the questions. */
export function mustShowInvitation(page) {
  if (page.alone) return false;
  return tradesFirst(page) ? lacksPass(page, page.drawer) : isUnseen(page);
}

/** Not on shared devices, which lose what they have traded when somebody reloads the page. */
function tradesFirst({ design, kiosk }) {
  return design.issuer !== null && !kiosk;
}

/** Ask whether an invitation is known and not spent: { traded } or { refused: why } or { later: seconds }. */
async function look(page) {
  const { invitation } = page.drawer;
  const answer = await posted(`${page.base}/invitations`, "", { Invitation: invitation });
  if (answer.later !== undefined) return answer;
  if (!answer.ok) return { refused: refusalWords(answer.status) };
  page.expected = invitation;
  return { traded: true };
}

/** Trade until that is done or refused; `waiting(seconds)` is told before each pause. */
export function tradeUntilDone(page, drawer, round, id, waiting) {
  return untilDone(() => trade(page, drawer, round, id), waiting);
}

async function untilDone(attempt, waiting) {
  for (let pause = 1; ; pause = Math.min(2 * pause, 60)) {
    const outcome = await attempt().catch(() => ({ later: 0 }));
    if (outcome.later === undefined) return outcome;
    const seconds = Math.max(pause, Math.min(outcome.later, 3600));
    waiting(seconds);
    await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  }
}

/** The step before the questions: the invitation is traded or looked at, and the page goes on, or says why not. */
export async function showInvitation(page) {
  const state = element("p", { class: "line", role: "status" }, say("Checking your invitation …"));
  showStep(say("Your invitation"), state);
  const waiting = (seconds) => {
    state.textContent = say("The survey cannot be reached now. Your invitation is tried again in {time}.", {
      time: secondsWords(seconds),
    });
  };
  const attempt = tradesFirst(page) ? () => trade(page, page.drawer, "reply") : () => look(page);
  const outcome = await untilDone(attempt, waiting);
  if (outcome.traded) return page.render();
  state.textContent = outcome.refused;
  state.className = "line refused";
  state.after(element("div", { class: "actions" }, button(say("Try again"), () => page.render())));
  return announce(outcome.refused);
}
