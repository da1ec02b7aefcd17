/** Everything a tree shows, as texts and pixels: view, controls, fit and width in, no DOM. */
import type { Note, TreeControls, TreeGroup, TreeView } from "../contract/tree.ts";
import { literal, withArgument } from "../core/python-call.ts";
import { deck, headline, plain, whatIfDeck, type Segment, type Triple } from "../core/sentence.ts";
import { record } from "../core/records.ts";
import { labelLine, ledgerName, textWidth } from "../core/words.ts";
import type { Fit } from "../engine/tree.ts";
import { branchPictures, type BranchPicture } from "./branch.ts";
import { leafPictures, type LeafPicture } from "./leaf.ts";
import { totals, type Totals } from "./ledger.ts";
import { quantityRows, type QuantityRow } from "./quantity.ts";
import { sceneOf, UNKNOWN, type Scene } from "./scene.ts";
import { statPictures, type StatPicture } from "./stat.ts";
import type { Box, TreeLayout } from "./tree.ts";

/** What all levels of a graded R start from. */
export interface RootPicture {
  readonly box: Box | null;
  readonly title: string;
  /** How many rows show R, "" when that would not fit; then it is in `help`. */
  readonly labels: string;
  readonly help: string;
}

export interface TreePicture {
  readonly layout: TreeLayout;
  readonly group: number;
  readonly unit: TreeControls["unit"];
  readonly isPrior: boolean;
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
  readonly notes: readonly Note[];
  readonly stats: readonly StatPicture[];
  readonly root: RootPicture | null;
  readonly branches: readonly BranchPicture[];
  readonly leaves: readonly LeafPicture[];
  readonly legend: string;
  readonly ledger: string;
  readonly totals: Totals;
  readonly policyHelp: string;
  readonly isChanged: boolean;
  readonly isWhatIf: boolean;
  readonly quantities: readonly QuantityRow[];
  readonly rows: string;
  readonly sentence: string;
  readonly python: string;
}

/** The picture of the group that the controls choose. */
export function treePicture(view: TreeView, controls: TreeControls, asFitted: Fit, width: number): TreePicture {
  const scene = sceneOf(view, controls, asFitted, width);
  const { group, layout, isChanged } = scene;
  const isWhatIf = controls.pins !== null;
  const finding = findingOf(scene);
  const stats = statPictures(scene);
  return {
    layout,
    group: controls.group,
    unit: controls.unit,
    isPrior: group.n_rows === 0,
    headline: finding,
    deck: deckOf(scene),
    notes: group.notes,
    stats,
    root: rootPicture(scene),
    branches: branchPictures(scene),
    leaves: leafPictures(scene),
    legend: legendOf(controls),
    ledger: ledgerName(scene.kind),
    totals: totals(scene),
    policyHelp: policyHelp(scene, stats[stats.length - 1]?.delta ?? ""),
    isChanged,
    isWhatIf,
    quantities: quantityRows(scene),
    rows: group.rows,
    sentence: view.groups.length > 1 ? `${group.label}: ${plain(finding)}` : plain(finding),
    python: pythonCall(view, controls, isChanged),
  };
}

function triple({ value, lower, upper }: TreeGroup["branches"][string]): Triple {
  return [value ?? 0, lower ?? 0, upper ?? 0];
}

function findingOf({ view, shape, group, controls, means, answer, weights }: Scene): Segment[] {
  return headline(shape, {
    n_rows: group.n_rows,
    worlds: means,
    task: triple(group.quantities["task_success"] ?? UNKNOWN),
    policy: triple(answer.estimate),
    weights,
    is_whatif: controls.pins !== null,
    is_of_rows: view.estimand === "these_rows",
  });
}

function deckOf({ shape, group, fitted, controls, means, answer, weights }: Scene): Segment[] {
  const { pins } = controls;
  if (pins === null) {
    return deck(shape, { n_rows: group.n_rows, n_joint: group.n_joint, worlds: means, policy: triple(answer.estimate), weights });
  }
  const before = fitted?.group ?? group;
  return whatIfDeck(shape, {
    pins,
    branches: record(shape.branches, (key) => before.branches[key]?.value ?? 0),
    task: [group.quantities["task_success"]?.value ?? 0, fitted?.group.quantities["task_success"]?.value ?? 0],
    policy: [answer.estimate.value ?? 0, fitted?.policy ?? 0],
    weights,
  });
}

function rootPicture({ shape, group, layout }: Scene): RootPicture | null {
  if (!shape.isGraded) return null;
  const line = group.n_rows === 0 ? "" : labelLine("R", group.labels[shape.top.retrieval]);
  const title = "All 100 queries";
  const room = (layout.root?.width ?? 2 * layout.inner) - textWidth(title, 16);
  const fits = textWidth(line, 11.5) <= room;
  return { box: layout.root, title, labels: fits ? line : "", help: fits ? "" : line };
}

function legendOf({ pins, unit }: TreeControls): string {
  if (pins !== null) return "Each mark is 1 of 100 queries, what if; △ where the fit ends";
  if (unit === "step") return "Each mark is 1 of 100 queries; the number behind is the share of the step before";
  return "Each mark is 1 of 100 queries; a fading mark is one we are less sure of";
}

function policyHelp({ isChanged, controls }: Scene, delta: string): string {
  if (!isChanged) return "A sign says what the policy makes of an outcome. Press one to change it.";
  return `You changed the policy${controls.pins === null && delta ? `: ${delta} against the fitted one` : ""}.`;
}

function pythonCall(view: TreeView, controls: TreeControls, isChanged: boolean): string {
  let call = view.python;
  if (isChanged && controls.policy !== null) call = withArgument(call, "policy", literal(controls.policy));
  const moved = {
    ...(controls.group !== 0 ? { group: controls.group } : {}),
    ...(controls.unit !== "queries" ? { unit: controls.unit } : {}),
    ...(controls.pins !== null ? { pins: controls.pins } : {}),
  };
  if (Object.keys(moved).length > 0) call = withArgument(call, "controls", literal(moved));
  return `${call})`;
}
