/**
 * Languages: the page's own words, and which of a design's languages is shown.
 *
 * Sentences stand in the program in English. In another language they are looked up, word for word; what is not found
 * stays English. Which language somebody reads is neither kept nor sent.
 */

import { ARABIC } from "./arabic.js";
import { FRENCH } from "./french.js";
import { GERMAN } from "./german.js";
import { SPANISH } from "./spanish.js";

const BOOKS = { en: {}, de: GERMAN, fr: FRENCH, es: SPANISH, ar: ARABIC };
const FROM_THE_RIGHT = ["ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"];
const shown = { language: "en", book: BOOKS.en, foreign: new Set(), foreignLanguage: "en" };

/** From now on the page speaks this language. */
export function speak(language) {
  shown.language = language;
  shown.book = BOOKS[root(language)] ?? BOOKS.en;
}

/** The language that is shown. */
export function spoken() {
  return shown.language;
}

/** From now on these words of the collector's are in another language than the one that is shown. */
export function leaveIn(language, words) {
  shown.foreign = new Set(words);
  shown.foreignLanguage = language;
}

/** The language of a collector's word, where it is not the one that is shown; null where it is. */
export function foreignLanguageOf(word) {
  return shown.foreign.has(word) ? shown.foreignLanguage : null;
}

/** The language of the page's own words: it has some in five. */
export function ownLanguage() {
  return Object.hasOwn(BOOKS, root(shown.language)) ? root(shown.language) : "en";
}

/** Whether a language is written from right to left. */
export function directionOf(language) {
  return FROM_THE_RIGHT.includes(root(language)) ? "rtl" : "ltr";
}

/** One of the page's own sentences in the language that is shown, with values in place of {names}. */
export function say(text, values = {}) {
  const found = shown.book[text] ?? text;
  return found.replaceAll(/\{(\w+)\}/g, (whole, name) => (Object.hasOwn(values, name) ? String(values[name]) : whole));
}

/** Several things in a row, as the language joins them: one, two; nothing where there are none. */
export function listed(parts, join = (all, next) => say("{all}, {next}", { all, next })) {
  return parts.length ? parts.reduce((all, next) => join(all, next)) : "";
}

/** The same where any one of them may be meant. */
export function either(parts) {
  return listed(parts, (all, next) => say("{all} or {next}", { all, next }));
}

/** The same for parts of a sentence that have commas of their own. */
export function clauses(parts) {
  return listed(parts, (all, next) => say("{all}; {next}", { all, next }));
}

/** A number as the language writes it, in digits that everybody reads. */
export function digits(number, options = {}) {
  return number.toLocaleString(`${ownLanguage()}-u-nu-latn`, options);
}

/** So many seconds as the language says it: 1 second, 5 seconds. In Arabic the word would change with its sentence: 5 s. */
export function secondsWords(seconds) {
  return digits(seconds, { style: "unit", unit: "second", unitDisplay: ownLanguage() === "ar" ? "short" : "long" });
}

/** A day (2027-12-31) as the language writes it. */
export function dayWords(day) {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime())) return day;
  const format = new Intl.DateTimeFormat(`${ownLanguage() === "en" ? "en-GB" : ownLanguage()}-u-ca-gregory-nu-latn`, {
    dateStyle: "long",
    timeZone: "UTC",
  });
  return format.format(date);
}

/** The best of some languages for somebody who reads these, best first; the first where none fits. */
export function bestOf(languages, read) {
  for (const wanted of read) {
    const same = languages.find((each) => each.toLowerCase() === wanted.toLowerCase());
    const near = same ?? languages.find((each) => root(each) === root(wanted));
    if (near) return near;
  }
  return languages[0];
}

/** What a language calls itself. */
export function nameOf(language) {
  try {
    return new Intl.DisplayNames([language], { type: "language" }).of(language) ?? language;
  } catch {
    return language;
  }
}

function root(language) {
  return language.toLowerCase().split("-")[0];
}
