/** Posterior draws of every probability of a table with verdicts, at once or in slices. */
import { atOnce } from "../core/slices.ts";
import { collapse, type Collapsed, type JudgedTable } from "./collapsed.ts";
import { followPeaks, peakSlices, type Peak } from "./peaks.ts";
import { betaDraws, normals, uniforms } from "./random.ts";
import { forwardTheta } from "./reversed.ts";
import { structureOf, surfaceOf, type Prior, type Structure, type Surface } from "./surface.ts";
import { gaussianLogits, walkSlices, type Logits } from "./walkers.ts";

/** What is believed beforehand of every parameter, and rates that are taken as given; by name. */
export interface Beliefs {
  readonly priors: Readonly<Record<string, Prior>>;
  readonly pins: Readonly<Record<string, number>>;
  /** Whether every judge's TPR is above its FPR, because somebody said so. */
  readonly isAboveChance?: boolean;
}

/** Draws by parameter, each of a group. */
export interface Draws {
  readonly collapsed: Collapsed;
  readonly n: number;
  /** Draws of a parameter, in the order of `collapsed.names`, in a group. */
  readonly of: (group: number, parameter: number) => Float64Array;
  readonly modes: Modes;
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
}

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
  return drawsOf(fit, beliefs, { n, logits, modes: { free: surface.free, peaks } });
}

/** The modes over the places that are free now; what was held before starts where labels put it. */
function carried({ free, alpha, beta }: Surface, from: Modes): readonly Pick<Peak, "centre" | "reading">[] {
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

/** What HMC walks for, in slices: wherever it is made, `drawsOf` makes the same of it. */
export function* hmcSample(fit: Fittable, beliefs: Beliefs, n: number): Generator<undefined, Sample> {
  const surface = surfaceIn(fit, beliefs);
  if (surface.free.length === 0) return nothingFree(surface, n);
  const peaks = yield* peakSlices(surface);
  const logits = yield* walkSlices(surface, peaks, n, uniforms(fit.seed, `${fit.label} walk`));
  return { n, logits, modes: { free: surface.free, peaks } };
}

/** The sample where all is exact. */
function nothingFree({ free }: Surface, n: number): Sample {
  return { n, logits: new Float64Array(), modes: { free, peaks: [] } };
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
export function drawsOf(fit: Fittable, beliefs: Beliefs, { n, logits, modes }: Sample): Draws {
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
    of: (group, parameter) => {
      if (!collapsed.reversed[group] || collapsed.kinds[parameter] !== "theta") return raw(group, parameter);
      const theta = turned.get(group) ?? forwardTheta((k) => raw(group, k));
      turned.set(group, theta);
      return theta[parameter] ?? raw(group, parameter);
    },
  };
  return beliefs.isAboveChance ? aboveChance(draws) : draws;
}

/** The draws in which every judge has TPR above FPR: those of the posterior where that holds. */
function aboveChance(draws: Draws): Draws {
  const { collapsed, of } = draws;
  const pairs = collapsed.columns.flatMap((_, group) =>
    collapsed.names.flatMap((name, k) => (name.startsWith("tpr[") ? [[of(group, k), of(group, collapsed.names.indexOf(`fpr${name.slice(3)}`))] as const] : [])),
  );
  const isKept = Uint8Array.from({ length: draws.n }, (_, i) => Number(pairs.every(([tpr, fpr]) => (tpr[i] ?? 0) > (fpr[i] ?? 0))));
  const kept = new Map<Float64Array, Float64Array>();
  return {
    ...draws,
    n: isKept.reduce((total, one) => total + one, 0),
    of: (group, parameter) => {
      const all = of(group, parameter);
      const some = kept.get(all) ?? all.filter((_, i) => isKept[i] === 1);
      kept.set(all, some);
      return some;
    },
  };
}
