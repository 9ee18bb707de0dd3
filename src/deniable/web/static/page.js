/**
 * The respondent's page: the promise, the questions, the lottery, the preview, the sending, the receipt.
 *
 * True answers live in the fields, and then in one variable until they are sent. They are wiped when the respondent
 * sends, leaves the page or comes back to it, and nothing but the disguised bytes is ever kept.
 */

import { announce, element, showStep } from "./element.js";
import { readAll, surveyFields } from "./form.js";
import { takeInvitation } from "./invitation.js";
import { checkBrowser, load } from "./load.js";
import { disguise, disguisesAny, ownWillDo, told } from "./lottery.js";
import { canFollowUp, followUp, mirror } from "./mirror.js";
import { notesOf, showPromise } from "./notes.js";
import { randomId, secureDraws } from "./randomness.js";
import { Drawer, replyBytes } from "./reply.js";
import { secondRound, waitingRound } from "./round.js";
import { today } from "./send.js";
import { sendNow, showDrawn, showStored } from "./sending.js";
import { askThrows, thrower } from "./throws.js";

// ---------------------------------------------------------------- the steps

/** Show what the device already has: a receipt, a disguised reply, or the questions. */
function render(page) {
  const { drawer, status } = page;
  page.forget();
  page.forget = () => {};
  showPromise(page, !drawer.receipt && !drawer.sending);
  if (drawer.receipt) return showReceipt(page);
  if (drawer.bytes !== null) return drawer.sending ? sendNow(page) : showStored(page);
  if (!status.open) return showClosed(page);
  if (lacksInvitation(page)) {
    return showStep(
      "By invitation",
      element(
        "p",
        {},
        "This survey can be answered by invitation only. Please open it with the link that you were sent.",
      ),
    );
  }
  return showQuestions(page);
}

function lacksInvitation({ drawer, status }) {
  return status.invitations && !drawer.invitation;
}

function showClosed({ status }) {
  const day = today();
  const words =
    status.opens && day < status.opens ? `It opens on ${status.opens}.` : "It does not take replies any more.";
  showStep("The survey is not open", element("p", {}, words));
}

function showQuestions(page) {
  const { design } = page;
  const { fields, boxes } = surveyFields(design, notesOf(page));
  const who = design.channels.some(ownWillDo) ? thrower(design) : null;
  const next = disguisesAny(design) ? "Disguise my answers" : "See what will be sent";
  const submit = element("button", { type: "submit", class: "main" }, next);
  const form = element(
    "form",
    {
      autocomplete: "off",
      novalidate: true,
      submit: (event) => {
        event.preventDefault();
        if (submit.disabled) return;
        submit.disabled = true;
        disguiseNow(page, fields, who?.read() ?? "device")
          .catch(showFailure)
          .finally(() => {
            submit.disabled = false;
          });
      },
    },
    boxes,
    who?.box,
    element("p", { class: "hint" }, "Look through your answers: after the next step they cannot be changed."),
    element("div", { class: "actions" }, submit),
  );
  page.forget = () => form.reset();
  showStep("The questions", form, ...models(page));
}

/** Draw the lottery, once; what comes out is kept before it is shown. */
async function disguiseNow(page, fields, thing) {
  const { design, drawer, fingerprint } = page;
  const answers = readAll(fields);
  if (!answers) return announce("Some questions still need an answer.");
  page.forget();
  page.forget = () => [answers.true, answers.personal].forEach((each) => each.clear());
  const own = new Map();
  if (thing !== "device") showPromise(page, false);
  for (const channel of thing === "device" ? [] : design.channels.filter(ownWillDo))
    own.set(channel, await askThrows(design, channel, thing));
  let outcomes = null;
  const bytes = await drawer.keep(() => {
    if (answers.true.size === 0) return null; // the respondent has left meanwhile
    outcomes = disguise(design, answers, secureDraws(), own);
    return replyBytes(randomId(), fingerprint, design, told(design, outcomes));
  });
  if (outcomes === null) return render(page);
  return showDrawn(page, answers, outcomes, bytes);
}

function showReceipt(page) {
  const { day } = page.drawer.receipt;
  const received = `Your ${disguisesAny(page.design) ? "disguised " : ""}reply was received`;
  showStep(
    "Thank you",
    element("p", { class: "receipt" }, element("strong", {}, received), ` on ${day}.`),
    element(
      "p",
      {},
      "Nothing of it stays on this device: neither what you answered nor what was sent, only this receipt.",
    ),
    ...models(page),
  );
  announce(`${received}.`);
}

/** The published model, where there is one, and the second round. */
function models(page) {
  if (!page.model) return [];
  const shown = [mirror(page)];
  if (page.drawer.receipt && canFollowUp(page.design, page.model)) shown.push(secondRoundOf(page));
  const forget = page.forget;
  page.forget = () => {
    forget();
    shown.forEach((each) => each.clear());
  };
  return shown.map((each) => each.box);
}

function secondRoundOf(page) {
  const second = new Drawer(page.fingerprint, `follow-up/${page.status.model}`);
  const line = (text) => ({ box: element("p", {}, text), clear: () => {} });
  if (second.receipt) return line(`The second round was received on ${second.receipt.day}.`);
  if (page.drawer.receipt.day >= today())
    return line(
      "There is a second round, from tomorrow on: not on the day of your reply, so that the two are harder to link.",
    );
  if (page.status.invitations && !page.invitation && !second.invitation)
    return line("There is a second round. Open the link of your invitation again to take part in it.");
  const show = (right) => secondRound(page, second, right, () => render(page));
  return second.bytes === null ? followUp(page, show) : waitingRound(() => show(null));
}

function showFailure(error) {
  document.getElementById("promise").replaceChildren();
  showStep("This survey cannot be shown", element("p", { class: "refused" }, error.message));
}

/** An invitation in the address is for this page; it may also come while the page is open. */
function acceptInvitation(page) {
  page.invitation = takeInvitation() ?? page.invitation;
  if (page.invitation && !page.drawer.receipt) page.drawer.invitation = page.invitation;
}

async function start() {
  checkBrowser();
  const page = { forget: () => {}, ...(await load()) };
  page.drawer = new Drawer(page.fingerprint);
  page.render = () => render(page);
  acceptInvitation(page);
  addEventListener("pagehide", () => {
    page.forget();
    document.getElementById("step").replaceChildren();
  });
  addEventListener("pageshow", (event) => event.persisted && render(page));
  addEventListener("hashchange", () => {
    const waiting = page.drawer.receipt || (page.drawer.bytes === null && lacksInvitation(page));
    acceptInvitation(page);
    if (waiting) render(page); // elsewhere what was answered stays on the page
  });
  addEventListener("storage", (event) => event.key === `${page.drawer.name}/receipt` && render(page));
  render(page);
}

start().catch(showFailure);
