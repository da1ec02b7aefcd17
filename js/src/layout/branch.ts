/** A branch: its texts, its slider, and the plot behind it with its density and where the fit is. */
import { pinLimit, type Branch } from "../contract/levels.ts";
import type { Estimate } from "../contract/tree.ts";
import type { Curve } from "../core/density.ts";
import { EN_DASH, isPinned, percent, pinPercent } from "../core/format.ts";
import { sentenceCase } from "../core/letters.ts";
import { roundHalfUp } from "../core/numbers.ts";
import { quantileDots } from "../core/quantile-dots.ts";
import { entry } from "../core/records.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { findQuantity, type Step } from "../core/shape.ts";
import { charactersIn, labelLine, pointsWide, shortened, textWidth, undefinedReason, VAGUE_POINTS } from "../core/words.ts";
import { circlePath, linePath } from "./paths.ts";
import type { Box } from "./tree.ts";
import { shownInterval, shownValue, UNKNOWN, wholeOf, type Scene } from "./scene.ts";

export const BRANCH_HEIGHT = 38;
/** Half the width of the slider's thumb, by which the axis is inset. */
export const INSET = 9;
const BASE = 30;
const TOP = 3;
/** Lines of a title that a level's name may fill, less what breaking them wastes. */
const TITLE_LINES = 1.5;
/** Size of the type of a title, as wide as bold type is. */
const TITLE_SIZE = 15;
/** Number, gaps and reset button in the line of the interval, in px. */
const BESIDE = 84;

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
  /** Pixel of the fitted mean while a what-if has moved the branch; null otherwise. */
  readonly fitted: number | null;
  /** Pixel where the slider ends, where that is not the end of the axis. */
  readonly stop: number | null;
}

export interface BranchData {
  readonly curve: Curve;
  readonly prior: Curve | null;
  readonly sorted: Float64Array;
  /** The fitted mean, where a what-if has moved the branch. */
  readonly fitted: number | null;
  /** How far the slider goes, where that is not 1. */
  readonly stop?: number | null;
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
    stop: data.stop === undefined || data.stop === null ? null : at(data.stop),
  };
}

export interface BranchPicture {
  readonly key: Branch;
  readonly hue: "r" | "a" | "t";
  readonly box: Box | null;
  readonly title: string;
  /** The words before the number that is counted, and those behind it. */
  readonly question: string;
  readonly answer: string;
  readonly tail: string;
  readonly value: string;
  readonly interval: string;
  readonly isVague: boolean;
  /** Label counts, "" when they would not fit. */
  readonly labels: string;
  /** For hover: what does not fit or cannot be moved; "" where nothing is hidden. */
  readonly help: string;
  readonly sentence: string;
  readonly slider: SliderPicture;
  readonly plot: BranchPlot;
}

export interface SliderPicture {
  readonly isPinned: boolean;
  /** Where the needle stands, 0 to 1. */
  readonly at: number;
  /** How far it goes: 1, or what the other levels leave. */
  readonly max: number;
  /** Why it cannot be moved; "" where it can. */
  readonly whyFixed: string;
  /** What the box beside it shows, without the sign; an en dash when undefined. */
  readonly box: string;
  readonly unit: string;
  readonly label: string;
  /** The value as a sentence. */
  readonly told: string;
}

/** Queries of 100 that reach a branch, and those that take its "yes". */
function reach(scene: Scene, key: Branch): readonly [of: number, yes: number] {
  const { numerator, denominator } = findQuantity(scene.shape, key) ?? { numerator: [], denominator: [] };
  return [denominator.length > 0 ? wholeOf(scene, denominator) : 100, wholeOf(scene, numerator)];
}

/** What is counted at a branch: the words before the number, the number, those behind it. */
function counted(scene: Scene, { key, depth, asks, tail }: Step, estimate: Estimate): readonly [string, string, string] {
  const [of, yes] = reach(scene, key);
  const isStep = scene.controls.unit === "step";
  const lead = depth === 0 ? "" : isStep ? "of 100 such, " : `of ${of}, `;
  const inStep = estimate.value === null ? EN_DASH : String(roundHalfUp(100 * estimate.value));
  return [`${lead}${asks}`, isStep ? inStep : String(yes), tail];
}

/** The branches in the order in which they are read. */
export function branchPictures(scene: Scene): BranchPicture[] {
  return scene.shape.reading.map((key) => branchPicture(scene, entry(scene.shape.steps, key)));
}

function branchPicture(scene: Scene, step: Step): BranchPicture {
  const { shape, group, fitted, fit, layout, controls } = scene;
  const { key, letter } = step;
  const estimate = group.branches[key] ?? UNKNOWN;
  const before = (fitted?.group ?? group).branches[key]?.value ?? null;
  const isMoved = controls.pins?.[key] !== undefined || (fitted !== null && estimate.value !== null && estimate.value !== before);
  const [asked, answer, tail] = counted(scene, step, estimate);
  const labels = group.labels[key];
  const line = labelLine(letter, labels);
  const width = entry(layout.plotWidths, key);
  const isPrior = group.n_rows === 0;
  // All levels of R are asked about at once: their labels stand at the root.
  const isShown = !isPrior && line !== "" && !(shape.isGraded && letter === "R");
  const fits = isShown && textWidth(line, 11.5) <= 2 * width;
  const title = shortened(step.title, step.level, charactersIn(TITLE_LINES * width, TITLE_SIZE));
  const reason = estimate.value === null ? undefinedReason(findQuantity(shape, key)?.symbol ?? "") : `${estimate.text}`;
  const slider = sliderPicture(scene, step, estimate, before, `${asked} ${answer}${tail}`);
  return {
    key,
    hue: ({ R: "r", A: "a", T: "t" } as const)[letter],
    box: layout.branches?.[key] ?? null,
    title,
    question: `${asked}\u00a0`,
    answer,
    tail,
    value: shownValue(estimate),
    interval: behindValue(scene, key, estimate, before),
    isVague: isPrior || pointsWide(estimate) > VAGUE_POINTS,
    labels: fits ? line : "",
    help: [title === step.title ? "" : step.title, isShown && !fits ? line : "", slider.whyFixed].filter((text) => text !== "").join(". "),
    slider,
    sentence: `${step.title}, ${asked} ${answer}${tail}. ${reason}.${line && !isPrior ? ` ${line}.` : ""}${slider.whyFixed && ` ${slider.whyFixed}.`}`,
    plot: branchPlot(
      {
        curve: entry(isPrior && !isMoved ? fit.priors : fit.curves, key),
        prior: (labels?.labelled ?? 0) <= 12 ? entry(fit.priors, key) : null,
        sorted: entry(fit.sortedBranches, key),
        fitted: isMoved ? before : null,
        isPrior,
        stop: slider.max < 1 && !slider.whyFixed ? slider.max : null,
      },
      width,
    ),
  };
}

/** What stands behind the number: its interval, where the fit is, or why there is none. */
function behindValue({ fitted, controls, layout }: Scene, key: Branch, estimate: Estimate, before: number | null): string {
  if (estimate.value === null) return "no query gets here";
  if (controls.pins?.[key] !== undefined) return `fit ${percent(before)}`;
  if (isPinned(estimate)) return "what is left";
  const shown = shownInterval(estimate);
  const compared = `${shown}, fit ${percent(before)}`;
  const isShared = fitted !== null && estimate.value !== before;
  return isShared && textWidth(compared, 12.5) + BESIDE <= entry(layout.plotWidths, key) ? compared : shown;
}

function sliderPicture({ shape, controls }: Scene, step: Step, estimate: Estimate, before: number | null, told: string): SliderPicture {
  const { key } = step;
  const pin = controls.pins?.[key];
  const limit = pinLimit(shape, controls.pins ?? {}, key);
  const isUndefined = estimate.value === null;
  const reason = isUndefined ? undefinedReason(findQuantity(shape, key)?.symbol ?? "") : told;
  return {
    isPinned: pin !== undefined,
    at: pin ?? estimate.value ?? before ?? 0.5,
    max: limit ?? 1,
    whyFixed: limit === null ? "The other levels are set and leave this one no choice" : "",
    box: isUndefined ? EN_DASH : shownValue(estimate).replace("%", ""),
    unit: isUndefined ? "" : "%",
    label: sentenceCase(step.pin),
    told:
      `${shownValue(estimate)}, ${reason}` +
      (pin === undefined ? "" : `; what if, the fit has ${percent(before)}`) +
      (limit !== null && limit < 1 ? `; at most ${pinPercent(limit)} beside the other levels` : ""),
  };
}
