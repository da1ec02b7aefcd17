/** Small numeric helpers that every layer above may use. */

/** `x` held within [low, high]. */
export function clamp(x: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, x));
}

/** Rounding half up, as in Python's wording. */
export function roundHalfUp(x: number): number {
  return Math.floor(x + 0.5);
}

/** Compensated sum (Neumaier), the one that Python's `sum` makes of floats. */
export function sum(values: Iterable<number>): number {
  let total = 0;
  let lost = 0;
  for (const x of values) {
    const next = total + x;
    lost += Math.abs(total) >= Math.abs(x) ? total - next + x : x - next + total;
    total = next;
  }
  return total + lost;
}

/** Arithmetic mean; 0 of nothing. */
export function mean(values: ArrayLike<number>): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i] ?? 0;
  return values.length === 0 ? 0 : total / values.length;
}

/** Quantile of ascending values, linear between neighbours (NumPy's default). */
export function quantile(sorted: ArrayLike<number>, p: number): number {
  const at = p * (sorted.length - 1);
  const below = Math.floor(at);
  const low = sorted[below] ?? 0;
  const high = sorted[below + 1] ?? low;
  return low + (at - below) * (high - low);
}

/** Share of ascending values that are at least `x`. */
export function shareAtLeast(sorted: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) < x) low = middle + 1;
    else high = middle;
  }
  return sorted.length === 0 ? 0 : (sorted.length - low) / sorted.length;
}
