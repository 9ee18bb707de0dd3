/**
 * A reply: the exact bytes that are sent, kept on the device until they have arrived.
 *
 * Encryption hides what is sent, not how much. So every reply is padded with spaces to the longest one of its design.
 *
 * Answers are disguised once. What is kept holds disguised answers only; after the receipt nothing of it stays.
 */

import { versionedBlocks } from "./design.js";
import { reportedWords } from "./lottery.js";

const LONGEST_NUMBER = 25; // characters of a number in JSON: -0.0000012345678901234567

/** The bytes of a reply, as text: its random id, the design's fingerprint, the reported answers in order, and spaces. */
export function replyBytes(id, fingerprint, design, reports) {
  const longest = [
    ...versionedBlocks(design).map(({ column, versions }) => [column, longestOf(versions.map(({ name }) => name))]),
    ...design.all.map((question) => [question.name, longestReport(design, question)]),
  ];
  const length = bytesIn(spelled(id, fingerprint, longest));
  const told = spelled(
    id,
    fingerprint,
    reports.map(([name, report]) => [name, JSON.stringify(report)]),
  );
  return told + " ".repeat(length - bytesIn(told));
}

/** A reply in JSON; answers are given as [name, JSON]. */
function spelled(id, fingerprint, answers) {
  const pairs = answers.map(([name, answer]) => `${JSON.stringify(name)}:${answer}`);
  return `{"id":"${id}","design":"${fingerprint}","answers":{${pairs.join(",")}}}`;
}

/** The longest answer that can be reported in any version, as JSON; any number as long as the longest of all. */
function longestReport(design, question) {
  if (question.isNumber) return "0".repeat(LONGEST_NUMBER);
  const asks = (channel) => channel.group.includes(question);
  const { versions } = design.blocks.find((block) => block.versions.some(({ channels }) => channels.some(asks)));
  const found = versions.map(({ channels }) => channels.find(asks));
  const words = found.flatMap((channel) => (channel ? reportedWords(channel, question) : [null]));
  return longestOf(question.omit ? [...words, null] : words);
}

function longestOf(words) {
  const spelt = [...new Set(words)].map((word) => JSON.stringify(word));
  return spelt.reduce((longest, each) => (bytesIn(each) > bytesIn(longest) ? each : longest));
}

function bytesIn(text) {
  return new TextEncoder().encode(text).length;
}

/** The bytes of a follow-up: whether the model was right, and nothing else. */
export function followUpBytes(id, fingerprint, model, correct) {
  return `{"id":"${id}","design":"${fingerprint}","model":"${model}","correct":${correct ? 1 : 0}}`;
}

/** What a reply reports, by question name. */
export function reportsIn(bytes) {
  return new Map(Object.entries(JSON.parse(bytes).answers));
}

/** The drawer of this device in which one survey keeps its reply, or the receipt for it. */
export class Drawer {
  constructor(fingerprint, kind = "reply", storage = globalThis.localStorage) {
    this.fingerprint = fingerprint;
    this.name = `deniable/${fingerprint}/${kind}`;
    this.storage = storage;
  }

  /** The disguised bytes that wait to arrive, or null. */
  get bytes() {
    return this.storage.getItem(this.name);
  }

  /** Whether the respondent has asked to send them. */
  get sending() {
    return this.storage.getItem(`${this.name}/sending`) !== null;
  }

  /** The versions that were drawn in the open when the page was first opened, by column; null if there are none yet. */
  get versions() {
    const kept = JSON.parse(this.storage.getItem(`${this.name}/versions`));
    return kept && new Map(kept);
  }

  /** The versions that are kept, in this tab or another; `make` draws them where there are none, and never again. */
  keepVersions(make) {
    return this.alone(() => {
      const versions = this.versions ?? make();
      if (!this.receipt && versions.size) this.storage.setItem(`${this.name}/versions`, JSON.stringify([...versions]));
      return versions;
    });
  }

  /** The receipt, or null. */
  get receipt() {
    return JSON.parse(this.storage.getItem(`${this.name}/receipt`));
  }

  /** The one-use invitation that goes with the reply, or null. */
  get invitation() {
    return this.storage.getItem(`${this.name}/invitation`);
  }

  set invitation(invitation) {
    if (invitation) this.storage.setItem(`${this.name}/invitation`, invitation);
    else this.storage.removeItem(`${this.name}/invitation`);
  }

  /**
   * Keep bytes unless there are some already, in this tab or another; gives those that are kept.
   *
   * There are none after the receipt, or where `make` gives null because the respondent has left.
   */
  keep(make) {
    return this.alone(() => {
      if (this.receipt) return null;
      const made = this.bytes ?? make();
      if (made !== null) this.storage.setItem(this.name, made);
      return made;
    });
  }

  /** Remember that the respondent has asked to send, if anything waits to be sent. */
  send() {
    if (this.bytes !== null) this.storage.setItem(`${this.name}/sending`, "yes");
  }

  /** The bytes were refused: they stay, and wait for the respondent to ask again. */
  refused() {
    this.storage.removeItem(`${this.name}/sending`);
  }

  /** Forget bytes that were never sent and that no lottery drew: they can be worked out again. */
  drop() {
    this.storage.removeItem(this.name);
  }

  /** The bytes have arrived: a receipt takes their place. */
  arrived(day) {
    const receipt = { design: this.fingerprint, day, received: true };
    this.storage.setItem(`${this.name}/receipt`, JSON.stringify(receipt));
    for (const part of ["", "/sending", "/invitation", "/versions"]) this.storage.removeItem(`${this.name}${part}`);
    return receipt;
  }

  /** Do something while no other tab does. */
  alone(work) {
    return globalThis.navigator.locks.request(this.name, work);
  }
}
