/**
 * A survey in SurveyJS whose answers leave the page disguised, or not at all.
 *
 * deniable.js, made by `deniable page DESIGN --module -o deniable.js`, brings the design and its disguise.
 */

import { design, disguise, fingerprint } from "./deniable.js";

const place = document.getElementById("survey");
const kept = `deniable/${fingerprint}`; // the disguised bytes, until they have arrived; true answers are never kept

/** A question of the design as SurveyJS asks it. */
function element({ name, wording, answers, low, high, integer, omit }) {
  const common = { name, title: wording || name, isRequired: !omit };
  if (answers) return { ...common, type: "radiogroup", choices: answers };
  const range = { inputType: "number", min: Number(low), max: Number(high), step: integer ? 1 : "any" };
  return { ...common, type: "text", ...range };
}

/** Send the same bytes until they have arrived. */
async function send(bytes, options) {
  const address = `${place.dataset.site}/survey/${fingerprint}/replies`;
  const how = { method: "POST", body: bytes, credentials: "omit", referrerPolicy: "no-referrer" };
  const answer = await fetch(address, how).catch(() => null);
  if (answer?.ok) localStorage.setItem(kept, "sent");
  if (answer?.ok) options.showSaveSuccess("Your disguised reply was received.");
  else options.showSaveError("It could not be sent yet.");
}

const survey = new Survey.Model({
  title: design.title,
  elements: design.questions.map(element),
  completedHtml: "<h3>Thank you</h3>",
});

survey.onComplete.add((sender, options) => {
  options.showSaveInProgress("One moment …");
  const before = localStorage.getItem(kept);
  if (before === "sent") return options.showSaveSuccess("You have replied already.");
  const bytes = before ?? disguise(design, sender.data); // once: asked again, the same bytes
  localStorage.setItem(kept, bytes);
  sender.data = {}; // SurveyJS forgets the true answers too
  return send(bytes, options);
});

survey.render(place);
