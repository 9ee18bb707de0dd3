// What the page works out, from [design, answers to its unsent questions] each.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { workOut } = await import(at("computed.js"));
const { readDesign } = await import(at("design.js"));

const found = JSON.parse(readFileSync(0, "utf8")).map(([text, rows]) => {
  const design = readDesign(text);
  return rows.map((row) => {
    const answers = { true: new Map(), unsent: new Map(design.unsent.map(({ name }, place) => [name, row[place]])) };
    workOut(design, answers);
    return design.questions.map(({ name }) => answers.true.get(name));
  });
});
process.stdout.write(JSON.stringify(found));
