/** Small symmetric matrices, row by row in one array. */

/** A matrix from its upper triangle, row by row. */
export function unpacked(upper: readonly number[]): Float64Array {
  const n = sizeOf(upper.length);
  const matrix = new Float64Array(n * n);
  let at = 0;
  for (let i = 0; i < n; i++) for (let j = i; j < n; j++) matrix[i * n + j] = matrix[j * n + i] = upper[at++] ?? 0;
  return matrix;
}

/** Rows of a matrix whose upper triangle has so many entries. */
export function sizeOf(entries: number): number {
  return Math.round((Math.sqrt(8 * entries + 1) - 1) / 2);
}

/** Puts `times` the second matrix on top of the first. */
export function addTo(sum: Float64Array, times: number, matrix: Float64Array): void {
  for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] ?? 0) + times * (matrix[i] ?? 0);
}

export function times(matrix: Float64Array, vector: Float64Array): Float64Array {
  const n = vector.length;
  const made = new Float64Array(n);
  for (let i = 0; i < n; i++) made[i] = dot(matrix, vector, i * n);
  return made;
}

/** Sum of products with the entries of `a` from `start` on. */
export function dot(a: Float64Array, b: Float64Array, start = 0): number {
  let sum = 0;
  for (let i = 0; i < b.length; i++) sum += (a[start + i] ?? 0) * (b[i] ?? 0);
  return sum;
}

/** Lower Cholesky factor of a positive definite matrix. */
export function root(matrix: Float64Array, n: number): Float64Array {
  const factor = new Float64Array(n * n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j <= i; j++) {
      let rest = matrix[i * n + j] ?? 0;
      for (let k = 0; k < j; k++) rest -= (factor[i * n + k] ?? 0) * (factor[j * n + k] ?? 0);
      factor[i * n + j] = i === j ? Math.sqrt(Math.max(rest, Number.MIN_VALUE)) : rest / (factor[j * n + j] ?? 1);
    }
  }
  return factor;
}

/** Solves L Lᵀ x = b. */
export function solved(factor: Float64Array, b: Float64Array): Float64Array {
  const n = b.length;
  const x = Float64Array.from(b);
  for (let i = 0; i < n; i++) {
    let rest = x[i] ?? 0;
    for (let k = 0; k < i; k++) rest -= (factor[i * n + k] ?? 0) * (x[k] ?? 0);
    x[i] = rest / (factor[i * n + i] ?? 1);
  }
  for (let i = n - 1; i >= 0; i--) {
    let rest = x[i] ?? 0;
    for (let k = i + 1; k < n; k++) rest -= (factor[k * n + i] ?? 0) * (x[k] ?? 0);
    x[i] = rest / (factor[i * n + i] ?? 1);
  }
  return x;
}

/** cᵀ M⁻¹ c. */
export function variance(matrix: Float64Array, c: Float64Array): number {
  const n = c.length;
  const factor = root(matrix, n);
  let sum = 0;
  const half = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    let rest = c[i] ?? 0;
    for (let k = 0; k < i; k++) rest -= (factor[i * n + k] ?? 0) * (half[k] ?? 0);
    half[i] = rest / (factor[i * n + i] ?? 1);
    sum += (half[i] ?? 0) ** 2;
  }
  return sum;
}
