/** Small views for tests, made from counts by closed forms. */
import { PARAMETERS, PRESETS } from "../src/contract/tables.ts";
import type { Estimate, TreeGroup, TreeView } from "../src/contract/tree.ts";
import { estimate, type Weights } from "../src/core/format.ts";
import { mean } from "../src/core/numbers.ts";
import { entry, record } from "../src/core/records.ts";
import { shapeOf, type Shape } from "../src/core/shape.ts";
import { branchDraws } from "../src/engine/branches.ts";
import { exactBetas } from "../src/engine/exact.ts";
import { ascending, policyDraws, quantityDraws, summarise, worldDraws } from "../src/engine/quantities.ts";
import { betaDraws, uniforms } from "../src/engine/random.ts";

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

type Pattern = TreeView["patterns"][number];

/** What rows say, how often, and what was believed before. */
interface Table {
  readonly patterns: readonly Pattern[];
  readonly counts: readonly number[];
  readonly priors: TreeView["priors"];
}

function rounded(e: Estimate): Estimate {
  const round = (x: number | null) => (x === null ? null : Math.round(1e5 * x) / 1e5);
  return { value: round(e.value), lower: round(e.lower), upper: round(e.upper), text: e.text };
}

/** One group with these counts of `PATTERNS`. */
export function sampleGroup(label = "", counts: readonly number[] = COUNTS, policy: Weights = PRESETS.adherence): TreeGroup {
  return groupOf(BINARY, { patterns: PATTERNS, counts, priors: PRIORS }, label, policy);
}

function groupOf(shape: Shape, { patterns, counts, priors }: Table, label: string, policy: Weights): TreeGroup {
  const betas = exactBetas(shape, patterns, counts, priors);
  if (!betas) throw new Error("The sample's counts hide R or A.");
  const uniform = uniforms(99, `sample ${label}`);
  const theta = record(shape.parameters, (key) => betaDraws(...entry(betas, key), 1500, uniform));
  const branches = branchDraws(shape, theta);
  const worlds = worldDraws(shape, branches);
  const summary = (draws: Float64Array) => rounded(summarise(mean(draws), ascending(draws), 0.95));
  const n = counts.reduce((a, b) => a + b, 0);
  const quantities = Object.fromEntries(
    shape.quantities
      .slice(shape.branches.length, shape.branches.length + 9)
      .map((q) => [q.key, summary(q.about === "policy" ? policyDraws(policy, worlds) : quantityDraws(q, worlds))]),
  );
  const labels = { rows: n, labelled: n, judged: 0, possible: 0 };
  return {
    key: [label],
    label,
    n_rows: n,
    n_joint: n,
    branches: record(shape.branches, (key) => summary(entry(branches, key))),
    worlds: record(shape.leaves, (world) => summary(entry(worlds, world))),
    quantities,
    labels: record([...shape.branches, ...shape.leaves], () => labels),
    notes: [],
    counts: [...counts],
    draws: null,
    rows: `${n} rows.`,
    fitted: null,
  };
}

/** Levels as people name them when they name none. */
export const THREE = ["none", "partial", "all"] as const;

/** Of each level, lowest first: rows that declined, answered wrong and answered right. */
export type LevelCounts = readonly (readonly [declined: number, wrong: number, right: number])[];

const THREE_COUNTS: LevelCounts = [[104, 61, 22], [41, 52, 58], [9, 28, 119]];

/** A table whose rows show all three labels, under a flat Dirichlet of the levels. */
export function gradedTable(levels: readonly string[], counts: LevelCounts): Table {
  const shape = shapeOf(levels);
  return {
    patterns: levels.flatMap((_, i) => [[i, 1, -1], [i, 0, 0], [i, 0, 1]] as const),
    counts: counts.flat(),
    priors: record(shape.parameters, (key) => {
      const stick = shape.parameters.indexOf(key);
      return [1, Math.max(1, levels.length - 1 - stick)] as const;
    }),
  };
}

/** A view of one system whose retrieval has these levels. */
export function gradedView(levels: readonly string[] = THREE, counts: LevelCounts = THREE_COUNTS, changes: Partial<TreeView> = {}): TreeView {
  const shape = shapeOf(levels);
  const { patterns, priors } = gradedTable(levels, counts);
  const weights = entry(shape.presets, "adherence");
  const group = groupOf(shape, gradedTable(levels, counts), "", weights);
  return sampleView([group], { levels, patterns, priors, policy: { name: "adherence", weights }, ...changes });
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
    estimand: "population",
    ...changes,
  };
}

export const UNDEFINED: Estimate = { value: null, lower: null, upper: null, text: estimate(null, null, null) };
