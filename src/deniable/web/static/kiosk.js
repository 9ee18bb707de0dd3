/**
 * Devices that people share, such as tablets at a counter or an interviewer's: nothing is kept on them.
 *
 * What a page must know until its reply has arrived lives in its memory alone; after each reply, and when somebody has
 * walked away, the page is loaded afresh.
 */

import { announce, button, element } from "./element.js";
import { say, secondsWords } from "./language.js";
import { randomId } from "./randomness.js";

const AFRESH_SECONDS = 20; // after a reply
const IDLE_SECONDS = 90; // after the last touch of somebody who has begun to answer
const WARN_SECONDS = 20; // before that
const TOUCHES = ["pointerdown", "keydown", "input", "wheel", "scroll", "touchmove"];

/** Storage that ends with the page. */
export class Memory {
  constructor() {
    this.entries = new Map();
  }

  get length() {
    return this.entries.size;
  }

  key(index) {
    return [...this.entries.keys()][index] ?? null;
  }

  getItem(name) {
    return this.entries.get(name) ?? null;
  }

  setItem(name, text) {
    this.entries.set(name, String(text));
  }

  removeItem(name) {
    this.entries.delete(name);
  }
}

/** Where a drawer keeps things on a shared device, and whose they are: in memory, and the present person's. */
export function inMemory() {
  return [new Memory(), `/${randomId()}`];
}

/** What is said on a shared device before anything is asked. */
export function sharedWords() {
  return say(
    "This device is shared, so nothing stays on it: neither answers, nor what is sent, nor a receipt. Please finish before " +
      "you leave: if the page is closed or reloaded before your reply is received, nothing of it is left, and nothing was sent.",
  );
}

/** Load the page afresh, for the next person. */
export function afresh() {
  location.reload();
}

/** The same by itself: a while after the reply was received. */
export function soonAfresh() {
  setTimeout(afresh, 1000 * AFRESH_SECONDS);
}

/** The same when somebody has begun to answer and walked away; not while a reply waits to be sent. */
export function watchIdle(page) {
  let timer = null;
  const warning = element("div", { class: "still-there", role: "alert" });
  const leave = () => (page.drawer.sending ? touched() : afresh());
  const warn = () => {
    if (page.drawer.sending) return touched();
    const words = say("Are you still there? This page starts afresh in {seconds}.", { seconds: secondsWords(WARN_SECONDS) });
    warning.replaceChildren(element("p", {}, words), button(say("I am still here"), () => touched(), "main"));
    document.body.append(warning);
    timer = setTimeout(leave, 1000 * WARN_SECONDS);
    return announce(words);
  };
  const touched = (event) => {
    if (event && warning.contains(event.target)) return; // its button has not been released yet
    clearTimeout(timer);
    warning.remove();
    timer = setTimeout(warn, 1000 * (IDLE_SECONDS - WARN_SECONDS));
  };
  for (const kind of TOUCHES) addEventListener(kind, touched, { passive: true, capture: true });
}
