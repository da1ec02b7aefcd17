/**
 * Simulated purchases: rows are drawn at a truth, labelled as a course says, fitted, and the width of
 * the target's interval noted. Where R is hidden the posterior is weighed draws of its Laplace
 * approximation, or HMC where these are few.
 */
import type { AllocationControls, AllocationGroup, AllocationScheme, AllocationTarget, AllocationView } from "../contract/allocation.ts";
import { keysOf } from "../contract/levels.ts";
import { PARAMETERS } from "../contract/tables.ts";
import { atOnce, type Slices } from "../core/slices.ts";
import { exactBetas } from "./exact.ts";
import { hmcSlices } from "./hmc.ts";
import { laplace, place } from "./laplace.ts";
import { betaDraws, normals, uniforms, type Uniform } from "./random.ts";
import { DIMENSION, evaluate, posteriorTerms, scratch, thetaOf } from "./terms.ts";
import { worldDrawsOf, worldsOf } from "./worlds.ts";

type Pattern = readonly [number, number, number];

/** Rows by what they show. */
export interface Table {
  readonly patterns: readonly Pattern[];
  readonly counts: readonly number[];
}

/** Mean width of a course over its replications so far, and its Monte Carlo error. */
export interface SimulatedWidth {
  readonly width: number;
  readonly mcse: number;
  readonly n: number;
}

export interface Simulation {
  readonly done: number;
  readonly total: number;
  readonly widths: Readonly<Record<string, SimulatedWidth>>;
}

const LEVELS = ["miss", "hit"] as const;
const KEYS = keysOf(LEVELS);
const TREE = worldsOf(LEVELS);
const N_DRAWS = 1000;
/** The approximation is drawn from this much wider than it is, so that tails are reached. */
const WIDER = 1.15;
/** Weights that are worth fewer draws than this share are not relied upon. */
const LEAST_WORTH = 0.2;

/** Whether purchases of a group can be simulated here for a target. */
export function canSimulate(group: AllocationGroup, target: AllocationTarget): boolean {
  return group.known !== null && target.over.length === TREE.names.length;
}

/**
 * Purchases of several courses, one after the other, replication by replication; every slice is one
 * posterior, after which `tell` is called.
 */
export function* simulated(
  view: AllocationView,
  controls: AllocationControls,
  purchases: Readonly<Record<string, readonly number[]>>,
  replications: number,
  tell: (so_far: Simulation) => void,
): Slices<Simulation> {
  const group = view.groups[controls.group];
  const target = view.targets.find(({ key }) => key === controls.target);
  if (!group || !target || !canSimulate(group, target)) throw new Error("Expected a plan of two levels of R without judges.");
  const courses = Object.keys(purchases);
  const uniform = uniforms(20, `${group.label} ${target.key}`);
  const truths = (group.spread.length > 0 ? group.spread : [group.at]).map(({ theta }) => theta);
  const found = Object.fromEntries(courses.map((key): [string, number[]] => [key, []]));
  const state = (): Simulation => ({
    done: courses.reduce((sum, key) => sum + (found[key]?.length ?? 0), 0),
    total: replications * courses.length,
    widths: Object.fromEntries(courses.map((key) => [key, summary(found[key] ?? [])])),
  });
  for (let i = 0; i < replications; i++) {
    const truth = truths[i % truths.length] ?? [];
    for (const key of courses) {
      const table = purchase(group, controls, purchases[key] ?? [], truth, uniform);
      found[key]?.push(posteriorWidth(table, group.known?.priors ?? {}, target, view.ci_prob, uniform));
      tell(state());
      yield;
    }
  }
  return state();
}

function summary(widths: readonly number[]): SimulatedWidth {
  const n = widths.length;
  const mean = widths.reduce((sum, width) => sum + width, 0) / n;
  const square = widths.reduce((sum, width) => sum + (width - mean) ** 2, 0);
  return { width: mean, mcse: n > 1 ? Math.sqrt(square / (n - 1) / n) : Infinity, n };
}

/** The table after a purchase: rows under each scheme, at a truth. */
export function purchase(group: AllocationGroup, { n0 }: Pick<AllocationControls, "n0">, rows: readonly number[], truth: readonly number[], uniform: Uniform): Table {
  const { patterns, counts } = group.known ?? { patterns: [], counts: [] };
  const shown = new Map<string, number>();
  const add = (pattern: Pattern, n: number) => shown.set(pattern.join(), (shown.get(pattern.join()) ?? 0) + n);
  patterns.forEach((pattern, i) => add(pattern, counts[i] ?? 0));
  const worlds = worldDrawsOf(TREE, truth.map((p) => Float64Array.of(p))).map((of) => of[0] ?? 0);
  const joint = Math.round(group.n0 === null ? 0 : (n0 ?? group.n0));
  for (let i = 0; i < joint; i++) add(seen(drawn(worlds, uniform), true, true), 1);
  group.schemes.forEach((scheme, s) => {
    const stratum = group.strata[scheme.stratum];
    if (!stratum) return;
    const possible = worlds.map((p, w) => (agrees(stratum.pattern, w) ? p : 0));
    // A part of a row is bought that often.
    const n = Math.floor((rows[s] ?? 0) + uniform());
    for (let i = 0; i < n; i++) {
      const world = drawn(possible, uniform);
      if (stratum.n_rows !== null) add(stratum.pattern, -1);
      add(bought(scheme, stratum.pattern, world), 1);
    }
  });
  const kept = [...shown].filter(([, n]) => n > 0);
  return { patterns: kept.map(([key]) => key.split(",").map(Number) as unknown as Pattern), counts: kept.map(([, n]) => n) };
}

function agrees([retrieval, abstention, task]: Pattern, world: number): boolean {
  return (
    (retrieval < 0 || retrieval === TREE.level[world]) &&
    (abstention < 0 || (abstention === 1) === TREE.abstained[world]) &&
    (task < 0 || (task === 1) === TREE.right[world])
  );
}

function drawn(worlds: readonly number[], uniform: Uniform): number {
  let left = uniform() * worlds.reduce((sum, p) => sum + p, 0);
  for (let w = 0; w < worlds.length; w++) {
    left -= worlds[w] ?? 0;
    if (left < 0) return w;
  }
  // The last digits of the sum: the last world that is possible.
  return worlds.reduce((last, p, w) => (p > 0 ? w : last), 0);
}

function seen(world: number, hasR: boolean, hasT: boolean): Pattern {
  const isAway = TREE.abstained[world] === true;
  return [hasR ? (TREE.level[world] ?? -1) : -1, isAway ? 1 : 0, hasT && !isAway ? Number(TREE.right[world]) : -1];
}

/** What a row shows when a scheme has bought its labels. */
function bought({ away, first, then }: AllocationScheme, [retrieval, , task]: Pattern, world: number): Pattern {
  if (TREE.abstained[world]) return seen(world, away === "R" || retrieval >= 0, false);
  const came = first === "R" ? TREE.hit[world] : TREE.right[world];
  const follows = then[came ? 1 : 0];
  const buysR = first === "R" || (first === "T" && follows);
  const buysT = first === "T" || (first === "R" && follows);
  return seen(world, buysR || retrieval >= 0, buysT || task >= 0);
}

/** Width of the target's interval in the posterior of a table. */
export function posteriorWidth({ patterns, counts }: Table, priors: Readonly<Record<string, readonly [number, number]>>, target: AllocationTarget, ciProb: number, uniform: Uniform): number {
  const betas = exactBetas(KEYS, patterns, counts, priors);
  if (betas !== null) {
    const theta = PARAMETERS.map((key) => betaDraws(...(betas[key] ?? [1, 1]), N_DRAWS, uniform));
    return widthOf(theta, new Float64Array(N_DRAWS).fill(1), target, ciProb);
  }
  const terms = posteriorTerms(patterns, counts, priors);
  const fit = laplace(terms);
  const normal = normals(uniform);
  const logits = new Float64Array(DIMENSION * N_DRAWS);
  const logs = new Float64Array(N_DRAWS);
  const [x, gradient, space] = [new Float64Array(DIMENSION), new Float64Array(DIMENSION), scratch()];
  for (let i = 0; i < N_DRAWS; i++) {
    let square = 0;
    for (let k = 0; k < DIMENSION; k++) {
      const z = normal();
      square += z * z;
      x[k] = WIDER * z;
    }
    const at = logits.subarray(i * DIMENSION, (i + 1) * DIMENSION);
    place(fit, x, at);
    logs[i] = evaluate(terms, at, gradient, space) + square / 2;
  }
  const top = logs.reduce((most, value) => Math.max(most, value), -Infinity);
  const weights = logs.map((value) => Math.exp(value - top));
  const [sum, squares] = [weights.reduce((a, w) => a + w, 0), weights.reduce((a, w) => a + w * w, 0)];
  if (sum ** 2 / squares < LEAST_WORTH * N_DRAWS) {
    const theta = atOnce(hmcSlices(terms, 4 * N_DRAWS, uniform));
    return widthOf(PARAMETERS.map((key) => theta[key] ?? new Float64Array()), new Float64Array(4 * N_DRAWS).fill(1), target, ciProb);
  }
  const theta = thetaOf(logits);
  return widthOf(PARAMETERS.map((key) => theta[key] ?? new Float64Array()), weights, target, ciProb);
}

/** Width of the interval of a weighted sum of worlds, or a ratio of two, in weighted draws. */
function widthOf(theta: readonly Float64Array[], weights: Float64Array, { over, given }: AllocationTarget, ciProb: number): number {
  const worlds = worldDrawsOf(TREE, theta);
  const pairs: (readonly [number, number])[] = [];
  let total = 0;
  for (let i = 0; i < weights.length; i++) {
    let [above, below] = [0, 0];
    worlds.forEach((of, w) => {
      above += (over[w] ?? 0) * (of[i] ?? 0);
      below += (given[w] ?? 0) * (of[i] ?? 0);
    });
    const weight = weights[i] ?? 0;
    if (!(below > 0)) continue;
    pairs.push([above / below, weight]);
    total += weight;
  }
  pairs.sort((a, b) => a[0] - b[0]);
  return weightedQuantile(pairs, total, (1 + ciProb) / 2) - weightedQuantile(pairs, total, (1 - ciProb) / 2);
}

/** Quantile of sorted values with weights, linear between the middles of neighbours. */
function weightedQuantile(pairs: readonly (readonly [number, number])[], total: number, p: number): number {
  let before = 0;
  let [last, lastAt] = [pairs[0]?.[0] ?? 0, 0];
  for (const [value, weight] of pairs) {
    const at = (before + weight / 2) / total;
    if (at >= p) return at === lastAt ? value : last + ((value - last) * (p - lastAt)) / (at - lastAt);
    [last, lastAt] = [value, at];
    before += weight;
  }
  return last;
}
