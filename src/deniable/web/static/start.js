/**
 * The first step, where a survey asks for consent: why it is made, and what people agree to. Nothing is asked before.
 */

import { announce, element, showStep } from "./element.js";
import { say } from "./language.js";
import { showPromise } from "./notes.js";
import { isolated } from "./words.js";

/** Whether consent is asked for and not given yet; it is not kept, and not sent. */
export function mustAgree({ design, agreed }) {
  return Boolean(design.text.consent) && !agreed;
}

/** What the survey is about, and a box to tick. */
export function showStart(page) {
  const { intro, consent } = page.design.text;
  const box = element("input", { type: "checkbox", id: "consent", autocomplete: "off", "aria-describedby": "consent-fault" });
  const fault = element("p", { id: "consent-fault", class: "fault" });
  const submit = (event) => {
    event.preventDefault();
    if (box.checked) {
      page.agreed = true;
      return page.render();
    }
    fault.textContent = say("Please tick the box if you agree.");
    box.focus();
    return announce(fault.textContent);
  };
  box.addEventListener("input", () => {
    fault.textContent = "";
    announce("");
  });
  showPromise(page, true);
  showStep(
    say("Before you begin"),
    intro ? element("p", { class: "lines" }, isolated(intro)) : null,
    element(
      "form",
      { autocomplete: "off", novalidate: true, submit },
      element("p", { class: "hint" }, say("You need not take part.")),
      element("label", { class: "choice", for: "consent" }, box, element("span", { class: "lines" }, isolated(consent))),
      fault,
      element("div", { class: "actions" }, element("button", { type: "submit", class: "main" }, say("Start"))),
    ),
  );
}
