/**
 * From the lottery to the receipt: what was drawn, what will be sent, and the sending itself.
 */

import { announce, button, element, showStep } from "./element.js";
import { showPromise } from "./notes.js";
import { exactly, fullPreview, sentPreview } from "./preview.js";
import { sendUntilArrived } from "./send.js";
import { ticket } from "./ticket.js";

/** Show the lottery as it was drawn, beside what was answered; true answers are forgotten with this step. */
export function showDrawn(page, answers, outcomes, bytes) {
  const tickets = page.design.channels.map((channel, place) => ticket(channel, outcomes[place], answers));
  page.forget();
  page.forget = () => [answers.true, answers.personal].forEach((each) => each.clear());
  showPromise(page, false);
  showStep(
    "The lottery was drawn",
    element("p", {}, "This happened on your device, once. Reloading does not draw again."),
    element("div", { class: "tickets" }, tickets),
    element("h3", {}, "What will be sent"),
    fullPreview(page.design, answers, outcomes, bytes),
    exactly(bytes),
    sendActions(page, bytes),
  );
  announce("The lottery was drawn. See what will be sent, then send it.");
}

/** Show a reply that was disguised before; the true answers are gone. */
export function showStored(page) {
  const { bytes } = page.drawer;
  showStep(
    "Your disguised reply is ready",
    element(
      "p",
      {},
      "Your answers were disguised on this device before, and only once. What you truly answered was not kept.",
    ),
    sentPreview(page.design, bytes),
    exactly(bytes),
    sendActions(page, bytes),
  );
}

function sendActions(page, bytes) {
  const start = () => {
    if (page.token) page.drawer.invitation = page.token.value.trim();
    page.drawer.send();
    page.render();
  };
  const actions = [button("Send", start, "main")];
  page.token = page.alone ? element("input", { id: "token", autocomplete: "off", type: "text" }) : null;
  if (page.alone) page.token.value = page.drawer.invitation ?? "";
  if (page.alone) actions.push(button("Save as a file instead", () => save(bytes), "quiet"));
  return element(
    "div",
    {},
    page.token
      ? element("p", {}, element("label", { for: "token" }, "Invitation, if you were sent one"), page.token)
      : null,
    element("div", { class: "actions" }, actions),
  );
}

function save(bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  element("a", { href: url, download: "reply.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Send what the respondent has asked to send, until it is acknowledged or refused. */
export async function sendNow(page) {
  const { drawer } = page;
  const { bytes } = drawer;
  const state = element("p", { class: "told", role: "status" }, "Sending …");
  const head = showStep("Sending", state, sentPreview(page.design, bytes), exactly(bytes));
  const waiting = (seconds) => {
    state.textContent =
      `The survey cannot be reached now. The same bytes will be sent again in ${seconds} seconds, ` +
      "or as soon as you are online. " +
      "You may also close this page and come back later.";
  };
  const outcome = await sendUntilArrived(`${page.base}/replies`, drawer, waiting);
  if (outcome.arrived) return page.render();
  drawer.refused();
  head.textContent = "Your reply was not taken";
  state.textContent = outcome.refused;
  state.className = "told refused";
  state.after(
    element(
      "div",
      { class: "actions" },
      button("Try again", () => page.render()),
      page.alone ? button("Save as a file instead", () => save(bytes), "quiet") : null,
    ),
  );
}
