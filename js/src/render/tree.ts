/** The tree's elements: made once, then brought into line with a picture. */
import { entry, record, type ByKey } from "../core/records.ts";
import type { Shape } from "../core/shape.ts";
import { POLICY } from "../engine/tree.ts";
import type { RootPicture, TreePicture } from "../layout/picture.ts";
import { drawBranch, makeBranch, type BranchNodes } from "./branch.ts";
import { children, element, place, setAttributes, setHidden, setStyle, setText, shape as svgShape, toggleClass } from "./dom.ts";
import { drawEdges } from "./edges.ts";
import { drawNotes, drawSegments, makeCopyBox, makePicker } from "./frame.ts";
import { drawLeaf, makeLeaf, type LeafNodes } from "./leaf.ts";
import { drawStat, makeStat, type StatNodes } from "./stat.ts";

interface RootNodes {
  readonly box: HTMLElement;
  readonly title: HTMLElement;
  readonly labels: HTMLElement;
}

export interface TreeNodes {
  readonly shape: Shape;
  readonly root: HTMLElement;
  readonly picker: HTMLElement;
  readonly by: HTMLElement;
  readonly select: HTMLSelectElement;
  readonly units: readonly HTMLInputElement[];
  readonly finding: HTMLElement;
  readonly headline: HTMLElement;
  readonly deck: HTMLElement;
  /** Back to the fit, all pins at once. */
  readonly unpinAll: HTMLButtonElement;
  /** What is read out once a slider is let go. */
  readonly heard: HTMLElement;
  readonly notes: HTMLElement;
  readonly stats: ByKey<StatNodes>;
  readonly canvas: HTMLElement;
  readonly edges: SVGSVGElement;
  readonly heads: readonly HTMLElement[];
  readonly ledger: HTMLElement;
  readonly legend: HTMLElement;
  readonly ledgerPolicy: HTMLElement;
  /** What all levels of a graded R start from; null where R is one branch. */
  readonly start: RootNodes | null;
  readonly branches: ByKey<BranchNodes>;
  readonly leaves: ByKey<LeafNodes>;
  readonly totals: HTMLElement;
  readonly totalsOf: HTMLElement;
  readonly totalTaskDelta: HTMLElement;
  readonly totalTask: HTMLElement;
  readonly totalTaskInterval: HTMLElement;
  readonly totalPolicy: HTMLElement;
  readonly totalPolicyInterval: HTMLElement;
  readonly totalDelta: HTMLElement;
  readonly policy: HTMLElement;
  readonly policyHelp: HTMLElement;
  readonly undo: HTMLButtonElement;
  readonly reset: HTMLButtonElement;
  readonly quantities: HTMLElement;
  readonly rows: HTMLElement;
  readonly said: HTMLElement;
  readonly copyBox: HTMLElement;
  readonly copyText: HTMLTextAreaElement;
}

/** All elements of a tree, without content. `unique` keeps radio groups of several trees apart. */
export function makeTree(page: Document, shape: Shape, unique: string): TreeNodes {
  const el = <K extends keyof HTMLElementTagNameMap>(tag: K, name: string, ...inside: (Node | string)[]) =>
    element(page, tag, name ? { class: name } : {}, ...inside);
  const button = (name: string, text: string) => {
    const made = element(page, "button", { class: name, type: "button" }, text);
    return made;
  };

  const { picker, by, select } = makePicker(page);
  const units = (["queries", "step"] as const).map((value) =>
    element(page, "input", { type: "radio", name: `unit-${unique}`, value }),
  );
  const unitLabels = ["of 100 queries", "of the step before"].map((text, i) => el("label", "", units[i] ?? "", el("span", "", text)));
  const headline = element(page, "div", { class: "headline", role: "heading", "aria-level": 2, "aria-live": "polite" });
  const deck = el("p", "deck");
  const unpinAll = button("link unpin", "back to the fit");
  const heard = element(page, "span", { class: "unseen", role: "status" });
  const finding = element(page, "div", { class: "finding", tabindex: -1 }, headline, deck, " ", unpinAll, heard);
  const notes = el("div", "notes");
  const stats = record([...shape.stats.map(({ key }) => key), POLICY], (key) => makeStat(page, key));
  const edges = svgShape(page, "svg", { class: "edges", "aria-hidden": "true", focusable: "false" });
  const heads = ["Retrieval", "Abstention", "Task"].map((text, i) =>
    el("div", "head", element(page, "b", { "data-hue": "rat"[i] ?? "" }, "RAT"[i] ?? ""), ` ${text}`),
  );
  const legend = el("span", "legend");
  const ledgerPolicy = element(page, "b", { "data-hue": "good" });
  const ledger = el("div", "ledger", legend, element(page, "b", { "data-hue": "t" }, "correct answer"), ledgerPolicy);
  const start = shape.isGraded ? makeRoot(page) : null;
  const branches = record(shape.reading, (key) => makeBranch(page, entry(shape.steps, key)));
  const leaves = record(shape.leaves, (key) => makeLeaf(page, key));
  const totalTask = element(page, "span", { class: "total-task", "data-hue": "t" });
  const totalPolicy = element(page, "span", { class: "total-policy", "data-hue": "good" });
  const totalTaskInterval = el("span", "interval");
  const totalPolicyInterval = el("span", "interval");
  const totalDelta = el("span", "delta");
  const totalTaskDelta = el("span", "delta");
  const totalsOf = el("span", "of");
  const totals = el(
    "div",
    "totals",
    totalsOf,
    el("span", "total", totalTask, totalTaskInterval, totalTaskDelta),
    el("span", "total", totalPolicy, totalPolicyInterval, totalDelta),
  );
  const policyHelp = el("span", "help");
  const undo = button("link undo", "undo");
  const reset = button("link reset", "reset");
  reset.title = "Back to the fitted policy";
  const policy = element(page, "div", { class: "policy", tabindex: -1 }, policyHelp, " ", undo, reset);
  const tree: Node[] = start === null ? [] : [start.box, ledger];
  for (const branch of shape.reading) {
    const { depth } = entry(shape.steps, branch);
    tree.push(entry(branches, branch).box);
    if (depth === 0 && start === null) tree.push(ledger);
    // A leaf follows the deepest branch above it, so that reading order is the tree's.
    const level = depth === 2 ? shape.levels.find(({ correct }) => correct === branch) : undefined;
    tree.push(...shape.leaves.filter((leaf) => entry(shape.outcomes, leaf).level === level).map((leaf) => entry(leaves, leaf).box));
  }
  const canvas = el("div", "canvas", edges, ...heads, ...tree, totals, policy);
  const table = element(page, "tbody");
  const quantities = el(
    "details",
    "quantities",
    el("summary", "", "All quantities"),
    el("div", "scroll", el("table", "", table)),
  );
  const rows = el("span", "rows");
  const said = element(page, "span", { class: "said", role: "status" });
  const foot = el("div", "foot", rows, el("span", "buttons", said, button("link copy-sentence", "Copy the sentence"), button("link copy-python", "Copy as Python")));
  const { copyBox, copyText } = makeCopyBox(page);
  const help = el(
    "p",
    "unseen",
    "Tab moves through branches and outcomes. The slider of a branch, or the box beside it, sets its probability for a what-if. Up and down arrow move between outcomes, left arrow to the branch above, Enter or space changes what the policy makes of an outcome.",
  );
  const root = element(
    page,
    "div",
    { class: shape.isGraded ? "rat-widgets rat-tree graded" : "rat-widgets rat-tree", role: "group", "aria-label": "Evaluation tree" },
    el(
      "div",
      "frame",
      el(
        "div",
        "eyebrow",
        el("b", "", "Evaluation tree"),
        picker,
        el("fieldset", "units", el("legend", "unseen", "Numbers as"), ...unitLabels),
      ),
      finding,
      notes,
      el("div", "stats", ...Object.values(stats).map((stat) => stat.box)),
      help,
      canvas,
      quantities,
      foot,
      copyBox,
    ),
  );
  return {
    shape, root, picker, by, select, units, finding, headline, deck, unpinAll, heard, notes, stats, canvas, edges, heads, ledger, legend,
    ledgerPolicy, start, branches, leaves, totals, totalsOf, totalTaskDelta, totalTask, totalTaskInterval, totalPolicy, totalPolicyInterval, totalDelta,
    policy, policyHelp, undo, reset, quantities: table, rows, said, copyBox, copyText,
  };
}

function makeRoot(page: Document): RootNodes {
  const title = element(page, "div", { class: "title" });
  const labels = element(page, "div", { class: "labels" });
  return { box: element(page, "div", { class: "start" }, title, labels), title, labels };
}

function drawRoot({ box, title, labels }: RootNodes, root: RootPicture): void {
  setAttributes(box, { title: root.help });
  place(box, root.box);
  setText(title, root.title);
  setText(labels, root.labels);
}

/** Brings all elements into line with the picture; the same picture twice changes nothing. */
export function drawTree(nodes: TreeNodes, picture: TreePicture, canUndo: boolean): void {
  const { layout } = picture;
  const { root } = nodes;
  setAttributes(root, { "data-mode": layout.mode, "data-width": layout.isNarrow ? "narrow" : "wide" });
  setStyle(root, "--ledger", `${layout.ledgerColumn}px`);
  toggleClass(root, "prior-only", picture.isPrior);
  toggleClass(root, "changed", picture.isChanged);
  toggleClass(root, "whatif", picture.isWhatIf);
  if (nodes.select.value !== String(picture.group)) nodes.select.value = String(picture.group);
  for (const unit of nodes.units) if (unit.checked !== (unit.value === picture.unit)) unit.checked = unit.value === picture.unit;
  drawSegments(nodes.headline, picture.headline);
  drawSegments(nodes.deck, picture.deck);
  setHidden(nodes.unpinAll, !picture.isWhatIf);
  drawNotes(nodes.notes, picture.notes);
  for (const stat of picture.stats) drawStat(entry(nodes.stats, stat.key), stat);

  setStyle(nodes.canvas, "height", layout.height === null ? "" : `${layout.height}px`);
  nodes.heads.forEach((head, i) => place(head, layout.heads?.[i] ?? null));
  place(nodes.ledger, layout.ledger);
  setText(nodes.legend, picture.legend);
  setText(nodes.ledgerPolicy, picture.ledger);
  if (nodes.start && picture.root) drawRoot(nodes.start, picture.root);
  for (const branch of picture.branches) drawBranch(entry(nodes.branches, branch.key), branch);
  for (const leaf of picture.leaves) drawLeaf(entry(nodes.leaves, leaf.key), leaf, entry(layout.markWidths, leaf.key));
  drawEdges(nodes.edges, nodes.shape, picture);

  place(nodes.totals, layout.totals);
  const { totals } = picture;
  setText(nodes.totalsOf, totals.of);
  setText(nodes.totalTaskDelta, totals.taskDelta);
  setText(nodes.totalTask, totals.task);
  setText(nodes.totalTaskInterval, totals.taskInterval);
  setText(nodes.totalPolicy, totals.policy);
  setText(nodes.totalPolicyInterval, totals.policyInterval);
  setText(nodes.totalDelta, totals.delta);
  place(nodes.policy, layout.policy);
  setText(nodes.policyHelp, picture.policyHelp);
  setHidden(nodes.reset, !picture.isChanged);
  setHidden(nodes.undo, !canUndo);

  drawQuantities(nodes.quantities, picture);
  setText(nodes.rows, picture.rows);
}

function drawQuantities(body: HTMLElement, { quantities }: TreePicture): void {
  const page = body.ownerDocument;
  const rows = children(body, quantities.length, () =>
    element(
      page,
      "tr",
      {},
      element(page, "th", { scope: "row" }, element(page, "span", { class: "label" }), element(page, "span", { class: "caution" })),
      element(page, "td", { class: "symbol" }),
      element(page, "td", { class: "text" }),
    ),
  );
  quantities.forEach((quantity, i) => {
    const row = rows[i];
    if (!row) return;
    setAttributes(row, { "data-quantity": quantity.key });
    const texts = { label: quantity.label, caution: quantity.caution, symbol: quantity.symbol, text: quantity.text };
    for (const [name, text] of Object.entries(texts)) {
      const cell = row.querySelector(`.${name}`);
      if (cell) setText(cell, text);
    }
  });
}
