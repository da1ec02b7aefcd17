/** Quantile dots: each of 50 dots is a 1 in 50 chance. */
import { quantile } from "./numbers.ts";

export interface Dot {
  /** Pixel of the stack. */
  readonly x: number;
  /** Place in the stack, 0 at the bottom. */
  readonly level: number;
}

export interface DotStack {
  readonly dots: readonly Dot[];
  /** Diameter in px. */
  readonly diameter: number;
}

/** Dots closer than their diameter share a stack, at the middle of the run. */
export function stackDots(xs: readonly number[], diameter: number): Dot[] {
  const dots: Dot[] = [];
  let start = 0;
  while (start < xs.length) {
    const first = xs[start] ?? 0;
    let end = start;
    while (end < xs.length && (xs[end] ?? 0) - first < diameter) end++;
    const x = (first + (xs[end - 1] ?? first)) / 2;
    for (let k = start; k < end; k++) dots.push({ x, level: k - start });
    start = end;
  }
  return dots;
}

/**
 * Dots of ascending draws, on a pixel scale.
 *
 * The diameter starts at `largest` and shrinks until the highest stack fits `height`.
 */
export function quantileDots(
  sorted: ArrayLike<number>,
  toPx: (x: number) => number,
  height: number,
  largest: number,
  n = 50,
): DotStack {
  const xs = Array.from({ length: n }, (_, i) => toPx(quantile(sorted, (i + 0.5) / n)));
  let diameter = largest;
  let dots = stackDots(xs, diameter);
  while (diameter > 0.8 && tallest(dots) * diameter > height) {
    diameter *= 0.94;
    dots = stackDots(xs, diameter);
  }
  return { dots, diameter };
}

function tallest(dots: readonly Dot[]): number {
  return dots.reduce((most, dot) => Math.max(most, dot.level + 1), 0);
}
