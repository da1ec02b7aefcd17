/** Linear scales between values and pixels. */

export interface Scale {
  readonly domain: readonly [number, number];
  readonly range: readonly [number, number];
}

/** Pixel of a value; a domain without extent maps to the middle. */
export function toPixels(scale: Scale, x: number): number {
  const [low, high] = scale.domain;
  const [from, to] = scale.range;
  if (high === low) return (from + to) / 2;
  return from + ((x - low) / (high - low)) * (to - from);
}
