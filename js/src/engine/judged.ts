/** Posterior draws of every probability of a table with verdicts, at once or in slices. */
import { atOnce } from "../core/slices.ts";
import { annealingCost, annealSlices, ISLANDS } from "./annealed.ts";
import { collapse, type Collapsed, type JudgedTable } from "./collapsed.ts";
import { MIXED, mixingOf, type Chains, type Mixing } from "./mixing.ts";
import { followPeaks, peakSlices, type Known, type Peak } from "./peaks.ts";
import { betaDraws, normals, uniforms } from "./random.ts";
import { forwardTheta } from "./reversed.ts";
import { structureOf, surfaceOf, type Prior, type Structure, type Surface } from "./surface.ts";
import { CHAINS, gaussianLogits, longWalkSlices, walkSlices, type Logits } from "./walkers.ts";
import { passing, verdictRates, type VerdictRates } from "./verdicts.ts";
import { targetDrawsOf, worldDrawsOf } from "./worlds.ts";

/** What is believed beforehand of every parameter, and rates that are taken as given; by name. */
export interface Beliefs {
  readonly priors: Readonly<Record<string, Prior>>;
  readonly pins: Readonly<Record<string, number>>;
  /** Keys of judges whose TPR is above their FPR, because somebody said so. */
  readonly aboveChance?: readonly string[];
  /** Keys of graded judges whose higher levels speak for the truth more than lower ones, because somebody said so. */
  readonly inOrder?: readonly string[];
}

/** Draws by parameter, each of a group; none where what somebody said leaves too few. */
export interface Draws {
  readonly collapsed: Collapsed;
  readonly n: number;
  /** Draws of a parameter, in the order of `collapsed.names`, in a group. */
  readonly of: (group: number, parameter: number) => Float64Array;
  readonly modes: Modes;
  readonly mixing: Mixing;
}

/** Where the mass is: the places that were free, and the modes over them. */
export interface Modes {
  readonly free: Int32Array;
  readonly peaks: readonly Peak[];
}

/** Draws of the free places, as logits, and where their mass is: plain data, all that a fit walks for. */
export interface Sample {
  readonly n: number;
  readonly logits: Logits;
  readonly modes: Modes;
  readonly mixing: Mixing;
}

/** Above this R-hat, or with more draws than that for an independent one, walkers are given up. */
const MOST_R_HAT = 1.02;
const SLOW = 10;
/** Of fewer draws nothing is told. */
const FEWEST_TOLD = 1000;
/** Additions and multiplications that draws may cost: some seconds. */
const MOST_COST = 8e9;

/** A table ready to be fitted under any beliefs. */
export interface Fittable {
  readonly structure: Structure;
  readonly seed: number;
  readonly label: string;
}

export function fittable(table: JudgedTable, seed: number, label: string): Fittable {
  return { structure: structureOf(collapse(table)), seed, label };
}

function priorIn({ priors }: Beliefs): (name: string) => Prior {
  return (name) => priors[name] ?? [1, 1];
}

function surfaceIn({ structure }: Fittable, beliefs: Beliefs): Surface {
  return surfaceOf(structure, priorIn(beliefs), (name) => beliefs.pins[name] ?? null);
}

/**
 * Draws from the Laplace approximation, in a few milliseconds; parameters that no mixed pattern
 * holds are exact. The same normals stand behind all of them, so that a drag moves smoothly.
 *
 * `from` are the modes of the last answer: given, they are followed and no other looked for.
 */
export function laplaceFit(fit: Fittable, beliefs: Beliefs, n: number, from: Modes | null = null): Draws {
  const surface = surfaceIn(fit, beliefs);
  if (surface.free.length === 0) return drawsOf(fit, beliefs, nothingFree(surface, n));
  const peaks = from && from.peaks.length > 0 ? followPeaks(surface, carried(surface, from)) : atOnce(peakSlices(surface));
  const logits = gaussianLogits(surface, peaks, whiteNoise(fit, surface, n), n);
  return drawsOf(fit, beliefs, { n, logits, modes: { free: surface.free, peaks }, mixing: MIXED });
}

/** The modes over the places that are free now; what was held before starts where labels put it. */
function carried({ free, alpha, beta }: Surface, from: Modes): readonly Known[] {
  if (free.length === from.free.length && free.every((i, k) => i === from.free[k])) return from.peaks;
  const before = new Map([...from.free].map((i, k) => [i, k]));
  return from.peaks.map(({ centre, reading }) => ({
    centre: Float64Array.from(free, (i) => centre[before.get(i) ?? -1] ?? Math.log((alpha[i] ?? 1) / (beta[i] ?? 1))),
    reading,
  }));
}

/** Full draws by HMC in slices, and what is exact as it is. */
export function* hmcFit(fit: Fittable, beliefs: Beliefs, n: number): Generator<undefined, Draws> {
  return drawsOf(fit, beliefs, yield* hmcSample(fit, beliefs, n));
}

/**
 * What HMC walks for, in slices: wherever it is made, `drawsOf` makes the same of it.
 *
 * Where walkers from the modes do not mix points are annealed from the prior; where that costs too
 * much the walkers take longer ways. How well the draws are known in the end is told with them.
 */
export function* hmcSample(fit: Fittable, beliefs: Beliefs, n: number): Generator<undefined, Sample> {
  const surface = surfaceIn(fit, beliefs);
  if (surface.free.length === 0) return nothingFree(surface, n);
  const peaks = yield* peakSlices(surface);
  const told = (logits: Logits, chains: Chains): Sample => {
    const sample = { n, logits, modes: { free: surface.free, peaks }, mixing: MIXED };
    return { ...sample, mixing: mixingIn(fit, beliefs, sample, chains) };
  };
  const uniform = (what: string) => uniforms(fit.seed, `${fit.label} ${what}`);
  const first = told(yield* walkSlices(surface, peaks, n, uniform("walk")), { n: CHAINS, isWalk: true });
  if (n < FEWEST_TOLD || (first.mixing.rHat <= MOST_R_HAT && first.mixing.slowness <= SLOW)) return first;
  yield;
  if (annealingCost(surface, n) <= MOST_COST) {
    return told(yield* annealSlices(surface, peaks, priorIn(beliefs), n, uniform("anneal")), { n: ISLANDS, isWalk: false });
  }
  return told(yield* longWalkSlices(surface, peaks, n, uniform("long walk")), { n: CHAINS, isWalk: true });
}

/** What chains say of each other, by P(R), P(T), P(G) of every group and all that was walked. */
function mixingIn(fit: Fittable, beliefs: Beliefs, sample: Sample, chains: Chains): Mixing {
  const { collapsed, of } = drawsOf(fit, { ...beliefs, aboveChance: [], inOrder: [] }, sample);
  const { worlds, columns } = collapsed;
  const targets = columns.flatMap((_, group) => targetDrawsOf(worlds, worlds.parameters.map((_, k) => of(group, k))));
  const size = sample.modes.free.length;
  const walked = Array.from({ length: size }, (_, k) => Float64Array.from({ length: sample.n }, (_, i) => 1 / (1 + Math.exp(-(sample.logits[i * size + k] ?? 0)))));
  return mixingOf(targets, walked, chains);
}

/** The sample where all is exact. */
function nothingFree({ free }: Surface, n: number): Sample {
  return { n, logits: new Float64Array(), modes: { free, peaks: [] }, mixing: MIXED };
}

const noise = new WeakMap<Structure, { n: number; key: string; white: Float64Array }>();

/** Standard normals of all places, the same for every answer; those of the free ones. */
function whiteNoise({ structure, seed, label }: Fittable, { free }: Surface, n: number): Float64Array {
  const all = structure.columns.length;
  const key = `${seed} ${label}`;
  let known = noise.get(structure);
  if (!known || known.n !== n || known.key !== key) {
    const normal = normals(uniforms(seed, `${label} normals`));
    known = { n, key, white: Float64Array.from({ length: n * all }, normal) };
    noise.set(structure, known);
  }
  if (free.length === all) return known.white;
  const white = new Float64Array(n * free.length);
  for (let i = 0; i < n; i++) {
    for (let k = 0; k < free.length; k++) white[i * free.length + k] = known.white[i * all + (free[k] ?? 0)] ?? 0;
  }
  return white;
}

/** Draws of every parameter, made when they are asked for: walked ones from the sample, exact ones from Betas. */
export function drawsOf(fit: Fittable, beliefs: Beliefs, { n, logits, modes, mixing }: Sample): Draws {
  const { structure, seed, label } = fit;
  const { collapsed, columns } = structure;
  const { owners, names, ones, zeros } = collapsed;
  const size = modes.free.length;
  const walked = new Map([...modes.free].map((i, k) => [columns[i] ?? 0, k]));
  const made = new Map<number, Float64Array>();
  const draw = (column: number): Float64Array => {
    const [group, parameter] = owners[column] ?? [0, 0];
    const name = names[parameter] ?? "";
    const pin = beliefs.pins[name];
    if (pin !== undefined) return new Float64Array(n).fill(pin);
    const k = walked.get(column);
    if (k !== undefined) {
      const of = new Float64Array(n);
      for (let i = 0; i < n; i++) of[i] = 1 / (1 + Math.exp(-(logits[i * size + k] ?? 0)));
      return of;
    }
    const [a, b] = priorIn(beliefs)(name);
    return betaDraws(a + (ones[column] ?? 0), b + (zeros[column] ?? 0), n, uniforms(seed, `${label} ${group} ${name}`));
  };
  const raw = (group: number, parameter: number) => {
    const column = collapsed.columns[group]?.[parameter] ?? 0;
    const known = made.get(column) ?? draw(column);
    made.set(column, known);
    return known;
  };
  const turned = new Map<number, readonly Float64Array[]>();
  const draws: Draws = {
    collapsed,
    n,
    modes,
    mixing,
    of: (group, parameter) => {
      if (!collapsed.reversed[group] || collapsed.kinds[parameter] !== "theta") return raw(group, parameter);
      const theta = turned.get(group) ?? forwardTheta((k) => raw(group, k));
      turned.set(group, theta);
      return theta[parameter] ?? raw(group, parameter);
    },
  };
  return keptAsSaid(draws, beliefs);
}

/** TPR and FPR of a judge, draw by draw, and P("cannot tell"); of a graded one from its cut on. */
export interface ToldApart {
  readonly tpr: Float64Array;
  readonly fpr: Float64Array;
  readonly unknown: readonly [given1: Float64Array, given0: Float64Array] | null;
  /** Of a judge that has other rates: P(level | truth), and the level from which on a verdict passes. */
  readonly verdicts: VerdictRates | null;
  readonly cut: number;
}

/** How a group's judge tells truths apart, whatever its rates. */
export function toldApart({ collapsed, of }: Draws, group: number, j: number): ToldApart {
  const { speakers, worlds } = collapsed;
  const judge = speakers[j];
  if (!judge) throw new Error(`Expected one of ${speakers.length} judges; got number ${j}.`);
  const ofGroup = (k: number) => of(group, k);
  if (judge.isPlain) {
    const [tpr, fpr, given1, given0] = judge.places.map(ofGroup) as [Float64Array, Float64Array, Float64Array?, Float64Array?];
    return { tpr, fpr, unknown: given1 && given0 ? [given1, given0] : null, verdicts: null, cut: 1 };
  }
  const masses = worldDrawsOf(worlds, worlds.parameters.map((_, k) => of(group, k)));
  const verdicts = verdictRates(speakers, j, worlds, masses, ofGroup);
  const cut = judge.cut ?? 1;
  const { levels: [given0, given1], unknown } = verdicts;
  return { tpr: passing(given1, cut), fpr: passing(given0, cut), unknown: judge.has_unknown ? [unknown[1], unknown[0]] : null, verdicts, cut };
}

/** Draws that are to be left when those are dropped that break a constraint. */
const FEWEST_KEPT = 100;

/** The draws in which judges are as somebody said, better than a coin, and with levels in order: those of the posterior where that holds. */
function keptAsSaid(draws: Draws, { aboveChance = [], inOrder = [] }: Beliefs): Draws {
  const { collapsed, of } = draws;
  const told = (keys: readonly string[]) =>
    collapsed.columns.flatMap((_, group) => collapsed.speakers.flatMap(({ key }, j) => (keys.includes(key) ? [toldApart(draws, group, j)] : [])));
  const [bound, graded] = [told(aboveChance), told(inOrder).map(({ verdicts }) => verdicts)];
  if (bound.length + graded.length === 0) return draws;
  const isAsSaid = (i: number) => bound.every(({ tpr, fpr }) => (tpr[i] ?? 0) > (fpr[i] ?? 0)) && graded.every((rates) => rates === null || rises(rates, i));
  const isKept = Uint8Array.from({ length: draws.n }, (_, i) => Number(isAsSaid(i)));
  const held = isKept.reduce((total, one) => total + one, 0);
  if (held < FEWEST_KEPT) isKept.fill(0);
  const kept = new Map<Float64Array, Float64Array>();
  return {
    ...draws,
    n: held < FEWEST_KEPT ? 0 : held,
    of: (group, parameter) => {
      const all = of(group, parameter);
      const some = kept.get(all) ?? all.filter((_, i) => isKept[i] === 1);
      kept.set(all, some);
      return some;
    },
  };
}

/** Whether P(level | truth 1) / P(level | truth 0) falls nowhere, in a draw. */
function rises({ levels: [given0, given1] }: VerdictRates, i: number): boolean {
  const at = (of: readonly Float64Array[], level: number) => of[level]?.[i] ?? 0;
  return given1.every((_, k) => k === 0 || at(given1, k) * at(given0, k - 1) >= at(given1, k - 1) * at(given0, k));
}
