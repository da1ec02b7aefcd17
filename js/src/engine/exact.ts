/** The posterior where every row says all that it could of R and A: a product of Betas. */
import { sticksOf, type Keys, type Parameter } from "../contract/levels.ts";
import type { TreeView } from "../contract/tree.ts";
import { entry, type ByKey } from "../core/records.ts";

export type Betas = ByKey<readonly [a: number, b: number]>;

/**
 * Beta parameters of the model's probabilities; null when the posterior is a mixture, since a row
 * that shows A or T hides R, or T=0 may be an abstention. A row that shows nothing says nothing,
 * one that shows R alone speaks of R, and who was right has answered. Of graded R a row is a yes
 * to its own stick and a no to those of the levels above.
 */
export function exactBetas(
  keys: Keys,
  patterns: TreeView["patterns"],
  counts: readonly number[],
  priors: TreeView["priors"],
): Betas | null {
  const { levels, parameters } = keys;
  const sticks = sticksOf(keys);
  const posterior: Record<Parameter, [number, number]> = Object.fromEntries(
    parameters.map((key) => [key, [...(priors[key] ?? [1, 1])] as [number, number]]),
  );
  const see = (key: Parameter, isYes: boolean, n: number) => {
    entry(posterior, key)[isYes ? 0 : 1] += n;
  };
  for (const [i, [retrieval, abstention, task]] of patterns.entries()) {
    const n = counts[i] ?? 0;
    if (n === 0 || (retrieval < 0 && abstention < 0 && task < 0)) continue;
    const level = levels[retrieval];
    if (!level || (abstention < 0 && task === 0)) return null;
    const above = levels.length - 1 - retrieval;
    sticks.slice(0, above + 1).forEach((stick, j) => see(stick, j === above, n));
    const declined = abstention < 0 && task === 1 ? 0 : abstention;
    if (declined >= 0) see(level.abstain, declined === 1, n);
    if (declined === 0 && task >= 0) see(level.correct, task === 1, n);
  }
  return posterior;
}
