/**
 * The log density of logits, with its gradient and curvature (Python's `inference/surface.py`).
 *
 * Share the rows of each mixed pattern among its products, count the labels that they stand for,
 * and the gradient is labels seen less labels expected. What that sharing leaves uncertain is
 * subtracted from the curvature of complete labels (Louis 1982). Products that many patterns
 * have in parts (worlds, what the judges of one truth say) are worked out once.
 */
import type { Collapsed, Kind } from "./collapsed.ts";

/** Which numbers occur where; what it costs to find out is paid once for a table. */
export interface Structure {
  readonly collapsed: Collapsed;
  /** Columns that occur in mixed patterns, each group's own first. */
  readonly columns: readonly number[];
  /** Parts of products: where each starts among exponents; part 0 is empty. */
  readonly partStart: Int32Array;
  readonly partExponents: Int32Array;
  /** Four parts for each term: theta, then the judges of each truth. */
  readonly termParts: Int32Array;
  readonly factors: Float64Array;
  /** Where the terms of each pattern start. */
  readonly patternStart: Int32Array;
}

/** A density of the logits of columns that are free, the others held where they are. */
export interface Surface {
  readonly structure: Structure;
  /** Rows of each mixed pattern, or the power of a part of the prior, which may be negative. */
  readonly rows: Float64Array;
  /** Of priors and labels known for sure, by place in `structure.columns`. */
  readonly alpha: Float64Array;
  readonly beta: Float64Array;
  /** Places that move, and where each one's row starts in an envelope of them. */
  readonly free: Int32Array;
  readonly first: Int32Array;
  readonly space: Space;
}

interface Space {
  /** Logits of all places; those that are not free stay. */
  readonly logits: Float64Array;
  /** p and 1 - p of each place in turn, and their logarithms. */
  readonly probabilities: Float64Array;
  readonly logs: Float64Array;
  readonly parts: Float64Array;
  readonly counted: Float64Array;
  readonly labels: Float64Array;
  readonly shares: Float64Array;
}

export type Prior = readonly [alpha: number, beta: number];

const PARTS = ["theta", "retrieval", "abstention", "task"] as const satisfies readonly Kind[];
/** Below this a sum of products is taken in logarithms. */
const TINY = 1e-250;
/** The fewest labels that EM takes an answer to have. */
const LEAST_LABELS = 0.01;
/** As near to 0 and 1 as a probability may be held. */
const EDGE = 1e-9;

/** The mixed patterns of a table, laid out for evaluation. */
export function structureOf(collapsed: Collapsed): Structure {
  const columns = collapsed.owners.flatMap((_, column) => (collapsed.mixing[column] ? [column] : []));
  const place = new Map(columns.map((column, i) => [column, i]));
  const known = new Map<string, number>([["", 0]]);
  const [starts, exponents] = [[0, 0], [] as number[]];
  const part = (held: readonly number[]): number => {
    const key = held.join();
    const found = known.get(key);
    if (found !== undefined) return found;
    known.set(key, known.size);
    exponents.push(...held.map((e) => 2 * (place.get(e >> 1) ?? 0) + (e & 1)));
    starts.push(exponents.length);
    return known.size - 1;
  };
  const kindOf = (e: number) => collapsed.kinds[collapsed.owners[e >> 1]?.[1] ?? 0];
  const [parts, factors, patternStart] = [[] as number[], [] as number[], [0]];
  for (const { terms } of collapsed.mixed) {
    for (const { held, factor } of terms) {
      for (const kind of PARTS) parts.push(part(held.filter((e) => kindOf(e) === kind)));
      factors.push(factor);
    }
    patternStart.push(factors.length);
  }
  return {
    collapsed,
    columns,
    partStart: Int32Array.from(starts),
    partExponents: Int32Array.from(exponents),
    termParts: Int32Array.from(parts),
    factors: Float64Array.from(factors),
    patternStart: Int32Array.from(patternStart),
  };
}

/**
 * The density under these priors, with some probabilities held.
 *
 * `prior` and `pin` take a parameter's name; a pin is null where the parameter is free. Rates of
 * judges may be held, theta may not.
 */
export function surfaceOf(structure: Structure, prior: (name: string) => Prior, pin: (name: string) => number | null): Surface {
  const { collapsed, columns, factors, partStart } = structure;
  const { owners, names, kinds, ones, zeros, mixed } = collapsed;
  const n = columns.length;
  const [alpha, beta, logits] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const free: number[] = [];
  for (const [i, column] of columns.entries()) {
    const name = names[owners[column]?.[1] ?? 0] ?? "";
    const [group = -1, parameter = 0] = owners[column] ?? [];
    // The priors of a tree walked the other way round stand in its patterns.
    const isTurned = collapsed.reversed[group] && kinds[parameter] === "theta";
    const [a, b] = isTurned ? [0, 0] : prior(name);
    alpha[i] = a + (ones[column] ?? 0);
    beta[i] = b + (zeros[column] ?? 0);
    const held = isTurned ? null : pin(name);
    if (held === null) free.push(i);
    else logits[i] = logit(Math.min(1 - EDGE, Math.max(EDGE, held)));
  }
  const groups = free.map((i) => owners[columns[i] ?? 0]?.[0] ?? -1);
  const first = Int32Array.from(groups, (group) => (group < 0 ? 0 : groups.indexOf(group)));
  const make = (size: number) => new Float64Array(size);
  const space = {
    logits,
    probabilities: make(2 * n),
    logs: make(2 * n),
    parts: make(partStart.length - 1),
    counted: make(partStart.length - 1),
    labels: make(2 * n),
    shares: make(factors.length),
  };
  const rows = Float64Array.from(mixed, ({ rows: seen, power }) => (power ? power(prior) : seen));
  return { structure, rows, alpha, beta, free: Int32Array.from(free), first, space };
}

export function logit(p: number): number {
  return Math.log(p) - Math.log1p(-p);
}

function fill({ structure, free, space }: Surface, z: Float64Array): void {
  const { logits, probabilities, logs, parts } = space;
  for (let k = 0; k < free.length; k++) logits[free[k] ?? 0] = z[k] ?? 0;
  for (let i = 0; i < logits.length; i++) {
    const y = logits[i] ?? 0;
    const small = Math.exp(-Math.abs(y));
    const [near, far, rest] = [1 / (1 + small), small / (1 + small), Math.log1p(small)];
    probabilities[2 * i] = y >= 0 ? near : far;
    probabilities[2 * i + 1] = y >= 0 ? far : near;
    logs[2 * i] = Math.min(y, 0) - rest;
    logs[2 * i + 1] = Math.min(-y, 0) - rest;
  }
  const { partStart, partExponents } = structure;
  for (let q = 0; q < parts.length; q++) {
    let product = 1;
    const until = partStart[q + 1] ?? 0;
    for (let e = partStart[q] ?? 0; e < until; e++) product *= probabilities[partExponents[e] ?? 0] ?? 0;
    parts[q] = product;
  }
}

/** Rows of each pattern shared among its terms; returns the log-likelihood of the mixed patterns. */
function share({ structure, rows, space }: Surface): number {
  const { termParts, factors, patternStart } = structure;
  const { parts, shares } = space;
  let value = 0;
  for (let i = 0; i < rows.length; i++) {
    const [from, until] = [patternStart[i] ?? 0, patternStart[i + 1] ?? 0];
    const n = rows[i] ?? 0;
    let total = 0;
    for (let t = from; t < until; t++) {
      const at = 4 * t;
      const term =
        (factors[t] ?? 0) *
        (parts[termParts[at] ?? 0] ?? 0) *
        (parts[termParts[at + 1] ?? 0] ?? 0) *
        (parts[termParts[at + 2] ?? 0] ?? 0) *
        (parts[termParts[at + 3] ?? 0] ?? 0);
      shares[t] = term;
      total += term;
    }
    if (total > TINY) {
      value += n * Math.log(total);
      const each = n / total;
      for (let t = from; t < until; t++) shares[t] = (shares[t] ?? 0) * each;
    } else value += shareInLogs(structure, space, i, n);
  }
  return value;
}

/** The same for one pattern whose products are too small for a number. */
function shareInLogs(structure: Structure, { logs, shares }: Space, i: number, n: number): number {
  const { termParts, factors, patternStart, partStart, partExponents } = structure;
  const [from, until] = [patternStart[i] ?? 0, patternStart[i + 1] ?? 0];
  let most = -Infinity;
  for (let t = from; t < until; t++) {
    let term = Math.log(factors[t] ?? 0);
    for (let k = 4 * t; k < 4 * t + 4; k++) {
      const q = termParts[k] ?? 0;
      for (let e = partStart[q] ?? 0; e < (partStart[q + 1] ?? 0); e++) term += logs[partExponents[e] ?? 0] ?? 0;
    }
    shares[t] = term;
    most = Math.max(most, term);
  }
  let total = 0;
  for (let t = from; t < until; t++) total += shares[t] = Math.exp((shares[t] ?? 0) - most);
  for (let t = from; t < until; t++) shares[t] = ((shares[t] ?? 0) * n) / total;
  return n * (most + Math.log(total));
}

/** Labels of each exponent that the mixed patterns are expected to stand for. */
function count({ structure, space }: Surface): void {
  const { termParts, partStart, partExponents } = structure;
  const { counted, labels, shares } = space;
  counted.fill(0);
  labels.fill(0);
  for (let t = 0; t < shares.length; t++) {
    const share = shares[t] ?? 0;
    for (let k = 4 * t; k < 4 * t + 4; k++) {
      const q = termParts[k] ?? 0;
      counted[q] = (counted[q] ?? 0) + share;
    }
  }
  for (let q = 1; q < counted.length; q++) {
    const here = counted[q] ?? 0;
    const until = partStart[q + 1] ?? 0;
    for (let e = partStart[q] ?? 0; e < until; e++) {
      const at = partExponents[e] ?? 0;
      labels[at] = (labels[at] ?? 0) + here;
    }
  }
}

/** Log density at the free logits `z`, up to a constant; its gradient goes into `gradient`. */
export function densityAt(surface: Surface, z: Float64Array, gradient: Float64Array): number {
  const { alpha, beta, free, space } = surface;
  fill(surface, z);
  let value = share(surface);
  count(surface);
  const { probabilities, logs, labels } = space;
  for (let k = 0; k < free.length; k++) {
    const i = free[k] ?? 0;
    const [a, b] = [alpha[i] ?? 0, beta[i] ?? 0];
    value += a * (logs[2 * i] ?? 0) + b * (logs[2 * i + 1] ?? 0);
    gradient[k] = (a + (labels[2 * i] ?? 0)) * (probabilities[2 * i + 1] ?? 0) - (b + (labels[2 * i + 1] ?? 0)) * (probabilities[2 * i] ?? 0);
  }
  return value;
}

/** Additions and multiplications between two pauses: a few milliseconds. */
export const PER_SLICE = 2e6;

/** About so many additions and multiplications does a step of a trajectory cost. */
export function costOf({ structure: { termParts, partExponents }, free: { length: n } }: Costly): number {
  return 6 * termParts.length + 4 * partExponents.length + 2 * n * n + 60 * n;
}

type Costly = Pick<Surface, "structure"> & { readonly free: { readonly length: number } };

/** The same from which on a curvature takes a good part of a frame: of tens of judges. */
const DEAR = 100_000;

export function isDear(surface: Costly): boolean {
  return costOf(surface) > DEAR;
}

/** One step of EM: each free probability becomes its posterior mean given expected labels. */
export function emStep(surface: Surface, z: Float64Array): void {
  const { alpha, beta, free, space } = surface;
  fill(surface, z);
  share(surface);
  count(surface);
  for (let k = 0; k < free.length; k++) {
    const i = free[k] ?? 0;
    // Powers of a prior may be negative, and with them what is expected.
    const ones = Math.max(LEAST_LABELS, (alpha[i] ?? 0) + (space.labels[2 * i] ?? 0));
    z[k] = Math.log(ones) - Math.log(Math.max(LEAST_LABELS, (beta[i] ?? 0) + (space.labels[2 * i + 1] ?? 0)));
  }
}

export interface Curvature {
  /** The negative Hessian of the free logits, lower triangle row by row. */
  readonly hessian: Float64Array;
  /** Its diagonal with complete labels, above 0. */
  readonly complete: Float64Array;
}

/** The curvature at the free logits `z`. */
export function curvatureAt(surface: Surface, z: Float64Array): Curvature {
  const { structure, rows, alpha, beta, free, space } = surface;
  const { patternStart } = structure;
  const n = free.length;
  fill(surface, z);
  share(surface);
  count(surface);
  const { probabilities, labels, shares } = space;
  const [hessian, complete] = [new Float64Array(n * n), new Float64Array(n)];
  const spot = new Int32Array(space.logits.length).fill(-1);
  for (let k = 0; k < n; k++) {
    const i = free[k] ?? 0;
    spot[i] = k;
    const every = (alpha[i] ?? 0) + (beta[i] ?? 0) + (labels[2 * i] ?? 0) + (labels[2 * i + 1] ?? 0);
    const curved = every * (probabilities[2 * i] ?? 0) * (probabilities[2 * i + 1] ?? 0);
    hessian[k * n + k] = curved;
    complete[k] = Math.max(curved, LEAST_LABELS);
  }
  // Scores of one pattern: the sum over its terms, and the places where it is not 0.
  const total = new Float64Array(n);
  const [touched, at, score] = [new Int32Array(n), new Int32Array(n), new Float64Array(n)];
  const seen = new Uint8Array(n);
  for (let i = 0; i < rows.length; i++) {
    let nTouched = 0;
    for (let t = patternStart[i] ?? 0; t < (patternStart[i + 1] ?? 0); t++) {
      const share = shares[t] ?? 0;
      const size = scores(structure, probabilities, spot, t, at, score);
      for (let a = 0; a < size; a++) {
        const [j, here] = [at[a] ?? 0, share * (score[a] ?? 0)];
        if (!seen[j]) {
          seen[j] = 1;
          touched[nTouched++] = j;
        }
        total[j] = (total[j] ?? 0) + here;
        for (let b = 0; b <= a; b++) {
          const other = at[b] ?? 0;
          const cell = j > other ? j * n + other : other * n + j;
          hessian[cell] = (hessian[cell] ?? 0) - here * (score[b] ?? 0);
        }
      }
    }
    const each = rows[i] ? 1 / (rows[i] ?? 1) : 0;
    const places = touched.subarray(0, nTouched).sort();
    for (let a = 0; a < nTouched; a++) {
      const j = places[a] ?? 0;
      const [row, here] = [j * n, each * (total[j] ?? 0)];
      for (let b = 0; b <= a; b++) {
        const other = places[b] ?? 0;
        hessian[row + other] = (hessian[row + other] ?? 0) + here * (total[other] ?? 0);
      }
    }
    for (let a = 0; a < nTouched; a++) {
      const j = touched[a] ?? 0;
      total[j] = seen[j] = 0;
    }
  }
  return { hessian, complete };
}

/** What one term says of each free place: 1 - p where it holds p, -p where it holds 1 - p. */
function scores(
  { termParts, partStart, partExponents }: Structure,
  probabilities: Float64Array,
  spot: Int32Array,
  t: number,
  at: Int32Array,
  score: Float64Array,
): number {
  let size = 0;
  for (let k = 4 * t; k < 4 * t + 4; k++) {
    const q = termParts[k] ?? 0;
    for (let e = partStart[q] ?? 0; e < (partStart[q + 1] ?? 0); e++) {
      const exponent = partExponents[e] ?? 0;
      const j = spot[exponent >> 1] ?? -1;
      if (j < 0) continue;
      at[size] = j;
      score[size++] = exponent & 1 ? -(probabilities[exponent - 1] ?? 0) : (probabilities[exponent + 1] ?? 0);
    }
  }
  return size;
}
