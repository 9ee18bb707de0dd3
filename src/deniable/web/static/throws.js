/**
 * The step in which a respondent throws an own coin or die, one throw after the other.
 */

import { announce, button, element, showStep } from "./element.js";
import { firstAbove, percent } from "./chances.js";
import { kindOf } from "./instruction.js";
import { say } from "./language.js";
import { drawsHere, isHarmless, ownWillDo } from "./lottery.js";
import { WHOLE, bounds, narrowed, instructionIn } from "./own.js";
import { isolated, quoted } from "./words.js";

const REST = 400; // milliseconds after a throw, in which a second click is none
let thrownAt = -REST;

function sidesOf(thing) {
  return thing === "coin" ? [say("Heads"), say("Tails")] : ["1", "2", "3", "4", "5", "6"];
}

/** How it works, for those who want to check. */
function how() {
  return say(
    "The bar stands for all that can happen. Each throw cuts it into equal parts, and keeps the part you threw. As soon " +
      "as only one thing is left, that is what happens. All chances stay as they are.",
  );
}

/** For which questions throws decide. */
function byThrows(design) {
  return element("p", {}, say("With a coin or a die, your throws decide for {questions}.", { questions: wordings(design, ownWillDo) }));
}

/** For which the device draws all the same; null where there are none. */
function byDevice(design) {
  const questions = wordings(design, (channel) => drawsHere(channel) && !ownWillDo(channel));
  if (!questions) return null;
  return element("p", {}, say("This device still draws for {questions}: that would take too many throws.", { questions }));
}

function wordings(design, wanted) {
  const questions = design.channels.filter(wanted).flatMap((channel) => channel.group);
  return quoted(...questions.map((question) => question.wording));
}

/**
 * Ask for throws until all that is drawn for one group is decided: first what happens, then what each question needs.
 *
 * Gives the index of the instruction, and for each question a number that stands for what was thrown.
 */
export async function askThrows(design, channel, thing, answers) {
  const only = channel.lottery.length === 1;
  const instruction = only ? 0 : await askOnce(design, channel.thresholds, thing, purposeOf(channel.group));
  const words = new Map();
  for (const question of channel.group) {
    const thresholds = neededFor(channel, channel.lottery[instruction], question, answers);
    if (thresholds === null) continue;
    const questions = isolated(question.wording);
    const further = only ? purposeOf([question]) : say("One more draw for: {questions}", { questions });
    const index = await askOnce(design, thresholds, thing, further);
    words.set(question.name, index === 0 ? 0 : thresholds[index - 1]); // the lowest number that means the same
  }
  return { instruction, words };
}

/** For which questions throws are wanted; of some of them the respondent may never have heard. */
function purposeOf(group) {
  const purpose = say("This decides for: {questions}", { questions: group.map(({ wording }) => isolated(wording)).join(" · ") });
  return group.some(({ askIf }) => askIf) ? `${purpose}. ${say("Every device sends something here.")}` : purpose;
}

/** What has still to be drawn for a question under an instruction; null where nothing has. */
function neededFor(channel, instruction, question, answers) {
  const answer = answers.true.get(question.name);
  const answered = answers.personal.has(question.name);
  if (answer === null || (isHarmless(channel, instruction, question) && answered)) return null;
  const thresholds = kindOf(instruction).among(instruction, question, answer) ?? null;
  return thresholds === null || firstAbove(thresholds, 0) === thresholds.length - 1 ? null : thresholds;
}

/** Ask for throws until one draw is decided; gives the index of its outcome. */
function askOnce(design, thresholds, thing, purpose) {
  return new Promise((resolve) => {
    let span = WHOLE;
    const names = sidesOf(thing);
    const thrown = [];
    let decided = false;
    const sofar = element("p", { class: "line" }, say("No throw yet."));
    const left = element("p", { class: "number" });
    const throwOne = (side) => {
      if (decided || performance.now() < thrownAt + REST) return null;
      thrownAt = performance.now();
      span = narrowed(span, side, names.length);
      thrown.push(names[side]);
      const index = instructionIn(thresholds, span);
      if (index !== null) {
        decided = true;
        announce(say("{thrown}. That decides it.", { thrown: thrown.at(-1) }));
        return resolve(index);
      }
      const [from, to] = bounds(span).map(percent);
      sofar.textContent = say("So far: {throws}.", { throws: thrown.reduce((all, next) => say("{all}, {next}", { all, next })) });
      left.textContent = say("What is left lies between {from} and {to} of the bar. Throw again.", { from, to });
      mark(kept, bounds(span));
      rest(sides);
      return announce(say("{thrown}. Throw again.", { thrown: thrown.at(-1) }));
    };
    const kept = element("span", { class: "kept" });
    mark(kept, [0, 1]);
    const sides = names.map((word, side) => button(word, () => throwOne(side), "side"));
    rest(sides);
    showStep(
      thing === "coin" ? say("Flip your coin") : say("Roll your die"),
      element("p", {}, purpose),
      element("div", { class: "sides", role: "group", "aria-label": say("What you threw") }, sides),
      sofar,
      element("div", { class: "bar", "aria-hidden": "true" }, kept),
      left,
      byDevice(design),
      element("p", { class: "hint" }, how()),
    );
  });
}

/** Show for a moment that a throw was taken, whichever side it was: nothing else would leave all chances as they are. */
function rest(sides) {
  const left = thrownAt + REST - performance.now();
  if (left <= 0) return;
  sides.forEach((side) => side.setAttribute("aria-disabled", "true"));
  setTimeout(() => sides.forEach((side) => side.removeAttribute("aria-disabled")), left);
}

/** Show what is left of the bar, given where it begins and ends. */
function mark(kept, [from, to]) {
  kept.style.setProperty("--from", `${100 * from}%`);
  kept.style.setProperty("--to", `${100 * (1 - to)}%`);
}

/** The choice between the device and one's own coin or die; `read()` gives "device", "coin" or "die". */
export function thrower(design) {
  const choices = [
    ["device", say("This device draws")],
    ["coin", say("I flip my own coin")],
    ["die", say("I roll my own die")],
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
    element("summary", {}, say("Use your own coin or dice instead")),
    element(
      "fieldset",
      {},
      element("legend", {}, say("Where should chance come from?")),
      element("div", { class: "choices" }, labels),
    ),
    byThrows(design),
    byDevice(design),
  );
  return { box, read: () => inputs.find((input) => input.checked)?.value ?? "device" };
}
