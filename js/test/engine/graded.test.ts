// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { keysOf } from "../../src/contract/levels.ts";
import type { TreeView } from "../../src/contract/tree.ts";
import { betaCurve } from "../../src/core/density.ts";
import { mean } from "../../src/core/numbers.ts";
import { entry, record } from "../../src/core/records.ts";
import { shapeOf } from "../../src/core/shape.ts";
import { branchDraws, pinBranches, priorCurves } from "../../src/engine/branches.ts";
import { exactBetas } from "../../src/engine/exact.ts";
import { quantityDraws, worldDraws } from "../../src/engine/quantities.ts";
import { fitGroup, thetaDraws } from "../../src/engine/tree.ts";
import { pinGroup } from "../../src/engine/what-if.ts";
import { gradedTable, gradedView, THREE, type LevelCounts } from "../sample.ts";

interface GoldenBetas {
  readonly levels: readonly string[];
  readonly patterns: TreeView["patterns"];
  readonly counts: readonly number[];
  readonly priors: TreeView["priors"];
  readonly betas: Readonly<Record<string, readonly [number, number]>> | null;
}

const shape = shapeOf(THREE);
const FOUR = ["a", "b", "c", "d"] as const;

/** Moments of a component of Dirichlet(alpha). */
function dirichlet(alpha: readonly number[], k: number): readonly [mean: number, variance: number] {
  const total = alpha.reduce((a, b) => a + b, 0);
  const m = alpha[k]! / total;
  return [m, (m * (1 - m)) / (total + 1)];
}

describe("exact posteriors of graded retrieval", () => {
  it.each([
    [THREE, [[104, 61, 22], [41, 52, 58], [9, 28, 119]]],
    [FOUR, [[3, 2, 0], [0, 0, 0], [10, 1, 4], [1, 30, 5]]],
  ] as const)("%#: have the moments of the Dirichlet that they are", (levels, counts: LevelCounts) => {
    const view = gradedView(levels, counts);
    const branches = branchDraws(keysOf(levels), thetaDraws(view, view.groups[0]!));
    const alpha = counts.map((of) => 1 + of.reduce((a, b) => a + b, 0));
    levels.forEach((level, k) => {
      const draws = entry(branches, `retrieval[${level}]`);
      const [m, variance] = dirichlet(alpha, k);
      // Five standard errors of a mean of n independent draws.
      expect(Math.abs(mean(draws) - m), level).toBeLessThan(5 * Math.sqrt(variance / draws.length));
      const spread = mean(draws.map((x) => (x - m) ** 2));
      expect(spread / variance, level).toBeGreaterThan(0.88);
      expect(spread / variance, level).toBeLessThan(1.12);
    });
  });

  it("count R for its own stick and those above, A and T for its level", () => {
    const flat = record(shape.parameters, () => [1, 1] as const);
    const patterns = [[0, 1, -1], [1, 0, 1], [2, 0, 0], [1, -1, -1], [-1, -1, -1], [2, -1, 1]] as const;
    expect(exactBetas(shape, patterns, [5, 7, 3, 2, 9, 1], flat)).toEqual({
      "retrieval[all]": [1 + 4, 1 + 14],
      "retrieval[partial | below all]": [1 + 9, 1 + 5],
      "abstain_given[none]": [6, 1],
      "abstain_given[partial]": [1, 8],
      "abstain_given[all]": [1, 5],
      "correct_given[none]": [1, 1],
      "correct_given[partial]": [8, 1],
      "correct_given[all]": [2, 4],
    });
    expect(exactBetas(shape, [[-1, 0, 1]], [1], flat)).toBeNull();
  });

  it("are those of Python, and refused where Python sends draws", () => {
    const path = join(import.meta.dirname, "../../../tests/golden/betas.json");
    const { graded } = JSON.parse(readFileSync(path, "utf8")) as { graded: readonly GoldenBetas[] };
    expect(graded.filter(({ betas }) => betas === null).length).toBeGreaterThan(3);
    expect(graded.filter(({ betas }) => betas !== null).length).toBeGreaterThan(10);
    for (const { levels, patterns, counts, priors, betas } of graded) {
      expect(exactBetas(keysOf(levels), patterns, counts, priors), JSON.stringify([levels, patterns, counts])).toEqual(betas);
    }
  });

  it("are not made up where Python should have sent draws", () => {
    const view = gradedView(THREE, undefined, { patterns: [[-1, 0, 1], ...gradedTable(THREE, [[1, 1, 1], [1, 1, 1], [1, 1, 1]]).patterns.slice(1)] });
    expect(() => fitGroup(view, view.groups[0]!)).toThrow("Expected draws");
  });

  it("make levels that sum to one, worlds that do, and quantities that are the branches", () => {
    const view = gradedView();
    const { branches, worlds } = fitGroup(view, view.groups[0]!);
    for (let i = 0; i < 50; i++) {
      expect(THREE.reduce((total, level) => total + entry(branches, `retrieval[${level}]`)[i]!, 0)).toBeCloseTo(1, 12);
      expect(shape.worlds.reduce((total, world) => total + entry(worlds, world)[i]!, 0)).toBeCloseTo(1, 12);
    }
    for (const quantity of shape.quantities.slice(0, 9)) {
      const draws = quantityDraws(quantity, worlds);
      for (let i = 0; i < 20; i++) expect(draws[i], quantity.key).toBeCloseTo(entry(branches, quantity.key)[i]!, 10);
    }
  });

  it("come from draws that Python packed: 3K − 1 in a row", () => {
    const theta = [0.5, 0.25, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8];
    const bytes = new Uint8Array(2 * theta.length);
    theta.forEach((x, i) => new DataView(bytes.buffer).setUint16(2 * i, Math.round(65535 * x), true));
    const view = gradedView();
    const group = { ...view.groups[0]!, draws: { n: 1, theta: btoa(String.fromCharCode(...bytes)) } };
    const { branches } = fitGroup(view, group);
    const found = shape.branches.map((key) => entry(branches, key)[0]!);
    expect(found).toEqual([0.375, 0.125, 0.5, 0.1, 0.2, 0.3, 0.4, 0.6, 0.8].map((x) => expect.closeTo(x, 4)));
  });
});

describe("priors of levels", () => {
  it("are the marginals of the Dirichlet that the sticks come from", () => {
    // Dirichlet(2, 0.5, 3) of none, partial, all.
    const sticks = { "retrieval[all]": [3, 2.5], "retrieval[partial | below all]": [0.5, 2] } as const;
    const curves = priorCurves(shape, { ...record(shape.parameters, () => [1, 1] as const), ...sticks });
    for (const [level, alpha] of [["none", 2], ["partial", 0.5], ["all", 3]] as const) {
      const [found, wanted] = [entry(curves, `retrieval[${level}]`), betaCurve(alpha, 5.5 - alpha)];
      expect(found.peak).toBeCloseTo(wanted.peak, 8);
      found.points.forEach(([x, y], i) => expect([x, y]).toEqual([expect.closeTo(wanted.points[i]![0], 8), expect.closeTo(wanted.points[i]![1], 8)]));
    }
  });
});

describe("pins of levels", () => {
  const view = gradedView(FOUR, [[20, 10, 5], [9, 9, 9], [4, 8, 12], [2, 20, 30]]);
  const keys = shapeOf(FOUR);
  const { branches } = fitGroup(view, view.groups[0]!);
  const level = (of: Readonly<Record<string, Float64Array>>, name: string) => entry(of, `retrieval[${name}]`);

  it("hold in every draw, and the others keep their proportions and sum to the rest", () => {
    const now = pinBranches(keys, branches, { "retrieval[b]": 0.35, "retrieval[d]": 0.2, "correct_given[a]": 0.9 });
    for (let i = 0; i < 200; i++) {
      expect(level(now, "b")[i]).toBe(0.35);
      expect(level(now, "d")[i]).toBe(0.2);
      expect(level(now, "a")[i]! + level(now, "c")[i]!).toBeCloseTo(0.45, 12);
      expect(level(now, "a")[i]! / level(now, "c")[i]!).toBeCloseTo(level(branches, "a")[i]! / level(branches, "c")[i]!, 9);
      expect(entry(now, "correct_given[a]")[i]).toBe(0.9);
    }
    expect(entry(now, "correct_given[b]")).toBe(entry(branches, "correct_given[b]"));
  });

  it("give the last level what is left, and share it equally where a draw has nothing to go by", () => {
    const last = pinBranches(keys, branches, { "retrieval[a]": 0.1, "retrieval[b]": 0.2, "retrieval[c]": 0.3 });
    expect(Math.max(...level(last, "d").map((x) => Math.abs(x - 0.4)))).toBeLessThan(1e-12);
    const at = (...x: number[]) => Float64Array.from(x);
    const flat = { ...record(keys.branches, () => at(0.5, 0.5)), "retrieval[a]": at(0, 0.1), "retrieval[b]": at(0, 0.2), "retrieval[c]": at(0, 0.3), "retrieval[d]": at(1, 0.4) };
    const shared = pinBranches(keys, flat, { "retrieval[d]": 0.4 });
    expect(["a", "b", "c"].map((name) => level(shared, name)[0])).toEqual([0.2, 0.2, 0.2].map((x) => expect.closeTo(x, 12)));
    expect(level(shared, "c")[1]).toBeCloseTo(0.3, 12);
  });

  it("leave nothing at all where they sum to one, not the dust of float arithmetic", () => {
    const none = pinBranches(keys, branches, { "retrieval[a]": 0.7, "retrieval[b]": 0.2, "retrieval[c]": 0.1 });
    expect([...level(none, "d").subarray(0, 5)]).toEqual([0, 0, 0, 0, 0]);
  });

  it("move what depends on levels in the summaries, say what follows from them, and leave the rest as it was fitted", () => {
    const three = gradedView();
    const group = three.groups[0]!;
    const fit = fitGroup(three, group);
    const [one] = pinGroup(three, group, fit, { "retrieval[all]": 0.6 });
    expect(one.branches["retrieval[all]"]!.text).toBe("60% (pinned)");
    expect(one.branches["abstain_given[none]"]).toBe(group.branches["abstain_given[none]"]);
    const shares = ["none", "partial"].map((name) => one.branches[`retrieval[${name}]`]!.value!);
    expect(shares[0]! + shares[1]!).toBeCloseTo(0.4, 6);
    const [two] = pinGroup(three, group, fit, { "retrieval[all]": 0.6, "retrieval[none]": 0.4 });
    expect(two.branches["retrieval[partial]"]!.text).toBe("0% (pinned)");
    expect(two.branches["abstain_given[partial]"]!.value).toBeNull();
    expect(JSON.stringify(two)).not.toContain("NaN");
    const worlds = worldDraws(shape, pinBranches(shape, fit.branches, { "retrieval[all]": 0.6 }));
    expect(one.worlds["all_right"]!.value).toBeCloseTo(mean(entry(worlds, "all_right")), 12);
  });
});
