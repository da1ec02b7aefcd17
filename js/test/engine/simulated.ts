/** Tables with verdicts that the model makes, for tests. */
import type { JudgedTable } from "../../src/engine/collapsed.ts";
import type { Instrument } from "../../src/engine/emissions.ts";
import type { Uniform } from "../../src/engine/random.ts";
import { worldsOf } from "../../src/engine/worlds.ts";

export const LEVELS = ["miss", "hit"];
export const QWEN = [0.2078, 0.4632, 0.036, 0.4447, 0.6809];
export const APERTUS = [0.2072, 0.039, 0.005, 0.2585, 0.5157];

export function instrument(key: string, of: Instrument["of"], more: Partial<Instrument> = {}): Instrument {
  return { key, of, is_shared: true, abstained_rate: null, has_unknown: false, ...more };
}

/** So many rows on which these labels and judges are seen: a batch of one group. */
export interface Batch {
  readonly n: number;
  readonly labels: string;
  readonly judges: readonly string[];
}

/** P(truth) by judge: [TPR, FPR] or with P("cannot tell" | 1) and P("cannot tell" | 0). */
export type Rates = Readonly<Record<string, readonly number[]>>;

/** Rows of several groups, by pattern. */
export function simulated(
  judges: readonly Instrument[],
  groups: readonly { readonly theta: readonly number[]; readonly rates: Rates; readonly batches: readonly Batch[] }[],
  uniform: Uniform,
  levels: readonly string[] = LEVELS,
): JudgedTable {
  const worlds = worldsOf(levels);
  const rows = new Map<string, number[]>();
  for (const [g, { theta, rates, batches }] of groups.entries()) {
    const masses = worlds.held.map((said) => said.reduce((p, [k, yes]) => p * (yes ? theta[k]! : 1 - theta[k]!), 1));
    for (const { n, labels, judges: asked } of batches) {
      for (let i = 0; i < n; i++) {
        let left = uniform();
        const w = Math.max(0, masses.findIndex((mass) => (left -= mass) < 0));
        const seesA = labels.includes("A");
        const declined = worlds.abstained[w]!;
        const pattern = [
          labels.includes("R") ? worlds.level[w]! : -1,
          seesA ? Number(declined) : -1,
          labels.includes("T") && !(seesA && declined) ? Number(worlds.right[w]) : -1,
        ];
        for (const judge of judges) {
          const truth = { retrieval: worlds.hit, abstention: worlds.abstained, task: worlds.right }[judge.of][w]!;
          const [tpr = 0, fpr = 0, given1 = 0, given0 = 0] = rates[judge.key]!;
          const fixed = judge.of === "task" && declined ? judge.abstained_rate : null;
          const isUnknown = uniform() < (truth ? given1 : given0);
          const says = Number(uniform() < (fixed ?? (truth ? tpr : fpr)));
          const isVoid = judge.of === "task" && pattern[1] === 1;
          pattern.push(!asked.includes(judge.key) || isVoid ? -1 : isUnknown ? 2 : says);
        }
        const key = pattern.join();
        const counts = rows.get(key) ?? groups.map(() => 0);
        counts[g]!++;
        rows.set(key, counts);
      }
    }
  }
  const patterns = [...rows.keys()].sort();
  return {
    levels,
    judges,
    patterns: patterns.map((key) => key.split(",").map(Number)),
    counts: groups.map((_, g) => patterns.map((key) => rows.get(key)![g]!)),
  };
}
