/**
 * Sending: the very same bytes again and again until they are acknowledged.
 *
 * A broken line, a busy or a failing server are waited for. What the server refuses is told in plain words.
 */

import { signatureHeader } from "./blind.js";
import { say } from "./language.js";

const PATIENCE = 20000; // milliseconds for one attempt
const LONGEST = 60; // seconds between two attempts, unless the server asks for more

/** Post bytes once: the answer, or { later: seconds } where it should be tried again. */
export async function posted(url, bytes, more = {}) {
  const headers = { "Content-Type": "application/json", ...more };
  const options = { method: "POST", body: bytes, headers, credentials: "omit", cache: "no-store", redirect: "error" };
  try {
    const signal = AbortSignal.timeout?.(PATIENCE);
    const answer = await fetch(url, { ...options, referrerPolicy: "no-referrer", signal });
    const again = answer.status === 408 || answer.status === 429 || answer.status >= 500;
    return again ? { later: Number(answer.headers.get("Retry-After")) || 0 } : answer;
  } catch {
    return { later: 0 };
  }
}

/** What lets a reply in: the signature on its id, or an invitation, or nothing. */
function letIn({ invitation, pass }) {
  if (pass?.signature) return { Signature: signatureHeader(pass) };
  return invitation ? { Invitation: invitation } : {};
}

/** What became of one attempt: { arrived } or { refused: why } or { later: seconds }. */
async function verdict(answer) {
  if (answer.later !== undefined) return answer;
  if (answer.status === 200 || answer.status === 201) return { arrived: true };
  const told = refusalWords(answer.status);
  return { refused: told ?? say("The survey did not take the reply: {reason}.", { reason: await reason(answer) }) };
}

function refusalWords(status) {
  if (status === 403) return say("The survey does not know this invitation, or it was used before.");
  if (status === 404) return say("The survey is not at this address any more.");
  if (status === 410) return say("The survey is not open.");
  return status === 413 ? say("The reply is larger than the survey accepts.") : null;
}

async function reason(answer) {
  try {
    return String((await answer.json()).error);
  } catch {
    return `answer ${answer.status}`;
  }
}

/**
 * Send what waits in a drawer until it is acknowledged or refused; `waiting(seconds)` is told before each pause.
 *
 * The receipt names the `model` that was published by then, if any.
 */
export async function sendUntilArrived(url, drawer, waiting, model = null) {
  for (let pause = 1; ; pause = Math.min(2 * pause, LONGEST)) {
    const { bytes } = drawer;
    if (bytes === null) return { arrived: true }; // another tab has seen it arrive
    const outcome = await verdict(await posted(url, bytes, letIn(drawer)));
    if (outcome.arrived && drawer.bytes === bytes) drawer.arrived(today(), model);
    if (outcome.later === undefined) return outcome;
    const seconds = Math.max(pause, Math.min(outcome.later, 3600));
    waiting(seconds);
    await pauseOrOnline(seconds);
  }
}

/** Wait, but go on at once when the device is online again. */
function pauseOrOnline(seconds) {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      removeEventListener("online", done);
      resolve();
    };
    const timer = setTimeout(done, 1000 * seconds);
    addEventListener("online", done);
  });
}

/** The day, as receipts tell it. */
export function today() {
  return new Date().toISOString().slice(0, 10);
}
