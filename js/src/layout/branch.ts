/** The plot behind a branch's slider: an axis with its density, quantile dots, where the fit is. */
import type { Curve } from "../core/density.ts";
import { quantileDots } from "../core/quantile-dots.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { circlePath, linePath } from "./paths.ts";

export const BRANCH_HEIGHT = 38;
/** Half the width of the slider's thumb, by which the axis is inset. */
export const INSET = 9;
const BASE = 30;
const TOP = 3;

export interface BranchPlot {
  readonly width: number;
  readonly height: number;
  readonly base: number;
  readonly axis: readonly [from: number, to: number];
  readonly ticks: readonly number[];
  /** Filled area under the density, "" when only the prior speaks. */
  readonly area: string;
  readonly line: string;
  /** Dashed line of the prior, "" when labels outweigh it. */
  readonly prior: string;
  readonly dots: string;
  /** Pixel of the fitted mean while the branch is pinned; null otherwise. */
  readonly fitted: number | null;
}

export interface BranchData {
  readonly curve: Curve;
  readonly prior: Curve | null;
  readonly sorted: Float64Array;
  /** The fitted mean, where the branch is pinned elsewhere. */
  readonly fitted: number | null;
  /** No labels: the density is the prior and is drawn as such. */
  readonly isPrior: boolean;
}

/** Geometry of one branch's plot, `width` px wide. */
export function branchPlot(data: BranchData, width: number): BranchPlot {
  const axis = [INSET, Math.max(INSET + 1, width - INSET)] as const;
  const scale: Scale = { domain: [0, 1], range: axis };
  const at = (x: number) => toPixels(scale, x);
  const heights = (curve: Curve, tall: number) =>
    curve.points.map(([x, y]) => [at(x), BASE - y * tall * (BASE - TOP)] as const);
  const body = data.isPrior ? [] : heights(data.curve, 1);
  const shown = body.filter(([, y]) => BASE - y > 0.3);
  const first = shown[0];
  const last = shown[shown.length - 1];
  const prior = data.isPrior ? data.curve : data.prior;
  const tall = prior === null ? 0 : data.isPrior ? Math.min(0.6, 0.25 * prior.peak) : Math.min(0.9, prior.peak / data.curve.peak);
  const { dots, diameter } = quantileDots(data.sorted, at, BASE - TOP, 3.4);
  return {
    width,
    height: BRANCH_HEIGHT,
    base: BASE,
    axis,
    ticks: [0, 0.5, 1].map(at),
    area: first && last ? `${linePath([[first[0], BASE], ...shown, [last[0], BASE]])}Z` : "",
    line: linePath(shown),
    prior: prior ? linePath(heights(prior, tall)) : "",
    dots: dots.map((dot) => circlePath(dot.x, BASE - 0.5 - diameter * (dot.level + 0.5), 0.44 * diameter)).join(""),
    fitted: data.fitted === null ? null : at(data.fitted),
  };
}
