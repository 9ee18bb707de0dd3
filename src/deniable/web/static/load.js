/**
 * What the page needs before anything is asked: a browser that can keep the promises, and the very design.
 */

import { figuresOf } from "./deniability.js";
import { roundOf } from "./digit.js";
import { checkedDesign, designOf, digestOf, languagesOf } from "./design.js";
import { say, speak, spoken } from "./language.js";
import { readModel } from "./model.js";
import { chosenLanguage } from "./tongue.js";

/** What a browser must have for the promises to hold; otherwise nothing is asked. */
export function checkBrowser() {
  if (!globalThis.isSecureContext || !globalThis.crypto?.subtle || !globalThis.crypto.getRandomValues) {
    throw new Error(
      say(
        "This page was not opened over a secure connection, or the browser has no cryptography. " +
          "Answers could not be disguised safely, so nothing is asked.",
      ),
    );
  }
  if (!globalThis.navigator.locks)
    throw new Error(say("This browser is too old to disguise answers exactly once. Nothing is asked."));
  try {
    localStorage.setItem("deniable", "");
    localStorage.removeItem("deniable");
  } catch {
    throw new Error(
      say(
        "This browser does not let the page keep the disguised reply, so it could not promise to send the same one " +
          "twice. Nothing is asked. (Site data may be blocked in the browser’s settings.)",
      ),
    );
  }
}

async function fetched(path) {
  const options = { credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
  const answer = await fetch(path, options).catch(() => null);
  if (!answer?.ok) throw new Error(say("The survey could not be loaded. Please try again later."));
  return answer.text();
}

/** All that the page rests on: from the site, or from the page itself where it was downloaded as one file. */
export async function load() {
  const embedded = document.getElementById("embedded");
  if (embedded) {
    const { design, fingerprint, site } = JSON.parse(embedded.textContent);
    const status = { open: true, invitations: false, model: null };
    return {
      fingerprint,
      base: `${site}/survey/${fingerprint}`,
      ...promised(await checkedDesign(design, fingerprint)),
      status,
      alone: true,
    };
  }
  const [base, fingerprint] = location.pathname.match(/^.*\/survey\/([0-9a-f]{64})/) ?? [];
  if (!fingerprint) throw new Error(say("The address of this survey is not complete."));
  const [design, status] = await Promise.all(
    ["design.json", "status.json"].map((name) => fetched(`${base}/${name}`)),
  );
  const page = {
    fingerprint,
    base,
    ...promised(await checkedDesign(design, fingerprint)),
    status: JSON.parse(status),
  };
  return page.status.model ? { ...page, ...(await loadModel(page)) } : page;
}

/** A design, and what can be denied under it: figures that come from nowhere but the design. */
function promised(published) {
  speak(chosenLanguage(languagesOf(published)));
  const design = designOf(published, spoken());
  return { published, design, figures: figuresOf(design) };
}

/** The published model and its second round, if the bytes are those that the site named. They come used or not. */
async function loadModel(page) {
  try {
    const text = await fetched(`${page.base}/model.json`);
    if ((await digestOf(text)) !== page.status.model) return {};
    const model = readModel(text);
    return { model, round: roundOf(page.design, model) };
  } catch {
    return {};
  }
}
