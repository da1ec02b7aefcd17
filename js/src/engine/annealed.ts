/**
 * Draws where walkers from the modes do not mix, along bent ridges and in modes of odd shapes:
 * sequential Monte Carlo from the prior to the posterior (Del Moral, Doucet, Jasra 2006).
 *
 * Points are drawn from the prior. The likelihood comes in by degrees, each as strong as leaves so
 * many points that count; points are resampled by their weights and take a few Hamiltonian steps.
 * Wherever the mass is, some points are there from the first. Islands of points know nothing of
 * each other: how far they disagree is how well the draws are known.
 */
import { clamp } from "../core/numbers.ts";
import { factorise, whiten, type Factor } from "./envelope.ts";
import type { Peak } from "./peaks.ts";
import { logGammas, normals, type Uniform } from "./random.ts";
import { reversedOf } from "./reversed.ts";
import { costOf, densityAt, PER_SLICE, type Prior, type Surface } from "./surface.ts";
import { carried, chosen, type Logits } from "./walkers.ts";

/** Share of the points that count after the likelihood has come in by one degree more. */
const COUNTING = 0.5;
/** Trajectories at each degree, and at the last. */
const MOVES = 2;
const LAST_MOVES = 20;
const MOST_LEAPS = 10;
const WANTED = 0.75;
const FIRST_STEP = 0.5;
const [SHORTEST_STEP, LONGEST_STEP] = [0.005, 1];
/** How far lengths of steps differ, in logarithms, and how fast they follow what is accepted: points are many. */
const VARIETY = 1.5;
const LEARNING = 0.01;
/** Least variance of a logit. */
const LEAST_VARIANCE = 1e-10;

/** Degrees for each logit, about. */
const DEGREES = 1.5;
/** Points of an island, as many as draws are wanted of it or more. */
const LEAST_POINTS = 250;
export const ISLANDS = 4;

/** About so many additions and multiplications do draws cost. */
export function annealingCost(surface: Surface, n: number): number {
  const steps = (DEGREES * surface.free.length * MOVES + LAST_MOVES) * (0.5 * MOST_LEAPS + 1);
  return pointsOf(n) * ISLANDS * steps * costOf(surface);
}

function pointsOf(n: number): number {
  return Math.max(LEAST_POINTS, Math.ceil(n / ISLANDS));
}

/** `n` draws, those of one island after those of another, in slices. */
export function* annealSlices(surface: Surface, peaks: readonly Peak[], prior: (name: string) => Prior, n: number, uniform: Uniform): Generator<undefined, Logits> {
  const size = surface.free.length;
  const points = pointsOf(n);
  const logits = new Float64Array(n * size);
  for (let c = 0; c < ISLANDS; c++) {
    const island = new Island(surface, peaks, priorLogits(surface, prior, points, uniform), uniform);
    yield* island.anneal();
    const [from, until] = [Math.round((c * n) / ISLANDS), Math.round(((c + 1) * n) / ISLANDS)];
    for (let i = from; i < until; i++) logits.set(island.point(Math.floor(((i - from) * points) / (until - from))), i * size);
  }
  return logits;
}

/** The posterior whose likelihood counts for a share; its prior in full. */
export function tempered(surface: Surface, share: number): Surface {
  const { structure: { collapsed, columns } } = surface;
  const less = (of: Float64Array, seen: Float64Array) => of.map((x, i) => x - (1 - share) * (seen[columns[i] ?? 0] ?? 0));
  return {
    ...surface,
    alpha: less(surface.alpha, collapsed.ones),
    beta: less(surface.beta, collapsed.zeros),
    rows: surface.rows.map((rows, i) => (collapsed.mixed[i]?.power ? rows : share * rows)),
  };
}

/** The likelihood alone. */
function likelihoodOf(surface: Surface): Surface {
  const { structure: { collapsed, columns } } = surface;
  return {
    ...surface,
    alpha: surface.alpha.map((_, i) => collapsed.ones[columns[i] ?? 0] ?? 0),
    beta: surface.beta.map((_, i) => collapsed.zeros[columns[i] ?? 0] ?? 0),
    rows: surface.rows.map((rows, i) => (collapsed.mixed[i]?.power ? 0 : rows)),
  };
}

/** Points of the prior, one after the other: logits of the free places. */
export function priorLogits({ structure: { collapsed, columns }, free }: Surface, prior: (name: string) => Prior, n: number, uniform: Uniform): Logits {
  const { owners, names, kinds, reversed, worlds } = collapsed;
  const size = free.length;
  const logits = new Float64Array(n * size);
  const gamma = logGammas(uniform);
  const drawn = (name: string): number => {
    const [a, b] = prior(name);
    return gamma(a) - gamma(b);
  };
  const turned = new Map<number, number[]>();
  for (let i = 0; i < n; i++) {
    turned.clear();
    for (let k = 0; k < size; k++) {
      const [group = -1, parameter = 0] = owners[columns[free[k] ?? 0] ?? 0] ?? [];
      if (!reversed[group] || kinds[parameter] !== "theta") {
        logits[i * size + k] = drawn(names[parameter] ?? "");
        continue;
      }
      const of = turned.get(group) ?? reversedOf(worlds.parameters.map(drawn));
      turned.set(group, of);
      logits[i * size + k] = of[parameter] ?? 0;
    }
  }
  return logits;
}

/** Points that are annealed together. */
class Island {
  private readonly n: number;
  private readonly size: number;
  private readonly likelihood: Surface;
  /** Log-likelihood of each point, log density under the present share, and its gradient. */
  private readonly fit: Float64Array;
  private readonly value: Float64Array;
  private slopes: Float64Array;
  private readonly normal: () => number;
  private step = FIRST_STEP;
  private share = 0;
  private nEvaluations = 0;
  private rested = 0;
  private readonly perEvaluation: number;
  /** What a trajectory works with. */
  private readonly at: Float64Array;
  private readonly slope: Float64Array;
  private readonly momentum: Float64Array;
  private readonly force: Float64Array;

  constructor(
    private readonly surface: Surface,
    private readonly peaks: readonly Peak[],
    private z: Logits,
    private readonly uniform: Uniform,
  ) {
    this.size = surface.free.length;
    this.n = z.length / this.size;
    this.likelihood = likelihoodOf(surface);
    this.normal = normals(uniform);
    [this.fit, this.value, this.slopes] = [new Float64Array(this.n), new Float64Array(this.n), new Float64Array(z.length)];
    this.perEvaluation = costOf(surface);
    [this.at, this.slope, this.momentum, this.force] = Array.from({ length: 4 }, () => new Float64Array(this.size)) as [Float64Array, Float64Array, Float64Array, Float64Array];
  }

  /** Logits of a point. */
  point(i: number): Float64Array {
    return this.z.subarray(i * this.size, (i + 1) * this.size);
  }

  private isDue(): boolean {
    if ((this.nEvaluations - this.rested) * this.perEvaluation < PER_SLICE) return false;
    this.rested = this.nEvaluations;
    return true;
  }

  *anneal(): Generator<undefined, void> {
    while (this.share < 1) {
      this.weighFits();
      const more = this.nextShare();
      this.resample(more - this.share);
      this.share = more;
      const moves = more === 1 ? LAST_MOVES : MOVES;
      const now = tempered(this.surface, more);
      this.lookAround(now);
      for (let move = 0; move < moves; move++) {
        const spread = this.spread();
        for (let i = 0; i < this.n; i++) {
          this.moveOn(now, spread, i);
          if (more === 1 && this.peaks.length > 1) this.jump(now, i);
          if (this.isDue()) yield;
        }
      }
    }
  }

  private weighFits(): void {
    const { fit, likelihood, slope } = this;
    for (let i = 0; i < this.n; i++) {
      const found = densityAt(likelihood, this.point(i), slope);
      // So far out that no row can be what it is.
      fit[i] = Number.isNaN(found) ? -Infinity : found;
    }
    this.nEvaluations += this.n;
  }

  private lookAround(now: Surface): void {
    const { size, value, slopes } = this;
    for (let i = 0; i < this.n; i++) value[i] = densityAt(now, this.point(i), slopes.subarray(i * size, (i + 1) * size));
    this.nEvaluations += this.n;
  }

  /** The next share of the likelihood. */
  private nextShare(): number {
    const { fit, share, n } = this;
    const top = Math.max(...fit);
    const counting = (by: number): number => {
      let [total, squares] = [0, 0];
      for (const x of fit) {
        const w = Math.exp(by * (x - top));
        total += w;
        squares += w * w;
      }
      return (total * total) / squares / n;
    };
    if (counting(1 - share) >= COUNTING) return 1;
    let [low, high] = [0, 1 - share];
    for (let i = 0; i < 50; i++) {
      const middle = (low + high) / 2;
      if (counting(middle) < COUNTING) high = middle;
      else low = middle;
    }
    return share + high;
  }

  /** Points in proportion to their weights, dealt out evenly. */
  private resample(by: number): void {
    const { fit, z, size, n } = this;
    const top = Math.max(...fit);
    const weights = fit.map((x) => Math.exp(by * (x - top)));
    const total = weights.reduce((sum, w) => sum + w, 0);
    const kept = new Float64Array(z.length);
    let [at, passed] = [0, weights[0] ?? 0];
    const offset = this.uniform();
    for (let i = 0; i < n; i++) {
      const place = ((i + offset) / n) * total;
      while (passed < place && at < n - 1) passed += weights[++at] ?? 0;
      kept.set(z.subarray(at * size, (at + 1) * size), i * size);
    }
    this.z = kept;
  }

  /** The root of the covariance of all points. */
  private spread(): Factor {
    const { z, size, n } = this;
    const centre = new Float64Array(size);
    for (let i = 0; i < z.length; i++) centre[i % size] = (centre[i % size] ?? 0) + (z[i] ?? 0) / n;
    const matrix = new Float64Array(size * size);
    for (let i = 0; i < n; i++) {
      for (let j = 0; j < size; j++) {
        const away = ((z[i * size + j] ?? 0) - (centre[j] ?? 0)) / n;
        for (let k = 0; k <= j; k++) matrix[j * size + k] = (matrix[j * size + k] ?? 0) + away * ((z[i * size + k] ?? 0) - (centre[k] ?? 0));
      }
    }
    return factorise(matrix, new Int32Array(size), LEAST_VARIANCE) as Factor;
  }

  /** One trajectory of one point. */
  private moveOn(now: Surface, root: Factor, i: number): void {
    const { size, at, slope, momentum, force } = this;
    const here = i * size;
    at.set(this.point(i));
    force.set(this.slopes.subarray(here, here + size));
    whiten(root, force);
    let before = this.value[i] ?? 0;
    for (let k = 0; k < size; k++) {
      const p = this.normal();
      momentum[k] = p;
      before -= 0.5 * p * p;
    }
    // Steps of several lengths suit a ridge that is narrower here than there.
    const step = this.step * Math.exp(VARIETY * (this.uniform() - 0.5));
    const leaps = 1 + Math.floor(this.uniform() * MOST_LEAPS);
    let value = 0;
    for (let leap = 0; leap < leaps; leap++) {
      for (let k = 0; k < size; k++) momentum[k] = (momentum[k] ?? 0) + 0.5 * step * (force[k] ?? 0);
      walkAlong(root, momentum, step, at);
      value = densityAt(now, at, slope);
      force.set(slope);
      whiten(root, force);
      for (let k = 0; k < size; k++) momentum[k] = (momentum[k] ?? 0) + 0.5 * step * (force[k] ?? 0);
    }
    this.nEvaluations += leaps;
    let after = value;
    for (let k = 0; k < size; k++) after -= 0.5 * (momentum[k] ?? 0) ** 2;
    const accepted = Number.isFinite(after) ? Math.min(1, Math.exp(after - before)) : 0;
    if (this.uniform() < accepted) {
      this.z.set(at, here);
      this.slopes.set(slope, here);
      this.value[i] = value;
    }
    this.step = clamp(this.step * Math.exp(LEARNING * (accepted - WANTED)), SHORTEST_STEP, LONGEST_STEP);
  }
  /** Offers a point the way from one mode to another: resampling alone gets their shares roughly right. */
  private jump(now: Surface, i: number): void {
    const { size, slope } = this;
    const [from, to] = chosen(this.peaks, 2, this.uniform) as [Peak, Peak];
    const at = carried(from, to, this.point(i));
    const value = densityAt(now, at, slope);
    this.nEvaluations++;
    const gain = value - (this.value[i] ?? 0) + from.factor.logDet - to.factor.logDet;
    if (!(Math.log(1 - this.uniform()) < gain)) return;
    this.z.set(at, i * size);
    this.slopes.set(slope, i * size);
    this.value[i] = value;
  }
}

/** `at` becomes at + step F x. */
function walkAlong({ n, lower }: Factor, x: Float64Array, step: number, at: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let total = 0;
    for (let k = 0; k <= i; k++) total += (lower[i * n + k] ?? 0) * (x[k] ?? 0);
    at[i] = (at[i] ?? 0) + step * total;
  }
}
