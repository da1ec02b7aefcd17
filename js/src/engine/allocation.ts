/**
 * The planner in the browser (Python's `planning/allocation.py`): widths of all courses under the
 * reader's controls, from the matrices that the view carries. `tests/golden/allocation.json` holds
 * both to the same numbers.
 */
import { axisEnd } from "../contract/decode-allocation.ts";
import { COURSES, OPTIMAL } from "../contract/allocation-tables.ts";
import type {
  AllocationAnswer, AllocationControls, AllocationCourse, AllocationGroup, AllocationPart, AllocationView, PlanNumbers,
} from "../contract/allocation.ts";
import { quantile } from "../core/numbers.ts";
import { bestShares } from "./convex.ts";
import { addTo, unpacked, variance } from "./matrix.ts";

const STEPS = 24;
const SPREAD = [0.05, 0.95] as const;
/** A mixture is advised when it is narrower than the best named strategy by more than this. */
const WORTH_MIXING = 0.02;
/** Intervals that differ by less are alike. */
const ALIKE = 1e-3;
const FAR = 1e12;
const NEVER = 5e-4;
const DUST = 2e-3;

/** Numbers at one point, unpacked. */
interface Point {
  readonly base: Float64Array;
  readonly joint: Float64Array;
  readonly gains: readonly Float64Array[];
  readonly gradients: Readonly<Record<string, Float64Array>>;
  readonly n_r: readonly number[];
  readonly n_t: readonly number[];
  readonly away: number;
}

function pointOf(numbers: PlanNumbers): Point {
  return {
    base: unpacked(numbers.base),
    joint: unpacked(numbers.joint),
    gains: numbers.gains.map(unpacked),
    gradients: Object.fromEntries(Object.entries(numbers.gradients).map(([key, c]) => [key, Float64Array.from(c)])),
    n_r: numbers.n_r,
    n_t: numbers.n_t,
    away: numbers.away,
  };
}

/** Everything but the budget: what curves depend on. */
type Terms = Omit<AllocationControls, "budget" | "hidden" | "group">;

/** A point under the terms. */
interface Situation {
  readonly base: Float64Array;
  readonly gains: readonly Float64Array[];
  readonly gradient: Float64Array;
  /** Cost of a row under each scheme. */
  readonly costs: readonly number[];
  readonly away: number;
}

interface Strategy {
  readonly key: string;
  /** What one pass adds and costs, at the planning point and at each draw. */
  readonly passes: readonly { readonly gain: Float64Array; readonly cost: number }[];
}

/** The curves of one group under terms. */
interface Plot {
  readonly group: AllocationGroup;
  readonly terms: Terms;
  readonly end: number;
  /** The planning point, then the draws. */
  readonly situations: readonly Situation[];
  readonly strategies: readonly Strategy[];
  readonly budgets: readonly number[];
  /** Widths without a purchase, at each of the situations. */
  readonly first: readonly number[];
  readonly curves: Readonly<Record<string, Curve>>;
}

interface Curve {
  readonly widths: readonly number[];
  readonly lower: readonly number[] | null;
  readonly upper: readonly number[] | null;
}

interface Width {
  readonly width: number;
  readonly lower: number | null;
  readonly upper: number | null;
}

export interface AllocationEngine {
  answer(controls: AllocationControls): AllocationAnswer;
  /** Rows that each course buys under each scheme. */
  purchases(controls: AllocationControls): Readonly<Record<string, readonly number[]>>;
}

/** An engine for one view; curves are kept until something but the budget moves. */
export function allocationEngine(view: AllocationView): AllocationEngine {
  const points = new Map<number, readonly Point[]>();
  let kept: { readonly key: string; readonly plot: Plot } | null = null;

  const plotOf = (controls: AllocationControls): Plot => {
    const { group: at, target, unit, prices, n0 } = controls;
    const group = view.groups[at];
    if (!group) throw new Error(`Expected a group from 0 to ${view.groups.length - 1}; got ${at}.`);
    const end = axisEnd(controls);
    const key = JSON.stringify([at, target, unit, prices.R, prices.T, n0, end]);
    if (kept?.key === key) return kept.plot;
    const known = points.get(at) ?? [group.at, ...group.spread].map(pointOf);
    points.set(at, known);
    const plot = plotted(view.factor, group, known, { target, unit, prices, n0, most: end }, end);
    kept = { key, plot };
    return plot;
  };
  return {
    answer: (controls) => answered(view.factor, plotOf(controls), controls),
    purchases: (controls) => purchased(plotOf(controls), controls.budget),
  };
}

function plotted(factor: number, group: AllocationGroup, points: readonly Point[], terms: Terms, end: number): Plot {
  const situations = points.map((point) => situationOf(group, point, terms));
  const strategies = group.strategies.map(({ key, rows }): Strategy => ({ key, passes: situations.map((at) => passOf(group, at, rows, terms)) }));
  const budgets = Array.from({ length: STEPS + 1 }, (_, i) => end * (i / STEPS) ** 1.5);
  const first = situations.map(({ base, gradient }) => factor * Math.sqrt(variance(base, gradient)));
  const made = { group, terms, end, situations, strategies, budgets, first, curves: {} };
  const found = budgets.map((budget) => widthsAt(factor, made, budget));
  const curves = Object.fromEntries(
    Object.keys(COURSES).map((key) => {
      const each = found.map((at) => at.widths[key] ?? NOTHING);
      const ends = (of: "lower" | "upper") => (points.length > 1 ? each.map((width) => width[of] ?? 0) : null);
      return [key, { widths: each.map(({ width }) => width), lower: ends("lower"), upper: ends("upper") }];
    }),
  );
  return { ...made, curves };
}

const NOTHING: Width = { width: 0, lower: null, upper: null };

function situationOf(group: AllocationGroup, point: Point, { target, unit, prices, n0 }: Terms): Situation {
  const base = Float64Array.from(point.base);
  if (group.n0 !== null) addTo(base, n0 ?? group.n0, point.joint);
  const gradient = point.gradients[target];
  if (!gradient) throw new Error(`Expected one of ${Object.keys(point.gradients).join(", ")}; got ${target}.`);
  const costs = point.n_r.map((r, s) => (unit === "rows" ? 1 : prices.R * r + prices.T * (point.n_t[s] ?? 0)));
  return { base, gains: point.gains, gradient, costs, away: point.away };
}

function passOf(group: AllocationGroup, at: Situation, rows: readonly number[], { unit }: Terms): { readonly gain: Float64Array; readonly cost: number } {
  const gain = new Float64Array(at.base.length);
  let cost = 0;
  rows.forEach((n, s) => {
    const one = at.gains[s];
    if (n === 0 || !one) return;
    addTo(gain, n, one);
    cost += n * (at.costs[s] ?? 0);
  });
  return { gain, cost: unit === "rows" ? group.n_pass : cost };
}

/** Rows under each scheme that each course buys for a budget. */
function purchased(plot: Plot, budget: number): Readonly<Record<string, readonly number[]>> {
  const { group, situations, strategies } = plot;
  const shares = mixOf(plot, budget);
  const most = (s: number) => group.strata[group.schemes[s]?.stratum ?? 0]?.n_rows ?? Infinity;
  const named = strategies.map(({ key, passes }, i) => {
    const cost = passes[0]?.cost ?? 0;
    const n = cost > 0 ? Math.min(budget / cost, isFresh(group) ? Infinity : 1) : 0;
    return [key, (group.strategies[i]?.rows ?? []).map((rows) => n * rows)] as const;
  });
  const mix = Array.from(shares, (share, s) => Math.min((share * budget) / (situations[0]?.costs[s] ?? 1), most(s)));
  return { [OPTIMAL]: mix, ...Object.fromEntries(named) };
}

function isFresh(group: AllocationGroup): boolean {
  return group.strata[0]?.n_rows === null;
}

/** Width when a strategy has spent a budget, or its rows have run out. */
function along(factor: number, { group, situations, strategies }: Plot, strategy: number, at: number, budget: number): number {
  const situation = situations[at];
  const pass = strategies[strategy]?.passes[at];
  if (!situation || !pass) return 0;
  const passes = pass.cost > 0 ? Math.min(budget / pass.cost, isFresh(group) ? Infinity : 1) : 0;
  const known = Float64Array.from(situation.base);
  addTo(known, passes, pass.gain);
  return factor * Math.sqrt(variance(known, situation.gradient));
}

/** Width when shares of a budget are spent on the schemes. */
function mixed(factor: number, { group, situations }: Plot, shares: Float64Array, at: number, budget: number): number {
  const situation = situations[at];
  if (!situation) return 0;
  const known = Float64Array.from(situation.base);
  shares.forEach((share, s) => {
    const gain = situation.gains[s];
    if (share === 0 || !gain) return;
    const most = group.strata[group.schemes[s]?.stratum ?? 0]?.n_rows ?? Infinity;
    addTo(known, Math.min((share * budget) / (situation.costs[s] ?? 1), most), gain);
  });
  return factor * Math.sqrt(variance(known, situation.gradient));
}

/** Shares of a budget that make the target's interval narrowest. */
function mixOf({ group, situations }: Plot, budget: number): Float64Array {
  const at = situations[0];
  const n = group.schemes.length;
  if (!at || budget <= 0) return new Float64Array(n);
  const rows = at.costs.map((cost) => budget / cost);
  const gains = at.gains.map((gain, s) => gain.map((x) => x * (rows[s] ?? 0)));
  const use = group.strata.flatMap(({ n_rows }, k) =>
    n_rows === null ? [] : [Float64Array.from(group.schemes, ({ stratum }, s) => (stratum === k ? (rows[s] ?? 0) / n_rows : 0))],
  );
  return bestShares({ base: at.base, gains, gradient: at.gradient, use });
}

/**
 * Widths at a budget, and where the draws put them. The width without a purchase is known; labels
 * that take the share s of the width away let the estimate go that far to what the truth is, in
 * logarithms of the width.
 */
function widthsAt(factor: number, plot: Plot, budget: number): { readonly shares: Float64Array; readonly widths: Readonly<Record<string, Width>> } {
  const shares = mixOf(plot, budget);
  const { first } = plot;
  const all = (width: (at: number) => number): Width => {
    const draws = first.slice(1).map((before, i) => {
      const after = width(i + 1);
      return after * ((first[0] ?? before) / before) ** (after / before);
    });
    draws.sort((a, b) => a - b);
    const ends = draws.length > 0 ? SPREAD.map((p) => quantile(draws, p)) : [null, null];
    return { width: width(0), lower: ends[0] ?? null, upper: ends[1] ?? null };
  };
  const named = plot.strategies.map(({ key }, i) => [key, all((at) => along(factor, plot, i, at, budget))] as const);
  return { shares, widths: { [OPTIMAL]: all((at) => mixed(factor, plot, shares, at, budget)), ...Object.fromEntries(named) } };
}

function answered(factor: number, plot: Plot, { budget, hidden, prices }: AllocationControls): AllocationAnswer {
  const { shares, widths } = widthsAt(factor, plot, budget);
  const spentOn = (key: string) => (key === OPTIMAL ? budget * shares.reduce((sum, share) => sum + share, 0) : spentBy(plot, key, budget));
  const spent = Object.fromEntries(Object.keys(COURSES).map((key) => [key, spentOn(key)]));
  const advised = advise(widths, spent, hidden);
  const goal = advised === null ? null : (widths[advised]?.width ?? null);
  const courses = Object.keys(COURSES).map((key): AllocationCourse => {
    const { width, lower, upper } = widths[key] ?? NOTHING;
    const curve = plot.curves[key] ?? { widths: [], lower: null, upper: null };
    const needed = goal === null ? null : key === advised ? (spent[key] ?? budget) : neededBy(factor, plot, key, goal, [budget, width]);
    return { key, ...curve, width, width_lower: lower, width_upper: upper, spent: spent[key] ?? 0, needed };
  });
  return { now: plot.first[0] ?? 0, budgets: plot.budgets, courses, advised, parts: partsOf(plot, shares, budget, prices) };
}

/** What of a budget a strategy can spend: a pool runs out. */
function spentBy({ group, strategies }: Plot, key: string, budget: number): number {
  const cost = strategies.find((strategy) => strategy.key === key)?.passes[0]?.cost ?? 0;
  return isFresh(group) && cost > 0 ? budget : Math.min(budget, cost);
}

/**
 * The narrowest named course, or the mixture where it is narrower by more than a trifle. Of courses
 * about as narrow the one that spends least, and of these the first.
 */
function advise(widths: Readonly<Record<string, Width>>, spent: Readonly<Record<string, number>>, hidden: readonly string[]): string | null {
  const shown = Object.keys(COURSES).filter((key) => !hidden.includes(key));
  const width = (key: string) => widths[key]?.width ?? Infinity;
  const named = shown.filter((key) => key !== OPTIMAL);
  const isMixShown = shown.includes(OPTIMAL);
  const least = Math.min(...named.map(width));
  const [first, ...rest] = named.filter((key) => width(key) <= (1 + ALIKE) * least);
  if (first === undefined) return isMixShown ? OPTIMAL : null;
  if (isMixShown && width(OPTIMAL) < (1 - WORTH_MIXING) * least) return OPTIMAL;
  const cost = (key: string) => Math.round(1e6 * (spent[key] ?? 0));
  return rest.reduce((best, key) => (cost(key) < cost(best) ? key : best), first);
}

/** The budget with which a course gets as narrow as `goal`; null when it never does. */
function neededBy(factor: number, plot: Plot, key: string, goal: number, asked: readonly [number, number]): number | null {
  const wanted = goal * (1 + NEVER);
  if (key === OPTIMAL) return neededByMix(plot, goal, asked);
  const i = plot.strategies.findIndex((strategy) => strategy.key === key);
  if (!((plot.strategies[i]?.passes[0]?.cost ?? 0) > 0)) return null;
  const width = (budget: number) => along(factor, plot, i, 0, budget);
  let [low, high] = [0, Math.max(asked[0], 1)];
  while (width(high) > wanted) {
    if (high > FAR || width(2 * high) >= width(high)) return null;
    [low, high] = [high, 2 * high];
  }
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    if (width(middle) > wanted) low = middle;
    else high = middle;
  }
  return high;
}

/** Between known budgets of the best mixture precision, 1 / width², is all but linear. */
function neededByMix({ budgets, curves }: Plot, goal: number, asked: readonly [number, number]): number {
  const widths = curves[OPTIMAL]?.widths ?? [];
  const known = [...budgets.map((budget, i) => [budget, widths[i] ?? 1] as const), asked].sort((a, b) => a[0] - b[0]);
  let top = 0;
  const precise = known.map(([budget, width]) => [budget, (top = Math.max(top, 1 / width ** 2))] as const);
  const wanted = 1 / goal ** 2;
  const after = precise.findIndex(([, precision]) => precision >= wanted);
  if (after === 0) return precise[0]?.[0] ?? 0;
  const [from, to] = after < 0 ? [precise[precise.length - 1], undefined] : [precise[after - 1], precise[after]];
  if (!from || !to) return from?.[0] ?? 0;
  return from[0] + ((wanted - from[1]) / (to[1] - from[1])) * (to[0] - from[0]);
}

/** The mixture by kind of row; of fresh rows those that abstain apart from the others. */
function partsOf({ group, situations }: Plot, shares: Float64Array, budget: number, prices: AllocationControls["prices"]): AllocationPart[] {
  const at = situations[0];
  const numbers = group.at;
  const found = new Map<string, { rows: string; buy: string; n_rows: number; cost: number }>();
  const add = (rows: string, buy: string, n_rows: number, cost: number) => {
    const key = `${rows}\n${buy}`;
    const before = found.get(key) ?? { rows, buy, n_rows: 0, cost: 0 };
    found.set(key, { rows, buy, n_rows: before.n_rows + n_rows, cost: before.cost + cost });
  };
  group.schemes.forEach(({ stratum, away, answered: buys }, s) => {
    const n = ((shares[s] ?? 0) * budget) / (at?.costs[s] ?? 1);
    const cost = n * (prices.R * (numbers.n_r[s] ?? 0) + prices.T * (numbers.n_t[s] ?? 0));
    const { name = "", n_rows: finite = null } = group.strata[stratum] ?? {};
    if (finite !== null) return add(name, away || buys, n, cost);
    const n_away = away ? n * numbers.away : 0;
    add("abstained", "R", n_away, n_away * prices.R);
    if (buys) add("answered", buys, n * (1 - numbers.away), cost - n_away * prices.R);
  });
  const total = [...found.values()].reduce((sum, { cost }) => sum + cost, 0);
  return [...found.values()]
    .filter(({ cost }) => total > 0 && cost > DUST * total)
    .map(({ rows, buy, n_rows, cost }) => ({ rows, buy, share: cost / total, n_rows, cost }))
    .sort((a, b) => b.cost - a.cost);
}
