// @vitest-environment node
import { describe, expect, it } from "vitest";
import { mean, quantile } from "../../src/core/numbers.ts";
import { atOnce } from "../../src/core/slices.ts";
import { annealSlices, ISLANDS, priorLogits, tempered } from "../../src/engine/annealed.ts";
import { beliefsOf, settingsOf, type JudgeMoves, type JudgeTable } from "../../src/engine/judge-samples.ts";
import { drawsOf, fittable, hmcSample, laplaceFit, type Draws } from "../../src/engine/judged.ts";
import { peakSlices } from "../../src/engine/peaks.ts";
import { ascending } from "../../src/engine/quantities.ts";
import { uniforms } from "../../src/engine/random.ts";
import { densityAt, surfaceOf, type Prior } from "../../src/engine/surface.ts";
import { targetDrawsOf } from "../../src/engine/worlds.ts";
import { BENT, NO_HUMAN } from "./bent.ts";
import { instrument, QWEN, simulated } from "./simulated.ts";

const TARGETS = ["P(R)", "P(T)", "P(G)"];

function targets({ collapsed, of }: Draws): readonly Float64Array[] {
  return targetDrawsOf(collapsed.worlds, collapsed.worlds.parameters.map((_, k) => of(0, k)));
}

function statistics(draws: Float64Array): number[] {
  const sorted = ascending(draws);
  return [mean(draws), quantile(sorted, 0.025), quantile(sorted, 0.975)];
}

/** Statistics of draws, and their standard errors by the islands that made them. */
function told(draws: Float64Array): readonly (readonly [value: number, error: number])[] {
  const size = draws.length / ISLANDS;
  const each = Array.from({ length: ISLANDS }, (_, c) => statistics(draws.slice(c * size, (c + 1) * size)));
  return statistics(draws).map((value, k) => {
    const centre = mean(each.map((of) => of[k]!));
    return [value, Math.sqrt(each.reduce((sum, of) => sum + (of[k]! - centre) ** 2, 0) / (ISLANDS - 1) / ISLANDS)];
  });
}

describe("full draws of a posterior that is bent or in pieces", { timeout: 60_000 }, () => {
  it.each(BENT.map((one) => [one.name, one] as const))("%s: as Python says", (_, { table, moves, python }) => {
    const { joint } = settingsOf(table)(moves);
    const beliefs = beliefsOf(table, moves);
    const sample = atOnce(hmcSample(joint, beliefs, 4000));
    expect(sample.mixing.rHat).toBeLessThan(1.05);
    for (const [t, draws] of targets(drawsOf(joint, beliefs, sample)).entries()) {
      for (const [k, [value, error]] of told(draws).entries()) {
        const [wanted, theirs] = python[t]![k]!;
        // 5 standard errors of both; four islands may agree by chance, hence the floor.
        expect(Math.abs(value - wanted), `${TARGETS[t]}, statistic ${k}: ${value} for ${wanted}`).toBeLessThan(5 * Math.hypot(theirs, Math.max(error, 0.005)));
      }
    }
  });

  it("says so where it cannot mix them: groups that share judges, and no human label", () => {
    const judges = [instrument("jr", "retrieval", { is_shared: true }), instrument("jt", "task", { is_shared: true })];
    const batches = [{ n: 800, labels: "A", judges: ["jr", "jt"] }];
    const groups = Array.from({ length: 4 }, () => ({ theta: QWEN, rates: { jr: [0.9, 0.3], jt: [0.8, 0.1] }, batches }));
    const { mixing } = atOnce(hmcSample(fittable(simulated(judges, groups, uniforms(2, "groups")), 1, "groups"), { priors: {}, pins: {} }, 4000));
    expect(mixing.rHat).toBeGreaterThan(1.1);
    expect(mixing.error).toBeGreaterThan(0.01);
  });
});

describe("the quick answer", () => {
  const { joint } = settingsOf(NO_HUMAN)({ group: 0, priors: null, pins: null, left_out: [] });
  const quick = (tpr: number, from: Draws | null) => laplaceFit(joint, { priors: {}, pins: { "tpr[jr]": tpr } }, 1000, from?.modes);

  it.each([0.5, 0.57, 0.94])("to a TPR of %d is the same whatever was pinned before", (tpr) => {
    const direct = targets(quick(tpr, null)).map(statistics);
    for (const before of [[0.94], [0.1], [0.94, 0.9, 0.7, 0.6], [0.02, 0.98]]) {
      const last = before.reduce<Draws | null>((from, at) => quick(at, from), null);
      for (const [t, of] of targets(quick(tpr, last)).map(statistics).entries()) {
        of.forEach((x, k) => expect(Math.abs(x - direct[t]![k]!), `${TARGETS[t]} after ${before.join()}`).toBeLessThan(0.01));
      }
    }
  });
});

describe("annealing", { timeout: 60_000 }, () => {
  const judges = [instrument("jr", "retrieval"), instrument("jt", "task")];
  const rates = { jr: [0.9, 0.3], jt: [0.8, 0.1] };
  const rows = (nHuman: number) => [...(nHuman ? [{ n: nHuman, labels: "RAT", judges: ["jr", "jt"] }] : []), { n: 400, labels: "A", judges: ["jr", "jt"] }];
  const tableOf = (nHuman: number) => simulated(judges, [{ theta: QWEN, rates, batches: rows(nHuman) }], uniforms(4, "annealed"));
  const PRIORS: Readonly<Record<string, Prior>> = { retrieval_success: [3, 2], abstain_given_miss: [2, 2], correct_given_hit: [5, 2], "tpr[jr]": [8, 2], "fpr[jr]": [2, 6], "fpr[jt]": [2, 2] };

  it.each([0, 40])("starts from the prior: its draws have no slope on average (%d labelled rows)", (nHuman) => {
    const fit = fittable(tableOf(nHuman), 1, "prior");
    const prior = (name: string) => PRIORS[name] ?? ([2, 2] as const);
    const surface = surfaceOf(fit.structure, prior, () => null);
    const [n, size] = [20_000, surface.free.length];
    const logits = priorLogits(surface, prior, n, uniforms(3, "prior"));
    const none = tempered(surface, 0);
    const slopes = Array.from({ length: size }, () => new Float64Array(n));
    const slope = new Float64Array(size);
    for (let i = 0; i < n; i++) {
      densityAt(none, logits.slice(i * size, (i + 1) * size), slope);
      slope.forEach((x, k) => (slopes[k]![i] = x));
    }
    for (const of of slopes) {
      const m = mean(of);
      const error = Math.sqrt(mean(of.map((x) => (x - m) ** 2)) / n);
      expect(error).toBeGreaterThan(0);
      expect(Math.abs(m)).toBeLessThan(5 * error);
    }
  });

  it("ends at the posterior: where walkers mix, both say the same", () => {
    const fit = fittable(tableOf(60), 1, "easy");
    const prior = (name: string) => PRIORS[name] ?? ([1, 1] as const);
    const beliefs = { priors: PRIORS, pins: {} };
    const walked = atOnce(hmcSample(fit, beliefs, 20_000));
    expect(walked.mixing.slowness).toBeGreaterThan(1);
    const surface = surfaceOf(fit.structure, prior, () => null);
    const logits = atOnce(annealSlices(surface, atOnce(peakSlices(surface)), prior, 4000, uniforms(5, "easy")));
    const annealed = { ...walked, n: 4000, logits };
    const [a, b] = [walked, annealed].map((sample) => targets(drawsOf(fit, beliefs, sample)).map(told));
    a!.forEach((of, t) =>
      of.forEach(([value, error], k) => {
        const [other, theirs] = b![t]![k]!;
        expect(Math.abs(value - other), `${TARGETS[t]}, statistic ${k}`).toBeLessThan(5 * Math.hypot(Math.max(error, 0.0005), Math.max(theirs, 0.0015)));
      }),
    );
  });
});

describe("a constraint", () => {
  const table: JudgeTable = { ...NO_HUMAN, constraint: "tpr>fpr" };
  const moves = (change: Partial<JudgeMoves>): JudgeMoves => ({ group: 0, priors: null, pins: null, left_out: [], ...change });

  it("is about no judge of which TPR or FPR is pinned or has a prior that a reader set", () => {
    const bound = (change: Partial<JudgeMoves>) => beliefsOf(table, moves(change)).aboveChance;
    expect(bound({})).toEqual(["jr", "jt"]);
    expect(bound({ pins: { "fpr[jr]": 0.9 } })).toEqual(["jt"]);
    expect(bound({ priors: { "tpr[jt]": [0.2, 30] } })).toEqual(["jr"]);
    expect(bound({ pins: { "unknown_given_0[jr]": 0.1 } })).toEqual(["jr", "jt"]);
    expect(beliefsOf(NO_HUMAN, moves({})).aboveChance).toEqual([]);
    expect(beliefsOf({ ...table, exempt: ["jr"] }, moves({})).aboveChance).toEqual(["jt"]);
  });

  it("that a pin contradicts leaves the draws of what is pinned", () => {
    const move = moves({ pins: { "fpr[jr]": 0.9 } });
    const { collapsed, of, n } = laplaceFit(settingsOf(table)(move).joint, beliefsOf(table, move), 1000);
    const [tpr, fpr] = ["tpr[jt]", "fpr[jt]"].map((name) => of(0, collapsed.names.indexOf(name)));
    expect(n).toBeGreaterThan(100);
    expect(tpr!.every((x, i) => x > fpr![i]!)).toBe(true);
  });
});
