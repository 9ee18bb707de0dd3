// Under which names a device keeps what it sent about the questions of some designs.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { readDesign } = await import(at("design.js"));
const { entriesOf } = await import(at("remembered.js"));

const found = [];
for (const text of JSON.parse(readFileSync(0, "utf8"))) {
  const kept = await entriesOf(readDesign(text));
  found.push([...kept.values()].flatMap((known) => [...known.values()].map(({ wording, entry }) => wording + entry)));
}
process.stdout.write(JSON.stringify(found));
