/**
 * Versions: lotteries that are drawn in the open, or chosen.
 *
 * Which version a respondent has decides what is asked, and through which lotteries. It is drawn before anything is
 * answered, and sent as it is. What respondents choose themselves is sent as it is too, and says so.
 */

import { checkedShares, firstAbove, percent } from "./chances.js";
import { figuresOf, unsound } from "./deniability.js";
import { versionedBlocks, withVersions } from "./design.js";
import { secureDraws } from "./randomness.js";
import { withoutAgain } from "./remembered.js";
import { reportsIn } from "./reply.js";
import { digits, say } from "./language.js";
import { isolated, quoted } from "./words.js";

const FEW = 3; // questions that are named

/** Draw a version of each block that is not chosen, one random number each; gives names by column. */
export function drawVersions(design, draw) {
  const drawn = versionedBlocks(design).filter((block) => !block.chosen);
  return new Map(
    drawn.map(({ column, thresholds, versions }) => {
      if (checkedShares(thresholds) === null) throw unsound();
      return [column, versions[firstAbove(thresholds, draw())].name];
    }),
  );
}

/** The blocks of which the respondent has still to choose a version. */
export function undecided(design) {
  return versionedBlocks(design).filter(({ chosen, column }) => chosen && !design.versions.has(column));
}

/** From now on the page asks, shows and says what belongs to these versions. */
export function takeVersions(page, versions, fresh = true) {
  const design = withVersions(page.design, versions);
  page.design = fresh && page.entries ? withoutAgain(page, design) : design;
  if (page.design.questions.length) page.figures = figuresOf(page.design);
}

/** Draw the versions of this device, or find those that it drew before; they are kept before anything is shown. */
export async function settleVersions(page) {
  if (page.drawer.receipt) return;
  if (!versionedBlocks(page.design).length) return takeVersions(page, page.design.versions);
  takeVersions(page, await page.drawer.keepVersions(() => drawVersions(page.design, secureDraws())));
}

/** A reply that was made before, perhaps in another tab, tells which versions it answers. */
export function takeVersionsIn(page, bytes) {
  const reports = reportsIn(bytes);
  const versions = versionedBlocks(page.design).map(({ column }) => [column, reports.get(column)]);
  takeVersions(page, new Map(versions), false);
}

// ---------------------------------------------------------------- in words

/** The same in plain words. */
export function shortVersionLines(design) {
  const found = versionedBlocks(design).filter(({ column, versions }) => design.versions.has(column) && versions.length > 1);
  if (!found.length) return [];
  if (found.some(({ chosen }) => chosen)) return [say("The protection that you chose is sent with your reply.")];
  const left = found.flatMap(({ column }) => leftOut(design, column, design.versions.get(column))).length;
  if (left === 1) return [say("Chance left one question out for you. Which one it was is sent, and says nothing about you.")];
  return left > 0
    ? [say("Chance left some questions out for you. Which ones they were is sent, and says nothing about you.")]
    : [say("Chance drew your version of this survey. Which one you have is sent, and says nothing about you.")];
}

/** What the promise says about the versions that this respondent has. */
export function versionLines(design) {
  return versionedBlocks(design)
    .filter(({ column, versions }) => design.versions.has(column) && versions.length > 1)
    .map((block) => (block.chosen ? chosenLine : drawnLine)(design, block));
}

function chosenLine(design, { column }) {
  return say(
    "You chose {version}. Your choice itself is sent in the clear and cannot be denied. All that is said below about " +
      "chances holds for what you chose.",
    { version: quoted(design.versions.get(column)) },
  );
}

function drawnLine(design, { column, thresholds, versions }) {
  const mine = versions.findIndex(({ name }) => name === design.versions.get(column));
  const shares = checkedShares(thresholds);
  const alike = Math.max(...shares) - Math.min(...shares) < 1e-6;
  const chance = alike ? say("1 in {all}", { all: versions.length }) : percent(shares[mine]); // three thirds are one
  const count = digits(versions.length);
  const where =
    design.blocks.length > 1
      ? say("Part of this survey has {count} versions.", { count })
      : say("This survey has {count} versions.", { count });
  const drawn = say(
    "When you opened this page, your device drew {version} (chance {chance}), and reloading does not draw again. Your " +
      "version is sent in the clear. It was drawn before you answered anything, so it says nothing about you.",
    { version: quoted(versions[mine].name), chance },
  );
  return `${where} ${drawn}`;
}

/** For each version of the respondent its column, and what that is called in tables. */
export function versionRows(design) {
  const blocks = versionedBlocks(design);
  return blocks.map(({ column }) => [
    column,
    blocks.length > 1 ? say("Your version ({name})", { name: isolated(column) }) : say("Your version"),
  ]);
}

/** The questions that a version does not ask, and others of its block do. */
function leftOut(design, column, name) {
  const { versions } = versionedBlocks(design).find((block) => block.column === column);
  const asked = (some) => some.flatMap(({ channels }) => channels.flatMap(({ group }) => group.map((each) => each.name)));
  const [mine, all] = [new Set(asked(versions.filter((each) => each.name === name))), new Set(asked(versions))];
  return design.all.filter((question) => all.has(question.name) && !mine.has(question.name));
}

/** A version as people read it: by the name that they chose, by what it leaves out, or by its place. */
export function versionWords(design, column, name) {
  const { chosen, versions } = versionedBlocks(design).find((block) => block.column === column);
  const place = versions.findIndex((version) => version.name === name) + 1;
  if (chosen || place === 0) return isolated(name);
  const left = leftOut(design, column, name);
  if (left.length > 0 && left.length <= FEW)
    return say("left out by chance: {questions}", { questions: quoted(...left.map(({ wording }) => wording)) });
  return say("no. {place} (drawn by chance)", { place });
}

/** What is said where some questions belong to other versions; null where there are none. */
export function notAskedWords(design) {
  const count = design.all.length - design.questions.length - design.again.length;
  if (count === 0) return null;
  if (count === 1) return say("Your version of the survey leaves out one question. Nothing is sent about it.");
  return say("Questions that your version of the survey leaves out: {count}. Nothing is sent about them.", { count });
}
