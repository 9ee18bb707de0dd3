/**
 * What a model asks of a respondent: a field for each of its columns, or for the answers from which one is computed.
 *
 * What is entered here is read once, neither sent nor kept.
 */

import { sourceFields, workedOut } from "./computed.js";
import { fieldFor, readAll } from "./form.js";
import { cellOf, usedColumns } from "./model.js";
import { isolated } from "./words.js";

/** A model's column as a question: with the wording of the design, and its numbers as numbers. */
function questionOf(design, column) {
  const known = design.all.find((question) => question.name === column.name);
  if (known?.computed) return known;
  const numeric = column.range !== undefined || column.numbers !== undefined;
  const [low, high] = column.range?.map(Number) ?? [known?.low ?? -Infinity, known?.high ?? Infinity];
  return {
    name: column.name,
    wording: known?.wording ?? column.name,
    answers: numeric ? null : (column.answers ?? column.words),
    shown: shownIn(known, numeric ? null : (column.answers ?? column.words)),
    isNumber: numeric,
    integer: column.integer ?? known?.integer ?? false,
    omit: column.omit ?? false,
    unseen: true,
    computed: null,
    low,
    high,
  };
}

/** A column's answers as people read them. */
function shownIn(known, answers) {
  const words = new Map(known?.answers?.map((answer, cell) => [answer, known.shown[cell]]) ?? []);
  return answers?.map((answer) => words.get(answer) ?? answer) ?? null;
}

/** The question that a model predicts, if the design has it and it has answers. */
export function targetOf(design, model) {
  return design.all.find((question) => question.name === model.target && question.answers !== null);
}

/**
 * The form of all that a model uses, and of these other questions of the design.
 *
 * `read()` gives true answers by name (words, numbers, or null where a number was left out), or null where one lacks.
 */
export function modelForm(design, model, id, others = []) {
  const questions = [...usedColumns(model).map((column) => questionOf(design, column)), ...others];
  const fields = [];
  const boxes = questions.map((question, index) => {
    if (question.computed) return sourceFields(design, question, `${id}-${index}`, [], fields);
    const field = fieldFor(question, { id: `${id}-${index}`, legend: isolated(question.wording) });
    fields.push(["true", question.name, field]);
    return field.box;
  });
  const read = () => {
    const answers = readAll(fields);
    return answers && new Map(questions.map((question) => [question.name, trueAnswer(design, question, answers)]));
  };
  return { boxes, read, clear: () => fields.forEach(([, , field]) => field.clear()) };
}

function trueAnswer(design, question, answers) {
  const { computed, isNumber, name } = question;
  const answer = computed ? workedOut(design, computed, answers.unsent) : answers.true.get(name);
  return isNumber || answer === null ? answer : question.answers[answer];
}

/** True cells of a model's columns, from true answers by name. */
export function cellsOf(model, answers) {
  return model.columns.map((column) => cellOf(column, answers.get(column.name)));
}
