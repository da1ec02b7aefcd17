/** Everything that the judge widget says, under any priors, pins and choice of judges. */
import type { Estimate } from "../contract/tree.ts";
import { pinned } from "../core/format.ts";
import { lazily } from "../core/lazy.ts";
import { mean } from "../core/numbers.ts";
import { record } from "../core/records.ts";
import { atOnce, type Slices } from "../core/slices.ts";
import type { JudgedTable } from "./collapsed.ts";
import { isPlain, type Instrument } from "./emissions.ts";
import { levelsByCase } from "./verdicts.ts";
import { affordable, believedAlone, beliefsOf, sampler, settingsOf, type JudgeJob, type JudgeMoves, type JudgeSamples, type JudgeTable, type Setting } from "./judge-samples.ts";
import { drawsOf, laplaceFit, toldApart, type Beliefs, type Draws, type Modes, type ToldApart } from "./judged.ts";
import { isRough } from "./mixing.ts";
import { measures, MEASURES, prevalenceOf, type Measure } from "./judging.ts";
import { readingsOf } from "./peaks.ts";
import { ascending, summarise, type CiKind } from "./quantities.ts";
import { worldDrawsOf, worldsOf, type Worlds } from "./worlds.ts";
import { rateInformation, verdictWorth, withJudges, type Point, type Worth } from "./worth.ts";

export type { JudgeMoves } from "./judge-samples.ts";

/** What the engine needs of a `JudgeView`. */
export interface JudgeModel extends JudgeTable {
  readonly ci_prob: number;
  readonly ci_kind: CiKind;
  readonly policy: { readonly weights: Readonly<Record<string, number>> };
}

/** A number with its interval and the ascending draws behind it. */
export interface Told {
  readonly estimate: Estimate;
  readonly sorted: Float64Array;
  /** Monte Carlo standard error of the mean. */
  readonly error: number;
}

export const WAYS = ["naive", "humans", "joint"] as const;
export type Way = (typeof WAYS)[number];
export const TARGETS = ["retrieval_success", "task_success", "policy_adherence"] as const;
export type Target = (typeof TARGETS)[number];

export interface JudgeAnswer {
  readonly beliefs: Readonly<Record<Way, Readonly<Record<Target, Told>>>>;
  /** Every rate of the judges that are in, by name; of those that are not plain `Derived`, too. */
  readonly rates: Readonly<Record<string, Told>>;
  readonly report: Readonly<Record<string, JudgeMeasures>>;
  /** What all verdicts together are worth. */
  readonly worth: JudgeWorths;
  /** Share of the mass of each reading of the rows, the heaviest first; none where all is exact. */
  readonly modes: readonly number[];
  /** The draws did not mix: P(R), P(T) and P(G) may be off by two standard errors. */
  readonly isRough: boolean;
  readonly mayBeOff: number;
  /** What was set leaves hardly a draw that the constraint allows: there are no numbers. */
  readonly isEmpty: boolean;
}

export type JudgeWorths = Readonly<Record<"task_success" | "policy_adherence", Worth>>;

export interface JudgeMeasures extends Readonly<Record<Measure, Told>> {
  readonly worth: JudgeWorths;
  /** From this answer on a verdict passes. */
  readonly cut: number;
}

export interface JudgeEngine {
  /** An answer at once, by the Laplace approximation from where the last one was. */
  readonly preview: (moves: JudgeMoves) => JudgeAnswer;
  /** The answer by full draws, in slices. */
  readonly refine: (moves: JudgeMoves) => Slices<JudgeAnswer>;
  /** The same in its parts, of which the long one can be done elsewhere: what is to be sampled, */
  readonly jobOf: (moves: JudgeMoves) => JudgeJob;
  /** the samples, in slices, */
  readonly sample: (job: JudgeJob) => Slices<JudgeSamples>;
  /** and what they say. */
  readonly answer: (moves: JudgeMoves, samples: JudgeSamples) => JudgeAnswer;
}

const N_PREVIEW = 1000;
/** Labels behind a rate that is taken as given. */
const FIRM = 1e9;

/** What is worked out once for a table without some judges. */
interface Worked {
  readonly setting: Setting;
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
  const settingOf = settingsOf(model);
  const known = new Map<Setting, Worked>();
  const workedOf = (moves: JudgeMoves): Worked => {
    const setting = settingOf(moves);
    const found = known.get(setting) ?? { setting, judged: new Map(), told: { quick: null, full: null }, last: null };
    known.set(setting, found);
    return found;
  };
  const alone = believedAlone(model);
  const asBeside = (of: (way: "naive" | "humans") => Draws): Beside => ({
    naive: targetsOf(model, worlds, of("naive"), 0),
    humans: targetsOf(model, worlds, of("humans"), 0),
  });
  const jobOf = (moves: JudgeMoves): JudgeJob => ({ moves, withBeside: workedOf(moves).told.full === null });
  const sample = sampler(model, settingOf);
  const answer = (moves: JudgeMoves, { joint, beside }: JudgeSamples): JudgeAnswer => {
    const worked = workedOf(moves);
    const { setting, told } = worked;
    const beliefs = beliefsOf(model, moves, setting);
    const draws = drawsOf(setting.joint, beliefs, joint);
    worked.last = draws.modes;
    if (beside) told.full ??= asBeside((way) => drawsOf(setting.beside[way], alone, beside[way]));
    if (told.full === null) throw new Error("Expected samples beside the model with the first full draws.");
    return answerOf(model, worlds, worked, beliefs, draws, told.full);
  };
  return {
    preview: (moves) => {
      const worked = workedOf(moves);
      const { setting, told } = worked;
      const beliefs = beliefsOf(model, moves, setting);
      const draws = laplaceFit(setting.joint, beliefs, affordable(N_PREVIEW, setting.joint), worked.last);
      worked.last = draws.modes;
      told.quick ??= asBeside((way) => laplaceFit(setting.beside[way], alone, N_PREVIEW));
      return answerOf(model, worlds, worked, beliefs, draws, told.full ?? told.quick);
    },
    jobOf,
    sample,
    answer,
    *refine(moves) {
      return answer(moves, yield* sample(jobOf(moves)));
    },
  };
}

/** The answer by full draws in one go. */
export function judgeAnswer(model: JudgeModel, moves: JudgeMoves): JudgeAnswer {
  return atOnce(judgeEngine(model).refine(moves));
}

/** A number told when it is asked for: sorting draws is most of the work, and few are looked at. */
function toldOf({ ci_prob, ci_kind }: JudgeModel, draws: () => Float64Array, isRate = true): Told {
  return lazily<Told>({
    sorted: () => {
      const all = draws();
      return ascending(hasNaN(all) ? all.filter((x) => !Number.isNaN(x)) : all);
    },
    estimate: ({ sorted }) => summarise(mean(sorted), sorted, ci_prob, isRate, ci_kind),
    error: () => errorOfMean(draws()),
  });
}

const BATCHES = 20;

/** Monte Carlo standard error of the mean of draws in the order of their chains, by batch means. */
export function errorOfMean(draws: Float64Array): number {
  const length = Math.floor(draws.length / BATCHES);
  if (length === 0) return 0;
  const means = Array.from({ length: BATCHES }, (_, b) => mean(draws.subarray(b * length, (b + 1) * length)));
  const centre = mean(means);
  return Math.sqrt(means.reduce((total, m) => total + (m - centre) ** 2, 0) / (BATCHES - 1) / BATCHES);
}

function hasNaN(all: Float64Array): boolean {
  for (let i = 0; i < all.length; i++) if (Number.isNaN(all[i])) return true;
  return false;
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

function answerOf(model: JudgeModel, worlds: Worlds, worked: Worked, beliefs: Beliefs, draws: Draws, beside: Beside): JudgeAnswer {
  const { group, table } = worked.setting;
  const { names } = draws.collapsed;
  const rateNames = names.slice(worlds.parameters.length);
  const rates: Record<string, Told> = Object.fromEntries(
    rateNames.map((name) => {
      const pin = beliefs.pins[name];
      if (pin === undefined) return [name, toldOf(model, () => draws.of(group, names.indexOf(name)))];
      return [name, { estimate: { value: pin, lower: pin, upper: pin, text: pinned(pin) }, sorted: Float64Array.of(pin), error: 0 }];
    }),
  );
  const masses = worldDrawsOf(worlds, thetaOf(draws, group));
  const [hit, abstained, right] = [worlds.hit, worlds.abstained, worlds.right].map((of) => sumOf(masses, of.map(Number))) as [Float64Array, Float64Array, Float64Array];
  const points = table.counts.map((_, g) => pointOf(beliefs, draws, g));
  const report = table.judges.map((judge, j) => {
    const found = lazily<{ readonly apart: ToldApart; readonly draws: Readonly<Record<Measure, Float64Array>> }>({
      apart: () => toldApart(draws, group, j),
      draws: ({ apart }) => measures(prevalenceOf(judge.of, { hit, abstained, right }), apart),
    });
    if (!isPlain(judge)) Object.assign(rates, { ...derived(model, judge, found, (name) => draws.of(group, names.indexOf(name))), ...rates });
    const told = (measure: Measure) => toldOf(model, () => found.draws[measure], measure !== "kappa" && measure !== "youden");
    const row = lazily<JudgeMeasures>({
      ...(record(MEASURES, (measure) => () => told(measure as Measure)) as Record<Measure, () => Told>),
      worth: () => worthOf(model, worlds, worked, points, [judge]),
      cut: () => found.apart.cut,
    });
    return [judge.key, row] as const;
  });
  return lazily<JudgeAnswer>({
    beliefs: () => ({ ...beside, joint: targetsOf(model, worlds, draws, group) }),
    rates: () => rates,
    report: () => Object.fromEntries(report),
    worth: () => worthOf(model, worlds, worked, points, table.judges),
    modes: () => readingsOf(draws.modes.peaks),
    isRough: () => isRough(draws.mixing),
    mayBeOff: () => 2 * draws.mixing.error,
    isEmpty: () => draws.n === 0,
  });
}

/** What follows from the rates of a judge that is not plain, by Python's names: TPR and FPR, P("cannot tell"), P(level | truth). */
function derived(model: JudgeModel, judge: Instrument, found: { readonly apart: ToldApart }, of: (rate: string) => Float64Array): Record<string, Told> {
  const { key, has_unknown, levels = [] } = judge;
  const told = (of: (apart: ToldApart) => Float64Array | undefined) => toldOf(model, () => of(found.apart) ?? new Float64Array());
  const bars = [1, 0].flatMap((truth) =>
    levels.map((level, i) => [`level_${level}_given_${truth}[${key}]`, told(({ verdicts }) => verdicts?.levels[truth]?.[i])] as const),
  );
  const silent = [1, 0].map((truth, i) => [`unknown_given_${truth}[${key}]`, told(({ unknown }) => unknown?.[i])] as const);
  return {
    [`tpr[${key}]`]: told(({ tpr }) => tpr),
    [`fpr[${key}]`]: told(({ fpr }) => fpr),
    ...Object.fromEntries(has_unknown ? silent : []),
    ...Object.fromEntries(bars),
    ...Object.fromEntries([...levelsByCase(judge, of)].map(([name, draws]) => [name, toldOf(model, draws)])),
  };
}

function worthOf(model: JudgeModel, worlds: Worlds, { setting, judged }: Worked, points: readonly Point[], judges: readonly Instrument[]): JudgeWorths {
  const { table, group } = setting;
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
