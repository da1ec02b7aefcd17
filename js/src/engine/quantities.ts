/** What draws of the five probabilities mean: worlds, quantities, policies, intervals. */
import { LEAVES, QUANTITIES, WORLDS, type World } from "../contract/tables.ts";
import type { Estimate, TreeView } from "../contract/tree.ts";
import { estimate, weightOf, type Weights } from "../core/format.ts";
import { quantile } from "../core/numbers.ts";
import type { ThetaDraws } from "./packed.ts";

export type WorldDraws = Readonly<Record<World, Float64Array>>;

export interface Quantity {
  readonly key: string;
  readonly symbol: string;
  readonly label: string;
  readonly numerator: readonly World[];
  readonly denominator: readonly World[];
  readonly about: "retrieval" | "abstention" | "task" | "policy";
  readonly caution: string;
}

/** The quantity with this key; undefined when the tables have none. */
export function findQuantity(key: string): Quantity | undefined {
  return (QUANTITIES as readonly Quantity[]).find((quantity) => quantity.key === key);
}

/** P(world) in every draw. */
export function worldDraws(theta: ThetaDraws): WorldDraws {
  const n = theta.retrieval_success.length;
  const worlds = Object.fromEntries(WORLDS.map((world) => [world, new Float64Array(n)])) as Record<World, Float64Array>;
  for (let i = 0; i < n; i++) {
    const hit = theta.retrieval_success[i] ?? 0;
    const abstainHit = theta.abstain_given_hit[i] ?? 0;
    const abstainMiss = theta.abstain_given_miss[i] ?? 0;
    const rightHit = theta.correct_given_hit[i] ?? 0;
    const rightMiss = theta.correct_given_miss[i] ?? 0;
    const missAnswered = (1 - hit) * (1 - abstainMiss);
    const hitAnswered = hit * (1 - abstainHit);
    worlds.miss_abstained[i] = (1 - hit) * abstainMiss;
    worlds.hit_abstained[i] = hit * abstainHit;
    worlds.miss_wrong[i] = missAnswered * (1 - rightMiss);
    worlds.miss_right[i] = missAnswered * rightMiss;
    worlds.hit_wrong[i] = hitAnswered * (1 - rightHit);
    worlds.hit_right[i] = hitAnswered * rightHit;
  }
  return worlds;
}

/** Draws of P(numerator | denominator); draws without mass in the denominator are left out. */
export function quantityDraws(
  quantity: Pick<Quantity, "numerator" | "denominator">,
  worlds: WorldDraws,
): Float64Array {
  const n = worlds.hit_right.length;
  const mass = (names: readonly World[], i: number) => names.reduce((total, world) => total + (worlds[world][i] ?? 0), 0);
  const draws: number[] = [];
  for (let i = 0; i < n; i++) {
    const given = quantity.denominator.length === 0 ? 1 : mass(quantity.denominator, i);
    if (given > 0) draws.push(mass(quantity.numerator, i) / given);
  }
  return Float64Array.from(draws);
}

/** Draws of a policy's value: the sum over worlds of weight times probability. */
export function policyDraws(weights: Weights, worlds: WorldDraws): Float64Array {
  const draws = new Float64Array(worlds.hit_right.length);
  for (const world of LEAVES) {
    const weight = weightOf(weights, world);
    if (weight === 0) continue;
    const of = worlds[world];
    for (let i = 0; i < draws.length; i++) draws[i] = (draws[i] ?? 0) + weight * (of[i] ?? 0);
  }
  return draws;
}

/** Ascending copy. */
export function ascending(draws: Float64Array): Float64Array {
  return Float64Array.from(draws).sort();
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
