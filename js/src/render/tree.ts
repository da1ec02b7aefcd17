/** The tree's elements: made once, then brought into line with a picture. */
import { LEAVES, type Parameter, type World } from "../contract/tables.ts";
import type { TreeView } from "../contract/tree.ts";
import type { Place } from "../core/intent.ts";
import type { Segment } from "../core/sentence.ts";
import { BELOW, BRANCHES } from "../core/words.ts";
import { STATS, type Stat } from "../engine/tree.ts";
import type { BranchPicture, LeafPicture, StatPicture, TreePicture } from "../layout/picture.ts";
import { children, element, place, setAttributes, setHidden, setStyle, setText, shape, toggleClass } from "./dom.ts";
import { drawBranchPlot, drawMarks, drawStatPlot, makeBranchPlot, makeMarks, makeSign, makeStatPlot } from "./plots.ts";

interface StatNodes {
  readonly box: HTMLElement;
  readonly name: HTMLElement;
  readonly symbol: HTMLElement;
  readonly value: HTMLElement;
  readonly interval: HTMLElement;
  readonly delta: HTMLElement;
  readonly plot: SVGSVGElement;
}

interface BranchNodes {
  readonly box: HTMLElement;
  readonly slider: HTMLInputElement;
  readonly typed: HTMLInputElement;
  readonly unit: HTMLElement;
  readonly unpin: HTMLButtonElement;
  readonly title: HTMLElement;
  readonly question: HTMLElement;
  readonly answer: HTMLElement;
  readonly interval: HTMLElement;
  readonly labels: HTMLElement;
  readonly plot: SVGSVGElement;
}

interface LeafNodes {
  readonly box: HTMLElement;
  readonly sign: HTMLButtonElement;
  readonly weight: HTMLElement;
  readonly words: HTMLElement;
  readonly marks: SVGSVGElement;
  readonly task: HTMLElement;
  readonly policy: HTMLElement;
}

export interface TreeNodes {
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
  readonly stats: Readonly<Record<Stat, StatNodes>>;
  readonly canvas: HTMLElement;
  readonly edges: SVGSVGElement;
  readonly heads: readonly HTMLElement[];
  readonly ledger: HTMLElement;
  readonly legend: HTMLElement;
  readonly ledgerPolicy: HTMLElement;
  readonly branches: Readonly<Record<Parameter, BranchNodes>>;
  readonly leaves: Readonly<Record<World, LeafNodes>>;
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

function record<K extends string, V>(keys: readonly K[], value: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)])) as Record<K, V>;
}

/** All elements of a tree, without content. `unique` keeps radio groups of several trees apart. */
export function makeTree(page: Document, unique: string): TreeNodes {
  const el = <K extends keyof HTMLElementTagNameMap>(tag: K, name: string, ...inside: (Node | string)[]) =>
    element(page, tag, name ? { class: name } : {}, ...inside);
  const button = (name: string, text: string) => {
    const made = element(page, "button", { class: name, type: "button" }, text);
    return made;
  };

  const by = el("bdi", "by");
  const select = element(page, "select", { class: "group", "aria-label": "Group" });
  const picker = el("label", "picker", by, select);
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
  const stats = record([...STATS, "policy_adherence"] as const, (key) => makeStat(page, key));
  const edges = shape(page, "svg", { class: "edges", "aria-hidden": "true", focusable: "false" });
  const heads = ["Retrieval", "Abstention", "Task"].map((text, i) =>
    el("div", "head", element(page, "b", { "data-hue": "rat"[i] ?? "" }, "RAT"[i] ?? ""), ` ${text}`),
  );
  const legend = el("span", "legend");
  const ledgerPolicy = element(page, "b", { "data-hue": "good" });
  const ledger = el("div", "ledger", legend, element(page, "b", { "data-hue": "t" }, "correct answer"), ledgerPolicy);
  const branches = record(BRANCHES, (key) => makeBranch(page, key));
  const leaves = record(LEAVES, (key) => makeLeaf(page, key));
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
  const tree: (Node | string)[] = [];
  for (const branch of BRANCHES) {
    tree.push(branches[branch].box);
    if (branch === "retrieval_success") tree.push(ledger);
    // A leaf follows the deepest branch above it, so that reading order is the tree's.
    if (branch.startsWith("correct")) {
      tree.push(...LEAVES.filter((leaf) => leaf.startsWith(branch.endsWith("hit") ? "hit" : "miss")).map((leaf) => leaves[leaf].box));
    }
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
  const copyText = element(page, "textarea", { class: "copy-text", readonly: "", rows: 3, "aria-label": "Text to copy", spellcheck: "false" });
  const copyBox = element(
    page,
    "div",
    { class: "copy-box", hidden: "" },
    el("span", "", "The browser would not copy by itself. The text is selected: press Ctrl+C or ⌘C."),
    copyText,
    button("link dismiss", "Close"),
  );
  const help = el(
    "p",
    "unseen",
    "Tab moves through branches and outcomes. The slider of a branch, or the box beside it, sets its probability for a what-if. Up and down arrow move between outcomes, left arrow to the branch above, Enter or space changes what the policy makes of an outcome.",
  );
  const root = element(
    page,
    "div",
    { class: "rat-widgets rat-tree", role: "group", "aria-label": "Evaluation tree" },
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
    root, picker, by, select, units, finding, headline, deck, unpinAll, heard, notes, stats, canvas, edges, heads, ledger, legend,
    ledgerPolicy, branches, leaves, totals, totalsOf, totalTaskDelta, totalTask, totalTaskInterval, totalPolicy, totalPolicyInterval, totalDelta,
    policy, policyHelp, undo, reset, quantities: table, rows, said, copyBox, copyText,
  };
}

function makeStat(page: Document, key: Stat): StatNodes {
  const name = element(page, "span");
  const symbol = element(page, "span", { class: "symbol" });
  const value = element(page, "span", { class: "value" });
  const interval = element(page, "span", { class: "interval" });
  const delta = element(page, "span", { class: "delta" });
  const plot = makeStatPlot(page);
  const box = element(
    page,
    "div",
    { class: "stat", "data-stat": key },
    element(page, "div", { class: "name" }, name, symbol),
    element(page, "div", { class: "figure" }, value, " ", interval, " ", delta),
    plot,
  );
  return { box, name, symbol, value, interval, delta, plot };
}

function makeBranch(page: Document, key: Parameter): BranchNodes {
  const title = element(page, "div", { class: "title" });
  const question = element(page, "span");
  const answer = element(page, "b");
  const slider = element(page, "input", { class: "slider", type: "range", min: 0, max: 1, step: 0.01 });
  const typed = element(page, "input", { class: "box", type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
  const unit = element(page, "span", { class: "unit" });
  const unpin = element(page, "button", { class: "link unpin", type: "button" }, "reset");
  const interval = element(page, "span", { class: "interval" });
  const labels = element(page, "div", { class: "labels" });
  const plot = makeBranchPlot(page);
  const box = element(
    page,
    "div",
    { class: "branch", "data-branch": key, role: "group" },
    title,
    element(page, "div", { class: "question" }, question, answer),
    element(page, "div", { class: "slide" }, plot, slider),
    element(page, "div", { class: "figure" }, element(page, "label", { class: "value" }, typed, unit), " ", interval, " ", unpin),
    labels,
  );
  return { box, title, question, answer, slider, typed, unit, unpin, interval, labels, plot };
}

function makeLeaf(page: Document, key: World): LeafNodes {
  const weight = element(page, "span", { class: "weight" });
  const sign = element(page, "button", { class: "sign", type: "button" }, makeSign(page), weight);
  const words = element(page, "span", { class: "words" });
  const marks = makeMarks(page);
  const task = element(page, "span", { class: "ledger-task", "data-hue": "t", "aria-hidden": "true" });
  const policy = element(page, "span", { class: "ledger-policy", "data-hue": "good", "aria-hidden": "true" });
  const box = element(page, "div", { class: "leaf", "data-world": key, role: "group" }, sign, words, marks, task, policy);
  return { box, sign, weight, words, marks, task, policy };
}

/** Options of the group picker; only a new view changes them. */
export function drawPicker(nodes: TreeNodes, view: TreeView): void {
  const page = nodes.root.ownerDocument;
  setHidden(nodes.picker, view.groups.length < 2);
  const name = view.by.join(" · ");
  setText(nodes.by, name || "Group");
  setAttributes(nodes.select, { "aria-label": name || "Group" });
  const options = children(nodes.select, view.groups.length, () => page.createElement("option"));
  view.groups.forEach((group, i) => {
    const option = options[i];
    if (!option) return;
    setAttributes(option, { value: i, dir: "auto" });
    setText(option, group.label || `Group ${i + 1}`);
  });
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
  drawNotes(nodes.notes, picture);
  for (const stat of picture.stats) drawStat(nodes.stats[stat.key], stat);

  setStyle(nodes.canvas, "height", layout.height === null ? "" : `${layout.height}px`);
  nodes.heads.forEach((head, i) => place(head, layout.heads?.[i] ?? null));
  place(nodes.ledger, layout.ledger);
  setText(nodes.legend, picture.legend);
  setText(nodes.ledgerPolicy, picture.ledger);
  for (const branch of picture.branches) drawBranch(nodes.branches[branch.key], branch);
  for (const leaf of picture.leaves) drawLeaf(nodes.leaves[leaf.key], leaf, layout.markWidths[leaf.key]);
  drawEdges(nodes.edges, picture);

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

/** Spans with roles; rebuilt only when the sentence differs. */
function drawSegments(parent: HTMLElement, segments: readonly Segment[]): void {
  const now = JSON.stringify(segments);
  if (parent.dataset["said"] === now) return;
  parent.dataset["said"] = now;
  const page = parent.ownerDocument;
  parent.replaceChildren(
    ...segments.map(([text, role]) => (role === "" ? page.createTextNode(text) : element(page, "span", { "data-role": role }, text))),
  );
}

function drawNotes(parent: HTMLElement, { notes }: TreePicture): void {
  const page = parent.ownerDocument;
  setHidden(parent, notes.length === 0);
  const lines = children(parent, notes.length, () => element(page, "p", { role: "note" }));
  notes.forEach((note, i) => {
    const line = lines[i];
    if (!line) return;
    setAttributes(line, { class: `note ${note.level}` });
    setText(line, note.text);
  });
}

function drawStat(nodes: StatNodes, stat: StatPicture): void {
  setAttributes(nodes.box, { "data-hue": stat.hue });
  toggleClass(nodes.box, "vague", stat.isVague);
  toggleClass(nodes.box, "moved", stat.isMoved);
  setText(nodes.name, stat.name);
  setText(nodes.symbol, stat.symbol);
  setText(nodes.value, stat.value);
  setText(nodes.interval, stat.interval);
  setText(nodes.delta, stat.delta);
  drawStatPlot(nodes.plot, stat.plot);
}

function drawBranch(nodes: BranchNodes, branch: BranchPicture): void {
  setAttributes(nodes.box, { "data-hue": branch.hue, "aria-label": branch.sentence, title: branch.labelsHelp });
  drawSlider(nodes, branch);
  toggleClass(nodes.box, "vague", branch.isVague);
  place(nodes.box, branch.box);
  setText(nodes.title, branch.title);
  setText(nodes.question, branch.question);
  setText(nodes.answer, branch.answer);
  setText(nodes.interval, branch.interval);
  setText(nodes.labels, branch.labels);
  drawBranchPlot(nodes.plot, branch.plot);
}

function drawSlider(nodes: BranchNodes, { slider: told }: BranchPicture): void {
  const { slider, typed, unit, unpin } = nodes;
  toggleClass(nodes.box, "moved", told.isPinned);
  setAttributes(slider, { "aria-label": told.label, "aria-valuetext": told.told });
  // Not the attribute: a browser takes that as a new default and drops what is being dragged.
  if (Math.abs(Number(slider.value) - told.at) > 0.005) slider.value = String(told.at);
  setAttributes(typed, { "aria-label": `${told.label}, per cent` });
  if (typed.value !== told.box) typed.value = told.box;
  setStyle(typed, "width", `${told.box.length + 0.15}ch`);
  setText(unit, told.unit);
  setAttributes(unpin, { "aria-label": `Reset: ${told.label}` });
  if (unpin.disabled === told.isPinned) unpin.disabled = !told.isPinned;
}

function drawLeaf(nodes: LeafNodes, leaf: LeafPicture, width: number): void {
  place(nodes.box, leaf.box);
  setAttributes(nodes.box, { "data-verdict": leaf.isGood ? "good" : "bad", "aria-label": leaf.words, title: leaf.rowsHelp });
  setAttributes(nodes.sign, { "aria-pressed": String(leaf.isGood), "aria-label": leaf.signLabel, title: leaf.signHelp });
  toggleClass(nodes.sign, "weighed", leaf.weight !== "");
  setText(nodes.weight, leaf.weight);
  setText(nodes.words, leaf.words);
  drawMarks(nodes.marks, leaf, width);
  setText(nodes.task, leaf.task || "·");
  setText(nodes.policy, leaf.policy || "·");
  toggleClass(nodes.task, "none", leaf.task === "");
  toggleClass(nodes.policy, "none", leaf.policy === "");
}

function drawEdges(svg: SVGSVGElement, { layout }: TreePicture): void {
  const page = svg.ownerDocument;
  setAttributes(svg, { width: layout.inner, height: layout.height ?? 0 });
  const paths = children(svg, layout.edges.length, () => shape(page, "path"));
  layout.edges.forEach((edge, i) => {
    const path = paths[i];
    if (path) setAttributes(path, { d: edge.path, "data-to": edge.to.join(" "), "data-end": edge.branch ?? "" });
  });
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

/** Darkens the way from the root to a leaf or branch. */
export function drawPath(nodes: TreeNodes, at: Place | null): void {
  const below: readonly World[] = at === null ? [] : "world" in at ? [at.world] : BELOW[at.branch];
  const branch = at !== null && "branch" in at ? at.branch : null;
  for (const path of Array.from(nodes.edges.children)) {
    const to = (path.getAttribute("data-to") ?? "").split(" ");
    const end = path.getAttribute("data-end");
    const onWay = at !== null && below.every((world) => to.includes(world)) && (branch === null || end !== "");
    toggleClass(path, "on", onWay);
  }
  for (const world of LEAVES) {
    toggleClass(nodes.leaves[world].box, "on", at !== null && "world" in at && at.world === world);
  }
  for (const key of BRANCHES) {
    toggleClass(nodes.branches[key].box, "on", at !== null && below.every((world) => BELOW[key].includes(world)) && below.length > 0);
  }
}

/** Shows or hides the text that the browser would not copy by itself. */
export function drawCopyBox(nodes: TreeNodes, text: string | null): void {
  setHidden(nodes.copyBox, text === null);
  nodes.copyText.value = text ?? "";
  if (text === null) return;
  nodes.copyText.focus();
  nodes.copyText.select();
}

