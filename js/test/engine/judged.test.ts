// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { mean, quantile } from "../../src/core/numbers.ts";
import type { JudgedTable } from "../../src/engine/collapsed.ts";
import type { Instrument } from "../../src/engine/emissions.ts";
import { atOnce } from "../../src/core/slices.ts";
import { fittable, hmcFit, laplaceFit, type Beliefs, type Draws } from "../../src/engine/judged.ts";
import { readingsOf } from "../../src/engine/peaks.ts";
import { ascending } from "../../src/engine/quantities.ts";
import { betaDraws, uniforms } from "../../src/engine/random.ts";
import type { Prior } from "../../src/engine/surface.ts";
import { worldDrawsOf } from "../../src/engine/worlds.ts";
import { instrument, QWEN, simulated } from "./simulated.ts";

type Statistics = readonly [mean: number, sd: number, low: number, middle: number, high: number];

interface Case extends JudgedTable, Beliefs {
  readonly name: string;
  readonly statistics_and_errors: readonly Readonly<Record<string, readonly [Statistics, Statistics]>>[];
}

function golden(name: string): readonly Case[] {
  const path = join(import.meta.dirname, `../../../tests/golden/${name}`);
  return (JSON.parse(readFileSync(path, "utf8")) as { cases: readonly Case[] }).cases;
}

const cases = golden("judges.json");
/** Judges that are graded, dependent or saturated. */
const emitted = golden("emissions.json");
const FLAT: Beliefs = { priors: {}, pins: {} };

/** Draws of every parameter of a group, and of P(R=1), P(T=1) and P(G=1). */
function everything({ collapsed, of }: Draws, group: number): Record<string, Float64Array> {
  const { names, worlds } = collapsed;
  const masses = worldDrawsOf(worlds, worlds.parameters.map((_, k) => of(group, k)));
  const sum = (isIn: (w: number) => boolean) => masses[0]!.map((_, i) => masses.reduce((total, mass, w) => total + (isIn(w) ? mass[i]! : 0), 0));
  return {
    ...Object.fromEntries(names.map((name, k) => [name, of(group, k)])),
    top_level: sum((w) => worlds.hit[w]!),
    task_success: sum((w) => worlds.right[w]!),
    policy_adherence: sum((w) => (worlds.hit[w] ? worlds.right[w]! : worlds.abstained[w]!)),
  };
}

function statistics(draws: Float64Array): Statistics {
  const sorted = ascending(draws);
  const m = mean(draws);
  const sd = Math.sqrt(mean(draws.map((x) => (x - m) ** 2)));
  return [m, sd, quantile(sorted, 0.025), quantile(sorted, 0.5), quantile(sorted, 0.975)];
}

/** The standard error of each statistic, from ten batches. */
function errors(draws: Float64Array): Statistics {
  const size = draws.length / 10;
  const all = Array.from({ length: 10 }, (_, b) => statistics(draws.slice(b * size, (b + 1) * size)));
  return [0, 1, 2, 3, 4].map((k) => {
    const of = all.map((s) => s[k]!);
    return Math.sqrt(of.reduce((sum, x) => sum + (x - mean(of)) ** 2, 0) / 9 / 10);
  }) as unknown as Statistics;
}

describe("golden cases", { timeout: 120_000 }, () => {
  it.each([...cases, ...emitted].map((one) => [one.name, one] as const))("%s: as in long runs of Python's engine", (name, one) => {
    const fit = atOnce(hmcFit(fittable(one, 5, name), one, 60_000));
    for (const [group, known] of one.statistics_and_errors.entries()) {
      const found = everything(fit, group);
      for (const [key, [wanted, theirError]] of Object.entries(known)) {
        const draws = found[key]!;
        const pin = one.pins[key];
        if (pin !== undefined) {
          expect(new Set(draws)).toEqual(new Set([pin]));
          continue;
        }
        const [here, myError] = [statistics(draws), errors(draws)];
        here.forEach((x, k) => {
          // 5 standard errors of both; the floor is what ten batches may understate.
          const error = Math.hypot(theirError[k]!, Math.max(myError[k]!, 0.004 * wanted[1]));
          expect(Math.abs(x - wanted[k]!), `${key}, statistic ${k}: ${x} for ${wanted[k]}`).toBeLessThan(5 * error);
        });
      }
    }
  });
});

describe("the quick answer", () => {
  it.each([...cases, ...emitted].map((one) => [one.name, one] as const))("%s: near the full one", (_, one) => {
    const quick = laplaceFit(fittable(one, 5, "quick"), one, 4000);
    for (const [group, known] of one.statistics_and_errors.entries()) {
      const found = everything(quick, group);
      for (const key of ["top_level", "task_success", "policy_adherence"]) {
        const [[m, sd, low, , high]] = known[key]!;
        const here = statistics(found[key]!);
        expect(Math.abs(here[0] - m) / sd, `mean of ${key}`).toBeLessThan(0.25);
        expect(Math.abs(here[4] - here[2] - (high - low)) / (high - low), `width of ${key}`).toBeLessThan(0.15);
      }
    }
  });

  it("follows a drag from the last modes to where a search from everywhere ends", () => {
    const table = cases.find(({ name }) => name === "two judges")!;
    const fit = fittable(table, 5, "drag");
    let last = laplaceFit(fit, FLAT, 100);
    for (let p = 0.2; p < 0.5; p += 0.05) {
      const pinned = { priors: {}, pins: { "fpr[jR]": p } };
      last = laplaceFit(fit, pinned, 100, last.modes);
      const anew = laplaceFit(fit, pinned, 100);
      last.modes.peaks[0]!.centre.forEach((x, k) => expect(x).toBeCloseTo(anew.modes.peaks[0]!.centre[k]!, 5));
    }
  });

  it("moves smoothly: the same normals stand behind every answer", () => {
    const table = cases.find(({ name }) => name === "two judges")!;
    const fit = fittable(table, 5, "smooth");
    const of = (p: number) => everything(laplaceFit(fit, { priors: {}, pins: { "fpr[jR]": p } }, 1000), 0)["policy_adherence"]!;
    const [a, b] = [of(0.3), of(0.3001)];
    a.forEach((x, i) => expect(Math.abs(x - b[i]!)).toBeLessThan(2e-3));
  });
});

describe("beliefs", { timeout: 60_000 }, () => {
  const table = cases.find(({ name }) => name === "two judges")!;

  it("held at a rate are those of a very firm prior at it", () => {
    const firm: Beliefs = { priors: { "tpr[jT]": [7e6, 3e6] }, pins: {} };
    const [pinned, close] = [{ priors: {}, pins: { "tpr[jT]": 0.7 } }, firm].map((beliefs) => everything(atOnce(hmcFit(fittable(table, 1, "pin"), beliefs, 20_000)), 0));
    for (const key of ["retrieval_success", "task_success", "policy_adherence", "fpr[jT]"]) {
      const [a, b, error] = [statistics(pinned![key]!), statistics(close![key]!), errors(pinned![key]!)];
      expect(Math.abs(a[0] - b[0]), key).toBeLessThan(6 * Math.SQRT2 * Math.max(error[0], a[1] / 140));
      expect(Math.abs(a[1] / b[1] - 1), key).toBeLessThan(0.06);
    }
  });

  it("may hold a rate at 0 or 1 and stay finite", () => {
    for (const p of [0, 1]) {
      const draws = everything(atOnce(hmcFit(fittable(table, 1, "ends"), { priors: {}, pins: { "fpr[jR]": p } }, 400)), 0);
      for (const [key, of] of Object.entries(draws)) expect(of.every((x) => x >= 0 && x <= 1), key).toBe(true);
    }
  });
});

describe("the draws", () => {
  const table = cases.find(({ name }) => name.startsWith("three groups"))!;

  it("are the same for the same seed, and differ otherwise", () => {
    const of = (seed: number) => everything(atOnce(hmcFit(fittable(table, seed, "x"), FLAT, 400)), 1);
    expect(of(1)).toEqual(of(1));
    expect(of(1)["task_success"]).not.toEqual(of(2)["task_success"]);
  });

  it("come in slices that end in the same as in one go", () => {
    const fit = fittable(table, 8, "x");
    const slices = hmcFit(fit, FLAT, 4000);
    let pieces = 0;
    let last = slices.next();
    for (; !last.done; last = slices.next()) pieces++;
    expect(pieces).toBeGreaterThan(10);
    expect(everything(last.value, 0)).toEqual(everything(atOnce(hmcFit(fit, FLAT, 4000)), 0));
  });
});

describe("what nothing anchors", { timeout: 60_000 }, () => {
  const judges = [instrument("a", "retrieval"), instrument("b", "retrieval"), instrument("c", "retrieval")];
  const rates = { a: [0.9, 0.2], b: [0.8, 0.1], c: [0.85, 0.3] };
  const keys = Object.keys(rates);
  const table = simulated(judges, [{ theta: QWEN, rates, batches: [{ n: 300, labels: "AT", judges: keys }, { n: 300, labels: "A", judges: keys }] }], uniforms(2, "latent"));

  it("has two modes with half of the mass each, and draws in both", () => {
    const fit = atOnce(hmcFit(fittable(table, 1, "latent"), FLAT, 8000));
    expect(fit.modes.peaks.map(({ weight }) => weight)).toEqual([expect.closeTo(0.5, 3), expect.closeTo(0.5, 3)]);
    expect(readingsOf(fit.modes.peaks)).toEqual([expect.closeTo(0.5, 3), expect.closeTo(0.5, 3)]);
    const { retrieval_success: r, "tpr[a]": tpr, "fpr[a]": fpr } = everything(fit, 0);
    const share = mean(r!.map((_, i) => (tpr![i]! > fpr![i]! ? 1 : 0)));
    expect(share).toBeGreaterThan(0.4);
    expect(share).toBeLessThan(0.6);
  });

  it("is one reading where it is a ridge, on which climbs end in several places", () => {
    // A and T of 212 answers and what GPT-4 says of 3,525; R on no row (openqa_nq301).
    const open = {
      levels: ["none", "all"],
      judges: [instrument("gpt4", "task")],
      patterns: [[-1, 0, -1, -1], [-1, 0, -1, 0], [-1, 0, -1, 1], [-1, 0, 0, 0], [-1, 0, 0, 1], [-1, 0, 1, 0], [-1, 0, 1, 1], [-1, 1, -1, -1]],
      counts: [[1, 1138, 2175, 48, 12, 14, 139, 21]],
    };
    const { peaks } = atOnce(hmcFit(fittable(open, 1, "open"), FLAT, 400)).modes;
    expect(peaks.length).toBeGreaterThan(1);
    expect(readingsOf(peaks)).toEqual([expect.closeTo(1, 9)]);
    const last = laplaceFit(fittable(open, 1, "open"), { ...FLAT, pins: { "fpr[gpt4]": 0.2 } }, 100, atOnce(hmcFit(fittable(open, 1, "open"), FLAT, 400)).modes);
    expect(readingsOf(last.modes.peaks)).toEqual([expect.closeTo(1, 9)]);
  });

  it("has one where a prior tells the classes apart, and P(T) does not care", () => {
    const told: Beliefs = { priors: { "tpr[a]": [8, 2], "fpr[a]": [2, 8] }, pins: {} };
    const [one, two] = [told, FLAT].map((beliefs) => atOnce(hmcFit(fittable(table, 1, "told"), beliefs, 8000)));
    expect(one!.modes.peaks).toHaveLength(1);
    const [a, b] = [one!, two!].map((fit) => everything(fit, 0)["task_success"]!);
    expect(Math.abs(mean(a!) - mean(b!))).toBeLessThan(5 * Math.hypot(errors(a!)[0], errors(b!)[0], 0.02 * statistics(a!)[1]));
  });

  it("leaves P(T) what T says where R is never seen and no judge looks at it", () => {
    const labels = { n: 400, labels: "AT", judges: [] };
    const hidden = simulated([], [{ theta: QWEN, rates: {}, batches: [labels] }], uniforms(3, "hidden"));
    const rows = (isIn: (pattern: readonly number[]) => boolean) => hidden.patterns.reduce((sum, pattern, i) => sum + (isIn(pattern) ? hidden.counts[0]![i]! : 0), 0);
    const found = statistics(everything(atOnce(hmcFit(fittable(hidden, 1, "hidden"), FLAT, 8000)), 0)["task_success"]!);
    const rate = rows(([, , t]) => t === 1) / 400;
    // Flat priors of R, A and T given each move the rate by a few labels, of 400.
    expect(Math.abs(found[0] - rate)).toBeLessThan(0.01);
    expect(found[1] / Math.sqrt((rate * (1 - rate)) / 400)).toBeGreaterThan(0.9);
    expect(found[1] / Math.sqrt((rate * (1 - rate)) / 400)).toBeLessThan(1.1);
  });

  it.each(["", "A", "T", "R"])("never ends in an exception: nothing but %j is seen", (labels) => {
    const judged = simulated(judges.slice(0, 1), [{ theta: QWEN, rates, batches: [{ n: 50, labels, judges: ["a"] }] }], uniforms(3, "bare"));
    const empty = { ...judged, patterns: [[-1, -1, -1, -1]], counts: [[0]] };
    for (const table of [judged, empty]) {
      for (const of of Object.values(everything(atOnce(hmcFit(fittable(table, 1, "bare"), FLAT, 400)), 0))) expect(of.every((x) => x >= 0 && x <= 1)).toBe(true);
    }
  });
});

const SBC_JUDGES: readonly Instrument[] = [instrument("r", "retrieval", { has_unknown: true }), instrument("t", "task", { abstained_rate: 0.2 })];
const SBC_PRIOR: Readonly<Record<string, Prior>> = { retrieval_success: [2, 2], "tpr[r]": [8, 2], "fpr[r]": [2, 6], "tpr[t]": [6, 2], "unknown_given_0[r]": [1, 4], "unknown_given_1[r]": [1, 4] };
const SBC_NAMES = ["retrieval_success", "abstain_given_miss", "abstain_given_hit", "correct_given_miss", "correct_given_hit"];

/** What `everything` gives, of the truth. */
function truthOf(theta: readonly number[], rates: Readonly<Record<"r" | "t", readonly number[]>>): Record<string, number> {
  const [hit, abstainMiss, abstainHit, rightMiss, rightHit] = theta as [number, number, number, number, number];
  const solved = hit * (1 - abstainHit) * rightHit;
  return {
    ...Object.fromEntries(SBC_NAMES.map((name, k) => [name, theta[k]!])),
    ...Object.fromEntries(["tpr[r]", "fpr[r]", "unknown_given_1[r]", "unknown_given_0[r]"].map((name, k) => [name, rates.r[k]!])),
    ...Object.fromEntries(["tpr[t]", "fpr[t]"].map((name, k) => [name, rates.t[k]!])),
    top_level: hit,
    task_success: solved + (1 - hit) * (1 - abstainMiss) * rightMiss,
    policy_adherence: solved + (1 - hit) * abstainMiss,
  };
}

/** Draws of which walkers are told as they are; of more, where they do not mix, points are annealed. */
const WALKED = 900;
const TOLD = 1000;

/** Ranks of the truth among 100 thinned draws, over data sets that the prior and the model make. */
function ranks(nSets: number, believed: Readonly<Record<string, Prior>>, sizeOf: (set: number) => number): Record<string, number[]> {
  const uniform = uniforms(20261130, "calibration");
  const found: Record<string, number[]> = {};
  for (let i = 0; i < nSets; i++) {
    const drawn = (name: string) => betaDraws(...(SBC_PRIOR[name] ?? [1, 1]), 1, uniform)[0]!;
    const theta = SBC_NAMES.map(drawn);
    const rates = { r: ["tpr[r]", "fpr[r]", "unknown_given_1[r]", "unknown_given_0[r]"].map(drawn), t: ["tpr[t]", "fpr[t]"].map(drawn) };
    const batches = [
      { n: 12, labels: "RAT", judges: ["r", "t"] },
      { n: 10, labels: "T", judges: ["r", "t"] },
      { n: 30, labels: "A", judges: ["r", "t"] },
      { n: 20, labels: "", judges: ["t"] },
    ];
    const table = simulated(SBC_JUDGES, [{ theta, rates, batches }], uniform);
    const draws = everything(atOnce(hmcFit(fittable(table, i, "sbc"), { priors: believed, pins: {} }, sizeOf(i))), 0);
    const truth = truthOf(theta, rates);
    for (const key of Object.keys(draws)) {
      let rank = 0;
      const step = sizeOf(i) / 100;
      for (let j = Math.floor(step / 2); j < sizeOf(i); j += step) if (draws[key]![j]! < truth[key]!) rank++;
      (found[key] ??= []).push(rank);
    }
  }
  return found;
}

/** Chi-square of ranks 0 to 100 in ten bins. */
function unevenness(of: readonly number[]): number {
  const bins = new Array<number>(10).fill(0);
  for (const rank of of) bins[Math.min(9, Math.floor((10 * rank) / 101))]!++;
  return bins.reduce((sum, n) => sum + (n - of.length / 10) ** 2 / (of.length / 10), 0);
}

describe("simulation-based calibration with judges", { timeout: 180_000 }, () => {
  // 9 degrees of freedom; 0.1% over 14 quantities by Bonferroni: 7e-5.
  const MOST = 34.8;

  it("gives uniform ranks, with labels and verdicts missing", () => {
    // Annealing takes five sixths of the time, so that every other data set goes without.
    for (const [key, of] of Object.entries(ranks(300, SBC_PRIOR, (set) => (set % 2 ? WALKED : TOLD)))) expect(unevenness(of), key).toBeLessThan(MOST);
  });

  it("fails for a prior of a rate that the truth does not come from", () => {
    expect(unevenness(ranks(150, { ...SBC_PRIOR, "fpr[r]": [12, 4] }, () => WALKED)["fpr[r]"]!)).toBeGreaterThan(MOST);
  });
});
