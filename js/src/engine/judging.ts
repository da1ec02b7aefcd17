/** How far a judge can be trusted, per draw (Python's `derived/judging.py`). */
import type { Instrument } from "./emissions.ts";

export const MEASURES = ["ppv", "npv", "agreement", "kappa", "youden"] as const;
export type Measure = (typeof MEASURES)[number];

/** A judge's rates, draw by draw; its P("cannot tell") where that is an answer. */
export interface RateDraws {
  readonly tpr: Float64Array;
  readonly fpr: Float64Array;
  readonly unknown: readonly [given1: Float64Array, given0: Float64Array] | null;
}

/** P(what is judged is good) among what is judged: for the task P(T=1 | A=0), since only answers are. */
export function prevalenceOf(of: Instrument["of"], { hit, abstained, right }: Readonly<Record<"hit" | "abstained" | "right", Float64Array>>): Float64Array {
  if (of === "retrieval") return hit;
  if (of === "abstention") return abstained;
  return right.map((p, i) => p / (1 - (abstained[i] ?? 0)));
}

/**
 * PPV, NPV, the share of verdicts that are right, kappa and Youden's J of the verdicts that decide; NaN where a draw leaves one undefined.
 *
 * A judge that may say that it cannot tell decides more often on one truth than on the other,
 * which shifts the prevalence among its decisions.
 */
export function measures(prevalence: Float64Array, { tpr, fpr, unknown }: RateDraws): Readonly<Record<Measure, Float64Array>> {
  const n = prevalence.length;
  const [ppv, npv, agreement, kappa, youden] = MEASURES.map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  for (let i = 0; i < n; i++) {
    const [t, f] = [tpr[i] ?? 0, fpr[i] ?? 0];
    let p = prevalence[i] ?? 0;
    if (unknown) {
      const good = p * (1 - (unknown[0][i] ?? 0));
      p = good / (good + (1 - p) * (1 - (unknown[1][i] ?? 0)));
    }
    const passed = p * t + (1 - p) * f;
    ppv[i] = (p * t) / passed;
    npv[i] = ((1 - p) * (1 - f)) / (1 - passed);
    agreement[i] = p * t + (1 - p) * (1 - f);
    kappa[i] = (2 * p * (1 - p) * (t - f)) / (p * (1 - passed) + (1 - p) * passed);
    youden[i] = t - f;
  }
  return { ppv, npv, agreement, kappa, youden };
}
