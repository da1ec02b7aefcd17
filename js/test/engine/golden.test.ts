// @vitest-environment node
/** The browser's HMC beside stored long runs of Stan, on every golden case with labels alone. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { PARAMETERS, PRESETS, QUANTITIES } from "../../src/contract/tables.ts";
import type { TreeView } from "../../src/contract/tree.ts";
import { mean, quantile } from "../../src/core/numbers.ts";
import type { Quantity } from "../../src/core/shape.ts";
import { hmcDraws } from "../../src/engine/hmc.ts";
import { ascending, policyDraws, quantityDraws, worldDraws } from "../../src/engine/quantities.ts";
import { uniforms } from "../../src/engine/random.ts";
import { posteriorTerms } from "../../src/engine/terms.ts";
import { BINARY } from "../sample.ts";

interface Case {
  readonly name: string;
  readonly counts: {
    readonly groups: readonly unknown[];
    readonly judges: readonly unknown[];
    readonly retrieval_levels: readonly string[];
    readonly patterns: readonly (readonly number[])[];
    readonly counts: readonly (readonly number[])[];
  };
  readonly priors: TreeView["priors"];
}

interface Summary {
  readonly mean: number;
  readonly sd: number;
  readonly lower: number;
  readonly upper: number;
  readonly se_mean: number;
}

const ROOT = join(import.meta.dirname, "../../..");
const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), "utf8"));
const every = (read("tests/golden/cases.json") as { cases: readonly Case[] }).cases;
const fitted = every.filter(({ counts }) => counts.groups.length === 1 && counts.judges.length === 0 && counts.retrieval_levels.length === 2);
const N = 160_000;

describe("golden cases", { timeout: 120_000 }, () => {
  it("are most of those that there are", () => {
    expect(fitted.length).toBeGreaterThanOrEqual(9);
  });

  it.each(fitted.map(({ name }) => name))("%s: means and widths are Stan's", (name) => {
    const { counts, priors } = fitted.find((one) => one.name === name)!;
    const patterns = counts.patterns.map((row) => row.slice(0, 3)) as unknown as TreeView["patterns"];
    const theta = hmcDraws(posteriorTerms(patterns, counts.counts[0]!, priors), N, uniforms(5, name));
    const worlds = worldDraws(BINARY, theta);
    const of = (key: string): Float64Array => {
      if ((PARAMETERS as readonly string[]).includes(key)) return theta[key as keyof typeof theta]!;
      if (key === "policy_adherence") return policyDraws(PRESETS.adherence, worlds);
      return quantityDraws((QUANTITIES as readonly Quantity[]).find((quantity) => quantity.key === key)!, worlds);
    };
    const { summary } = read(`stan_equivalents/reference/${name}.json`) as { summary: Readonly<Record<string, Summary>> };
    for (const [key, stan] of Object.entries(summary)) {
      const draws = of(key);
      const sorted = ascending(draws);
      // 4.5 Monte Carlo errors, ours at an eighth of the draws' worth.
      const error = Math.hypot(stan.se_mean, stan.sd / Math.sqrt(N / 8));
      expect(Math.abs(mean(draws) - stan.mean) / error, `mean of ${key}`).toBeLessThan(4.5);
      const width = (quantile(sorted, 0.975) - quantile(sorted, 0.025)) / (stan.upper - stan.lower);
      expect(Math.abs(width - 1), `width of ${key}`).toBeLessThan(0.02);
    }
  });
});
