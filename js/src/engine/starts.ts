/** Where to look for modes (Python's `inference/start.py`). */
import type { Collapsed } from "./collapsed.ts";
import { mirrorOf } from "./emissions.ts";
import { logit, type Surface } from "./surface.ts";

/** Of each group the value of each parameter. */
type Point = readonly (readonly number[])[];

type Truth = "retrieval" | "task";

/** Labels that a judge is taken to have earned beforehand, and how many of them rightly. */
const BEFOREHAND = 8;
/** Pseudo-labels that break the symmetry: a low level is declined more and answered worse. */
const LEAN = 0.2;
const SCATTERED = 4;
const TURNS = [["retrieval"], ["task"], ["retrieval", "task"]] as const;
const EDGE = 1e-4;

/**
 * Logits to climb from: what whole labels say with judges that tell truths apart, the mirror images, the judges turned round, and scattered points.
 */
export function startsOf(surface: Surface): readonly Float64Array[] {
  const { collapsed } = surface.structure;
  const straight = pointOf(surface);
  const points = [straight];
  const judged = (truth: Truth) => collapsed.kinds.includes(truth);
  for (const turn of TURNS) {
    const turned = turnedBy(collapsed, straight, turn);
    points.push(turned);
    if (turn.some(judged)) points.push(turned.map((of, g) => of.map((p, k) => (collapsed.kinds[k] === "theta" ? (straight[g]?.[k] ?? p) : p))));
  }
  const at = placesOf(surface);
  const known = points.map((point) => at.map(([group, k]) => point[Math.max(0, group)]?.[k] ?? 0.5));
  // Square roots of numbers that are no squares leave fractions that fill the cube evenly.
  const scattered = Array.from({ length: SCATTERED }, (_, i) => at.map((_, k) => 0.05 + 0.9 * (((i + 1) * Math.sqrt((k + 1) ** 2 + 1)) % 1)));
  return [...known, ...scattered].map(logitsOf);
}

/** Logits of the mirror images of a place: each truth relabelled, and both. */
export function imagesOf(surface: Surface, z: Float64Array): readonly Float64Array[] {
  const { collapsed } = surface.structure;
  const at = placesOf(surface);
  const point = pointOf(surface).map((of) => [...of]);
  at.forEach(([group, k], i) => point.forEach((of, g) => void (group >= 0 && group !== g ? 0 : (of[k] = 1 / (1 + Math.exp(-(z[i] ?? 0)))))));
  return TURNS.map((turn) => {
    const turned = turnedBy(collapsed, point, turn);
    return logitsOf(at.map(([group, k]) => turned[Math.max(0, group)]?.[k] ?? 0.5));
  });
}

/** Of each free place its group, -1 where all have it in common, and which probability it is. */
function placesOf({ structure: { collapsed, columns }, free }: Surface): (readonly [group: number, k: number])[] {
  return [...free].map((i) => collapsed.owners[columns[i] ?? 0] ?? [-1, 0]);
}

function turnedBy(collapsed: Collapsed, point: Point, turn: readonly Truth[]): Point {
  return turn.reduce((so, truth) => mirrored(collapsed, so, truth), point);
}

function logitsOf(point: readonly number[]): Float64Array {
  return Float64Array.from(point, (p) => logit(Math.min(1 - EDGE, Math.max(EDGE, p))));
}

function pointOf({ structure: { collapsed, columns }, alpha, beta }: Surface): Point {
  const { names, worlds, speakers } = collapsed;
  const k = (worlds.parameters.length + 1) / 3;
  const leans = new Map(speakers.flatMap(({ emission, places }) => emission.kinds.map((kind, i) => [places[i], [kind, emission.start[i] ?? 0.5] as const])));
  const place = new Map(columns.map((column, i) => [column, i]));
  const extra = names.map((_, i): readonly [ones: number, zeros: number] => {
    const [kind, start] = leans.get(i) ?? ["", 0.5];
    if (kind !== "" && !kind.startsWith("unknown_")) return [BEFOREHAND * start, BEFOREHAND * (1 - start)];
    if (i < k - 1 || i >= worlds.parameters.length) return [1, 1];
    const height = (2 * ((i - (k - 1)) % k)) / (k - 1) - 1;
    const lean = (i < 2 * k - 1 ? -1 : 1) * LEAN * height;
    return [1 + lean, 1 - lean];
  });
  return collapsed.columns.map((of) =>
    of.map((column, i) => {
      const at = place.get(column) ?? -1;
      const [ones, zeros] = extra[i] ?? [1, 1];
      const a = (alpha[at] ?? 0) + ones;
      return a / (a + (beta[at] ?? 0) + zeros);
    }),
  );
}

/** The point with one truth relabelled: the levels of R upside down, or right answers wrong. */
function mirrored({ names, speakers, worlds, reversed }: Collapsed, point: Point, truth: Truth): Point {
  const k = (worlds.parameters.length + 1) / 3;
  const other = mirrorOf(names.length, speakers, worlds, truth);
  return point.map((of, g) => {
    const turned = other.map((from) => of[from] ?? 0.5);
    if (reversed[g]) {
      const [declines = 0.5, solves = 0.5, ...hits] = turned;
      if (truth === "retrieval") return [declines, solves, ...hits.map((p, i) => (i < 3 ? 1 - p : p))];
      const [hitDeclined = 0.5, hitRight = 0.5, hitWrong = 0.5, ...rates] = hits;
      return [declines, 1 - solves, hitDeclined, hitWrong, hitRight, ...rates];
    }
    if (truth === "task") return turned.map((p, i) => (i >= 2 * k - 1 && i < 3 * k - 1 ? 1 - p : p));
    const given = [k - 1, 2 * k - 1].flatMap((from) => turned.slice(from, from + k).reverse());
    return [...upsideDown(of.slice(0, k - 1)), ...given, ...turned.slice(3 * k - 1)];
  });
}

/** The splits of R from the top level down that give the levels' probabilities the other way round. */
function upsideDown(splits: readonly number[]): number[] {
  let rest = 1;
  const levels = splits.map((p) => {
    const here = rest * p;
    rest -= here;
    return here;
  });
  let left = 1;
  return [rest, ...levels.reverse().slice(0, -1)].map((here) => {
    const split = left > 0 ? here / left : 0.5;
    left -= here;
    return split;
  });
}
