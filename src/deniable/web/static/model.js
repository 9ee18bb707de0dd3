/**
 * A published model, applied to true answers on the device of the one who gave them.
 *
 * A decision tree follows the answers to a leaf; naive Bayes lets each answer speak for a class as if it
 * were alone. An answer that nobody had given (cell -2) says nothing. Who leaves a number out (cell -1) goes on to
 * every child by its share of people. Nothing here sends anything.
 */

const LEAST = 1e-300;
const ROUNDING = 1e-12; // of chances: those that differ by less are equal
const MAX_NODES = 100000;
const LEFT_OUT = -1;
const UNKNOWN = -2;

/** The model in this text, checked as far as predicting needs it. */
export function readModel(text) {
  const model = JSON.parse(text);
  const sound = model?.deniable_model === 1 && Object.hasOwn(KINDS, model.kind) && Array.isArray(model.columns);
  if (!sound || !Array.isArray(model.classes)) throw new Error("This is no model that the page knows how to apply.");
  if (model.kind === "tree") checkTree(model.nodes);
  return model;
}

/** The columns that can change what a model says, by index: those of a tree's splits; those whose answers tell classes apart. */
export function usedColumns(model) {
  const used =
    model.kind === "tree"
      ? new Set(model.nodes.map(({ question }) => question))
      : new Set(model.chances.flatMap((cells, index) => (cells.some(differs) ? [index] : [])));
  return model.columns.filter((_, index) => used.has(index));
}

function differs(shares) {
  return shares.some((share) => share !== shares[0]);
}

/** The cell of a true answer: answers are words, or numbers where the column has a range, or null if left out. */
export function cellOf(column, answer) {
  if (answer === null && column.omit) return LEFT_OUT;
  if (column.numbers) return column.numbers.filter((mark) => Number(mark) < answer).length;
  if (column.words) return known(column.words.indexOf(answer));
  if (column.range) return column.edges.slice(1, -1).filter((edge) => Number(edge) <= answer).length;
  return known(column.answers.indexOf(answer));
}

function known(index) {
  return index < 0 ? UNKNOWN : index;
}

/** The chance of each class for one person, given one true cell per column. */
export function chancesOf(model, cells) {
  return KINDS[model.kind](model, cells);
}

/** The index of the most likely class; of equal ones the first. */
export function predicted(chances) {
  const least = Math.max(...chances) - ROUNDING;
  return chances.findIndex((chance) => chance >= least);
}

const KINDS = {
  tree: (model, cells) => sharesAt(model.nodes, model.nodes[0], cells),
  bayes: (model, cells) => asChances(products(model, cells)),
};

/** The shares of the classes where these cells lead from a node. */
function sharesAt(nodes, node, cells) {
  while (node.question !== undefined) {
    const cell = cells[node.question];
    const branch = node.parts.findIndex((part) => part.includes(cell));
    if (branch < 0) return cell === LEFT_OUT ? mixed(nodes, node, cells) : node.shares;
    node = nodes[node.children[branch]];
  }
  return node.shares;
}

/** The shares of all children, each by its people. */
function mixed(nodes, node, cells) {
  const children = node.children.map((index) => nodes[index]);
  const sizes = children.map(({ counts }) => counts.reduce((sum, count) => sum + count, 0));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  if (!(total > 0)) return node.shares;
  const below = children.map((child) => sharesAt(nodes, child, cells));
  return node.shares.map((_, index) =>
    sizes.reduce((sum, size, child) => sum + (size / total) * below[child][index], 0),
  );
}

/** Nodes stand before their children, so no walk goes round in circles. */
function checkTree(nodes) {
  const sound = (node, index) =>
    node.question === undefined || node.children.every((child) => index < child && child < nodes.length);
  if (!Array.isArray(nodes) || nodes.length > MAX_NODES || !nodes.every(sound)) {
    throw new Error("The model's tree is no tree.");
  }
}

/** The prior times all chances of the answers, by class, as multiples of the largest. */
function products(model, cells) {
  const logs = model.priors.map(logOf);
  const negative = model.priors.map((prior) => prior < 0);
  model.chances.forEach((shares, column) => {
    if (cells[column] < 0) return;
    shares[cells[column]].forEach((share, index) => {
      logs[index] += logOf(share);
      negative[index] = negative[index] !== share < 0;
    });
  });
  const largest = Math.max(...logs);
  return logs.map((log, index) => (negative[index] ? -Math.exp(log - largest) : Math.exp(log - largest)));
}

/** Products as chances; where all are negative, the largest has it all. */
function asChances(scores) {
  const kept = scores.map((score) => Math.max(score, 0));
  const positive = kept.some((score) => score > 0);
  const shares = positive ? kept : scores.map((score) => (score === Math.max(...scores) ? 1 : 0));
  const total = shares.reduce((sum, share) => sum + share, 0);
  return shares.map((share) => share / total);
}

function logOf(share) {
  return Math.log(Math.max(Math.abs(share), LEAST));
}
