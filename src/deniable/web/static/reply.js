/**
 * A reply: the exact bytes that are sent.
 *
 * Encryption hides what is sent, not how much. So every reply is padded with spaces to the longest one of its design.
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
  const text = spelled(
    id,
    fingerprint,
    reports.map(([name, report]) => [name, JSON.stringify(report)]),
  );
  return text + " ".repeat(length - bytesIn(text));
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

/** The bytes of the second round: the disguised digit, 0 or 1, and nothing else about anybody. */
export function followUpBytes(id, fingerprint, model, reported) {
  return `{"id":"${id}","design":"${fingerprint}","model":"${model}","reported":${reported}}`;
}

/** What a reply reports, by question name. */
export function reportsIn(bytes) {
  return new Map(Object.entries(JSON.parse(bytes).answers));
}
