/** Names and sentences of the tree's parts, beside those that both languages share. */
import { POLICY_NAMES, STEPS, VAGUE_ESTIMATE, WORLD_WORDS, type Parameter, type World } from "../contract/tables.ts";
import type { Estimate, NodeLabels } from "../contract/tree.ts";
import { count, type PolicyKind } from "./format.ts";

export const BRANCHES = [
  "retrieval_success",
  "abstain_given_hit",
  "correct_given_hit",
  "abstain_given_miss",
  "correct_given_miss",
] as const satisfies readonly Parameter[];

export const NODES: Readonly<
  Record<Parameter, { readonly title: string; readonly asks: string; readonly letter: "R" | "A" | "T" }>
> = STEPS;

/** Leaves below each branch. */
export const BELOW: Readonly<Record<Parameter, readonly World[]>> = {
  retrieval_success: ["hit_right", "hit_wrong", "hit_abstained", "miss_right", "miss_wrong", "miss_abstained"],
  abstain_given_hit: ["hit_right", "hit_wrong", "hit_abstained"],
  abstain_given_miss: ["miss_right", "miss_wrong", "miss_abstained"],
  correct_given_hit: ["hit_right", "hit_wrong"],
  correct_given_miss: ["miss_right", "miss_wrong"],
};

/** The branch that a leaf hangs on, and whether the leaf is its "yes" or its "no". */
export const PARENT: Readonly<Record<World, readonly [branch: Parameter, yes: boolean]>> = {
  hit_right: ["correct_given_hit", true],
  hit_wrong: ["correct_given_hit", false],
  hit_abstained: ["abstain_given_hit", true],
  miss_right: ["correct_given_miss", true],
  miss_wrong: ["correct_given_miss", false],
  miss_abstained: ["abstain_given_miss", true],
};

/** Words of a leaf; whether declining was right is the policy's to say. */
export function leafWords(world: World, policySaysSo: boolean): string {
  const words: string = WORLD_WORDS[world];
  return policySaysSo ? words : words.replace("rightly ", "");
}

/** What G is called under a policy. */
export function policyName(kind: PolicyKind): string {
  return POLICY_NAMES[kind];
}

/** Column title of the ledger under a policy. */
export function ledgerName(kind: PolicyKind): string {
  if (kind === "weights") return "policy score";
  if (kind === "utility") return "utility";
  return "right by policy";
}

/** "R on 600 of 600 rows", "T on 310 of 376; 20 judge only; 12 may belong here". */
export function labelLine(letter: "R" | "A" | "T", labels: NodeLabels | undefined): string {
  if (!labels) return "";
  const known = `${letter} on ${count(labels.labelled)} of ${count(labels.rows)}${letter === "R" ? " rows" : ""}`;
  const parts = [labels.rows > 0 ? known : "no rows"];
  if (labels.judged > 0) parts.push(`${count(labels.judged)} judge only`);
  if (labels.possible > 0) parts.push(`${count(labels.possible)} may belong here`);
  return parts.join("; ");
}

/** "75 rows". */
export function seenLine(labels: NodeLabels | undefined): string {
  if (!labels) return "";
  return labels.rows === 1 ? "1 row" : `${count(labels.rows)} rows`;
}

/** "75 rows; 12 may belong here". */
export function rowsLine(labels: NodeLabels | undefined): string {
  const seen = seenLine(labels);
  if (!labels) return seen;
  return labels.possible > 0 ? `${seen}; ${count(labels.possible)} may belong here` : seen;
}

/** "P(T=1 | A=0) is undefined: A=0 has no probability." */
export function undefinedReason(symbol: string): string {
  const given = /\|\s*([^)]+)\)/.exec(symbol)?.[1];
  return given ? `undefined: ${given} has no probability` : "undefined";
}

/** The interval's width in points; 0 when undefined. */
export function pointsWide(estimate: Estimate): number {
  return estimate.lower === null || estimate.upper === null ? 0 : 100 * (estimate.upper - estimate.lower);
}

/** An interval wider than 50 points says little: its number turns grey. */
export const VAGUE_POINTS = 100 * VAGUE_ESTIMATE;

/** Width of a text in px: an estimate from its length, on the generous side. */
export function textWidth(text: string, size: number): number {
  return 0.55 * size * text.length;
}
