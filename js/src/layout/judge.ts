/** Where the parts of the judges' widget are, in px; everything else flows. */
import { clamp } from "../core/numbers.ts";

export interface JudgeLayout {
  /** Two columns side by side, or one. */
  readonly mode: "columns" | "stack";
  readonly isNarrow: boolean;
  /** Judges, and what is believed. */
  readonly left: number;
  readonly right: number;
  readonly gap: number;
  /** Where a rate stands: words, slider and number side by side, or the words above. */
  readonly rate: "row" | "stacked";
  readonly label: number;
  readonly out: number;
  /** Width of a slider. */
  readonly plot: number;
}

/** Width from which there are two columns. */
export const COLUMNS_FROM = 920;
const NARROW_UNDER = 620;
/** Width of a column of judges from which a rate fits in one row. */
const ROW_FROM = 470;
const LABEL = 160;
const OUT = 118;
const OUT_STACKED = 96;
const GUTTER = 12;

/** The layout of a widget that is `width` px wide. */
export function judgeLayout(width: number): JudgeLayout {
  const isNarrow = width < NARROW_UNDER;
  const inner = Math.max(200, width - 2 * (isNarrow ? 16 : 24));
  const isWide = width >= COLUMNS_FROM;
  const gap = isWide ? Math.round(clamp(0.05 * width, 28, 72)) : 24;
  const left = isWide ? Math.round(((inner - gap) * 1.12) / 2.12) : inner;
  const isRow = left >= ROW_FROM;
  const out = isRow ? OUT : OUT_STACKED;
  return {
    mode: isWide ? "columns" : "stack",
    isNarrow,
    left,
    right: isWide ? inner - gap - left : inner,
    gap,
    rate: isRow ? "row" : "stacked",
    label: isRow ? LABEL : left,
    out,
    plot: left - out - GUTTER - (isRow ? LABEL + GUTTER : 0),
  };
}
