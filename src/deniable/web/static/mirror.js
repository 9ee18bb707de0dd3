/**
 * The model goes back to the respondent: it is applied to true answers here, and nothing is sent.
 */

import { cellsOf, modelForm } from "./asked.js";
import { percent } from "./chances.js";
import { button, element } from "./element.js";
import { chancesOf, predicted } from "./model.js";
import { isolated, quoted } from "./words.js";

/** The name that the collector gave a model, as part of a sentence. */
function named({ name }) {
  return typeof name === "string" && name ? ` ${quoted(name)}` : "";
}

/** "What would the model say about you?" */
export function mirror({ design, model }) {
  const form = modelForm(design, model, "mirror");
  const said = element("div", { class: "said", "aria-live": "polite" });
  const target = design.all.find((question) => question.name === model.target);
  const tell = () => {
    const answers = form.read();
    if (!answers) return;
    const chances = chancesOf(model, cellsOf(model, answers));
    const best = predicted(chances);
    said.replaceChildren(
      element(
        "p",
        { class: "line" },
        `${isolated(target?.wording ?? model.target)} The model says: `,
        element("strong", {}, isolated(model.classes[best])),
      ),
      element(
        "ul",
        { class: "legend" },
        chances.map((chance, index) =>
          element("li", { class: index === best ? "hit" : null }, `${isolated(model.classes[index])} ${percent(chance)}`),
        ),
      ),
      element(
        "p",
        { class: "hint" },
        "Computed on this device. Nothing was sent, and nothing you entered here is kept.",
      ),
    );
  };
  const clear = () => {
    form.clear();
    said.replaceChildren();
  };
  const box = element(
    "details",
    { class: "mirror" },
    element("summary", {}, `What would the model${named(model)} say about you?`),
    element(
      "p",
      {},
      "The collector has published a model that was learnt from replies as they were sent. It came with this page; " +
        "it is applied here, to what you enter here, and no request is made.",
    ),
    form.boxes,
    element("div", { class: "actions" }, button("Ask the model", tell), button("Clear", clear, "quiet")),
    said,
  );
  return { box, clear };
}
