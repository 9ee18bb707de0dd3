/**
 * The choice of a language, at the top of the page: what is shown changes, and what was entered stays.
 *
 * The choice stands behind the # of the address, which is never sent.
 */

import { designOf, languagesOf } from "./design.js";
import { button, element } from "./element.js";
import { bestOf, dayWords, directionOf, foreignLanguageOf, leaveIn, nameOf, ownLanguage, say, speak, spoken } from "./language.js";
import { takeVersions } from "./versions.js";

/** The language of the address, if it is one of these; else the one that the browser's owner reads best. */
export function chosenLanguage(languages) {
  const wanted = new URLSearchParams(location.hash.slice(1)).get("lang");
  return bestOf(languages, [wanted, ...(navigator.languages ?? [])].filter(Boolean));
}

/** Everything outside the steps, in the language that is shown. */
export function showLanguage(page) {
  leaveIn(languagesOf(page.published)[0], untranslated(page));
  const { documentElement: root } = document;
  root.lang = spoken();
  root.dir = directionOf(spoken());
  document.title = page.design.title || say("A survey");
  const title = document.querySelector("h1 bdi");
  title.textContent = page.design.title || say("A survey");
  title.lang = foreignLanguageOf(page.design.title) ?? spoken();
  document.querySelectorAll("[data-say]").forEach((each) => {
    each.textContent = say(each.dataset.say);
    if (ownLanguage() !== spoken()) each.lang = ownLanguage();
  });
  document.querySelectorAll("footer time").forEach((each) => {
    each.textContent = dayWords(each.getAttribute("datetime"));
  });
  document.getElementById("languages").replaceChildren(...choiceOf(page));
}

/** Words that the translation shown lacks, which stand in the design's own language: they are read out in that. */
function untranslated(page) {
  const [own, translated] = [designOf(page.published), page.design].map(wordsOf);
  return spoken() === languagesOf(page.published)[0] ? [] : own.filter((word, place) => word && word === translated[place]);
}

function wordsOf({ title, text, all }) {
  const ofQuestions = all.flatMap((each) => [each.wording, each.section, each.help, each.multiple, each.matrix, each.shown ?? []]);
  return [title, ...["intro", "consent", "contact", "help", "thanks"].map((key) => text[key]), ...ofQuestions].flat();
}

function choiceOf(page) {
  const languages = languagesOf(page.published);
  if (languages.length < 2) return [];
  const made = languages.map((language) => {
    const each = button(nameOf(language), () => change(page, language), "quiet");
    each.lang = language;
    if (language === spoken()) each.setAttribute("aria-current", "true");
    return each;
  });
  return [element("nav", { "aria-label": say("Language") }, made)];
}

function change(page, language) {
  speak(language);
  history.replaceState(history.state, "", `#lang=${language}`);
  const entered = enteredIn();
  const { versions } = page.design;
  page.design = designOf(page.published, language);
  takeVersions(page, versions, page.drawer.bytes === null && !page.drawer.receipt);
  showLanguage(page);
  page.translated();
  enter(entered);
  document.querySelector("#languages [aria-current]")?.focus();
}

/** What stands in the fields now, by id; in memory for a moment, and nowhere else. */
function enteredIn() {
  const fields = [...document.querySelectorAll("#step input, #step select")];
  return new Map(fields.map((each) => [each.id, each.type === "radio" || each.type === "checkbox" ? each.checked : each.value]));
}

function enter(entered) {
  for (const [id, value] of entered) {
    const field = id && document.getElementById(id);
    if (!field) continue;
    if (typeof value === "boolean") field.checked = value;
    else field.value = value;
  }
  document.querySelector("#step form")?.dispatchEvent(new Event("input"));
}
