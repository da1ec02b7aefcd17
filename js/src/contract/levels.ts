/** The names that follow from the levels of R: worlds, branches and the model's probabilities. */
import { LEAVES, PARAMETERS, WORLDS } from "./tables.ts";

/** One of the outcomes that the leaves stand for, such as `hit_right` or `partial_right`. */
export type World = string;
/** A probability that a picture shows and a what-if can set, such as `abstain_given[all]`. */
export type Branch = string;
/** A probability that is free in the model: a branch, or a stick that R's levels are broken from. */
export type Parameter = string;

/** One level of R: its name, the branches that ask about it, and its three worlds. */
export interface Level {
  readonly name: string;
  readonly retrieval: Branch;
  readonly abstain: Branch;
  readonly correct: Branch;
  readonly right: World;
  readonly wrong: World;
  readonly abstained: World;
}

export interface Keys {
  /** More than two levels: each has a branch of its own. */
  readonly isGraded: boolean;
  /** Lowest first; the last one is the hit, all below it are misses. */
  readonly levels: readonly Level[];
  readonly top: Level;
  /** The model's order. */
  readonly worlds: readonly World[];
  readonly parameters: readonly Parameter[];
  readonly branches: readonly Branch[];
  /** Outcomes and branches as a picture is read: from the top level down. */
  readonly leaves: readonly World[];
  readonly reading: readonly Branch[];
}

const known = new WeakMap<readonly string[], Keys>();

/** The names under these levels of R, lowest first; two levels are `miss` and `hit`. */
export function keysOf(levels: readonly string[]): Keys {
  const made = known.get(levels) ?? (levels.length > 2 ? graded(levels) : binary());
  known.set(levels, made);
  return made;
}

function topOf(levels: readonly Level[]): Level {
  const top = levels[levels.length - 1];
  if (!top) throw new Error("Expected levels of R; got none.");
  return top;
}

function worldsOf(name: string): Pick<Level, "right" | "wrong" | "abstained"> {
  return { right: `${name}_right`, wrong: `${name}_wrong`, abstained: `${name}_abstained` };
}

function reading(levels: readonly Level[]): Branch[] {
  const downwards = [...levels].reverse();
  return [...new Set(downwards.flatMap(({ retrieval, abstain, correct }) => [retrieval, abstain, correct]))];
}

function binary(): Keys {
  const levels = ["miss", "hit"].map((name) => ({
    name,
    retrieval: "retrieval_success",
    abstain: `abstain_given_${name}`,
    correct: `correct_given_${name}`,
    ...worldsOf(name),
  }));
  return {
    isGraded: false,
    levels,
    top: topOf(levels),
    worlds: WORLDS,
    parameters: PARAMETERS,
    branches: PARAMETERS,
    leaves: LEAVES,
    reading: reading(levels),
  };
}

function graded(names: readonly string[]): Keys {
  const levels = names.map((name) => ({
    name,
    retrieval: `retrieval[${name}]`,
    abstain: `abstain_given[${name}]`,
    correct: `correct_given[${name}]`,
    ...worldsOf(name),
  }));
  const downwards = [...levels].reverse();
  const sticks = downwards
    .slice(0, -1)
    .map(({ name, retrieval }, i) => (i === 0 ? retrieval : `retrieval[${name} | below ${downwards[i - 1]?.name}]`));
  const answered = [...levels.map(({ abstain }) => abstain), ...levels.map(({ correct }) => correct)];
  return {
    isGraded: true,
    levels,
    top: topOf(levels),
    worlds: [...levels.map(({ abstained }) => abstained), ...levels.flatMap(({ wrong, right }) => [wrong, right])],
    parameters: [...sticks, ...answered],
    branches: [...levels.map(({ retrieval }) => retrieval), ...answered],
    leaves: downwards.flatMap(({ right, wrong, abstained }) => [right, wrong, abstained]),
    reading: reading(levels),
  };
}

/** The sticks that R's levels are broken from, from the top level down. */
export function sticksOf({ levels, parameters }: Keys): readonly Parameter[] {
  return parameters.slice(0, levels.length - 1);
}

type Pins = Readonly<Record<Branch, number>>;

/** Sums of pinned levels that differ from 1 by no more than this are 1. */
export const PIN_SLACK = 1e-9;

/**
 * The highest probability that a branch can be pinned to beside the other pins: what the other
 * levels leave. Null where the others leave no choice, since all of them are pinned, or to 1.
 */
export function pinLimit({ isGraded, levels }: Keys, pins: Pins, branch: Branch): number | null {
  if (!isGraded || !levels.some(({ retrieval }) => retrieval === branch)) return 1;
  const others = levels.flatMap(({ retrieval }) => (retrieval === branch ? [] : [pins[retrieval]]));
  const left = 1 - others.reduce<number>((total, pin) => total + (pin ?? 0), 0);
  if (left < PIN_SLACK || others.every((pin) => pin !== undefined)) return null;
  return Math.floor(1e6 * (left + PIN_SLACK)) / 1e6;
}

/** Whether the pinned levels of R can be so together: at most 1, and 1 where all are pinned. */
export function arePossible({ isGraded, levels }: Keys, pins: Pins): boolean {
  if (!isGraded) return true;
  const set = levels.flatMap(({ retrieval }) => pins[retrieval] ?? []);
  const total = set.reduce((sum, pin) => sum + pin, 0);
  return total <= 1 + PIN_SLACK && (set.length < levels.length || total >= 1 - PIN_SLACK);
}
