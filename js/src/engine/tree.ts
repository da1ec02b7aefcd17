/** One system's posterior in the browser, and what a policy makes of it. */
import type { Keys } from "../contract/levels.ts";
import type { Estimate, TreeGroup, TreeView } from "../contract/tree.ts";
import { betaCurve, kernelCurve, type Curve } from "../core/density.ts";
import { estimate, isPinned, pinned, policyKind, weightOf, type Weights } from "../core/format.ts";
import { record, type ByKey } from "../core/records.ts";
import { atOnce } from "../core/slices.ts";
import { findQuantity, shapeOf, type Shape } from "../core/shape.ts";
import { branchDraws, priorCurves, type BranchDraws } from "./branches.ts";
import { exactBetas, type Betas } from "./exact.ts";
import { laplace, laplaceDraws } from "./laplace.ts";
import { unpack, type ThetaDraws } from "./packed.ts";
import { ascending, policyDraws, quantityDraws, summarise, worldDraws, type WorldDraws } from "./quantities.ts";
import { betaDraws, uniforms } from "./random.ts";
import { posteriorTerms } from "./terms.ts";
import { N_DRAWS, sampler } from "./tree-samples.ts";

/** Draws of the answer that stands while the full ones are made. */
const N_PREVIEW = 1000;

/** The number above the tree that the policy decides, beside those of the shape. */
export const POLICY = "policy_adherence";

/** A group's draws and what they make, as fitted or under pins. */
export interface Fit {
  readonly branches: BranchDraws;
  readonly worlds: WorldDraws;
  readonly sortedWorlds: ByKey<Float64Array>;
  readonly sortedBranches: ByKey<Float64Array>;
  readonly sortedStats: ByKey<Float64Array>;
  readonly curves: ByKey<Curve>;
  readonly priors: ByKey<Curve>;
}

/** The value of a policy with its draws. */
export interface PolicyAnswer {
  readonly estimate: Estimate;
  readonly sorted: Float64Array;
}

/** The Betas of a group that the browser draws from; null where Python sent draws, or it is a mixture. */
function betasOf(keys: Keys, view: TreeView, group: TreeGroup): Betas | null {
  return group.draws === null ? exactBetas(keys, view.patterns, group.counts, view.priors) : null;
}

/** Draws of a group's probabilities: Python's where it sent some, else exact or by HMC. */
export function thetaDraws(view: TreeView, group: TreeGroup): ThetaDraws {
  const known = thetaAtOnce(view, group);
  if (known !== null) return known;
  requireTwoLevels(shapeOf(view.levels));
  return atOnce(sampler(view)(group));
}

/** Draws that take no walk: Python's, or those of a product of Betas; null where there are none. */
function thetaAtOnce(view: TreeView, group: TreeGroup): ThetaDraws | null {
  const shape = shapeOf(view.levels);
  if (group.draws !== null) return unpack(shape, group.draws);
  const betas = betasOf(shape, view, group);
  if (betas === null) return null;
  const uniform = uniforms(view.seed, group.label);
  return record(shape.parameters, (key) => betaDraws(...(betas[key] ?? [1, 1]), N_DRAWS, uniform));
}

function requireTwoLevels({ isGraded }: Keys): void {
  if (isGraded) throw new Error("Expected draws with a view whose rows hide R or A of several levels; got none.");
}

/** The fit of one group, drawn anew. */
export function fitGroup(view: TreeView, group: TreeGroup): Fit {
  return fitFrom(view, group, thetaDraws(view, group));
}

/** The fit at once; where it is a first answer only, full draws of `sampler` make a better one. */
export function firstFit(view: TreeView, group: TreeGroup): readonly [fit: Fit, isFull: boolean] {
  const known = thetaAtOnce(view, group);
  if (known !== null) return [fitFrom(view, group, known), true];
  requireTwoLevels(shapeOf(view.levels));
  const mode = laplace(posteriorTerms(view.patterns, group.counts, view.priors));
  return [fitFrom(view, group, laplaceDraws(mode, N_PREVIEW, uniforms(view.seed, group.label))), false];
}

/** What draws of a group make. */
export function fitFrom(view: TreeView, group: TreeGroup, theta: ThetaDraws): Fit {
  const shape = shapeOf(view.levels);
  const branches = branchDraws(shape, theta);
  const worlds = worldDraws(shape, branches);
  const betas = betasOf(shape, view, group);
  const sortedBranches = record(shape.branches, (key) => ascending(branches[key] ?? new Float64Array()));
  return {
    branches,
    worlds,
    sortedBranches,
    ...sortedFrom(shape, worlds),
    curves: record(shape.branches, (key) => {
      // A level of graded R below the top has no parameter of its own.
      const beta = betas?.[key];
      return beta ? betaCurve(...beta) : kernelCurve(sortedBranches[key] ?? []);
    }),
    priors: priorCurves(shape, view.priors),
  };
}

/** Leaves and headline numbers in ascending order. */
export function sortedFrom(shape: Shape, worlds: WorldDraws): Pick<Fit, "sortedWorlds" | "sortedStats"> {
  return {
    sortedWorlds: record(shape.leaves, (world) => ascending(worlds[world] ?? new Float64Array())),
    sortedStats: record(shape.stats.map(({ key }) => key), (key) => {
      const quantity = findQuantity(shape, key);
      return quantity ? ascending(quantityDraws(quantity, worlds)) : new Float64Array();
    }),
  };
}

/** Whether two policies weigh every world alike. */
export function samePolicy({ leaves }: Keys, a: Weights, b: Weights): boolean {
  return leaves.every((world) => weightOf(a, world) === weightOf(b, world));
}

/**
 * P(G) or the utility under a policy.
 *
 * The view's own policy keeps the view's own estimate. Any other has an exact mean, the weighted
 * sum of the worlds' means; only its interval comes from the draws.
 */
export function answerPolicy(view: TreeView, group: TreeGroup, fit: Fit, weights: Weights): PolicyAnswer {
  const shape = shapeOf(view.levels);
  const sorted = ascending(policyDraws(weights, fit.worlds));
  const own = group.quantities[POLICY];
  if (own && samePolicy(shape, weights, view.policy.weights)) return { estimate: own, sorted };
  const value = policyValue(view, group, weights) ?? 0;
  return { estimate: summarise(value, sorted, view.ci_prob, policyKind(shape, weights) !== "utility", view.ci_kind), sorted };
}

/** The mean alone; null when undefined. */
export function policyValue(view: TreeView, group: TreeGroup, weights: Weights): number | null {
  const shape = shapeOf(view.levels);
  const own = group.quantities[POLICY];
  if (own && samePolicy(shape, weights, view.policy.weights)) return own.value;
  return shape.leaves.reduce((total, world) => total + weightOf(weights, world) * (group.worlds[world]?.value ?? 0), 0);
}

/** The same quantity the other way round: 1 − P, its interval mirrored. */
export function complement(of: Estimate): Estimate {
  const { value, lower, upper } = of;
  if (value === null || lower === null || upper === null) return of;
  const [v, l, u] = [1 - value, 1 - upper, 1 - lower];
  if (isPinned(of)) return { value: v, lower: l, upper: u, text: pinned(v) };
  return { value: v, lower: l, upper: u, text: estimate(v, l, u) };
}
