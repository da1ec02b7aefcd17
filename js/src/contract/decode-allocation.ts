/** The border between the languages, for views of a plan. */
import { COURSES } from "./allocation-tables.ts";
import type { AllocationControls, AllocationView } from "./allocation.ts";
import { isObject, mismatch, requireKeys } from "./decode.ts";

const VIEW_KEYS = ["python", "by", "ci_prob", "factor", "targets", "groups", "controls", "answer"];
const GROUP_KEYS = ["label", "rows", "pool", "n0", "n_pass", "strata", "schemes", "strategies", "at", "spread", "notes"];
const NUMBERS = ["base", "joint", "gains", "gradients", "n_r", "n_t", "away"];

/** A view of a plan, checked for its kind, its version and the keys that are read here. */
export function decodeAllocation(value: unknown): AllocationView {
  if (!isObject(value) || value["kind"] !== "allocation" || value["version"] !== 1) {
    const got = isObject(value) ? { kind: value["kind"], version: value["version"] } : value;
    throw mismatch('an "allocation" view, version 1', got);
  }
  requireKeys(value, "the view", VIEW_KEYS);
  const { targets, groups } = value;
  if (!Array.isArray(targets) || targets.length === 0) throw mismatch("at least one target", targets);
  if (!Array.isArray(groups) || groups.length === 0) throw mismatch("at least one group", groups);
  groups.forEach((group: unknown, i) => {
    requireKeys(group, `groups[${i}]`, GROUP_KEYS);
    requireKeys(group["at"], `groups[${i}].at`, NUMBERS);
  });
  return value as unknown as AllocationView;
}

export const LEAST_PRICE = 1e-3;
export const MOST = 1e9;

/** Where the axis of budgets ends. */
export function axisEnd({ most, budget }: Pick<AllocationControls, "most" | "budget">): number {
  return most ?? roundEnd(budget);
}

/** 1,000, or 1, 2 or 5 times a power of ten from the budget up. */
export function roundEnd(budget: number): number {
  if (budget <= 1000) return 1000;
  const power = 10 ** Math.floor(Math.log10(budget));
  return ([1, 2, 5].find((step) => step * power >= budget * (1 - 1e-12)) ?? 10) * power;
}

/** Controls that fit a view: what cannot be read falls back to the view's own, part by part. */
export function decodeAllocationControls(value: unknown, view: AllocationView): AllocationControls {
  const own = view.controls;
  const fields = isObject(value) ? value : {};
  const { group, target, budget, most, unit, prices, n0, hidden } = fields;
  const at = exists(group, view) ? group : exists(own.group, view) ? own.group : 0;
  const spent = isWithin(budget, 0) ? budget : own.budget;
  const end = most === null ? null : isWithin(most, 0, 10 * MOST) ? most : own.most;
  const isMadeUp = view.groups[at]?.n0 !== null;
  return {
    group: at,
    target: view.targets.some(({ key }) => key === target) ? (target as string) : own.target,
    budget: spent,
    most: end !== null && end < spent ? null : end,
    unit: unit === "units" || unit === "rows" ? unit : own.unit,
    prices: isPrices(prices) ? { R: prices["R"], T: prices["T"] } : own.prices,
    n0: !isMadeUp || n0 === null ? null : isWithin(n0, 0) ? n0 : own.n0,
    hidden: isCourses(hidden) ? [...hidden] : own.hidden,
  };
}

function exists(group: unknown, { groups }: AllocationView): group is number {
  return Number.isInteger(group) && groups[group as number] !== undefined;
}

function isWithin(value: unknown, low: number, high = MOST): value is number {
  return typeof value === "number" && value >= low && value <= high;
}

function isPrices(value: unknown): value is { readonly R: number; readonly T: number } {
  return isObject(value) && isWithin(value["R"], LEAST_PRICE) && isWithin(value["T"], LEAST_PRICE);
}

function isCourses(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((key) => key in COURSES) && new Set(value).size === value.length;
}
