// Chances in percent, as the page shows them.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { percents } = await import(pathToFileURL(`${process.argv[2]}/chances.js`).href);
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(percents)));
