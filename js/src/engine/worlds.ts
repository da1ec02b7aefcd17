/** The worlds of K ordered levels of R as products of free probabilities. */
import { keysOf } from "../contract/levels.ts";

/** A probability by its number, and whether its "yes" is meant. */
export type Held = readonly (readonly [parameter: number, yes: boolean])[];

/** As in Python's `model/worlds.py`, in the same order. */
export interface Worlds {
  readonly names: readonly string[];
  /** The splits of R from the top level down, P(A=1) per level, P(T=1) of answers per level. */
  readonly parameters: readonly string[];
  readonly level: readonly number[];
  readonly abstained: readonly boolean[];
  readonly right: readonly boolean[];
  readonly hit: readonly boolean[];
  /** What P(world) is a product of. */
  readonly held: readonly Held[];
}

/** The worlds of these levels of retrieval, the lowest first. */
export function worldsOf(levels: readonly string[]): Worlds {
  const k = levels.length;
  const level = [...levels.keys(), ...levels.flatMap((_, i) => [i, i])];
  const abstained = level.map((_, i) => i < k);
  const right = level.map((_, i) => i >= k && (i - k) % 2 === 1);
  const held = level.map((at, i): Held => {
    const splits = Array.from({ length: Math.min(k - 1, k - at) }, (_, j) => [j, j === k - 1 - at] as const);
    const declines = [k - 1 + at, abstained[i] === true] as const;
    return abstained[i] ? [...splits, declines] : [...splits, declines, [2 * k - 1 + at, right[i] === true]];
  });
  const hit = level.map((at) => at === k - 1);
  const { worlds: names, parameters } = keysOf(levels);
  return { names, parameters, level, abstained, right, hit, held };
}

/** P(world) in every draw, world by world, from draws of the free probabilities. */
export function worldDrawsOf({ held }: Worlds, theta: readonly Float64Array[]): Float64Array[] {
  const n = theta[0]?.length ?? 0;
  return held.map((said) => {
    const mass = new Float64Array(n).fill(1);
    for (const [parameter, yes] of said) {
      const of = theta[parameter];
      for (let i = 0; i < n; i++) {
        const p = of?.[i] ?? 0;
        mass[i] = (mass[i] ?? 0) * (yes ? p : 1 - p);
      }
    }
    return mass;
  });
}

/** Draws of P(R), P(T) and of P(G) when good is a right answer on the evidence or declining without. */
export function targetDrawsOf(worlds: Worlds, theta: readonly Float64Array[]): Float64Array[] {
  const { hit, abstained, right } = worlds;
  const masses = worldDrawsOf(worlds, theta);
  const good = hit.map((isHit, w) => (isHit ? right[w] : abstained[w]));
  return [hit, right, good].map((isIn) => {
    const total = new Float64Array(masses[0]?.length ?? 0);
    for (const [w, mass] of masses.entries()) if (isIn[w]) for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? 0) + (mass[i] ?? 0);
    return total;
  });
}
