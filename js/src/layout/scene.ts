/** What every part of a picture reads: the group under its pins, the fit, the policy, the layout. */
import type { World } from "../contract/levels.ts";
import type { Estimate, TreeControls, TreeGroup, TreeView } from "../contract/tree.ts";
import { cents, EN_DASH, interval, isPinned, percent, points, policyKind, type PolicyKind, type Weights } from "../core/format.ts";
import { of100 } from "../core/of-100.ts";
import { record, type ByKey } from "../core/records.ts";
import { shapeOf, type Shape } from "../core/shape.ts";
import { answerPolicy, POLICY, policyValue, samePolicy, type Fit, type PolicyAnswer } from "../engine/tree.ts";
import { pinGroup } from "../engine/what-if.ts";
import { treeLayout, type TreeLayout } from "./tree.ts";

export interface Scene {
  readonly view: TreeView;
  readonly shape: Shape;
  /** The group as it is shown: under the pins where there are some. */
  readonly group: TreeGroup;
  /** The group as it was fitted, and the value of the policy there; null without a what-if. */
  readonly fitted: { readonly group: TreeGroup; readonly policy: number | null } | null;
  readonly controls: TreeControls;
  readonly fit: Fit;
  readonly layout: TreeLayout;
  readonly weights: Weights;
  readonly kind: PolicyKind;
  readonly isChanged: boolean;
  readonly answer: PolicyAnswer;
  /** Posterior means of the leaves, and whole queries of 100 that add up. */
  readonly means: ByKey<number>;
  readonly whole: ByKey<number>;
}

/** The scene of the group that the controls choose. */
export function sceneOf(view: TreeView, controls: TreeControls, asFitted: Fit, width: number): Scene {
  const own = view.groups[controls.group];
  if (!own) throw new Error(`Expected a group from 0 to ${view.groups.length - 1}; got ${controls.group}.`);
  const shape = shapeOf(view.levels);
  const weights = policyOf(view, controls);
  const { pins } = controls;
  const [group, fit] = pins === null ? [own, asFitted] : pinGroup(view, own, asFitted, pins);
  const means = record(shape.leaves, (world) => group.worlds[world]?.value ?? 0);
  const kind = policyKind(shape, weights);
  return {
    view,
    shape,
    group,
    fitted: pins === null ? null : { group: own, policy: policyValue(view, own, weights) },
    controls,
    fit,
    layout: treeLayout(shape, width, isScored(kind) ? "scores" : "counts"),
    weights,
    kind,
    isChanged: !samePolicy(shape, weights, view.policy.weights),
    answer: answerPolicy(view, group, fit, weights),
    means,
    whole: of100(shape, means, weights),
  };
}

/** The policy under the controls: the reader's own, or the view's. */
export function policyOf(view: TreeView, controls: TreeControls): Weights {
  return controls.policy ?? view.policy.weights;
}

export const UNKNOWN: Estimate = { value: null, lower: null, upper: null, text: EN_DASH };

/** The number of an estimate; 0% and 100% only where that was set. */
export function shownValue(estimate: Estimate): string {
  return isPinned(estimate) ? (estimate.text.split(" ")[0] ?? "") : percent(estimate.value);
}

/** The interval of an estimate, or that it does not vary. */
export function shownInterval(estimate: Estimate): string {
  return isPinned(estimate) ? "pinned" : interval(estimate.lower, estimate.upper);
}

/** Whether a policy gives scores, not whole queries. */
export function isScored(kind: PolicyKind): boolean {
  return kind === "weights" || kind === "utility";
}

/** Whole queries of 100 in all of these worlds. */
export function wholeOf({ whole }: Pick<Scene, "whole">, worlds: readonly World[]): number {
  return worlds.reduce((total, world) => total + (whole[world] ?? 0), 0);
}

/** Value in the fit, or of the fitted policy, where what is shown can be compared with it. */
export function fittedPolicy({ view, shape, group, fitted, kind, isChanged }: Scene): number | null {
  if (fitted !== null) return fitted.policy;
  const wasUtility = policyKind(shape, view.policy.weights) === "utility";
  const isComparable = isChanged && wasUtility === (kind === "utility");
  return isComparable ? (group.quantities[POLICY]?.value ?? null) : null;
}

/** The signed difference of two values of a policy. */
export function difference(now: number, before: number, isUtility: boolean): string {
  return isUtility ? cents(now, before) : points(now, before);
}
