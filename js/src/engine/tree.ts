/** One system's posterior in the browser, and what a policy makes of it. */
import { ANSWERABILITY, LEAVES, PARAMETERS, type Parameter, type World } from "../contract/tables.ts";
import type { Estimate, TreeGroup, TreeView } from "../contract/tree.ts";
import { betaCurve, kernelCurve, type Curve } from "../core/density.ts";
import { estimate, isPinned, pinned, policyKind, weightOf, type Weights } from "../core/format.ts";
import { mean } from "../core/numbers.ts";
import { exactBetas } from "./exact.ts";
import { hmcSlices } from "./hmc.ts";
import { laplace, laplaceDraws } from "./laplace.ts";
import { unpack, type ThetaDraws } from "./packed.ts";
import {
  ascending,
  findQuantity,
  policyDraws,
  quantityDraws,
  summarise,
  worldDraws,
  type WorldDraws,
} from "./quantities.ts";
import { betaDraws, uniforms } from "./random.ts";
import { posteriorTerms } from "./terms.ts";

export const N_DRAWS = 4000;
/** Draws of the answer that stands while the full ones are made. */
const N_PREVIEW = 1000;

export const STATS = ["retrieval_success", "abstention", "task_success"] as const;
export type Stat = (typeof STATS)[number] | "policy_adherence";

export type Pins = Readonly<Record<string, number>>;

/** A group's draws and what they make, as fitted or under pins. */
export interface Fit {
  readonly theta: ThetaDraws;
  readonly worlds: WorldDraws;
  readonly sortedWorlds: Readonly<Record<World, Float64Array>>;
  readonly sortedBranches: Readonly<Record<Parameter, Float64Array>>;
  readonly sortedStats: Readonly<Record<(typeof STATS)[number], Float64Array>>;
  readonly curves: Readonly<Record<Parameter, Curve>>;
  readonly priors: Readonly<Record<Parameter, Curve>>;
}

/** The value of a policy with its draws. */
export interface PolicyAnswer {
  readonly estimate: Estimate;
  readonly sorted: Float64Array;
}

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}

/** Draws of a group's five probabilities: Python's where it sent some, else exact or by HMC. */
export function* thetaSlices(view: TreeView, group: TreeGroup): Generator<undefined, ThetaDraws> {
  if (group.draws !== null) return unpack(group.draws);
  const uniform = uniforms(view.seed, group.label);
  const betas = exactBetas(view.patterns, group.counts, view.priors);
  if (betas !== null) return record(PARAMETERS, (key) => betaDraws(betas[key][0], betas[key][1], N_DRAWS, uniform));
  return yield* hmcSlices(posteriorTerms(view.patterns, group.counts, view.priors), N_DRAWS, uniform);
}

/** The same in one go. */
export function thetaDraws(view: TreeView, group: TreeGroup): ThetaDraws {
  return atOnce(thetaSlices(view, group));
}

function atOnce<T>(slices: Generator<undefined, T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** A what-if: some probabilities set in every draw, the others as they were. */
export function pinDraws(theta: ThetaDraws, pins: Pins): ThetaDraws {
  return record(PARAMETERS, (key) => {
    const pin = pins[key];
    return pin === undefined ? theta[key] : new Float64Array(theta[key].length).fill(pin);
  });
}

/** The fit of one group, drawn anew. */
export function fitGroup(view: TreeView, group: TreeGroup): Fit {
  return fitOf(view, group, thetaDraws(view, group));
}

/** The fit at once, and the slices that make a better one; null where there is none to wait for. */
export function fitInSlices(view: TreeView, group: TreeGroup): readonly [now: Fit, later: Generator<undefined, Fit> | null] {
  const isQuick = group.draws !== null || exactBetas(view.patterns, group.counts, view.priors) !== null;
  if (isQuick) return [fitGroup(view, group), null];
  const mode = laplace(posteriorTerms(view.patterns, group.counts, view.priors));
  const now = fitOf(view, group, laplaceDraws(mode, N_PREVIEW, uniforms(view.seed, group.label)));
  return [now, refined(view, group)];
}

function* refined(view: TreeView, group: TreeGroup): Generator<undefined, Fit> {
  const theta = yield* thetaSlices(view, group);
  yield;
  return fitOf(view, group, theta);
}

function fitOf(view: TreeView, group: TreeGroup, theta: ThetaDraws): Fit {
  const worlds = worldDraws(theta);
  const betas = group.draws === null ? exactBetas(view.patterns, group.counts, view.priors) : null;
  const sortedBranches = record(PARAMETERS, (key) => ascending(theta[key]));
  return {
    theta,
    worlds,
    sortedBranches,
    ...sortedFrom(worlds),
    curves: record(PARAMETERS, (key) => (betas ? betaCurve(...betas[key]) : kernelCurve(sortedBranches[key]))),
    priors: record(PARAMETERS, (key) => betaCurve(...(view.priors[key] ?? [1, 1]))),
  };
}

function sortedFrom(worlds: WorldDraws): Pick<Fit, "sortedWorlds" | "sortedStats"> {
  return {
    sortedWorlds: record(LEAVES, (world) => ascending(worlds[world])),
    sortedStats: record(STATS, (key) => {
      const quantity = findQuantity(key);
      return quantity ? ascending(quantityDraws(quantity, worlds)) : new Float64Array();
    }),
  };
}

/**
 * A group under pins: its estimates made anew from the draws, and those draws.
 *
 * The pinned probabilities are the same in every draw, the others keep theirs. A probability
 * that no query can reach is undefined. Answerability stands on a fit of its own and is left out.
 */
export function pinGroup(view: TreeView, group: TreeGroup, fit: Fit, pins: Pins): readonly [TreeGroup, Fit] {
  const theta = pinDraws(fit.theta, pins);
  const worlds = worldDraws(theta);
  const now: Fit = { ...fit, theta, worlds, ...sortedFrom(worlds) };
  // Eight draws tell whether a pin reaches a quantity: where none differs, none of all does.
  const few = [fit.theta, theta].map((of) => worldDraws(record(PARAMETERS, (key) => of[key].subarray(0, 8)))) as [WorldDraws, WorldDraws];
  const isKept = (draws: (worlds: WorldDraws) => Float64Array): boolean => {
    const [before, after] = few.map(draws) as [Float64Array, Float64Array];
    return before.length === after.length && before.every((x, i) => Math.abs(x - (after[i] ?? 0)) < 1e-12);
  };
  const told = (draws: Float64Array, sorted: Float64Array, isRate = true): Estimate => {
    const [first, last] = [sorted[0], sorted[sorted.length - 1]];
    if (first !== undefined && last !== undefined && last - first < 1e-12 && isRate) {
      return { value: first, lower: first, upper: first, text: pinned(first) };
    }
    return summarise(mean(draws), sorted, view.ci_prob, isRate, view.ci_kind);
  };
  const sortedOf = (draws: Float64Array) => told(draws, ascending(draws));
  const quantityOf = (key: string, own: Estimate): Estimate | null => {
    if (key === "policy_adherence") {
      if (isKept((of) => policyDraws(view.policy.weights, of))) return own;
      const draws = policyDraws(view.policy.weights, worlds);
      return told(draws, ascending(draws), policyKind(view.policy.weights) !== "utility");
    }
    const quantity = findQuantity(key);
    if (!quantity || (ANSWERABILITY as readonly string[]).includes(key)) return null;
    if (isKept((of) => quantityDraws(quantity, of))) return own;
    const stat = STATS.find((name) => name === key);
    const draws = quantityDraws(quantity, worlds);
    return stat ? told(draws, now.sortedStats[stat]) : sortedOf(draws);
  };
  const branches = record(PARAMETERS, (key): Estimate => {
    const quantity = findQuantity(key);
    const isReached = !quantity || quantityDraws({ numerator: [], denominator: quantity.denominator }, worlds).length > 0;
    if (!isReached) return { value: null, lower: null, upper: null, text: estimate(null, null, null) };
    if (pins[key] !== undefined) return sortedOf(theta[key]);
    return group.branches[key] ?? sortedOf(theta[key]);
  });
  const quantities = Object.fromEntries(
    Object.entries(group.quantities).flatMap(([key, own]) => {
      const estimate = quantityOf(key, own);
      return estimate === null ? [] : [[key, estimate] as const];
    }),
  );
  const shown = {
    ...group,
    branches,
    worlds: record(LEAVES, (world) => {
      const own = group.worlds[world];
      return own && isKept((of) => of[world]) ? own : told(worlds[world], now.sortedWorlds[world]);
    }),
    quantities,
  };
  return [shown, now];
}

/** Whether two policies weigh every world alike. */
export function samePolicy(a: Weights, b: Weights): boolean {
  return LEAVES.every((world) => weightOf(a, world) === weightOf(b, world));
}

/**
 * P(G) or the utility under a policy.
 *
 * The view's own policy keeps the view's own estimate. Any other has an exact mean, the weighted
 * sum of the worlds' means; only its interval comes from the draws.
 */
export function answerPolicy(view: TreeView, group: TreeGroup, fit: Fit, weights: Weights): PolicyAnswer {
  const sorted = ascending(policyDraws(weights, fit.worlds));
  const own = group.quantities["policy_adherence"];
  if (own && samePolicy(weights, view.policy.weights)) return { estimate: own, sorted };
  const value = policyValue(view, group, weights) ?? 0;
  return { estimate: summarise(value, sorted, view.ci_prob, policyKind(weights) !== "utility", view.ci_kind), sorted };
}

/** The mean alone; null when undefined. */
export function policyValue(view: TreeView, group: TreeGroup, weights: Weights): number | null {
  const own = group.quantities["policy_adherence"];
  if (own && samePolicy(weights, view.policy.weights)) return own.value;
  return LEAVES.reduce((total, world) => total + weightOf(weights, world) * (group.worlds[world]?.value ?? 0), 0);
}

/** The same quantity the other way round: 1 − P, its interval mirrored. */
export function complement(of: Estimate): Estimate {
  const { value, lower, upper } = of;
  if (value === null || lower === null || upper === null) return of;
  const [v, l, u] = [1 - value, 1 - upper, 1 - lower];
  if (isPinned(of)) return { value: v, lower: l, upper: u, text: pinned(v) };
  return { value: v, lower: l, upper: u, text: estimate(v, l, u) };
}
