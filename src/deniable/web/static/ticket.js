/**
 * The lottery as one sees it: a bar of all instructions, as wide as their chances, and a needle at the number drawn.
 *
 * The needle comes to rest where the number really lies. It moves for a second, unless motion is unwelcome.
 */

import { drawing, element } from "./element.js";
import { SCALE, firstAbove, percents, sharesOf, short } from "./chances.js";
import { kindOf, stepOf } from "./instruction.js";
import { digits, say } from "./language.js";
import { isDrawn, isHarmless, protection } from "./lottery.js";
import { groupWords } from "./promise.js";
import { isolated } from "./words.js";

const MAX_LABELS = 6;

/** What one group's lottery picked, as a card; nothing is drawn for questions in the clear. */
export function ticket(channel, outcome, answers) {
  const names = channel.group.map((question) => isolated(question.wording)).join(" · ");
  const instruction = channel.lottery[outcome.instruction];
  const words = channel.lottery.map((each) => groupWords(channel, each));
  const children = [element("h3", {}, names)];
  if (!isDrawn(channel)) children.push(element("p", { class: "line" }, words[outcome.instruction]));
  else if (channel.lottery.length > 1) {
    children.push(bar(channel.thresholds, words, outcome.u, outcome.instruction));
    children.push(element("p", { class: "line" }, `${say("Chance picked:")} `, element("strong", {}, words[outcome.instruction])));
  }
  for (const question of channel.group) {
    const draw = secondDraw(channel, instruction, question, outcome, answers);
    if (draw) children.push(draw);
  }
  return element("section", { class: "ticket" }, children);
}

/** What was drawn for one question on top of the instruction: an answer, a report or noise. */
function secondDraw(channel, instruction, question, outcome, answers) {
  const u = outcome.drawn.get(question.name);
  const answer = answers.true.get(question.name);
  if (u === null || answer === null || protection(channel, question) !== "lottery") return null;
  const kind = kindOf(instruction);
  const thresholds = kind.among(instruction, question, answer);
  if (!thresholds || isHarmless(channel, instruction, question)) return null;
  const words = kind.outcomes(instruction, question, answer)?.map(isolated);
  if (!words) return noisePicture(instruction, question, u);
  const index = firstAbove(thresholds, u);
  return element(
    "div",
    { class: "second" },
    channel.group.length > 1 ? element("p", { class: "hint" }, isolated(question.wording)) : null,
    bar(thresholds, words, outcome.thrown ? null : u, index),
    element("p", { class: "line" }, `${say("Drawn:")} `, element("strong", {}, words[index])),
  );
}

/** A bar of outcomes with a needle at u; no needle without u (one's own coin), as throws lie in a span, not at a point. */
function bar(thresholds, labels, u, index) {
  const shares = sharesOf(thresholds);
  const chances = percents(shares);
  const parts = shares.map((share, each) => {
    const part = element("span", { class: each === index ? "part hit" : "part" });
    part.style.flexGrow = String(share);
    return part;
  });
  const needle = element("span", { class: "needle", hidden: u === null });
  needle.style.setProperty("--at", `${(100 * u) / SCALE}%`);
  const list =
    labels.length <= MAX_LABELS
      ? element(
          "ul",
          { class: "legend" },
          labels.map((label, each) =>
            element("li", { class: each === index ? "hit" : null }, `${label} ${chances[each]}`),
          ),
        )
      : element("p", { class: "hint" }, say("Possible outcomes: {count}", { count: labels.length }));
  const number = u === null ? say("picked by your own throws") : numberDrawn(u);
  return element(
    "div",
    { class: "draw" },
    element("div", { class: "bar", "aria-hidden": "true" }, parts, needle),
    list,
    element("p", { class: "number" }, number),
  );
}

function numberDrawn(u) {
  return say("the number drawn: {number} of {all}", { number: digits(u), all: digits(SCALE) });
}

/** The curve of the noise and a needle where it was drawn. */
function noisePicture(instruction, question, u) {
  const index = firstAbove(instruction.thresholds, u);
  const [from, to] = [0.0001, 0.9999].map((share) => firstAbove(instruction.thresholds, share * SCALE));
  const start = Math.min(from, index);
  const end = Math.max(to, index);
  const shares = sharesOf(instruction.thresholds).slice(start, end + 1);
  const most = Math.max(...shares);
  const every = Math.max(1, Math.floor(shares.length / 200));
  const x = (step) => (300 * (step - start)) / Math.max(1, end - start);
  const points = shares
    .map((share, each) => [x(start + each), 58 - (52 * share) / most])
    .filter((_, each) => each % every === 0);
  const path = `M0 58 ${points.map(([across, down]) => `L${across.toFixed(1)} ${down.toFixed(1)}`).join(" ")} L300 58 Z`;
  const amount = (instruction.first + index) * stepOf(question);
  const drawn =
    instruction.unit === undefined
      ? [`${say("Added:")} `, `${amount > 0 ? "+" : amount < 0 ? "−" : "±"}${short(Math.abs(amount))}`]
      : [`${say("Factor drawn:")} `, short((instruction.first + index) / instruction.unit)];
  const needle = drawing("line", { x1: x(index), x2: x(index), y1: 2, y2: 60, class: "stem" });
  const picture = drawing(
    "svg",
    { viewBox: "0 0 300 60", class: "curve", preserveAspectRatio: "none", "aria-hidden": "true" },
    drawing("path", { d: path }),
    needle,
  );
  return element(
    "div",
    { class: "draw" },
    picture,
    element(
      "p",
      { class: "line" },
      drawn[0],
      element("strong", { dir: "ltr" }, drawn[1]),
    ),
    element("p", { class: "number" }, numberDrawn(u)),
    element("p", { class: "hint" }, say("Your number is first rounded to steps of {step}.", { step: short(stepOf(question)) })),
  );
}
