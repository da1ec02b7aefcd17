/**
 * Hamiltonian Monte Carlo in the coordinates that make the Laplace approximation a standard
 * normal, started at the mode. Four chains; a slice of them at a time, so that a page stays alive.
 */
import { atOnce, type Slices } from "../core/slices.ts";
import { laplace, place, type Laplace } from "./laplace.ts";
import type { ThetaDraws } from "./packed.ts";
import { normals, type Uniform } from "./random.ts";
import { DIMENSION, evaluate, scratch, thetaOf, type Terms } from "./terms.ts";

const N = DIMENSION;
const CHAINS = 4;
const WARM_UP = 120;
const WANTED = 0.85;
const FIRST_STEP = 0.6;
/** Length of a trajectory: a quarter turn of a standard normal, give or take. */
const TRAJECTORY = Math.PI / 2;
const MOST_LEAPS = 24;
const PER_SLICE = 250;

/** One chain's place, and how it moves on. */
class Chain {
  private readonly x = new Float64Array(N);
  private gradient = new Float64Array(N);
  private value: number;
  private logStep = Math.log(FIRST_STEP);
  private readonly space = scratch();
  private readonly z = new Float64Array(N);
  private readonly slope = new Float64Array(N);
  private readonly normal: () => number;

  constructor(
    private readonly terms: Terms,
    private readonly fit: Laplace,
    private readonly uniform: Uniform,
  ) {
    this.normal = normals(uniform);
    // Half as wide as the posterior, so that chains start apart but where the mass is.
    for (let k = 0; k < N; k++) this.x[k] = 0.5 * this.normal();
    this.value = this.evaluate(this.x, this.gradient);
  }

  /** Log density of whitened coordinates, and its gradient Lᵀ ∇. */
  private evaluate(x: Float64Array, gradient: Float64Array): number {
    place(this.fit, x, this.z);
    const value = evaluate(this.terms, this.z, this.slope, this.space);
    const { root } = this.fit;
    for (let k = 0; k < N; k++) {
      let total = 0;
      for (let i = k; i < N; i++) total += (root[i * N + k] ?? 0) * (this.slope[i] ?? 0);
      gradient[k] = total;
    }
    return value;
  }

  /** One trajectory; returns the probability of accepting it. */
  private move(step: number): number {
    const at = Float64Array.from(this.x);
    const gradient = Float64Array.from(this.gradient);
    const momentum = new Float64Array(N);
    let energy = -this.value;
    for (let k = 0; k < N; k++) {
      const p = this.normal();
      momentum[k] = p;
      energy += 0.5 * p * p;
    }
    // A random length keeps a trajectory from coming back to where it started.
    const leaps = Math.min(MOST_LEAPS, Math.max(1, Math.round(((0.5 + this.uniform()) * TRAJECTORY) / step)));
    let value = this.value;
    for (let leap = 0; leap < leaps; leap++) {
      for (let k = 0; k < N; k++) {
        const half = (momentum[k] ?? 0) + 0.5 * step * (gradient[k] ?? 0);
        momentum[k] = half;
        at[k] = (at[k] ?? 0) + step * half;
      }
      value = this.evaluate(at, gradient);
      for (let k = 0; k < N; k++) momentum[k] = (momentum[k] ?? 0) + 0.5 * step * (gradient[k] ?? 0);
    }
    let after = -value;
    for (let k = 0; k < N; k++) after += 0.5 * (momentum[k] ?? 0) ** 2;
    const accepted = Number.isFinite(after) ? Math.min(1, Math.exp(energy - after)) : 0;
    if (this.uniform() < accepted) {
      this.x.set(at);
      this.gradient = gradient;
      this.value = value;
    }
    return accepted;
  }

  /** Finds the step length whose trajectories are accepted as often as wanted. */
  warmUp(): void {
    let average = 0;
    let weight = 0;
    for (let i = 1; i <= WARM_UP; i++) {
      this.logStep += (2 / (i + 5) ** 0.6) * (this.move(Math.exp(this.logStep)) - WANTED);
      this.logStep = Math.min(Math.log(1.4), Math.max(-6, this.logStep));
      if (2 * i <= WARM_UP) continue;
      average += this.logStep;
      weight++;
    }
    this.logStep = average / weight;
  }

  /** The next draw's logits. */
  next(into: Float64Array): void {
    this.move(Math.exp(this.logStep));
    place(this.fit, this.x, into);
  }
}

/** Draws in slices: each `next()` does a piece of the work, the last one returns them all. */
export function* hmcSlices(terms: Terms, n: number, uniform: Uniform, fit: Laplace = laplace(terms)): Slices<ThetaDraws> {
  const logits = new Float64Array(N * n);
  let drawn = 0;
  for (let c = 0; c < CHAINS; c++) {
    const chain = new Chain(terms, fit, uniform);
    chain.warmUp();
    const until = Math.round(((c + 1) * n) / CHAINS);
    for (; drawn < until; drawn++) {
      if (drawn % PER_SLICE === 0) yield;
      chain.next(logits.subarray(drawn * N, (drawn + 1) * N));
    }
  }
  return thetaOf(logits);
}

/** All draws at once. */
export function hmcDraws(terms: Terms, n: number, uniform: Uniform): ThetaDraws {
  return atOnce(hmcSlices(terms, n, uniform));
}
