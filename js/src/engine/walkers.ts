/**
 * Draws of the free logits: from the Gaussians at the modes, and by Hamiltonian Monte Carlo in
 * the coordinates that make these standard normals (Python's `inference/walkers.py`).
 *
 * Where there are several modes each step also offers a jump between two of them, the affine map
 * that takes one Gaussian to the other: it keeps their shares right however deep the valley.
 */
import { clamp } from "../core/numbers.ts";
import { backward, forward, whiten, type Factor } from "./envelope.ts";
import type { Peak } from "./peaks.ts";
import { normals, type Uniform } from "./random.ts";
import { costOf, densityAt, PER_SLICE, type Surface } from "./surface.ts";

export const CHAINS = 4;
const WARM_UP = 100;
const WANTED = 0.85;
const FIRST_STEP = 0.7;
const LONGEST_STEP = 1.2;
/** Length of a trajectory: a quarter turn of a standard normal, give or take. */
const TRAJECTORY = Math.PI / 2;
/** The same where the posterior is so bent that walkers hardly mix. */
const LONG_TRAJECTORY = 8;
const MOST_LEAPS = 64;

/** How far along an axis the density is looked at, and how much wider or narrower it may be found. */
const LOOK = 1.5;
const [LEAST_SCALE, MOST_SCALE] = [0.6, 1.8];
const SPLIT_MEAN = Math.sqrt(2 / Math.PI);

/** One draw after the other: logits of the free places. */
export type Logits = Float64Array;

/**
 * `n` draws from the Gaussians at the modes, as many from each as its share of the mass, each
 * axis bent to be as skewed as the density is (after the split normals of Geweke 1989).
 */
export function gaussianLogits(surface: Surface, peaks: readonly Peak[], white: Float64Array, n: number): Logits {
  const size = surface.free.length;
  const logits = new Float64Array(n * size);
  const bends = new Map(peaks.map((peak) => [peak, knownBends(surface, peak)]));
  const x = new Float64Array(size);
  for (let i = 0; i < n; i++) {
    const peak = peakAt(peaks, (0.5 + i * 0.6180339887498949) % 1);
    const { centre, factor } = peak;
    const { scale, lean } = bends.get(peak) as Bends;
    for (let k = 0; k < size; k++) {
      const u = white[i * size + k] ?? 0;
      // The mean of a split normal, and slopes of either scale at 1.5.
      x[k] = (scale[k] ?? 1) * u + (lean[k] ?? 0) * (SPLIT_MEAN + (u * u - 1) / 6);
    }
    backward(factor, x);
    for (let k = 0; k < size; k++) logits[i * size + k] = (centre[k] ?? 0) + (x[k] ?? 0);
  }
  return logits;
}

/** Of each whitened axis the mean of the scales on either side of the mode, and their difference. */
interface Bends {
  readonly scale: Float64Array;
  readonly lean: Float64Array;
}

const bent = new WeakMap<Factor, Bends>();

/** The bends at a mode, taken once for a curvature. */
function knownBends(surface: Surface, peak: Peak): Bends {
  const known = bent.get(peak.factor) ?? bendsOf(surface, peak);
  bent.set(peak.factor, known);
  return known;
}

function bendsOf(surface: Surface, { centre, factor }: Peak): Bends {
  const n = centre.length;
  const [axis, slope] = [new Float64Array(n), new Float64Array(n)];
  const top = densityAt(surface, centre, slope);
  const scaleAt = (k: number, far: number): number => {
    axis.fill(0);
    axis[k] = far;
    backward(factor, axis);
    const drop = top - densityAt(surface, axis.map((x, j) => x + (centre[j] ?? 0)), slope);
    // So far out that the density is no number any more, it has dropped.
    return Number.isNaN(drop) ? LEAST_SCALE : clamp(Math.abs(far) / Math.sqrt(Math.max(2 * drop, 1e-9)), LEAST_SCALE, MOST_SCALE);
  };
  const sides = Array.from({ length: n }, (_, k) => [scaleAt(k, -LOOK), scaleAt(k, LOOK)] as const);
  return {
    scale: Float64Array.from(sides, ([down, up]) => (down + up) / 2),
    lean: Float64Array.from(sides, ([down, up]) => up - down),
  };
}

/** The mode in whose share of [0, 1) a number lies. */
function peakAt(peaks: readonly Peak[], share: number): Peak {
  let left = share;
  const found = peaks.find(({ weight }) => (left -= weight) < 0);
  return (found ?? peaks[0]) as Peak;
}

/** Where a point is that is as far from one mode as another point is from a second one. */
export function carried(from: Peak, to: Peak, z: Float64Array): Float64Array {
  const at = z.map((x, k) => x - (from.centre[k] ?? 0));
  whiten(from.factor, at);
  backward(to.factor, at);
  for (let k = 0; k < at.length; k++) at[k] = (at[k] ?? 0) + (to.centre[k] ?? 0);
  return at;
}

/** One or two modes, different from each other. */
export function chosen(peaks: readonly Peak[], n: number, uniform: Uniform): readonly Peak[] {
  if (peaks.length === 1) return peaks;
  const first = Math.floor(uniform() * peaks.length);
  const away = n === 1 ? 0 : 1 + Math.floor(uniform() * (peaks.length - 1));
  return [peaks[first] as Peak, peaks[(first + away) % peaks.length] as Peak];
}

/** One chain's place, and how it moves on. */
class Walker {
  private z: Float64Array;
  private slope: Float64Array;
  private value: number;
  private logStep = Math.log(FIRST_STEP);
  private readonly momentum: Float64Array;
  private readonly normal: () => number;
  /** Evaluations of the density so far. */
  nEvaluations = 0;

  constructor(
    private readonly surface: Surface,
    private readonly peaks: readonly Peak[],
    private readonly uniform: Uniform,
    private readonly trajectory: number,
    share: number,
  ) {
    const { centre, factor } = peakAt(peaks, share);
    const n = centre.length;
    this.normal = normals(uniform);
    // Half as wide as the posterior, so that chains start apart but where the mass is.
    const away = Float64Array.from({ length: n }, () => 0.5 * this.normal());
    backward(factor, away);
    this.z = centre.map((x, k) => x + (away[k] ?? 0));
    this.slope = new Float64Array(n);
    this.momentum = new Float64Array(n);
    this.value = densityAt(surface, this.z, this.slope);
  }

  /** One trajectory; returns the probability of accepting it. */
  private move(step: number): number {
    const { factor } = this.choose(1)[0] as Peak;
    const n = this.z.length;
    const at = Float64Array.from(this.z);
    const slope = Float64Array.from(this.slope);
    const { momentum } = this;
    const velocity = new Float64Array(n);
    let energy = -this.value;
    for (let k = 0; k < n; k++) {
      const p = this.normal();
      momentum[k] = p;
      energy += 0.5 * p * p;
    }
    // A random length keeps a trajectory from coming back to where it started.
    const leaps = Math.min(MOST_LEAPS, Math.max(1, Math.round(((0.6 + 0.8 * this.uniform()) * this.trajectory) / step)));
    let value = this.value;
    forward(factor, slope);
    for (let leap = 0; leap < leaps; leap++) {
      for (let k = 0; k < n; k++) velocity[k] = momentum[k] = (momentum[k] ?? 0) + 0.5 * step * (slope[k] ?? 0);
      backward(factor, velocity);
      for (let k = 0; k < n; k++) at[k] = (at[k] ?? 0) + step * (velocity[k] ?? 0);
      value = densityAt(this.surface, at, slope);
      if (leap === leaps - 1) velocity.set(slope);
      forward(factor, slope);
      for (let k = 0; k < n; k++) momentum[k] = (momentum[k] ?? 0) + 0.5 * step * (slope[k] ?? 0);
    }
    this.nEvaluations += leaps;
    let after = -value;
    for (let k = 0; k < n; k++) after += 0.5 * (momentum[k] ?? 0) ** 2;
    const accepted = Number.isFinite(after) ? Math.min(1, Math.exp(energy - after)) : 0;
    if (this.uniform() < accepted) [this.z, this.slope, this.value] = [at, velocity, value];
    return accepted;
  }

  /** Offers the way from one mode to another, as far from it as from the first. */
  private jump(): void {
    const [from, to] = this.choose(2) as [Peak, Peak];
    const at = carried(from, to, this.z);
    const slope = new Float64Array(at.length);
    const value = densityAt(this.surface, at, slope);
    this.nEvaluations++;
    const gain = value - this.value + from.factor.logDet - to.factor.logDet;
    if (Math.log(1 - this.uniform()) < gain) [this.z, this.slope, this.value] = [at, slope, value];
  }

  /** Modes, different from each other. */
  private choose(n: number): readonly Peak[] {
    return chosen(this.peaks, n, this.uniform);
  }

  /** Finds the step length whose trajectories are accepted as often as wanted. */
  *warmUp(): Generator<undefined, void> {
    let [average, weight] = [0, 0];
    for (let i = 1; i <= WARM_UP; i++) {
      this.logStep += (2 / (i + 5) ** 0.6) * (this.move(Math.exp(this.logStep)) - WANTED);
      this.logStep = Math.min(Math.log(LONGEST_STEP), Math.max(-6, this.logStep));
      if (this.peaks.length > 1) this.jump();
      yield;
      if (2 * i <= WARM_UP) continue;
      average += this.logStep;
      weight++;
    }
    this.logStep = average / weight;
  }

  /** The next draw's logits. */
  next(): Float64Array {
    this.move(Math.exp(this.logStep));
    if (this.peaks.length > 1) this.jump();
    return this.z;
  }
}

/** `n` draws in slices: each `next()` does a piece of the work, the last one returns them all. */
export function walkSlices(surface: Surface, peaks: readonly Peak[], n: number, uniform: Uniform): Generator<undefined, Logits> {
  return walked(surface, peaks, n, uniform, TRAJECTORY);
}

/** The same with trajectories several times as long. */
export function longWalkSlices(surface: Surface, peaks: readonly Peak[], n: number, uniform: Uniform): Generator<undefined, Logits> {
  return walked(surface, peaks, n, uniform, LONG_TRAJECTORY);
}

function* walked(surface: Surface, peaks: readonly Peak[], n: number, uniform: Uniform, trajectory: number): Generator<undefined, Logits> {
  const size = surface.free.length;
  const logits = new Float64Array(n * size);
  const perEvaluation = costOf(surface);
  let drawn = 0;
  for (let c = 0; c < CHAINS; c++) {
    const walker = new Walker(surface, peaks, uniform, trajectory, (c + 0.5) / CHAINS);
    let rested = 0;
    const isDue = () => {
      if ((walker.nEvaluations - rested) * perEvaluation < PER_SLICE) return false;
      rested = walker.nEvaluations;
      return true;
    };
    for (const pause of walker.warmUp()) if (isDue()) yield pause;
    const until = Math.round(((c + 1) * n) / CHAINS);
    for (; drawn < until; drawn++) {
      logits.set(walker.next(), drawn * size);
      if (isDue()) yield;
    }
  }
  return logits;
}
