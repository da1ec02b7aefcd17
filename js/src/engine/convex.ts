/**
 * c-optimal shares of a budget (Python's `planning/convex.py`): the minimum of cᵀ M(w)⁻¹ c, with
 * M(w) = base + Σ w gain, over shares that sum to at most 1 and use no stratum's rows up twice. A
 * barrier method: Newton's steps towards the minimum less the logarithms of all slacks.
 */
import { addTo, dot, root, solved, times } from "./matrix.ts";

export interface Problem {
  /** Information that there is. */
  readonly base: Float64Array;
  /** What the whole budget spent on one scheme adds. */
  readonly gains: readonly Float64Array[];
  readonly gradient: Float64Array;
  /** Per finite stratum the share of its rows that the whole budget on one scheme would label. */
  readonly use: readonly Float64Array[];
}

const GROWTH = 30;
const MOST_STEPS = 60;
const PRECISE = 1e-6;
/** Shares below are dust of the barrier. */
const DUST = 1e-5;
/** What spending the budget has to be worth, as a share of the variance: among equals the cheapest is best. */
const THRIFT = 1e-6;

interface Slopes {
  readonly value: number;
  readonly slopes: Float64Array;
  /** Curvatures, row by row; null where only slopes were asked. */
  readonly curvature: Float64Array | null;
}

/** The best shares, one for each gain. */
export function bestShares(problem: Problem): Float64Array {
  const n = problem.gains.length;
  const most = problem.use.reduce((top, row) => Math.max(top, row.reduce((a, b) => a + b, 0)), n);
  const scale = look(problem, new Float64Array(n), false).value;
  let shares = new Float64Array(n).fill(0.5 / most);
  const slacks = n + problem.use.length + 1;
  for (let sharpness = slacks; ; sharpness *= GROWTH) {
    shares = centred(problem, shares, sharpness / scale, THRIFT * scale);
    if (slacks / sharpness < PRECISE) return cleaned(problem, shares);
  }
}

function look({ base, gains, gradient }: Problem, shares: Float64Array, isWhole: boolean): Slopes {
  const n = gains.length;
  const p = gradient.length;
  const matrix = Float64Array.from(base);
  for (let s = 0; s < n; s++) addTo(matrix, shares[s] ?? 0, gains[s] ?? matrix);
  const factor = root(matrix, p);
  const x = solved(factor, gradient);
  const value = dot(gradient, x);
  const slopes = new Float64Array(n);
  const moved: Float64Array[] = [];
  for (let s = 0; s < n; s++) {
    const along = times(gains[s] ?? matrix, x);
    slopes[s] = -dot(x, along);
    moved.push(along);
  }
  if (!isWhole) return { value, slopes, curvature: null };
  const curvature = new Float64Array(n * n);
  for (let s = 0; s < n; s++) {
    const back = solved(factor, moved[s] ?? x);
    for (let t = 0; t <= s; t++) curvature[s * n + t] = curvature[t * n + s] = 2 * dot(moved[t] ?? x, back);
  }
  return { value, slopes, curvature };
}

/** Sum of shares, and use of each stratum: all at most 1. */
function walls({ use }: Problem, n: number): readonly Float64Array[] {
  return [new Float64Array(n).fill(1), ...use];
}

function barrier(problem: Problem, all: readonly Float64Array[], shares: Float64Array, sharpness: number, thrift: number): number {
  let logs = 0;
  let total = 0;
  for (const share of shares) {
    if (share <= 0) return Infinity;
    logs += Math.log(share);
    total += share;
  }
  for (const wall of all) {
    const slack = 1 - dot(wall, shares);
    if (slack <= 0) return Infinity;
    logs += Math.log(slack);
  }
  return sharpness * (look(problem, shares, false).value + thrift * total) - logs;
}

/** Newton's steps to the minimum for one sharpness, in shares relative to themselves. */
function centred(problem: Problem, from: Float64Array, sharpness: number, thrift: number): Float64Array<ArrayBuffer> {
  const n = from.length;
  const all = walls(problem, n);
  let shares = Float64Array.from(from);
  for (let step = 0; step < MOST_STEPS; step++) {
    const { slopes, curvature } = look(problem, shares, true);
    const slacks = all.map((wall) => 1 - dot(wall, shares));
    const slope = new Float64Array(n);
    const hessian = new Float64Array(n * n);
    for (let s = 0; s < n; s++) {
      slope[s] = sharpness * ((slopes[s] ?? 0) + thrift);
      for (let t = 0; t < n; t++) hessian[s * n + t] = sharpness * (curvature?.[s * n + t] ?? 0);
    }
    all.forEach((wall, k) => {
      const slack = slacks[k] ?? 1;
      for (let s = 0; s < n; s++) {
        const steep = (wall[s] ?? 0) / slack;
        if (steep === 0) continue;
        slope[s] = (slope[s] ?? 0) + steep;
        for (let t = 0; t < n; t++) hessian[s * n + t] = (hessian[s * n + t] ?? 0) + (steep * (wall[t] ?? 0)) / slack;
      }
    });
    for (let s = 0; s < n; s++) {
      const share = shares[s] ?? 0;
      slope[s] = share * (slope[s] ?? 0) - 1;
      for (let t = 0; t < n; t++) hessian[s * n + t] = (hessian[s * n + t] ?? 0) * share * (shares[t] ?? 0);
      hessian[s * n + s] = (hessian[s * n + s] ?? 0) + 1;
    }
    const move = solved(root(hessian, n), slope);
    const fall = dot(slope, move);
    if (fall < 1e-8) break;
    const next = walked(problem, all, shares, move, { fall, sharpness, thrift });
    if (next === null) break;
    shares = next;
  }
  return shares;
}

interface Way {
  readonly fall: number;
  readonly sharpness: number;
  readonly thrift: number;
}

/** As far against `move` as pays, inside all constraints; null where nothing pays any more. */
function walked(problem: Problem, all: readonly Float64Array[], shares: Float64Array, move: Float64Array, way: Way): Float64Array<ArrayBuffer> | null {
  const before = barrier(problem, all, shares, way.sharpness, way.thrift);
  for (let length = 1; length > 1e-10; length /= 2) {
    const next = shares.map((share, s) => share * (1 - length * (move[s] ?? 0)));
    const after = barrier(problem, all, next, way.sharpness, way.thrift);
    if (after <= before - 1e-4 * length * way.fall + 1e-12 * Math.abs(before)) return next;
  }
  return null;
}

/** Without dust, and using up what the constraints leave. */
function cleaned({ use }: Problem, shares: Float64Array): Float64Array {
  const kept = shares.map((share) => (share < DUST ? 0 : share));
  const load = Math.max(kept.reduce((a, b) => a + b, 0), ...use.map((row) => dot(row, kept)));
  return load > 1 - 1e-4 ? kept.map((share) => share / load) : kept;
}
