// Works out what the page promises under some designs, each as a text and versions by column; prints figures and sentences.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { channelOf, readDesign, withVersions } = await import(at("design.js"));
const { figuresOf } = await import(at("deniability.js"));
const { denialOf, isWeak } = await import(at("denial.js"));
const { protectionWords } = await import(at("choice.js"));
const { promiseLines, promiseOf } = await import(at("promise.js"));
const { drawVersions } = await import(at("versions.js"));

const word = (epsilon) => (epsilon === Infinity ? "infinity" : epsilon);
const plain = (text) => text.replaceAll(/[\u2068\u2069]/g, "");

const told = JSON.parse(readFileSync(0, "utf8")).map((given) => {
  try {
    const [text, versions] = typeof given === "string" ? [given, {}] : given;
    const survey = readDesign(text);
    drawVersions(survey, () => 0); // which refuses shares that are none
    const design = withVersions(survey, new Map(Object.entries(versions)));
    const figures = figuresOf(design);
    const questions = design.questions.map((question) => {
      const mine = figures.questions.get(question.name);
      const { epsilon, together, width, answer } = mine;
      const [denial, weak] = [denialOf, isWeak].map((of) => of(channelOf(design, question), question, mine));
      return {
        ...{ name: question.name, epsilon: word(epsilon), together, width, answer: word(answer), weak },
        denial: denial && plain(denial),
      };
    });
    const lines = plain(promiseLines(design, figures).join("\n"));
    const promises = design.questions.map((each) => plain(promiseOf(channelOf(design, each), each)).replaceAll("\u00a0", " "));
    const protection = plain(protectionWords(design, figures));
    return { epsilon: word(figures.epsilon), questions, lines, promises, protection };
  } catch (error) {
    return { refused: error.message };
  }
});
process.stdout.write(JSON.stringify(told));
