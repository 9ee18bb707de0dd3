/**
 * The step in which a respondent throws an own coin or die, one throw after the other.
 */

import { announce, button, element, showStep } from "./element.js";
import { WHOLE, bounds, narrowed, instructionIn } from "./own.js";
import { percent } from "./chances.js";
import { drawsHere, ownWillDo } from "./lottery.js";
import { isolated, quoted } from "./words.js";

const SIDES = { coin: ["Heads", "Tails"], die: ["1", "2", "3", "4", "5", "6"] };

/** How it works, for those who want to check. */
export const HOW =
  "Each throw cuts the bar of the lottery into equal parts and keeps the one you threw. As soon as what is left lies " +
  "within one instruction, that is the one picked. The chances stay exactly those " +
  "of the promise; two throws are usually enough.";

/** For which questions throws decide. */
function byThrows(design) {
  return element("p", {}, `Your throws decide for ${wordings(design, ownWillDo)}.`);
}

/** For which the device draws all the same; null where there are none. */
function byDevice(design) {
  const others = wordings(design, (channel) => drawsHere(channel) && !ownWillDo(channel));
  if (!others) return null;
  return element("p", {}, `This device still draws for ${others}: their lotteries need more than a few throws.`);
}

function wordings(design, wanted) {
  const questions = design.channels.filter(wanted).flatMap((channel) => channel.group);
  return questions.map((question) => quoted(question.wording)).join(", ");
}

/** Ask for throws until one group's lottery is decided; gives the index of its instruction. */
export function askThrows(design, channel, thing) {
  return new Promise((resolve) => {
    let span = WHOLE;
    const thrown = [];
    const sofar = element("p", { class: "line" }, "No throw yet.");
    const left = element("p", { class: "number" });
    const throwOne = (side) => {
      span = narrowed(span, side, SIDES[thing].length);
      thrown.push(SIDES[thing][side]);
      const index = instructionIn(channel.thresholds, span);
      if (index !== null) return resolve(index);
      const [from, to] = bounds(span).map(percent);
      sofar.textContent = `So far: ${thrown.join(", ")}.`;
      left.textContent = `What is left lies between ${from} and ${to} of the bar. Throw again.`;
      return announce(`${thrown.at(-1)}. Throw again.`);
    };
    const sides = SIDES[thing].map((word, side) => button(word, () => throwOne(side), "side"));
    showStep(
      thing === "coin" ? "Flip your coin" : "Roll your die",
      element("p", {}, `This decides for: ${channel.group.map((question) => isolated(question.wording)).join(" · ")}`),
      element("div", { class: "sides", role: "group", "aria-label": "What you threw" }, sides),
      sofar,
      left,
      byDevice(design),
      element("p", { class: "hint" }, HOW),
    );
  });
}

/** The choice between the device's lottery and one's own coin or die; `read()` gives "device", "coin" or "die". */
export function thrower(design) {
  const choices = [
    ["device", "This device draws"],
    ["coin", "I flip my own coin"],
    ["die", "I roll my own die"],
  ];
  const inputs = choices.map(([value]) =>
    element("input", {
      type: "radio",
      name: "thrower",
      id: `thrower-${value}`,
      value,
      autocomplete: "off",
      checked: value === "device",
    }),
  );
  const labels = choices.map(([value, word], index) =>
    element("label", { class: "choice", for: `thrower-${value}` }, inputs[index], element("span", {}, word)),
  );
  const box = element(
    "details",
    { class: "own" },
    element("summary", {}, "Use your own coin or die instead"),
    element(
      "fieldset",
      {},
      element("legend", {}, "Who draws the lottery?"),
      element("div", { class: "choices" }, labels),
    ),
    byThrows(design),
    byDevice(design),
    element("p", { class: "hint" }, HOW),
  );
  return { box, read: () => inputs.find((input) => input.checked)?.value ?? "device" };
}
