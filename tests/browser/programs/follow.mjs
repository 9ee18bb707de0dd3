// Disguises the true answers of shared vectors with the draws of shared vectors; prints what would be reported.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { columnsOf, readDesign, versionedBlocks, withVersions } = await import(at("design.js"));
const { disguise, reportedWords, replyColumns } = await import(at("lottery.js"));
const { drawVersions } = await import(at("versions.js"));

// What respondents who draw by themselves pick; of all others the device knows only what is true.
const picksIn = (design, reply) => {
  const byHand = design.channels.filter((channel) => channel.byRespondent);
  const spoken = new Map(columnsOf(design).map((name, place) => [name, reply[place]]));
  const cell = (channel, question) => {
    const report = spoken.get(question.name);
    return report === null ? null : reportedWords(channel, question).indexOf(report);
  };
  return new Map(byHand.flatMap((channel) => channel.group.map((each) => [each.name, cell(channel, each)])));
};

const replies = JSON.parse(readFileSync(0, "utf8")).map((vectors) => {
  const survey = readDesign(vectors.design);
  const chosen = versionedBlocks(survey).filter((block) => block.chosen);
  return vectors.true.map((row, person) => {
    const words = vectors.draws[person].values();
    const picked = chosen.map(({ column, versions }, place) => [column, versions[row[place]].name]);
    const drawn = drawVersions(survey, () => words.next().value);
    const design = withVersions(survey, new Map([...picked, ...drawn]));
    const cells = row.slice(chosen.length);
    const named = (cells) => new Map(survey.all.map((question, place) => [question.name, cells[place]]));
    const answers = {
      true: named(cells),
      personal: vectors.personal && named(vectors.personal[person]),
      picked: picksIn(design, vectors.reported[person]),
    };
    const reply = replyColumns(
      design,
      disguise(design, answers, () => words.next().value),
    );
    if (!words.next().done) throw new Error("a draw was not taken");
    return reply.map(([, report]) => report);
  });
});
process.stdout.write(JSON.stringify(replies));
