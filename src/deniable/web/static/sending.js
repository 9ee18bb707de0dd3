/**
 * From the draw to the receipt: what will be sent, and the sending itself.
 *
 * What chance did is shown before sending only where the design says so (`show_draw`): people who see that their own answer
 * will be sent may leave, and then those who stay are no fair sample. The exact bytes stand behind the experts' link.
 */

import { channelOf } from "./design.js";
import { announce, button, element, showStep, table } from "./element.js";
import { invitationIn } from "./invitation.js";
import { say, secondsWords } from "./language.js";
import { drawsAny } from "./lottery.js";
import { experts, showPromise } from "./notes.js";
import { lacksPass, tradeUntilDone } from "./pass.js";
import { plainOf } from "./plain.js";
import { exactly, fullPreview, sentPreview, withRest } from "./preview.js";
import { contradicts, remember } from "./remembered.js";
import { sendUntilArrived } from "./send.js";
import { ticket } from "./ticket.js";
import { settleVersions } from "./versions.js";
import { waitChoice, waitIfChosen } from "./waiting.js";
import { isolated } from "./words.js";

/** Show that the reply is ready; `drawn` has the answers and what was drawn, while they are still in memory. */
export function showReady(page, bytes, drawn = null) {
  const { design } = page;
  const once = drawsAny(design)
    ? say("Chance has decided now, once and for all.")
    : say("You have answered everything.");
  const waits = page.kiosk
    ? say("Nothing has been sent yet.")
    : say("Nothing has been sent yet. If you close this page, your reply waits on this device until you come back, and what you answered is forgotten.");
  showPromise(page, false);
  showStep(
    say("Ready to send"),
    element("p", {}, `${once} ${waits}`),
    ...(design.showDraw || !drawsAny(design) ? whatWillBeSent(page, bytes, drawn) : whatCanBeSent(page)),
    experts(exactly(bytes)),
    sendActions(page, bytes),
  );
  announce(say("Ready to send"));
}

/** What will be sent, first and in few words; what chance did folds out. */
function whatWillBeSent(page, bytes, drawn) {
  const { design } = page;
  if (drawn === null || !drawsAny(design)) return [sentPreview(page, bytes)];
  const { answers, outcomes } = drawn;
  const tickets = design.channels.flatMap((channel, index) =>
    channel.byRespondent ? [] : [ticket(channel, outcomes[index], answers)],
  );
  return [
    fullPreview(design, answers, bytes),
    element(
      "details",
      { class: "draws" },
      element("summary", {}, say("What chance did")),
      element("div", { class: "tickets" }, tickets),
    ),
  ];
}

/** What was asked, and what can be sent about it: nothing of what was drawn. */
function whatCanBeSent({ design, figures }) {
  const rows = design.questions.map((question) => [
    isolated(question.wording),
    plainOf(channelOf(design, question), question, figures.questions.get(question.name)),
  ]);
  return [
    element("p", {}, say("You will see what was sent once it has arrived. If people saw it before and quit because of it, results would be wrong.")),
    element(
      "details",
      {},
      element("summary", {}, say("What chance can do to each answer")),
      withRest(design, table(say("This holds whatever you answered."), [say("Question"), say("What can be sent")], rows)),
    ),
  ];
}

function sendActions(page, bytes) {
  const asked = page.alone ? invitationField(page.drawer) : null;
  const wait = waitChoice(page);
  const start = () => {
    if (asked && !asked.keep()) return;
    page.waits = wait?.chosen() ?? false;
    if (contradicts(page, bytes)) return askAgain(page);
    page.drawer.send();
    remember(page, bytes);
    page.render();
  };
  const actions = [button(say("Send"), start, "main")];
  if (page.alone) actions.push(button(say("Save as a file instead"), () => save(bytes), "quiet"));
  return element("div", {}, asked?.box, wait?.box, element("div", { class: "actions" }, actions));
}

/** Something else was sent to the same question meanwhile: this reply is forgotten, and what was sent goes again. */
async function askAgain(page) {
  page.drawer.drop();
  await settleVersions(page);
  page.render();
  announce(say("The same was sent from another tab meanwhile. Nothing was sent from here."));
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
  input.addEventListener("input", () => {
    fault.textContent = "";
    input.setAttribute("aria-invalid", "false");
  });
  const keep = () => {
    const written = input.value.trim();
    const found = invitationIn(written);
    const sound = written === "" || found !== null;
    fault.textContent = sound ? "" : say("This is no invitation. Please paste the whole link that you were sent.");
    input.setAttribute("aria-invalid", String(!sound));
    if (sound) drawer.invitation = found;
    else input.focus();
    return sound;
  };
  const label = element("label", { for: "invitation" }, say("Invitation, or its link, if you were sent one"));
  return { box: element("div", { class: "invitation" }, label, input, fault), keep };
}

function save(bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  element("a", { href: url, download: "reply.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/**
 * Send what waits in a drawer; where the survey signs for invited people, its pass is fetched first, if it lacks.
 *
 * `waiting(seconds)` is told before each new attempt, `tell(words)` what else happens.
 */
export async function passAndSend(page, drawer, round, waiting, tell) {
  if (drawer.bytes !== null && lacksPass(page, drawer)) {
    const { id } = JSON.parse(drawer.bytes);
    const traded = await tradeUntilDone(page, drawer, round, id, waiting);
    if (traded.refused) return traded;
  }
  await waitIfChosen(page, tell);
  const [door, model] = round === "reply" ? ["replies", page.status.model] : ["follow-ups", null];
  return sendUntilArrived(`${page.base}/${door}`, drawer, waiting, model);
}

/**
 * Send what the respondent has asked to send, until it is acknowledged or refused.
 *
 * Where the page is shown anew meanwhile, in another language, sending goes on and is told of there.
 */
export async function sendNow(page) {
  const { drawer } = page;
  const { bytes } = drawer;
  const state = element("p", { class: "line", role: "status" }, say("Sending …"));
  page.tell = (words) => {
    state.textContent = words;
  };
  const head = showStep(say("Sending"), state, experts(exactly(bytes)));
  const waiting = (seconds) => {
    page.tell(
      say(
        "The survey cannot be reached now. It is tried again in {time}, or as soon as you are online. " +
          "You may also close this page and come back later.",
        { time: secondsWords(seconds) },
      ),
    );
  };
  const { tell } = page;
  page.underway ??= passAndSend(page, drawer, "reply", waiting, (words) => page.tell(words)).finally(() => {
    page.underway = null;
  });
  const outcome = await page.underway;
  if (page.tell !== tell) return undefined;
  if (outcome.arrived) {
    page.sent = bytes; // shown once, on the receipt
    return page.render();
  }
  drawer.refused();
  head.textContent = say("Your reply was not taken");
  state.textContent = outcome.refused;
  state.className = "line refused";
  state.after(
    element(
      "div",
      { class: "actions" },
      button(say("Try again"), () => page.render()),
      page.alone ? button(say("Save as a file instead"), () => save(bytes), "quiet") : null,
    ),
  );
}
