/**
 * The respondent's page: the promise, the questions, the draw, the sending, the receipt.
 *
 * True answers live in the fields, and then in one variable until they are sent. They are wiped when the respondent
 * sends, leaves the page or comes back to it, and nothing but the disguised bytes is ever kept.
 */

import { chooseAgain, showChoice } from "./choice.js";
import { workOut } from "./computed.js";
import { designOf } from "./design.js";
import { Drawer } from "./drawer.js";
import { element, showStep } from "./element.js";
import { surveyFields } from "./questions.js";
import { takeInvitation } from "./invitation.js";
import { inMemory, watchIdle } from "./kiosk.js";
import { dayWords, say } from "./language.js";
import { checkBrowser, load } from "./load.js";
import { mustShowInvitation, showInvitation } from "./pass.js";
import { disguise, drawsAny, ownWillDo, replyColumns } from "./lottery.js";
import { showPromise } from "./notes.js";
import { inDrawnOrder } from "./order.js";
import { randomId, secureDraws } from "./randomness.js";
import { againBox, entriesOf } from "./remembered.js";
import { replyBytes } from "./reply.js";
import { models, showReceipt } from "./receipt.js";
import { Sections, sectionsOf } from "./sections.js";
import { today } from "./send.js";
import { sendNow, showReady } from "./sending.js";
import { mustAgree, showStart } from "./start.js";
import { askThrows, thrower } from "./throws.js";
import { showLanguage } from "./tongue.js";
import { settleVersions, takeVersionsIn, undecided } from "./versions.js";

// ---------------------------------------------------------------- the steps

/** Show what the device already has: a receipt, a disguised reply, or the questions. */
function render(page) {
  const { drawer, status } = page;
  page.forget();
  page.forget = () => {};
  page.translated = () => render(page);
  if (drawer.bytes !== null) takeVersionsIn(page, drawer.bytes);
  showPromise(page, false);
  if (drawer.receipt) return showReceipt(page);
  if (drawer.bytes !== null) return drawer.sending ? sendNow(page) : showReady(page, drawer.bytes);
  if (!status.open) return showClosed(page);
  if (lacksInvitation(page)) {
    return showStep(
      say("By invitation"),
      element(
        "p",
        {},
        say("This survey can be answered by invitation only. Please open it with the link that you were sent."),
      ),
    );
  }
  if (mustShowInvitation(page)) return showInvitation(page);
  if (mustAgree(page)) return showStart(page);
  const open = undecided(page.design);
  return open.length ? showChoice(page, open) : showQuestions(page);
}

function lacksInvitation({ drawer, status }) {
  return status.invitations && !drawer.invitation && !drawer.pass?.signature;
}

function showClosed({ status }) {
  const day = today();
  const words =
    status.opens && day < status.opens
      ? say("It opens on {day}.", { day: dayWords(status.opens) })
      : say("It does not take replies any more.");
  showStep(say("The survey is not open"), element("p", {}, words));
}

/** The boxes of all questions, in the order that was drawn where the design asks for that; drawn once for each visit. */
function orderedFields(page) {
  const made = surveyFields(page);
  if (!page.design.drawOrder) return made;
  const key = ({ questions }) => questions[0].name;
  page.order ??= inDrawnOrder(sectionsOf(made.boxes), secureDraws()).map(key);
  return { ...made, boxes: [...made.boxes].sort((one, two) => page.order.indexOf(key(one)) - page.order.indexOf(key(two))) };
}

function showQuestions(page, start = 0) {
  const { design } = page;
  const who = design.channels.some(ownWillDo) ? thrower(design) : null;
  const sections = new Sections(page, orderedFields(page), {
    ahead: [chooseAgain(page), againBox(page)],
    behind: [
      who?.box,
      design.questions.length ? element("p", { class: "hint" }, lookThrough(design)) : null,
    ],
    label: drawsAny(design) ? say("Disguise my answers") : say("See what will be sent"),
    finish: (answers) => disguiseNow(page, answers, who?.read() ?? "device").catch(showFailure),
    arrive: (index) => {
      showPromise(page, true, index > 0 || Boolean(design.text.consent));
      page.translated = () => showQuestions(page, index);
      head.focus({ preventScroll: true });
      head.scrollIntoView();
    },
    start,
  });
  page.forget = () => sections.form.reset();
  page.translated = () => showQuestions(page, start);
  showPromise(page, true, start > 0 || Boolean(design.text.consent));
  const head = showStep(say("The questions"), sections.form, ...models(page));
}

/** What is said before the last button: answers of other sections are not in sight. */
function lookThrough(design) {
  return new Set(design.questions.map(({ section }) => section).filter(Boolean)).size > 1
    ? say("Check your answers; “Back” leads to the earlier ones. After the next step they cannot be changed.")
    : say("Look through your answers: after the next step they cannot be changed.");
}

/** Draw the lottery, once; what comes out is kept before it is shown. */
async function disguiseNow(page, answers, thing) {
  const { design, drawer, fingerprint } = page;
  workOut(design, answers);
  answers.unsent.clear();
  page.forget();
  page.translated = () => {}; // throws go on in the language in which they began
  const given = [answers.true, answers.personal, answers.picked, answers.hidden];
  page.forget = () => given.forEach((each) => each.clear());
  const own = new Map();
  if (thing !== "device") showPromise(page, false);
  for (const channel of thing === "device" ? [] : design.channels.filter(ownWillDo))
    own.set(channel, await askThrows(design, channel, thing, answers));
  let outcomes = null;
  const bytes = await drawer.keep(() => {
    if (design.questions.length && given.every((each) => each.size === 0)) return null; // the respondent has left meanwhile
    outcomes = disguise(design, answers, secureDraws(), own);
    return replyBytes(drawer.pass?.id ?? randomId(), fingerprint, design, replyColumns(design, outcomes));
  });
  if (outcomes === null) return render(page);
  page.translated = () => showReady(page, bytes, { answers, outcomes });
  return page.translated();
}

function showFailure(error) {
  document.getElementById("promise").replaceChildren();
  showStep(say("This survey cannot be shown"), element("p", { class: "refused" }, error.message));
}

/** An invitation in the address is for this page; it may also come while the page is open. */
function acceptInvitation(page) {
  page.invitation = takeInvitation() ?? page.invitation;
  if (page.invitation && !page.drawer.receipt) page.drawer.invitation = page.invitation;
}

async function start() {
  checkBrowser();
  const page = { forget: () => {}, translated: () => {}, ...(await load()) };
  page.kiosk = page.status.kiosk === true;
  page.drawer = new Drawer(page.fingerprint, "reply", ...(page.kiosk ? inMemory() : []));
  page.storage = page.drawer.storage;
  if (page.kiosk) watchIdle(page);
  page.entries = await entriesOf(designOf(page.published)); // by the design's own words, whatever is read
  page.render = () => render(page);
  acceptInvitation(page);
  await settleVersions(page);
  addEventListener("pagehide", () => {
    page.forget();
    page.sent = null;
    document.getElementById("step").replaceChildren();
  });
  addEventListener("pageshow", (event) => event.persisted && render(page));
  addEventListener("hashchange", () => {
    const outside = lacksInvitation(page) || mustShowInvitation(page);
    const waiting = page.drawer.receipt || (page.drawer.bytes === null && outside);
    acceptInvitation(page);
    if (waiting) render(page); // elsewhere what was answered stays on the page
  });
  addEventListener("storage", (event) => event.key === `${page.drawer.name}/receipt` && render(page));
  showLanguage(page);
  render(page);
}

start().catch(showFailure);
