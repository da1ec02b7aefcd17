/** Small views for tests, made from counts by closed forms. */
import { LEAVES, PARAMETERS, PRESETS, QUANTITIES } from "../src/contract/tables.ts";
import { entry } from "../src/core/records.ts";
import { shapeOf, type Quantity } from "../src/core/shape.ts";
import type { Estimate, TreeGroup, TreeView } from "../src/contract/tree.ts";
import { estimate, type Weights } from "../src/core/format.ts";
import { exactBetas } from "../src/engine/exact.ts";
import { ascending, policyDraws, quantityDraws, summarise, worldDraws } from "../src/engine/quantities.ts";
import { betaDraws, uniforms } from "../src/engine/random.ts";
import { mean } from "../src/core/numbers.ts";

/** The shape of a tree with a miss and a hit. */
export const BINARY = shapeOf(["miss", "hit"]);

export const PATTERNS = [
  [0, 0, -1],
  [0, 0, 0],
  [0, 0, 1],
  [0, 1, -1],
  [1, 0, 0],
  [1, 0, 1],
  [1, 1, -1],
] as const;
export const COUNTS = [64, 97, 93, 216, 34, 61, 3] as const;
const PRIORS = Object.fromEntries(PARAMETERS.map((key) => [key, [1, 1] as const]));

function rounded(e: Estimate): Estimate {
  const round = (x: number | null) => (x === null ? null : Math.round(1e5 * x) / 1e5);
  return { value: round(e.value), lower: round(e.lower), upper: round(e.upper), text: e.text };
}

/** One group with these counts of `PATTERNS`. */
export function sampleGroup(label = "", counts: readonly number[] = COUNTS, policy: Weights = PRESETS.adherence): TreeGroup {
  const betas = exactBetas(BINARY, PATTERNS, counts, PRIORS);
  if (!betas) throw new Error("The sample's counts hide R or A.");
  const uniform = uniforms(99, `sample ${label}`);
  const theta = Object.fromEntries(
    PARAMETERS.map((key) => [key, betaDraws(...entry(betas, key), 1500, uniform)]),
  );
  const worlds = worldDraws(BINARY, theta);
  const summary = (draws: Float64Array) => rounded(summarise(mean(draws), ascending(draws), 0.95));
  const n = counts.reduce((a, b) => a + b, 0);
  const quantities = Object.fromEntries(
    (QUANTITIES as readonly Quantity[])
      .slice(5, 14)
      .map((q) => [q.key, summary(q.about === "policy" ? policyDraws(policy, worlds) : quantityDraws(q, worlds))]),
  );
  const labels = { rows: n, labelled: n, judged: 0, possible: 0 };
  return {
    key: [label],
    label,
    n_rows: n,
    n_joint: n,
    branches: Object.fromEntries(PARAMETERS.map((key) => [key, summary(entry(theta, key))])),
    worlds: Object.fromEntries(LEAVES.map((world) => [world, summary(entry(worlds, world))])),
    quantities,
    labels: Object.fromEntries([...PARAMETERS, ...LEAVES].map((key) => [key, labels])),
    notes: [],
    counts: [...counts],
    draws: null,
    rows: `${n} rows.`,
    fitted: null,
  };
}

/** A view of one group, or of those given. */
export function sampleView(groups: readonly TreeGroup[] = [sampleGroup()], changes: Partial<TreeView> = {}): TreeView {
  return {
    kind: "tree",
    version: 1,
    generator: "test",
    python: "rat.tree(df",
    by: groups.length > 1 ? ["system"] : [],
    ci_prob: 0.95,
    ci_kind: "eti",
    seed: 0,
    levels: ["miss", "hit"],
    policy: { name: "adherence", weights: PRESETS.adherence },
    priors: PRIORS,
    patterns: PATTERNS,
    groups,
    controls: { group: 0, unit: "queries", policy: null, pins: null },
    pins: null,
    ...changes,
  };
}

export const UNDEFINED: Estimate = { value: null, lower: null, upper: null, text: estimate(null, null, null) };
