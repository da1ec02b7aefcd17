/** How a plan's numbers read: the same as `views/allocation_words.py`. */
import { count, decimal } from "./format.ts";
import { roundHalfUp } from "./numbers.ts";

/** Half of a width, in points with one decimal: "4.3"; with three decimals for a utility. */
export function halves(width: number, isRate = true): string {
  if (!isRate) return thousandths(width / 2);
  const tenths = roundHalfUp(500 * width);
  return `${Math.floor(tenths / 10)}.${tenths % 10}`;
}

/** The same with its sign: "±4.3". */
export function half(width: number, isRate = true): string {
  return `±${halves(width, isRate)}`;
}

/** A width with three decimals: "0.105"; two from 1 up. */
function thousandths(x: number): string {
  const n = roundHalfUp(1000 * x);
  return n >= 1000 ? decimal(x) : `0.${String(n).padStart(3, "0")}`;
}

/** A number that is known to about three digits: "93", "960", "12,300". */
export function about(n: number): string {
  const step = n < 100 ? 1 : n < 10_000 ? 10 : 100;
  return count(step * roundHalfUp(n / step));
}

/** A budget or a price as it was set: "500", "12.50". */
export function amount(x: number): string {
  const isWhole = Math.abs(x - roundHalfUp(x)) < 1e-9;
  return isWhole || x >= 1000 ? count(roundHalfUp(x)) : decimal(x);
}

/** What a budget counts: "rows"; "labels" where each costs 1, else "units". */
export function unitWords(unit: string, prices: { readonly [label: string]: number }): string {
  if (unit === "rows") return "rows";
  return prices["R"] === 1 && prices["T"] === 1 ? "labels" : "units";
}

/** A kind of rows: "rows that answered with R=1". */
export function kindWords(rows: string): string {
  const at = rows.indexOf(", ");
  const [kind, shown] = at < 0 ? [rows, ""] : [rows.slice(0, at), rows.slice(at + 2)];
  return `rows that ${kind === "abstained" ? "declined" : kind}${shown ? ` with ${shown.replaceAll(", ", " and ")}` : ""}`;
}
