/** What a reader has moved on judges; never synced itself. One pure step per intent. */
import { AS_FITTED, rateKeys, sameMoves, shownView } from "../contract/decode-judge.ts";
import type { JudgeControls, JudgeView } from "../contract/judge.ts";
import type { JudgeIntent, RateMode } from "../core/judge-intent.ts";
import { clamp } from "../core/numbers.ts";
import { isSame } from "../contract/decode.ts";

export interface JudgeLocal {
  readonly controls: JudgeControls;
  /** Rates whose slider stands for the prior though it has not been edited. */
  readonly asked: readonly string[];
  /** Judges whose rates are shown. */
  readonly open: readonly string[];
  /** Moves before the present ones, oldest first, for undo. */
  readonly past: readonly Past[];
  /** The rate that moved last: moves of one slider in a row are one step to undo. */
  readonly moving: string | null;
}

type Past = Pick<JudgeControls, "priors" | "pins" | "left_out" | "cured"> & Pick<JudgeLocal, "asked">;

const MOST_PAST = 100;
/** More judges than these are folded, but for the one at hand. */
export const MOST_OPEN = 3;
/** Means of priors keep this far from what no label could ever move. */
const EDGE = 0.001;

export function initialJudges(view: JudgeView, controls: JudgeControls): JudgeLocal {
  const keys = view.judges.map(({ key }) => key);
  return { controls, asked: [], open: keys.slice(0, keys.length > MOST_OPEN ? 1 : keys.length), past: [], moving: null };
}

/** What the slider of a rate sets. */
export function modeOf({ controls, asked }: Pick<JudgeLocal, "controls" | "asked">, rate: string): RateMode {
  if (controls.pins?.[rate] !== undefined) return "pinned";
  return controls.priors?.[rate] !== undefined || asked.includes(rate) ? "prior" : "posterior";
}

/** The prior of a rate as mean and equivalent labels: the edited one, or the view's. */
export function priorOf(view: JudgeView, { priors }: JudgeControls, rate: string): readonly [mean: number, labels: number] {
  const edited = priors?.[rate];
  if (edited) return edited;
  const [alpha, beta] = view.priors[rate] ?? [1, 1];
  return [alpha / (alpha + beta), alpha + beta];
}

/** Whether anything differs from the fit. */
export function isMoved({ controls }: Pick<JudgeLocal, "controls">): boolean {
  return !sameMoves(controls, AS_FITTED);
}

/** The state after an intent; the same object when nothing changes. `of` is the view without its cure. */
export function stepJudges(state: JudgeLocal, intent: JudgeIntent, of: JudgeView): JudgeLocal {
  const { controls, past } = state;
  const view = shownView(of, controls.cured);
  switch (intent.type) {
    case "group":
      if (intent.index === controls.group || !view.groups[intent.index]) return state;
      return { ...state, controls: { ...controls, group: intent.index }, moving: null };
    case "rate":
      return moved(state, intent.rate, intent.value, view);
    case "labels": {
      const [mean, labels] = priorOf(view, controls, intent.rate);
      return labels === intent.labels ? state : withPrior(state, intent.rate, [mean, intent.labels], view, `labels ${intent.rate}`);
    }
    case "mode":
      return switched(state, intent.rate, intent.mode, intent.value);
    case "leave":
      return left(state, intent.judge, view);
    case "fold":
      return folded(state, intent.judge, view);
    case "cure":
      return of.cure ? allowing(state, !controls.cured, of) : state;
    case "reset":
      if (!isMoved(state) && state.asked.length === 0) return state;
      return { ...remembered(state), controls: { ...controls, ...AS_FITTED }, asked: [] };
    case "undo": {
      const before = past[past.length - 1];
      if (before === undefined) return state;
      const { asked, ...moves } = before;
      return { ...state, controls: { ...controls, ...moves }, asked, past: past.slice(0, -1), moving: null };
    }
    default:
      return state;
  }
}

/** The state carried over to a new view: the group stays by its label, what was moved by its name. */
export function carryOverJudges(state: JudgeLocal, before: JudgeView, after: JudgeView): JudgeLocal {
  const { controls } = state;
  const label = before.groups[controls.group]?.label;
  const same = after.groups.findIndex((group) => group.label === label);
  const isCured = controls.cured && Boolean(after.cure);
  const rates = shownView(after, isCured).judges.flatMap(rateKeys);
  const kept = { ...controls, group: same >= 0 ? same : 0, cured: isCured };
  const next: JudgeControls = {
    ...kept,
    priors: only(kept.priors, rates),
    pins: only(kept.pins, rates),
    left_out: kept.left_out.filter((key) => after.judges.some((judge) => judge.key === key)),
  };
  if (isSame(before.judges, after.judges)) return { ...state, controls: next };
  return { ...initialJudges(after, next), asked: state.asked.filter((rate) => rates.includes(rate)) };
}

function only<T>(of: Readonly<Record<string, T>> | null, keys: readonly string[]): Readonly<Record<string, T>> | null {
  return filled(Object.fromEntries(Object.entries(of ?? {}).filter(([key]) => keys.includes(key))));
}

function filled<T>(of: Readonly<Record<string, T>>): Readonly<Record<string, T>> | null {
  return Object.keys(of).length > 0 ? of : null;
}

/** With one entry set, or taken away where it is null; what was set last stands last. */
function withEntry<T>(of: Readonly<Record<string, T>> | null, key: string, value: T | null) {
  const { [key]: _, ...others } = of ?? {};
  return filled<T>(value === null ? others : { ...others, [key]: value });
}

/** The state with one more step to undo. */
function remembered({ ...state }: JudgeLocal): JudgeLocal {
  const { priors, pins, left_out, cured } = state.controls;
  return { ...state, past: [...state.past, { priors, pins, left_out, cured, asked: state.asked }].slice(-MOST_PAST), moving: null };
}

function judgeOf(view: JudgeView, rate: string): string {
  return view.judges.find((judge) => rateKeys(judge).includes(rate))?.key ?? "";
}

/** The judge that moved is open; of many judges it is the only one. */
function opened(open: readonly string[], judge: string, view: JudgeView): readonly string[] {
  if (open.includes(judge) || judge === "") return open;
  return view.judges.length > MOST_OPEN ? [judge] : [...open, judge];
}

function moved(state: JudgeLocal, rate: string, value: number, view: JudgeView): JudgeLocal {
  const { controls } = state;
  const at = clamp(value, 0, 1);
  if (modeOf(state, rate) === "prior") {
    const [before, labels] = priorOf(view, controls, rate);
    const mean = clamp(value, EDGE, 1 - EDGE);
    return mean === before ? state : withPrior(state, rate, [mean, labels], view, rate);
  }
  if (controls.pins?.[rate] === at) return state;
  const before = state.moving === rate ? state : remembered(state);
  return {
    ...before,
    controls: { ...controls, pins: withEntry(controls.pins, rate, at) },
    open: opened(state.open, judgeOf(view, rate), view),
    moving: rate,
  };
}

function withPrior(state: JudgeLocal, rate: string, prior: readonly [number, number], view: JudgeView, moving: string): JudgeLocal {
  const { controls, asked } = state;
  const before = state.moving === moving ? state : remembered(state);
  return {
    ...before,
    controls: { ...controls, priors: withEntry(controls.priors, rate, prior), pins: withEntry(controls.pins, rate, null) },
    asked: asked.includes(rate) ? asked : [...asked, rate],
    open: opened(state.open, judgeOf(view, rate), view),
    moving,
  };
}

function switched(state: JudgeLocal, rate: string, mode: RateMode, value: number): JudgeLocal {
  const { controls, asked } = state;
  if (modeOf(state, rate) === mode) return state;
  const pin = mode === "pinned" ? clamp(value, 0, 1) : null;
  return {
    ...remembered(state),
    controls: { ...controls, priors: withEntry(controls.priors, rate, null), pins: withEntry(controls.pins, rate, pin) },
    asked: mode === "prior" ? [...asked, rate] : asked.filter((other) => other !== rate),
  };
}

function left(state: JudgeLocal, judge: string, view: JudgeView): JudgeLocal {
  const { controls } = state;
  const found = view.judges.find(({ key }) => key === judge);
  if (!found) return state;
  const isOut = controls.left_out.includes(judge);
  const names = view.judges.map(({ key }) => key).filter((key) => (key === judge ? !isOut : controls.left_out.includes(key)));
  const others = view.judges.flatMap(rateKeys).filter((rate) => !rateKeys(found).includes(rate));
  return {
    ...remembered(state),
    // What a judge that is out was taken to be moves nothing.
    controls: { ...controls, left_out: names, priors: only(controls.priors, others), pins: only(controls.pins, others) },
    asked: state.asked.filter((rate) => others.includes(rate)),
  };
}

/** With the cure or without: what was set of rates that both have stays. */
function allowing(state: JudgeLocal, cured: boolean, view: JudgeView): JudgeLocal {
  const { controls } = state;
  const rates = shownView(view, cured).judges.flatMap(rateKeys);
  return {
    ...remembered(state),
    controls: { ...controls, cured, priors: only(controls.priors, rates), pins: only(controls.pins, rates) },
    asked: state.asked.filter((rate) => rates.includes(rate)),
  };
}

function folded(state: JudgeLocal, judge: string, view: JudgeView): JudgeLocal {
  const isOpen = state.open.includes(judge);
  return { ...state, open: isOpen ? state.open.filter((key) => key !== judge) : opened(state.open, judge, view) };
}
