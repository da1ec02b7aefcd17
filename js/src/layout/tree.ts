/** Where the parts of a tree stand, from the width alone. Columns from 760 px, below an outline. */
import { LEAVES, type Parameter, type World } from "../contract/tables.ts";
import { clamp } from "../core/numbers.ts";
import { BELOW, BRANCHES, PARENT } from "../core/words.ts";
import { px } from "./paths.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
}

export interface Edge {
  readonly path: string;
  /** Leaves that this edge leads to. */
  readonly to: readonly World[];
  /** The branch it ends at; null at a leaf. */
  readonly branch: Parameter | null;
}

export interface TreeLayout {
  readonly mode: "columns" | "outline";
  readonly isNarrow: boolean;
  readonly inner: number;
  readonly statWidth: number;
  /** Height of the canvas; null where the text decides it. */
  readonly height: number | null;
  /** Middle of each branch's left edge; null in the outline, which flows. */
  readonly branches: Readonly<Record<Parameter, Box>> | null;
  readonly leaves: Readonly<Record<World, Box>> | null;
  /** Column titles, ledger head, totals, policy line: top left corners. */
  readonly heads: readonly [Box, Box, Box] | null;
  readonly ledger: Box | null;
  readonly totals: Box | null;
  readonly policy: Box | null;
  readonly edges: readonly Edge[];
  readonly plotWidths: Readonly<Record<Parameter, number>>;
  readonly markWidths: Readonly<Record<World, number>>;
  readonly ledgerColumn: number;
}

export const COLUMNS_FROM = 760;
export const NARROW_TO = 620;
const OUTLINE_MAX = 560;
const ROW = 68;
const TOP = 46;
const LEAVES_MIN = 310;
const BRANCH_MIN = 138;
/** Sign, gaps between the four cells of a leaf. */
const SIGN = 24;
const GAP = 6;
/** Indent of one level of the outline: border and padding. */
const INDENT = 15.5;

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}

/** Geometry of a tree in an element `width` px wide; scores take more room than counts. */
export function treeLayout(width: number, ledgerHolds: "counts" | "scores" = "counts"): TreeLayout {
  const isNarrow = width <= NARROW_TO;
  const inner = Math.max(200, width - 2 * (isNarrow ? 16 : 24));
  const statWidth = isNarrow ? (inner - 16) / 2 : (inner - 3 * 24) / 4;
  const ledgerColumn = ledgerHolds === "scores" ? 64 : width < 360 ? 48 : isNarrow || inner < 860 ? 52 : 60;
  const shared = { isNarrow, inner, statWidth, ledgerColumn };
  return inner >= COLUMNS_FROM ? { ...shared, ...columns(inner, ledgerColumn) } : { ...shared, ...outline(inner, ledgerColumn) };
}

function outline(inner: number, ledgerColumn: number) {
  const width = Math.min(inner, OUTLINE_MAX);
  const depth = (branch: Parameter) => (branch === "retrieval_success" ? 0 : branch.startsWith("abstain") ? 1 : 2);
  return {
    mode: "outline" as const,
    height: null,
    branches: null,
    leaves: null,
    heads: null,
    ledger: null,
    totals: null,
    policy: null,
    edges: [],
    plotWidths: record(BRANCHES, (branch) => width - INDENT * depth(branch)),
    // The marks run on under the ledger's columns.
    markWidths: record(LEAVES, (world) => width - INDENT * depth(PARENT[world][0]) - SIGN - GAP),
    ledgerColumn,
  };
}

function columns(inner: number, ledgerColumn: number) {
  const gap = Math.round(clamp(0.062 * inner - 22, 24, 84));
  const room = (leaves: number) => Math.floor((inner - leaves - 3 * gap) / 3);
  const branchWidth = clamp(room(440), Math.min(BRANCH_MIN, room(LEAVES_MIN)), 250);
  const columnX = (i: number) => i * (branchWidth + gap);
  const leafX = columnX(3);
  const leafWidth = inner - leafX;
  const rowY = (row: number) => TOP + ROW * row + ROW / 2;
  const at: Record<Parameter, readonly [column: number, row: number]> = {
    retrieval_success: [0, 2.5],
    abstain_given_hit: [1, 1],
    abstain_given_miss: [1, 4],
    correct_given_hit: [2, 0.5],
    correct_given_miss: [2, 3.5],
  };
  const head = (i: number): Box => ({ x: columnX(i), y: 24, width: branchWidth });
  const below = TOP + 6 * ROW + 4;
  const edge = (from: Parameter, toX: number, toY: number, to: readonly World[], branch: Parameter | null): Edge => {
    const [column, row] = at[from];
    const x = columnX(column) + branchWidth + 4;
    const y = rowY(row);
    const bend = Math.min(toX - x, gap - 8);
    const path =
      `M${px(x)} ${px(y)}C${px(x + 0.55 * bend)} ${px(y)} ${px(x + 0.45 * bend)} ${px(toY)} ` +
      `${px(x + bend)} ${px(toY)}H${px(toX)}`;
    return { path, to, branch };
  };
  const between: readonly (readonly [Parameter, Parameter])[] = [
    ["retrieval_success", "abstain_given_hit"],
    ["retrieval_success", "abstain_given_miss"],
    ["abstain_given_hit", "correct_given_hit"],
    ["abstain_given_miss", "correct_given_miss"],
  ];
  return {
    mode: "columns" as const,
    height: below + 76,
    branches: record(BRANCHES, (branch) => ({ x: columnX(at[branch][0]), y: rowY(at[branch][1]), width: branchWidth })),
    leaves: record(LEAVES, (world) => ({ x: leafX, y: rowY(LEAVES.indexOf(world)), width: leafWidth })),
    heads: [head(0), head(1), head(2)] as const,
    ledger: { x: leafX, y: 0, width: leafWidth },
    totals: { x: leafX, y: below, width: leafWidth },
    policy: { x: 0, y: below, width: leafX - gap },
    edges: [
      ...between.map(([from, to]) => edge(from, columnX(at[to][0]) - 4, rowY(at[to][1]), BELOW[to], to)),
      ...LEAVES.map((world, i) => edge(PARENT[world][0], leafX - 6, rowY(i), [world], null)),
    ],
    plotWidths: record(BRANCHES, () => branchWidth),
    markWidths: record(LEAVES, () => leafWidth - SIGN - 3 * GAP - 2 * ledgerColumn),
    ledgerColumn,
  };
}
