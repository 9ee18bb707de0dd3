/**
 * Reports that this device has sent to this site, by what was asked: the same question under the same lottery gets
 * the same report again, or none.
 *
 * A collector who asks often enough, in surveys that look alike, could take the vote of many draws. So the report is
 * kept by the question's wording, as it reads, and by its lottery; never what was drawn, nor what is true. An intended
 * wave has a number in the design, and is drawn anew.
 */

import { matrixOf } from "./deniability.js";
import { digestOf, withVersions } from "./design.js";
import { element } from "./element.js";
import { sharedWords } from "./kiosk.js";
import { say } from "./language.js";
import { drawsHere, protection, reportedWords } from "./lottery.js";
import { reportsIn } from "./reply.js";
import { isolated, quoted } from "./words.js";

const PREFIX = "deniable/remembered/";
const DIGITS = 6; // of chances: their last ones, out of 2^32, depend on the order of answers

/** A wording as it reads: its letters and digits, whatever stands between them and cannot be seen. */
export function normalised(text) {
  const plain = text.normalize("NFKC").toLowerCase().replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return plain.replaceAll(/[^\p{L}\p{M}\p{N}]/gu, "") || plain.trim();
}

/** Words as they read, by which answers are told apart; as they are written where two would read the same. */
function readings(words) {
  const found = words.map(normalised);
  return new Set(found).size === words.length ? found : words;
}

/** What decides whether a lottery for a question is the same, whatever questions are called. */
function lotteryOf(question, channel) {
  const { low, high, integer } = question;
  const harmless = channel.personal.has(question.name) ? normalised(channel.personal.get(question.name)) : null;
  const chances = question.isNumber ? stepsOf(question, channel) : chancesInOrder(question, channel);
  return JSON.stringify([low, high, integer, harmless, channel.byRespondent, chances]);
}

/** The instructions of a lottery for a number. */
function stepsOf(question, { lottery }) {
  const own = (value) => (value && typeof value === "object" && !Array.isArray(value) ? value[question.name] : value);
  return lottery.map((step) => Object.entries(step).map(([key, value]) => [key, own(value) ?? null]));
}

/** The chance of each report under each answer, all in one order, in whatever order the design has them. */
function chancesInOrder(question, channel) {
  const [answers, reports] = [question.answers, reportedWords(channel, question)].map(readings);
  const [true_, reported] = [answers, reports].map((words) =>
    [...words.keys()].sort((one, other) => (words[one] < words[other] ? -1 : 1)),
  );
  const chances = matrixOf(channel, question);
  const rows = true_.map((answer) => [answers[answer], reported.map((report) => chances[answer][report].toFixed(DIGITS))]);
  return [rows, reported.map((report) => reports[report])];
}

/** Where the reports of a design's questions are kept: names of entries, by lottery and question. */
export async function entriesOf(design) {
  const found = new Map();
  const asked = new Map(); // by what they read and how they are drawn: the names of a survey's questions
  const channels = design.blocks.flatMap(({ versions }) => versions.flatMap((version) => version.channels));
  for (const channel of channels) {
    if (!found.has(channel.lottery)) found.set(channel.lottery, new Map());
    const known = found.get(channel.lottery);
    for (const question of channel.group) {
      if (known.has(question.name)) continue;
      const wording = await digestOf(normalised(question.statement ?? question.wording));
      const lottery = await digestOf(lotteryOf(question, channel));
      const alike = asked.get(wording + lottery) ?? new Set();
      asked.set(wording + lottery, alike.add(question.name));
      const place = [...alike].indexOf(question.name); // a survey that asks the same twice keeps two reports
      known.set(question.name, { wording: `${PREFIX}${wording}/`, entry: `${lottery}${place || ""}/${design.wave}` });
    }
  }
  return found;
}

/** The questions whose answers a lottery of this device disguises, and where their reports are kept. */
function disguised(page, design) {
  return design.channels.filter(drawsHere).flatMap((channel) =>
    channel.group
      .filter((question) => protection(channel, question) === "lottery")
      .map((question) => ({ channel, question, place: page.entries.get(channel.lottery).get(question.name) })),
  );
}

/** What was reported before, if it can be reported now; undefined if nothing was. */
function reportBefore(page, { channel, question, place }) {
  const kept = page.storage.getItem(place.wording + place.entry);
  if (kept === null) return undefined;
  const report = JSON.parse(kept);
  const words = reportedWords(channel, question);
  if (report === null) return question.omit ? null : undefined;
  if (words === null) return Number.isFinite(report) ? report : undefined;
  return words.includes(report) ? report : words[readings(words).indexOf(normalised(String(report)))];
}

/** The design as it is asked now: without the questions whose reports go again (`again`), which are not drawn. */
export function withoutAgain(page, design) {
  const again = disguised(page, design)
    .map((each) => ({ question: each.question, report: reportBefore(page, each) }))
    .filter(({ report }) => report !== undefined);
  if (!again.length) return { ...design, again };
  const names = new Set(again.map(({ question }) => question.name));
  const left = (group) => group.filter(({ name }) => !names.has(name));
  const channels = design.channels.map((channel) => ({ ...channel, group: left(channel.group) }));
  return {
    ...design,
    again,
    questions: left(design.questions),
    channels: channels.filter(({ group }) => group.length),
  };
}

/** Keep what a reply reports, as soon as the respondent has asked to send it. */
export function remember(page, bytes) {
  const reports = reportsIn(bytes);
  for (const { question, place } of disguised(page, sentDesign(page, reports)))
    page.storage.setItem(place.wording + place.entry, JSON.stringify(reports.get(question.name)));
}

/** Whether a reply reports other than what was sent meanwhile, from another tab, to the same question. */
export function contradicts(page, bytes) {
  const reports = reportsIn(bytes);
  return disguised(page, sentDesign(page, reports)).some((each) => {
    const before = reportBefore(page, each);
    return before !== undefined && before !== reports.get(each.question.name);
  });
}

function sentDesign({ design }, reports) {
  const versioned = design.blocks.filter(({ column }) => column !== null);
  return withVersions(design, new Map(versioned.map(({ column }) => [column, reports.get(column)])));
}

/** Whether this device keeps any report of a design: whichever version it had, as the storage itself tells. */
export function keepsAny({ entries, storage }) {
  const places = [...entries.values()].flatMap((byQuestion) => [...byQuestion.values()]);
  return places.some(({ wording, entry }) => storage.getItem(wording + entry) !== null);
}

// ---------------------------------------------------------------- in words

/** What is said of reports that go again: a box with each of them; null where there are none. */
export function againBox({ design }) {
  if (!design.again?.length) return null;
  const said = (report) => (report === null ? say("nothing (left out)") : isolated(report));
  const rows = design.again.map(({ question, report }) =>
    element("li", {}, `${isolated(question.wording)} `, element("strong", { translate: "no" }, said(report))),
  );
  return element(
    "section",
    { class: "again", "aria-label": say("Asked before") },
    element("h3", {}, say("Asked before")),
    element(
      "p",
      {},
      say(
        "You have answered this on this site before. Drawing again would reveal more about you, so the same as then is " +
          "sent, and nothing is drawn. If you do not want that, close this page: then nothing is sent.",
      ),
    ),
    element("ul", {}, rows),
  );
}

/** What the promise says of waves, and of questions that this site has asked in another way. */
export function againLines(page) {
  const { design } = page;
  const lines = page.kiosk ? [sharedWords()] : [];
  if (design.wave > 1)
    lines.push(
      say(
        "This is wave {wave} of the survey: it asks the same people again on purpose, and the lottery is drawn anew. What " +
          "you send in several waves reveals more about you than one reply.",
        { wave: design.wave },
      ),
    );
  const other = disguised(page, design).filter(({ place }) => askedOtherwise(page.storage, place, design.wave));
  if (other.length)
    lines.push(
      say("This site has asked you {questions} before, under another lottery. Two reports reveal more about you than one.", {
        questions: quoted(...other.map(({ question }) => question.wording)),
      }),
    );
  return lines;
}

function askedOtherwise(storage, { wording, entry }, wave) {
  const names = Array.from({ length: storage.length }, (_, index) => storage.key(index));
  return names.some((name) => name.startsWith(wording) && name !== wording + entry && name.endsWith(`/${wave}`));
}
