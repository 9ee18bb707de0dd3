/**
 * A random while before sending, for invited respondents who want it.
 *
 * Nothing in a reply says whose invitation let it in, but whoever runs the survey sees two moments: when an invitation was
 * traded for a signature, and when a reply arrives. A while in between, drawn at random on the device, parts the two.
 */

import { element } from "./element.js";
import { say } from "./language.js";
import { secureDraws } from "./randomness.js";

const LONGEST = 600; // seconds
const DRAWS = 2 ** 32;

/** Where one may choose to wait: a box, and whether it is ticked. Null where no invitation is traded, or people queue. */
export function waitChoice({ design, kiosk }) {
  if (design.issuer === null || kiosk) return null;
  const box = element("input", { type: "checkbox", id: "wait", "aria-describedby": "wait-why" });
  const why = say(
    "Whoever runs the survey could compare the moment when your invitation was checked with the moment when a reply " +
      "arrives. A random while in between makes that harder. Leave this page open meanwhile: loading it again sends at once.",
  );
  const label = element("label", { for: "wait" }, say("Wait a random while before sending, up to ten minutes"));
  const shown = element("div", { class: "wait" }, box, label, element("p", { class: "hint", id: "wait-why" }, why));
  return { box: shown, chosen: () => box.checked };
}

/** Wait for a random while, if the respondent has chosen that; once, and after the invitation was traded. */
export async function waitIfChosen(page, tell) {
  if (!page.waits) return;
  page.waits = false;
  tell(say("It is sent at a random moment within the next ten minutes. Please leave this page open."));
  const seconds = (LONGEST * secureDraws()()) / DRAWS;
  await new Promise((resolve) => setTimeout(resolve, 1000 * seconds));
  tell(say("Sending …"));
}
