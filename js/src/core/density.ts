/** Density curves on [0, 1], scaled to a peak of 1. */
import { clamp, mean, quantile } from "./numbers.ts";

export type Point = readonly [x: number, y: number];

export interface Curve {
  /** Ascending x, y relative to the peak. */
  readonly points: readonly Point[];
  /** Density at the peak. */
  readonly peak: number;
}

const STEPS = 128;

function curve(points: readonly Point[]): Curve {
  const top = points.reduce((most, [, y]) => Math.max(most, y), 0) || 1;
  const scaled = points.map(([x, y]): Point => [x, y / top]);
  let area = 0;
  for (let i = 1; i < scaled.length; i++) {
    const [x0, y0] = scaled[i - 1] ?? [0, 0];
    const [x1, y1] = scaled[i] ?? [0, 0];
    area += ((x1 - x0) * (y0 + y1)) / 2;
  }
  return { points: scaled, peak: area > 0 ? 1 / area : Infinity };
}

/** Density of Beta(a, b), drawn where its mass is. */
export function betaCurve(a: number, b: number): Curve {
  const middle = a / (a + b);
  const sd = Math.sqrt((middle * (1 - middle)) / (a + b + 1));
  const low = Math.max(0, middle - 5 * sd);
  const high = Math.min(1, middle + 5 * sd);
  const logs = Array.from({ length: STEPS + 1 }, (_, i): Point => {
    const x = low + (i / STEPS) * (high - low);
    // Shapes under 1 rise without bound at an end; a hair inside is as high as a picture goes.
    const inside = clamp(x, 2e-3 * sd, 1 - 2e-3 * sd);
    return [x, (a - 1) * Math.log(inside) + (b - 1) * Math.log1p(-inside)];
  });
  const top = Math.max(...logs.map(([, y]) => y));
  return curve(logs.map(([x, y]): Point => [x, Math.exp(y - top)]));
}

/** Kernel density of ascending draws in [0, 1]; mass that leaves at 0 or 1 is reflected back. */
export function kernelCurve(sorted: ArrayLike<number>): Curve {
  const n = sorted.length;
  if (n === 0) return { points: [], peak: Infinity };
  const middle = mean(sorted);
  let squares = 0;
  for (let i = 0; i < n; i++) squares += ((sorted[i] ?? 0) - middle) ** 2;
  const spread = Math.min(
    Math.sqrt(squares / n),
    (quantile(sorted, 0.75) - quantile(sorted, 0.25)) / 1.34 || Infinity,
  );
  // Few draws make bumps that the posterior does not have; a wider kernel hides them.
  const width = clamp(1.4 - (n - 100) / 3000, 1.1, 1.4);
  const bandwidth = Math.max(width * spread * n ** -0.2, 1e-6);
  const low = Math.max(0, (sorted[0] ?? 0) - 3 * bandwidth);
  const high = Math.min(1, (sorted[n - 1] ?? 1) + 3 * bandwidth);
  const step = (high - low) / STEPS;
  const bins = new Float64Array(STEPS + 1);
  for (let i = 0; i < n; i++) {
    const at = clamp(Math.round(((sorted[i] ?? 0) - low) / step), 0, STEPS);
    bins[at] = (bins[at] ?? 0) + 1;
  }
  const reach = 6 * bandwidth;
  const kernel = (distance: number) => (distance > reach || distance < -reach ? 0 : Math.exp(-0.5 * (distance / bandwidth) ** 2));
  const points = Array.from({ length: STEPS + 1 }, (_, i): Point => {
    const x = low + i * step;
    let y = 0;
    for (let j = 0; j <= STEPS; j++) {
      const mass = bins[j] ?? 0;
      if (mass === 0) continue;
      const z = low + j * step;
      y += mass * (kernel(x - z) + kernel(x + z) + kernel(2 - x - z));
    }
    return [x, y];
  });
  return curve(points);
}
