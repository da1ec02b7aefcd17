/**
 * Worth: the number of human labels that would tell as much as the verdicts of judges do
 * (Python's `derived/worth.py`). Fisher information at the posterior mean, without a refit.
 */
import { productsOf, relabelled, type JudgedTable } from "./collapsed.ts";
import { remaining } from "./emissions.ts";
import { factorise, forward, solve } from "./envelope.ts";
import { leavesAbstentionOut } from "./naive.ts";
import type { Prior } from "./surface.ts";
import { worldsOf, type Worlds } from "./worlds.ts";

export interface Worth {
  /** Rows with labels of R and T, of those whose A is seen; Infinity when more than `n_max`, twice the rows that lack one. */
  readonly n_labels: number;
  /**
   * The same beside the labelled rows alone: what the verdicts and A on their rows add together. The
   * same number where people's labels alone have A of the other rows, too.
   */
  readonly n_labels_with_rows: number;
  readonly n_max: number;
  readonly sd_without: number;
  readonly sd_with: number;
}

/** A posterior at its means, and what was believed beforehand. */
export interface Point {
  readonly mean: (name: string) => number;
  readonly prior: (name: string) => Prior;
}

/** Rows of one group by what they show, without and with the verdicts that are weighed. */
export interface Weighed {
  readonly human: JudgedTable;
  readonly judged: JudgedTable;
}

/** A symmetric matrix, row by row, over some parameters. */
export interface Information {
  readonly names: readonly string[];
  readonly matrix: Float64Array;
}

const EDGE = 1e-6;
/** Newton's steps for a number of labels: a handful, each of which doubles the digits. */
const MOST_STEPS = 50;

/**
 * One group of a table with the verdicts of some judges, in as few patterns as that leaves. Judges
 * on whose answers theirs hang stay, and say nothing.
 */
export function withJudges(table: JudgedTable, group: number, keys: readonly string[]): JudgedTable {
  const heard = table.judges.flatMap(({ key }, i) => (keys.includes(key) ? [i] : []));
  const asked = heard.flatMap((i) => table.judges[i]?.emission?.parents ?? []);
  const kept = [...new Set([...heard, ...asked])].sort((a, b) => a - b);
  const { judges } = remaining(table.judges, kept, {});
  return relabelled(table, group, judges, (pattern) => [...pattern.slice(0, 3), ...kept.map((j) => (heard.includes(j) ? (pattern[3 + j] ?? -1) : -1))]);
}

/**
 * What verdicts are worth for one target, the weighted sum of the worlds: so many more rows
 * labelled by people, of those whose A is seen, would tell as much. A counts on both sides.
 *
 * `told` is what other groups tell of the rates, from `rateInformation`.
 */
export function verdictWorth(rows: Weighed, point: Point, weights: readonly number[], told: readonly Information[] = []): Worth {
  const { human, judged } = rows;
  const { worlds, theta, masses, gradient } = targetAt(human, point, weights);
  const whole = withPriors(informationAt(judged, point), point);
  for (const { names, matrix } of told) {
    for (const [i, a] of names.entries()) {
      for (const [j, b] of names.entries()) bump(whole, whole.names.indexOf(a), whole.names.indexOf(b), matrix[i * names.length + j] ?? 0);
    }
  }
  const variance = variances(whole, [...gradient, ...new Array<number>(whole.names.length - theta.length).fill(0)]);
  const { perRow, perLabel } = completeInformation(human, point, worlds, masses);
  const bare = withPriors(informationAt(human, point), point);
  const nMax = Math.round(2 * nOpen(human));
  const labels = labelsFor(variance, bare, perLabel, gradient, nMax);
  const besideLabelled = () => labelsFor(variance, withPriors(informationAt(labelledRows(human), point), point), perRow, gradient, nMax);
  return {
    n_labels: labels,
    n_labels_with_rows: leavesAbstentionOut(human, 0) ? besideLabelled() : labels,
    n_max: nMax,
    sd_without: Math.sqrt(variances(bare, gradient)),
    sd_with: Math.sqrt(variance),
  };
}

/**
 * The smallest number of labels that brings the variance of a target down to another; Infinity
 * when more than `nMax`. Its inverse is concave in the number, so that Newton's steps from 0 never
 * pass the answer.
 */
function labelsFor(variance: number, { names, matrix }: Information, perLabel: Float64Array, gradient: readonly number[], nMax: number): number {
  const size = names.length;
  const [whole, rows] = [new Float64Array(matrix.length), new Int32Array(size)];
  let m = 0;
  for (let i = 0; i < MOST_STEPS; i++) {
    for (let k = 0; k < whole.length; k++) whole[k] = (matrix[k] ?? 0) + m * (perLabel[k] ?? 0);
    const factor = factorise(whole, rows, Number.MIN_VALUE);
    if (!factor) return Infinity;
    const x = Float64Array.from(gradient);
    solve(factor, x);
    const left = gradient.reduce((sum, c, k) => sum + c * (x[k] ?? 0), 0);
    if (left <= variance) return m;
    let slope = 0;
    for (let j = 0; j < size; j++) for (let k = 0; k < size; k++) slope += (x[j] ?? 0) * (perLabel[j * size + k] ?? 0) * (x[k] ?? 0);
    const step = (left * (left / variance - 1)) / slope;
    m += step;
    if (!(m <= nMax)) return Infinity;
    if (step <= 1e-10 * m) return m;
  }
  return m;
}

/** What one group alone tells of the rates of judges that it shares with others; priors of these left out. */
export function rateInformation(judged: JudgedTable, point: Point): Information {
  const shared = judged.judges.filter(({ is_shared }) => is_shared).map(({ key }) => key);
  const isCommon = (name: string) => shared.some((key) => name.endsWith(`[${key}]`));
  const whole = withPriors(informationAt(judged, point), point, (name) => !isCommon(name));
  // The others first: what is left of the shared ones is the Schur complement.
  const order = [...whole.names.keys()].sort((a, b) => Number(isCommon(whole.names[a] ?? "")) - Number(isCommon(whole.names[b] ?? "")));
  const n = order.length;
  const nOwn = order.filter((i) => !isCommon(whole.names[i] ?? "")).length;
  const names = order.slice(nOwn).map((i) => whole.names[i] ?? "");
  const own = Float64Array.from({ length: nOwn * nOwn }, (_, cell) => at(whole, order[Math.floor(cell / nOwn)] ?? 0, order[cell % nOwn] ?? 0));
  const factor = factorise(own, new Int32Array(nOwn), Number.MIN_VALUE);
  const across = order.slice(nOwn).map((i) => {
    const column = Float64Array.from(order.slice(0, nOwn), (j) => at(whole, i, j));
    if (factor) forward(factor, column);
    return column;
  });
  const matrix = new Float64Array((n - nOwn) ** 2);
  for (const [a, first] of across.entries()) {
    for (const [b, other] of across.entries()) {
      matrix[a * names.length + b] = at(whole, order[nOwn + a] ?? 0, order[nOwn + b] ?? 0) - first.reduce((sum, x, i) => sum + x * (other[i] ?? 0), 0);
    }
  }
  return { names, matrix };
}

function at({ names, matrix }: Information, i: number, j: number): number {
  return matrix[i * names.length + j] ?? 0;
}

function bump({ names, matrix }: Information, i: number, j: number, by: number): void {
  if (i >= 0 && j >= 0) bumpAt(matrix, i * names.length + j, by);
}

/** What the patterns of a table are sums of, in a row: worked out once, evaluated at every point. */
interface Products {
  readonly names: readonly string[];
  /** Where the terms of each pattern start, and the exponents of each term. */
  readonly patternStart: Int32Array;
  readonly termStart: Int32Array;
  readonly exponents: Int32Array;
  readonly factors: Float64Array;
  /** Of each pattern: the parameters that the labels settle, and those that stay hidden. */
  readonly settled: readonly Int32Array[];
  readonly hidden: readonly Int32Array[];
}

const laidOut = new WeakMap<JudgedTable, Products>();

function layOut(table: JudgedTable): Products {
  const known = laidOut.get(table);
  if (known) return known;
  const { names, products } = productsOf(table);
  const [patternStart, termStart] = [[0], [0]];
  const [exponents, factors] = [[] as number[], [] as number[]];
  const [settled, hidden] = [[] as Int32Array[], [] as Int32Array[]];
  for (const terms of products) {
    for (const { held, factor } of terms) {
      exponents.push(...held);
      factors.push(factor);
      termStart.push(exponents.length);
    }
    patternStart.push(factors.length);
    const all = terms.flatMap(({ held }) => held);
    const parameters = [...new Set(all.map((e) => e >> 1))];
    const isSettled = (k: number) => [2 * k, 2 * k + 1].some((e) => terms.every(({ held }) => held.includes(e)));
    settled.push(Int32Array.from(parameters.filter(isSettled)));
    hidden.push(Int32Array.from(parameters.filter((k) => !isSettled(k))).sort());
  }
  const made: Products = {
    names,
    patternStart: Int32Array.from(patternStart),
    termStart: Int32Array.from(termStart),
    exponents: Int32Array.from(exponents),
    factors: Float64Array.from(factors),
    settled,
    hidden,
  };
  laidOut.set(table, made);
  return made;
}

/**
 * Information of rows about the logits. A factor that the labels settle adds p (1 - p). Factors that
 * stay hidden add what is expected, the outer product of their expected scores given the pattern; where
 * `isObserved`, the curvature that is observed: p (1 - p) where they have a part, less the covariance
 * of their scores. That holds where one label was bought by what another said, too.
 */
function informationOf(table: JudgedTable, mean: (name: string) => number, rows: readonly number[] = table.counts[0] ?? [], isObserved = false): Information {
  const { names, patternStart, termStart, exponents, factors, settled, hidden } = layOut(table);
  const n = names.length;
  const matrix = new Float64Array(n * n);
  // By exponent: p of parameter k at 2k, 1 - p at 2k + 1.
  const values = new Float64Array(2 * n);
  for (const [k, name] of names.entries()) {
    values[2 * k] = Math.min(1 - EDGE, Math.max(EDGE, mean(name)));
    values[2 * k + 1] = 1 - (values[2 * k] ?? 0);
  }
  const [shares, scores] = [new Float64Array(factors.length), new Float64Array(n)];
  for (let i = 0; i < settled.length; i++) {
    const count = rows[i] ?? 0;
    if (count === 0) continue;
    for (const k of settled[i] ?? []) bumpAt(matrix, k * n + k, count * (values[2 * k] ?? 0) * (values[2 * k + 1] ?? 0));
    const unknown = hidden[i];
    if (!unknown || unknown.length === 0) continue;
    for (const k of unknown) scores[k] = 0;
    const [from, until] = [patternStart[i] ?? 0, patternStart[i + 1] ?? 0];
    let total = 0;
    for (let t = from; t < until; t++) {
      let product = factors[t] ?? 0;
      for (let e = termStart[t] ?? 0; e < (termStart[t + 1] ?? 0); e++) product *= values[exponents[e] ?? 0] ?? 0;
      shares[t] = product;
      total += product;
    }
    if (total === 0) continue;
    for (let t = from; t < until; t++) {
      const share = (shares[t] ?? 0) / total;
      const own = exponents.subarray(termStart[t] ?? 0, termStart[t + 1] ?? 0);
      for (const x of own) scores[x >> 1] = (scores[x >> 1] ?? 0) + share * scoreOf(values, x);
      if (!isObserved) continue;
      for (const x of own) {
        if (!unknown.includes(x >> 1)) continue;
        const [row, here] = [(x >> 1) * n, count * share];
        bumpAt(matrix, row + (x >> 1), here * (values[x] ?? 0) * (values[x ^ 1] ?? 0));
        for (const y of own) if (unknown.includes(y >> 1)) bumpAt(matrix, row + (y >> 1), -here * scoreOf(values, x) * scoreOf(values, y));
      }
    }
    for (let a = 0; a < unknown.length; a++) {
      const [row, here] = [(unknown[a] ?? 0) * n, count * (scores[unknown[a] ?? 0] ?? 0)];
      for (let b = 0; b <= a; b++) {
        const k = unknown[b] ?? 0;
        bumpAt(matrix, row + k, here * (scores[k] ?? 0));
      }
    }
  }
  for (let a = 0; a < n; a++) for (let b = 0; b < a; b++) matrix[b * n + a] = matrix[a * n + b] ?? 0;
  return { names, matrix };
}

/** Derivative of the logarithm of an exponent's probability by the logit of its parameter. */
function scoreOf(values: Float64Array, x: number): number {
  return x & 1 ? -(values[x - 1] ?? 0) : (values[x + 1] ?? 0);
}

function bumpAt(matrix: Float64Array, cell: number, by: number): void {
  matrix[cell] = (matrix[cell] ?? 0) + by;
}

const worked = new WeakMap<Point, Map<JudgedTable, Information>>();

/** The information of rows at a point, worked out once. */
function informationAt(table: JudgedTable, point: Point): Information {
  const here = worked.get(point) ?? new Map<JudgedTable, Information>();
  worked.set(point, here);
  const known = here.get(table) ?? bothOf(table, point);
  here.set(table, known);
  return known;
}

function hollow([alpha, beta]: Prior): Prior {
  return [HOLLOW * alpha, HOLLOW * beta];
}

/** How much of what the priors know labelled rows may seem to take away before that is no peak. */
const HOLLOW = 0.5;

/**
 * What is observed of the rows that people labelled, and what is expected of the others, whose A and
 * verdicts alone are known: it grows with their number, as the curvature at a point that is not their
 * own peak need not.
 */
function bothOf(table: JudgedTable, point: Point): Information {
  const { mean } = point;
  const rows = table.counts[0] ?? [];
  const byPeople = table.patterns.map(isLabelled);
  const labelled = rows.map((count, i) => (byPeople[i] ? count : 0));
  const others = informationOf(table, mean, rows.map((count, i) => (byPeople[i] ? 0 : count)));
  const observed = informationOf(table, mean, labelled, true);
  const half: Point = { mean, prior: (name) => hollow(point.prior(name)) };
  const isPeak = factorise(withPriors(observed, half).matrix, new Int32Array(observed.names.length));
  const told = isPeak ? observed : informationOf(table, mean, labelled);
  return { names: told.names, matrix: told.matrix.map((x, k) => x + (others.matrix[k] ?? 0)) };
}

/** The information with that of the priors. */
function withPriors({ names, matrix }: Information, { mean, prior }: Point, isHeld: (name: string) => boolean = () => true): Information {
  const information = { names, matrix: Float64Array.from(matrix) };
  for (const [k, name] of information.names.entries()) {
    const p = Math.min(1 - EDGE, Math.max(EDGE, mean(name)));
    const [a, b] = prior(name);
    if (isHeld(name)) bump(information, k, k, (a + b) * p * (1 - p));
  }
  return information;
}

/** cᵀ M⁻¹ c. */
function variances({ names, matrix }: Information, c: readonly number[]): number {
  const factor = factorise(matrix, new Int32Array(names.length), Number.MIN_VALUE);
  const x = Float64Array.from(c);
  if (factor) forward(factor, x);
  return x.reduce((total, value) => total + value * value, 0);
}

/** The worlds with their masses at the mean, and the target's derivatives by the logits of theta. */
function targetAt({ levels }: JudgedTable, { mean }: Point, weights: readonly number[]) {
  const worlds = worldsOf(levels);
  const theta = worlds.parameters.map((name) => Math.min(1 - EDGE, Math.max(EDGE, mean(name))));
  const masses = worlds.held.map((said) => said.reduce((p, [k, yes]) => p * (yes ? (theta[k] ?? 0) : 1 - (theta[k] ?? 0)), 1));
  const gradient = theta.map(() => 0);
  for (const [w, said] of worlds.held.entries()) {
    for (const [k, yes] of said) gradient[k] = (gradient[k] ?? 0) + (weights[w] ?? 0) * (masses[w] ?? 0) * (Number(yes) - (theta[k] ?? 0));
  }
  return { worlds, theta, masses, gradient };
}

/** Kinds of row with labels of R, A and T, one for each world; and those where A alone was seen. */
const kinds = new WeakMap<readonly string[], { readonly complete: JudgedTable; readonly seen: JudgedTable }>();

function kindsOf(levels: readonly string[], worlds: Worlds) {
  const known = kinds.get(levels);
  if (known) return known;
  const patterns = worlds.held.map((_, w) => [worlds.level[w] ?? 0, Number(worlds.abstained[w]), worlds.abstained[w] ? -1 : Number(worlds.right[w])]);
  const made = {
    complete: { levels, judges: [], patterns, counts: [] },
    seen: { levels, judges: [], patterns: [[-1, 0, -1], [-1, 1, -1]], counts: [] },
  };
  kinds.set(levels, made);
  return made;
}

/** Expected information of one row with labels of R, A and T, and of those of R and T where A was seen. */
function completeInformation({ levels }: JudgedTable, { mean }: Point, worlds: Worlds, masses: readonly number[]) {
  const { complete, seen } = kindsOf(levels, worlds);
  const declined = masses.reduce((sum, p, w) => sum + (worlds.abstained[w] ? p : 0), 0);
  const perRow = informationOf(complete, mean, masses).matrix;
  const alone = informationOf(seen, mean, [1 - declined, declined]).matrix;
  return { perRow, perLabel: perRow.map((x, i) => x - (alone[i] ?? 0)) };
}

/** Whether a person said R or T. */
function isLabelled([retrieval = -1, , task = -1]: readonly number[]): boolean {
  return retrieval >= 0 || task >= 0;
}

const labelled = new WeakMap<JudgedTable, JudgedTable>();

/** The rows of which a person said R or T. */
function labelledRows(human: JudgedTable): JudgedTable {
  const rows = () => human.patterns.map((pattern, i) => (isLabelled(pattern) ? (human.counts[0]?.[i] ?? 0) : 0));
  const made = labelled.get(human) ?? { ...human, counts: [rows()] };
  labelled.set(human, made);
  return made;
}

/** Rows that lack a label of R or T. */
function nOpen({ patterns, counts }: JudgedTable): number {
  const isOpen = ([retrieval = -1, abstention = -1, task = -1]: readonly number[]) => retrieval < 0 || (task < 0 && abstention !== 1);
  return patterns.reduce((total, pattern, i) => total + (isOpen(pattern) ? (counts[0]?.[i] ?? 0) : 0), 0);
}
