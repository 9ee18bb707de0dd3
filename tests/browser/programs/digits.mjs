// Works out and disguises the digits of the second round, from [design, published model, people, draws] each.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { drawDigit, isRight, roundOf } = await import(at("digit.js"));
const { wholeEpsilon } = await import(at("deniability.js"));
const { readDesign } = await import(at("design.js"));
const { readModel } = await import(at("model.js"));

const told = JSON.parse(readFileSync(0, "utf8")).map(([text, published, people, draws]) => {
  const [design, model] = [readDesign(text), readModel(published)];
  const round = roundOf(design, model);
  if (round === null) return null;
  const names = [...model.columns.map(({ name }) => name), model.target];
  const digits = people.map((row, person) => {
    const right = isRight(model, new Map(names.map((name, place) => [name, row[place]])));
    return [right, drawDigit(round, right, () => draws[person]).reported];
  });
  return { digits, epsilon: round.figures.epsilon, reply: wholeEpsilon(design) };
});
process.stdout.write(JSON.stringify(told, (_, value) => (value === Infinity ? "infinity" : value)));
