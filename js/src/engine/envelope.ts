/**
 * Symmetric matrices whose rows start late: each group's columns, then those that all share.
 *
 * The factor of such a matrix has its shape, so that work grows with the number of groups. Lower
 * triangles, row by row; `first` is where each row starts.
 */

export interface Factor {
  readonly n: number;
  readonly first: Int32Array;
  /** Lower triangle F of F Fᵀ. */
  readonly lower: Float64Array;
  /** log det F. */
  readonly logDet: number;
  /** A pivot had to be raised: some direction is left open. */
  readonly isFlat: boolean;
}

/** Cholesky factor. Pivots below `least` are raised to it; without `least` the answer is null there. */
export function factorise(matrix: Float64Array, first: Int32Array, least?: number): Factor | null {
  const n = first.length;
  const lower = new Float64Array(n * n);
  let [logDet, isFlat] = [0, false];
  for (let i = 0; i < n; i++) {
    const start = first[i] ?? 0;
    for (let j = start; j <= i; j++) {
      let rest = matrix[i * n + j] ?? 0;
      for (let k = Math.max(start, first[j] ?? 0); k < j; k++) rest -= (lower[i * n + k] ?? 0) * (lower[j * n + k] ?? 0);
      if (j < i) {
        lower[i * n + j] = rest / (lower[j * n + j] ?? 1);
        continue;
      }
      if (!(rest > (least ?? 1e-12))) {
        if (least === undefined) return null;
        [rest, isFlat] = [least, true];
      }
      lower[i * n + i] = Math.sqrt(rest);
      logDet += 0.5 * Math.log(rest);
    }
  }
  return { n, first, lower, logDet, isFlat };
}

/** x becomes F⁻¹ x. */
export function forward({ n, first, lower }: Factor, x: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let rest = x[i] ?? 0;
    const row = i * n;
    for (let k = first[i] ?? 0; k < i; k++) rest -= (lower[row + k] ?? 0) * (x[k] ?? 0);
    x[i] = rest / (lower[row + i] ?? 1);
  }
}

/** x becomes F⁻ᵀ x. */
export function backward({ n, first, lower }: Factor, x: Float64Array): void {
  for (let i = n - 1; i >= 0; i--) {
    const row = i * n;
    const value = (x[i] ?? 0) / (lower[row + i] ?? 1);
    x[i] = value;
    for (let k = first[i] ?? 0; k < i; k++) x[k] = (x[k] ?? 0) - (lower[row + k] ?? 0) * value;
  }
}

/** x becomes (F Fᵀ)⁻¹ x. */
export function solve(factor: Factor, x: Float64Array): void {
  forward(factor, x);
  backward(factor, x);
}

/** x becomes Fᵀ x. */
export function whiten({ n, first, lower }: Factor, x: Float64Array): void {
  for (let k = 0; k < n; k++) {
    const value = x[k] ?? 0;
    const row = k * n;
    x[k] = 0;
    for (let j = first[k] ?? 0; j <= k; j++) x[j] = (x[j] ?? 0) + (lower[row + j] ?? 0) * value;
  }
}
