/**
 * The digit of the second round: was the model right? It is worked out from true answers and disguised, here.
 *
 * Its lottery comes with the model, as a design of one question, and the model's hash covers both.
 */

import { cellsOf, targetOf } from "./asked.js";
import { figuresOf } from "./deniability.js";
import { isWeak } from "./denial.js";
import { designOf } from "./design.js";
import { disguise, protection } from "./lottery.js";
import { chancesOf, predicted } from "./model.js";

/**
 * The lottery of a model's digit, and what can be denied under it.
 *
 * Null where the model has none, where it hardly disguises, or where the survey does not know what the model predicts.
 */
export function roundOf(design, model) {
  if (!model.round || !targetOf(design, model)) return null;
  const lottery = designOf(model.round);
  const [question, ...others] = lottery.questions;
  if (!question || others.length || question.answers?.length !== 2) return null;
  const figures = figuresOf(lottery);
  const [channel] = lottery.channels;
  if (protection(channel, question) !== "lottery" || isWeak(channel, question, figures.questions.get(question.name)))
    return null;
  return { design: lottery, channel, question, figures };
}

/** Whether the model is right (1) or not (0) about somebody with these true answers, by name. */
export function isRight(model, answers) {
  const guess = model.classes[predicted(chancesOf(model, cellsOf(model, answers)))];
  return String(guess) === String(answers.get(model.target)) ? 1 : 0;
}

/** Draw the lottery of a true digit: what it picked, and the digit that is reported. */
export function drawDigit({ design, question }, right, draw) {
  const answers = { true: new Map([[question.name, right]]) };
  const [outcome] = disguise(design, answers, draw);
  return { answers, outcome, reported: outcome.reports.get(question.name) };
}
