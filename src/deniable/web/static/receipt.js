/**
 * The receipt, and what comes after it: the published model, and the second round.
 */

import { Drawer } from "./drawer.js";
import { announce, element, showStep } from "./element.js";
import { disguisesAny } from "./lottery.js";
import { canFollowUp, followUp, mirror } from "./mirror.js";
import { secondRound, waitingRound } from "./round.js";
import { today } from "./send.js";

/** Thank the respondent. */
export function showReceipt(page) {
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
export function models(page) {
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
  const show = (right) => secondRound(page, second, right, page.render);
  return second.bytes === null ? followUp(page, show) : waitingRound(() => show(null));
}
