/** Small views of judges for tests: tables that the model makes, told by the browser's engine. */
import { rateKeys } from "../src/contract/decode-judge.ts";
import type { Density, JudgeGroup, JudgeIdentity, JudgeView, Spread } from "../src/contract/judge.ts";
import { PARAMETERS, PRESETS } from "../src/contract/tables.ts";
import { kernelCurve } from "../src/core/density.ts";
import { worthOf } from "../src/core/judge-words.ts";
import { quantile } from "../src/core/numbers.ts";
import { judgeAnswer, type JudgeAnswer, type Told } from "../src/engine/judge.ts";
import { uniforms } from "../src/engine/random.ts";
import { worldsOf } from "../src/engine/worlds.ts";
import { LEVELS, QWEN, simulated, type Rates } from "./engine/simulated.ts";

export function identity(key: string, of: JudgeIdentity["of"], more: Partial<JudgeIdentity> = {}): JudgeIdentity {
  return { key, name: key, version: null, of, is_shared: true, abstained_rate: null, has_unknown: false, cost: null, emission: null, levels: [], cut: null, is_monotone: false, depends_on: null, ...more };
}

/** A judge of retrieval that passes 3 of 10 misses, and one of the task. */
export const JUDGES = [identity("gpt-4o-mini", "retrieval"), identity("gpt-4o", "task", { version: "v2" })];
const RATES: Rates = { "gpt-4o-mini": [0.9, 0.3], "gpt-4o": [0.9, 0.15] };

export interface JudgeSample {
  readonly judges: readonly JudgeIdentity[];
  readonly rates: Rates;
  readonly n_human: number;
  readonly n_only: number;
  readonly groups: readonly { readonly label: string; readonly theta: readonly number[] }[];
}

const SAMPLE: JudgeSample = { judges: JUDGES, rates: RATES, n_human: 200, n_only: 5000, groups: [{ label: "", theta: QWEN }] };

/** A view of a table that the model makes. */
export function judgeView(sample: Partial<JudgeSample> = {}, changes: Partial<JudgeView> = {}): JudgeView {
  const view = unfittedView(sample, changes);
  return { ...view, groups: view.groups.map((group, g) => told(group, view, judgeAnswer(view, { ...view.controls, group: g }))) };
}

/** The same before anything is said of it. */
export function unfittedView(sample: Partial<JudgeSample> = {}, changes: Partial<JudgeView> = {}): JudgeView {
  const { judges, n_human, n_only, groups, ...given } = { ...SAMPLE, ...sample };
  const rates = Object.fromEntries(judges.map(({ key }) => [key, given.rates[key] ?? [0.9, 0.2]]));
  const asked = judges.map(({ key }) => key);
  const batches = [
    { n: n_human, labels: "RAT", judges: asked },
    { n: n_only, labels: "A", judges: asked },
  ];
  const table = simulated(judges, groups.map(({ theta }) => ({ theta, rates, batches })), uniforms(7, "judges"));
  const priors = Object.fromEntries([...PARAMETERS, ...judges.flatMap(rateKeys)].map((key) => [key, [1, 1] as const]));
  return {
    kind: "judge",
    version: 1,
    generator: "test",
    python: "rat.judges(df",
    by: groups.length > 1 ? ["system"] : [],
    ci_prob: 0.95,
    ci_kind: "eti",
    seed: 0,
    levels: LEVELS,
    constraint: null,
    exempt: [],
    apart: [],
    policy: { name: "adherence", weights: PRESETS.adherence },
    judges,
    priors,
    patterns: table.patterns,
    groups: groups.map(({ label }, g) => empty(label, table.counts[g] ?? [], n_human, n_only)),
    controls: { group: 0, priors: null, pins: null, left_out: [], cured: false },
    moves: null,
    cure: null,
    no_cure: null,
    under_moves: [],
    ...changes,
  };
}

function empty(label: string, counts: readonly number[], nHuman: number, nOnly: number): JudgeGroup {
  const none = { naive: {}, humans: {}, joint: {} };
  const rest = { beliefs: none, rates: {}, densities: {}, report: [], worth: {}, notes: [], errors: {}, fitted: null, deff: [1, 1] as const, departures: [], own: null };
  return { key: [label], label, n_rows: nHuman + nOnly, n_human: nHuman, n_only: nOnly, is_a_added: true, counts, rows: `${nHuman} rows labelled by people, ${nOnly} with verdicts only.`, ...rest };
}

/** The view with something found of its judge of the task, and rates of its own where retrieval failed as the cure. */
export function withCure(view: JudgeView, key = "gpt-4o"): JudgeView {
  const kinds = ["tpr_given_0", "tpr_given_1", "fpr_given_0", "fpr_given_1"];
  const { hit, right } = worldsOf(view.levels);
  const emission = {
    kinds,
    start: [0.8, 0.8, 0.2, 0.2],
    cell: hit.map((isHit, w) => (right[w] ? 0 : 2) + Number(isHit)),
    parents: [],
    paths: kinds.map((_, rate) => [[[[rate, 0]], [[rate, 1]]]] as const),
    fixed: hit.map(() => null),
  };
  const judges = view.judges.map((judge): JudgeIdentity => (judge.key === key ? { ...judge, emission, depends_on: "retrieval" } : judge));
  const python = [`rat.Judge('${key}', of='task', depends_on='retrieval')`];
  const found = { judges: [key], kind: "retrieval", text: `The errors of judge '${key}' depend on retrieval.`, advice: "Give it rates of its own." } as const;
  const priors = { ...view.priors, ...Object.fromEntries(judges.flatMap(rateKeys).map((rate) => [rate, [1, 1] as const])) };
  return { ...view, cure: { judges, priors, python, groups: [], apart: [] }, groups: view.groups.map((group) => ({ ...group, departures: [found] })) };
}

/** The view with a judge found to be another one for one of its groups, which the cure fits by itself. */
export function withApart(view: JudgeView, at: number, key = "gpt-4o"): JudgeView {
  const { judges, priors } = view;
  const told = { judges: [key], kind: "system", text: `'${key}' is not the same judge for this.`, advice: "Share less." } as const;
  const groups = view.groups.map((group, i) => (i === at ? { ...group, departures: [...group.departures, told] } : group));
  const cure = view.cure ?? { judges, priors, python: [`apart=['${at}']`], groups: [] };
  return { ...view, groups, cure: { ...cure, apart: [at] } };
}

export function spread({ estimate, sorted }: Told): Spread {
  return { ...estimate, middle: [0.25, 0.5, 0.75].map((p) => quantile(sorted, p)) as [number, number, number] };
}

function each<A, B>(of: Readonly<Record<string, A>>, make: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value)]));
}

function density({ sorted }: Told): Density {
  const { points } = kernelCurve(sorted);
  return { start: points[0]?.[0] ?? 0, stop: points[points.length - 1]?.[0] ?? 1, heights: points.map(([, y]) => Math.round(99 * y)) };
}

/** The group with what the engine says of it. */
function told(group: JudgeGroup, { judges }: JudgeView, answer: JudgeAnswer): JudgeGroup {
  return {
    ...group,
    beliefs: { naive: each(answer.beliefs.naive, spread), humans: each(answer.beliefs.humans, spread), joint: each(answer.beliefs.joint, spread) },
    rates: each(answer.rates, spread),
    densities: each(answer.rates, density),
    report: judges.map(({ key }) => {
      const row = answer.report[key];
      if (!row) throw new Error(`No report on ${key}.`);
      const { ppv, npv, agreement, kappa, youden, worth } = row;
      const estimates = each({ ppv, npv, agreement, kappa, youden }, (of) => of.estimate) as Record<"ppv" | "npv" | "agreement" | "kappa" | "youden", Spread>;
      return { key, n_human: group.n_human, n_only: group.n_only, n_unknown: 0, ...estimates, worth: each(worth, worthOf) };
    }),
    worth: each(answer.worth, worthOf),
    errors: each(answer.beliefs.joint, ({ error }) => error),
  };
}
