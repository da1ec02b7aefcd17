// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import type { TreeView } from "../../src/contract/tree.ts";
import { LEAVES, PARAMETERS, PRESETS, QUANTITIES, WORLDS } from "../../src/contract/tables.ts";
import { mean } from "../../src/core/numbers.ts";
import { entry } from "../../src/core/records.ts";
import type { Quantity } from "../../src/core/shape.ts";
import { exactBetas } from "../../src/engine/exact.ts";
import { unpack } from "../../src/engine/packed.ts";
import { ascending, policyDraws, quantityDraws, worldDraws } from "../../src/engine/quantities.ts";
import { betaDraws, uniforms } from "../../src/engine/random.ts";
import { answerPolicy, complement, fitGroup, thetaDraws } from "../../src/engine/tree.ts";
import { BINARY, COUNTS, PATTERNS, sampleGroup, sampleView } from "../sample.ts";

interface GoldenBetas {
  readonly patterns: TreeView["patterns"];
  readonly counts: readonly number[];
  readonly priors: TreeView["priors"];
  readonly betas: Record<string, readonly [number, number]> | null;
}

const FLAT = Object.fromEntries(PARAMETERS.map((key) => [key, [1, 1] as const]));

describe("random draws", () => {
  it("have the moments of their Beta, also for tiny and huge shapes", () => {
    const n = 20_000;
    for (const [a, b] of [[1, 1], [0.5, 0.5], [0.05, 2], [3, 400], [2e5, 3e5]] as const) {
      const draws = betaDraws(a, b, n, uniforms(11, `${a},${b}`));
      const m = a / (a + b);
      const variance = (m * (1 - m)) / (a + b + 1);
      expect(draws.every((x) => x >= 0 && x <= 1)).toBe(true);
      // Five standard errors of a mean of n independent draws.
      expect(Math.abs(mean(draws) - m)).toBeLessThan(5 * Math.sqrt(variance / n));
      const spread = mean(draws.map((x) => (x - m) ** 2));
      expect(spread / variance).toBeGreaterThan(0.9);
      expect(spread / variance).toBeLessThan(1.1);
    }
  });

  it("come out the same for the same seed and label, and differ otherwise", () => {
    const of = (seed: number, label: string) => Array.from({ length: 4 }, uniforms(seed, label));
    expect(of(1, "a")).toEqual(of(1, "a"));
    expect(of(1, "a")).not.toEqual(of(1, "b"));
    expect(of(1, "a")).not.toEqual(of(2, "a"));
  });

  it("are uniform over ten bins", () => {
    const next = uniforms(5, "bins");
    const bins = new Array<number>(10).fill(0);
    for (let i = 0; i < 10_000; i++) bins[Math.floor(10 * next())]!++;
    const chi2 = bins.reduce((total, n) => total + (n - 1000) ** 2 / 1000, 0);
    expect(chi2).toBeLessThan(27.9); // 99.9% of chi-square with 9 degrees of freedom
  });
});

describe("exact posteriors", () => {
  it("count what each row says, row by row", () => {
    const expected = Object.fromEntries(PARAMETERS.map((key) => [key, [1, 1]])) as Record<string, number[]>;
    PATTERNS.forEach(([r, a, t], i) => {
      for (let row = 0; row < COUNTS[i]!; row++) {
        expected["retrieval_success"]![r === 1 ? 0 : 1]!++;
        expected[r === 1 ? "abstain_given_hit" : "abstain_given_miss"]![a === 1 ? 0 : 1]!++;
        if (a === 0 && t >= 0) expected[r === 1 ? "correct_given_hit" : "correct_given_miss"]![t === 1 ? 0 : 1]!++;
      }
    });
    expect(exactBetas(BINARY, PATTERNS, COUNTS, FLAT)).toEqual(expected);
  });

  it("are those of Python, and refused where Python sends draws", () => {
    const path = join(import.meta.dirname, "../../../tests/golden/betas.json");
    const { cases } = JSON.parse(readFileSync(path, "utf8")) as { cases: readonly GoldenBetas[] };
    expect(cases.filter(({ betas }) => betas === null).length).toBeGreaterThan(10);
    expect(cases.filter(({ betas }) => betas !== null).length).toBeGreaterThan(10);
    for (const { patterns, counts, priors, betas } of cases) {
      expect(exactBetas(BINARY, patterns, counts, priors), JSON.stringify([patterns, counts])).toEqual(betas);
    }
  });

  it("are refused where R is hidden or T=0 may be an abstention, unless nobody showed that pattern", () => {
    expect(exactBetas(BINARY, [[-1, 0, 1]], [1], FLAT)).toBeNull();
    expect(exactBetas(BINARY, [[1, -1, 0]], [1], FLAT)).toBeNull();
    expect(exactBetas(BINARY, [[-1, 0, 1]], [0], FLAT)).not.toBeNull();
  });

  it("are the prior without rows", () => {
    expect(exactBetas(BINARY, [], [], { ...FLAT, retrieval_success: [2, 5] })?.["retrieval_success"]).toEqual([2, 5]);
  });
});

describe("worlds and quantities", () => {
  const view = sampleView();
  const fit = fitGroup(view, view.groups[0]!);

  it("sum to one in every draw", () => {
    for (let i = 0; i < 50; i++) {
      expect(WORLDS.reduce((total, world) => total + entry(fit.worlds, world)[i]!, 0)).toBeCloseTo(1, 12);
    }
  });

  it("give back the five probabilities", () => {
    const theta = thetaDraws(view, view.groups[0]!);
    for (const key of PARAMETERS) {
      const quantity = (QUANTITIES as readonly Quantity[]).find((q) => q.key === key)!;
      const draws = quantityDraws(quantity, fit.worlds);
      for (let i = 0; i < 20; i++) expect(draws[i]).toBeCloseTo(entry(theta, key)[i]!, 10);
    }
  });

  it("leave out draws whose condition has no mass, and never hold NaN", () => {
    const at = (...x: number[]) => Float64Array.from(x);
    const worlds = worldDraws(BINARY, {
      retrieval_success: at(1, 0.5),
      abstain_given_miss: at(0.5, 0.5),
      abstain_given_hit: at(0, 0),
      correct_given_miss: at(0.5, 0.5),
      correct_given_hit: at(1, 1),
    });
    const quantity = { numerator: ["miss_abstained"], denominator: ["miss_abstained", "miss_wrong", "miss_right"] } as const;
    expect([...quantityDraws(quantity, worlds)]).toEqual([0.5]);
  });

  it("policies are the weighted sum of worlds", () => {
    const weights = { hit_right: 1, miss_wrong: -2, miss_abstained: 0.25 };
    const draws = policyDraws(weights, fit.worlds);
    const { hit_right, miss_wrong, miss_abstained } = fit.worlds;
    expect(draws[7]).toBeCloseTo(hit_right![7]! - 2 * miss_wrong![7]! + 0.25 * miss_abstained![7]!, 12);
  });
});

describe("answers to a policy", () => {
  const view = sampleView();
  const group = view.groups[0]!;
  const fit = fitGroup(view, group);

  it("leave the view's own estimate untouched under its own policy", () => {
    expect(answerPolicy(view, group, fit, { ...PRESETS.adherence }).estimate).toBe(group.quantities["policy_adherence"]);
  });

  it("cuts the shortest interval where the view asks for it", () => {
    const skewed = { hit_wrong: 1 };
    const [eti, hdi] = (["eti", "hdi"] as const).map((ci_kind) => {
      const { estimate, sorted } = answerPolicy({ ...view, ci_kind }, group, fit, skewed);
      const [lower, upper] = [estimate.lower!, estimate.upper!];
      expect(sorted.filter((x) => x >= lower && x <= upper).length / sorted.length).toBeGreaterThan(0.949);
      return upper - lower;
    });
    expect(hdi).toBeLessThan(eti!);
  });

  it("have exact means, and intervals near the closed form's", () => {
    const { estimate } = answerPolicy(view, group, fit, PRESETS.task_success);
    const exact = (group.worlds["hit_right"]!.value ?? 0) + (group.worlds["miss_right"]!.value ?? 0);
    expect(estimate.value).toBeCloseTo(exact, 12);
    // Both come from some thousand draws; the ends differ by their Monte Carlo error.
    expect(estimate.lower).toBeCloseTo(group.quantities["task_success"]!.lower ?? 0, 1.8);
    expect(estimate.upper).toBeCloseTo(group.quantities["task_success"]!.upper ?? 0, 1.8);
  });

  it("word a utility with two decimals", () => {
    const { estimate } = answerPolicy(view, group, fit, { hit_right: 1, miss_wrong: -1 });
    expect(estimate.text).toMatch(/^−?\d\.\d\d \(−?\d\.\d\d to −?\d\.\d\d\)$/);
  });

  it("the complement mirrors value and interval", () => {
    expect(complement({ value: 0.2, lower: 0.1, upper: 0.35, text: "" })).toMatchObject({ value: 0.8, lower: 0.65, upper: 0.9 });
  });
});

describe("packed draws", () => {
  const pack = (rows: readonly (readonly number[])[]) => {
    const bytes = new Uint8Array(2 * 5 * rows.length);
    const data = new DataView(bytes.buffer);
    rows.flat().forEach((x, i) => data.setUint16(2 * i, Math.round(65535 * x), true));
    return { n: rows.length, theta: btoa(String.fromCharCode(...bytes)) };
  };

  it("come back within half a step of 1/65535", () => {
    const rows = [
      [0, 1, 0.5, 0.123456, 0.987654],
      [1, 0, 0.25, 0.75, 0.333333],
    ];
    const theta = unpack(BINARY, pack(rows));
    rows.forEach((row, i) => PARAMETERS.forEach((key, j) => expect(Math.abs(entry(theta, key)[i]! - row[j]!)).toBeLessThan(1 / 131070 + 1e-12)));
  });

  it("of another length are refused with both numbers", () => {
    expect(() => unpack(BINARY, { ...pack([[0, 0, 0, 0, 0]]), n: 2 })).toThrow("Expected 2 draws of 5 probabilities (20 bytes); got 10 bytes.");
  });

  it("are used where the labels hide R, and made by the browser where they are missing", () => {
    const draws = pack([[0.2, 0.4, 0.1, 0.5, 0.6]]);
    const hidden = { patterns: [[-1, 0, 1]] as const };
    const group = { ...sampleGroup(), counts: [10] };
    expect(fitGroup(sampleView([group], hidden), { ...group, draws }).sortedBranches["retrieval_success"]![0]).toBeCloseTo(0.2, 4);
    expect(fitGroup(sampleView([group], hidden), group).sortedBranches["retrieval_success"]).toHaveLength(4000);
  });
});

test("sorting gives what the language's own sort gives, however the draws lie", () => {
  const uniform = uniforms(6, "sort");
  const make = (n: number, of: (u: number, i: number) => number) => Float64Array.from({ length: n }, (_, i) => of(uniform(), i));
  for (const draws of [
    make(4000, (u) => u),
    make(4000, (u) => u ** 40),
    make(4000, (u, i) => (i === 7 ? 1 : 1e-9 * u)),
    make(4000, () => 0.7),
    make(1000, (u) => Math.round(20 * u) / 20),
    make(5, (u) => -u),
    new Float64Array(),
  ]) {
    expect(ascending(draws)).toEqual(Float64Array.from(draws).sort());
  }
});

test("all leaves sort ascending", () => {
  const view = sampleView();
  const { sortedWorlds, worlds } = fitGroup(view, view.groups[0]!);
  for (const world of LEAVES) expect(sortedWorlds[world]).toEqual(ascending(entry(worlds, world)));
});
