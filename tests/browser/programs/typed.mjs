// The numbers that typed texts stand for, where a question has a range; null where they are none.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { typedNumber } = await import(pathToFileURL(`${process.argv[2]}/form.js`).href);
const read = ([text, question]) => typedNumber(text, question);
process.stdout.write(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map(read))); // NaN is null in JSON
