/** Names and sentences of the tree's parts, beside those that both languages share. */
import type { World } from "../contract/levels.ts";
import { POLICY_NAMES, VAGUE_ESTIMATE } from "../contract/tables.ts";
import type { Estimate, NodeLabels } from "../contract/tree.ts";
import { count, type PolicyKind } from "./format.ts";
import { entry } from "./records.ts";
import type { Shape } from "./shape.ts";

/** Words of a leaf; whether declining was right is the policy's to say. */
export function leafWords({ outcomes }: Shape, world: World, policySaysSo: boolean): string {
  const { words, otherwise } = entry(outcomes, world);
  return policySaysSo ? words : otherwise;
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

/** "undefined: A=0 has no probability", of "P(T=1 | A=0)". */
export function undefinedReason(symbol: string): string {
  const given = /\|\s*(.+)\)$/.exec(symbol)?.[1];
  return given ? `undefined: ${given} has no probability` : "undefined";
}

/** The interval's width in points; 0 when undefined. */
export function pointsWide(estimate: Estimate): number {
  return estimate.lower === null || estimate.upper === null ? 0 : 100 * (estimate.upper - estimate.lower);
}

/** An interval wider than 50 points says little: its number turns grey. */
export const VAGUE_POINTS = 100 * VAGUE_ESTIMATE;

/** Width of a character, as a share of the size of the type; on the generous side. */
const CHARACTER = 0.55;

/** Width of a text in px: an estimate from its length. */
export function textWidth(text: string, size: number): number {
  return CHARACTER * size * text.length;
}

/** How many characters go into so many px. */
export function charactersIn(width: number, size: number): number {
  return Math.floor(width / (CHARACTER * size));
}

/** Fewest characters that are left of a level's name where it is cut. */
const LEAST_NAME = 6;

/** Characters that turn the direction of what follows, ours included. */
const TURNS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;

/**
 * Words for a place that is small, with the name of a level in them: it is cut until they have
 * about `most` characters, and cannot turn the direction of what stands behind it.
 */
export function shortened(words: string, name: string, most: number): string {
  const quoted = words.indexOf(`“${name}”`);
  const at = (quoted >= 0 ? quoted : words.indexOf(`=${name}`)) + 1;
  if (at === 0) return words;
  const letters = [...name.replace(TURNS, "")];
  const around = [...words].length - [...name].length;
  const room = Math.max(LEAST_NAME, Math.floor(most) - around);
  const shown = letters.length <= room ? letters.join("") : `${letters.slice(0, room - 1).join("")}…`;
  return `${words.slice(0, at)}${shown}${words.slice(at + name.length)}`;
}
