/** What is believed of one quantity: verdicts as truth, human labels only, both corrected. */
import type { Spread } from "../contract/judge.ts";
import { BELIEF_WORDS } from "../contract/judge-tables.ts";
import { cents, decimal, EN_DASH, percent, points } from "../core/format.ts";
import { halfWidth, spanText } from "../core/judge-words.ts";
import { clamp } from "../core/numbers.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { entry } from "../core/records.ts";
import { pointsWide, policyName, VAGUE_POINTS } from "../core/words.ts";
import { WAYS, type Target, type Way } from "../engine/judge.ts";
import { UNDEFINED, type JudgeScene } from "./judge-scene.ts";
import { circlePath, ghostPath, px } from "./paths.ts";

export interface BeliefRow {
  readonly way: Way;
  readonly words: string;
  readonly y: number;
  /** 95% and 50% of the draws, as lines; "" where there is nothing to draw. */
  readonly whole: string;
  readonly half: string;
  /** Mark at the middle: a hole in the thick line, or a hollow diamond. */
  readonly mark: string;
  readonly value: string;
  readonly span: string;
  readonly half_width: string;
  readonly isVague: boolean;
}

export interface BeliefPicture {
  readonly key: Target;
  readonly hue: "r" | "t" | "good";
  readonly name: string;
  readonly symbol: string;
  /** What moves change: "−4 against the fit"; "" without any. */
  readonly delta: string;
  /** The same for the line at the foot of a narrow widget: "P(R) 20%", "−4". */
  readonly short: string;
  readonly change: string;
  readonly width: number;
  readonly height: number;
  readonly base: number;
  readonly columns: { readonly value: number; readonly span: number; readonly half_width: number | null };
  readonly grid: readonly { readonly x: number; readonly text: string }[];
  /** The interval of both, behind all three. */
  readonly band: { readonly x: number; readonly width: number } | null;
  readonly rows: readonly BeliefRow[];
  /** Where the fit has it, while something is moved; "" otherwise. */
  readonly ghost: string;
  readonly sentence: string;
}

export const BELIEF_HEIGHT = 92;
const ROW = 24;
const FIRST = 13;
const BASE = 76;
/** From these widths on there is room for the mean, and for half the interval's width. */
const MEAN_FROM = 330;
const HALF_FROM = 430;

/** Ticks that are nearer to each other would run into one number. */
const TICKS_APART = 24;

/** The three quantities, on one scale where they are rates. */
export function beliefPictures(scene: JudgeScene): BeliefPicture[] {
  const isRate = scene.kind !== "utility";
  const keys: readonly Target[] = ["retrieval_success", "task_success", "policy_adherence"];
  const rates = keys.filter((key) => isRate || key !== "policy_adherence");
  const shared = [0, upTo(rates.map((key) => highest(scene, key)))] as const;
  return keys.map((key) => belief(scene, key, rates.includes(key) ? shared : weighed(scene)));
}

function spreads({ now }: JudgeScene, key: Target): readonly Spread[] {
  return WAYS.map((way) => now.beliefs[way][key] ?? UNDEFINED);
}

function highest(scene: JudgeScene, key: Target): number {
  return Math.max(...spreads(scene, key).map(({ upper }) => upper ?? 0), ...WAYS.map((way) => scene.group.beliefs[way][key]?.upper ?? 0));
}

/** The next fifth above all of these, with a little air. */
function upTo(values: readonly number[]): number {
  return clamp(Math.ceil(5 * (Math.max(...values) + 0.02)) / 5, 0.2, 1);
}

function weighed({ view }: JudgeScene): readonly [number, number] {
  const all = Object.values(view.policy.weights);
  const [low, high] = [Math.min(0, ...all), Math.max(0, ...all)];
  return low === high ? [low - 0.5, high + 0.5] : [low, high];
}

function belief(scene: JudgeScene, key: Target, domain: readonly [number, number]): BeliefPicture {
  const { layout, now, fit, isMoved, kind } = scene;
  const width = layout.right;
  const isPolicy = key === "policy_adherence";
  const isRate = !isPolicy || kind !== "utility";
  const withMean = width >= MEAN_FROM;
  const withHalf = isRate && width >= HALF_FROM;
  const label = width >= MEAN_FROM ? 122 : 110;
  const spanWidth = isRate ? 50 : 106;
  const values = spanWidth + (withMean ? 40 : 0) + (withHalf ? 44 : 0);
  const scale: Scale = { domain, range: [label + 6, Math.max(label + 26, width - values - 10)] };
  const at = (x: number) => toPixels(scale, clamp(x, domain[0], domain[1]));
  const rows = WAYS.map((way, i) => row(way, now.beliefs[way][key] ?? UNDEFINED, FIRST + i * ROW, at, isRate));
  const both = now.beliefs.joint[key] ?? UNDEFINED;
  const before = fit.mean(key);
  const isCompared = isMoved && before !== null && both.value !== null;
  const change = !isCompared ? "" : isRate ? points(both.value, before) : cents(both.value, before);
  const [name, symbol] = isPolicy
    ? [policyName(kind), isRate && kind !== "weights" ? "P(G)" : "mean"]
    : key === "task_success"
      ? ["Correct answer", "P(T)"]
      : ["Evidence found", "P(R)"];
  return {
    key,
    hue: entry({ retrieval_success: "r", task_success: "t", policy_adherence: "good" } as const, key),
    name,
    symbol,
    delta: change === "" ? "" : `${change} against the fit`,
    short: `${symbol} ${shown(both, isRate)}`,
    change,
    width,
    height: BELIEF_HEIGHT,
    base: BASE,
    columns: { span: withHalf ? width - 44 : width, value: width - spanWidth - (withHalf ? 44 : 0) - 4, half_width: withHalf ? width : null },
    grid: ticksOf(domain, isRate, scale),
    band: both.lower === null || both.upper === null ? null : { x: at(both.lower), width: Math.max(1, at(both.upper) - at(both.lower)) },
    rows: rows.map((made) => (withMean ? made : { ...made, value: "" })),
    ghost: isMoved && before !== null ? ghostPath(at(before), BASE - 6) : "",
    sentence: `${name}, ${symbol}: ${WAYS.map((way) => `${BELIEF_WORDS[way]} ${(now.beliefs[way][key] ?? UNDEFINED).text}`).join("; ")}.`,
  };
}

function shown({ value }: Spread, isRate: boolean): string {
  return value === null ? EN_DASH : isRate ? percent(value) : decimal(value);
}

function ticksOf([low, high]: readonly [number, number], isRate: boolean, scale: Scale): BeliefPicture["grid"] {
  if (!isRate) return [low, (low + high) / 2, high].map((x) => ({ x: toPixels(scale, x), text: decimal(x) }));
  const step = high <= 0.4 ? 0.1 : 0.2;
  const n = Math.round(high / step);
  const all = Array.from({ length: n + 1 }, (_, i) => ({ x: toPixels(scale, i * step), text: `${Math.round(100 * i * step)}${i === n ? "%" : ""}` }));
  const apart = toPixels(scale, step) - toPixels(scale, 0);
  return apart < TICKS_APART ? all.filter((_, i) => i === 0 || i === n) : all;
}

function row(way: Way, spread: Spread, y: number, at: (x: number) => number, isRate: boolean): BeliefRow {
  const { value, lower, upper, middle } = spread;
  const isKnown = value !== null && lower !== null && upper !== null;
  const line = (a: number, b: number) => `M${px(at(a))} ${y}H${px(at(b))}`;
  const [q1, median, q3] = middle ?? [value ?? 0, value ?? 0, value ?? 0];
  const diamond = (x: number) => `M${px(x)} ${y - 5}l5 5l-5 5l-5 -5z`;
  return {
    way,
    words: BELIEF_WORDS[way],
    y,
    whole: isKnown ? line(lower, upper) : "",
    half: isKnown && way !== "naive" ? line(q1, q3) : "",
    mark: !isKnown ? "" : way === "naive" ? diamond(at(median)) : circlePath(at(median), y, 2),
    value: shown(spread, isRate),
    span: spanText(spread, isRate),
    half_width: isRate ? halfWidth(spread) : "",
    isVague: isRate && pointsWide(spread) > VAGUE_POINTS,
  };
}
