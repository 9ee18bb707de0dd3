/**
 * The respondent's page: the promise, the questions, the lottery, the preview, the sending, the receipt.
 *
 * True answers live in the fields and in one variable of one step. They are wiped when the respondent
 * sends, leaves the page or comes back to it, and nothing but the disguised bytes is ever kept.
 */

import { announce, button, element, showStep } from "./element.js";
import { readAll, surveyFields } from "./form.js";
import { checkBrowser, load, takeInvitation } from "./load.js";
import { disguise, ownWillDo, told } from "./lottery.js";
import { canFollowUp, followUp, mirror } from "./mirror.js";
import { exactly, fullPreview, sentPreview } from "./preview.js";
import { epsilonWords, promiseOf, togetherWords } from "./promise.js";
import { randomId, secureDraws } from "./randomness.js";
import { Drawer, replyBytes } from "./reply.js";
import { secondRound } from "./round.js";
import { sendUntilArrived, today } from "./send.js";
import { askThrows, thrower } from "./throws.js";
import { ticket } from "./ticket.js";

// ---------------------------------------------------------------- the steps

/** Show what the device already has: a receipt, a disguised reply, or the questions. */
function render(page) {
  const { drawer, status } = page;
  page.forget();
  if (drawer.receipt) return showReceipt(page);
  if (drawer.bytes !== null) return drawer.sending ? sendNow(page) : showStored(page);
  if (!status.open) return showClosed(page);
  if (status.invitations && !drawer.invitation) {
    return showStep("By invitation", element("p", {}, "This survey can be answered by invitation only. Please open it with the link that you were sent."));
  }
  return showQuestions(page);
}

function showClosed({ status }) {
  const day = today();
  const words = status.opens && day < status.opens ? `It opens on ${status.opens}.` : "It does not take replies any more.";
  showStep("The survey is not open", element("p", {}, words));
}

function promiseBox(page) {
  const { privacy } = page;
  const lines = [
    "Your answers stay in this browser. A lottery on this device disguises them, and only the disguised answers are sent.",
    "Nobody, not even the collector, learns what the lottery told you. Still the shares of all respondents together can be estimated.",
    epsilonWords(privacy.epsilon),
  ];
  if (privacy.epsilon === "infinity" && privacy.epsilon_disguised !== "infinity") {
    lines.push(`For the questions that are not asked in the clear: ${epsilonWords(privacy.epsilon_disguised)}`);
  }
  return element("section", { class: "promise-box", "aria-label": "The promise" }, element("h2", { tabindex: "-1" }, "The promise"),
    element("ul", {}, lines.map((line) => element("li", {}, line))));
}

function notesOf(page) {
  return (channel, question) => {
    const figures = page.privacy.questions.find((each) => each.name === question.name);
    const said = [figures?.sentence, figures?.together].filter(Boolean).map((sentence) => element("p", { class: "hint" }, sentence));
    return element("div", { class: "notes" },
      element("p", { class: "promise" }, [togetherWords(channel), promiseOf(channel, question)].filter(Boolean).join(" ")),
      element("details", {}, element("summary", {}, "What can be denied"), said));
  };
}

function showQuestions(page) {
  const { design } = page;
  const { fields, boxes } = surveyFields(design, notesOf(page));
  const who = design.channels.some(ownWillDo) ? thrower() : null;
  const submit = element("button", { type: "submit", class: "main" }, "Disguise my answers");
  const form = element("form", { autocomplete: "off", novalidate: true, submit: (event) => {
    event.preventDefault();
    if (submit.disabled) return;
    submit.disabled = true;
    disguiseNow(page, fields, who?.read() ?? "device").catch(showFailure).finally(() => { submit.disabled = false; });
  } }, boxes, who?.box, element("div", { class: "actions" }, submit));
  page.forget = () => form.reset();
  showStep("The questions", form, ...models(page));
}

/** Draw the lottery, once; what comes out is kept before it is shown. */
async function disguiseNow(page, fields, thing) {
  const { design, drawer, fingerprint } = page;
  const answers = readAll(fields);
  if (!answers) return announce("Some questions still need an answer.");
  const own = new Map();
  for (const channel of thing === "device" ? [] : design.channels.filter(ownWillDo)) own.set(channel, await askThrows(channel, thing));
  let outcomes = null;
  const bytes = await drawer.keep(() => {
    outcomes = disguise(design, answers, secureDraws(), own);
    return replyBytes(randomId(), fingerprint, told(design, outcomes));
  });
  if (outcomes === null) return render(page);
  return showDrawn(page, answers, outcomes, bytes);
}

function showDrawn(page, answers, outcomes, bytes) {
  const tickets = page.design.channels.map((channel, place) => ticket(channel, outcomes[place], answers));
  page.forget = () => answers.true.clear() ?? answers.personal.clear();
  showStep("The lottery was drawn", element("p", {}, "This happened on your device, once. Reloading does not draw again."),
    element("div", { class: "tickets" }, tickets),
    element("h3", {}, "What will be sent"), fullPreview(page.design, answers, outcomes, bytes), exactly(bytes), sendActions(page, bytes));
  announce("The lottery was drawn. See what will be sent, then send it.");
}

function showStored(page) {
  const { bytes } = page.drawer;
  showStep("Your disguised reply is ready", element("p", {}, "Your answers were disguised on this device before, and only once. What you truly answered was not kept."),
    sentPreview(page.design, bytes), exactly(bytes), sendActions(page, bytes));
}

function sendActions(page, bytes) {
  const start = () => {
    if (page.token) page.drawer.invitation = page.token.value.trim();
    page.drawer.send();
    render(page);
  };
  const actions = [button("Send", start, "main")];
  page.token = page.alone ? element("input", { id: "token", autocomplete: "off", type: "text" }) : null;
  if (page.alone) actions.push(button("Save as a file instead", () => save(bytes), "quiet"));
  return element("div", {}, page.token ? element("p", {}, element("label", { for: "token" }, "Invitation, if you were sent one"), page.token) : null,
    element("div", { class: "actions" }, actions));
}

function save(bytes) {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/json" }));
  element("a", { href: url, download: "reply.json" }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

async function sendNow(page) {
  const { drawer } = page;
  const { bytes } = drawer;
  const state = element("p", { class: "told", role: "status" }, "Sending …");
  showStep("Sending", state, sentPreview(page.design, bytes), exactly(bytes));
  const waiting = (seconds) => {
    state.textContent = `The survey cannot be reached now. The same bytes will be sent again in ${seconds} seconds, or as soon as you are online. ` +
      "You may also close this page and come back later.";
  };
  const outcome = await sendUntilArrived(`${page.base}/replies`, bytes, () => drawer.invitation, waiting);
  if (outcome.arrived && drawer.bytes !== null) drawer.arrived(today());
  if (outcome.arrived) return render(page);
  state.textContent = outcome.refused;
  state.className = "told refused";
  state.after(element("div", { class: "actions" }, button("Try again", () => render(page)), page.alone ? button("Save as a file instead", () => save(bytes), "quiet") : null));
  return announce(outcome.refused);
}

function showReceipt(page) {
  const { day } = page.drawer.receipt;
  showStep("Thank you", element("p", { class: "receipt" }, element("strong", {}, "Your disguised reply was received"), ` on ${day}.`),
    element("p", {}, "Nothing of it stays on this device: neither what you answered nor what was sent, only this receipt."),
    ...models(page));
  announce("Your disguised reply was received.");
}

/** The published model, where there is one, and the second round. */
function models(page) {
  if (!page.model) return [];
  const { drawer } = page;
  const shown = [mirror(page)];
  const second = new Drawer(page.fingerprint, `follow-up/${page.status.model}`);
  if (drawer.receipt && canFollowUp(page.design, page.model)) {
    if (second.receipt) shown.push({ box: element("p", {}, `The second round was received on ${second.receipt.day}.`), clear: () => {} });
    else shown.push(followUp(page, (right) => secondRound(page, second, right, () => render(page))));
  }
  const forget = page.forget;
  page.forget = () => {
    forget();
    shown.forEach((each) => each.clear());
  };
  return shown.map((each) => each.box);
}

function showFailure(error) {
  document.getElementById("promise").replaceChildren();
  showStep("This survey cannot be shown", element("p", { class: "refused" }, error.message));
}

async function start() {
  checkBrowser();
  const page = { forget: () => {}, ...(await load()) };
  page.drawer = new Drawer(page.fingerprint);
  takeInvitation(page.drawer);
  document.getElementById("promise").replaceChildren(promiseBox(page));
  addEventListener("pagehide", () => {
    page.forget();
    document.getElementById("step").replaceChildren();
  });
  addEventListener("pageshow", (event) => event.persisted && render(page));
  addEventListener("storage", (event) => event.key === `${page.drawer.name}/receipt` && render(page));
  render(page);
}

start().catch(showFailure);
