/** A what-if: a group's estimates made anew where pins reach them. */
import type { World } from "../contract/levels.ts";
import { ANSWERABILITY } from "../contract/tables.ts";
import type { Estimate, TreeGroup, TreeView } from "../contract/tree.ts";
import { kernelCurve } from "../core/density.ts";
import { estimate, pinned, policyKind } from "../core/format.ts";
import { mean } from "../core/numbers.ts";
import { entry, record } from "../core/records.ts";
import { findQuantity, shapeOf, type Shape } from "../core/shape.ts";
import { pinBranches, type BranchDraws, type Pins } from "./branches.ts";
import { ascending, policyDraws, quantityDraws, summarise, worldDraws, type WorldDraws } from "./quantities.ts";
import { POLICY, sortedFrom, type Fit } from "./tree.ts";

/** Draws that differ by less are the same. */
const SAME = 1e-12;
const UNDEFINED: Estimate = { value: null, lower: null, upper: null, text: estimate(null, null, null) };

/**
 * A group under pins: its estimates made anew from the draws, and those draws.
 *
 * The pinned probabilities are the same in every draw, the others keep theirs, but for levels of
 * R that share what pinned ones leave. A probability that no query can reach is undefined.
 * Answerability stands on a fit of its own and is left out.
 */
export function pinGroup(view: TreeView, group: TreeGroup, fit: Fit, pins: Pins): readonly [TreeGroup, Fit] {
  const shape = shapeOf(view.levels);
  const now = pinFit(shape, fit, pins);
  const { worlds } = now;
  const isKept = sameUnderPins(shape, fit, now);
  const told = (draws: Float64Array, sorted: Float64Array, isRate = true): Estimate => {
    if (isPoint(sorted) && isRate) return constant(sorted[0] ?? 0);
    return summarise(mean(draws), sorted, view.ci_prob, isRate, view.ci_kind);
  };
  const branchOf = (key: string): Estimate => {
    const quantity = findQuantity(shape, key);
    if (quantity && !isReached(quantity.denominator, worlds)) return UNDEFINED;
    const own = group.branches[key];
    const draws = entry(now.branches, key);
    if (pins[key] !== undefined) return told(draws, draws);
    return own && draws === fit.branches[key] ? own : told(draws, entry(now.sortedBranches, key));
  };
  const quantityOf = (key: string, own: Estimate): Estimate | null => {
    if (key === POLICY) {
      if (isKept((of) => policyDraws(view.policy.weights, of))) return own;
      const draws = policyDraws(view.policy.weights, worlds);
      return told(draws, ascending(draws), policyKind(shape, view.policy.weights) !== "utility");
    }
    const quantity = findQuantity(shape, key);
    if (!quantity || (ANSWERABILITY as readonly string[]).includes(key)) return null;
    if (isKept((of) => quantityDraws(quantity, of))) return own;
    const draws = quantityDraws(quantity, worlds);
    return told(draws, now.sortedStats[key] ?? ascending(draws));
  };
  const shown = {
    ...group,
    branches: record(shape.branches, branchOf),
    worlds: record(shape.leaves, (world) => {
      const own = group.worlds[world];
      return own && isKept((of) => entry(of, world)) ? own : told(entry(worlds, world), entry(now.sortedWorlds, world));
    }),
    quantities: Object.fromEntries(
      Object.entries(group.quantities).flatMap(([key, own]) => {
        const told = quantityOf(key, own);
        return told === null ? [] : [[key, told] as const];
      }),
    ),
  };
  return [shown, now];
}

/** Whether any draw has mass in these worlds; the empty set stands for all of them. */
function isReached(denominator: readonly World[], worlds: WorldDraws): boolean {
  return denominator.length === 0 || denominator.some((world) => entry(worlds, world).some((x) => x > 0));
}

/** The draws under pins; a pinned branch keeps the density of its fit, to be seen behind the needle. */
function pinFit(shape: Shape, fit: Fit, pins: Pins): Fit {
  const branches = pinBranches(shape, fit.branches, pins);
  const worlds = worldDraws(shape, branches);
  const isShared = (key: string) => pins[key] === undefined && branches[key] !== fit.branches[key];
  const sorted = record(shape.branches, (key) => (isShared(key) ? ascending(entry(branches, key)) : entry(fit.sortedBranches, key)));
  const curve = (of: Float64Array) => kernelCurve(isPoint(of) ? [] : of);
  return {
    ...fit,
    branches,
    worlds,
    ...sortedFrom(shape, worlds),
    sortedBranches: sorted,
    curves: record(shape.branches, (key) => (isShared(key) ? curve(entry(sorted, key)) : entry(fit.curves, key))),
  };
}

/** Eight draws tell whether pins reach a quantity: where none differs, none of all does. */
function sameUnderPins(shape: Shape, before: Fit, after: Fit): (draws: (worlds: WorldDraws) => Float64Array) => boolean {
  const few = (branches: BranchDraws) => worldDraws(shape, record(shape.branches, (key) => entry(branches, key).subarray(0, 8)));
  const [were, are] = [few(before.branches), few(after.branches)];
  return (draws) => {
    const [old, now] = [draws(were), draws(are)];
    return old.length === now.length && old.every((x, i) => Math.abs(x - (now[i] ?? 0)) < SAME);
  };
}

function isPoint(sorted: Float64Array): boolean {
  const [first, last] = [sorted[0], sorted[sorted.length - 1]];
  return first !== undefined && last !== undefined && last - first < SAME;
}

function constant(x: number): Estimate {
  return { value: x, lower: x, upper: x, text: pinned(x) };
}
