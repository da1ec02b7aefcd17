/** Path data from points and circles, rounded to a tenth of a pixel. */

export function px(x: number): string {
  return String(Math.round(10 * x) / 10);
}

/** Polyline through points. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i === 0 ? "M" : "L"}${px(x)} ${px(y)}`).join("");
}

/** Full circle. */
export function circlePath(x: number, y: number, r: number): string {
  const d = 2 * Math.round(100 * r) / 100;
  return `M${px(x - r)} ${px(y)}a${d / 2} ${d / 2} 0 1 0 ${d} 0a${d / 2} ${d / 2} 0 1 0 ${-d} 0`;
}

/** Hollow triangle that stands under an axis and points at `x`: where the fit is. */
export function ghostPath(x: number, y: number): string {
  return `M${px(x)} ${px(y)}l-3.5 6h7z`;
}
