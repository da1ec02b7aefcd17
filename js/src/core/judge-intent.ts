/** What a person asks of the judges; made by `interact`, answered by `state` and the component. */

/** What a rate's slider sets: nothing yet, what was believed beforehand, or the rate itself. */
export type RateMode = "posterior" | "prior" | "pinned";

/** What a prior can be worth, in labels. */
export const LEAST_LABELS = 0.1;
export const MOST_LABELS = 1e9;

export type JudgeIntent =
  | { readonly type: "group"; readonly index: number }
  /** A slider or its box: a pin, or the mean of a prior where the rate is in that mode. */
  | { readonly type: "rate"; readonly rate: string; readonly value: number; readonly isSettled: boolean }
  /** How many labels a rate's prior is worth. */
  | { readonly type: "labels"; readonly rate: string; readonly labels: number }
  /** `value` is where the slider stands, which is where a pin begins. */
  | { readonly type: "mode"; readonly rate: string; readonly mode: RateMode; readonly value: number }
  | { readonly type: "leave"; readonly judge: string }
  | { readonly type: "fold"; readonly judge: string }
  /** Allow for what was found of the judges' errors, or no more. */
  | { readonly type: "cure" }
  /** What was typed and is no number that fits. */
  | { readonly type: "mistyped"; readonly what: "rate" | "labels" }
  | { readonly type: "undo" }
  | { readonly type: "reset" }
  | { readonly type: "copy"; readonly what: "sentence" | "python" }
  /** A line of Python that stands beside what was found. */
  | { readonly type: "copy"; readonly what: "cure"; readonly line: number }
  | { readonly type: "dismiss" };
