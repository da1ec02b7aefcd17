/** Everything that the planner shows, as texts and pixels: no DOM. */
import { COURSES, OPTIMAL } from "../contract/allocation-tables.ts";
import type {
  AllocationAnswer, AllocationControls, AllocationCourse, AllocationGroup, AllocationTarget, AllocationView,
} from "../contract/allocation.ts";
import type { Note } from "../contract/tree.ts";
import type { Knob } from "../core/allocation-intent.ts";
import { allocationDeck, allocationHeadline, mixLine, type Advice } from "../core/allocation-sentence.ts";
import { about, amount, half, halves, unitWords } from "../core/allocation-words.ts";
import { count, decimal, percent, pinPercent } from "../core/format.ts";
import { literal, withArgument, type Literal } from "../core/python-call.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { plain, type Segment } from "../core/sentence.ts";
import { canSimulate, type SimulatedWidth, type Simulation } from "../engine/purchase.ts";
import { chartPicture, type ChartPicture } from "./allocation-chart.ts";
import { knobPicture, type KnobPicture } from "./allocation-knobs.ts";
import { allocationLayout, type AllocationLayout } from "./allocation.ts";

/** Simulated purchases so far, and whether more are on their way. */
export interface SimulationState {
  readonly result: Simulation;
  readonly isRunning: boolean;
}

export interface SimulatePicture {
  /** What the button does; empty where there is nothing left to do. */
  readonly button: string;
  readonly said: string;
  readonly done: number;
  readonly total: number;
  readonly isRunning: boolean;
}

export interface CoursePicture {
  readonly key: string;
  readonly name: string;
  readonly bits: string;
  readonly isShown: boolean;
  readonly isAdvised: boolean;
  /** Half of the width, and where the draws put it. */
  readonly halves: string;
  readonly span: string;
  /** "simulated 3.92 ± 0.11", the error being that of a 95% interval. */
  readonly simulated: string;
  readonly needed: string;
  readonly bar: { readonly x: number; readonly low: number; readonly high: number };
}

export interface MixPicture {
  readonly caption: string;
  readonly width: string;
  readonly parts: readonly { readonly number: number; readonly share: string; readonly text: string; readonly of100: number }[];
  readonly told: string;
}

export interface AllocationPicture {
  readonly layout: AllocationLayout;
  readonly group: number;
  readonly target: string;
  readonly hue: string;
  readonly symbol: string;
  readonly unit: AllocationControls["unit"];
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
  readonly notes: readonly Note[];
  readonly chart: ChartPicture;
  readonly over: string;
  readonly knobs: Readonly<Record<Knob, KnobPicture>>;
  readonly hasN0: boolean;
  readonly arePricesIdle: boolean;
  readonly caption: string;
  readonly goal: string;
  readonly courses: readonly CoursePicture[];
  readonly mix: MixPicture;
  /** Null where purchases cannot be simulated here. */
  readonly simulate: SimulatePicture | null;
  readonly foot: string;
  readonly sentence: string;
  readonly python: string;
}

/** Standard errors on either side of a 95% interval. */
const MONTE_CARLO = 1.96;
const ROLES: Readonly<Record<string, string>> = { r: "evidence", t: "task", good: "good" };

/** The picture under the controls. */
export function allocationPicture(view: AllocationView, controls: AllocationControls, answer: AllocationAnswer, width: number, simulation: SimulationState | null = null): AllocationPicture {
  const group = view.groups[controls.group];
  const target = view.targets.find(({ key }) => key === controls.target);
  if (!group || !target) throw new Error(`Expected a group and a target of the view; got ${controls.group} and ${controls.target}.`);
  const layout = allocationLayout(width);
  const unit = unitWords(controls.unit, { R: controls.prices.R, T: controls.prices.T });
  const advice = adviceOf(group, target, controls, answer, unit);
  const headline = allocationHeadline(advice);
  const { budget, hidden } = controls;
  const { is_rate: isRate, symbol } = target;
  const chart = chartPicture({ answer, budget, hidden, unit, symbol, isRate, width: layout.left, simulated: simulation?.result.widths ?? {} });
  const knob = (name: Knob) => knobPicture(name, controls, view.controls, group, unit, name === "budget" ? chart.slider.width : layout.slide);
  const n = amount(budget);
  return {
    layout,
    group: controls.group,
    target: target.key,
    hue: target.hue,
    symbol,
    unit: controls.unit,
    headline,
    deck: allocationDeck(advice),
    notes: group.notes,
    chart,
    over: `± ${isRate ? "points" : "the utility"}, by ${controls.unit === "rows" ? "rows that are labelled" : unit === "labels" ? "labels that are bought" : "cost of further labels"}`,
    knobs: { budget: knob("budget"), R: knob("R"), T: knob("T"), n0: knob("n0") },
    hasN0: group.n0 !== null,
    arePricesIdle: controls.unit === "rows",
    caption: budget > 0 ? `With ${n} more ${unit}` : `Without more ${unit}`,
    goal: answer.advised === null ? "needs" : `for ${half(advice.width, isRate)}`,
    courses: coursePictures(group, controls, answer, target, layout, simulation),
    mix: mixPicture(answer, controls, target, unit),
    simulate: canSimulate(group, target) && budget > 0 ? simulatePicture(simulation) : null,
    foot: footOf(view, group),
    sentence: view.groups.length > 1 ? `${group.label}: ${plain(headline)}` : plain(headline),
    python: pythonCall(view, controls),
  };
}

function adviceOf(group: AllocationGroup, { symbol, hue, is_rate }: AllocationTarget, { budget }: AllocationControls, answer: AllocationAnswer, unit: string): Advice {
  const chosen = answer.courses.find(({ key }) => key === answer.advised);
  const joint = answer.courses.find(({ key }) => key === "all_joint");
  const { width_lower: low = null, width_upper: high = null } = chosen ?? {};
  return {
    course: answer.advised,
    pieces: answer.parts,
    budget,
    spent: chosen?.spent ?? 0,
    unit,
    symbol,
    role: ROLES[hue] ?? "strong",
    is_rate,
    now: answer.now,
    width: chosen?.width ?? answer.now,
    joint_width: joint?.width ?? answer.now,
    joint_needed: joint?.needed ?? null,
    spread: low === null || high === null ? null : [low, high],
    pool: group.pool,
  };
}

function coursePictures(group: AllocationGroup, controls: AllocationControls, answer: AllocationAnswer, target: AllocationTarget, { bar }: AllocationLayout, simulation: SimulationState | null): CoursePicture[] {
  const widest = Math.max(...answer.courses.map(({ width, width_upper }) => Math.max(width, width_upper ?? 0)), 1e-9);
  const scale: Scale = { domain: [0, widest], range: [4, bar - 6] };
  const order = [...answer.courses].sort((a, b) => a.width - b.width || position(a.key) - position(b.key));
  return order.map((course) => {
    const { key, width, width_lower: low, width_upper: high } = course;
    const span = low === null || high === null ? "" : `${halves(low, target.is_rate)}–${halves(high, target.is_rate)}`;
    return {
      key,
      name: COURSES[key as keyof typeof COURSES].name,
      bits: bitsText(group, controls, key),
      isShown: !controls.hidden.includes(key),
      isAdvised: key === answer.advised,
      halves: half(width, target.is_rate),
      span,
      simulated: simulatedText(simulation?.result.widths[key], target.is_rate),
      needed: neededText(course),
      bar: { x: toPixels(scale, width), low: toPixels(scale, low ?? width), high: toPixels(scale, high ?? width) },
    };
  });
}

function simulatedText(found: SimulatedWidth | undefined, isRate: boolean): string {
  if (!found || !Number.isFinite(found.mcse)) return "";
  const said = (width: number) => (isRate ? decimal(50 * width) : halves(width, false));
  return `simulated ${said(found.width)} ± ${said(MONTE_CARLO * found.mcse)}`;
}

function simulatePicture(simulation: SimulationState | null): SimulatePicture {
  const { done, total } = simulation?.result ?? { done: 0, total: 0 };
  const isRunning = simulation?.isRunning ?? false;
  const isOver = total > 0 && done === total;
  const said = total === 0 ? "" : isOver ? `${count(total)} simulated purchases; ± is the 95% Monte Carlo error` : `${count(done)} of ${count(total)} simulated purchases${isRunning ? "" : ", stopped"}`;
  return { button: isRunning ? "Stop" : isOver ? "" : "Refine by simulation", said, done, total, isRunning };
}

function position(key: string): number {
  return Object.keys(COURSES).indexOf(key);
}

function neededText({ needed }: AllocationCourse): string {
  return needed === null ? "never" : about(needed);
}

/** "0.53 bits a row, 0.44 a label": what a fresh row tells of G. */
function bitsText(group: AllocationGroup, { prices, unit }: AllocationControls, key: string): string {
  if (key === OPTIMAL) return "of all ways to buy";
  const found = group.strategies.find((strategy) => strategy.key === key);
  if (!found || found.bits === null) return "";
  const a = `${decimal(found.bits)} bits a row`;
  const cost = prices.R * found.n_r + prices.T * found.n_t;
  if (unit === "rows" || !(cost > 0)) return a;
  return `${a}, ${decimal(found.bits / cost)} a ${unitWords(unit, { R: prices.R, T: prices.T }).slice(0, -1)}`;
}

function mixPicture(answer: AllocationAnswer, { budget }: AllocationControls, target: AllocationTarget, unit: string): MixPicture {
  const mix = answer.courses.find(({ key }) => key === OPTIMAL);
  const parts = answer.parts.map((part, i) => ({
    number: i + 1,
    share: percent(part.share),
    text: mixLine(part),
    of100: 100 * part.share,
  }));
  const spent = mix && mix.spent < 0.995 * budget ? about(mix.spent) : amount(budget);
  return {
    caption: budget > 0 ? `The best mix of ${spent} ${unit}` : "The best mix",
    width: budget > 0 && mix ? half(mix.width, target.is_rate) : "",
    parts,
    told: parts.map(({ share, text }) => `${share}: ${text}`).join("; "),
  };
}

function footOf(view: AllocationView, group: AllocationGroup): string {
  const at = group.spread.length > 0 ? `at the posterior mean; the band holds 90% of ${group.spread.length} draws` : "to first order";
  return `${group.rows} Expected ${pinPercent(view.ci_prob)} intervals by the Fisher information ${at}. Bits are about G, on a new row.`;
}

function pythonCall(view: AllocationView, { group, target, budget, most, unit, prices, n0, hidden }: AllocationControls): string {
  const moved: Record<string, Literal> = {
    ...(group !== 0 ? { group } : {}),
    ...(target !== "policy_adherence" ? { target } : {}),
    ...(budget !== 500 ? { budget } : {}),
    ...(most !== null ? { most } : {}),
    ...(unit !== "units" ? { unit } : {}),
    ...(prices.R !== 1 || prices.T !== 1 ? { prices: { R: prices.R, T: prices.T } } : {}),
    ...(n0 !== null ? { n0 } : {}),
    ...(hidden.length > 0 ? { hidden } : {}),
  };
  if (Object.keys(moved).length === 0) return `${view.python})`;
  return `${withArgument(view.python, "controls", literal(moved))})`;
}
