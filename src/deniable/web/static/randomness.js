/**
 * Random whole numbers of 32 bits, from the browser's cryptographic generator and nowhere else.
 *
 * Where there is none, nothing is drawn and nothing is sent.
 */

import { say } from "./language.js";

const AT_ONCE = 256; // numbers fetched together; each is wiped as soon as it was used

/** A function that gives one random number u, 0 <= u < 2^32, each time it is called. */
export function secureDraws(source = globalThis.crypto) {
  if (typeof source?.getRandomValues !== "function") {
    throw new Error(say("This browser has no cryptographic random numbers, so your answers cannot be disguised safely."));
  }
  const block = new Uint32Array(AT_ONCE);
  let index = AT_ONCE;
  return () => {
    if (index === AT_ONCE) {
      source.getRandomValues(block);
      index = 0;
    }
    const drawn = block[index];
    block[index] = 0;
    index += 1;
    return drawn;
  };
}

/** A name for one reply: 128 random bits, in hex. It says nothing about anybody. */
export function randomId(source = globalThis.crypto) {
  const draw = secureDraws(source);
  return Array.from({ length: 4 }, () => draw().toString(16).padStart(8, "0")).join("");
}
