/**
 * Full draws under a person's moves: the long part of an answer. A job and its samples are plain
 * data, so that a worker can do it; where it is done changes no number.
 */
import type { Trade } from "../core/service.ts";
import type { Slices } from "../core/slices.ts";
import type { JudgedTable } from "./collapsed.ts";
import { remaining, type Instrument } from "./emissions.ts";
import { fittable, hmcSample, type Beliefs, type Fittable, type Sample } from "./judged.ts";
import { humanTable, naiveTable } from "./naive.ts";
import { isDear, type Prior } from "./surface.ts";

/** What draws depend on. */
export interface JudgeTable {
  readonly seed: number;
  readonly levels: readonly string[];
  readonly judges: readonly Instrument[];
  readonly priors: Readonly<Record<string, Prior>>;
  readonly patterns: readonly (readonly number[])[];
  /** `deff` rows with a human label of R or T, and others, say as much as one; 1 when left out. */
  readonly groups: readonly { readonly label: string; readonly counts: readonly number[]; readonly deff?: readonly number[] }[];
  /** As fitted: "tpr>fpr" leaves out what breaks it. */
  readonly constraint?: "tpr>fpr" | null;
  /** Keys of the judges that the constraint is not about. */
  readonly exempt?: readonly string[];
  /** Groups, by position, that are fitted by themselves: the others share their judges without them. */
  readonly apart?: readonly number[];
}

/** What a person has moved: priors as (mean, equivalent labels), by the rate's name. */
export interface JudgeMoves {
  readonly group: number;
  readonly priors: Readonly<Record<string, readonly [mean: number, equivalentLabels: number]>> | null;
  readonly pins: Readonly<Record<string, number>> | null;
  readonly left_out: readonly string[];
}

/** What is to be sampled. */
export interface JudgeJob {
  readonly moves: JudgeMoves;
  /** Whether the tables beside the model are sampled, too: they hang on no move but for judges left out. */
  readonly withBeside: boolean;
}

export interface JudgeSamples {
  readonly joint: Sample;
  readonly beside: Readonly<Record<"naive" | "humans", Sample>> | null;
}

const N_DRAWS = 4000;

/** So many draws, or half as many where a step takes long: with 40 judges and 1,200 rows full draws take two seconds then. */
export function affordable(n: number, { structure }: Fittable): number {
  return isDear({ structure, free: structure.columns }) ? n / 2 : n;
}

/** A table without some judges, ready to be fitted. */
export interface Setting {
  readonly table: JudgedTable;
  readonly joint: Fittable;
  /** The shown group's place in `joint`. */
  readonly group: number;
  readonly beside: Readonly<Record<"naive" | "humans", Fittable>>;
  /** Of rates that have other names without the judges that are left out. */
  readonly priors: Readonly<Record<string, Prior>>;
}

/** Those parts of a table that draws depend on, and nothing else. */
export function tableOf({ seed, levels, judges, priors, patterns, groups, constraint = null, exempt = [], apart = [] }: JudgeTable): JudgeTable {
  return { seed, levels, judges, priors, patterns, groups: groups.map(({ label, counts, deff = [1, 1] }) => ({ label, counts, deff })), constraint, exempt, apart };
}

/** The setting of moves, made once for each group and choice of judges. */
export function settingsOf(model: JudgeTable): (moves: JudgeMoves) => Setting {
  const settings = new Map<string, Setting>();
  return (moves) => {
    const key = JSON.stringify([moves.group, [...moves.left_out].sort()]);
    const known = settings.get(key) ?? makeSetting(model, moves);
    settings.set(key, known);
    return known;
  };
}

/** Samples of jobs, in slices. */
export function sampler(model: JudgeTable, settingOf = settingsOf(model)): (job: JudgeJob) => Slices<JudgeSamples> {
  const alone = believedAlone(model);
  return function* ({ moves, withBeside }) {
    const setting = settingOf(moves);
    const joint = yield* hmcSample(setting.joint, beliefsOf(model, moves, setting), affordable(N_DRAWS, setting.joint));
    yield;
    if (!withBeside) return { joint, beside: null };
    const naive = yield* hmcSample(setting.beside.naive, alone, N_DRAWS);
    yield;
    const humans = yield* hmcSample(setting.beside.humans, alone, N_DRAWS);
    yield;
    return { joint, beside: { naive, humans } };
  };
}

/** Sampling as a worker does it. */
export const judgeTrade: Trade<JudgeTable, JudgeJob, JudgeSamples> = { worker: (model) => sampler(model), buffersOf };

/** The large arrays in samples, that nobody else holds. */
function buffersOf({ joint, beside }: JudgeSamples): ArrayBuffer[] {
  const all = beside ? [joint, beside.naive, beside.humans] : [joint];
  return all.map(({ logits }) => logits.buffer as ArrayBuffer);
}

/** What is believed of the probabilities without any judge. */
export function believedAlone({ priors }: JudgeTable): Beliefs {
  return { priors, pins: {} };
}

/** Whether this judge beats a coin because the caller said so: what a reader sets of its TPR or FPR takes the place of that. */
export function isBound({ constraint, exempt }: Pick<Required<JudgeTable>, "constraint" | "exempt">, key: string, { priors, pins }: Pick<JudgeMoves, "priors" | "pins">): boolean {
  const set = { ...priors, ...pins };
  return constraint === "tpr>fpr" && !exempt.includes(key) && !(`tpr[${key}]` in set) && !(`fpr[${key}]` in set);
}

/**
 * What is believed under moves. What a reader sets of a judge takes the constraint's place: one
 * whose TPR or FPR is pinned, or has another prior, may be worse than a coin.
 */
export function beliefsOf({ judges, priors, constraint = null, exempt = [] }: JudgeTable, moves: JudgeMoves, { priors: renamed }: Pick<Setting, "priors"> = { priors: {} }): Beliefs {
  const edited = Object.entries(moves.priors ?? {}).map(([name, [m, labels]]) => [name, [m * labels, (1 - m) * labels] as const] as const);
  const bound = judges.filter(({ key }) => isBound({ constraint, exempt }, key, moves));
  return { priors: { ...priors, ...renamed, ...Object.fromEntries(edited) }, pins: moves.pins ?? {}, aboveChance: bound.map(({ key }) => key), inOrder: judges.filter((judge) => judge.is_monotone).map(({ key }) => key) };
}

function makeSetting(model: JudgeTable, { group, left_out }: JudgeMoves): Setting {
  const kept = model.judges.flatMap((judge, i) => (left_out.includes(judge.key) ? [] : [i]));
  const { judges, priors } = remaining(model.judges, kept, model.priors);
  const { groups, apart = [] } = model;
  const isAlone = groups.length === 1 || apart.includes(group) || judges.every(({ is_shared }) => !is_shared);
  const shown = groups.filter((_, i) => (isAlone ? i === group : !apart.includes(i)));
  const rows = {
    levels: model.levels,
    judges,
    patterns: model.patterns.map((pattern) => [...pattern.slice(0, 3), ...kept.map((i) => pattern[3 + i] ?? -1)]),
    counts: shown.map(({ counts }) => counts),
  };
  const table = {
    ...rows,
    counts: shown.map(({ counts, deff = [1, 1] }) => counts.map((n, k) => n / (deff[isLabelled(model.patterns[k]) ? 0 : 1] ?? 1))),
  };
  const own = groups[group];
  const at = own ? shown.indexOf(own) : 0;
  const label = own?.label ?? "";
  return {
    table,
    joint: fittable(table, model.seed, isAlone ? label : ""),
    group: at,
    priors,
    beside: {
      naive: fittable(alike(naiveTable(table, at), naiveTable(rows, at)), model.seed, `${label} naive`),
      humans: fittable(humanTable(table, at), model.seed, `${label} humans`),
    },
  };
}

/** Rows whose labels are verdicts or people's count alike: each is worth the mean of all of them. */
function alike(worth: JudgedTable, rows: JudgedTable): JudgedTable {
  const total = ({ patterns, counts: [own = []] }: JudgedTable) => own.reduce((sum, n, k) => sum + (isLabelled(patterns[k]) ? n : 0), 0);
  const share = total(worth) / total(rows);
  const [own = []] = worth.counts;
  return { ...worth, counts: [own.map((n, k) => (isLabelled(worth.patterns[k]) ? share * (rows.counts[0]?.[k] ?? 0) : n))] };
}

const isLabelled = (pattern: readonly number[] | undefined): boolean => pattern !== undefined && (Number(pattern[0]) >= 0 || Number(pattern[2]) >= 0);
