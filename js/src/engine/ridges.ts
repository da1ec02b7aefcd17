/**
 * Are two modes one: is there a way between them on which the density hardly dips (Python's
 * `inference/ridges.py`)? Where labels leave a direction open, every climb ends somewhere else.
 */
import { densityAt, emStep, type Surface } from "./surface.ts";

const BETWEEN = 7;
const EM_STEPS = 30;
/** Log of how much the density dips between two modes that count as two. */
const DIP = 1.5;
/** A probability takes part that differs by this much of what the most different one does. */
const DIFFERS = 0.3;
/** Surfaces of many groups are not looked into. */
const MOST_PLACES = 16;

/** Whether nothing that was found lies between two ends. */
export function isRidge(surface: Surface, first: Float64Array, last: Float64Array): boolean {
  if (first.length > MOST_PLACES) return false;
  const slope = new Float64Array(first.length);
  const apart = Array.from(first, (x, k) => Math.abs(expit(x) - expit(last[k] ?? 0)));
  const most = Math.max(...apart);
  const ends = Math.min(densityAt(surface, first, slope), densityAt(surface, last, slope));
  for (const [k, far] of apart.entries()) {
    if (far < DIFFERS * most) continue;
    for (let i = 1; i <= BETWEEN; i++) {
      const z = first.map((x, j) => x + ((last[j] ?? 0) - x) * (i / (BETWEEN + 1)));
      const held = z[k] ?? 0;
      for (let step = 0; step < EM_STEPS; step++) {
        emStep(surface, z);
        z[k] = held;
      }
      if (ends - densityAt(surface, z, slope) > DIP) return false;
    }
  }
  return true;
}

function expit(y: number): number {
  return 1 / (1 + Math.exp(-y));
}
