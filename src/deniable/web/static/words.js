/**
 * Collector's words within the page's own sentences.
 *
 * A word that runs from right to left, or one that turns the writing round, must not reach beyond itself. So it stands
 * between two marks (U+2068, U+2069) in every text, and in a <bdi> of its own wherever a text becomes part of the page.
 */

import { listed, say } from "./language.js";

const ISOLATE = /\u2068([^\u2068\u2069]*)\u2069/;

/** A collector's word, apart from what stands around it. */
export function isolated(word) {
  return `\u2068${String(word).replaceAll(/[\u2068\u2069]/g, "")}\u2069`;
}

/** The same in quotation marks; several in a row. */
export function quoted(...words) {
  return listed(words.map((word) => say("“{word}”", { word: isolated(word) })));
}

/** A text in parts: those at odd places are collector's words. */
export function partsOf(text) {
  return text.split(ISOLATE);
}
