/** The two columns of the ledger, added up. */
import { interval, isPinned, points, short, weightOf } from "../core/format.ts";
import { difference, fittedPolicy, isScored, shownInterval, UNKNOWN, wholeOf, type Scene } from "./scene.ts";

export interface Totals {
  readonly task: string;
  readonly of: string;
  readonly taskInterval: string;
  readonly taskDelta: string;
  readonly policy: string;
  readonly policyInterval: string;
  readonly delta: string;
}

function signedShort(difference: number): string {
  const text = short(difference);
  return difference > 0 && text !== "0" ? `+${text}` : text === "0" ? "±0" : text;
}

/** Sums of both columns, with intervals and differences from the fit. */
export function totals(scene: Scene): Totals {
  const { shape, group, kind, weights, answer, whole } = scene;
  const fitted = fittedPolicy(scene);
  const task = group.quantities["task_success"] ?? UNKNOWN;
  const before = scene.fitted?.group.quantities["task_success"]?.value ?? null;
  const { estimate } = answer;
  const sum = shape.leaves.reduce((total, world) => total + weightOf(weights, world) * (whole[world] ?? 0), 0);
  const [lower, upper] = [estimate.lower ?? 0, estimate.upper ?? 0];
  const inThousands = kind === "utility" && Math.max(...[lower, upper].map(Math.abs)) >= 10;
  return {
    task: String(wholeOf(scene, shape.levels.map(({ right }) => right))),
    of: scene.fitted === null ? "Of 100 queries" : "Of 100 queries, what if",
    taskInterval: shownInterval(task),
    taskDelta: before === null ? "" : points(task.value ?? 0, before),
    policy: !isScored(kind) ? String(sum) : short(100 * (estimate.value ?? 0)),
    policyInterval: inThousands ? `${short(100 * lower)} to ${short(100 * upper)}` : isPinned(estimate) ? shownInterval(estimate) : interval(lower, upper),
    // The ledger counts queries of 100, also where the policy is a utility.
    delta: fitted === null ? "" : inThousands ? signedShort(100 * ((estimate.value ?? 0) - fitted)) : difference(estimate.value ?? 0, fitted, false),
  };
}
