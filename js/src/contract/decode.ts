/** The border between the languages: `unknown` in, a view or an error out. */
import { arePossible, keysOf, type Keys } from "./levels.ts";
import type { TreeControls, TreeView } from "./tree.ts";

export type Fields = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

const ADVICE =
  "The Python package and the bundled JavaScript differ: reinstall rat_widgets and restart the kernel.";

export function mismatch(expected: string, got: unknown): Error {
  return new Error(`Expected ${expected}; got ${(JSON.stringify(got) ?? "nothing").slice(0, 80)}. ${ADVICE}`);
}

export function requireKeys(value: unknown, where: string, keys: readonly string[]): asserts value is Fields {
  if (!isObject(value)) throw mismatch(`an object at ${where}`, value);
  for (const key of keys) if (!(key in value)) throw mismatch(`a key "${key}" at ${where}`, Object.keys(value));
}

const VIEW_KEYS = ["python", "by", "ci_prob", "ci_kind", "seed", "levels", "policy", "priors", "patterns", "groups", "controls"];
const GROUP_KEYS = ["label", "n_rows", "n_joint", "branches", "worlds", "quantities", "labels", "notes", "counts", "draws", "rows"];

/** A tree view, checked for its kind, its version and the keys that are read here. */
export function decodeTree(value: unknown): TreeView {
  if (!isObject(value) || value["kind"] !== "tree" || value["version"] !== 1) {
    const got = isObject(value) ? { kind: value["kind"], version: value["version"] } : value;
    throw mismatch('a "tree" view, version 1', got);
  }
  requireKeys(value, "the view", VIEW_KEYS);
  const { levels, groups } = value;
  if (!isLevels(levels)) throw mismatch("at least two levels of R by name", levels);
  const { leaves, branches } = keysOf(levels);
  if (!Array.isArray(groups) || groups.length === 0) throw mismatch("at least one group", groups);
  groups.forEach((group: unknown, i) => {
    requireKeys(group, `groups[${i}]`, GROUP_KEYS);
    requireKeys(group["worlds"], `groups[${i}].worlds`, leaves);
    requireKeys(group["branches"], `groups[${i}].branches`, branches);
  });
  return value as unknown as TreeView;
}

export function isLevels(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.length > 1 && value.every((name) => typeof name === "string") && new Set(value).size === value.length;
}

/** Controls that fit a view: what cannot be read falls back to the view's own, part by part. */
export function decodeControls(value: unknown, view: TreeView): TreeControls {
  const own = view.controls;
  const fields = isObject(value) ? value : {};
  const { group, unit, policy, pins } = fields;
  const keys = keysOf(view.levels);
  const exists = (i: unknown): i is number => Number.isInteger(i) && view.groups[i as number] !== undefined;
  return {
    group: exists(group) ? group : exists(own.group) ? own.group : 0,
    unit: unit === "queries" || unit === "step" ? unit : own.unit,
    policy: isPolicy(policy, keys) ? policy : policy === null ? null : own.policy,
    pins: isPins(pins, keys) ? (Object.keys(pins).length > 0 ? pins : null) : pins === null ? null : (own.pins ?? null),
  };
}

function isPins(value: unknown, keys: Keys): value is Readonly<Record<string, number>> {
  const isOne = ([key, pin]: readonly [string, unknown]) =>
    keys.branches.includes(key) && typeof pin === "number" && pin >= 0 && pin <= 1;
  return isObject(value) && Object.entries(value).every(isOne) && arePossible(keys, value as Record<string, number>);
}

function isPolicy(value: unknown, { leaves }: Keys): value is Readonly<Record<string, number>> {
  return isObject(value) && leaves.every((world) => Number.isFinite(value[world]));
}

/** Whether two values say the same, written as JSON. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
