/** One headline number: its texts, and its plot of 50 quantile dots on an axis. */
import { decimal, points, weightOf } from "../core/format.ts";
import { clamp } from "../core/numbers.ts";
import { quantileDots } from "../core/quantile-dots.ts";
import { entry } from "../core/records.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import type { Stat } from "../core/shape.ts";
import { charactersIn, pointsWide, policyName, shortened, VAGUE_POINTS } from "../core/words.ts";
import { POLICY } from "../engine/tree.ts";
import { circlePath, ghostPath } from "./paths.ts";
import { difference, fittedPolicy, isScored, shownInterval, shownValue, UNKNOWN, type Scene } from "./scene.ts";

export const STAT_HEIGHT = 64;
const BASE = 46;
const INSET = 4;
/** Most characters of a symbol that holds the name of a level. */
const SYMBOL = 14;

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

export interface StatPicture {
  readonly key: string;
  readonly hue: "r" | "a" | "t" | "good";
  readonly name: string;
  readonly symbol: string;
  readonly value: string;
  readonly interval: string;
  /** Signed difference from the fitted policy; "" while that policy is on. */
  readonly delta: string;
  readonly isVague: boolean;
  /** A what-if is on: the dots are not the fit's. */
  readonly isMoved: boolean;
  readonly sentence: string;
  readonly plot: StatPlot;
}

/** The numbers above the tree; the last one is the policy's. */
export function statPictures(scene: Scene): StatPicture[] {
  return [...scene.shape.stats.map((stat) => rateStat(scene, stat)), policyStat(scene)];
}

/** A rate that no policy decides. */
function rateStat(scene: Scene, { key, level, hue, ...words }: Stat): StatPicture {
  const { group, fitted, fit, layout } = scene;
  const room = charactersIn(layout.statWidth, 12.5);
  const symbol = shortened(words.symbol, level, Math.min(SYMBOL, 0.4 * room));
  const name = shortened(words.name, level, room - symbol.length);
  const estimate = group.quantities[key] ?? group.branches[key] ?? UNKNOWN;
  const before = fitted && (fitted.group.quantities[key] ?? fitted.group.branches[key] ?? UNKNOWN).value;
  return {
    key,
    hue,
    name,
    symbol,
    value: shownValue(estimate),
    interval: shownInterval(estimate),
    delta: before === null || before === estimate.value ? "" : points(estimate.value ?? 0, before),
    isMoved: before !== null && before !== estimate.value,
    isVague: group.n_rows === 0 || pointsWide(estimate) > VAGUE_POINTS,
    sentence: `${words.name}: ${estimate.text}`,
    plot: statPlot(estimate.value === null ? new Float64Array() : entry(fit.sortedStats, key), [0, 1], before === estimate.value ? null : before, layout.statWidth),
  };
}

/** P(G), or what else the policy makes of the outcomes. */
function policyStat(scene: Scene): StatPicture {
  const { shape, group, layout, kind, answer, weights } = scene;
  const { estimate, sorted } = answer;
  const isUtility = kind === "utility";
  const all = shape.leaves.map((world) => weightOf(weights, world));
  const domain = isUtility ? ([Math.min(...all), Math.max(...all)] as const) : ([0, 1] as const);
  const fitted = fittedPolicy(scene);
  return {
    key: POLICY,
    hue: "good",
    name: policyName(kind),
    symbol: isScored(kind) ? "mean" : "P(G)",
    isMoved: scene.fitted !== null && fitted !== estimate.value,
    value: isUtility && estimate.value !== null ? decimal(estimate.value) : shownValue(estimate),
    interval:
      isUtility && estimate.lower !== null && estimate.upper !== null
        ? `${decimal(estimate.lower)} to ${decimal(estimate.upper)}`
        : shownInterval(estimate),
    delta: fitted === null ? "" : difference(estimate.value ?? 0, fitted, isUtility),
    isVague: group.n_rows === 0 || pointsWide(estimate) > VAGUE_POINTS * (domain[1] - domain[0]),
    sentence: `${policyName(kind)}: ${estimate.text}`,
    plot: statPlot(sorted, domain, fitted, layout.statWidth),
  };
}
