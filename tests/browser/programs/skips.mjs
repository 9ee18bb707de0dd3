// Answers for those who are not asked, from designs and rows of true cells and numbers; prints the rows as they are disguised.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { readDesign } = await import(at("design.js"));
const { answerOthers } = await import(at("skip.js"));

const told = JSON.parse(readFileSync(0, "utf8")).map(([text, rows]) => {
  const design = readDesign(text);
  return rows.map((row) => {
    const answers = new Map(design.questions.map(({ name }, index) => [name, row[index]]));
    answerOthers(design, answers);
    return design.questions.map(({ name }) => answers.get(name));
  });
});
process.stdout.write(JSON.stringify(told));
