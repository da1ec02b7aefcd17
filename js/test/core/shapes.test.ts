// @vitest-environment node
import { describe, expect, it, test } from "vitest";
import { betaCurve, kernelCurve, type Curve } from "../../src/core/density.ts";
import { quantile, shareAtLeast, sum } from "../../src/core/numbers.ts";
import { quantileDots, stackDots } from "../../src/core/quantile-dots.ts";
import { toPixels } from "../../src/core/scale.ts";
import { ascending } from "../../src/engine/quantities.ts";
import { betaDraws, uniforms } from "../../src/engine/random.ts";

/** Area under a curve with the peak it claims. */
function area({ points, peak }: Curve): number {
  let total = 0;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    total += ((b[0] - a[0]) * (a[1] + b[1])) / 2;
  }
  return total * peak;
}

test("a scale maps ends to ends, and a point domain to the middle", () => {
  expect(toPixels({ domain: [0, 1], range: [100, 300] }, 0.25)).toBe(150);
  expect(toPixels({ domain: [2, 2], range: [100, 300] }, 2)).toBe(200);
});

test("quantiles are NumPy's default", () => {
  expect(quantile([1, 2, 4, 8], 0.5)).toBe(3);
  expect(quantile([1, 2, 4, 8], 1)).toBe(8);
  expect(shareAtLeast([1, 2, 2, 4], 2)).toBe(0.75);
});

test("sums keep what plain addition loses", () => {
  expect(sum([1, 1e100, 1, -1e100])).toBe(2);
});

describe("densities", () => {
  it("have area 1 with their peak", () => {
    for (const [a, b] of [[1, 1], [5, 2], [300, 900], [0.5, 0.5]] as const) {
      if (a >= 1) expect(area(betaCurve(a, b))).toBeCloseTo(1, 6);
      expect(Math.max(...betaCurve(a, b).points.map(([, y]) => y))).toBe(1);
    }
    // Beta(5, 2) has its mode at 0.8, of height 30 · 0.8⁴ · 0.2.
    expect(betaCurve(5, 2).peak).toBeCloseTo(30 * 0.8 ** 4 * 0.2, 1);
  });

  it("made from draws resemble the density they came from, at the border too", () => {
    for (const [a, b] of [[1, 30], [40, 60], [60, 1]] as const) {
      const drawn = kernelCurve(ascending(betaDraws(a, b, 4000, uniforms(3, `${a}`))));
      const exact = betaCurve(a, b);
      // Kernel smoothing at this n and bandwidth is off by a few per cent of the peak.
      expect(drawn.peak / exact.peak).toBeGreaterThan(0.85);
      expect(drawn.peak / exact.peak).toBeLessThan(1.15);
    }
  });
});

describe("quantile dots", () => {
  it("are 50 and keep within the height", () => {
    const sorted = Float64Array.from({ length: 1000 }, (_, i) => 0.5 + i / 1e5);
    const { dots, diameter } = quantileDots(sorted, (x) => 200 * x, 42, 3.4);
    expect(dots).toHaveLength(50);
    expect(Math.max(...dots.map((dot) => (dot.level + 1) * diameter))).toBeLessThanOrEqual(42.01);
  });

  it("stack when they are closer than their diameter", () => {
    expect(stackDots([1, 2, 10], 3)).toEqual([
      { x: 1.5, level: 0 },
      { x: 1.5, level: 1 },
      { x: 10, level: 0 },
    ]);
  });
});
