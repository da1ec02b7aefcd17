// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { JudgedTable } from "../../src/engine/collapsed.ts";
import { atOnce } from "../../src/core/slices.ts";
import { settingsOf, tableOf } from "../../src/engine/judge-samples.ts";
import { judgeAnswer, judgeEngine, TARGETS, type JudgeAnswer, type JudgeModel, type JudgeMoves } from "../../src/engine/judge.ts";
import { fittable } from "../../src/engine/judged.ts";
import { measures } from "../../src/engine/judging.ts";
import { naiveTable } from "../../src/engine/naive.ts";
import { uniforms } from "../../src/engine/random.ts";
import type { Prior } from "../../src/engine/surface.ts";
import { verdictWorth, withJudges } from "../../src/engine/worth.ts";
import { APERTUS, instrument, LEVELS, QWEN, simulated } from "./simulated.ts";

interface Case extends JudgedTable {
  readonly name: string;
  readonly priors: Readonly<Record<string, Prior>>;
  readonly pins: Readonly<Record<string, number>>;
  /** Of each group and judge: in labels, for P(T) and P(G), by Python's derived/worth.py. */
  readonly worth: readonly Readonly<Record<string, readonly [task: number, policy: number]>>[];
}

const GOLDEN = join(import.meta.dirname, "../../../tests/golden/judges.json");
const { cases } = JSON.parse(readFileSync(GOLDEN, "utf8")) as { cases: readonly Case[] };
const STILL: JudgeMoves = { group: 0, priors: null, pins: null, left_out: [] };

function modelOf({ levels, judges, patterns, counts }: JudgedTable, priors: Readonly<Record<string, Prior>> = {}): JudgeModel {
  const weights = levels.length > 2 ? { none_abstained: 1, partial_abstained: 1, all_right: 1 } : { miss_abstained: 1, hit_right: 1 };
  const groups = counts.map((rows, g) => ({ label: `g${g}`, counts: rows }));
  return { ci_prob: 0.95, ci_kind: "eti", seed: 0, levels, policy: { weights }, judges, priors, patterns, groups };
}

function modelOfCase(name: string): JudgeModel {
  const found = cases.find((one) => one.name === name)!;
  return modelOf(found, found.priors);
}

const value = ({ beliefs }: JudgeAnswer, way: "naive" | "humans" | "joint", target: (typeof TARGETS)[number]) => beliefs[way][target].estimate.value!;
const width = ({ beliefs }: JudgeAnswer, way: "naive" | "humans" | "joint", target: (typeof TARGETS)[number]) => beliefs[way][target].estimate.upper! - beliefs[way][target].estimate.lower!;

describe("worth", { timeout: 60_000 }, () => {
  it.each(cases.filter(({ pins }) => Object.keys(pins).length === 0).map((one) => [one.name, one] as const))("in %s is what Python says", (_, one) => {
    for (const [group, known] of one.worth.entries()) {
      const { report } = judgeAnswer(modelOf(one, one.priors), { ...STILL, group });
      for (const [key, [task, policy]] of Object.entries(known)) {
        const { worth } = report[key]!;
        // 5%, or a tenth of a label: both take means of draws.
        expect(Math.abs(worth.task_success.n_labels - task), `${key}, ${group}, P(T)`).toBeLessThan(0.05 * task + 0.1);
        expect(Math.abs(worth.policy_adherence.n_labels - policy), `${key}, ${group}, P(G)`).toBeLessThan(0.05 * policy + 0.1);
      }
    }
  });

  const flat = (): Prior => [1, 1];
  const weights = [1, 0, 0, 0, 0, 1];
  const judges = [instrument("r", "retrieval"), instrument("t", "task")];
  const names = ["retrieval_success", "abstain_given_miss", "abstain_given_hit", "correct_given_miss", "correct_given_hit"];
  type Pairs = Readonly<Record<string, readonly [number, number]>>;
  const pointAt = (rates: Pairs) => ({
    mean: (name: string) => {
      const k = names.indexOf(name);
      if (k >= 0) return QWEN[k]!;
      const [tpr, fpr] = rates[name.slice(4, -1)]!;
      return name.startsWith("tpr") ? tpr : fpr;
    },
    prior: flat,
  });
  const rowsAt = (rates: Pairs, nJudged: number) => {
    const group = { theta: QWEN, rates, batches: [{ n: 400, labels: "RAT", judges: ["r", "t"] }, { n: nJudged, labels: "A", judges: ["r", "t"] }] };
    const table = simulated(judges, [group], uniforms(9, `worth ${nJudged}`));
    return { human: withJudges(table, 0, []), judged: withJudges(table, 0, ["r", "t"]) };
  };
  const worthAt = (rates: Pairs, nJudged: number) => verdictWorth(rowsAt(rates, nJudged), pointAt(rates), weights);

  it("is as many rows as tell as much: with them the deviation is that with the verdicts", () => {
    const [hit, declinesMiss, declinesHit, rightMiss, rightHit] = QWEN as [number, number, number, number, number];
    const complete = [[0, 1, -1], [0, 0, 0], [0, 0, 1], [1, 1, -1], [1, 0, 0], [1, 0, 1]];
    const shares = [declinesMiss, (1 - declinesMiss) * (1 - rightMiss), (1 - declinesMiss) * rightMiss, declinesHit, (1 - declinesHit) * (1 - rightHit), (1 - declinesHit) * rightHit];
    for (const [tpr, fpr] of [[0.9, 0.2], [0.6, 0.4], [0.99, 0.01]] as const) {
      const rates = { r: [tpr, fpr], t: [tpr, fpr] } as const;
      const rows = rowsAt(rates, 1000);
      const worth = verdictWorth(rows, pointAt(rates), weights);
      const labelled = rows.human.counts[0]!.map((n, i) => (rows.human.patterns[i]![0] === -1 ? 0 : n));
      const more = shares.map((share, w) => worth.n_labels_with_rows * share * (w < 3 ? 1 - hit : hit));
      const instead = { ...rows.human, patterns: [...rows.human.patterns, ...complete], counts: [[...labelled, ...more]] };
      expect(worth.n_labels_with_rows).toBeGreaterThan(10);
      const { sd_without } = verdictWorth({ human: instead, judged: rows.judged }, pointAt(rates), weights);
      expect(Math.abs(sd_without / worth.sd_with - 1)).toBeLessThan(1e-8);
    }
  });

  it("counts no A of rows that nobody labelled where R was never labelled: people's labels have it, too", () => {
    const rates = { t: [0.9, 0.2] } as const;
    for (const [nAlone, isNothing] of [[0, true], [600, false]] as const) {
      const batches = [{ n: 400, labels: "AT", judges: ["t"] }, { n: nAlone, labels: "A", judges: ["t"] }];
      const table = simulated([instrument("t", "task")], [{ theta: QWEN, rates, batches }], uniforms(9, `declined ${nAlone}`));
      const rows = { human: withJudges(table, 0, []), judged: withJudges(table, 0, ["t"]) };
      const worth = verdictWorth(rows, pointAt(rates), [0, 0, 0, 1, 0, 1]);
      expect(worth.n_labels_with_rows).toBe(worth.n_labels);
      expect(worth.n_labels < 0.01).toBe(isNothing);
    }
  });

  it("of a coin is nothing, of judges that hardly err about as many labels as rows", () => {
    expect(worthAt({ r: [0.5, 0.5], t: [0.3, 0.3] }, 1000).n_labels).toBeLessThan(1);
    const nearly = worthAt({ r: [0.9999, 0.0001], t: [0.9999, 0.0001] }, 1000).n_labels;
    expect(Math.abs(nearly / 1000 - 1)).toBeLessThan(0.1);
  });

  it("grows with the verdicts, and never above the labels that they stand for", () => {
    const all = [100, 400, 1600, 6400].map((n) => worthAt({ r: [0.9, 0.2], t: [0.9, 0.2] }, n).n_labels);
    all.forEach((n, i) => expect(n).toBeGreaterThan(i === 0 ? 0 : all[i - 1]!));
    expect(all[0]).toBeLessThan(100);
  });
});

describe("the naive table", () => {
  const judges = [instrument("a", "task"), instrument("b", "task"), instrument("c", "retrieval"), instrument("d", "abstention")];
  const naive = (pattern: readonly number[], levels: readonly string[] = LEVELS) => naiveTable({ levels, judges, patterns: [pattern], counts: [[1]] }, 0).patterns[0];

  it("takes verdicts for labels where people said nothing", () => {
    expect(naive([-1, -1, -1, 1, -1, 0, 0])).toEqual([0, 0, 1]);
    expect(naive([1, 0, 0, 1, 1, 0, 1])).toEqual([1, 0, 0]);
  });

  it("takes the majority, and nothing where verdicts are tied or unsure", () => {
    expect(naive([-1, 0, -1, 1, 0, -1, -1])).toEqual([-1, 0, -1]);
    expect(naive([-1, 0, -1, 1, 2, 2, -1])).toEqual([-1, 0, 1]);
  });

  it("never has an answer where it was declined, and has what is no hit at the level below the top", () => {
    expect(naive([-1, -1, -1, 1, 1, 1, 1])).toEqual([1, 1, -1]);
    expect(naive([-1, -1, 1, 0, 0, 1, 1])).toEqual([1, -1, 1]);
    expect(naive([-1, 0, -1, 1, 1, 0, -1], ["none", "partial", "all"])).toEqual([1, 0, 1]);
    expect(naive([-1, 0, -1, 1, 1, 1, -1], ["none", "partial", "all"])).toEqual([2, 0, 1]);
  });
});

describe("measures", () => {
  it("are those of the table of truth and verdict", () => {
    const [p, tpr, fpr, u1, u0] = [0.3, 0.8, 0.15, 0.1, 0.4] as const;
    const one = (x: number) => Float64Array.of(x);
    // Of the verdicts that decide: truth by verdict.
    const [tp, fn, fp, tn] = [p * (1 - u1) * tpr, p * (1 - u1) * (1 - tpr), (1 - p) * (1 - u0) * fpr, (1 - p) * (1 - u0) * (1 - fpr)];
    const all = tp + fn + fp + tn;
    const agreed = (tp + tn) / all;
    const chance = ((tp + fn) * (tp + fp) + (fp + tn) * (fn + tn)) / all ** 2;
    const found = measures(one(p), { tpr: one(tpr), fpr: one(fpr), unknown: [one(u1), one(u0)] });
    expect(found.ppv[0]).toBeCloseTo(tp / (tp + fp), 12);
    expect(found.npv[0]).toBeCloseTo(tn / (tn + fn), 12);
    expect(found.kappa[0]).toBeCloseTo((agreed - chance) / (1 - chance), 12);
    expect(found.youden[0]).toBeCloseTo(tpr - fpr, 12);
  });

  it("leave undefined what a constant judge leaves undefined", () => {
    const one = (x: number) => Float64Array.of(x);
    expect(measures(one(0.3), { tpr: one(0), fpr: one(0), unknown: null }).ppv[0]).toBeNaN();
  });
});

describe("the engine", { timeout: 60_000 }, () => {
  const model = modelOfCase("two judges");

  it("finds the lenient judge of R out: naive is far off, joint is narrower than humans", () => {
    const lenient = judgeAnswer(modelOfCase("a lenient judge of R"), STILL);
    expect(value(lenient, "naive", "retrieval_success")).toBeGreaterThan(0.5);
    expect(value(lenient, "joint", "retrieval_success")).toBeLessThan(0.32);
    const both = judgeAnswer(model, STILL);
    for (const target of TARGETS) expect(width(both, "joint", target)).toBeLessThan(0.95 * width(both, "humans", target));
  });

  it("takes verdicts for labels exactly: the naive P(R) is a Beta where every row has a verdict", () => {
    const { patterns, groups, judges } = model;
    const at = 3 + judges.findIndex(({ of }) => of === "retrieval");
    const rows = (hit: number) => patterns.reduce((sum, of, i) => sum + ((of[0]! >= 0 ? of[0] : of[at]) === hit ? groups[0]!.counts[i]! : 0), 0);
    const [ones, zeros] = [rows(1), rows(0)];
    const mean = (1 + ones) / (2 + ones + zeros);
    // 5 standard errors of 4,000 independent draws.
    const error = Math.sqrt((mean * (1 - mean)) / (ones + zeros) / 4000);
    expect(Math.abs(value(judgeAnswer(model, STILL), "naive", "retrieval_success") - mean)).toBeLessThan(5 * error);
  });

  it("says what people alone say whatever the verdicts are", () => {
    const flipped = { ...model, patterns: model.patterns.map((of) => of.map((x, i) => (i >= 3 && x >= 0 ? 1 - x : x))) };
    const [a, b] = [judgeAnswer(model, STILL), judgeAnswer(flipped, STILL)];
    for (const target of TARGETS) expect(Math.abs(value(a, "humans", target) - value(b, "humans", target)) / width(a, "humans", target)).toBeLessThan(0.03);
  });

  it("is left with what people say when all judges are left out", () => {
    const alone = judgeAnswer(model, { ...STILL, left_out: model.judges.map(({ key }) => key) });
    expect(alone.rates).toEqual({});
    // What is left beyond the rows that people labelled is A of the others: narrower, not elsewhere.
    for (const target of TARGETS) {
      expect(Math.abs(value(alone, "joint", target) - value(alone, "humans", target)) / width(alone, "humans", target)).toBeLessThan(0.25);
      expect(width(alone, "joint", target)).toBeLessThan(1.02 * width(alone, "humans", target));
    }
  });

  it("conditions on a pin: the rate says so, the others and the beliefs follow, naive and humans stay", () => {
    const engine = judgeEngine(model);
    const free = engine.preview(STILL);
    const pinned = engine.preview({ ...STILL, pins: { "fpr[jR]": 0.3 } });
    expect(pinned.rates["fpr[jR]"]!.estimate.text).toBe("30% (pinned)");
    expect(pinned.report["jR"]!.youden.estimate.value).toBeLessThan(free.report["jR"]!.youden.estimate.value!);
    // A judge that passes more misses has seen fewer hits.
    expect(value(pinned, "joint", "retrieval_success")).toBeLessThan(value(free, "joint", "retrieval_success"));
    for (const way of ["naive", "humans"] as const) expect(pinned.beliefs[way]).toBe(free.beliefs[way]);
    const [quick, full] = [pinned, atOnce(engine.refine({ ...STILL, pins: { "fpr[jR]": 0.3 } }))];
    for (const target of TARGETS) expect(Math.abs(value(quick, "joint", target) - value(full, "joint", target)) / width(full, "joint", target)).toBeLessThan(0.1);
  });

  it("takes an edited prior for so many labels", () => {
    const edited = judgeAnswer(model, { ...STILL, priors: { "tpr[jT]": [0.9, 50] } });
    const given = judgeAnswer({ ...model, priors: { ...model.priors, "tpr[jT]": [45, 5] } }, STILL);
    expect(edited.rates).toEqual(given.rates);
  });

  it("comes back to the same preview when a pin is taken away", () => {
    const engine = judgeEngine(model);
    const before = engine.preview(STILL);
    for (const p of [0.2, 0.4, 0.6]) engine.preview({ ...STILL, pins: { "fpr[jR]": p } });
    const after = engine.preview(STILL);
    for (const target of TARGETS) expect(value(after, "joint", target)).toBeCloseTo(value(before, "joint", target), 4);
  });

  it("fits a group by itself that is apart, and the others without it, as if these were all there are", () => {
    const THETAS = [QWEN, APERTUS, QWEN];
    const groups = THETAS.map((theta, g) => ({ theta, rates: { r: g === 1 ? [0.9, 0.6] : [0.9, 0.2] }, batches: [{ n: 40 + g, labels: "RAT", judges: ["r"] }, { n: 300, labels: "A", judges: ["r"] }] }));
    const all = modelOf(simulated([instrument("r", "retrieval", { is_shared: true })], groups, uniforms(4, "apart")), {});
    const [one, two, three] = all.groups;
    const numbers = ({ beliefs, rates, worth, report }: JudgeAnswer) => [beliefs.joint, beliefs.humans, rates].map((told) => Object.values(told).map(({ estimate }) => estimate)).concat([worth, report["r"]!.worth] as never);
    const of = (model: JudgeModel, group: number) => numbers(judgeAnswer(model, { ...STILL, group }));
    const apart = { ...all, apart: [1] };
    expect(of(apart, 1)).toEqual(of({ ...all, groups: [two!] }, 0));
    const without = { ...all, groups: [one!, three!] };
    expect(of(apart, 0)).toEqual(of(without, 0));
    expect(of(apart, 2)).toEqual(of(without, 1));
    expect(of(apart, 2)).not.toEqual(of(all, 2));
    expect(tableOf(apart).apart).toEqual([1]);
  });

  it("lets groups learn from each other through shared judges, and only through them", () => {
    const groups = [QWEN, APERTUS].map((theta, g) => ({ theta, rates: { r: [0.9, 0.3] }, batches: [{ n: g ? 600 : 30, labels: "RAT", judges: ["r"] }, { n: 800, labels: "A", judges: ["r"] }] }));
    const answer = (isShared: boolean, nGroups: number) => {
      const table = simulated([instrument("r", "retrieval", { is_shared: isShared })], groups, uniforms(4, "groups"));
      const all = modelOf(table);
      return judgeAnswer({ ...all, groups: all.groups.slice(0, nGroups) }, STILL);
    };
    expect(answer(false, 2)).toEqual(answer(false, 1));
    expect(width(answer(true, 2), "joint", "retrieval_success")).toBeLessThan(0.8 * width(answer(true, 1), "joint", "retrieval_success"));
  });

  it("keeps the half in which judges are above chance, when that is what was fitted", () => {
    const judges = ["a", "b", "c"].map((key) => instrument(key, "retrieval"));
    const rates = { a: [0.9, 0.2], b: [0.8, 0.1], c: [0.85, 0.3] };
    const table = simulated(judges, [{ theta: QWEN, rates, batches: [{ n: 600, labels: "AT", judges: ["a", "b", "c"] }] }], uniforms(2, "latent"));
    const [both, one] = [judgeAnswer(modelOf(table), STILL), judgeAnswer({ ...modelOf(table), constraint: "tpr>fpr" }, STILL)];
    expect(both.rates["tpr[a]"]!.estimate.lower).toBeLessThan(0.4);
    expect(one.rates["tpr[a]"]!.estimate.lower).toBeGreaterThan(0.6);
    expect(value(one, "joint", "retrieval_success")).toBeLessThan(0.35);
    const share = one.rates["tpr[a]"]!.sorted.length / both.rates["tpr[a]"]!.sorted.length;
    expect(share).toBeGreaterThan(0.35);
    expect(share).toBeLessThan(0.65);
  });

  it("answers for an empty table with the priors", () => {
    const empty = { ...model, groups: [{ label: "none", counts: model.patterns.map(() => 0) }] };
    const answer = judgeAnswer(empty, STILL);
    expect(answer.modes).toEqual([]);
    expect(value(answer, "joint", "retrieval_success")).toBeCloseTo(0.5, 1);
    expect(judgeEngine(empty).preview(STILL).report["jR"]!.worth.policy_adherence.n_labels).toBe(0);
  });
});

describe("rows that come in clusters", () => {
  it("count alike where verdicts are taken for truth, and are worth what they were", () => {
    const patterns = [[1, 0, 1, 1], [-1, 0, -1, 0], [-1, 0, -1, -1]];
    const table: JudgedTable = { levels: LEVELS, judges: [instrument("j", "task")], patterns, counts: [[60, 240, 50]] };
    const model = { ...modelOf(table, {}), groups: [{ label: "", counts: table.counts[0]!, deff: [2, 8] }] };
    const found = settingsOf(model)(STILL).beside.naive;
    // 30 + 30 independent rows of 300, and 50 / 8 that nobody says anything about.
    const wanted = fittable(naiveTable({ ...table, counts: [[12, 48, 6.25]] }, 0), 0, "");
    const rounded = (of: typeof found) => [of.structure.collapsed.ones, of.structure.collapsed.zeros].map((n) => Array.from(n, (x) => Math.round(x * 1e9) / 1e9));
    expect(rounded(found)).toEqual(rounded(wanted));
  });
});
