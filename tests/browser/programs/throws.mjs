// Enumerates all throws of a coin or die: how often each instruction is told, exactly, and after how many throws.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const { WHOLE, narrowed, instructionIn } = await import(pathToFileURL(`${process.argv[2]}/own.js`).href);
const { thresholds, sides, deepest } = JSON.parse(readFileSync(0, "utf8"));
const chances = thresholds.map(() => 0n);
let open = instructionIn(thresholds, WHOLE) === null ? [WHOLE] : [];
let throws = 0;
for (let depth = 1; depth <= deepest && open.length; depth += 1) {
  throws += open.length / sides ** (depth - 1);
  const next = [];
  for (const span of open) {
    for (let side = 0; side < sides; side += 1) {
      const left = narrowed(span, side, sides);
      const place = instructionIn(thresholds, left);
      if (place === null) next.push(left);
      else chances[place] += 2n ** 32n * BigInt(sides) ** BigInt(deepest - depth);
    }
  }
  open = next;
}
const rest = BigInt(open.length) * 2n ** 32n;
process.stdout.write(JSON.stringify({ chances: chances.map(String), rest: String(rest), throws }));
