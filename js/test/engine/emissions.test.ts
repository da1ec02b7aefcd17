// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { atOnce } from "../../src/core/slices.ts";
import { productsOf, type JudgedTable } from "../../src/engine/collapsed.ts";
import { mirrorOf, remaining, speakersOf, spoken, type Instrument } from "../../src/engine/emissions.ts";
import { beliefsOf } from "../../src/engine/judge-samples.ts";
import { judgeEngine, TARGETS, type JudgeModel, type JudgeMoves } from "../../src/engine/judge.ts";
import { fittable, hmcFit, laplaceFit, toldApart, type Draws } from "../../src/engine/judged.ts";
import { naiveTable } from "../../src/engine/naive.ts";
import { betaDraws, uniforms } from "../../src/engine/random.ts";
import type { Prior } from "../../src/engine/surface.ts";
import { levelsByCase } from "../../src/engine/verdicts.ts";
import { worldsOf } from "../../src/engine/worlds.ts";
import { defaultPriors, emitted, emittedTable, saturated } from "./emitted.ts";
import { instrument, LEVELS, QWEN, simulated } from "./simulated.ts";

const THREE = ["none", "partial", "all"];
const GRADES = ["0", "1", "2", "3"];
const NAMES = worldsOf(LEVELS).parameters;
const STILL: JudgeMoves = { group: 0, priors: null, pins: null, left_out: [] };

const KINDS: readonly (readonly [string, readonly Instrument[], readonly string[]])[] = [
  ["a graded judge of the task", [emitted("g", "task", { levels: GRADES })], LEVELS],
  ["a graded judge that may not tell, and a plain one", [emitted("g", "retrieval", { levels: GRADES, has_unknown: true }), instrument("p", "task", { abstained_rate: 0.2, has_unknown: true })], LEVELS],
  ["levels of R judged in levels", [emitted("g", "retrieval", { levels: THREE }, THREE)], THREE],
  ["levels of R judged by 0 and 1", [emitted("b", "retrieval", {}, THREE)], THREE],
  ["a judge of the task that depends on R", [emitted("d", "task", { dependsOn: "retrieval" })], LEVELS],
  ["a graded judge of R that depends on T", [emitted("d", "retrieval", { dependsOn: "task", levels: THREE, has_unknown: true })], LEVELS],
  ["three saturated judges", saturated([["a", "task"], ["b", "task"], ["c", "retrieval"]]), LEVELS],
];

/** P(pattern) at a point. */
function probability(table: JudgedTable, value: (name: string) => number): number[] {
  const { names, products } = productsOf(table);
  const at = names.map(value);
  return products.map((terms) => terms.reduce((sum, { held, factor }) => sum + held.reduce((p, e) => p * (e & 1 ? 1 - at[e >> 1]! : at[e >> 1]!), factor), 0));
}

/** The same number for the same name. */
function pointOf(seed: string): (name: string) => number {
  return (name) => 0.05 + 0.9 * uniforms(3, `${seed} ${name}`)();
}

const combinations = (sizes: readonly number[]) => sizes.reduce<number[][]>((all, n) => all.flatMap((one) => Array.from({ length: n }, (_, i) => [...one, i])), [[]]);

interface Walked extends JudgedTable {
  readonly name: string;
  readonly point: Readonly<Record<string, number>>;
  readonly log_likelihood: readonly number[];
}

const WALKED = (JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/golden/emissions.json"), "utf8")) as { cases: readonly Walked[] }).cases;

describe("what verdicts are products of", () => {
  it.each(WALKED.map((one) => [one.name, one] as const))("%s: rows are as probable as a walk down the tree says", (_, { point, log_likelihood: known, ...table }) => {
    // Python's script stores twelve decimals.
    probability(table, (name) => point[name]!).forEach((p, i) => expect(Math.abs(Math.log(p) - known[i]!)).toBeLessThan(2e-12));
  });

  it.each(KINDS)("%s: probabilities of all that a row may show sum to 1", (_, judges, levels) => {
    const { speakers } = speakersOf(judges, worldsOf(levels));
    const value = pointOf("sum");
    for (const seen of combinations(judges.map(() => 2))) {
      const verdicts = combinations(speakers.map(({ nAnswers }, j) => (seen[j] ? nAnswers : 1))).map((all) => all.map((answer, j) => (seen[j] ? answer : -1)));
      // T of an answer, and verdicts of the task, are seen of what was not declined.
      const hidden = { levels, judges, patterns: verdicts.map((all) => [-1, -1, -1, ...all]), counts: [] };
      expect(probability(hidden, value).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
      const answered = { levels, judges, patterns: verdicts.flatMap((all) => [0, 1].map((t) => [-1, 0, t, ...all])), counts: [] };
      const declined = { levels, judges, patterns: [[-1, 1, -1, ...judges.map(() => -1)]], counts: [] };
      expect([...probability(answered, value), ...probability(declined, value)].reduce((a, b) => a + b, 0)).toBeCloseTo(1, 12);
    }
  });

  it.each(KINDS)("%s: relabelling a truth is no matter where nobody sees it", (_, judges, levels) => {
    const worlds = worldsOf(levels);
    const k = levels.length;
    const { speakers, rates } = speakersOf(judges, worlds);
    const names = [...worlds.parameters, ...rates.map(([name]) => name)];
    const value = pointOf("mirror");
    const at = names.map(value);
    const patterns = combinations(speakers.map(({ nAnswers }) => nAnswers));
    const table = (labels: readonly number[]) => ({ levels, judges, patterns: patterns.map((all) => [...labels, ...all]), counts: [] });
    const turnedBy = (truth: "retrieval" | "task") => mirrorOf(names.length, speakers, worlds, truth).map((from) => at[from]!);
    const valueIn = (point: readonly number[]) => (name: string) => point[names.indexOf(name)]!;

    const solved = turnedBy("task").map((p, i) => (i >= 2 * k - 1 && i < 3 * k - 1 ? 1 - p : p));
    const masses = worlds.level.map((_, w) => worlds.held[w]!.reduce((p, [i, yes]) => p * (yes ? at[i]! : 1 - at[i]!), 1));
    const share = (level: number) => masses.reduce((sum, mass, w) => sum + (worlds.level[w] === level ? mass : 0), 0);
    const splits = Array.from({ length: k - 1 }, (_, i) => share(i) / Array.from({ length: k - i }, (_, j) => share(i + j)).reduce((a, b) => a + b, 0));
    const upside = [...splits, ...[k - 1, 2 * k - 1].flatMap((from) => at.slice(from, from + k).reverse()), ...turnedBy("retrieval").slice(3 * k - 1)];
    for (const [labels, turned] of [[[-1, 0, -1], solved], [[-1, 0, -1], upside], [[-1, -1, -1], upside], [[-1, 0, 1], upside]] as const) {
      const [before, after] = [probability(table(labels), value), probability(table(labels), valueIn(turned))];
      before.forEach((p, i) => expect(after[i]!).toBeCloseTo(p, 12));
    }
  });

  it("of two levels are those of a plain judge, to the last digit of every answer", () => {
    const plain = [instrument("j", "task")];
    const two = [emitted("j", "task", { levels: ["0", "1"] })];
    const rates = { j: [0.9, 0.2] };
    const batches = [{ n: 60, labels: "RAT", judges: ["j"] }, { n: 400, labels: "A", judges: ["j"] }];
    const table = simulated(plain, [{ theta: QWEN, rates, batches }], uniforms(1, "two levels"));
    const renamed: Readonly<Record<string, string>> = { "split_1_given_1[j]": "tpr[j]", "split_1_given_0[j]": "fpr[j]" };
    const [a, b] = [plain, two].map((judges) => judgeEngine(modelOf({ ...table, judges })).preview(STILL));
    for (const target of TARGETS) expect([...b!.beliefs.joint[target].sorted]).toEqual([...a!.beliefs.joint[target].sorted]);
    for (const [graded, name] of Object.entries(renamed)) expect(b!.rates[graded]!.estimate).toEqual(a!.rates[name]!.estimate);
    for (const measure of ["ppv", "npv", "kappa", "youden"] as const) expect(b!.report["j"]![measure].estimate.value).toBeCloseTo(a!.report["j"]![measure].estimate.value!, 12);
    expect(b!.report["j"]!.worth.task_success.n_labels).toBeCloseTo(a!.report["j"]!.worth.task_success.n_labels, 8);
  });

  it.each([
    ["dependent", emitted("j", "task", { dependsOn: "retrieval" })],
    ["saturated", saturated([["j", "task"]])[0]!],
  ] as const)("of a %s judge are a plain one's where its errors do not depend", (_, judge) => {
    const table = { levels: LEVELS, judges: [judge], patterns: combinations([3, 3, 3, 2]).filter(([, a, t]) => !(a === 1 && t! < 2)).map((all) => all.map((x, i) => (i < 3 && x === 2 ? -1 : x))), counts: [] };
    const theta = pointOf("plain");
    const isTrue = (name: string) => name.startsWith("tpr") || name.includes("_right");
    const value = (name: string) => (NAMES.includes(name) ? theta(name) : isTrue(name) ? 0.83 : 0.27);
    const wanted = probability({ ...table, judges: [instrument("j", "task")] }, value);
    probability(table, value).forEach((p, i) => expect(p).toBeCloseTo(wanted[i]!, 14));
  });

  it("of a judge whose parents are left out are those of one that has none", () => {
    const three = saturated([["a", "task"], ["b", "task"], ["c", "retrieval"]]);
    const two = saturated([["a", "task"], ["c", "retrieval"]]);
    const left = remaining(three, [0, 2], defaultPriors(three));
    expect(left.judges).toEqual(two);
    expect(left.priors["pass_given_hit_right_after_1[c]"]).toEqual([0.5, 0.5]);
    const alone = remaining(three, [2], defaultPriors(three));
    expect(alone.judges).toEqual(saturated([["c", "retrieval"]]));
    expect(alone.priors["pass_given_miss_wrong[c]"]).toEqual([1, 1]);
  });
});

function modelOf({ levels, judges, patterns, counts }: JudgedTable): JudgeModel {
  const groups = counts.map((rows, g) => ({ label: `g${g}`, counts: rows }));
  return { ci_prob: 0.95, ci_kind: "eti", seed: 0, levels, policy: { weights: { miss_abstained: 1, hit_right: 1 } }, judges, priors: defaultPriors(judges), patterns, groups };
}

describe("what is told of a judge that is not plain", { timeout: 60_000 }, () => {
  const graded = emitted("g", "task", { levels: GRADES, cut: 2 });
  const levelsOfTruth = { 1: [0.05, 0.15, 0.3, 0.5], 0: [0.5, 0.25, 0.15, 0.1] } as const;
  const value = (name: string) => {
    const [, level, truth] = /^split_(\d)_given_(\d)/.exec(name) ?? [];
    if (level === undefined) return QWEN[NAMES.indexOf(name)]!;
    const shares = levelsOfTruth[Number(truth) as 0 | 1];
    return shares[Number(level)]! / shares.slice(0, Number(level) + 1).reduce((a, b) => a + b, 0);
  };
  const batches = [{ n: 4000, labels: "RAT", judges: ["g"] }, { n: 2000, labels: "A", judges: ["g"] }];
  const model = modelOf(emittedTable([graded], value, batches, uniforms(8, "told")));

  it("are the shares of its levels, and TPR and FPR from its cut on", () => {
    const { rates, report } = judgeEngine(model).preview(STILL);
    for (const truth of [0, 1] as const) {
      const bars = GRADES.map((level) => rates[`level_${level}_given_${truth}[g]`]!.estimate.value!);
      expect(bars.reduce((a, b) => a + b, 0)).toBeCloseTo(1, 10);
      // Five standard errors of about 700 answers, the fewest of a truth that are seen.
      bars.forEach((p, i) => expect(Math.abs(p - levelsOfTruth[truth][i]!)).toBeLessThan(5 * Math.sqrt(0.25 / 700)));
    }
    expect(report["g"]!.cut).toBe(2);
    expect(Math.abs(rates["tpr[g]"]!.estimate.value! - 0.8)).toBeLessThan(0.1);
    expect(report["g"]!.youden.estimate.value).toBeCloseTo(rates["tpr[g]"]!.estimate.value! - rates["fpr[g]"]!.estimate.value!, 10);
  });

  it("follows another cut without another fit", () => {
    const strict = judgeEngine({ ...model, judges: [{ ...graded, cut: 3 }] }).preview(STILL);
    const own = judgeEngine(model).preview(STILL);
    expect(strict.report["g"]!.cut).toBe(3);
    expect(strict.rates["tpr[g]"]!.estimate.value).toBeCloseTo(own.rates["level_3_given_1[g]"]!.estimate.value!, 12);
    for (const target of TARGETS) expect(strict.beliefs.joint[target].estimate).toEqual(own.beliefs.joint[target].estimate);
  });

  it("takes verdicts at the cut for labels in the naive table, and not that it cannot tell", () => {
    const judges = [emitted("g", "task", { levels: GRADES, has_unknown: true })];
    const naive = (verdict: number, cut: number | null) => naiveTable({ levels: LEVELS, judges: judges.map((judge) => ({ ...judge, cut })), patterns: [[1, 0, -1, verdict]], counts: [[1]] }, 0).patterns[0]![2];
    expect([0, 1, 2, 3, 4].map((verdict) => naive(verdict, 3))).toEqual([0, 0, 0, 1, -1]);
    expect([0, 1, 2, 3, 4].map((verdict) => naive(verdict, null))).toEqual([0, 0, 1, 1, -1]);
  });

  it("averages what depends on R by how often answers have it", () => {
    const judge = emitted("d", "task", { dependsOn: "retrieval" });
    const of = (name: string) => pointOf("average")(name);
    const names = [...NAMES, ...speakersOf([judge], worldsOf(LEVELS)).rates.map(([name]) => name)];
    const table = { levels: LEVELS, judges: [judge], patterns: [[-1, -1, -1, -1]], counts: [[0]] };
    const { structure } = fittable(table, 1, "point");
    const draws: Draws = { collapsed: structure.collapsed, n: 1, of: (_, k) => Float64Array.of(of(names[k]!)), modes: { free: new Int32Array(), peaks: [] }, mixing: { rHat: 1, slowness: 1, error: 0 } };
    const { tpr } = toldApart(draws, 0, 0);
    const [p, missA, hitA, missT, hitT] = NAMES.map(of) as [number, number, number, number, number];
    const [hit, miss] = [p * (1 - hitA) * hitT, (1 - p) * (1 - missA) * missT];
    expect(tpr[0]).toBeCloseTo((hit * of("tpr_given_hit[d]") + miss * of("tpr_given_miss[d]")) / (hit + miss), 12);
  });

  it("keeps the draws in which it tells the truth above chance, when that was fitted", () => {
    const free = atOnce(hmcFit(fittable({ ...model, counts: [model.groups[0]!.counts.map(() => 0)], judges: model.judges, levels: model.levels, patterns: model.patterns }, 1, "chance"), { priors: defaultPriors([graded]), pins: {}, aboveChance: ["g"] }, 2000));
    const { tpr, fpr } = toldApart(free, 0, 0);
    expect(tpr.every((p, i) => p > fpr[i]!)).toBe(true);
    expect(free.n).toBeGreaterThan(600);
  });

  it.each(["retrieval", "task"] as const)("grades in a case that depends on %s as it does in its worlds", (dependsOn) => {
    const of = dependsOn === "retrieval" ? "task" : "retrieval";
    const judge = emitted("g", of, { levels: GRADES, dependsOn, has_unknown: true });
    const worlds = worldsOf(LEVELS);
    const { speakers, rates } = speakersOf([judge], worlds);
    const uniform = uniforms(3, "cases");
    const values = new Map([...NAMES, ...rates.map(([name]) => name)].map((name) => [name, uniform()]));
    const at = [...values.values()];
    const told = new Map([...levelsByCase(judge, (name) => Float64Array.of(values.get(name)!))].map(([name, draws]) => [name, draws()[0]!]));
    const answered = (answer: number, world: number) =>
      spoken(speakers, [answer], world).reduce((sum, { held, factor }) => sum + held.reduce((p, e) => p * (e & 1 ? 1 - at[e >> 1]! : at[e >> 1]!), factor), 0);
    expect(told.size).toBe(4 * GRADES.length);
    for (const world of worlds.names.keys()) {
      const [truth, other] = of === "task" ? [worlds.right[world], LEVELS[worlds.level[world]!]] : [worlds.hit[world], worlds.right[world] ? "right" : "not_right"];
      const decided = GRADES.reduce((sum, _, level) => sum + answered(level, world), 0);
      for (const [level, grade] of GRADES.entries()) expect(told.get(`level_${grade}_given_${Number(truth)}_${other}[g]`)! * decided).toBeCloseTo(answered(level, world), 12);
    }
    expect([...levelsByCase(emitted("g", of, { levels: GRADES }), () => new Float64Array())]).toEqual([]);
  });

  it("keeps the draws in which a better grade speaks for the truth more, when somebody said so", () => {
    const three = emitted("g", "task", { levels: ["poor", "fair", "good"] });
    const table = { levels: LEVELS, judges: [three], patterns: [[-1, -1, -1, -1]], counts: [[0]] };
    const all = atOnce(hmcFit(fittable(table, 1, "order"), { priors: defaultPriors([three]), pins: {} }, 3000));
    const kept = atOnce(hmcFit(fittable(table, 1, "order"), { priors: defaultPriors([three]), pins: {}, inOrder: ["g"] }, 3000));
    const { levels: [given0, given1] } = toldApart(kept, 0, 0).verdicts!;
    const ratios = (i: number) => given1.map((p, k) => p[i]! / given0[k]![i]!);
    for (let i = 0; i < kept.n; i++) expect(ratios(i)).toEqual([...ratios(i)].sort((a, b) => a - b));
    // Of flat priors each order of three ratios is as probable as any other; within four standard errors.
    expect(Math.abs(kept.n / all.n - 1 / 6)).toBeLessThan(4 * Math.sqrt(5 / 36 / all.n));
    const has = new Set(all.of(0, 0));
    expect(kept.of(0, 0).every((x) => has.has(x))).toBe(true);
    expect(beliefsOf({ ...modelOf(table), judges: [{ ...three, is_monotone: true }] }, STILL).inOrder).toEqual(["g"]);
  });

  it("is left with saturated judges whose parents are left out, refitted", () => {
    const pair = saturated([["a", "task"], ["b", "task"]]);
    const rate = (name: string) => (NAMES.includes(name) ? QWEN[NAMES.indexOf(name)]! : name.includes("_right") ? 0.85 : 0.2);
    const all = ["a", "b"];
    const table = emittedTable(pair, rate, [{ n: 150, labels: "RAT", judges: all }, { n: 600, labels: "A", judges: all }], uniforms(5, "pair"));
    const without = judgeEngine(modelOf(table)).preview({ ...STILL, left_out: ["a"] });
    const [, second] = pair;
    const single = { ...table, judges: saturated([["b", "task"]]), patterns: table.patterns.map((of) => [...of.slice(0, 3), of[4]!]) };
    expect(second!.emission!.parents).toEqual([0]);
    const alone = judgeEngine(modelOf(single)).preview(STILL);
    expect(Object.keys(without.rates)).toEqual(Object.keys(alone.rates));
    for (const target of TARGETS) expect(without.beliefs.joint[target].estimate.value).toBeCloseTo(alone.beliefs.joint[target].estimate.value!, 10);
    for (const { worth } of Object.values(judgeEngine(modelOf(table)).preview(STILL).report)) expect(worth.task_success.n_labels).toBeGreaterThan(0);
  });
});

describe("saturated judges where no row shows R", () => {
  // `openqa_nq301`, text-davinci-003_zeroshot: A, T, then GPT-4, davinci-003, BEM and exact match; rows.
  const ROWS = [
    [0, 0, -1, 1, 0, 0, 1], [0, 0, 0, 0, 0, 0, 26], [0, 0, 0, 0, 1, 0, 4], [0, 0, 0, 1, 0, 0, 16], [0, 0, 0, 1, 1, 0, 11], [0, 0, 1, 0, 1, 0, 1],
    [0, 0, 1, 1, 0, 0, 2], [0, 0, 1, 1, 1, 0, 5], [0, 1, 0, 0, 0, 0, 10], [0, 1, 0, 0, 1, 0, 2], [0, 1, 0, 1, 0, 0, 7], [0, 1, 0, 1, 1, 0, 6],
    [0, 1, 1, 0, 0, 0, 3], [0, 1, 1, 0, 1, 0, 2], [0, 1, 1, 1, 0, 0, 24], [0, 1, 1, 1, 0, 1, 1], [0, 1, 1, 1, 1, 0, 122], [0, 1, 1, 1, 1, 1, 37], [1, -1, -1, -1, -1, -1, 21],
  ] as const;

  it("have their mirror images among the modes, and P(R) about a half", () => {
    const judges = saturated([["a", "task"], ["b", "task"], ["c", "task"], ["d", "task"]]);
    const table = { levels: LEVELS, judges, patterns: ROWS.map((row) => [-1, ...row.slice(0, -1)]), counts: [ROWS.map((row) => row.at(-1)!)] };
    const { of, modes: { peaks } } = laplaceFit(fittable(table, 1, "mirror"), { priors: defaultPriors(judges), pins: {} }, 4000);
    const weights = peaks.map(({ weight }) => weight);
    expect(weights).toHaveLength(4);
    for (const i of [0, 2]) expect(weights[i + 1]).toBeCloseTo(weights[i]!, 6);
    const hits = of(0, 0);
    const at = hits.reduce((sum, x) => sum + x, 0) / hits.length;
    // Within four standard errors: draws of P(R) are at most a half from their mean.
    expect(Math.abs(at - 0.5)).toBeLessThan(4 * 0.5 / Math.sqrt(hits.length));
  });
});

/** The largest chi-square of ranks of the truth, over tables that the prior and the model make. */
function unevenness(judges: readonly Instrument[], nSets: number, believed: Readonly<Record<string, Prior>> = {}): readonly (readonly [name: string, chi: number])[] {
  const uniform = uniforms(20261130, "emissions");
  const priors: Readonly<Record<string, Prior>> = { ...defaultPriors(judges), ...Object.fromEntries(NAMES.map((name) => [name, [2, 2] as const])), retrieval_success: [2, 3] };
  const all = judges.map(({ key }) => key);
  const batches = [{ n: 14, labels: "RAT", judges: all }, { n: 8, labels: "T", judges: all }, { n: 30, labels: "A", judges: all }, { n: 10, labels: "", judges: all.slice(-1) }];
  const bins = new Map<string, number[]>();
  for (let i = 0; i < nSets; i++) {
    const truth = new Map<string, number>();
    const value = (name: string) => {
      const known = truth.get(name) ?? betaDraws(...(priors[name] ?? [1, 1]), 1, uniform)[0]!;
      truth.set(name, known);
      return known;
    };
    const { collapsed, of } = atOnce(hmcFit(fittable(emittedTable(judges, value, batches, uniform), i, "sbc"), { priors: { ...priors, ...believed }, pins: {} }, 900));
    for (const [k, name] of collapsed.names.entries()) {
      const draws = of(0, k);
      let rank = 0;
      for (let j = 4; j < 900; j += 9) if (draws[j]! < value(name)) rank++;
      const here = bins.get(name) ?? new Array<number>(10).fill(0);
      here[Math.min(9, Math.floor((10 * rank) / 101))]!++;
      bins.set(name, here);
    }
  }
  return [...bins].map(([name, of]) => [name, of.reduce((sum, n) => sum + (n - nSets / 10) ** 2 / (nSets / 10), 0)] as const);
}

describe("simulation-based calibration", { timeout: 180_000 }, () => {
  // 9 degrees of freedom; 0.1% over 15 probabilities by Bonferroni: 7e-5.
  const MOST = 34.8;

  it.each([
    ["a graded judge", [emitted("g", "task", { levels: ["0", "1", "2"] })]],
    ["a dependent judge", [emitted("d", "task", { dependsOn: "retrieval" })]],
    ["saturated judges", saturated([["a", "task"], ["b", "task"]])],
  ] as const)("of %s gives uniform ranks", (_, judges) => {
    for (const [name, chi] of unevenness(judges, 150)) expect(chi, name).toBeLessThan(MOST);
  });

  it("fails for levels that the truth does not come from", () => {
    const judges = [emitted("g", "task", { levels: ["0", "1", "2"] })];
    expect(Math.max(...unevenness(judges, 150, { "split_2_given_0[g]": [6, 2] }).map(([, chi]) => chi))).toBeGreaterThan(MOST);
  });
});

