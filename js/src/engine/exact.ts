/** The posterior where every row says all that it could of R and A: a product of five Betas. */
import { PARAMETERS, type Parameter } from "../contract/tables.ts";
import type { TreeView } from "../contract/tree.ts";

export type Betas = Readonly<Record<Parameter, readonly [a: number, b: number]>>;

/**
 * Beta parameters of the five probabilities; null when the posterior is a mixture, since a row
 * that shows A or T hides R, or T=0 may be an abstention. A row that shows nothing says nothing,
 * one that shows R alone speaks of R, and who was right has answered.
 */
export function exactBetas(
  patterns: TreeView["patterns"],
  counts: readonly number[],
  priors: TreeView["priors"],
): Betas | null {
  const posterior = Object.fromEntries(
    PARAMETERS.map((key) => [key, [...(priors[key] ?? [1, 1])] as [number, number]]),
  ) as Record<Parameter, [number, number]>;
  const see = (key: Parameter, value: number, n: number) => {
    posterior[key][value === 1 ? 0 : 1] += n;
  };
  for (const [i, [retrieval, abstention, task]] of patterns.entries()) {
    const n = counts[i] ?? 0;
    if (n === 0 || (retrieval < 0 && abstention < 0 && task < 0)) continue;
    if (retrieval < 0 || (abstention < 0 && task === 0)) return null;
    const hit = retrieval === 1;
    see("retrieval_success", retrieval, n);
    const declined = abstention < 0 && task === 1 ? 0 : abstention;
    if (declined >= 0) see(hit ? "abstain_given_hit" : "abstain_given_miss", declined, n);
    if (declined === 0 && task >= 0) see(hit ? "correct_given_hit" : "correct_given_miss", task, n);
  }
  return posterior;
}
