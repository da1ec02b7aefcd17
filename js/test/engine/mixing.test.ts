// @vitest-environment node
import { describe, expect, it } from "vitest";
import { mixingOf } from "../../src/engine/mixing.ts";
import { normals, uniforms } from "../../src/engine/random.ts";

const N = 4000;
const WALK = { n: 4, isWalk: true };
const ISLANDS = { n: 4, isWalk: false };

/** Draws of an autoregressive chain of variance 1. */
function chain(rho: number, seed: number): Float64Array {
  const normal = normals(uniforms(seed, "mixing"));
  let x = normal();
  return Float64Array.from({ length: N }, () => (x = rho * x + Math.sqrt(1 - rho * rho) * normal()));
}

describe("mixing", () => {
  it("of independent draws is perfect, and their error is that of a mean", () => {
    const { rHat, slowness, error } = mixingOf([chain(0, 1)], [], WALK);
    expect(rHat).toBeLessThan(1.005);
    // The variance of 20 means has 19 degrees of freedom, of 8 means 7: within 5 standard errors.
    expect(Math.abs(slowness - 1)).toBeLessThan(5 * Math.sqrt(2 / 19));
    expect(error * Math.sqrt(N)).toBeGreaterThan(0.3);
    expect(error * Math.sqrt(N)).toBeLessThan(2);
  });

  it("of a chain that remembers is as slow as its autocorrelations sum to", () => {
    const slow = [2, 3, 4, 5].map((seed) => mixingOf([chain(0.9, seed)], [], WALK).slowness);
    const found = slow.reduce((sum, x) => sum + x / slow.length, 0);
    // (1 + rho) / (1 - rho) = 19, give or take the variance of 4 times 20 means.
    expect(Math.abs(found / 19 - 1)).toBeLessThan(4 * Math.sqrt(2 / (4 * 19)));
  });

  it("of chains in different places is what the spread of their means says", () => {
    const apart = chain(0, 6).map((x, i) => x + Math.floor((4 * i) / N));
    const { rHat, error } = mixingOf([], [apart], ISLANDS);
    // Means 0, 1, 2, 3 have the variance 5/3; within the chains it is 1.
    expect(rHat).toBeCloseTo(Math.sqrt(1 + 5 / 3), 1);
    expect(error).toBe(0);
    expect(mixingOf([apart], [], ISLANDS).error).toBeCloseTo(Math.sqrt(5 / 3 / 4), 1);
  });

  it("of chains of one mean and different widths is bad, too", () => {
    const wide = chain(0, 7).map((x, i) => x * (i < N / 2 ? 1 : 2));
    expect(mixingOf([], [wide], WALK).rHat).toBeGreaterThan(1.05);
  });

  it("of a walk that drifts is bad, though each chain ends where it begins on average", () => {
    const drift = chain(0, 8).map((x, i) => x + 2 * ((i % (N / 4)) / (N / 4)));
    expect(mixingOf([], [drift], WALK).rHat).toBeGreaterThan(1.05);
    expect(mixingOf([], [drift], ISLANDS).rHat).toBeLessThan(1.01);
  });

  it("of draws that are no numbers is as bad as can be", () => {
    expect(mixingOf([], [new Float64Array(N).fill(NaN)], WALK).rHat).toBe(Infinity);
    expect(mixingOf([], [new Float64Array(N).fill(0.3)], WALK).rHat).toBeCloseTo(1, 9);
  });
});
