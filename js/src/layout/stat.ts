/** The plot of one headline number: 50 quantile dots on an axis. */
import { decimal } from "../core/format.ts";
import { clamp } from "../core/numbers.ts";
import { quantileDots } from "../core/quantile-dots.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { circlePath, ghostPath } from "./paths.ts";

export const STAT_HEIGHT = 64;
const BASE = 46;
const INSET = 4;

export interface Tick {
  readonly x: number;
  readonly text: string;
  readonly anchor: "start" | "middle" | "end";
}

export interface StatPlot {
  readonly width: number;
  readonly height: number;
  readonly base: number;
  readonly axis: readonly [from: number, to: number];
  readonly ticks: readonly Tick[];
  readonly dots: string;
  /** Triangle at the fitted value while another policy is set; "" otherwise. */
  readonly ghost: string;
}

/** Geometry of one statistic; `domain` is [0, 1] for rates and the weights' range for utilities. */
export function statPlot(
  sorted: Float64Array,
  domain: readonly [number, number],
  fitted: number | null,
  width: number,
): StatPlot {
  const [low, high] = domain[0] === domain[1] ? [domain[0] - 0.5, domain[1] + 0.5] : domain;
  const axis = [INSET, Math.max(INSET + 1, width - INSET)] as const;
  const scale: Scale = { domain: [low, high], range: axis };
  const isRate = low === 0 && high === 1;
  const label = (x: number) => (isRate ? (x === 1 ? "100%" : String(100 * x)) : decimal(x));
  const [first, last] = [sorted[0] ?? 0, sorted[sorted.length - 1] ?? 0];
  // Fifty dots on one spot would be a column; what does not vary is one point on the axis.
  const isPoint = sorted.length > 1 && last - first < 1e-12;
  const { dots, diameter } =
    sorted.length > 0 && !isPoint
      ? quantileDots(sorted, (x) => toPixels(scale, x), 42, clamp(width / 88, 2.3, 3.6))
      : { dots: [], diameter: 1 };
  return {
    width,
    height: STAT_HEIGHT,
    base: BASE,
    axis,
    ticks: [low, (low + high) / 2, high].map((x, i) => ({
      x: toPixels(scale, x),
      text: label(x),
      anchor: (["start", "middle", "end"] as const)[i] ?? "middle",
    })),
    dots: isPoint ? circlePath(toPixels(scale, first), BASE, 5) : dots.map((dot) => circlePath(dot.x, BASE - 0.5 - diameter * (dot.level + 0.5), 0.46 * diameter)).join(""),
    ghost: fitted === null ? "" : ghostPath(toPixels(scale, clamp(fitted, low, high)), BASE + 1),
  };
}
