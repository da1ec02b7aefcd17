/** A judge's rate: its texts, its slider, and the plot behind it; the bracket between two rates. */
import type { RateKind } from "../contract/decode-judge.ts";
import { rateKey } from "../contract/decode-judge.ts";
import type { JudgeIdentity } from "../contract/judge.ts";
import type { Estimate } from "../contract/tree.ts";
import { betaCurve, type Curve } from "../core/density.ts";
import { NEAR_COIN } from "../contract/judge-tables.ts";
import { decimal, EN_DASH, interval, percent } from "../core/format.ts";
import type { RateMode } from "../core/judge-intent.ts";
import { passedLine, rateOf, rateWords } from "../core/judge-lines.ts";
import { decimalSpan, judgeName, of100Text } from "../core/judge-words.ts";
import { lowered } from "../core/letters.ts";
import { clamp } from "../core/numbers.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { pointsWide, VAGUE_POINTS } from "../core/words.ts";
import { NO_CURVE, UNDEFINED, type JudgeScene } from "./judge-scene.ts";
import { linePath, px } from "./paths.ts";

export const RATE_HEIGHT = 62;
export const GAP_HEIGHT = 22;
/** Half the width of the slider's thumb, by which the axis is inset. */
const INSET = 9;
const BASE = RATE_HEIGHT - 8;
const TOP = 4;
/** Least height of a prior's line, as a share of the plot: flat is low, not gone. */
const LOW_PRIOR = 0.13;

export interface RatePlot {
  readonly width: number;
  readonly height: number;
  readonly base: number;
  readonly axis: readonly [from: number, to: number];
  readonly ticks: readonly number[];
  readonly area: string;
  readonly line: string;
  readonly prior: string;
  /** Pixel of the fitted mean while the slider stands for something else; null otherwise. */
  readonly fitted: number | null;
}

export interface RatePicture {
  readonly key: string;
  readonly kind: RateKind;
  readonly mode: RateMode;
  readonly of: string;
  readonly term: string;
  readonly does: string;
  /** What stands in the number box. */
  readonly box: string;
  /** Behind it: the interval, or where the fit is. */
  readonly note: string;
  /** Labels that the prior is worth; null in the other modes. */
  readonly labels: string | null;
  readonly isVague: boolean;
  readonly at: number;
  readonly name: string;
  readonly told: string;
  readonly plot: RatePlot;
}

export interface RateCurves {
  readonly posterior: Curve;
  readonly prior: Curve;
  readonly fitted: number | null;
}

/** The axis of rates, in a plot `width` px wide. */
export function scaleOf(width: number): Scale {
  return { domain: [0, 1], range: [INSET, Math.max(INSET + 1, width - INSET)] };
}

/** Geometry of a rate's plot, `width` px wide. */
export function ratePlot({ posterior, prior, fitted }: RateCurves, width: number): RatePlot {
  const scale = scaleOf(width);
  const at = (x: number) => toPixels(scale, x);
  const heights = (curve: Curve, tall: number) => curve.points.map(([x, y]) => [at(x), BASE - y * tall * (BASE - TOP)] as const);
  const shown = heights(posterior, 1).filter(([, y]) => BASE - y > 0.3);
  const first = shown[0];
  const last = shown[shown.length - 1];
  // Alone it has the height that a density of 1 is drawn at.
  const tall = posterior.points.length === 0 ? Math.min(0.9, 0.25 * prior.peak) : clamp(prior.peak / posterior.peak, LOW_PRIOR, 0.9);
  return {
    width,
    height: RATE_HEIGHT,
    base: BASE,
    axis: [scale.range[0], scale.range[1]],
    ticks: [0, 0.5, 1].map(at),
    area: first && last ? `${linePath([[first[0], BASE], ...shown, [last[0], BASE]])}Z` : "",
    line: linePath(shown),
    prior: linePath(heights(prior, tall)),
    fitted: fitted === null ? null : at(fitted),
  };
}

/** A rate as it is shown. */
export function ratePicture(scene: JudgeScene, judge: JudgeIdentity, kind: RateKind): RatePicture {
  const { posture, now, fit, layout, group } = scene;
  const key = rateKey(kind, judge.key);
  const mode = posture.modeOf(key);
  const [among, does] = rateOf(kind, judge.of);
  const estimate = now.rates[key] ?? UNDEFINED;
  const [mean, labels] = posture.priorOf(key);
  const at = mode === "prior" ? mean : (posture.controls.pins?.[key] ?? estimate.value ?? 0.5);
  const before = fit.mean(key);
  const isChanged = mode !== "posterior";
  const shown = mode === "posterior" ? of100Text(estimate.value) : of100Text(at, true);
  const about = `${among} ${does}`;
  const words = rateWords(kind);
  const isOfDecisions = judge.has_unknown && !words.is_unknown;
  // In which case it is stands above it.
  const [plainTerm = ""] = words.name.split(words.case ? `, ${words.case}` : "\n");
  const term = isOfDecisions ? `${kind.toUpperCase().replace(/_.*/, "")} of its decisions` : plainTerm;
  return {
    key,
    kind,
    mode,
    of: among,
    term,
    does: does.replace("it ", ""),
    box: shown,
    note: noteOf(mode, estimate, fit.rate(key), before),
    labels: mode === "prior" ? labelsText(labels) : null,
    isVague: mode === "posterior" && pointsWide(estimate) > VAGUE_POINTS,
    at,
    name: `${judgeName(judge)}: ${lowered(about)}, ${term}`,
    told: toldOf(mode, about, shown, estimate, before),
    plot: ratePlot(
      {
        posterior: group.n_rows === 0 ? NO_CURVE : mode === "pinned" ? fit.curve(key) : now.curve(key),
        prior: betaCurve(mean * labels, (1 - mean) * labels),
        fitted: isChanged ? before : null,
      },
      layout.plot,
    ),
  };
}

/** A number of labels as a box shows it. */
export function labelsText(labels: number): string {
  return String(Math.round(100 * labels) / 100);
}

function noteOf(mode: RateMode, estimate: Estimate, fitted: Estimate | null, before: number | null): string {
  if (estimate.value === null) return EN_DASH;
  if (mode === "posterior") return interval(estimate.lower, estimate.upper);
  if (mode === "prior") return `posterior ${interval(estimate.lower, estimate.upper)}`;
  const span = fitted ? ` ${interval(fitted.lower, fitted.upper)}` : before === null ? "" : ` ${of100Text(before)}`;
  return `fit${span}`;
}

function toldOf(mode: RateMode, about: string, shown: string, estimate: Estimate, before: number | null): string {
  const fitted = before === null ? "" : `; the fit has ${percent(before)}`;
  if (mode === "pinned") return `${about} ${shown}, pinned${fitted}`;
  if (mode === "prior") return `Prior: ${lowered(about)} ${shown}; posterior ${estimate.text}`;
  return `${about} ${estimate.text}`;
}

export interface GapPicture {
  readonly width: number;
  readonly path: string;
  /** Youden's J, which the bracket is as wide as, and its interval. */
  readonly youden: string;
  readonly span: string;
  readonly isWeak: boolean;
}

/** The bracket between the needles of TPR, above, and FPR, below. */
export function gapPicture(scene: JudgeScene, judge: JudgeIdentity, rates: readonly RatePicture[]): GapPicture {
  const { layout, now } = scene;
  const at = (kind: RateKind) => now.rates[rateKey(kind, judge.key)]?.value ?? rates.find((rate) => rate.kind === kind)?.at ?? 0.5;
  const scale = scaleOf(layout.plot);
  const [above, below] = [toPixels(scale, at("tpr")), toPixels(scale, at("fpr"))];
  const youden = now.measures[judge.key]?.youden ?? UNDEFINED;
  return {
    width: layout.plot,
    // Between the needles of TPR and FPR, where there are such.
    path: judge.emission ? "" : `M${px(below)} ${GAP_HEIGHT - 2}V${GAP_HEIGHT / 2}H${px(above)}V2`,
    youden: youden.value === null ? EN_DASH : decimal(youden.value),
    span: decimalSpan(youden),
    isWeak: scene.group.n_rows > 0 && isWeak(youden),
  };
}

/** A judge that may be no better than a coin. */
export function isWeak({ value, lower }: Estimate): boolean {
  return value !== null && (value < NEAR_COIN || (lower ?? 0) <= 0);
}

/** A folded judge: both rates on one line. */
export interface StripPicture {
  readonly width: number;
  readonly axis: string;
  readonly link: string;
  readonly marks: readonly { readonly x: number; readonly kind: RateKind; readonly isMoved: boolean }[];
}

export const STRIP_HEIGHT = 20;

/** Where the needles of a folded judge stand, `width` px wide. */
export function stripPicture({ now, posture }: JudgeScene, judge: JudgeIdentity, width: number): StripPicture {
  const scale = scaleOf(width);
  const y = STRIP_HEIGHT / 2;
  const marks = (["tpr", "fpr"] as const).flatMap((kind) => {
    const key = rateKey(kind, judge.key);
    const value = now.rates[key]?.value;
    return value == null ? [] : [{ x: toPixels(scale, value), kind, isMoved: posture.modeOf(key) !== "posterior" }];
  });
  const [high, low] = marks;
  return {
    width,
    axis: `M${scale.range[0]} ${y}H${scale.range[1]}${[0, 0.5, 1].map((x) => `M${px(toPixels(scale, x))} ${y - 2}v4`).join("")}`,
    link: high && low ? `M${px(low.x)} ${y}H${px(high.x)}` : "",
    marks,
  };
}

/** A folded judge in words: how well it tells apart, and in full for hover. */
export function inShort({ now }: JudgeScene, judge: JudgeIdentity): readonly [short: string, full: string] {
  const of = (kind: RateKind) => now.rates[rateKey(kind, judge.key)]?.value ?? 0;
  const youden = now.measures[judge.key]?.youden.value ?? null;
  return [`tells apart ${youden === null ? EN_DASH : decimal(youden)}`, passedLine(judge.of, of("tpr"), of("fpr"))];
}
