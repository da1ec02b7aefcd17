/** One system's posterior in the browser, and what a policy makes of it. */
import { LEAVES, PARAMETERS, type Parameter, type World } from "../contract/tables.ts";
import type { Estimate, TreeGroup, TreeView } from "../contract/tree.ts";
import { betaCurve, kernelCurve, type Curve } from "../core/density.ts";
import { estimate, policyKind, weightOf, type Weights } from "../core/format.ts";
import { exactBetas } from "./exact.ts";
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

export const N_DRAWS = 4000;

export const STATS = ["retrieval_success", "abstention", "task_success"] as const;
export type Stat = (typeof STATS)[number] | "policy_adherence";

/** Everything about a group that no control changes. */
export interface Fit {
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

/** Draws of a group's five probabilities: from exact Betas, or those that Python sent. */
export function thetaDraws(view: TreeView, group: TreeGroup): ThetaDraws {
  if (group.draws !== null) return unpack(group.draws);
  const betas = exactBetas(view.patterns, group.counts, view.priors);
  if (betas === null) {
    throw new Error(`The view holds no draws for "${group.label}", whose posterior is not a product of Betas.`);
  }
  const uniform = uniforms(view.seed, group.label);
  return record(PARAMETERS, (key) => betaDraws(betas[key][0], betas[key][1], N_DRAWS, uniform));
}

/** The fit of one group, drawn anew. */
export function fitGroup(view: TreeView, group: TreeGroup): Fit {
  const theta = thetaDraws(view, group);
  const worlds = worldDraws(theta);
  const betas = group.draws === null ? exactBetas(view.patterns, group.counts, view.priors) : null;
  const sortedBranches = record(PARAMETERS, (key) => ascending(theta[key]));
  return {
    worlds,
    sortedBranches,
    sortedWorlds: record(LEAVES, (world) => ascending(worlds[world])),
    sortedStats: record(STATS, (key) => {
      const quantity = findQuantity(key);
      return quantity ? ascending(quantityDraws(quantity, worlds)) : new Float64Array();
    }),
    curves: record(PARAMETERS, (key) => (betas ? betaCurve(...betas[key]) : kernelCurve(sortedBranches[key]))),
    priors: record(PARAMETERS, (key) => betaCurve(...(view.priors[key] ?? [1, 1]))),
  };
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
  const value = LEAVES.reduce((total, world) => total + weightOf(weights, world) * (group.worlds[world]?.value ?? 0), 0);
  return { estimate: summarise(value, sorted, view.ci_prob, policyKind(weights) !== "utility", view.ci_kind), sorted };
}

/** The same quantity the other way round: 1 − P, its interval mirrored. */
export function complement(of: Estimate): Estimate {
  const { value, lower, upper } = of;
  if (value === null || lower === null || upper === null) return of;
  const [v, l, u] = [1 - value, 1 - upper, 1 - lower];
  return { value: v, lower: l, upper: u, text: estimate(v, l, u) };
}
