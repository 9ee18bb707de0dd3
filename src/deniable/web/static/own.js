/**
 * One's own coin or die instead of the device's random numbers.
 *
 * Each throw cuts the span from 0 to 2^32 into as many equal parts as the coin or die has sides, and keeps
 * the part that was thrown. As soon as all that is left lies within one instruction, that instruction is
 * picked. The spans are exact fractions, so every instruction keeps exactly its published chance.
 */

const WIDTH = 2n ** 32n;

/** Before the first throw: everything is possible. The span is [start, start + 1) / parts of the whole. */
export const WHOLE = Object.freeze({ start: 0n, parts: 1n });

/** What is left after a throw: `side` counts from 0, `sides` are those of the coin or die. */
export function narrowed(span, side, sides) {
  if (!Number.isInteger(side) || side < 0 || side >= sides) throw new Error("no such side");
  return { start: span.start * BigInt(sides) + BigInt(side), parts: span.parts * BigInt(sides) };
}

/** The index of the instruction that the throws have picked, or null where more throws are needed. */
export function instructionIn(thresholds, span) {
  let from = 0n;
  for (const [index, threshold] of thresholds.entries()) {
    const to = BigInt(threshold);
    if (span.start * WIDTH >= from * span.parts && (span.start + 1n) * WIDTH <= to * span.parts) return index;
    from = to;
  }
  return null;
}

/** Where the span lies, as fractions of the whole, for showing it. */
export function bounds(span) {
  const fine = 10n ** 9n;
  const share = (part) => Number((part * fine) / span.parts) / 1e9;
  return [share(span.start), share(span.start + 1n)];
}
