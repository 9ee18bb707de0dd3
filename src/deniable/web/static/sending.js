/**
 * From the lottery to the receipt: what was drawn, what will be sent, and the sending itself.
 */

import { announce, button, element, showStep } from "./element.js";
import { invitationIn } from "./invitation.js";
import { drawsAny } from "./lottery.js";
import { showPromise } from "./notes.js";
import { lacksPass, tradeUntilDone } from "./pass.js";
import { exactly, fullPreview, sentPreview } from "./preview.js";
import { contradicts, remember } from "./remembered.js";
import { sendUntilArrived } from "./send.js";
import { ticket } from "./ticket.js";
import { settleVersions } from "./versions.js";

/** Show the lottery as it was drawn, beside what was answered; true answers are forgotten with this step. */
export function showDrawn(page, answers, outcomes, bytes) {
  const { channels } = page.design;
  const tickets = channels.flatMap((channel, index) =>
    channel.byRespondent ? [] : [ticket(channel, outcomes[index], answers)],
  );
  const drawn = drawsAny(page.design);
  showPromise(page, false);
  showStep(
    drawn ? "The lottery was drawn" : "Your reply is ready",
    drawn ? element("p", {}, "This happened on your device, once. Reloading does not draw again.") : null,
    element("div", { class: "tickets" }, tickets),
    element("h3", {}, "What will be sent"),
    tickets.length ? fullPreview(page.design, answers, outcomes, bytes) : sentPreview(page.design, bytes),
    exactly(bytes),
    sendActions(page, bytes),
  );
  announce(`${drawn ? "The lottery was drawn. " : ""}See what will be sent, then send it.`);
}

/** Show a reply that was made before; true answers that were disguised are gone. */
export function showStored(page) {
  const { bytes } = page.drawer;
  const disguised = drawsAny(page.design);
  showStep(
    disguised ? "Your disguised reply is ready" : "Your reply is ready",
    element(
      "p",
      {},
      disguised
        ? "Your answers were disguised on this device before, and only once. Nothing but what will be sent was kept."
        : "You answered on this device before. Nothing but what will be sent was kept.",
    ),
    sentPreview(page.design, bytes),
    exactly(bytes),
    sendActions(page, bytes),
  );
}

function sendActions(page, bytes) {
  const asked = page.alone ? invitationField(page.drawer) : null;
  const start = () => {
    if (asked && !asked.keep()) return;
    if (contradicts(page, bytes)) return askAgain(page);
    page.drawer.send();
    remember(page, bytes);
    page.render();
  };
  const actions = [button("Send", start, "main")];
  if (page.alone) actions.push(button("Save as a file instead", () => save(bytes), "quiet"));
  return element("div", {}, asked?.box, element("div", { class: "actions" }, actions));
}

/** Something else was sent to the same question meanwhile: this reply is forgotten, and what was sent goes again. */
async function askAgain(page) {
  page.drawer.drop();
  await settleVersions(page);
  page.render();
  announce("The same was sent from another tab meanwhile. Nothing was sent from here.");
}

/** Where one may paste an invitation, or its link; `keep()` keeps it, or complains and gives false. */
function invitationField(drawer) {
  const input = element("input", {
    id: "invitation",
    autocomplete: "off",
    type: "text",
    "aria-describedby": "invitation-fault",
  });
  const fault = element("p", { id: "invitation-fault", class: "fault", role: "alert" });
  input.value = drawer.invitation ?? "";
  const keep = () => {
    const written = input.value.trim();
    const found = invitationIn(written);
    const sound = written === "" || found !== null;
    fault.textContent = sound ? "" : "This is no invitation. Please paste the whole link that you were sent.";
    input.setAttribute("aria-invalid", String(!sound));
    if (sound) drawer.invitation = found;
    else input.focus();
    return sound;
  };
  const label = element("label", { for: "invitation" }, "Invitation, or its link, if you were sent one");
  return { box: element("div", { class: "invitation" }, label, input, fault), keep };
}

function save(bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  element("a", { href: url, download: "reply.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** Send what waits in a drawer; where the survey signs for invited people, its pass is fetched first, if it lacks. */
export async function passAndSend(page, drawer, round, waiting) {
  if (drawer.bytes !== null && lacksPass(page, drawer)) {
    const { id } = JSON.parse(drawer.bytes);
    const traded = await tradeUntilDone(page, drawer, round, id, waiting);
    if (traded.refused) return traded;
  }
  const [door, model] = round === "reply" ? ["replies", page.status.model] : ["follow-ups", null];
  return sendUntilArrived(`${page.base}/${door}`, drawer, waiting, model);
}

/** Send what the respondent has asked to send, until it is acknowledged or refused. */
export async function sendNow(page) {
  const { drawer } = page;
  const { bytes } = drawer;
  const state = element("p", { class: "line", role: "status" }, "Sending …");
  const head = showStep("Sending", state, sentPreview(page.design, bytes), exactly(bytes));
  const waiting = (seconds) => {
    state.textContent =
      `The survey cannot be reached now. The same bytes will be sent again in ${seconds} seconds, ` +
      "or as soon as you are online. " +
      "You may also close this page and come back later.";
  };
  const outcome = await passAndSend(page, drawer, "reply", waiting);
  if (outcome.arrived) return page.render();
  drawer.refused();
  head.textContent = "Your reply was not taken";
  state.textContent = outcome.refused;
  state.className = "line refused";
  state.after(
    element(
      "div",
      { class: "actions" },
      button("Try again", () => page.render()),
      page.alone ? button("Save as a file instead", () => save(bytes), "quiet") : null,
    ),
  );
}
