/**
 * The posterior of a table of pattern counts as a sum of logarithms over the six worlds.
 *
 * The tree is walked the other way round: A first, then T among the answers, then R given what
 * was seen. Rows that hide R then inform the first two steps alone, which makes the posterior
 * smooth and near to normal where R given A is a latent class. On the logits of these five steps
 * the density, Jacobian included, is a product of powers of sums of worlds: each pattern is such
 * a sum, and so is each part of the prior and of the change of variables.
 */
import { PARAMETERS, WORLDS, type Parameter, type World } from "../contract/tables.ts";
import type { TreeView } from "../contract/tree.ts";
import type { ThetaDraws } from "./packed.ts";

/** Number of steps, and so of coordinates. */
export const DIMENSION = 5;
const N_WORLDS = WORLDS.length;

/** Powers of sums of worlds: log density = Σ power × log Σ_w emission × P(w). */
export interface Terms {
  readonly powers: Float64Array;
  /** Row by row (term, world): P(what the rows show | world); 0 or 1 for labels. */
  readonly emissions: Float64Array;
}

export interface Evaluation {
  readonly value: number;
  readonly gradient: Float64Array;
}

const HIT_ANSWERED: readonly World[] = ["hit_wrong", "hit_right"];
const MISS_ANSWERED: readonly World[] = ["miss_wrong", "miss_right"];

/** Of each world the steps that lead to it: [step, whether it takes the yes]. */
const STEPS_TO: Readonly<Record<World, readonly (readonly [step: number, yes: boolean])[]>> = {
  miss_abstained: [[0, true], [2, false]],
  hit_abstained: [[0, true], [2, true]],
  miss_right: [[0, false], [1, true], [3, false]],
  hit_right: [[0, false], [1, true], [3, true]],
  miss_wrong: [[0, false], [1, false], [4, false]],
  hit_wrong: [[0, false], [1, false], [4, true]],
};
const WAYS = WORLDS.map((world) => STEPS_TO[world]);

/** P(the labels that a row shows | world): 1 where they agree, else 0. */
export function labelEmission([retrieval, abstention, task]: readonly [number, number, number]): number[] {
  return WORLDS.map((world) => {
    const abstained = world.endsWith("abstained");
    const agrees =
      (retrieval < 0 || (retrieval === 1) === world.startsWith("hit")) &&
      (abstention < 0 || (abstention === 1) === abstained) &&
      // No answer is not a right one; T=0 with A=1 is the same row as A=1 alone.
      (task < 0 || (task === 1) === world.endsWith("right"));
    return agrees ? 1 : 0;
  });
}

/** The terms of these counts under Beta priors; rows that show nothing say nothing. */
export function posteriorTerms(
  patterns: TreeView["patterns"],
  counts: readonly number[],
  priors: TreeView["priors"],
): Terms {
  const powers: number[] = [];
  const emissions: number[] = [];
  const add = (power: number, emission: readonly number[]) => {
    if (power === 0) return;
    powers.push(power);
    emissions.push(...emission);
  };
  const worlds = (power: number, of: (world: World) => boolean) => add(power, WORLDS.map((world) => (of(world) ? 1 : 0)));

  patterns.forEach((pattern, i) => {
    const emission = labelEmission(pattern);
    if (emission.some((p) => p !== 1)) add(counts[i] ?? 0, emission);
  });
  const [yes, no] = [0, 1].map(
    (side) => Object.fromEntries(PARAMETERS.map((key) => [key, priors[key]?.[side] ?? 1])) as Record<Parameter, number>,
  ) as [Record<Parameter, number>, Record<Parameter, number>];
  for (const side of ["hit", "miss"] as const) {
    const [abstain, correct] = [`abstain_given_${side}`, `correct_given_${side}`] as const;
    const reached = (side === "hit" ? yes : no).retrieval_success;
    worlds(reached - yes[abstain] - no[abstain], (world) => world.startsWith(side));
    worlds(no[abstain] - yes[correct] - no[correct], (world) => (side === "hit" ? HIT_ANSWERED : MISS_ANSWERED).includes(world));
    worlds(yes[abstain], (world) => world === `${side}_abstained`);
    worlds(yes[correct], (world) => world === `${side}_right`);
    worlds(no[correct], (world) => world === `${side}_wrong`);
  }
  return { powers: Float64Array.from(powers), emissions: Float64Array.from(emissions) };
}

/** Arrays that one run of evaluations shares. */
export interface Scratch {
  readonly yes: Float64Array;
  readonly no: Float64Array;
  readonly worlds: Float64Array;
  readonly slopes: Float64Array;
}

export function scratch(): Scratch {
  const make = (n: number) => new Float64Array(n);
  return { yes: make(DIMENSION), no: make(DIMENSION), worlds: make(N_WORLDS), slopes: make(N_WORLDS) };
}

function fillWorlds(z: Float64Array, { yes, no, worlds }: Scratch): void {
  for (let k = 0; k < DIMENSION; k++) {
    const logit = z[k] ?? 0;
    const small = Math.exp(-Math.abs(logit));
    const [near, far] = [1 / (1 + small), small / (1 + small)];
    yes[k] = logit >= 0 ? near : far;
    no[k] = logit >= 0 ? far : near;
  }
  for (let w = 0; w < N_WORLDS; w++) {
    let p = 1;
    for (const [step, takesYes] of WAYS[w] ?? []) p *= (takesYes ? yes[step] : no[step]) ?? 0;
    worlds[w] = p;
  }
}

/** Log density at the logits `z`; its gradient goes into `gradient`. */
export function evaluate(terms: Terms, z: Float64Array, gradient: Float64Array, space: Scratch): number {
  fillWorlds(z, space);
  const { yes, no, worlds, slopes } = space;
  const { powers, emissions } = terms;
  slopes.fill(0);
  let value = 0;
  for (let i = 0; i < powers.length; i++) {
    const power = powers[i] ?? 0;
    const row = i * N_WORLDS;
    let total = 0;
    for (let w = 0; w < N_WORLDS; w++) total += (emissions[row + w] ?? 0) * (worlds[w] ?? 0);
    value += power * Math.log(total);
    const each = power / total;
    for (let w = 0; w < N_WORLDS; w++) slopes[w] = (slopes[w] ?? 0) + each * (emissions[row + w] ?? 0);
  }
  gradient.fill(0);
  for (let w = 0; w < N_WORLDS; w++) {
    const weight = (slopes[w] ?? 0) * (worlds[w] ?? 0);
    for (const [step, takesYes] of WAYS[w] ?? []) {
      gradient[step] = (gradient[step] ?? 0) + (takesYes ? weight * (no[step] ?? 0) : -weight * (yes[step] ?? 0));
    }
  }
  return value;
}

/** The five probabilities of the model from draws of the logits, row by row (draw, step). */
export function thetaOf(logits: Float64Array): ThetaDraws {
  const n = logits.length / DIMENSION;
  const theta = Object.fromEntries(PARAMETERS.map((key) => [key, new Float64Array(n)])) as Record<Parameter, Float64Array>;
  const space = scratch();
  const at = Object.fromEntries(WORLDS.map((world, w) => [world, w])) as Record<World, number>;
  for (let i = 0; i < n; i++) {
    fillWorlds(logits.subarray(i * DIMENSION, (i + 1) * DIMENSION), space);
    const p = (world: World) => space.worlds[at[world]] ?? 0;
    const hitAnswered = p("hit_right") + p("hit_wrong");
    const missAnswered = p("miss_right") + p("miss_wrong");
    const hit = p("hit_abstained") + hitAnswered;
    theta.retrieval_success[i] = hit;
    theta.abstain_given_hit[i] = p("hit_abstained") / hit;
    theta.abstain_given_miss[i] = p("miss_abstained") / (p("miss_abstained") + missAnswered);
    theta.correct_given_hit[i] = p("hit_right") / hitAnswered;
    theta.correct_given_miss[i] = p("miss_right") / missAnswered;
  }
  return theta;
}
