/** Whether draws have mixed: what chains, or islands, that know nothing of each other agree on. */
import { mean } from "../core/numbers.ts";

/** How well draws are known. */
export interface Mixing {
  /** Gelman and Rubin's R-hat of what is worst off: 1 where the chains cannot be told apart. */
  readonly rHat: number;
  /** Draws that are worth one independent draw, of what is worst off. */
  readonly slowness: number;
  /** Standard error of the least known of the means of P(R), P(T) and P(G). */
  readonly error: number;
}

export const MIXED: Mixing = { rHat: 1, slowness: 1, error: 0 };

/** An R-hat above which numbers are rough. */
const ROUGH = 1.05;

/** Whether draws are too far from mixed to go without a warning. */
export function isRough({ rHat }: Mixing): boolean {
  return rHat > ROUGH;
}

/** Chains that walk are cut in halves: one that drifts disagrees with itself. */
const CUTS = 2;
const BATCHES = 20;
/** Probabilities that vary less are all the same. */
const LEAST_VARIANCE = 1e-20;

/** How many chains there are, each one's draws in a row, and whether these follow from each other. */
export interface Chains {
  readonly n: number;
  readonly isWalk: boolean;
}

/** Of several quantities, targets first among them, draw by draw. */
export function mixingOf(targets: readonly Float64Array[], others: readonly Float64Array[], { n, isWalk }: Chains): Mixing {
  const parts = isWalk ? CUTS * n : n;
  let [rHat, slowness, error] = [1, 1, 0];
  for (const draws of [...targets, ...others]) {
    const { within, between } = spreads(draws, parts);
    // Folded, the draws tell of widths what they tell of means.
    const middle = mean(draws);
    const folded = spreads(draws.map((x) => Math.abs(x - middle)), parts);
    for (const one of [{ within, between }, folded]) rHat = Math.max(rHat, Math.sqrt(1 + one.between / Math.max(one.within, LEAST_VARIANCE)));
    if (isWalk) slowness = Math.max(slowness, slownessOf(draws));
    if (targets.includes(draws)) error = Math.max(error, Math.sqrt(between / parts));
  }
  return { rHat: Number.isNaN(rHat) ? Infinity : rHat, slowness, error };
}

/** The mean variance within parts, and the variance of their means. */
function spreads(draws: Float64Array, parts: number): { readonly within: number; readonly between: number } {
  const size = Math.floor(draws.length / parts);
  const means = new Float64Array(parts);
  let within = 0;
  for (let c = 0; c < parts; c++) {
    const part = draws.subarray(c * size, (c + 1) * size);
    const centre = mean(part);
    means[c] = centre;
    let squares = 0;
    for (let i = 0; i < size; i++) squares += ((part[i] ?? 0) - centre) ** 2;
    within += squares / size / parts;
  }
  return { within, between: variance(means) };
}

/** How many draws make an independent one: from how far the means of batches are apart. */
function slownessOf(draws: Float64Array): number {
  const { within, between } = spreads(draws, BATCHES);
  const size = Math.floor(draws.length / BATCHES);
  return (size * between) / Math.max(within + between, LEAST_VARIANCE);
}

function variance(of: Float64Array): number {
  const centre = mean(of);
  return of.reduce((total, x) => total + (x - centre) ** 2, 0) / (of.length - 1);
}
