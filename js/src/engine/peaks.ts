/**
 * Modes of the logits' posterior, each with its curvature and its share of the mass (Python's
 * `inference/peaks.py`): EM climbs from several starts, damped Newton steps finish, and what ends
 * at the same place is one mode.
 */
import { atOnce } from "../core/slices.ts";
import { factorise, solve, whiten, type Factor } from "./envelope.ts";
import { isRidge } from "./ridges.ts";
import { imagesOf, startsOf } from "./starts.ts";
import { costOf, curvatureAt, densityAt, emStep, isDear, type Surface } from "./surface.ts";

export interface Peak {
  readonly centre: Float64Array;
  /** Of the precision. */
  readonly factor: Factor;
  /** Laplace's share of the mass; the shares of all modes sum to 1. */
  readonly weight: number;
  /** Peaks on one ridge are one reading of the rows: which. */
  readonly reading: number;
  /** Where the curvature was taken: the centre, or not far from it. */
  readonly curvedAt: Float64Array;
}

interface End extends Omit<Peak, "weight" | "reading"> {
  readonly evidence: number;
}

/** Where a mode was before a move, with its factor where the same places are free. */
export type Known = Pick<Peak, "centre" | "reading"> & Partial<Pick<Peak, "factor" | "curvedAt">>;

const EM_STEPS = 25;
const NEWTON_STEPS = 30;
const LONGEST = 3;
/** A step as short as this ends at the mode but for its square, and leaves the curvature as it is. */
const ARRIVED = 1e-4;
/** Additions and multiplications of a step of a climb, up to which ten climbs and more are no matter. */
const CHEAP = 6000;
/** Squared distance in standard deviations up to which a curvature is that of the mode. */
const NEAR = 0.25;
/** Density of a start after EM, in nats for each probability below the best mode's, that leads nowhere. */
const HOPELESS = 5;
const CHORD_STEPS = 12;
/** Starts beside the modes that are followed: the straight one, and R turned round. */
const LOOKED_AT = 3;
const MOST_PEAKS = 4;
const LEAST_WEIGHT = 1e-3;
/** Squared distance in standard deviations of the better mode within which two ends are one. */
const SAME = 4;
/** Least curvature of a logit: flatter directions are cut off. */
const FLOOR = 0.15;
/** A mirror image that is lower than the best mode by more, in nats, is the image of nothing. */
const MIRRORED = 20;

/** The modes, the heaviest first, from all over the space; one climb a slice. */
export function* peakSlices(surface: Surface): Generator<undefined, readonly Peak[]> {
  const ends: End[] = [];
  for (const start of startsOf(surface)) {
    ends.push(...reached(surface, start, ends));
    yield;
  }
  // Where nothing tells a truth from its opposite a mode that a scattered start came to has an image as high as itself.
  for (const image of newImages(surface, ends)) {
    ends.push(...reached(surface, image, ends));
    yield;
  }
  const kept = distinct(ends);
  const found: Peak[] = [];
  for (const [i, { evidence: _, ...end }] of kept.entries()) {
    const same = found.find((peak) => isRidge(surface, peak.centre, end.centre));
    found.push({ ...end, reading: same?.reading ?? i });
    if (i > 0) yield;
  }
  return found;
}

/**
 * The modes after a move of priors or pins. Where that is a matter of milliseconds they are looked
 * for from all over the space, so that the answer hangs on no move before; else they are followed
 * from where they were, and looked for where whole labels and their mirror images put them.
 */
export function followPeaks(surface: Surface, from: readonly Known[]): readonly Peak[] {
  if (costOf(surface) <= CHEAP) return atOnce(peakSlices(surface));
  const followed = from.map((known) => ({ ...follow(surface, known), reading: known.reading }));
  // In the middle of a drag that is dear nothing but what is followed is looked at.
  const isStill = isDear(surface) && followed.every(({ factor }, i) => factor === from[i]?.factor);
  const ends: End[] = [...followed];
  const anew = (isStill ? [] : startsOf(surface).slice(0, LOOKED_AT)).flatMap((start) => {
    const found = reached(surface, start, ends).map((end) => ({ ...end, reading: -1 }));
    ends.push(...found);
    return found;
  });
  const found: Peak[] = [];
  for (const { evidence: _, reading, ...end } of distinct([...followed, ...anew])) {
    const same = reading < 0 ? found.find((peak) => isRidge(surface, peak.centre, end.centre))?.reading : reading;
    found.push({ ...end, reading: same ?? from.length + found.length });
  }
  return found;
}

/** Mirror images of the modes that are about as high, and no modes yet. */
function newImages(surface: Surface, ends: readonly End[]): readonly Float64Array[] {
  const kept = distinct([...ends]);
  const heightOf = (z: Float64Array) => densityAt(surface, z, new Float64Array(z.length));
  const best = Math.max(...kept.map(({ centre }) => heightOf(centre)));
  return kept.flatMap(({ centre }) => imagesOf(surface, centre)).filter((image) => kept.every((end) => distance(image, end) > SAME) && heightOf(image) > best - MIRRORED);
}

/** Where a climb from a start ends: none where that is dear and it comes to a known end, or leads nowhere. */
function reached(surface: Surface, start: Float64Array, known: readonly End[]): readonly End[] {
  if (!isDear(surface) || known.length === 0) return [climb(surface, start, EM_STEPS)];
  const z = Float64Array.from(start);
  for (let i = 0; i < EM_STEPS; i++) emStep(surface, z);
  const density = densityAt(surface, z, new Float64Array(z.length));
  const best = Math.max(...known.map(({ evidence, factor }) => evidence + factor.logDet));
  if (density < best - HOPELESS * z.length || known.some((end) => distance(z, end) <= SAME)) return [];
  return [climb(surface, z, 0)];
}

/** A mode after a move, by the curvature that it had as long as that leads up. */
function follow(surface: Surface, { centre, factor, curvedAt }: Known): End {
  if (!factor || !curvedAt || !isDear(surface)) return climb(surface, centre, 0);
  let z = centre;
  let gradient = new Float64Array(z.length);
  let density = densityAt(surface, z, gradient);
  for (let i = 0; i < CHORD_STEPS; i++) {
    const step = Float64Array.from(gradient);
    solve(factor, step);
    const there = z.map((x, k) => x + (step[k] ?? 0));
    const slope = new Float64Array(z.length);
    const higher = densityAt(surface, there, slope);
    if (!(higher >= density - 1e-12 * Math.abs(density))) break;
    [z, gradient, density] = [there, slope, higher];
    if (!step.every((x) => Math.abs(x) < ARRIVED)) continue;
    if (distance(z, { centre: curvedAt, factor }) > NEAR) break;
    return { centre: z, factor, curvedAt, evidence: density - factor.logDet };
  }
  return climb(surface, z, 0);
}

/** Of each reading of the rows its share of the mass, the heaviest first. */
export function readingsOf(peaks: readonly Peak[]): number[] {
  const shares = new Map<number, number>();
  for (const { reading, weight } of peaks) shares.set(reading, (shares.get(reading) ?? 0) + weight);
  return [...shares.values()].sort((a, b) => b - a);
}

function distinct<E extends End>(ends: E[]): (E & { readonly weight: number })[] {
  ends.sort((a, b) => b.evidence - a.evidence);
  const best = ends[0]?.evidence ?? 0;
  const kept: E[] = [];
  for (const end of ends) {
    if (kept.length === MOST_PEAKS || end.evidence < best + Math.log(LEAST_WEIGHT)) break;
    if (kept.every((other) => distance(end.centre, other) > SAME)) kept.push(end);
  }
  const all = kept.reduce((total, { evidence }) => total + Math.exp(evidence - best), 0);
  return kept.map((end) => ({ ...end, weight: Math.exp(end.evidence - best) / all }));
}

function distance(point: Float64Array, { centre, factor }: Pick<Peak, "centre" | "factor">): number {
  const away = point.map((x, k) => x - (centre[k] ?? 0));
  whiten(factor, away);
  return away.reduce((total, x) => total + x * x, 0);
}

function climb(surface: Surface, start: Float64Array, emSteps: number): End {
  let z = Float64Array.from(start);
  for (let i = 0; i < emSteps; i++) emStep(surface, z);
  let gradient = new Float64Array(z.length);
  let density = densityAt(surface, z, gradient);
  let damping = 1e-9;
  let { hessian, complete } = curvatureAt(surface, z);
  for (let i = 0; i < NEWTON_STEPS; i++) {
    const step = newtonStep(surface, hessian, complete, gradient, damping);
    const there = z.map((x, k) => x + (step?.[k] ?? 0));
    const slope = new Float64Array(z.length);
    const reached = step ? densityAt(surface, there, slope) : -Infinity;
    if (!(reached >= density - 1e-12 * Math.abs(density))) {
      damping = Math.min(1e6, Math.max(0.1, 10 * damping));
      continue;
    }
    [z, gradient, density] = [there, slope, reached];
    damping = Math.max(1e-9, 0.1 * damping);
    if (damping < 1e-6 && step?.every((x) => Math.abs(x) < ARRIVED)) break;
    ({ hessian, complete } = curvatureAt(surface, z));
  }
  const factor = factorise(hessian, surface.first, FLOOR) as Factor;
  return { centre: z, factor, curvedAt: z, evidence: density - factor.logDet };
}

/** The step to the top of the parabola, none too long; null where it opens upwards. */
function newtonStep(
  { first }: Surface,
  hessian: Float64Array,
  complete: Float64Array,
  gradient: Float64Array,
  damping: number,
): Float64Array | null {
  const n = first.length;
  const damped = Float64Array.from(hessian);
  for (let k = 0; k < n; k++) damped[k * n + k] = (damped[k * n + k] ?? 0) + damping * (complete[k] ?? 0);
  const factor = factorise(damped, first);
  if (!factor) return null;
  const step = Float64Array.from(gradient);
  solve(factor, step);
  return step.map((x) => Math.min(LONGEST, Math.max(-LONGEST, x)));
}
