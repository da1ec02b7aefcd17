// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PARAMETERS, PRESETS, QUANTITIES, type Parameter } from "../../src/contract/tables.ts";
import type { TreeView } from "../../src/contract/tree.ts";
import { mean, quantile } from "../../src/core/numbers.ts";
import type { Quantity } from "../../src/core/shape.ts";
import { exactBetas } from "../../src/engine/exact.ts";
import { hmcDraws, hmcSlices } from "../../src/engine/hmc.ts";
import { laplace, laplaceDraws } from "../../src/engine/laplace.ts";
import type { ThetaDraws } from "../../src/engine/packed.ts";
import { ascending, policyDraws, quantityDraws, worldDraws } from "../../src/engine/quantities.ts";
import { betaDraws, uniforms, type Uniform } from "../../src/engine/random.ts";
import { DIMENSION, evaluate, posteriorTerms, scratch } from "../../src/engine/terms.ts";
import { pinBranches } from "../../src/engine/branches.ts";
import { BINARY } from "../sample.ts";

interface Case {
  readonly name: string;
  readonly patterns: TreeView["patterns"];
  readonly counts: readonly number[];
  readonly priors: TreeView["priors"];
  readonly pins: Readonly<Record<string, number>>;
  readonly mean_sd_lower_upper: Readonly<Record<string, readonly [number, number, number, number]>>;
}

const GOLDEN = join(import.meta.dirname, "../../../tests/golden/engine.json");
const { cases } = JSON.parse(readFileSync(GOLDEN, "utf8")) as { cases: readonly Case[] };
const FLAT = Object.fromEntries(PARAMETERS.map((key) => [key, [1, 1] as const]));

function everything(theta: ThetaDraws): Record<string, Float64Array> {
  const worlds = worldDraws(BINARY, theta);
  const of = (key: string) => (QUANTITIES as readonly Quantity[]).find((q) => q.key === key)!;
  return {
    ...theta,
    abstention: quantityDraws(of("abstention"), worlds),
    task_success: quantityDraws(of("task_success"), worlds),
    policy_adherence: policyDraws(PRESETS.adherence, worlds),
  };
}

describe("golden cases", { timeout: 60_000 }, () => {
  it.each(cases.map((one) => [one.name, one] as const))("%s: means and interval ends are those of Python's exact engine", (name, one) => {
    const n = 120_000;
    const theta = pinBranches(BINARY, hmcDraws(posteriorTerms(one.patterns, one.counts, one.priors), n, uniforms(3, name)), one.pins);
    const found = everything(theta);
    for (const [key, [m, sd, lower, upper]] of Object.entries(one.mean_sd_lower_upper)) {
      const draws = found[key]!;
      const sorted = ascending(draws);
      const [low, high] = [quantile(sorted, 0.025), quantile(sorted, 0.975)];
      if (sd === 0) {
        expect([mean(draws), low, high], key).toEqual([m, m, m].map((x) => expect.closeTo(x, 9)));
        continue;
      }
      // 4 Monte Carlo errors at a third of the draws' worth.
      expect(Math.abs(mean(draws) - m), `mean of ${key}`).toBeLessThan((4 * sd) / Math.sqrt(n / 3));
      const width = upper - lower;
      expect(Math.abs(high - low - width) / width, `width of ${key}: ${high - low} for ${width}`).toBeLessThan(0.02);
      expect(Math.abs(low - lower) / width, `lower end of ${key}`).toBeLessThan(0.02);
      expect(Math.abs(high - upper) / width, `upper end of ${key}`).toBeLessThan(0.02);
    }
  });
});

describe("the density", () => {
  const table = cases.find(({ name }) => name.startsWith("mixed"))!;
  const terms = posteriorTerms(table.patterns, table.counts, table.priors);

  it("has the gradient that its differences have", () => {
    const uniform = uniforms(1, "gradient");
    const [slope, other] = [new Float64Array(DIMENSION), new Float64Array(DIMENSION)];
    for (let i = 0; i < 20; i++) {
      const z = Float64Array.from({ length: DIMENSION }, () => 6 * uniform() - 3);
      evaluate(terms, z, slope, scratch());
      for (let k = 0; k < DIMENSION; k++) {
        const at = (step: number) => evaluate(terms, z.map((x, j) => (j === k ? x + step : x)), other, scratch());
        expect((at(1e-5) - at(-1e-5)) / 2e-5).toBeCloseTo(slope[k]!, 3);
      }
    }
  });

  it("is the product of Betas where every row shows R, up to a constant", () => {
    const patterns = [[0, 1, -1], [0, 0, 1], [1, 0, 0], [1, 1, -1]] as const;
    const counts = [5, 7, 3, 2];
    const priors = { ...FLAT, retrieval_success: [2, 3] as const, correct_given_hit: [0.5, 4] as const };
    const betas = exactBetas(BINARY, patterns, counts, priors)!;
    const uniform = uniforms(4, "betas");
    const differences = Array.from({ length: 20 }, () => {
      const z = Float64Array.from({ length: DIMENSION }, () => 4 * uniform() - 2);
      const here = evaluate(posteriorTerms(patterns, counts, priors), z, new Float64Array(DIMENSION), scratch());
      const p = (x: number) => 1 / (1 + Math.exp(-x));
      const [a, t, ra, rr, rw] = [...z].map(p) as [number, number, number, number, number];
      const worlds = { hr: (1 - a) * t * rr, hw: (1 - a) * (1 - t) * rw, ha: a * ra, mr: (1 - a) * t * (1 - rr), mw: (1 - a) * (1 - t) * (1 - rw), ma: a * (1 - ra) };
      const hit = worlds.hr + worlds.hw + worlds.ha;
      const theta = [hit, worlds.ma / (1 - hit), worlds.ha / hit, worlds.mr / (worlds.mr + worlds.mw), worlds.hr / (worlds.hr + worlds.hw)];
      const logBeta = PARAMETERS.reduce((sum, key, i) => sum + (betas[key]![0] - 1) * Math.log(theta[i]!) + (betas[key]![1] - 1) * Math.log1p(-theta[i]!), 0);
      // Jacobians: of the tree walked A first onto the worlds, and of the worlds onto theta.
      const product = Object.values(worlds).reduce((sum, w) => sum + Math.log(w), 0);
      const masses = Math.log(hit * (1 - hit) * (worlds.hr + worlds.hw) * (worlds.mr + worlds.mw));
      return here - (logBeta + product - masses);
    });
    for (const d of differences) expect(d).toBeCloseTo(differences[0]!, 8);
  });

  it("does not know of rows that show nothing, nor of patterns without rows", () => {
    const more = posteriorTerms([...table.patterns, [-1, -1, -1], [1, 1, -1]], [...table.counts, 50, 0], table.priors);
    const [z, slope] = [Float64Array.from([0.3, -1, 0.2, 2, -0.5]), new Float64Array(DIMENSION)];
    expect(evaluate(more, z, slope, scratch())).toBe(evaluate(terms, z, slope, scratch()));
  });
});

describe("the quick answer", () => {
  it("is at a mode and near the full draws", () => {
    for (const { name, patterns, counts, priors } of cases.filter(({ name: n }) => /^(mixed, 600|half_r)/.test(n))) {
      const terms = posteriorTerms(patterns, counts, priors);
      const fit = laplace(terms);
      const slope = new Float64Array(DIMENSION);
      evaluate(terms, fit.mode, slope, scratch());
      for (const g of slope) expect(Math.abs(g)).toBeLessThan(1e-3);
      const quick = everything(laplaceDraws(fit, 4000, uniforms(1, name)));
      const full = everything(hmcDraws(terms, 4000, uniforms(2, name)));
      for (const key of ["retrieval_success", "abstention", "task_success", "policy_adherence"]) {
        const [a, b] = [ascending(quick[key]!), ascending(full[key]!)];
        const width = quantile(b, 0.975) - quantile(b, 0.025);
        expect(Math.abs(mean(a) - mean(b)) / width, `${name}, ${key}`).toBeLessThan(0.05);
        expect(Math.abs(quantile(a, 0.975) - quantile(a, 0.025) - width) / width, `${name}, ${key}`).toBeLessThan(0.08);
      }
    }
  });

  it("is the start of slices that end in the same draws as one go", () => {
    const { patterns, counts, priors } = cases[3]!;
    const terms = posteriorTerms(patterns, counts, priors);
    const slices = hmcSlices(terms, 1000, uniforms(8, "x"));
    let pieces = 0;
    let last = slices.next();
    for (; !last.done; last = slices.next()) pieces++;
    expect(pieces).toBeGreaterThan(2);
    expect(last.value).toEqual(hmcDraws(terms, 1000, uniforms(8, "x")));
  });
});

/** Ranks of the truth among thinned draws, over data sets that the prior and the model make. */
function ranks(nSets: number, prior: TreeView["priors"], believed: TreeView["priors"]): Record<string, number[]> {
  const uniform = uniforms(20261129, "calibration");
  const found: Record<string, number[]> = {};
  for (let i = 0; i < nSets; i++) {
    const truth = Object.fromEntries(PARAMETERS.map((key) => [key, betaDraws(prior[key]![0], prior[key]![1], 1, uniform)])) as Record<Parameter, Float64Array>;
    const rows = simulated(truth, 40, uniform);
    const patterns = [...rows.keys()].map((text) => text.split(",").map(Number) as unknown as readonly [number, number, number]);
    const terms = posteriorTerms(patterns, [...rows.values()], believed);
    const draws = hmcDraws(terms, 1000, uniform);
    const [all, real] = [everything(draws), everything(truth)];
    for (const key of Object.keys(all)) {
      let rank = 0;
      for (let j = 5; j < 1000; j += 10) if (all[key]![j]! < real[key]![0]!) rank++;
      (found[key] ??= []).push(rank);
    }
  }
  return found;
}

/** Rows of a system, some with R and some with T hidden, by pattern. */
function simulated(truth: Record<Parameter, Float64Array>, n: number, uniform: Uniform): Map<string, number> {
  const rows = new Map<string, number>();
  for (let i = 0; i < n; i++) {
    const hit = uniform() < truth.retrieval_success[0]!;
    const declined = uniform() < (hit ? truth.abstain_given_hit : truth.abstain_given_miss)[0]!;
    const right = !declined && uniform() < (hit ? truth.correct_given_hit : truth.correct_given_miss)[0]!;
    const row = [i % 2 ? -1 : Number(hit), Number(declined), declined || i % 3 === 0 ? -1 : Number(right)].join(",");
    rows.set(row, (rows.get(row) ?? 0) + 1);
  }
  return rows;
}

/** Chi-square of ranks 0 to 100 in ten bins. */
function unevenness(of: readonly number[]): number {
  const bins = new Array<number>(10).fill(0);
  for (const rank of of) bins[Math.min(9, Math.floor((10 * rank) / 101))]!++;
  return bins.reduce((sum, n) => sum + (n - of.length / 10) ** 2 / (of.length / 10), 0);
}

describe("simulation-based calibration", { timeout: 60_000 }, () => {
  // 9 degrees of freedom; 0.1% over eight quantities by Bonferroni: 1.25e-4.
  const MOST = 33.4;
  const prior = { ...FLAT, retrieval_success: [2, 2] as const, abstain_given_hit: [1, 4] as const };

  it("gives uniform ranks, R and T hidden on some rows", () => {
    for (const [key, of] of Object.entries(ranks(400, prior, prior))) expect(unevenness(of), key).toBeLessThan(MOST);
  });

  it("fails for a prior that the truth does not come from", () => {
    const wrong = { ...prior, retrieval_success: [12, 4] as const };
    expect(unevenness(ranks(400, prior, wrong)["retrieval_success"]!)).toBeGreaterThan(MOST);
  });
});
