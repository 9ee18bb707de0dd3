/**
 * The model goes back to the respondent: it is applied to true answers here, and nothing is sent.
 */

import { cellsOf, modelForm } from "./asked.js";
import { percents } from "./chances.js";
import { button, element } from "./element.js";
import { say } from "./language.js";
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
  const shown = (answer) => target?.shown?.[target.answers.indexOf(answer)] ?? answer;
  const tell = () => {
    const answers = form.read();
    if (!answers) return;
    const chances = chancesOf(model, cellsOf(model, answers));
    const best = predicted(chances);
    const rounded = percents(chances);
    said.replaceChildren(
      element(
        "p",
        { class: "line" },
        `${isolated(target?.wording ?? model.target)} ${say("The model says:")} `,
        element("strong", {}, isolated(shown(model.classes[best]))),
      ),
      element(
        "ul",
        { class: "legend" },
        chances.map((_, index) =>
          element("li", { class: index === best ? "hit" : null }, `${isolated(shown(model.classes[index]))} ${rounded[index]}`),
        ),
      ),
      element(
        "p",
        { class: "hint" },
        say("Worked out on this device. Nothing was sent, and nothing you entered here is kept."),
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
    element("summary", {}, say("What would the model{name} say about you?", { name: named(model) })),
    element(
      "p",
      {},
      say("A model was learnt from the replies to this survey. It came with this page. What you enter here is not sent."),
    ),
    form.boxes,
    element("div", { class: "actions" }, button(say("Ask the model"), tell), button(say("Clear"), clear, "quiet")),
    said,
  );
  return { box, clear };
}
