// Disguises the same truths over and over with real random numbers, and counts what is reported.
// A fault may be planted: it must not go unnoticed.
import { readFileSync } from "node:fs";
import { webcrypto } from "node:crypto";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { readDesign } = await import(at("design.js"));
const { SCALE } = await import(at("chances.js"));
const { stepOf } = await import(at("instruction.js"));
const { disguise } = await import(at("lottery.js"));
const { secureDraws } = await import(at("randomness.js"));

const given = JSON.parse(readFileSync(0, "utf8"));
const design = readDesign(given.design);
const secure = secureDraws(webcrypto);

/** Random numbers with a fault, by its name. */
const faults = {
  none: () => secure,
  "theta + .01": () => {
    for (const channel of design.channels) channel.thresholds[0] += Math.round(0.01 * SCALE);
    return secure;
  },
  "modulo bias": () => () => Math.floor((((secure() >>> 24) % given.outcomes) + 0.5) * (SCALE / given.outcomes)),
  "noise reused in a reply": () => {
    let last = null;
    return () => {
      const word = last ?? secure();
      last = last === null ? word : null;
      return word;
    };
  },
  "noise reused for the next": () => {
    let words = [];
    let place = -1;
    return () => {
      place += 1;
      if (place === 2 * given.draws) [words, place] = [[], 0];
      if (place < given.draws) words.push(secure());
      return words[place % given.draws];
    };
  },
};
const draw = faults[given.fault ?? "none"]();

const cell = (question, report, truth) => {
  if (!given.bins) return report;
  const point =
    Math.round((report - question.low) / stepOf(question)) - Math.round((truth - question.low) / stepOf(question));
  return given.bins[point - given.first];
};

const counts = given.truths.map((truth) => {
  const answers = { true: new Map(design.questions.map((question, place) => [question.name, truth[place]])) };
  const single = new Array(given.size).fill(0);
  const pairs = new Array(given.size * given.size).fill(0);
  let before = 0;
  for (let person = 0; person < given.count; person += 1) {
    const [outcome] = disguise(design, answers, draw);
    let index = 0;
    design.questions.forEach((question, place) => {
      index = index * given.sizes[place] + cell(question, outcome.reports.get(question.name), truth[place]);
    });
    single[index] += 1;
    if (person % 2) pairs[before * given.size + index] += 1;
    before = index;
  }
  return { single, pairs };
});
process.stdout.write(JSON.stringify(counts));
