// Spells replies as the page does; prints each text and how many bytes it has.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { columnsOf, digestOf, readDesign } = await import(at("design.js"));
const { followUpBytes, replyBytes } = await import(at("reply.js"));
const { randomId } = await import(at("randomness.js"));

const measured = (text) => ({ text, length: new TextEncoder().encode(text).length });
const told = await Promise.all(
  JSON.parse(readFileSync(0, "utf8")).map(async ([text, replies]) => {
    const [design, fingerprint] = [readDesign(text), await digestOf(text)];
    const named = (row) => columnsOf(design).map((name, place) => [name, row[place]]);
    const followUps = [0, 1].map((digit) => measured(followUpBytes(randomId(), fingerprint, fingerprint, digit)));
    return { replies: replies.map((row) => measured(replyBytes(randomId(), fingerprint, design, named(row)))), followUps };
  }),
);
process.stdout.write(JSON.stringify(told));
