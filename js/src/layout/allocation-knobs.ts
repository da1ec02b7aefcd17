/** The planner's sliders: where each stands for a value, and what it says. */
import { axisEnd } from "../contract/decode-allocation.ts";
import type { AllocationControls, AllocationGroup } from "../contract/allocation.ts";
import type { Knob } from "../core/allocation-intent.ts";
import { amount } from "../core/allocation-words.ts";
import { clamp, roundHalfUp } from "../core/numbers.ts";
import type { Scale } from "../core/scale.ts";
import { toPixels } from "../core/scale.ts";
import { px } from "./paths.ts";

/** Steps of a price's slider to a factor of ten. */
const PER_TEN = 20;
const ROWS_PER_STEP = 10;

export interface KnobRange {
  readonly min: number;
  readonly max: number;
  readonly ticks: readonly (readonly [at: number, text: string])[];
}

/** What a slider can be set to, in its own numbers. */
export const KNOBS: Readonly<Record<Knob, KnobRange>> = {
  budget: { min: 0, max: 100, ticks: [] },
  R: { min: -PER_TEN, max: PER_TEN, ticks: [[-PER_TEN, "0.1"], [0, "1"], [PER_TEN, "10"]] },
  T: { min: -PER_TEN, max: PER_TEN, ticks: [[-PER_TEN, "0.1"], [0, "1"], [PER_TEN, "10"]] },
  n0: { min: 0, max: 100, ticks: [[0, "0"], [50, "500"], [100, "1,000"]] },
};

/** The value at which a slider stands; prices go by factors, with two digits. */
export function knobValue(knob: Knob, at: number, end: number): number {
  if (knob === "budget") return (end * at) / 100;
  if (knob === "n0") return ROWS_PER_STEP * at;
  return Number((10 ** (at / PER_TEN)).toPrecision(2));
}

/** Where the slider of a value stands. */
export function knobPlace(knob: Knob, value: number, end: number): number {
  const { min, max } = KNOBS[knob];
  const at = knob === "budget" ? (100 * value) / end : knob === "n0" ? value / ROWS_PER_STEP : PER_TEN * Math.log10(value);
  return clamp(Math.round(at), min, max);
}

export interface KnobPicture {
  readonly knob: Knob;
  readonly at: number;
  /** What stands in its box. */
  readonly box: string;
  readonly name: string;
  readonly told: string;
  readonly isMoved: boolean;
  readonly axis: string;
  readonly ticks: readonly { readonly x: number; readonly text: string }[];
  readonly width: number;
}

/** Half the width of the slider's thumb, by which the axis is inset. */
export const INSET = 9;
const BASE = 30;

/** A slider as it stands, `width` px wide. */
export function knobPicture(knob: Knob, controls: AllocationControls, own: AllocationControls, group: AllocationGroup, unit: string, width: number): KnobPicture {
  const value = knobOf(knob, controls, group);
  const { min, max, ticks } = KNOBS[knob];
  const scale: Scale = { domain: [min, max], range: [INSET, Math.max(INSET + 1, width - INSET)] };
  const places = ticks.map(([at, text]) => ({ x: toPixels(scale, at), text }));
  const box = boxText(value);
  return {
    knob,
    at: knobPlace(knob, value, axisEnd(controls)),
    box,
    ...said(knob, value, unit),
    isMoved: value !== knobOf(knob, own, group),
    axis: `M${px(scale.range[0])} ${BASE}H${px(scale.range[1])}${places.map(({ x }) => `M${px(x)} ${BASE}v3`).join("")}`,
    ticks: places,
    width,
  };
}

function knobOf(knob: Knob, { budget, prices, n0 }: AllocationControls, group: AllocationGroup): number {
  if (knob === "budget") return budget;
  if (knob === "n0") return n0 ?? group.n0 ?? 0;
  return prices[knob];
}

function said(knob: Knob, value: number, unit: string): { readonly name: string; readonly told: string } {
  if (knob === "budget") return { name: "Budget", told: `${amount(value)} more ${unit}` };
  if (knob === "n0") return { name: "Rows labelled already", told: `${amount(value)} rows with R, A and T` };
  return { name: `Price of a label of ${knob}`, told: `A label of ${knob} costs ${amount(value)}` };
}

/** A number as a box shows it: no thousands, no needless zeros. */
export function boxText(value: number): string {
  return String(value >= 1000 ? roundHalfUp(value) : Number(value.toPrecision(6)));
}
