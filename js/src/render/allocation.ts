/** The elements of the planner: made once, then brought into line with a picture. */
import type { AllocationView } from "../contract/allocation.ts";
import type { Knob } from "../core/allocation-intent.ts";
import type { KnobPicture } from "../layout/allocation-knobs.ts";
import type { AllocationPicture } from "../layout/allocation-picture.ts";
import { drawChart, makeChart, type ChartNodes } from "./allocation-chart.ts";
import { drawCourses, drawMix, drawSimulate, makeCourses, makeMix, makeSimulate, type CoursesNodes, type MixNodes, type SimulateNodes } from "./allocation-courses.ts";
import { children, element, setAttributes, setHidden, setStyle, setText, setTyped, shape, toggleClass } from "./dom.ts";
import { drawNotes, drawSegments, makeCopyBox, makePicker, type CopyNodes, type PickerNodes } from "./frame.ts";

interface KnobNodes {
  readonly row: HTMLElement;
  readonly slider: HTMLInputElement;
  readonly typed: HTMLInputElement;
  readonly axis: SVGElement | null;
  readonly ticks: SVGGElement | null;
  readonly plot: SVGSVGElement | null;
}

export interface AllocationNodes extends PickerNodes, CopyNodes {
  readonly root: HTMLElement;
  readonly target: HTMLSelectElement;
  readonly undo: HTMLButtonElement;
  readonly reset: HTMLButtonElement;
  readonly finding: HTMLElement;
  readonly headline: HTMLElement;
  readonly deck: HTMLElement;
  /** What is read out once a slider is let go. */
  readonly heard: HTMLElement;
  readonly notes: HTMLElement;
  readonly symbol: HTMLElement;
  readonly over: HTMLElement;
  readonly chart: ChartNodes;
  readonly units: readonly HTMLInputElement[];
  readonly unitName: HTMLElement;
  readonly knobs: Readonly<Record<Knob, KnobNodes>>;
  readonly courses: CoursesNodes;
  readonly simulate: SimulateNodes;
  readonly mix: MixNodes;
  readonly foot: HTMLElement;
  readonly said: HTMLElement;
}

const UNITS = [["units", "by cost"], ["rows", "by rows"]] as const;
const NAMES = {
  R: ["A label of R costs", "R: evidence found?"],
  T: ["A label of T costs", "T: answer right?"],
  n0: ["Rows labelled already", "with R, A and T"],
} as const;

/** All elements, without content. `unique` keeps several widgets of one page apart. */
export function makeAllocation(page: Document, unique: string): AllocationNodes {
  const el = <K extends keyof HTMLElementTagNameMap>(tag: K, name: string, ...inside: (Node | string)[]) =>
    element(page, tag, name ? { class: name } : {}, ...inside);
  const button = (name: string, text: string) => element(page, "button", { class: `link ${name}`, type: "button" }, text);
  const picker = makePicker(page);
  const copy = makeCopyBox(page);
  const [undo, reset] = [button("undo", "undo"), button("reset", "reset")];
  const target = element(page, "select", { class: "target", "aria-label": "What is to be narrow" });
  const headline = element(page, "div", { class: "headline", role: "heading", "aria-level": 2, "aria-live": "polite" });
  const deck = el("p", "deck");
  const heard = element(page, "span", { class: "unseen", role: "status" });
  const finding = element(page, "div", { class: "finding", tabindex: -1 }, headline, deck, heard);
  const notes = el("div", "notes");
  const symbol = el("span", "symbol");
  const over = el("span", "over");
  const chart = makeChart(page);
  const units = UNITS.map(([value]) => element(page, "input", { type: "radio", name: `unit-${unique}`, value }));
  const unitName = el("span", "unit");
  const budget = budgetKnob(page, chart.slider, unitName, units);
  const knobs = { budget, R: makeKnob(page, "R"), T: makeKnob(page, "T"), n0: makeKnob(page, "n0") };
  const courses = makeCourses(page);
  const simulate = makeSimulate(page);
  const mix = makeMix(page);
  const foot = el("span", "rows");
  const said = element(page, "span", { class: "said", role: "status" });
  const caption = element(page, "div", { class: "caption", role: "heading", "aria-level": 3 }, "Expected interval of ", symbol, " ", over);
  const root = element(
    page,
    "div",
    { class: "rat-widgets rat-allocation", role: "group", "aria-label": "What to label next" },
    el(
      "div",
      "frame",
      el("div", "eyebrow", el("b", "", "What to label next"), picker.picker, el("label", "aim", "to narrow", target), el("span", "moves", undo, reset)),
      finding,
      notes,
      el("p", "unseen", "A slider below the chart sets the budget, sliders below it the prices; the boxes beside them take numbers. The table has a switch for each plan. Everything follows at once."),
      el(
        "div",
        "columns",
        el("div", "left", caption, chart.box, el("div", "knobs", budget.row, knobs.R.row, knobs.T.row, knobs.n0.row)),
        el("div", "right", courses.box, simulate.box, mix.box),
      ),
      el("div", "foot", foot, el("span", "buttons", said, button("copy-sentence", "Copy the sentence"), button("copy-python", "Copy as Python"))),
      copy.copyBox,
    ),
  );
  return { ...picker, ...copy, root, target, undo, reset, finding, headline, deck, heard, notes, symbol, over, chart, units, unitName, knobs, courses, simulate, mix, foot, said };
}

function numberBox(page: Document): HTMLInputElement {
  return element(page, "input", { class: "box", type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
}

/** The budget's number and unit; its slider is the chart's axis. */
function budgetKnob(page: Document, slider: HTMLInputElement, unitName: HTMLElement, units: readonly HTMLInputElement[]): KnobNodes {
  const typed = numberBox(page);
  const choice = element(
    page,
    "fieldset",
    { class: "units" },
    element(page, "legend", { class: "unseen" }, "What a budget counts"),
    ...UNITS.map(([, text], i) => element(page, "label", {}, units[i] ?? "", text)),
  );
  const says = element(page, "span", { class: "says" }, element(page, "label", { class: "value" }, typed), " ", unitName);
  const row = element(page, "div", { class: "knob budget", "data-knob": "budget" }, element(page, "span", { class: "words" }, "Budget"), says, choice);
  return { row, slider, typed, axis: null, ticks: null, plot: null };
}

function makeKnob(page: Document, knob: keyof typeof NAMES): KnobNodes {
  const { max, min } = { R: { min: -20, max: 20 }, T: { min: -20, max: 20 }, n0: { min: 0, max: 100 } }[knob];
  const slider = element(page, "input", { class: "slider", type: "range", min, max, step: 1 });
  const typed = numberBox(page);
  const axis = shape(page, "path", { class: "axis" });
  const ticks = shape(page, "g");
  const plot = shape(page, "svg", { class: "plot", "aria-hidden": "true", focusable: "false", height: 50 }, axis, ticks);
  const row = element(
    page,
    "div",
    { class: "knob", "data-knob": knob },
    element(page, "span", { class: "words" }, NAMES[knob][0], " ", element(page, "span", { class: "means" }, NAMES[knob][1])),
    element(page, "div", { class: "slide" }, plot, slider),
    element(page, "span", { class: "says" }, element(page, "label", { class: "value" }, typed)),
  );
  return { row, slider, typed, axis, ticks, plot };
}

/** Options of the choice of targets; only a new view changes them. */
export function drawTargets({ target }: AllocationNodes, { targets }: AllocationView): void {
  const page = target.ownerDocument;
  const options = children(target, targets.length, () => page.createElement("option"));
  targets.forEach(({ key, label, symbol }, i) => {
    const option = options[i];
    if (!option) return;
    setAttributes(option, { value: key });
    setText(option, label ? `${symbol} · ${label}` : symbol);
  });
}

/** Brings all elements into line with the picture; the same picture twice changes nothing. */
export function drawAllocation(nodes: AllocationNodes, picture: AllocationPicture, hot: string | null, can: { readonly undo: boolean; readonly reset: boolean }): void {
  const { layout } = picture;
  const { root } = nodes;
  setAttributes(root, { "data-mode": layout.mode, "data-width": layout.isNarrow ? "narrow" : "wide", "data-hue": picture.hue || "ink", "data-table": layout.isTight ? "tight" : "roomy" });
  setStyle(root, "--left", `${layout.left}px`);
  setStyle(root, "--right", `${layout.right}px`);
  setStyle(root, "--gap", `${layout.gap}px`);
  setStyle(root, "--knob-width", `${layout.slide}px`);
  toggleClass(root, "pointed", hot !== null);
  if (nodes.select.value !== String(picture.group)) nodes.select.value = String(picture.group);
  if (nodes.target.value !== picture.target) nodes.target.value = picture.target;
  drawSegments(nodes.headline, picture.headline);
  drawSegments(nodes.deck, picture.deck);
  drawNotes(nodes.notes, picture.notes);
  if (nodes.undo.disabled === can.undo) nodes.undo.disabled = !can.undo;
  if (nodes.reset.disabled === can.reset) nodes.reset.disabled = !can.reset;
  setText(nodes.symbol, picture.symbol);
  setText(nodes.over, picture.over);
  drawChart(nodes.chart, picture.chart, hot);
  for (const unit of nodes.units) if (unit.checked !== (unit.value === picture.unit)) unit.checked = unit.value === picture.unit;
  for (const knob of ["budget", "R", "T", "n0"] as const) drawKnob(nodes.knobs[knob], picture.knobs[knob]);
  setText(nodes.unitName, picture.knobs.budget.told.split(" ").slice(1).join(" "));
  setHidden(nodes.knobs.n0.row, !picture.hasN0);
  for (const knob of ["R", "T"] as const) idle(nodes.knobs[knob], picture.arePricesIdle);
  drawCourses(nodes.courses, picture, hot);
  drawSimulate(nodes.simulate, picture.simulate);
  drawMix(nodes.mix, picture.mix);
  setText(nodes.foot, picture.foot);
}

/** Prices count for nothing while every row counts 1. */
function idle({ row, slider, typed }: KnobNodes, is: boolean): void {
  toggleClass(row, "idle", is);
  if (slider.disabled !== is) slider.disabled = is;
  if (typed.disabled !== is) typed.disabled = is;
}

function drawKnob({ row, slider, typed, axis, ticks, plot }: KnobNodes, knob: KnobPicture): void {
  toggleClass(row, "moved", knob.isMoved);
  setAttributes(slider, { "aria-label": knob.name, "aria-valuetext": knob.told });
  // Not the attribute: a browser takes that as a new default and drops what is being dragged.
  if (Number(slider.value) !== knob.at) slider.value = String(knob.at);
  setAttributes(typed, { "aria-label": knob.name });
  setTyped(typed, knob.box);
  setStyle(typed, "width", `${knob.box.length + 0.15}ch`);
  if (!axis || !ticks || !plot) return;
  setAttributes(plot, { width: knob.width });
  setAttributes(axis, { d: knob.axis });
  const texts = children(ticks, knob.ticks.length, () => shape(row.ownerDocument, "text", { y: 46, "text-anchor": "middle" }));
  knob.ticks.forEach(({ x, text }, i) => {
    const node = texts[i];
    if (!node) return;
    setAttributes(node, { x });
    setText(node, text);
  });
}
