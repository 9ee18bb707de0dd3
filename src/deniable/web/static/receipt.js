/**
 * The receipt, and what comes after it: the published model, and the second round.
 */

import { Drawer } from "./drawer.js";
import { announce, button, element, showStep } from "./element.js";
import { afresh, soonAfresh } from "./kiosk.js";
import { dayWords, say } from "./language.js";
import { mirror } from "./mirror.js";
import { whoAsks } from "./notes.js";
import { sentPreview } from "./preview.js";
import { keepsAny, normalised } from "./remembered.js";
import { followUp, secondRound, waitingRound } from "./round.js";
import { today } from "./send.js";
import { isolated } from "./words.js";

/** Thank the respondent. */
export function showReceipt(page) {
  const { day } = page.drawer.receipt;
  const { thanks, contact } = page.design.text;
  const said = normalised(thanks ?? "") === normalised(say("Thank you")); // the heading says it already
  const received = say("Your reply was received on {day}.", { day: dayWords(day) });
  const noted = page.kiosk ? received : `${received} ${say("Only this device notes the day.")}`;
  showStep(
    page.sent ? say("Thank you") : say("You have already answered"),
    thanks && !said ? element("p", { class: "lines" }, isolated(thanks)) : null,
    element("p", { class: "receipt" }, element("strong", {}, noted)),
    page.kiosk ? element("div", { class: "actions" }, button(say("Next person"), afresh, "main")) : null,
    ...(page.sent ? [sentPreview(page, page.sent, true)] : []),
    element(
      "p",
      {},
      keptWords(page),
    ),
    ...whoAsks({ contact }),
    ...models(page),
  );
  announce(received);
  if (page.kiosk) soonAfresh();
}

/** What stays on the device, in words. */
function keptWords(page) {
  if (page.kiosk) return say("Nothing of it stays on this device: neither what you answered nor what was sent.");
  return keepsAny(page)
    ? say(
        "This device forgets what you answered. It keeps this receipt. It also keeps what was sent, which may be the same as " +
          "your answers, but does not show it again. If you are asked the same again on this site, the same is sent, with no new " +
          "draw. Clearing this site’s data in your browser erases that here, not what was sent.",
      )
    : say("Only this receipt stays on this device: neither what you answered nor what was sent.");
}

/** The published model, where there is one, and the second round. */
export function models(page) {
  if (!page.model || page.kiosk) return [];
  const shown = [mirror(page)];
  if (page.round && page.status.open) shown.push(secondRoundOf(page));
  const forget = page.forget;
  page.forget = () => {
    forget();
    shown.forEach((each) => each.clear());
  };
  return shown.map((each) => each.box);
}

/**
 * The second round, for those whose replies did not teach the model, and for others on a later day than their reply.
 *
 * A device gives one digit in a survey, whichever models are published. One that was drawn about an earlier model and
 * never sent is forgotten.
 */
function secondRoundOf(page) {
  const second = new Drawer(page.fingerprint, "follow-up");
  const line = (text) => ({ box: element("p", {}, text), clear: () => {} });
  if (second.receipt)
    return line(
      [
        say("The digit of the second round was received on {day}.", { day: dayWords(second.receipt.day) }),
        page.digit === undefined ? "" : say("What was sent: {digit}", { digit: page.digit }),
      ]
        .filter(Boolean)
        .join(" "),
    );
  if (second.bytes !== null && !second.sending && JSON.parse(second.bytes).model !== page.status.model) second.drop();
  const show = (right) => secondRound(page, second, right, page.render);
  if (second.sending) return waitingRound(() => show(null));
  if (mayHaveTaught(page) && page.drawer.receipt.day >= today())
    return line(
      say("There is a second round, from tomorrow on: not on the day of your reply, so that the two are harder to link."),
    );
  if (page.status.invitations && !(page.invitation ?? page.drawer.invitation ?? second.invitation ?? second.pass))
    return line(say("There is a second round. Open the link of your invitation again to take part in it."));
  return second.bytes === null ? followUp(page, show) : waitingRound(() => show(null));
}

/** Whether the reply of this device came before the model was published, so that the model may have learnt from it. */
function mayHaveTaught({ drawer, status }) {
  return drawer.receipt !== null && drawer.receipt.model !== status.model;
}
