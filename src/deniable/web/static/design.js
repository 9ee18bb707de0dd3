/**
 * A design as it was published: what is asked, and the lotteries through which the answers pass.
 *
 * Its bytes must have the fingerprint that the respondent was given, or it is refused.
 */

import { say } from "./language.js";

/** SHA-256 of a text, in hex. */
export async function digestOf(text) {
  const digest = await globalThis.crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The published design in this text, if it is the one with this fingerprint. */
export async function checkedDesign(text, fingerprint) {
  if ((await digestOf(text)) !== fingerprint) {
    throw new Error(
      say("The survey that arrived is not the one with this fingerprint. Nothing was asked, nothing is sent."),
    );
  }
  return JSON.parse(text);
}

/** The design in this text. */
export function readDesign(text) {
  return designOf(JSON.parse(text));
}

/**
 * A published design: questions with their numbers read, channels with their questions at hand.
 *
 * A block has versions, of which a respondent has one; a plain channel is a block of one version, with no column.
 */
export function designOf(published, language = published.language ?? "en") {
  const words = held(published.translation ?? {}, language) ?? {};
  const translated = (question) => readQuestion(question, held(words.question ?? {}, question.name) ?? {});
  const all = published.questions.map(translated);
  const byName = new Map(all.map((question) => [question.name, question]));
  const blocks = published.channels.map((entry) => readBlock(entry, byName));
  const unsent = (published.unsent ?? []).map(translated);
  const { target, issuer = null, wave = 1, show_draw: showDraw = false, draw_order: drawOrder = false } = published;
  const page = { title: words.title || published.title, text: { ...published.text, ...words.text }, showDraw, drawOrder };
  return withVersions({ ...page, target, issuer, wave, all, unsent, blocks }, new Map());
}

/**
 * The design as a respondent has it whose versions, by column, are these: its `questions` are those that are asked.
 *
 * A block whose version is not known yet asks nothing.
 */
export function withVersions(design, versions) {
  const channels = design.blocks.flatMap((block) => versionOf(block, versions)?.channels ?? []);
  const asked = new Map(channels.flatMap((channel) => channel.group).map((question) => [question.name, question]));
  const questions = design.all.filter(({ name }) => asked.has(name)).map(({ name }) => asked.get(name));
  return { ...design, versions, channels, questions, again: [] };
}

function versionOf(block, versions) {
  return versionsLeft(block, versions).find(({ name }) => block.column === null || name === versions.get(block.column));
}

/** The versions of a block that a respondent may have, as far as these are known. */
export function versionsLeft({ column, versions }, known) {
  return known.has(column) ? versions.filter(({ name }) => name === known.get(column)) : versions;
}

/** The languages in which a published design can be read, its own first. */
export function languagesOf(published) {
  return [published.language ?? "en", ...Object.keys(published.translation ?? {})];
}

/** The blocks that have versions to draw or to choose. */
export function versionedBlocks(design) {
  return design.blocks.filter((block) => block.column !== null);
}

/** The columns of a reply: which versions it answers, and then all questions. */
export function columnsOf(design) {
  return [...versionedBlocks(design).map(({ column }) => column), ...design.all.map(({ name }) => name)];
}

function readBlock(published, byName) {
  if (published.versions === undefined)
    return { column: null, versions: [{ name: "", channels: [readChannel(published, published.lottery, byName)] }] };
  const versions = published.versions.map((version) => ({
    name: version.name,
    channels: version.channels.map((each) => readChannel(each, published.lotteries[each.lottery], byName)),
  }));
  const thresholds = published.versions.map(({ below }) => below);
  return { column: published.column, chosen: published.chosen, thresholds, versions };
}

function readChannel(published, lottery, byName) {
  const counts = lottery.some((instruction) => instruction.do === "count");
  return {
    group: published.group.map((name) => (counts ? listed(byName.get(name)) : byName.get(name))),
    lottery,
    counts,
    how: published.how ?? [],
    harmless: published.harmless,
    thresholds: lottery.map((instruction) => instruction.below),
    personal: new Map(
      Object.entries(published.personal ?? {}).map(([name, wording]) => [name, byName.get(name)?.personal || wording]),
    ),
    byRespondent: published.drawn_by === "respondent",
  };
}

/** A question that is one statement of a list, or is left out of it: what is asked is how many hold. */
function listed(question) {
  return { ...question, wording: say("How many of these statements hold for you?"), statement: question.wording };
}

/** What an object holds under this name, and nothing that it inherited. */
export function held(object, name) {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** The channel through which the answers to this question pass. */
export function channelOf(design, question) {
  return design.channels.find((channel) => channel.group.includes(question));
}

/** A question as it was published, and the words of another language for it, if there are any. */
function readQuestion(published, words = {}) {
  const numeric = published.low !== undefined;
  const askIf = published.ask_if ?? null;
  return {
    ...Object.fromEntries(["section", "help", "multiple", "matrix"].map((key) => [key, words[key] || published[key] || ""])),
    askIf,
    otherwise: askIf === null ? undefined : Number(published.otherwise),
    offered: offeredOf(published),
    shown: published.answers?.map((answer, cell) => shownAnswer(published, answer, words.answers?.[cell])) ?? null,
    personal: words.personal ?? "",
    name: published.name,
    wording: words.wording || published.wording || published.name,
    optional: published.optional,
    answers: published.answers ?? null,
    isNumber: published.answers === undefined,
    byInterval: numeric && published.answers !== undefined,
    omit: published.omit ?? false,
    integer: published.integer ?? false,
    low: numeric ? Number(published.low) : null,
    high: numeric ? Number(published.high) : null,
    values: published.values?.map(Number) ?? null,
    computed: published.computed ? readFormula(published.computed) : null,
  };
}

const REFUSAL = "prefer not to say";
const NOT_ASKED = "does not apply";

/** How many answers people may pick: all but the one of those who are not asked. */
function offeredOf({ answers, ask_if: askIf, otherwise, low }) {
  if (answers === undefined) return 0;
  const adds = askIf !== undefined && low === undefined && answers[otherwise] === NOT_ASKED && otherwise === answers.length - 1;
  return adds ? answers.length - 1 : answers.length;
}

/** An answer as people read it. */
function shownAnswer({ optional, ask_if: askIf, low }, answer, translated) {
  if (translated) return translated;
  if ((optional && answer === REFUSAL) || (askIf !== undefined && answer === NOT_ASKED)) return ownAnswer(answer);
  const [, from, to] = low === undefined ? [] : (answer.match(/^(\S+) to (\S+)$/) ?? []);
  return from === undefined ? answer : say("{from} to {to}", { from, to });
}

function ownAnswer(answer) {
  return answer === REFUSAL ? say("prefer not to say") : say("does not apply");
}

function readFormula({ terms, sign, bound }) {
  return { terms: terms.map(([name, factor]) => [name, Number(factor)]), sign, bound: Number(bound) };
}
