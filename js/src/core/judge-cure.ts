/** What is said of a cure: the same as `views/judge_cure.py`. */
import { CURE_LABELS } from "../contract/judge-tables.ts";
import type { JudgeDeparture } from "../contract/judge.ts";
import type { Segment } from "./sentence.ts";

type Change = readonly [before: string, after: string];

/** What the cure changes: P(T), and P(G) or the utility, as texts before and after; `isAll` says that nothing is found of the judges with it. */
export function cureLine(task: Change, policy: Change, isRate: boolean, isAll: boolean): Segment[] {
  const told = [["P(T)", task], [isRate ? "P(G)" : "the utility", policy]] as const;
  return [
    ["With errors that depend on more than the truth, ", ""],
    ...told.flatMap(([name, [before, after]], i): Segment[] => [
      [`${i > 0 ? " and " : ""}${name} ${before === after ? "stays" : `goes from ${before} to`} `, ""],
      [after, "strong"],
    ]),
    [isAll ? ". Nothing more is found with that." : ".", ""],
  ];
}

/** What a button offers against what was found. */
export function cureLabel(departures: readonly Pick<JudgeDeparture, "kind">[]): string {
  const [first, ...others] = departures.map(({ kind }) => kind);
  const isOne = others.every((kind) => kind === "together" && first === kind);
  return CURE_LABELS[first !== undefined && isOne ? first : "several"];
}
