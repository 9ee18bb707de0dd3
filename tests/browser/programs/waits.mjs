// How many milliseconds some random whiles last.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { waitIfChosen } = await import(pathToFileURL(`${process.argv[2]}/waiting.js`).href);
const whiles = [];
globalThis.setTimeout = (go, milliseconds) => {
  whiles.push(milliseconds);
  go();
};
for (let count = JSON.parse(readFileSync(0, "utf8")); count > 0; count -= 1) await waitIfChosen({ waits: true }, () => {});
process.stdout.write(JSON.stringify(whiles));
