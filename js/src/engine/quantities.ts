/** What draws of a tree's branches mean: worlds, quantities, policies, intervals. */
import type { Keys, World } from "../contract/levels.ts";
import type { Estimate, TreeView } from "../contract/tree.ts";
import { estimate, weightOf, type Weights } from "../core/format.ts";
import { quantile } from "../core/numbers.ts";
import { entry, type ByKey } from "../core/records.ts";
import type { Quantity } from "../core/shape.ts";
import type { BranchDraws } from "./branches.ts";

export type WorldDraws = ByKey<Float64Array>;

/** P(world) in every draw. */
export function worldDraws({ isGraded, levels }: Keys, branches: BranchDraws): WorldDraws {
  return Object.fromEntries(
    levels.flatMap((level, at) => {
      const reached = entry(branches, level.retrieval);
      const abstain = entry(branches, level.abstain);
      const correct = entry(branches, level.correct);
      const n = reached.length;
      const isMiss = !isGraded && at === 0;
      const [abstained, wrong, right] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
      for (let i = 0; i < n; i++) {
        const here = isMiss ? 1 - (reached[i] ?? 0) : (reached[i] ?? 0);
        const declines = abstain[i] ?? 0;
        const answered = here * (1 - declines);
        const solves = correct[i] ?? 0;
        abstained[i] = here * declines;
        wrong[i] = answered * (1 - solves);
        right[i] = answered * solves;
      }
      return [[level.abstained, abstained], [level.wrong, wrong], [level.right, right]] as const;
    }),
  );
}

/** Draws of P(numerator | denominator); draws without mass in the denominator are left out. */
export function quantityDraws(
  quantity: Pick<Quantity, "numerator" | "denominator">,
  worlds: WorldDraws,
): Float64Array {
  const draws = massDraws(quantity.numerator, worlds);
  if (quantity.denominator.length === 0) return draws;
  const given = massDraws(quantity.denominator, worlds);
  let kept = 0;
  for (let i = 0; i < draws.length; i++) {
    const condition = given[i] ?? 0;
    if (condition > 0) draws[kept++] = (draws[i] ?? 0) / condition;
  }
  return kept === draws.length ? draws : draws.slice(0, kept);
}

function massDraws(names: readonly World[], worlds: WorldDraws): Float64Array {
  const total = new Float64Array(lengthOf(worlds));
  for (const name of names) {
    const of = entry(worlds, name);
    for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? 0) + (of[i] ?? 0);
  }
  return total;
}

function lengthOf(worlds: WorldDraws): number {
  return Object.values(worlds)[0]?.length ?? 0;
}

/** Draws of a policy's value: the sum over worlds of weight times probability. */
export function policyDraws(weights: Weights, worlds: WorldDraws): Float64Array {
  const draws = new Float64Array(lengthOf(worlds));
  for (const world of Object.keys(worlds)) {
    const weight = weightOf(weights, world);
    if (weight === 0) continue;
    const of = entry(worlds, world);
    for (let i = 0; i < draws.length; i++) draws[i] = (draws[i] ?? 0) + weight * (of[i] ?? 0);
  }
  return draws;
}

/** Draws in one of as many bins as there are draws: more than this are not spread enough. */
const CROWDED = 48;

/**
 * Ascending copy, in time that grows with the number of draws: each goes into its bin between the
 * smallest and the largest, and only neighbours in a bin are compared.
 */
export function ascending(draws: Float64Array): Float64Array {
  const n = draws.length;
  let [low, high] = [Infinity, -Infinity];
  for (let i = 0; i < n; i++) {
    const x = draws[i] ?? 0;
    if (x < low) low = x;
    if (x > high) high = x;
  }
  const scale = (n - 1) / (high - low);
  if (n < 64 || !Number.isFinite(scale)) return Float64Array.from(draws).sort();
  const ends = new Uint32Array(n + 1);
  for (let i = 0; i < n; i++) {
    const bin = (((draws[i] ?? 0) - low) * scale) | 0;
    ends[bin + 1] = (ends[bin + 1] ?? 0) + 1;
  }
  for (let bin = 1; bin <= n; bin++) {
    if ((ends[bin] ?? 0) > CROWDED) return Float64Array.from(draws).sort();
    ends[bin] = (ends[bin] ?? 0) + (ends[bin - 1] ?? 0);
  }
  const sorted = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const x = draws[i] ?? 0;
    const bin = ((x - low) * scale) | 0;
    const at = ends[bin] ?? 0;
    sorted[at] = x;
    ends[bin] = at + 1;
  }
  for (let i = 1; i < n; i++) {
    const x = sorted[i] ?? 0;
    let j = i;
    for (; j > 0 && (sorted[j - 1] ?? 0) > x; j--) sorted[j] = sorted[j - 1] ?? 0;
    sorted[j] = x;
  }
  return sorted;
}

/** How an interval is cut: as much outside on either side, or as short as it goes. */
export type CiKind = TreeView["ci_kind"];

/** Interval of ascending draws around a mean that is known better than they tell. */
export function summarise(
  value: number,
  sorted: Float64Array,
  ciProb: number,
  isRate = true,
  ciKind: CiKind = "eti",
): Estimate {
  if (sorted.length === 0) return { value: null, lower: null, upper: null, text: estimate(null, null, null) };
  const [lower, upper] =
    ciKind === "hdi"
      ? shortest(sorted, ciProb)
      : [quantile(sorted, (1 - ciProb) / 2), quantile(sorted, (1 + ciProb) / 2)];
  return { value, lower, upper, text: estimate(value, lower, upper, isRate) };
}

/** The shortest interval that holds a share of ascending draws, as `derived/intervals.py` cuts it. */
function shortest(sorted: Float64Array, share: number): readonly [lower: number, upper: number] {
  const inside = Math.min(Math.floor(share * sorted.length), sorted.length - 1);
  let best: readonly [number, number] = [sorted[0] ?? 0, sorted[inside] ?? 0];
  for (let i = 1; i + inside < sorted.length; i++) {
    const ends = [sorted[i] ?? 0, sorted[i + inside] ?? 0] as const;
    if (ends[1] - ends[0] < best[1] - best[0]) best = ends;
  }
  return best;
}
