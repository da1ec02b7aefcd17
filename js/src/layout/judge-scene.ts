/** What every part of the judges' picture reads: what is said now, and what the fit says. */
import type { RateMode } from "../core/judge-intent.ts";
import { movesOf, sameMoves, type ShownView } from "../contract/decode-judge.ts";
import type { Density, JudgeBeliefs, JudgeControls, JudgeGroup, JudgeIdentity, JudgeView, JudgeWorth, Spread } from "../contract/judge.ts";
import { keysOf } from "../contract/levels.ts";
import type { Estimate } from "../contract/tree.ts";
import { kernelCurve, type Curve } from "../core/density.ts";
import { EN_DASH, estimate, policyKind, type PolicyKind } from "../core/format.ts";
import { lazily } from "../core/lazy.ts";
import { steady } from "../core/judge-lines.ts";
import { worthOf } from "../core/judge-words.ts";
import { quantile } from "../core/numbers.ts";
import { presetsOf } from "../core/shape.ts";
import type { JudgeAnswer, Target, Told } from "../engine/judge.ts";
import { judgeLayout, type JudgeLayout } from "./judge.ts";

/** What a reader has done, beside the controls. */
export interface JudgePosture {
  readonly controls: JudgeControls;
  readonly open: readonly string[];
  readonly modeOf: (rate: string) => RateMode;
  readonly priorOf: (rate: string) => readonly [mean: number, labels: number];
}

/** Answers of the browser's engine, where there are some by now. */
export interface JudgeAnswers {
  /** Without any moves, where the view itself is under some. */
  readonly fit: JudgeAnswer | null;
  /** Under the controls; null where these are the view's own. */
  readonly now: JudgeAnswer | null;
  /** What the way in which `now` was found says of the fit, where it is a rough one; null else. */
  readonly asQuick: JudgeAnswer | null;
}

export interface JudgeMeasure {
  readonly ppv: Estimate;
  readonly npv: Estimate;
  readonly agreement: Estimate;
  readonly kappa: Estimate;
  readonly youden: Estimate;
  readonly worth: Readonly<Record<string, JudgeWorth>>;
}

/** One state of the numbers. */
export interface Said {
  readonly beliefs: JudgeBeliefs;
  readonly rates: Readonly<Record<string, Spread>>;
  readonly measures: Readonly<Record<string, JudgeMeasure>>;
  readonly worth: Readonly<Record<string, JudgeWorth>>;
  readonly curve: (rate: string) => Curve;
  /** Shares of the modes; one where there is nothing to say. */
  readonly modes: readonly number[];
  /** How far P(R), P(T) and P(G) may be off where their draws did not mix; null else. */
  readonly roughBy: number | null;
  /** What was set leaves no draws: numbers are undefined. */
  readonly isEmpty: boolean;
}

export interface JudgeScene {
  readonly view: ShownView;
  readonly group: JudgeGroup;
  readonly posture: JudgePosture;
  readonly layout: JudgeLayout;
  readonly kind: PolicyKind;
  readonly now: Said;
  /** What the fit says, where it is not what is shown. */
  readonly fit: Fitted;
  readonly isMoved: boolean;
  /** Something is moved beside the cure, which is a fit and no what-if. */
  readonly isWhatIf: boolean;
  readonly present: readonly JudgeIdentity[];
}

/** The fit behind moves: its means, and of rates their intervals and densities where known. */
export interface Fitted {
  /** Mean of a rate or of a joint belief. */
  readonly mean: (key: string) => number | null;
  readonly rate: (rate: string) => Estimate | null;
  readonly curve: (rate: string) => Curve;
}

export const UNDEFINED: Spread = { value: null, lower: null, upper: null, text: EN_DASH, middle: null };
export const NO_CURVE: Curve = { points: [], peak: Infinity };

/** The scene of the group that the controls choose. */
export function judgeScene(view: ShownView, posture: JudgePosture, answers: JudgeAnswers, width: number): JudgeScene {
  const { controls } = posture;
  const group = view.groups[controls.group];
  if (!group) throw new Error(`Expected a group from 0 to ${view.groups.length - 1}; got ${controls.group}.`);
  const isOwn = sameMoves(movesOf(view), controls);
  const keys = keysOf(view.levels);
  const kind = policyKind({ leaves: keys.leaves, presets: presetsOf(keys) }, view.policy.weights);
  const fit = fittedOf(view, group, answers.fit);
  const isBesideKnown = sameNames(movesOf(view).left_out, controls.left_out);
  const isWhatIf = controls.priors !== null || controls.pins !== null || controls.left_out.length > 0;
  const joint = (answer: JudgeAnswer) => steadied(answer, { fit, asQuick: answers.asQuick, errors: group.errors, isRate: kind !== "utility" });
  return {
    view,
    group,
    posture,
    layout: judgeLayout(width),
    kind,
    now: isOwn || answers.now === null ? saidOf(group) : answered(answers.now, joint, isBesideKnown ? group.beliefs : null),
    fit,
    isMoved: isWhatIf || controls.cured,
    isWhatIf,
    present: view.judges.filter(({ key }) => !controls.left_out.includes(key)),
  };
}

/** What Python says of a group. */
function saidOf(group: JudgeGroup): Said {
  return {
    beliefs: group.beliefs,
    rates: group.rates,
    measures: Object.fromEntries(group.report.map((row) => [row.key, row])),
    worth: group.worth,
    curve: (rate) => densityCurve(group.densities[rate]),
    modes: [1],
    roughBy: null,
    isEmpty: false,
  };
}

function spread({ estimate, sorted }: Told): Spread {
  const middle = estimate.value === null ? null : ([0.25, 0.5, 0.75].map((p) => quantile(sorted, p)) as [number, number, number]);
  return { ...estimate, middle };
}

function each<A, B>(of: Readonly<Record<string, A>>, make: (value: A) => B): Readonly<Record<string, B>> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, make(value)]));
}

function sameNames(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((name) => b.includes(name));
}

interface Compared {
  readonly fit: Fitted;
  readonly asQuick: JudgeAnswer | null;
  readonly errors: Readonly<Record<string, number>>;
  readonly isRate: boolean;
}

/** What is believed with the verdicts, with the fit's mean where a move changes it by no more than noise. */
function steadied({ beliefs }: JudgeAnswer, { fit, asQuick, errors, isRate }: Compared): Readonly<Record<string, Spread>> {
  const told = Object.entries(beliefs.joint).map(([key, now]) => {
    const [found, before] = [spread(now), fit.mean(key)];
    if (found.value === null || before === null) return [key, found] as const;
    const rough = asQuick?.beliefs.joint[key as Target].estimate.value ?? before;
    const value = steady(found.value, before, [now.error, errors[key] ?? 0], Math.abs(rough - before));
    return [key, { ...found, value, text: estimate(value, found.lower, found.upper, isRate || key !== "policy_adherence") }] as const;
  });
  return Object.fromEntries(told);
}

/**
 * What the engine says; what no part of the picture looks at is not worked out. Verdicts as truth
 * and human labels alone hang on no move but for judges left out: where they are known they stand.
 */
function answered(answer: JudgeAnswer, joint: (answer: JudgeAnswer) => Readonly<Record<string, Spread>>, beside: JudgeBeliefs | null): Said {
  const { beliefs, rates } = answer;
  return lazily<Said>({
    beliefs: () => ({ naive: beside?.naive ?? each(beliefs.naive, spread), humans: beside?.humans ?? each(beliefs.humans, spread), joint: joint(answer) }),
    rates: () => each(rates, spread),
    measures: () =>
      each(answer.report, (row) =>
        lazily<JudgeMeasure>({
          ppv: () => row.ppv.estimate,
          npv: () => row.npv.estimate,
          agreement: () => row.agreement.estimate,
          kappa: () => row.kappa.estimate,
          youden: () => row.youden.estimate,
          worth: () => each(row.worth, worthOf),
        }),
      ),
    worth: () => each(answer.worth, worthOf),
    curve: () => (rate) => {
      const told = rates[rate];
      return told ? curveOf(told) : NO_CURVE;
    },
    modes: () => (answer.modes.length > 0 ? answer.modes : [1]),
    roughBy: () => (answer.isRough ? answer.mayBeOff : null),
    isEmpty: () => answer.isEmpty,
  });
}

function fittedOf(view: JudgeView, group: JudgeGroup, answer: JudgeAnswer | null): Fitted {
  const isOwn = view.moves === null;
  const own: Readonly<Record<string, Estimate>> = isOwn ? { ...group.beliefs.joint, ...group.rates } : (group.fitted ?? {});
  const known = isOwn || answer === null ? own : { ...each(answer.beliefs.joint, ({ estimate }) => estimate), ...each(answer.rates, ({ estimate }) => estimate), ...own };
  return {
    mean: (key) => known[key]?.value ?? null,
    rate: (key) => known[key] ?? null,
    curve: (key) => {
      const told = answer?.rates[key];
      return isOwn ? densityCurve(group.densities[key]) : told ? curveOf(told) : NO_CURVE;
    },
  };
}

const curves = new WeakMap<Told, Curve>();

/** The density of draws, made once. */
function curveOf(told: Told): Curve {
  const known = curves.get(told) ?? kernelCurve(told.sorted);
  curves.set(told, known);
  return known;
}

/** The density that Python drew. */
export function densityCurve(density: Density | undefined): Curve {
  if (!density || density.heights.length < 2) return NO_CURVE;
  const { start, stop, heights } = density;
  const step = (stop - start) / (heights.length - 1);
  const total = heights.reduce((sum, height) => sum + height, 0);
  return { points: heights.map((height, i) => [start + i * step, height / 99] as const), peak: 99 / (total * step) };
}
