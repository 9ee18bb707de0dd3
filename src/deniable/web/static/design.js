/**
 * A design as it was published: what is asked, and the lotteries through which the answers pass.
 *
 * Its bytes must have the fingerprint that the respondent was given, or it is refused.
 */

/** SHA-256 of a text, in hex. */
export async function digestOf(text) {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The design in this text, if it is the one with this fingerprint. */
export async function checkedDesign(text, fingerprint) {
  if ((await digestOf(text)) !== fingerprint) {
    throw new Error(
      "The survey that arrived is not the one with this fingerprint. Nothing was asked, nothing is sent.",
    );
  }
  return readDesign(text);
}

/** The design in this text: questions with their numbers read, channels with their questions at hand. */
export function readDesign(text) {
  const published = JSON.parse(text);
  const questions = published.questions.map(readQuestion);
  const byName = new Map(questions.map((question) => [question.name, question]));
  const channels = published.channels.map((channel) => ({
    group: channel.group.map((name) => byName.get(name)),
    lottery: channel.lottery,
    thresholds: channel.lottery.map((instruction) => instruction.below),
    personal: new Map(Object.entries(channel.personal ?? {})),
  }));
  return { title: published.title, target: published.target, questions, channels };
}

/** What an object holds under this name, and nothing that it inherited. */
export function held(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The channel through which the answers to this question pass. */
export function channelOf(design, question) {
  return design.channels.find((channel) => channel.group.includes(question));
}

function readQuestion(published) {
  const numeric = published.low !== undefined;
  return {
    name: published.name,
    wording: published.wording || published.name,
    optional: published.optional,
    answers: published.answers ?? null,
    isNumber: published.answers === undefined,
    byInterval: numeric && published.answers !== undefined,
    omit: published.omit ?? false,
    integer: published.integer ?? false,
    low: numeric ? Number(published.low) : null,
    high: numeric ? Number(published.high) : null,
  };
}
