/** Where the planner's parts go at a width. */
import { clamp } from "../core/numbers.ts";

export interface AllocationLayout {
  /** Chart and courses side by side, or one under the other. */
  readonly mode: "columns" | "stack";
  readonly isNarrow: boolean;
  readonly left: number;
  readonly right: number;
  readonly gap: number;
  /** Whether the words of a course take two lines. */
  readonly isTight: boolean;
  /** Widths of a slider below the chart, and of the bar of a course. */
  readonly slide: number;
  readonly bar: number;
}

const COLUMNS_FROM = 880;
const NARROW_UNDER = 620;
const MOST_SLIDE = 320;
const LABEL = 156;
const BOX = 66;
const NAMES = { tight: 150, roomy: 196 };
const ROOMY_FROM = 400;

/** The layout of a widget that is `width` px wide. */
export function allocationLayout(width: number): AllocationLayout {
  const isNarrow = width < NARROW_UNDER;
  const inner = Math.max(200, width - 2 * (isNarrow ? 16 : 24));
  const isWide = width >= COLUMNS_FROM;
  const gap = isWide ? Math.round(clamp(0.04 * width, 28, 72)) : 24;
  const left = isWide ? Math.round((inner - gap) * 0.58) : inner;
  const right = isWide ? inner - gap - left : inner;
  const isTight = right < ROOMY_FROM;
  return {
    mode: isWide ? "columns" : "stack",
    isNarrow,
    left,
    right,
    gap,
    isTight,
    slide: clamp(left - (left < 420 ? 0 : LABEL) - BOX - 24, 120, MOST_SLIDE),
    bar: clamp(right - (isTight ? NAMES.tight : NAMES.roomy) - 62 - 62, 50, 320),
  };
}
