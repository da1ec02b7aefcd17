// @vitest-environment node
/**
 * Wrong gradients in the browser's HMC. What a trajectory proposes is accepted by the density, so
 * a wrong force leaves draws right as long as walkers get about; ranks notice where they do not.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { PARAMETERS, type Parameter } from "../../src/contract/tables.ts";
import { hmcDraws } from "../../src/engine/hmc.ts";
import { betaDraws, uniforms, type Uniform } from "../../src/engine/random.ts";
import { DIMENSION, evaluate, posteriorTerms, scratch } from "../../src/engine/terms.ts";

type Spoil = (gradient: Float64Array) => void;
const spoiled = vi.hoisted(() => ({ by: null as null | ((gradient: Float64Array) => void) }));

vi.mock("../../src/engine/terms.ts", async (original) => {
  const right = await original<typeof import("../../src/engine/terms.ts")>();
  return {
    ...right,
    evaluate: (...args: Parameters<typeof right.evaluate>) => {
      const value = right.evaluate(...args);
      spoiled.by?.(args[2]);
      return value;
    },
  };
});

afterEach(() => {
  spoiled.by = null;
});

const STUCK: Readonly<Record<string, Spoil>> = {
  reversed: (gradient) => gradient.forEach((g, k) => (gradient[k] = -g)),
  "a constant added": (gradient) => gradient.forEach((g, k) => (gradient[k] = g + 100)),
};
const MENDED: Readonly<Record<string, Spoil>> = {
  "half as long": (gradient) => gradient.forEach((g, k) => (gradient[k] = g / 2)),
};

// Priors that lean on 0 and 1, and eight rows: no normal approximation comes near.
const LEANING = Object.fromEntries(PARAMETERS.map((key) => [key, [0.3, 0.3] as const]));
const N_RANKS = 20;
const THINNING = 50;
const N = N_RANKS * THINNING;
/** Chi-square with 19 degrees of freedom: above this once in 10,000 times. */
const WORST = 50.8;

/** Rows of a system by pattern; half of them hide R, a third hide T. */
function simulated(truth: Record<Parameter, number>, n: number, uniform: Uniform): Map<string, number> {
  const rows = new Map<string, number>();
  for (let i = 0; i < n; i++) {
    const hit = uniform() < truth.retrieval_success;
    const declined = uniform() < (hit ? truth.abstain_given_hit : truth.abstain_given_miss);
    const right = !declined && uniform() < (hit ? truth.correct_given_hit : truth.correct_given_miss);
    const row = [i % 2 ? -1 : Number(hit), Number(declined), declined || i % 3 === 0 ? -1 : Number(right)].join(",");
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return rows;
}

/** The largest chi-square of the five parameters' ranks among 19 draws each. */
function unevenness(nSets: number): number {
  const uniform = uniforms(20261130, "wrong gradients");
  const bins = Object.fromEntries(PARAMETERS.map((key) => [key, new Array<number>(N_RANKS).fill(0)]));
  for (let i = 0; i < nSets; i++) {
    const truth = Object.fromEntries(PARAMETERS.map((key) => [key, betaDraws(0.3, 0.3, 1, uniform)[0]!])) as Record<Parameter, number>;
    const rows = simulated(truth, 8, uniform);
    const patterns = [...rows.keys()].map((text) => text.split(",").map(Number) as unknown as readonly [number, number, number]);
    const draws = hmcDraws(posteriorTerms(patterns, [...rows.values()], LEANING), N, uniform);
    for (const key of PARAMETERS) {
      let rank = 0;
      for (let j = 1; j < N_RANKS; j++) if (draws[key]![j * THINNING]! < truth[key]) rank++;
      bins[key]![rank]!++;
    }
  }
  const expected = nSets / N_RANKS;
  return Math.max(...PARAMETERS.map((key) => bins[key]!.reduce((sum, n) => sum + (n - expected) ** 2 / expected, 0)));
}

/** The largest difference of the gradient from central differences of the density. */
function errorOfGradient(): number {
  const terms = posteriorTerms([[1, 0, 1], [-1, 0, 1], [-1, 1, -1], [0, 0, -1]], [5, 9, 4, 7], LEANING);
  const uniform = uniforms(3, "differences");
  const [slope, other] = [new Float64Array(DIMENSION), new Float64Array(DIMENSION)];
  let worst = 0;
  for (let i = 0; i < 20; i++) {
    const z = Float64Array.from({ length: DIMENSION }, () => 4 * uniform() - 2);
    evaluate(terms, z, slope, scratch());
    for (let k = 0; k < DIMENSION; k++) {
      const at = (step: number) => evaluate(terms, z.map((x, j) => (j === k ? x + step : x)), other, scratch());
      worst = Math.max(worst, Math.abs((at(1e-5) - at(-1e-5)) / 2e-5 - slope[k]!));
    }
  }
  return worst;
}

describe("ranks of the truth, eight rows and priors that lean on 0 and 1", { timeout: 120_000 }, () => {
  it("are uniform", () => {
    expect(unevenness(400)).toBeLessThan(WORST);
  });

  it.each(Object.entries(STUCK))("are not with a gradient that keeps walkers from moving: %s", (_, spoil) => {
    spoiled.by = spoil;
    expect(unevenness(240)).toBeGreaterThan(WORST);
  });

  it.each(Object.entries(MENDED))("are with one that only slows them down: %s", (_, spoil) => {
    spoiled.by = spoil;
    expect(unevenness(160)).toBeLessThan(WORST);
  });
});

describe("differences of the density", () => {
  it("agree with the gradient", () => {
    expect(errorOfGradient()).toBeLessThan(1e-6);
  });

  it.each(Object.entries({ ...STUCK, ...MENDED }))("notice a wrong one: %s", (_, spoil) => {
    spoiled.by = spoil;
    expect(errorOfGradient()).toBeGreaterThan(0.1);
  });
});
