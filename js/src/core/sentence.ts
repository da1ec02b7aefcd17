/** The headline and the line under it: the same sentences as `views/wording.py`. */
import { MANY_ROWS, POLICY_NAMES, VAGUE_WIDTH } from "../contract/tables.ts";
import {
  cents,
  count,
  decimal,
  interval,
  isRight,
  percent,
  pinPercent,
  points,
  policyKind,
  weightOf,
  type PolicyKind,
  type Weights,
} from "./format.ts";
import { lowered } from "./letters.ts";
import { roundHalfUp } from "./numbers.ts";
import { of100 } from "./of-100.ts";
import { entry, type ByKey } from "./records.ts";
import type { Shape } from "./shape.ts";
import { leafWords } from "./words.ts";

export type Role = "" | "strong" | "evidence" | "task" | "good" | "interval" | "whatif" | "big";
/** A piece of a sentence and its role. */
export type Segment = readonly [text: string, role: Role];
/** Mean, lower and upper end. */
export type Triple = readonly [number, number, number];

export interface DeckArguments {
  readonly n_rows: number;
  readonly n_joint: number;
  readonly worlds: Readonly<Record<string, number>>;
  readonly policy: Triple;
  readonly weights: Weights;
}

export interface HeadlineArguments extends Omit<DeckArguments, "n_joint"> {
  readonly task: Triple;
  readonly is_whatif?: boolean;
  /** Whether the numbers are about exactly these rows, and not about queries like these. */
  readonly is_of_rows?: boolean;
}

export interface WhatIfArguments {
  readonly pins: Readonly<Record<string, number>>;
  readonly branches: Readonly<Record<string, number>>;
  /** Now, and in the fit. */
  readonly task: readonly [number, number];
  readonly policy: readonly [number, number];
  readonly weights: Weights;
}

/** The sentence without its roles. */
export function plain(segments: readonly Segment[]): string {
  return segments.map(([text]) => text).join("");
}

function howMany(n: number, one: string, many: string): string {
  if (n <= 0) return `almost none ${many}`;
  if (n >= 100) return `almost all ${many}`;
  return `${n} ${n === 1 ? one : many}`;
}

function inHowMany(n: number): string {
  return n <= 0 ? "almost none" : n >= 100 ? "almost all" : String(n);
}

function isBinary(kind: PolicyKind): boolean {
  return kind !== "weights" && kind !== "utility";
}

function isVague(kind: PolicyKind, policy: Triple): boolean {
  return kind !== "utility" && policy[2] - policy[1] > VAGUE_WIDTH;
}

/** The finding in one sentence that can be pasted into a report. */
export function headline(shape: Shape, { is_whatif = false, ...of }: HeadlineArguments): Segment[] {
  const said = finding(shape, of);
  const [first, ...rest] = said;
  if (!is_whatif || first === undefined) return said;
  const [text, role] = first;
  return [["What if: ", "whatif"], [lowered(text), role], ...rest];
}

function per100(n: number, isOfRows: boolean): string {
  if (!isOfRows) return "Of 100 queries, ";
  return `Per 100 of ${n === 1 ? "this 1 query" : `these ${count(n)} queries`}, `;
}

function finding(
  shape: Shape,
  { n_rows, worlds, task, policy, weights, is_of_rows = false }: Omit<HeadlineArguments, "is_whatif">,
): Segment[] {
  const kind = policyKind(shape, weights);
  if (n_rows === 0) return [["No labels yet. Every number below is the prior, not a finding.", ""]];
  const of = per100(n_rows, is_of_rows);
  if (isVague(kind, policy)) return vagueHeadline(n_rows, task, policy, kind, of);
  const whole = of100(shape, worlds, weights);
  const right = total(whole, shape.levels.map((level) => level.right));
  const parts: Segment[] = [
    [of, ""],
    [howMany(right, "gets a correct answer", "get a correct answer"), "task"],
    [` (${interval(task[1], task[2])})`, "interval"],
  ];
  if (kind === "task_success") return [...parts, [".", ""]];
  if (kind === "utility") {
    const span = ` (${decimal(policy[1])} to ${decimal(policy[2])})`;
    return [...parts, ["; utility is ", ""], [`${decimal(policy[0])} a query`, "good"], [span, "interval"], [".", ""]];
  }
  const good = isBinary(kind)
    ? total(whole, shape.leaves.filter((world) => weightOf(weights, world) === 1))
    : roundHalfUp(100 * policy[0]);
  const [lead, text] = verdict(kind, good);
  return [...parts, [lead, ""], [text, "good"], [` (${interval(policy[1], policy[2])})`, "interval"], [".", ""]];
}

function verdict(kind: PolicyKind, good: number): readonly [string, string] {
  if (kind === "adherence") return ["; the generator does ", `the right thing in ${inHowMany(good)}`];
  if (kind === "no_harm") return ["; the generator ", `gives no wrong answer in ${inHowMany(good)}`];
  if (kind === "binary") return ["; ", howMany(good, "ends as the policy asks", "end as the policy asks")];
  return ["; the policy scores ", `${good} of 100`];
}

function vagueHeadline(n: number, task: Triple, policy: Triple, kind: PolicyKind, of: string): Segment[] {
  // Many rows that leave P(G) this wide lack a label: their number is not what is missing.
  const opening =
    n > MANY_ROWS ? "The labels leave much open" : `${count(n)} row${n === 1 ? " says" : "s say"} little yet`;
  const [tLow, tHigh, gLow, gHigh] = [task[1], task[2], policy[1], policy[2]].map((x) => roundHalfUp(100 * x));
  const good =
    kind === "adherence"
      ? `does the right thing in ${gLow} to ${gHigh}`
      : kind === "no_harm"
        ? `gives no wrong answer in ${gLow} to ${gHigh}`
        : kind === "task_success"
          ? ""
          : `does as the policy asks in ${gLow} to ${gHigh}`;
  const solved =
    tLow === tHigh
      ? howMany(tLow ?? 0, "gets a correct answer", "get a correct answer")
      : `between ${tLow} and ${tHigh} get a correct answer`;
  const parts: Segment[] = [
    [`${opening}: ${lowered(of)}`, ""],
    [solved, "task"],
  ];
  if (good) parts.push(["; the generator ", ""], [good, "good"]);
  return [...parts, [".", ""]];
}

/** Why, or what to do: the line under the headline. */
export function deck(shape: Shape, { n_rows, n_joint, worlds, policy, weights }: DeckArguments): Segment[] {
  const kind = policyKind(shape, weights);
  if (n_rows === 0) {
    return [["Add rows with R, A and T; about 100 bring policy adherence to within ±10 points.", ""]];
  }
  if (isVague(kind, policy)) return [[moreRows(n_joint, policy[0]), ""]];
  const whole = of100(shape, worlds, weights);
  const parts: Segment[] = [];
  if (kind === "adherence") {
    parts.push(...sharing(shape, whole));
  } else if (isBinary(kind)) {
    const good = shape.leaves.filter((world) => weightOf(weights, world) === 1).map((world) => leafWords(shape, world, true));
    parts.push([`Right by this policy: ${good.length > 0 ? good.join("; ") : "nothing"}. `, ""]);
  } else {
    const listed = shape.leaves.filter((world) => weightOf(weights, world) !== 0)
      .map((world) => `${weighed(shape, world, weights)} ${decimal(weightOf(weights, world))}`)
      .join("; ");
    parts.push([`Weights of this policy: ${listed || "all 0.00"}. `, ""]);
  }
  return [...parts, ...bottleneck(shape, whole)];
}

/** A leaf in the list of weights; among more than two levels any may be declined rightly. */
function weighed(shape: Shape, world: string, weights: Weights): string {
  return leafWords(shape, world, !shape.isGraded || isRight(shape, world, weights));
}

/** What T and G have in common, and what either has beyond that. */
function sharing({ levels, top, shared, less }: Shape, whole: ByKey<number>): Segment[] {
  const below = levels.filter((level) => level !== top);
  const declined = total(whole, below.map((level) => level.abstained));
  const right = total(whole, below.map((level) => level.right));
  return [
    ["They share ", ""],
    [`${things(whole[top.right] ?? 0, "right answer")} ${shared}`, "strong"],
    [`. Policy adds the ${declined} it rightly declined; task success adds the ${right} it got right ${less}. `, ""],
  ];
}

function total(whole: ByKey<number>, worlds: readonly string[]): number {
  return worlds.reduce((n, world) => n + (whole[world] ?? 0), 0);
}

/** What was set, and what that changes: the line under the headline of a what-if. */
export function whatIfDeck(shape: Shape, { pins, branches, task, policy, weights }: WhatIfArguments): Segment[] {
  const kind = policyKind(shape, weights);
  const listed = shape.reading
    .filter((key) => Object.hasOwn(pins, key))
    .map((key) => `${entry(shape.steps, key).pin}: ${pinPercent(pins[key] ?? 0)} instead of ${percent(branches[key] ?? 0)}`)
    .join("; ");
  const correct = `${points(...task)} correct answers`;
  const parts: Segment[] = [["You set ", "whatif"], [`${listed}. Against the fit, `, ""]];
  if (kind === "task_success") return [...parts, [correct, "strong"], [" of 100.", ""]];
  if (kind === "utility") {
    return [...parts, [correct, "strong"], [" of 100 and ", ""], [`${cents(...policy)} utility a query`, "strong"], [".", ""]];
  }
  const good = `${points(...policy)} ${POLICY_NAMES[kind].toLowerCase()}`;
  return [...parts, [correct, "strong"], [" and ", ""], [good, "strong"], [" of 100.", ""]];
}

function things(n: number, noun: string): string {
  return n === 1 ? `${n} ${noun}` : `${n} ${noun}s`;
}

/** The largest loss, when it is at least 5 of 100 and a fifth larger than the next. */
function bottleneck({ bottlenecks }: Shape, whole: ByKey<number>): Segment[] {
  const losses = bottlenecks.map((loss) => ({ ...loss, size: total(whole, loss.worlds) })).sort((a, b) => b.size - a.size);
  const [largest, second] = losses;
  if (!largest || !second || largest.size < 5 || 5 * largest.size < 6 * second.size) return [];
  return [
    [largest.lead, "strong"],
    [` ${largest.text(largest.size)}`, ""],
  ];
}

/** About how many joint rows bring P(G) to ±10 points: p (1−p) (1.96 / 0.10)² in all. */
function moreRows(nJoint: number, mean: number): string {
  const missing = mean * (1 - mean) * 384.16 - nJoint;
  if (missing <= 0) return "Rows with R and T on the same query would narrow this most.";
  const tens = 10 * Math.ceil(missing / 10);
  return `About ${count(tens)} more rows with R and T would bring policy adherence to within ±10 points.`;
}
