/** A branch: question, slider with its plot, number box, labels. */
import type { Step } from "../core/shape.ts";
import { INSET, type BranchPicture } from "../layout/branch.ts";
import { element, place, setAttributes, setStyle, setText, setTyped, toggleClass } from "./dom.ts";
import { drawBranchPlot, makeBranchPlot } from "./plots.ts";

export interface BranchNodes {
  readonly box: HTMLElement;
  readonly slider: HTMLInputElement;
  readonly typed: HTMLInputElement;
  readonly unit: HTMLElement;
  readonly unpin: HTMLButtonElement;
  readonly title: HTMLElement;
  readonly question: HTMLElement;
  readonly answer: HTMLElement;
  readonly tail: HTMLElement;
  readonly interval: HTMLElement;
  readonly labels: HTMLElement;
  readonly plot: SVGSVGElement;
}

/** Its elements, without content. */
export function makeBranch(page: Document, { key, tail: behind }: Step): BranchNodes {
  const title = element(page, "div", { class: "title" });
  const question = element(page, "span");
  const answer = element(page, "b");
  const tail = element(page, "span");
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
    element(page, "div", { class: "question" }, question, answer, ...(behind ? [tail] : [])),
    element(page, "div", { class: "slide" }, plot, slider),
    element(page, "div", { class: "figure" }, element(page, "label", { class: "value" }, typed, unit), " ", interval, " ", unpin),
    labels,
  );
  return { box, title, question, answer, tail, slider, typed, unit, unpin, interval, labels, plot };
}

/** Brings them into line. */
export function drawBranch(nodes: BranchNodes, branch: BranchPicture): void {
  setAttributes(nodes.box, { "data-hue": branch.hue, "aria-label": branch.sentence, title: branch.help });
  drawSlider(nodes, branch);
  toggleClass(nodes.box, "vague", branch.isVague);
  place(nodes.box, branch.box);
  setText(nodes.title, branch.title);
  setText(nodes.question, branch.question);
  setText(nodes.answer, branch.answer);
  setText(nodes.tail, branch.tail);
  setText(nodes.interval, branch.interval);
  setText(nodes.labels, branch.labels);
  drawBranchPlot(nodes.plot, branch.plot);
}

function drawSlider(nodes: BranchNodes, { slider: told }: BranchPicture): void {
  const { slider, typed, unit, unpin } = nodes;
  toggleClass(nodes.box, "moved", told.isPinned);
  const isFixed = told.whyFixed !== "";
  toggleClass(nodes.box, "fixed", isFixed);
  setAttributes(slider, { max: told.max, "aria-label": told.label, "aria-valuetext": told.told });
  // The slider ends where the other levels leave no more; its scale stays that of the plot.
  setStyle(slider, "width", told.max < 1 ? `calc(${2 * INSET}px + (100% - ${2 * INSET}px) * ${told.max})` : "");
  for (const input of [slider, typed]) if (input.disabled !== isFixed) input.disabled = isFixed;
  // Not the attribute: a browser takes that as a new default and drops what is being dragged.
  if (Math.abs(Number(slider.value) - told.at) > 0.005) slider.value = String(told.at);
  setAttributes(typed, { "aria-label": `${told.label}, per cent` });
  setTyped(typed, told.box);
  setStyle(typed, "width", `${told.box.length + 0.15}ch`);
  setText(unit, told.unit);
  setAttributes(unpin, { "aria-label": `Reset: ${told.label}` });
  if (unpin.disabled === told.isPinned) unpin.disabled = !told.isPinned;
}
