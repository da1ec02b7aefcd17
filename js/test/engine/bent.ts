/**
 * Tables whose posterior is bent or in several pieces, with what Python says of them.
 *
 * Rows: `rat.simulate(theta, n, seed=seed)` at theta = 0.5, 0.46, 0.05, 0.4, 0.75 with "jr" of
 * retrieval (TPR 0.9, FPR 0.3) and "jt" of the task (0.8, 0.1); R and T on the first rows only.
 * Statistics: mean, 2.5%, 97.5% of P(R), P(T), P(G) from `rat.judges(...).posterior()` (hmc), the
 * mean of seeds 0 to 3 with its standard error.
 */
import type { JudgeMoves, JudgeTable } from "../../src/engine/judge-samples.ts";
import { instrument } from "./simulated.ts";

export type Statistic = readonly [value: number, error: number];

export interface BentCase {
  readonly name: string;
  readonly table: JudgeTable;
  readonly moves: JudgeMoves;
  /** Of each of P(R), P(T), P(G): mean, 2.5%, 97.5%. */
  readonly python: readonly (readonly Statistic[])[];
}

const judges = [instrument("jr", "retrieval"), instrument("jt", "task")];
const NAMES = ["retrieval_success", "abstain_given_miss", "abstain_given_hit", "correct_given_miss", "correct_given_hit", "tpr[jr]", "tpr[jt]", "fpr[jr]", "fpr[jt]"];
const priors = Object.fromEntries(NAMES.map((name) => [name, [1, 1] as const]));

function table(patterns: readonly (readonly number[])[], counts: readonly number[]): JudgeTable {
  return { seed: 0, levels: ["miss", "hit"], judges, priors, patterns, groups: [{ label: "", counts }], constraint: null };
}

function moves(pins: Readonly<Record<string, number>> | null, left_out: readonly string[] = []): JudgeMoves {
  return { group: 0, priors: null, pins, left_out };
}

const A = table([[-1, 0, -1, 0, 0], [-1, 0, -1, 0, 1], [-1, 0, -1, 1, 0], [-1, 0, -1, 1, 1], [-1, 1, -1, 0, -1], [-1, 1, -1, 1, -1]], [131, 89, 161, 225, 123, 71]);
const B = table([[-1, 0, -1, 0, 0], [-1, 0, -1, 0, 1], [-1, 0, -1, 1, 0], [-1, 0, -1, 1, 1], [-1, 1, -1, 0, -1], [-1, 1, -1, 1, -1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 1], [0, 1, -1, 0, -1], [1, 0, 0, 0, 0], [1, 0, 0, 1, 0], [1, 0, 1, 1, 1], [1, 1, -1, 0, -1]], [101, 85, 167, 224, 136, 67, 3, 3, 2, 1, 2, 8, 1]);
const C = table([[-1, 0, -1, 0, 0], [-1, 0, -1, 0, 1], [-1, 0, -1, 1, 0], [-1, 0, -1, 1, 1], [-1, 1, -1, 0, -1], [-1, 1, -1, 1, -1], [0, 0, 0, 0, 0], [0, 0, 1, 0, 1], [0, 1, -1, 0, -1], [1, 0, 0, 1, 0], [1, 0, 1, 0, 1], [1, 0, 1, 1, 1], [1, 1, -1, 1, -1]], [243, 195, 422, 596, 331, 201, 1, 3, 4, 1, 1, 1, 1]);
const D = table([[-1, 0, -1, 0, 0], [-1, 0, -1, 0, 1], [-1, 0, -1, 1, 0], [-1, 0, -1, 1, 1], [-1, 1, -1, 0, -1], [-1, 1, -1, 1, -1], [0, 0, -1, 0, 0], [0, 0, -1, 0, 1], [0, 0, -1, 1, 0], [0, 0, -1, 1, 1], [0, 1, -1, 0, -1], [0, 1, -1, 1, -1], [1, 0, -1, 0, 0], [1, 0, -1, 0, 1], [1, 0, -1, 1, 0], [1, 0, -1, 1, 1], [1, 1, -1, 1, -1]], [106, 72, 125, 186, 103, 58, 21, 11, 9, 4, 20, 11, 4, 6, 27, 35, 2]);

export const NO_HUMAN = A;

export const BENT: readonly BentCase[] = [
  { name: "no human label, a TPR of 50%", table: A, moves: moves({"tpr[jr]": 0.5}), python: [[[0.6725, 0.0015], [0.4789, 0.0021], [0.81, 0.0005]], [[0.3768, 0.0016], [0.2016, 0.002], [0.5491, 0.0009]], [[0.2187, 0.0047], [0.0116, 0.0005], [0.4929, 0.0021]]] },
  { name: "20 labelled rows, a TPR of 57%", table: B, moves: moves({"tpr[jr]": 0.57}), python: [[[0.7666, 0.0006], [0.6634, 0.0009], [0.8655, 0.0012]], [[0.4319, 0.001], [0.3346, 0.0017], [0.5657, 0.0035]], [[0.5928, 0.0013], [0.4732, 0.0025], [0.7368, 0.005]]] },
  { name: "12 labelled rows of 2,000, one judge of the task", table: C, moves: moves(null, ["jr"]), python: [[[0.3899, 0.003], [0.1534, 0.0048], [0.6432, 0.0044]], [[0.4255, 0.0014], [0.2627, 0.0016], [0.6051, 0.0027]], [[0.364, 0.0005], [0.199, 0.0024], [0.5669, 0.0021]]] },
  { name: "no human label, a TPR of 57%", table: A, moves: moves({"tpr[jr]": 0.57}), python: [[[0.8352, 0.001], [0.7238, 0.0014], [0.9222, 0.0006]], [[0.3802, 0.0008], [0.0311, 0.0012], [0.7266, 0.0011]], [[0.5222, 0.001], [0.1544, 0.0029], [0.8877, 0.0023]]] },
  { name: "no label of T, an FPR of 50%", table: D, moves: moves({"fpr[jt]": 0.5}), python: [[[0.4748, 0.0005], [0.4138, 0.0005], [0.5383, 0.0007]], [[0.2804, 0.0013], [0.0666, 0.0011], [0.5407, 0.0041]], [[0.453, 0.0012], [0.2257, 0.0009], [0.6746, 0.0014]]] },
  { name: "no human label, a TPR of 94%", table: A, moves: moves({"tpr[jr]": 0.94}), python: [[[0.4815, 0.0008], [0.3329, 0.0014], [0.6121, 0.0006]], [[0.3768, 0.0008], [0.1677, 0.0027], [0.5887, 0.0022]], [[0.4128, 0.0028], [0.1965, 0.002], [0.6275, 0.0014]]] },
];
