/** Mode and curvature of a posterior: an answer at once, and the start of full draws. */
import { normals, type Uniform } from "./random.ts";
import { DIMENSION, evaluate, scratch, thetaOf, type Terms } from "./terms.ts";
import type { ThetaDraws } from "./packed.ts";

export interface Laplace {
  /** Logits of the mode. */
  readonly mode: Float64Array;
  /** Lower triangle L, row by row, with covariance L Lᵀ. */
  readonly root: Float64Array;
}

const N = DIMENSION;
const STEP = 1e-4;
const MOST_STEPS = 60;

/** Lower Cholesky factor, row by row; null where the matrix is not positive definite. */
export function cholesky(matrix: Float64Array): Float64Array | null {
  const factor = new Float64Array(N * N);
  for (let i = 0; i < N; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * N + j] ?? 0;
      for (let k = 0; k < j; k++) rest -= (factor[i * N + k] ?? 0) * (factor[j * N + k] ?? 0);
      if (i !== j) factor[i * N + j] = rest / (factor[j * N + j] ?? 1);
      else if (rest > 1e-10) factor[i * N + i] = Math.sqrt(rest);
      else return null;
    }
  }
  return factor;
}

/** Minus the Hessian at `z`, by central differences of the analytic gradient. */
function curvature(terms: Terms, z: Float64Array): Float64Array {
  const space = scratch();
  const [up, down, at] = [new Float64Array(N), new Float64Array(N), Float64Array.from(z)];
  const hessian = new Float64Array(N * N);
  for (let k = 0; k < N; k++) {
    const here = z[k] ?? 0;
    at[k] = here + STEP;
    evaluate(terms, at, up, space);
    at[k] = here - STEP;
    evaluate(terms, at, down, space);
    at[k] = here;
    for (let j = 0; j < N; j++) hessian[k * N + j] = ((down[j] ?? 0) - (up[j] ?? 0)) / (2 * STEP);
  }
  for (let i = 0; i < N; i++) {
    for (let j = 0; j < i; j++) {
      const both = ((hessian[i * N + j] ?? 0) + (hessian[j * N + i] ?? 0)) / 2;
      hessian[i * N + j] = hessian[j * N + i] = both;
    }
  }
  return hessian;
}

/** Cholesky factor of the matrix with as much added to its diagonal as it needs. */
function ridged(matrix: Float64Array, least: number): readonly [factor: Float64Array, added: number] {
  for (let added = least; ; added = added === 0 ? 1e-3 : 4 * added) {
    const tried = Float64Array.from(matrix);
    for (let k = 0; k < N; k++) tried[k * N + k] = (tried[k * N + k] ?? 0) + added;
    const factor = cholesky(tried);
    if (factor !== null) return [factor, added];
  }
}

/** Solves L Lᵀ x = b. */
function solve(factor: Float64Array, b: Float64Array): Float64Array {
  const x = Float64Array.from(b);
  for (let i = 0; i < N; i++) {
    for (let k = 0; k < i; k++) x[i] = (x[i] ?? 0) - (factor[i * N + k] ?? 0) * (x[k] ?? 0);
    x[i] = (x[i] ?? 0) / (factor[i * N + i] ?? 1);
  }
  return backSolve(factor, x);
}

/** Solves Lᵀ x = b, in place. */
function backSolve(factor: Float64Array, x: Float64Array): Float64Array {
  for (let i = N - 1; i >= 0; i--) {
    for (let k = i + 1; k < N; k++) x[i] = (x[i] ?? 0) - (factor[k * N + i] ?? 0) * (x[k] ?? 0);
    x[i] = (x[i] ?? 0) / (factor[i * N + i] ?? 1);
  }
  return x;
}

/** Mode by damped Newton steps from even odds, and a root of the covariance there. */
export function laplace(terms: Terms): Laplace {
  const space = scratch();
  let z = new Float64Array(N);
  let gradient = new Float64Array(N);
  let value = evaluate(terms, z, gradient, space);
  let damping = 0;
  for (let i = 0; i < MOST_STEPS; i++) {
    const [factor, added] = ridged(curvature(terms, z), damping);
    const move = solve(factor, gradient);
    const next = z.map((x, k) => x + (move[k] ?? 0));
    const slope = new Float64Array(N);
    const reached = evaluate(terms, next, slope, space);
    if (!(reached >= value - 1e-12 * Math.abs(value))) {
      damping = Math.max(1e-3, 8 * added);
      continue;
    }
    const gained = reached - value;
    [z, gradient, value] = [next, slope, reached];
    damping = added > 1e-3 ? added / 8 : 0;
    if (gained < 1e-9 && added === 0) break;
  }
  const [factor] = ridged(curvature(terms, z), 0);
  // Covariance = (F Fᵀ)⁻¹ = (F⁻ᵀ)(F⁻ᵀ)ᵀ; its lower root comes from the matrix itself.
  const covariance = new Float64Array(N * N);
  for (let k = 0; k < N; k++) {
    const column = solve(factor, Float64Array.from({ length: N }, (_, i) => (i === k ? 1 : 0)));
    for (let i = 0; i < N; i++) covariance[i * N + k] = column[i] ?? 0;
  }
  return { mode: z, root: ridged(covariance, 0)[0] };
}

/** z = mode + L x. */
export function place({ mode, root }: Laplace, x: Float64Array, z: Float64Array): void {
  for (let i = 0; i < N; i++) {
    let at = mode[i] ?? 0;
    for (let k = 0; k <= i; k++) at += (root[i * N + k] ?? 0) * (x[k] ?? 0);
    z[i] = at;
  }
}

/** `n` draws from the normal approximation; near 0 and 1 only an approximation. */
export function laplaceDraws(fit: Laplace, n: number, uniform: Uniform): ThetaDraws {
  const normal = normals(uniform);
  const logits = new Float64Array(N * n);
  const x = new Float64Array(N);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < N; k++) x[k] = normal();
    place(fit, x, logits.subarray(i * N, (i + 1) * N));
  }
  return thetaOf(logits);
}
