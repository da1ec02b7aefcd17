/** Everything that the judge widget says, under any priors, pins and choice of judges. */
import type { Estimate } from "../contract/tree.ts";
import { pinned } from "../core/format.ts";
import { lazily } from "../core/lazy.ts";
import { mean } from "../core/numbers.ts";
import { RATES, type Instrument, type JudgedTable } from "./collapsed.ts";
import { atOnce, fittable, hmcFit, laplaceFit, type Beliefs, type Draws, type Fittable, type Modes } from "./judged.ts";
import { measures, MEASURES, prevalenceOf, type Measure } from "./judging.ts";
import { humanTable, naiveTable } from "./naive.ts";
import { ascending, summarise, type CiKind } from "./quantities.ts";
import type { Prior } from "./surface.ts";
import { worldDrawsOf, worldsOf, type Worlds } from "./worlds.ts";
import { rateInformation, verdictWorth, withJudges, type Point, type Worth } from "./worth.ts";

/** What the engine needs of a `JudgeView`. */
export interface JudgeModel {
  readonly ci_prob: number;
  readonly ci_kind: CiKind;
  readonly seed: number;
  readonly levels: readonly string[];
  readonly policy: { readonly weights: Readonly<Record<string, number>> };
  readonly judges: readonly Instrument[];
  readonly priors: Readonly<Record<string, Prior>>;
  readonly patterns: readonly (readonly number[])[];
  readonly groups: readonly { readonly label: string; readonly counts: readonly number[] }[];
  /** As fitted: "tpr>fpr" leaves out what breaks it. */
  readonly constraint?: "tpr>fpr" | null;
}

/** What a person has moved: priors as (mean, equivalent labels), by the rate's name. */
export interface JudgeMoves {
  readonly group: number;
  readonly priors: Readonly<Record<string, readonly [mean: number, equivalentLabels: number]>> | null;
  readonly pins: Readonly<Record<string, number>> | null;
  readonly left_out: readonly string[];
}

/** A number with its interval and the ascending draws behind it. */
export interface Told {
  readonly estimate: Estimate;
  readonly sorted: Float64Array;
}

export const WAYS = ["naive", "humans", "joint"] as const;
export type Way = (typeof WAYS)[number];
export const TARGETS = ["retrieval_success", "task_success", "policy_adherence"] as const;
export type Target = (typeof TARGETS)[number];

export interface JudgeAnswer {
  readonly beliefs: Readonly<Record<Way, Readonly<Record<Target, Told>>>>;
  /** TPR, FPR and P("cannot tell") of every judge that is in, by name. */
  readonly rates: Readonly<Record<string, Told>>;
  readonly report: Readonly<Record<string, JudgeMeasures>>;
  /** What all verdicts together are worth. */
  readonly worth: JudgeWorths;
  /** Share of the mass of each mode, the heaviest first; none where all is exact. */
  readonly modes: readonly number[];
}

export type JudgeWorths = Readonly<Record<"task_success" | "policy_adherence", Worth>>;

export interface JudgeMeasures extends Readonly<Record<Measure, Told>> {
  readonly worth: JudgeWorths;
}

export interface JudgeEngine {
  /** An answer at once, by the Laplace approximation from where the last one was. */
  readonly preview: (moves: JudgeMoves) => JudgeAnswer;
  /** The answer by full draws, in slices. */
  readonly refine: (moves: JudgeMoves) => Generator<undefined, JudgeAnswer>;
}

const N_PREVIEW = 1000;
const N_DRAWS = 4000;
/** Labels behind a rate that is taken as given. */
const FIRM = 1e9;

/** A table without some judges, and what is worked out for it once. */
interface Setting {
  readonly table: JudgedTable;
  readonly joint: Fittable;
  /** The shown group's place in `joint`. */
  readonly group: number;
  readonly beside: Readonly<Record<"naive" | "humans", Fittable>>;
  /** Rows of every group with the verdicts of each judge alone, made when asked for. */
  readonly judged: Map<string, JudgedTable>;
  /** What the preview and the full draws beside the model say. */
  readonly told: { quick: Beside | null; full: Beside | null };
  last: Modes | null;
}

type Beside = Readonly<Record<"naive" | "humans", Readonly<Record<Target, Told>>>>;

/** An engine for one view, which remembers where it was. */
export function judgeEngine(model: JudgeModel): JudgeEngine {
  const worlds = worldsOf(model.levels);
  const settings = new Map<string, Setting>();
  const settingOf = (moves: JudgeMoves): Setting => {
    const key = JSON.stringify([moves.group, [...moves.left_out].sort()]);
    const known = settings.get(key) ?? makeSetting(model, moves);
    settings.set(key, known);
    return known;
  };
  const alone: Beliefs = { priors: model.priors, pins: {} };
  return {
    preview: (moves) => {
      const setting = settingOf(moves);
      const beliefs = beliefsOf(model, moves);
      const draws = laplaceFit(setting.joint, beliefs, N_PREVIEW, setting.last);
      setting.last = draws.modes;
      const fit = (way: "naive" | "humans") => targetsOf(model, worlds, laplaceFit(setting.beside[way], alone, N_PREVIEW), 0);
      setting.told.quick ??= { naive: fit("naive"), humans: fit("humans") };
      return answerOf(model, worlds, setting, beliefs, draws, setting.told.full ?? setting.told.quick);
    },
    *refine(moves) {
      const setting = settingOf(moves);
      const beliefs = beliefsOf(model, moves);
      const draws = yield* hmcFit(setting.joint, beliefs, N_DRAWS);
      setting.last = draws.modes;
      yield;
      if (setting.told.full === null) {
        const naive = yield* hmcFit(setting.beside.naive, alone, N_DRAWS);
        yield;
        const humans = yield* hmcFit(setting.beside.humans, alone, N_DRAWS);
        setting.told.full = { naive: targetsOf(model, worlds, naive, 0), humans: targetsOf(model, worlds, humans, 0) };
        yield;
      }
      return answerOf(model, worlds, setting, beliefs, draws, setting.told.full);
    },
  };
}

/** The answer by full draws in one go. */
export function judgeAnswer(model: JudgeModel, moves: JudgeMoves): JudgeAnswer {
  return atOnce(judgeEngine(model).refine(moves));
}

function makeSetting(model: JudgeModel, { group, left_out }: JudgeMoves): Setting {
  const kept = model.judges.flatMap((judge, i) => (left_out.includes(judge.key) ? [] : [i]));
  const judges = kept.flatMap((i) => model.judges[i] ?? []);
  const isAlone = model.groups.length === 1 || judges.every(({ is_shared }) => !is_shared);
  const shown = isAlone ? model.groups.slice(group, group + 1) : model.groups;
  const table = {
    levels: model.levels,
    judges,
    patterns: model.patterns.map((pattern) => [...pattern.slice(0, 3), ...kept.map((i) => pattern[3 + i] ?? -1)]),
    counts: shown.map(({ counts }) => counts),
  };
  const at = isAlone ? 0 : group;
  const label = model.groups[group]?.label ?? "";
  return {
    table,
    joint: fittable(table, model.seed, isAlone ? label : ""),
    group: at,
    beside: {
      naive: fittable(naiveTable(table, at), model.seed, `${label} naive`),
      humans: fittable(humanTable(table, at), model.seed, `${label} humans`),
    },
    judged: new Map(),
    told: { quick: null, full: null },
    last: null,
  };
}

function beliefsOf({ priors, constraint }: JudgeModel, moves: JudgeMoves): Beliefs {
  const edited = Object.entries(moves.priors ?? {}).map(([name, [m, labels]]) => [name, [m * labels, (1 - m) * labels] as const] as const);
  return { priors: { ...priors, ...Object.fromEntries(edited) }, pins: moves.pins ?? {}, isAboveChance: constraint === "tpr>fpr" };
}

/** A number told when it is asked for: sorting draws is most of the work, and few are looked at. */
function toldOf({ ci_prob, ci_kind }: JudgeModel, draws: () => Float64Array, isRate = true): Told {
  return lazily<Told>({
    sorted: () => {
      const all = draws();
      return ascending(all.some(Number.isNaN) ? all.filter((x) => !Number.isNaN(x)) : all);
    },
    estimate: ({ sorted }) => summarise(mean(sorted), sorted, ci_prob, isRate, ci_kind),
  });
}

function thetaOf({ collapsed, of }: Draws, group: number): Float64Array[] {
  return collapsed.worlds.parameters.map((_, k) => of(group, k));
}

/** The weights of the worlds whose sum is each target. */
function weightsOf(model: JudgeModel, worlds: Worlds): Readonly<Record<Target, readonly number[]>> {
  return {
    retrieval_success: worlds.hit.map(Number),
    task_success: worlds.right.map(Number),
    policy_adherence: worlds.names.map((name) => model.policy.weights[name] ?? 0),
  };
}

/** Draws of a weighted sum of worlds. */
function sumOf(worlds: readonly Float64Array[], weights: readonly number[]): Float64Array {
  const total = new Float64Array(worlds[0]?.length ?? 0);
  for (const [w, mass] of worlds.entries()) {
    const weight = weights[w] ?? 0;
    if (weight !== 0) for (let i = 0; i < total.length; i++) total[i] = (total[i] ?? 0) + weight * (mass[i] ?? 0);
  }
  return total;
}

function targetsOf(model: JudgeModel, worlds: Worlds, draws: Draws, group: number): Readonly<Record<Target, Told>> {
  const masses = worldDrawsOf(worlds, thetaOf(draws, group));
  const weights = weightsOf(model, worlds);
  const isUtility = Object.values(model.policy.weights).some((w) => w < 0 || w > 1);
  const told = (target: Target) => toldOf(model, () => sumOf(masses, weights[target]), target !== "policy_adherence" || !isUtility);
  return { retrieval_success: told("retrieval_success"), task_success: told("task_success"), policy_adherence: told("policy_adherence") };
}

function answerOf(model: JudgeModel, worlds: Worlds, setting: Setting, beliefs: Beliefs, draws: Draws, beside: Beside): JudgeAnswer {
  const { group, table } = setting;
  const { names } = draws.collapsed;
  const rateNames = names.slice(worlds.parameters.length);
  const drawsOf = (name: string) => draws.of(group, names.indexOf(name));
  const rates = Object.fromEntries(
    rateNames.map((name) => {
      const pin = beliefs.pins[name];
      if (pin === undefined) return [name, toldOf(model, () => drawsOf(name))];
      return [name, { estimate: { value: pin, lower: pin, upper: pin, text: pinned(pin) }, sorted: Float64Array.of(pin) }];
    }),
  );
  const masses = worldDrawsOf(worlds, thetaOf(draws, group));
  const [hit, abstained, right] = [worlds.hit, worlds.abstained, worlds.right].map((of) => sumOf(masses, of.map(Number))) as [Float64Array, Float64Array, Float64Array];
  const points = table.counts.map((_, g) => pointOf(beliefs, draws, g));
  const report = table.judges.map((judge) => {
    const [tpr, fpr, given1, given0] = RATES.map((rate) => `${rate}[${judge.key}]`) as [string, string, string, string];
    const unknown = () => (judge.has_unknown ? ([drawsOf(given1), drawsOf(given0)] as const) : null);
    const found = lazily<{ readonly draws: Readonly<Record<Measure, Float64Array>> }>({
      draws: () => measures(prevalenceOf(judge.of, { hit, abstained, right }), { tpr: drawsOf(tpr), fpr: drawsOf(fpr), unknown: unknown() }),
    });
    const told = (measure: Measure) => toldOf(model, () => found.draws[measure], measure !== "kappa" && measure !== "youden");
    const row = lazily<JudgeMeasures>({
      ...(Object.fromEntries(MEASURES.map((measure) => [measure, () => told(measure)])) as Record<Measure, () => Told>),
      worth: () => worthOf(model, worlds, setting, points, [judge]),
    });
    return [judge.key, row] as const;
  });
  return lazily<JudgeAnswer>({
    beliefs: () => ({ ...beside, joint: targetsOf(model, worlds, draws, group) }),
    rates: () => rates,
    report: () => Object.fromEntries(report),
    worth: () => worthOf(model, worlds, setting, points, table.judges),
    modes: () => draws.modes.peaks.map(({ weight }) => weight),
  });
}

function worthOf(model: JudgeModel, worlds: Worlds, setting: Setting, points: readonly Point[], judges: readonly Instrument[]): JudgeWorths {
  const { table, group, judged } = setting;
  const rowsOf = (g: number, keys: readonly string[]): JudgedTable => {
    const key = JSON.stringify([g, keys]);
    const known = judged.get(key) ?? withJudges(table, g, keys);
    judged.set(key, known);
    return known;
  };
  const keys = judges.map(({ key }) => key);
  const others = judges.some(({ is_shared }) => is_shared) ? table.counts.flatMap((_, g) => (g === group ? [] : [g])) : [];
  const told = others.flatMap((g) => points.slice(g, g + 1).map((point) => rateInformation(rowsOf(g, keys), point)));
  const rows = { human: rowsOf(group, []), judged: rowsOf(group, keys) };
  const point = points[group];
  if (!point) throw new Error(`Expected a point of group ${group}.`);
  const weights = weightsOf(model, worlds);
  return {
    task_success: verdictWorth(rows, point, weights.task_success, told),
    policy_adherence: verdictWorth(rows, point, weights.policy_adherence, told),
  };
}

function pointOf({ priors, pins }: Beliefs, { collapsed, of }: Draws, group: number): Point {
  const known = new Map<string, number>();
  return {
    mean: (name) => {
      const found = known.get(name) ?? mean(of(group, collapsed.names.indexOf(name)));
      known.set(name, found);
      return found;
    },
    prior: (name) => {
      const pin = pins[name];
      return pin === undefined ? (priors[name] ?? [1, 1]) : [FIRM * pin, FIRM * (1 - pin)];
    },
  };
}
