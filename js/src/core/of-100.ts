/** Whole queries of 100, as `views/wording.py` finds them. */
import type { World } from "../contract/levels.ts";
import { weightOf, type Weights } from "./format.ts";
import { roundHalfUp, sum } from "./numbers.ts";
import type { ByKey } from "./records.ts";
import type { Shape } from "./shape.ts";

// R, A, T, G: T and G stand in the sentence and in the totals, R and A only inside the tree.
const IMPORTANCE = [1, 1, 3, 3] as const;
/** Up to as many leaves every way of rounding is tried. */
const MOST_SEARCHED = 12;

/**
 * Whole queries of 100 per world that add up, whatever is summed: each world is rounded down or
 * up; of the choices that sum to 100 the one is taken whose T and G stay nearest to their own
 * rounding, then R and A, then the worlds. Many worlds are rounded by largest remainders.
 */
export function of100(shape: Shape, worlds: ByKey<number>, policy: Weights): ByKey<number> {
  const last = asked.get(worlds);
  if (last?.shape === shape && last.policy === policy) return last.whole;
  const whole = rounded(shape, worlds, policy);
  asked.set(worlds, { shape, policy, whole });
  return whole;
}

/** Sentences and pictures ask for the same numbers one after the other. */
const asked = new WeakMap<ByKey<number>, { readonly shape: Shape; readonly policy: Weights; readonly whole: ByKey<number> }>();

function rounded(shape: Shape, worlds: ByKey<number>, policy: Weights): ByKey<number> {
  const { leaves } = shape;
  const exact = leaves.map((world) => 100 * (worlds[world] ?? 0));
  const floors = exact.map(Math.floor);
  const n = 100 - floors.reduce((a, b) => a + b, 0);
  const isFit = n >= 0 && n <= leaves.length;
  const whole = !isFit ? rest(floors) : leaves.length > MOST_SEARCHED ? largestRemainders(exact, floors, n) : search(shape, exact, floors, n, policy);
  return Object.fromEntries(leaves.map((world, i) => [world, whole[i] ?? 0]));
}

/** Probabilities that do not sum to 1 to the last digit: the last world takes what is missing. */
function rest(floors: readonly number[]): number[] {
  const head = floors.slice(0, -1);
  return [...head, 100 - head.reduce((a, b) => a + b, 0)];
}

function largestRemainders(exact: readonly number[], floors: readonly number[], n: number): number[] {
  const remainder = (i: number) => (exact[i] ?? 0) - (floors[i] ?? 0);
  const order = floors.map((_, i) => i).sort((i, j) => remainder(j) - remainder(i) || i - j);
  const up = new Set(order.slice(0, n));
  return floors.map((floor, i) => floor + (up.has(i) ? 1 : 0));
}

function search(shape: Shape, exact: readonly number[], floors: readonly number[], n: number, policy: Weights): number[] {
  const groups = summed(shape, policy);
  const wanted = groups.map((group) => roundHalfUp(total(group, exact)));
  const whole = [...floors];
  const off = whole.map(() => 0);
  const offGroups = groups.map(() => 0);
  let best = floors;
  let bestCost = Infinity;
  for (const choice of choices(floors.length, n)) {
    for (let i = 0; i < whole.length; i++) {
      whole[i] = (floors[i] ?? 0) + (choice[i] ?? 0);
      off[i] = Math.abs((whole[i] ?? 0) - (exact[i] ?? 0));
    }
    groups.forEach((group, k) => {
      offGroups[k] = (IMPORTANCE[k] ?? 0) * Math.abs(total(group, whole) - (wanted[k] ?? 0));
    });
    const cost = 1000 * sum(offGroups) + sum(off);
    if (cost < bestCost - 1e-9) [best, bestCost] = [[...whole], cost];
  }
  return [...best];
}

/** Compensated as `sum` is, for every choice anew. */
function total(group: readonly number[], of: readonly number[]): number {
  let [all, lost] = [0, 0];
  for (let i = 0; i < group.length; i++) {
    const x = (group[i] ?? 0) * (of[i] ?? 0);
    const next = all + x;
    lost += Math.abs(all) >= Math.abs(x) ? all - next + x : x - next + all;
    all = next;
  }
  return all + lost;
}

/** Membership of each leaf in R, A, T, and its weight in G. */
function summed({ leaves, outcomes, top }: Shape, policy: Weights): number[][] {
  const of = (belongs: (world: World) => boolean) => leaves.map((world) => (belongs(world) ? 1 : 0));
  return [
    of((world) => outcomes[world]?.level === top),
    of((world) => outcomes[world]?.level.abstained === world),
    of((world) => outcomes[world]?.level.right === world),
    leaves.map((world) => weightOf(policy, world)),
  ];
}

/** All ways to take `n` of `length`, as zeros and ones; the first place is the slowest to change. */
function choices(length: number, n: number): readonly (readonly number[])[] {
  const key = 64 * length + n;
  const made = known.get(key) ?? makeChoices(length, n);
  known.set(key, made);
  return made;
}

const known = new Map<number, readonly (readonly number[])[]>();

function makeChoices(length: number, n: number): number[][] {
  if (length === 0) return n === 0 ? [[]] : [];
  if (n > length) return [];
  const without = makeChoices(length - 1, n).map((tail) => [0, ...tail]);
  return n === 0 ? without : [...without, ...makeChoices(length - 1, n - 1).map((tail) => [1, ...tail])];
}
