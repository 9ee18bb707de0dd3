// The most characters that any of these numbers takes in JSON.
import { readFileSync } from "node:fs";

const longest = JSON.parse(readFileSync(0, "utf8")).reduce((most, each) => Math.max(most, JSON.stringify(each).length), 0);
process.stdout.write(JSON.stringify(longest));
