/**
 * Chances as whole numbers out of 2^32.
 *
 * Every decision compares a random whole number u of 32 bits with published whole numbers: the outcome is
 * the first one above u. No fraction is ever compared, so everybody can check every step.
 */

import { digits } from "./language.js";

export const SCALE = 2 ** 32;

/** The index of the first threshold above u. */
export function firstAbove(thresholds, u) {
  let low = 0;
  let high = thresholds.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (thresholds[middle] > u) high = middle;
    else low = middle + 1;
  }
  return low;
}

const ALIKE = new Map(); // thresholds by the number of outcomes

/** Thresholds of a choice among so many outcomes, all alike. */
export function uniform(outcomes) {
  if (!ALIKE.has(outcomes)) {
    const places = Array.from({ length: outcomes }, (_, index) => index + 1);
    ALIKE.set(
      outcomes,
      places.map((index) => nearestEven((index * SCALE) / outcomes)),
    );
  }
  return ALIKE.get(outcomes);
}

/** The nearest whole number; of two equally near ones the even one, as Python rounds. */
export function nearestEven(value) {
  const below = Math.floor(value);
  const beyond = value - below;
  if (beyond < 0.5) return below;
  if (beyond > 0.5) return below + 1;
  return below % 2 === 0 ? below : below + 1;
}

/** The chances behind cumulated thresholds. */
export function sharesOf(thresholds) {
  return thresholds.map((threshold, index) => (threshold - (thresholds[index - 1] ?? 0)) / SCALE);
}

/** The same, or null where these are no thresholds: whole numbers that never fall and end at 2^32. */
export function checkedShares(thresholds) {
  const rising = (threshold, index) => Number.isInteger(threshold) && threshold >= (thresholds[index - 1] ?? 0);
  const sound = Array.isArray(thresholds) && thresholds.at(-1) === SCALE && thresholds.every(rising);
  return sound ? sharesOf(thresholds) : null;
}

/** A chance in percent: 80 %, 33.33 %. */
export function percent(share) {
  return `${short(100 * share)}\u00a0%`;
}

/** A number in few digits, as the language writes it. */
export function short(number, figures = 4) {
  return digits(number, { maximumSignificantDigits: figures });
}

/** Chances in percent that add up to 100, to one decimal: what is cut off goes to those that lost most. */
export function percents(shares) {
  const exact = shares.map((share) => 1000 * share);
  const whole = exact.map((each) => Math.floor(each + 1e-6));
  const order = exact.map((each, index) => [each - whole[index], index]).sort(([one], [two]) => two - one);
  const missing = Math.round(exact.reduce((sum, each) => sum + each, 0)) - whole.reduce((sum, each) => sum + each, 0);
  order.slice(0, Math.max(0, missing)).forEach(([, index]) => {
    whole[index] += 1;
  });
  return whole.map((each) => `${digits(each / 10)}\u00a0%`);
}
