/** Where the parts of a tree stand, from the width alone. Columns from 760 px, below an outline. */
import type { Branch, Keys, Level, World } from "../contract/levels.ts";
import { clamp } from "../core/numbers.ts";
import { entry, record, type ByKey } from "../core/records.ts";
import type { Shape } from "../core/shape.ts";
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
  /** Depth of what it ends at: 0 for R to 2 for T, 3 for a leaf. */
  readonly depth: number;
}

export interface TreeLayout {
  readonly mode: "columns" | "outline";
  readonly isNarrow: boolean;
  readonly inner: number;
  readonly statWidth: number;
  /** Height of the canvas; null where the text decides it. */
  readonly height: number | null;
  /** Middle of each branch's left edge; null in the outline, which flows. */
  readonly branches: ByKey<Box> | null;
  readonly leaves: ByKey<Box> | null;
  /** What all levels of a graded R start from; null where R is one branch. */
  readonly root: Box | null;
  /** Column titles, ledger head, totals, policy line: top left corners. */
  readonly heads: readonly [Box, Box, Box] | null;
  readonly ledger: Box | null;
  readonly totals: Box | null;
  readonly policy: Box | null;
  readonly edges: readonly Edge[];
  readonly plotWidths: ByKey<number>;
  readonly markWidths: ByKey<number>;
  /** Width of a leaf's words, in px. */
  readonly wordWidths: ByKey<number>;
  readonly ledgerColumn: number;
}

export const COLUMNS_FROM = 760;
export const NARROW_TO = 620;
const OUTLINE_MAX = 560;
const ROW = 68;
/** Rows of one level: right, wrong, declined. */
const BAND = 3;
const TOP = 46;
const LEAVES_MIN = 310;
const BRANCH_MIN = 138;
/** Sign, gaps between the four cells of a leaf. */
const SIGN = 24;
const GAP = 6;
/** Indent of one level of the outline: border and padding. */
const INDENT = 15.5;
/** Room for the line at the left that joins the levels of a graded R. */
const TRUNK = 18;
/** Where that line starts: below the head that says what it stands for. */
const TRUNK_TOP = TOP + 28;

/** Geometry of a tree in an element `width` px wide; scores take more room than counts. */
export function treeLayout(shape: Shape, width: number, ledgerHolds: "counts" | "scores" = "counts"): TreeLayout {
  const isNarrow = width <= NARROW_TO;
  const inner = Math.max(200, width - 2 * (isNarrow ? 16 : 24));
  const statWidth = isNarrow ? (inner - 16) / 2 : (inner - 3 * 24) / 4;
  const ledgerColumn = ledgerHolds === "scores" ? 64 : width < 360 ? 48 : isNarrow || inner < 860 ? 52 : 60;
  const shared = { isNarrow, inner, statWidth, ledgerColumn };
  const parts = inner >= COLUMNS_FROM ? columns(shape, inner, ledgerColumn) : outline(shape, inner, ledgerColumn);
  return { ...shared, ...parts };
}

type Parts = Omit<TreeLayout, "isNarrow" | "inner" | "statWidth" | "ledgerColumn">;

function outline(shape: Shape, inner: number, ledgerColumn: number): Parts {
  const width = Math.min(inner, OUTLINE_MAX);
  const depth = (branch: Branch) => entry(shape.steps, branch).depth;
  const leafWidth = (world: World) => width - INDENT * depth(entry(shape.outcomes, world).parent) - SIGN - GAP;
  return {
    mode: "outline",
    height: null,
    branches: null,
    leaves: null,
    root: null,
    heads: null,
    ledger: null,
    totals: null,
    policy: null,
    edges: [],
    plotWidths: record(shape.reading, (branch) => width - INDENT * depth(branch)),
    // The marks run on under the ledger's columns.
    markWidths: record(shape.leaves, leafWidth),
    wordWidths: record(shape.leaves, (world) => leafWidth(world) - 2 * (GAP + ledgerColumn)),
  };
}

/** Columns from left to right, rows from the top. */
interface Grid {
  readonly gap: number;
  readonly branchWidth: number;
  readonly columnX: (column: number) => number;
  readonly rowY: (row: number) => number;
}

function gridOf({ isGraded }: Keys, inner: number): Grid {
  const start = isGraded ? TRUNK : 0;
  const gap = Math.round(clamp(0.062 * inner - 22, 24, 84));
  const room = (leaves: number) => Math.floor((inner - start - leaves - 3 * gap) / 3);
  const branchWidth = clamp(room(440), Math.min(BRANCH_MIN, room(LEAVES_MIN)), 250);
  return {
    gap,
    branchWidth,
    columnX: (column) => start + column * (branchWidth + gap),
    rowY: (row) => TOP + ROW * row + ROW / 2,
  };
}

function columns(shape: Shape, inner: number, ledgerColumn: number): Parts {
  const { leaves, levels } = shape;
  const grid = gridOf(shape, inner);
  const { gap, branchWidth, columnX, rowY } = grid;
  const leafX = columnX(3);
  const leafWidth = inner - leafX;
  const places = placesOf(shape);
  const head = (i: number): Box => ({ x: columnX(i), y: 24, width: branchWidth });
  const below = TOP + BAND * levels.length * ROW + 4;
  const cells = leafWidth - SIGN - 3 * GAP - 2 * ledgerColumn;
  return {
    mode: "columns",
    height: below + 76,
    branches: record(shape.reading, (branch) => {
      const [column, row] = entry(places, branch);
      return { x: columnX(column), y: rowY(row), width: branchWidth };
    }),
    leaves: record(leaves, (world) => ({ x: leafX, y: rowY(leaves.indexOf(world)), width: leafWidth })),
    root: shape.isGraded ? { x: 0, y: TOP, width: columnX(2) - gap } : null,
    heads: [head(0), head(1), head(2)],
    ledger: { x: leafX, y: 0, width: leafWidth },
    totals: { x: leafX, y: below, width: leafWidth },
    policy: { x: 0, y: below, width: leafX - gap },
    edges: edgesOf(shape, grid, places),
    plotWidths: record(shape.reading, () => branchWidth),
    markWidths: record(leaves, () => cells),
    wordWidths: record(leaves, () => cells),
  };
}

type Places = ByKey<readonly [column: number, row: number]>;

/** Column and row of each branch: one band of rows a level, from the top level down. */
function placesOf({ isGraded, levels }: Keys): Places {
  const middle = (BAND * levels.length - 1) / 2;
  return Object.fromEntries(
    [...levels].reverse().flatMap(({ retrieval, abstain, correct }, i) => {
      const row = BAND * i;
      return [[retrieval, [0, isGraded ? row + 1 : middle]], [abstain, [1, row + 1]], [correct, [2, row + 0.5]]] as const;
    }),
  );
}

function edgesOf(shape: Shape, { gap, branchWidth, columnX, rowY }: Grid, places: Places): Edge[] {
  const { leaves, outcomes, steps } = shape;
  const edge = (from: Branch, toX: number, toY: number, to: readonly World[], depth: number): Edge => {
    const [column, row] = entry(places, from);
    const x = columnX(column) + branchWidth + 4;
    const y = rowY(row);
    const bend = Math.min(toX - x, gap - 8);
    const path =
      `M${px(x)} ${px(y)}C${px(x + 0.55 * bend)} ${px(y)} ${px(x + 0.45 * bend)} ${px(toY)} ` +
      `${px(x + bend)} ${px(toY)}H${px(toX)}`;
    return { path, to, depth };
  };
  const between = (from: Branch, to: Branch): Edge => {
    const [column, row] = entry(places, to);
    const { below, depth } = entry(steps, to);
    return edge(from, columnX(column) - 4, rowY(row), below, depth);
  };
  const downwards = [...shape.levels].reverse();
  return [
    ...(shape.isGraded ? trunk(downwards, places, rowY) : []),
    ...downwards.map(({ retrieval, abstain }) => between(retrieval, abstain)),
    ...downwards.map(({ abstain, correct }) => between(abstain, correct)),
    ...leaves.map((world, i) => edge(entry(outcomes, world).parent, columnX(3) - 6, rowY(i), [world], 3)),
  ];
}

/** From the root down the left side: a piece to each level, and from there to its branch. */
function trunk(downwards: readonly Level[], places: Places, rowY: Grid["rowY"]): Edge[] {
  const x = 1;
  const curve = 8;
  const worldsOf = (levels: readonly Level[]) => levels.flatMap(({ right, wrong, abstained }) => [right, wrong, abstained]);
  const yOf = (level: Level) => rowY(entry(places, level.retrieval)[1]);
  return downwards.flatMap((level, i) => {
    const above = downwards[i - 1];
    const [from, to] = [above ? yOf(above) - curve : TRUNK_TOP, yOf(level)];
    return [
      { path: `M${px(x)} ${px(from)}V${px(to - curve)}`, to: worldsOf(downwards.slice(i)), depth: 0 },
      { path: `M${px(x)} ${px(to - curve)}Q${px(x)} ${px(to)} ${px(x + curve)} ${px(to)}H${px(TRUNK - 4)}`, to: worldsOf([level]), depth: 0 },
    ];
  });
}
