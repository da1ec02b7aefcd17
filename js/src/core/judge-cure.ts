/** What is said of a cure: the same as `views/judge_cure.py`. */
import { CURE_LABELS } from "../contract/judge-tables.ts";
import type { ShownView } from "../contract/decode-judge.ts";
import type { JudgeDeparture } from "../contract/judge.ts";
import type { Segment } from "./sentence.ts";

type Change = readonly [before: string, after: string];

/** What a cure allows for: errors that depend, and systems, by name, that are fitted by themselves. */
export interface Allowed {
  readonly is_errors: boolean;
  readonly apart: readonly string[];
}

const ERRORS = "ith errors that depend on more than the truth";

/** Nothing without the cure: what is apart in the fit is no doing of the reader's. */
export function allowedBy({ is_errors, apart, groups }: ShownView): Allowed {
  const names = is_errors === undefined ? [] : apart;
  return { is_errors: is_errors ?? false, apart: names.map((i) => groups[i]?.label || `Group ${i + 1}`) };
}

/** What the numbers of a cure go by; `isApart` says that they are of a system in `apart`. */
export function cureOpening({ is_errors, apart }: Allowed, isApart: boolean): string {
  if (apart.length === 0) return `W${ERRORS}`;
  if (isApart) return `With this system fitted by itself${is_errors ? ` and w${ERRORS}` : ""}`;
  const which = apart.length === 1 ? `“${apart[0]}”,` : `the ${apart.length} systems`;
  return `Without ${which} for which a judge differs${is_errors ? `, and w${ERRORS}` : ""}`;
}

/** What a reader did by taking the cure. */
export function allowances({ is_errors, apart }: Allowed): readonly string[] {
  const [first, ...others] = apart;
  return [
    ...(is_errors ? ["let errors depend on more than the truth"] : []),
    ...(first === undefined ? [] : [others.length === 0 ? `fitted “${first}” by itself` : `fitted ${apart.length} systems by themselves`]),
  ];
}

/** What the cure changes: P(T), and P(G) or the utility, as texts before and after; `isAll` says that nothing is found of the judges with it. */
export function cureLine(opening: string, task: Change, policy: Change, isRate: boolean, isAll: boolean): Segment[] {
  const told = [["P(T)", task], [isRate ? "P(G)" : "the utility", policy]] as const;
  return [
    [`${opening}, `, ""],
    ...told.flatMap(([name, change], i): Segment[] => {
      const [goes, now] = changed(change);
      return [[`${i > 0 ? " and " : ""}${name} ${goes} `, ""], [now, "strong"]];
    }),
    [isAll ? ". Nothing more is found with that." : ".", ""],
  ];
}

/** How a number changed, and what stands large: where the value stays it is the interval. */
function changed([before, after]: Change): readonly [goes: string, now: string] {
  const [[value, span], [now, other]] = [before.split(" ("), after.split(" (")];
  if (before === after) return ["stays", after];
  if (value !== now || span === undefined || other === undefined) return [`goes from ${before} to`, after];
  return [`stays ${value}, its interval ${span.slice(0, -1)} becomes`, other.slice(0, -1)];
}

/** What a button offers against what was found. */
export function cureLabel(departures: readonly Pick<JudgeDeparture, "kind">[]): string {
  const kinds = departures.map(({ kind }) => kind);
  const [first = "several"] = kinds;
  const isOne = kinds.every((kind) => kind === first) && (kinds.length === 1 || first === "together" || first.startsWith("system"));
  return CURE_LABELS[isOne ? first : kinds.some((kind) => kind.startsWith("system")) ? "all" : "several"];
}

/** The way back. */
export function undoLabel({ is_errors, apart }: Allowed): string {
  return CURE_LABELS[apart.length === 0 ? "undo" : is_errors ? "undo_all" : "undo_system"];
}
