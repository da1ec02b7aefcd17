// @vitest-environment node
import { describe, expect, it, test } from "vitest";
import { LEAVES } from "../../src/contract/tables.ts";
import { betaCurve } from "../../src/core/density.ts";
import { branchPlot } from "../../src/layout/branch.ts";
import { markPitch, markRow } from "../../src/layout/marks.ts";
import { circlePath, linePath } from "../../src/layout/paths.ts";
import { statPlot } from "../../src/layout/stat.ts";
import { BINARY } from "../sample.ts";
import { treeLayout, type Box } from "../../src/layout/tree.ts";

describe("layout", () => {
  it("has columns from 760 px of content, an outline below", () => {
    expect(treeLayout(BINARY, 760 + 48).mode).toBe("columns");
    expect(treeLayout(BINARY, 760 + 47).mode).toBe("outline");
  });

  it("at 1100 px stands where these numbers say", () => {
    const { inner, statWidth, height, branches, leaves, edges, totals } = treeLayout(BINARY, 1100);
    expect({ inner, statWidth, height }).toEqual({ inner: 1052, statWidth: 245, height: 534 });
    expect(branches?.["retrieval_success"]).toEqual({ x: 0, y: 250, width: 161 });
    expect(leaves?.["hit_right"]).toEqual({ x: 612, y: 80, width: 440 });
    expect(leaves?.["miss_abstained"]?.y).toBe(80 + 5 * 68);
    expect(totals).toEqual({ x: 612, y: 458, width: 440 });
    expect(edges).toHaveLength(10);
    expect(edges[0]?.path).toMatch(/^M165 250C/);
  });

  it("keeps every part inside the width, and columns apart", () => {
    for (let width = 320; width <= 2000; width += 7) {
      const layout = treeLayout(BINARY, width);
      expect(Math.min(...LEAVES.map((world) => layout.markWidths[world]!))).toBeGreaterThan(100);
      if (!layout.branches || !layout.leaves) continue;
      const [r, a, t] = ["retrieval_success", "abstain_given_hit", "correct_given_hit"].map((key) => layout.branches![key]!) as [Box, Box, Box];
      const leaf = layout.leaves["hit_right"]!;
      expect(r.x + r.width).toBeLessThan(a.x);
      expect(a.x + a.width).toBeLessThan(t.x);
      expect(t.x + t.width).toBeLessThan(leaf.x);
      expect(leaf.x + leaf.width).toBeCloseTo(layout.inner, 6);
      expect(leaf.width).toBeGreaterThanOrEqual(310);
    }
  });

  it("leads an edge to every leaf and every branch but the root", () => {
    const { edges } = treeLayout(BINARY, 1100);
    for (const world of LEAVES) expect(edges.filter((edge) => edge.depth === 3 && edge.to[0] === world)).toHaveLength(1);
    expect(edges.filter((edge) => edge.depth < 3)).toHaveLength(4);
  });
});

describe("query marks", () => {
  const certain = Float64Array.from({ length: 100 }, () => 0.12);

  it("are one per query, solid while certain, with a gap after ten", () => {
    const row = markRow(certain, 0.12, 5, true);
    expect(row.solid.match(/M/g)).toHaveLength(12);
    expect(row.fading).toEqual([]);
    // The eleventh starts 10 pitches and a gap of 0.6 pitch after the first.
    expect(row.solid.split("M")[11]).toMatch(/^54 7a/);
  });

  it("fade with the chance that the query is there", () => {
    const half = Float64Array.from([0.1, 0.1, 0.11, 0.11]);
    const row = markRow(half, 0.11, 5, false);
    expect(row.solid.match(/m0/g)).toHaveLength(10);
    expect(row.fading.map((mark) => mark.opacity)).toEqual([0.52]);
    expect(row.stroke).toBe(1.3);
  });

  it("shrink until the longest leaf fits", () => {
    expect(markPitch(240, 40, 0.4)).toBeCloseTo(200 / (41 * 1.065), 10);
    expect(markPitch(10, 40, 1)).toBe(1.6);
    expect(markPitch(4000, 40, 0.1)).toBe(9);
  });
});

describe("plots", () => {
  const sorted = Float64Array.from({ length: 200 }, (_, i) => 0.4 + i / 2000);

  it("of a branch show the fit on an inset axis where it is pinned elsewhere", () => {
    const plot = branchPlot({ curve: betaCurve(40, 60), prior: null, sorted, fitted: 0.25, isPrior: false }, 118);
    expect(plot.axis).toEqual([9, 109]);
    expect(plot.ticks).toEqual([9, 59, 109]);
    expect(plot.fitted).toBe(34);
    expect(plot.prior).toBe("");
    expect(plot.area.endsWith("Z")).toBe(true);
    expect(plot.dots.match(/M/g)).toHaveLength(50);
  });

  it("of a branch without labels show the prior alone, low and not filled", () => {
    const plot = branchPlot({ curve: betaCurve(1, 1), prior: null, sorted, fitted: null, isPrior: true }, 118);
    expect(plot.area).toBe("");
    expect(plot.line).toBe("");
    expect(plot.prior).toMatch(/^M9 23\.3L/);
  });

  it("of a branch as it was fitted have no second mark", () => {
    expect(branchPlot({ curve: betaCurve(1, 1), prior: null, sorted, fitted: null, isPrior: false }, 118).fitted).toBeNull();
  });

  it("of what does not vary are one point", () => {
    const plot = statPlot(new Float64Array(200).fill(0.7), [0, 1], 0.4, 208);
    expect(plot.dots.match(/M/g)).toHaveLength(1);
    expect(plot.ghost).not.toBe("");
  });

  it("of a utility have the range of its weights as axis", () => {
    const plot = statPlot(sorted, [-1, 1], 0, 208);
    expect(plot.ticks).toEqual([
      { x: 4, text: "−1.00", anchor: "start" },
      { x: 104, text: "0.00", anchor: "middle" },
      { x: 204, text: "1.00", anchor: "end" },
    ]);
    expect(plot.ghost).toBe("M104 47l-3.5 6h7z");
  });
});

test("paths are short and rounded to a tenth", () => {
  expect(linePath([[1.23456, 2], [3, 4.05]])).toBe("M1.2 2L3 4.1");
  expect(circlePath(10, 10, 2)).toBe("M8 10a2 2 0 1 0 4 0a2 2 0 1 0 -4 0");
});
