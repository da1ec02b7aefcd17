/** Query marks of a leaf: one per query of 100, fading as they become less sure. */
import { clamp, shareAtLeast } from "../core/numbers.ts";
import { circlePath, ghostPath, px } from "./paths.ts";

export const MARKS_HEIGHT = 14;
const MIDDLE = MARKS_HEIGHT / 2;

export interface MarkRow {
  /** All marks that are certain, in one path. */
  readonly solid: string;
  readonly fading: readonly { readonly path: string; readonly opacity: number }[];
  /** Stroke of a cross; 0 for dots, which are filled. */
  readonly stroke: number;
  /** Triangle where the fit ends, while a what-if is on; "" otherwise. */
  readonly ghost: string;
  /** Where the text behind the marks starts. */
  readonly end: number;
}

/** Pitch that fits the longest leaf into `width`, with `reserve` px for the text behind it. */
export function markPitch(width: number, reserve: number, highest: number): number {
  const longest = 100 * highest + 1;
  return clamp((width - reserve) / (longest * 1.065), 1.6, 9);
}

/** Left edge of mark k; a gap follows every ten. */
function position(k: number, pitch: number): number {
  return 1 + k * pitch + Math.floor(k / 10) * 0.6 * pitch;
}

function markPath(x: number, r: number, isGood: boolean): string {
  if (isGood) return circlePath(x, MIDDLE, r);
  return `M${px(x - r)} ${px(MIDDLE - r)}l${px(2 * r)} ${px(2 * r)}m0 ${px(-2 * r)}l${px(-2 * r)} ${px(2 * r)}`;
}

/** Marks of a leaf from its ascending draws; mark k has the opacity P(count >= k − 1/2). */
export function markRow(sorted: Float64Array, upper: number, pitch: number, isGood: boolean, fitted: number | null = null): MarkRow {
  const radius = 0.36 * pitch;
  const fading: { path: string; opacity: number }[] = [];
  let solid = "";
  let end = 0;
  for (let k = 0; k < Math.ceil(100 * upper); k++) {
    const p = shareAtLeast(sorted, (k + 0.5) / 100);
    if (p < 0.04) break;
    const x = position(k, pitch) + radius;
    const path = markPath(x, radius, isGood);
    if (p > 0.97) solid += path;
    else fading.push({ path, opacity: Math.round(100 * (0.14 + 0.76 * p)) / 100 });
    end = x + radius + 7;
  }
  const foot = fitted === null ? null : 1 + 100 * fitted * pitch + Math.floor(10 * fitted) * 0.6 * pitch;
  if (foot !== null) end = Math.max(end, foot + 8);
  return { solid, fading, ghost: foot === null ? "" : ghostPath(foot, MIDDLE + 3), stroke: isGood ? 0 : pitch > 6 ? 1.7 : 1.3, end };
}
