// Says in one language what the page promises under some designs, how they are drawn by hand, and how long it waits.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { speak, secondsWords } = await import(at("language.js"));
const { channelOf, readDesign } = await import(at("design.js"));
const { figuresOf } = await import(at("deniability.js"));
const { denialOf, sumWords } = await import(at("denial.js"));
const { groupWords, promiseLines, promiseOf, togetherWords } = await import(at("promise.js"));
const { plainOf } = await import(at("plain.js"));
const { drawingWords } = await import(at("yourself.js"));

speak(process.argv[3]);
const told = JSON.parse(readFileSync(0, "utf8")).flatMap((text) => {
  const design = readDesign(text);
  const figures = figuresOf(design);
  const lines = design.questions.flatMap((question) => {
    const [channel, mine] = [channelOf(design, question), figures.questions.get(question.name)];
    return [
      togetherWords(channel, question),
      promiseOf(channel, question),
      denialOf(channel, question, mine),
      plainOf(channel, question, mine),
    ];
  });
  const byHand = design.channels.filter(({ how, byRespondent }) => byRespondent && !how.length).flatMap(drawingWords);
  const picked = design.channels.flatMap((channel) => channel.lottery.map((each) => groupWords(channel, each)));
  return [...promiseLines(design, figures), ...lines, ...byHand, ...picked, sumWords(figures.epsilon, 1.0986)];
});
const collectors = /\u2068[^\u2068\u2069]*\u2069/g; // words of the design, in its own language
const plain = (line) => line.replaceAll(collectors, "X");
process.stdout.write(JSON.stringify([...told.filter(Boolean).map(plain), ...[1, 2, 5, 30].map(secondsWords)]));
