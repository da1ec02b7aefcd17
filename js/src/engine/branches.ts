/** The branches of a tree in every draw: from the model's probabilities, and under pins. */
import { PIN_SLACK, sticksOf, type Branch, type Keys } from "../contract/levels.ts";
import type { TreeView } from "../contract/tree.ts";
import { betaCurve, type Curve } from "../core/density.ts";
import { entry, record, type ByKey } from "../core/records.ts";
import type { ThetaDraws } from "./packed.ts";

export type BranchDraws = ByKey<Float64Array>;
export type Pins = ByKey<number>;

/** Each branch in every draw; the levels of graded R are broken off its sticks from the top down. */
export function branchDraws(keys: Keys, theta: ThetaDraws): BranchDraws {
  if (!keys.isGraded) return theta;
  const sticks = sticksOf(keys).map((stick) => entry(theta, stick));
  const n = sticks[0]?.length ?? 0;
  const left = new Float64Array(n).fill(1);
  const levels = new Map<Branch, Float64Array>();
  [...keys.levels].reverse().forEach(({ retrieval }, j) => {
    const stick = sticks[j];
    const draws = new Float64Array(n);
    for (let i = 0; i < n; i++) {
      const rest = left[i] ?? 0;
      const part = stick === undefined ? rest : rest * (stick[i] ?? 0);
      draws[i] = part;
      left[i] = rest - part;
    }
    levels.set(retrieval, draws);
  });
  return record(keys.branches, (key) => levels.get(key) ?? entry(theta, key));
}

/**
 * A what-if: some branches set in every draw, the others as they were. Of graded R the levels
 * that are not set share what the set ones leave, in proportion to the draw; equally where the
 * draw gives them nothing.
 */
export function pinBranches(keys: Keys, branches: BranchDraws, pins: Pins): BranchDraws {
  const levels = sharedLevels(keys, branches, pins);
  return record(keys.branches, (key) => {
    const pin = pins[key];
    const draws = entry(branches, key);
    return pin === undefined ? (levels.get(key) ?? draws) : new Float64Array(draws.length).fill(pin);
  });
}

function sharedLevels({ isGraded, levels }: Keys, branches: BranchDraws, pins: Pins): Map<Branch, Float64Array> {
  const names = levels.map(({ retrieval }) => retrieval);
  const free = names.filter((name) => pins[name] === undefined);
  if (!isGraded || free.length === 0 || free.length === names.length) return new Map();
  const left = 1 - names.reduce((total, name) => total + (pins[name] ?? 0), 0);
  const mass = left < PIN_SLACK ? 0 : left;
  const before = free.map((name) => entry(branches, name));
  const after = before.map((draws) => new Float64Array(draws.length));
  for (let i = 0; i < (before[0]?.length ?? 0); i++) {
    let total = 0;
    for (const draws of before) total += draws[i] ?? 0;
    for (let k = 0; k < after.length; k++) {
      const share = total > 0 ? (before[k]?.[i] ?? 0) / total : 1 / free.length;
      (after[k] as Float64Array)[i] = mass * share;
    }
  }
  return new Map(free.map((name, k) => [name, after[k] as Float64Array]));
}

/** The prior of each branch, whose probabilities are Betas. */
export function priorCurves(keys: Keys, priors: TreeView["priors"]): ByKey<Curve> {
  const levels = new Map(keys.isGraded ? levelPriors(keys, priors) : []);
  return record(keys.branches, (key) => betaCurve(...(levels.get(key) ?? priors[key] ?? [1, 1])));
}

/**
 * The Beta with the mean and the variance that each level has a priori. Where the sticks come
 * from a Dirichlet that is its marginal, Beta(α, α₀ − α).
 */
function levelPriors(keys: Keys, priors: TreeView["priors"]): (readonly [Branch, readonly [number, number]])[] {
  const sticks = sticksOf(keys).map((stick) => priors[stick] ?? ([1, 1] as const));
  let [left, leftSquared] = [1, 1];
  return [...keys.levels].reverse().map(({ retrieval }, j) => {
    // The lowest level takes all that is left.
    const [a, b] = sticks[j] ?? [1, 0];
    const square = (x: number) => (x * (x + 1)) / ((a + b) * (a + b + 1));
    const m = (left * a) / (a + b);
    const variance = leftSquared * square(a) - m * m;
    [left, leftSquared] = [(left * b) / (a + b), leftSquared * square(b)];
    const weight = (m * (1 - m)) / variance - 1;
    return [retrieval, [m * weight, (1 - m) * weight]] as const;
  });
}
