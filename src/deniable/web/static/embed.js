/**
 * The disguise alone, for the pages of other survey platforms: true answers in, the bytes to send out.
 *
 * Nothing is asked, shown, kept or sent here. The page around it does that, and sees what is clicked.
 */

import { workOut } from "./computed.js";
import { channelOf, held, readDesign, versionedBlocks, withVersions } from "./design.js";
import { disguise, replyColumns, reportedWords } from "./lottery.js";
import { randomId, secureDraws } from "./randomness.js";
import { replyBytes } from "./reply.js";
import { ruleHolds } from "./skip.js";
import { drawVersions } from "./versions.js";

/** What a page gets for the one design that has this fingerprint, given as its published text. */
export function moduleOf(fingerprint, text) {
  const published = JSON.parse(text);
  const read = readDesign(text);
  const check = (design) => {
    const given = typeof design === "string" ? design : JSON.stringify(design);
    if (given !== text && given !== JSON.stringify(published))
      throw new Error(`this module disguises answers to the design ${fingerprint} and to no other; make another one`);
  };
  return {
    fingerprint,
    design: frozen(published),
    versions(design) {
      check(design);
      return Object.fromEntries(drawVersions(read, secureDraws()));
    },
    asked(design, versions = {}) {
      check(design);
      return withVersions(read, versionsIn(read, versions)).questions.map(({ name }) => name);
    },
    disguise(design, answers, personal = {}) {
      check(design);
      if (Object(answers) !== answers) throw new Error("expected the answers by the names of their questions");
      const mine = withVersions(read, versionsIn(read, answers));
      const given = answersIn(mine, answers, personal);
      const outcomes = disguise(mine, given, secureDraws());
      const bytes = replyBytes(randomId(), fingerprint, mine, replyColumns(mine, outcomes));
      for (const each of Object.values(given)) each.clear();
      return bytes;
    },
  };
}

function frozen(value) {
  if (value !== null && typeof value === "object") Object.values(Object.freeze(value)).forEach(frozen);
  return value;
}

/** The version of each block, by column; what is drawn or chosen in the open is decided before anything is asked. */
function versionsIn(design, given) {
  return new Map(
    versionedBlocks(design).map(({ column, versions }) => {
      const named = held(given, column);
      if (!versions.some(({ name }) => name === named))
        throw new Error(`expected one of the versions under ${JSON.stringify(column)}; draw them with versions(design)`);
      return [column, named];
    }),
  );
}

/** True answers in words and numbers, by name, as the lottery takes them; refusals never repeat an answer. */
function answersIn(design, answers, personal) {
  const given = { true: new Map(), personal: new Map(), unsent: new Map(), picked: new Map() };
  for (const question of design.questions.filter(({ computed }) => computed === null)) {
    const channel = channelOf(design, question);
    const { name, askIf, otherwise } = question;
    if (askIf !== null && !ruleHolds(askIf, given.true)) {
      given.true.set(name, otherwise); // who is not asked answers what the design says of such people
      continue;
    }
    if (channel.byRespondent) {
      const words = reportedWords(channel, question);
      given.picked.set(name, cellOf({ ...question, answers: words, isNumber: words === null }, held(answers, name)));
    } else given.true.set(name, cellOf(question, held(answers, name)));
    if (channel.personal.has(name) && !channel.byRespondent)
      given.personal.set(name, cellOf({ ...question, omit: false }, held(personal, name)));
  }
  const sources = new Set(design.questions.flatMap(({ computed }) => computed?.terms.map(([name]) => name) ?? []));
  for (const question of design.unsent.filter(({ name }) => sources.has(name)))
    given.unsent.set(question.name, cellOf(question, held(answers, question.name)));
  workOut(design, given);
  return given;
}

/** The cell of an answer, or the number; null where it may be left out. */
function cellOf(question, answer) {
  const { name, isNumber, integer, low, high, omit } = question;
  if (omit && (answer === null || answer === undefined)) return null;
  if (!isNumber) {
    const cell = question.answers.indexOf(answer);
    if (cell < 0) throw new Error(`expected one of the answers to ${JSON.stringify(name)}`);
    return cell;
  }
  const fits = typeof answer === "number" && answer >= low && answer <= high;
  if (!fits || (integer && !Number.isInteger(answer)))
    throw new Error(`expected ${integer ? "a whole number" : "a number"} from ${low} to ${high} for ${JSON.stringify(name)}`);
  return answer;
}
