// How the lotteries of some designs are to be drawn by hand, line by line.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const at = (name) => pathToFileURL(`${process.argv[2]}/${name}`).href;
const { readDesign, withVersions } = await import(at("design.js"));
const { drawingWords } = await import(at("yourself.js"));

const plain = (text) => text.replaceAll(/[\u2068\u2069]/g, "").replaceAll("\u00a0", " ");
const given = (each) =>
  Array.isArray(each) ? withVersions(readDesign(each[0]), new Map(Object.entries(each[1]))) : readDesign(each);
const told = JSON.parse(readFileSync(0, "utf8")).map((each) => drawingWords(given(each).channels[0]).map(plain));
process.stdout.write(JSON.stringify(told));
