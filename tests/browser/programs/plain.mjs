// Says in plain words what becomes of the answers to some designs.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { channelOf, readDesign } = await import(at("design.js"));
const { figuresOf } = await import(at("deniability.js"));
const { denialOf } = await import(at("denial.js"));
const { protection } = await import(at("lottery.js"));
const { markOf } = await import(at("notes.js"));
const { knownWords, openingLines, pictureWords, plainOf, truly } = await import(at("plain.js"));

const plain = (text) => text.replaceAll(/[\u2068\u2069]/g, "");
const told = JSON.parse(readFileSync(0, "utf8")).map((text) => {
  const design = readDesign(text);
  const figures = figuresOf(design);
  const mine = (question) => [channelOf(design, question), question, figures.questions.get(question.name)];
  const hidden = (question) => !question.isNumber && protection(...mine(question).slice(0, 2)) === "lottery";
  return {
    opening: openingLines(design, figures),
    known: knownWords(design, figures),
    rest: figures.rest.epsilon,
    exposed: design.questions.filter(({ name }) => figures.questions.get(name).exposed).map(({ name }) => name),
    caption: plain(pictureWords(design, figures)?.caption ?? ""),
    some: pictureWords(design, figures)?.some ?? null,
    marks: design.questions.map((question) => markOf(...mine(question))),
    denials: design.questions.map((question) => denialOf(...mine(question))),
    plain: design.questions.map((question) => plain(plainOf(...mine(question)))),
    truly: Object.fromEntries(
      design.questions.map((each) => [each.name, hidden(each) ? truly(each, figures.questions.get(each.name)) : null]),
    ),
  };
});
process.stdout.write(JSON.stringify(told));
