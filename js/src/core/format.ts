/**
 * How numbers read. The same rules as `views/wording.py`; `tests/golden/wording.json` holds
 * vectors that both reproduce character by character.
 */
import type { World } from "../contract/levels.ts";
import { roundHalfUp } from "./numbers.ts";
import type { Shape } from "./shape.ts";

export const EN_DASH = "–";
export const MINUS = "−";

export type Weights = Readonly<Record<string, number>>;
export type PolicyKind = "adherence" | "task_success" | "no_harm" | "binary" | "weights" | "utility";

/** A count with thousands separators: "7,500". */
export function count(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ",");
}

function signless(n: number): string {
  return String(n).replace("-", MINUS);
}

/** "46%"; "<1%" and ">99%" instead of 0% and 100%; an en dash when undefined. */
export function percent(x: number | null): string {
  if (x === null) return EN_DASH;
  if (x >= 0 && x < 0.005) return "<1%";
  if (x >= 0.995 && x <= 1) return ">99%";
  return `${signless(roundHalfUp(100 * x))}%`;
}

/** "46–54" in per cent; "to" instead of the dash when an end is negative. */
export function interval(lower: number | null, upper: number | null): string {
  if (lower === null || upper === null) return "";
  const low = roundHalfUp(100 * lower);
  const high = roundHalfUp(100 * upper);
  if (low === high && (high === 0 || high === 100)) return high === 0 ? "<1" : ">99";
  const between = low < 0 || high < 0 ? " to " : EN_DASH;
  return `${signless(low)}${between}${signless(high)}`;
}

/** Two decimals with a true minus sign: "−0.24"; from 1,000 none. */
export function decimal(x: number): string {
  const cents = roundHalfUp(100 * Math.abs(x));
  const sign = x < 0 && cents > 0 ? MINUS : "";
  if (cents >= 100_000) return `${sign}${count(roundHalfUp(Math.abs(x)))}`;
  return `${sign}${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`;
}

/** "50% (46–54)"; for a utility "0.24 (0.19 to 0.29)"; an en dash when undefined. */
export function estimate(
  value: number | null,
  lower: number | null,
  upper: number | null,
  isRate = true,
): string {
  if (value === null || lower === null || upper === null) return EN_DASH;
  if (isRate) return `${percent(value)} (${interval(lower, upper)})`;
  return `${decimal(value)} (${decimal(lower)} to ${decimal(upper)})`;
}

/** A probability that somebody set: "70%", "12.5%"; 0% and 100% are meant as said. */
export function pinPercent(x: number): string {
  const tenths = roundHalfUp(1000 * x);
  if (tenths === 0 && x > 0) return "<0.1%";
  if (tenths === 1000 && x < 1) return ">99.9%";
  return tenths % 10 === 0 ? `${tenths / 10}%` : `${Math.floor(tenths / 10)}.${tenths % 10}%`;
}

/** A number that does not vary, since it was set or follows from what was: "70% (pinned)". */
export function pinned(x: number): string {
  return `${pinPercent(x)} (pinned)`;
}

/** Whether an estimate does not vary: pinned itself, or following from pins alone. */
export function isPinned({ text }: { readonly text: string }): boolean {
  return text.endsWith(" (pinned)");
}

/** The difference of two rates as they are shown, in whole points with its sign. */
export function points(now: number, before: number): string {
  return signed(roundHalfUp(100 * now) - roundHalfUp(100 * before));
}

/** The difference of two utilities as they are shown: "+0.12". */
export function cents(now: number, before: number): string {
  const n = roundHalfUp(100 * now) - roundHalfUp(100 * before);
  return n > 0 ? `+${decimal(n / 100)}` : n < 0 ? decimal(n / 100) : "±0";
}

/** A difference in whole points with its sign: "+19", "−3", "±0". */
export function signed(n: number): string {
  return n > 0 ? `+${n}` : n < 0 ? `${MINUS}${-n}` : "±0";
}

/** A number as short as it goes, at most one decimal, with a true minus sign: "9.5", "−22", "26.3k". */
export function short(x: number): string {
  const size = Math.abs(x);
  if (size >= 999_950) return `${short(x / 1e6)}M`;
  if (size >= 9_999.5) return `${short(size >= 99_950 ? Math.round(x / 1e3) : x / 1e3)}k`;
  if (size >= 999.95) return `${x < 0 ? MINUS : ""}${roundHalfUp(size)}`;
  const tenths = roundHalfUp(10 * Math.abs(x));
  const sign = x < 0 && tenths > 0 ? MINUS : "";
  const tail = tenths % 10 === 0 ? "" : `.${tenths % 10}`;
  return `${sign}${Math.floor(tenths / 10)}${tail}`;
}

/** Weight of a world; worlds that are left out weigh 0. */
export function weightOf(weights: Weights, world: World): number {
  return weights[world] ?? 0;
}

/** Which way of speaking a policy asks for. */
export function policyKind({ leaves, presets }: Pick<Shape, "leaves" | "presets">, weights: Weights): PolicyKind {
  const all = leaves.map((world) => weightOf(weights, world));
  if (all.every((w) => w === 0 || w === 1)) {
    for (const [name, preset] of Object.entries(presets)) {
      if (leaves.every((world) => preset[world] === weightOf(weights, world))) return name as PolicyKind;
    }
    return "binary";
  }
  return all.every((w) => w >= 0 && w <= 1) ? "weights" : "utility";
}

/** Whether the policy's sign of a leaf is a tick: it gains, or weighs more than one half. */
export function isRight(shape: Shape, world: World, weights: Weights): boolean {
  return weightOf(weights, world) > (policyKind(shape, weights) === "utility" ? 0 : 0.5);
}
