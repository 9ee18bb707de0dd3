/**
 * The respondent's page: the promise, the questions, the lottery, the preview, the sending, the receipt.
 *
 * True answers live in the fields, and then in one variable until they are sent. They are wiped when the respondent
 * sends, leaves the page or comes back to it, and nothing but the disguised bytes is ever kept.
 */

import { chooseAgain, showChoice } from "./choice.js";
import { workOut } from "./computed.js";
import { Drawer } from "./drawer.js";
import { announce, element, showStep } from "./element.js";
import { readAll } from "./form.js";
import { surveyFields } from "./questions.js";
import { takeInvitation } from "./invitation.js";
import { inMemory, watchIdle } from "./kiosk.js";
import { checkBrowser, load } from "./load.js";
import { lacksPass, showTrade } from "./pass.js";
import { disguise, drawsAny, ownWillDo, replyColumns } from "./lottery.js";
import { showPromise } from "./notes.js";
import { randomId, secureDraws } from "./randomness.js";
import { againBox, entriesOf } from "./remembered.js";
import { replyBytes } from "./reply.js";
import { models, showReceipt } from "./receipt.js";
import { today } from "./send.js";
import { sendNow, showDrawn, showStored } from "./sending.js";
import { askThrows, thrower } from "./throws.js";
import { settleVersions, takeVersionsIn, undecided } from "./versions.js";

// ---------------------------------------------------------------- the steps

/** Show what the device already has: a receipt, a disguised reply, or the questions. */
function render(page) {
  const { drawer, status } = page;
  page.forget();
  page.forget = () => {};
  if (drawer.bytes !== null) takeVersionsIn(page, drawer.bytes);
  showPromise(page, !drawer.receipt && !drawer.sending && !undecided(page.design).length);
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
  if (!page.alone && lacksPass(page, drawer)) return showTrade(page);
  const open = undecided(page.design);
  return open.length ? showChoice(page, open) : showQuestions(page);
}

function lacksInvitation({ drawer, status }) {
  return status.invitations && !drawer.invitation && !drawer.pass?.signature;
}

function showClosed({ status }) {
  const day = today();
  const words =
    status.opens && day < status.opens ? `It opens on ${status.opens}.` : "It does not take replies any more.";
  showStep("The survey is not open", element("p", {}, words));
}

function showQuestions(page) {
  const { design } = page;
  const { fields, boxes } = surveyFields(page);
  const who = design.channels.some(ownWillDo) ? thrower(design) : null;
  const next = drawsAny(design) ? "Disguise my answers" : "See what will be sent";
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
    chooseAgain(page),
    againBox(page),
    boxes,
    who?.box,
    boxes.length
      ? element("p", { class: "hint" }, "Look through your answers: after the next step they cannot be changed.")
      : null,
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
  workOut(design, answers);
  answers.unsent.clear();
  page.forget();
  const given = [answers.true, answers.personal, answers.picked];
  page.forget = () => given.forEach((each) => each.clear());
  const own = new Map();
  if (thing !== "device") showPromise(page, false);
  for (const channel of thing === "device" ? [] : design.channels.filter(ownWillDo))
    own.set(channel, await askThrows(design, channel, thing));
  let outcomes = null;
  const bytes = await drawer.keep(() => {
    if (design.questions.length && given.every((each) => each.size === 0)) return null; // the respondent has left meanwhile
    outcomes = disguise(design, answers, secureDraws(), own);
    return replyBytes(drawer.pass?.id ?? randomId(), fingerprint, design, replyColumns(design, outcomes));
  });
  if (outcomes === null) return render(page);
  return showDrawn(page, answers, outcomes, bytes);
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
  page.kiosk = page.status.kiosk === true;
  page.drawer = new Drawer(page.fingerprint, "reply", ...(page.kiosk ? inMemory() : []));
  page.storage = page.drawer.storage;
  if (page.kiosk) watchIdle(page);
  page.entries = await entriesOf(page.design);
  page.render = () => render(page);
  acceptInvitation(page);
  await settleVersions(page);
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
