/**
 * Full draws of a system whose rows hide R: the long part of a fit. What goes in and comes out is
 * plain data, so that a worker can do it; where it is done changes no number.
 */
import type { TreeView } from "../contract/tree.ts";
import type { Trade } from "../core/service.ts";
import type { Slices } from "../core/slices.ts";
import { hmcSlices } from "./hmc.ts";
import type { ThetaDraws } from "./packed.ts";
import { uniforms } from "./random.ts";
import { posteriorTerms } from "./terms.ts";

export const N_DRAWS = 4000;

/** What draws depend on, whichever the system. */
export interface TreeTable {
  readonly seed: number;
  readonly patterns: TreeView["patterns"];
  readonly priors: TreeView["priors"];
}

/** A system whose draws are wanted. */
export interface TreeJob {
  readonly label: string;
  readonly counts: readonly number[];
}

/** Samples of jobs, in slices. */
export function sampler({ seed, patterns, priors }: TreeTable): (job: TreeJob) => Slices<ThetaDraws> {
  return ({ label, counts }) => hmcSlices(posteriorTerms(patterns, counts, priors), N_DRAWS, uniforms(seed, label));
}

/** Sampling as a worker does it. */
export const treeTrade: Trade<TreeTable, TreeJob, ThetaDraws> = { worker: sampler, buffersOf };

/** The large arrays in draws, that nobody else holds. */
function buffersOf(draws: ThetaDraws): ArrayBuffer[] {
  return Object.values(draws).map((of) => of.buffer as ArrayBuffer);
}
