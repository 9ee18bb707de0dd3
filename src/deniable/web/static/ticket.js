/**
 * The lottery as one sees it: a bar of all instructions, as wide as their chances, and a needle at the number drawn.
 *
 * The needle comes to rest where the number really lies. It moves for a second, unless motion is unwelcome.
 */

import { drawing, element } from "./element.js";
import { SCALE, firstAbove, reportedWords, uniform } from "./lottery.js";
import { instructionWords, percent, sharesOf, short } from "./promise.js";
import { held } from "./design.js";

const MOST_LABELS = 6;

/** What one group's lottery told, as a card; nothing is drawn for questions in the clear. */
export function ticket(channel, outcome, answers) {
  const names = channel.group.map((question) => question.wording).join(" · ");
  const instruction = channel.lottery[outcome.told];
  const children = [element("h3", {}, names)];
  if (channel.lottery.length > 1) {
    const labels = channel.lottery.map((each) => shortWords(channel, each));
    children.push(bar(channel.thresholds, labels, outcome.u, outcome.told));
    children.push(
      element(
        "p",
        { class: "told" },
        "The lottery told: ",
        element(
          "strong",
          {},
          channel.group.length > 1 && instruction.do === "say"
            ? "say these answers"
            : instructionWords(channel, instruction, channel.group[0]),
        ),
      ),
    );
  }
  for (const question of channel.group) {
    const draw = secondDraw(channel, instruction, question, outcome, answers);
    if (draw) children.push(draw);
  }
  if (children.length === 1) children.push(element("p", { class: "hint" }, "No lottery: this is sent as you gave it."));
  return element("section", { class: "ticket" }, children);
}

/** What was drawn for one question on top of the instruction: an answer, a report or noise. */
function secondDraw(channel, instruction, question, outcome, answers) {
  const u = outcome.drawn.get(question.name);
  const answer = answers.true.get(question.name);
  if (u === null || answer === null || (instruction.do !== "truth" && channel.personal.has(question.name))) return null;
  if (instruction.do === "add") return noisePicture(instruction, question, u);
  const thresholds = {
    draw: () => held(instruction.thresholds, question.name),
    lookup: () => instruction.thresholds[answer],
    other: () => (question.answers.length > 2 ? uniform(question.answers.length - 1) : null),
  }[instruction.do]?.();
  if (!thresholds) return null;
  const words =
    instruction.do === "other"
      ? question.answers.filter((_, cell) => cell !== answer)
      : reportedWords(channel, question);
  const place = firstAbove(thresholds, u);
  return element(
    "div",
    { class: "second" },
    channel.group.length > 1 ? element("p", { class: "hint" }, question.wording) : null,
    bar(thresholds, words, u, place),
    element("p", { class: "told" }, "Drawn: ", element("strong", {}, words[place])),
  );
}

function shortWords(channel, instruction) {
  const question = channel.group[0];
  if (instruction.do !== "truth" && channel.personal.has(question.name)) return "harmless question";
  if (instruction.do === "say")
    return `say “${channel.group.map((each) => each.answers[held(instruction.cells, each.name)]).join(", ")}”`;
  return { truth: "truth", opposite: "opposite", other: "another answer", draw: "draw an answer" }[instruction.do];
}

/** A bar of outcomes with a needle at u; without u (one's own coin) it points at the middle of what was told. */
function bar(thresholds, labels, u, place) {
  const shares = sharesOf(thresholds);
  const before = place ? thresholds[place - 1] / SCALE : 0;
  const at = u === null ? before + shares[place] / 2 : u / SCALE;
  const parts = shares.map((share, each) => {
    const part = element("span", { class: each === place ? "part hit" : "part" });
    part.style.flexGrow = String(share);
    return part;
  });
  const needle = element("span", { class: "needle" });
  needle.style.setProperty("--at", `${100 * at}%`);
  const list =
    labels.length <= MOST_LABELS
      ? element(
          "ul",
          { class: "legend" },
          labels.map((label, each) =>
            element("li", { class: each === place ? "hit" : null }, `${label} ${percent(shares[each])}`),
          ),
        )
      : element("p", { class: "hint" }, `${labels.length} possible outcomes`);
  const number =
    u === null
      ? "told by your own throws"
      : `the number drawn: ${u.toLocaleString("en")} of ${SCALE.toLocaleString("en")}`;
  return element(
    "div",
    { class: "draw" },
    element("div", { class: "bar", "aria-hidden": "true" }, parts, needle),
    list,
    element("p", { class: "number" }, number),
  );
}

/** The curve of the noise and a needle where it was drawn. */
function noisePicture(instruction, question, u) {
  const place = firstAbove(instruction.thresholds, u);
  const [from, to] = [0.0001, 0.9999].map((share) => firstAbove(instruction.thresholds, share * SCALE));
  const start = Math.min(from, place);
  const end = Math.max(to, place);
  const shares = sharesOf(instruction.thresholds).slice(start, end + 1);
  const most = Math.max(...shares);
  const every = Math.max(1, Math.floor(shares.length / 200));
  const x = (step) => (300 * (step - start)) / Math.max(1, end - start);
  const points = shares
    .map((share, each) => [x(start + each), 58 - (52 * share) / most])
    .filter((_, each) => each % every === 0);
  const path = `M0 58 ${points.map(([across, down]) => `L${across.toFixed(1)} ${down.toFixed(1)}`).join(" ")} L300 58 Z`;
  const steps = instruction.first + place;
  const amount = (steps * (question.high - question.low)) / 1024;
  const needle = drawing("line", { x1: x(place), x2: x(place), y1: 2, y2: 60, class: "stem" });
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
      { class: "told" },
      "Noise drawn: ",
      element("strong", {}, `${amount > 0 ? "+" : amount < 0 ? "−" : "±"}${short(Math.abs(amount))}`),
    ),
    element("p", { class: "number" }, `the number drawn: ${u.toLocaleString("en")} of ${SCALE.toLocaleString("en")}`),
  );
}
