/** A judge's rate: words, modes, slider with its plot, number boxes. */
import type { RateMode } from "../core/judge-intent.ts";
import type { RatePicture, RatePlot } from "../layout/judge-rate.ts";
import { element, maker, setAttributes, setHidden, setStyle, setText, setTyped, shape, SILENT, toggleClass } from "./dom.ts";

const MODES: readonly (readonly [RateMode, string])[] = [
  ["posterior", "What the rows say"],
  ["prior", "What was believed before the rows"],
  ["pinned", "A value that is taken as given"],
];

export interface RateNodes {
  readonly box: HTMLElement;
  readonly of: HTMLElement;
  readonly term: HTMLElement;
  readonly modes: readonly HTMLInputElement[];
  readonly legend: HTMLElement;
  readonly slider: HTMLInputElement;
  readonly verb: HTMLElement;
  readonly typed: HTMLInputElement;
  readonly prior: HTMLElement;
  readonly labels: HTMLInputElement;
  readonly note: HTMLElement;
  readonly plot: SVGSVGElement;
  readonly parts: Readonly<Record<"axis" | "area" | "line" | "prior" | "fit", SVGElement>>;
}

/** Its elements, without content. `unique` keeps the modes of several rates apart. */
export function makeRate(page: Document, unique: string): RateNodes {
  const el = maker(page);
  const of = el("b", "of");
  const term = el("span", "term");
  const modes = MODES.map(([value]) => el("input", { type: "radio", name: `mode-${unique}`, value }));
  const legend = el("legend", "unseen");
  const choice = element(
    page,
    "fieldset",
    { class: "modes" },
    legend,
    ...MODES.map(([mode, help], i) => el("label", { title: help }, modes[i] ?? "", el("span", "", mode))),
  );
  const slider = el("input", { class: "slider", type: "range", min: 0, max: 1, step: 0.01 });
  const typed = numberBox(page, "box");
  const labels = numberBox(page, "box labels");
  const verb = el("span", "verb");
  const prior = el("span", "worth-of", "worth ", el("label", "value", labels), " labels");
  const note = el("span", "interval");
  const parts = {
    axis: shape(page, "path", { class: "axis" }),
    area: shape(page, "path", { class: "area" }),
    line: shape(page, "path", { class: "line" }),
    prior: shape(page, "path", { class: "prior" }),
    fit: shape(page, "circle", { class: "fit", r: 3 }),
  };
  const plot = shape(page, "svg", { class: "plot", ...SILENT }, ...Object.values(parts));
  const box = element(
    page,
    "div",
    { class: "rate", role: "group" },
    el("div", "words", of, " ", term, choice),
    el("div", "slide", plot, slider),
    el("div", "figure", el("span", "says", verb, " ", el("label", "value", typed)), prior, note),
  );
  return { box, of, term, modes, legend, slider, verb, typed, prior, labels, note, plot, parts };
}

function numberBox(page: Document, name: string): HTMLInputElement {
  return element(page, "input", { class: name, type: "text", inputmode: "decimal", autocomplete: "off", spellcheck: "false" });
}

/** Brings them into line. */
export function drawRate(nodes: RateNodes, rate: RatePicture): void {
  const { box, slider, typed, labels } = nodes;
  setAttributes(box, { "data-rate": rate.key, "data-mode": rate.mode, "aria-label": rate.told });
  toggleClass(box, "moved", rate.mode === "pinned");
  toggleClass(box, "vague", rate.isVague);
  setText(nodes.of, rate.of);
  setText(nodes.term, rate.term);
  setText(nodes.verb, rate.does);
  setText(nodes.legend, `What the slider sets: ${rate.name}`);
  for (const mode of nodes.modes) if (mode.checked !== (mode.value === rate.mode)) mode.checked = mode.value === rate.mode;
  setAttributes(slider, { "aria-label": rate.name, "aria-valuetext": rate.told });
  // Not the attribute: a browser takes that as a new default and drops what is being dragged.
  if (Math.abs(Number(slider.value) - rate.at) > 0.005) slider.value = String(rate.at);
  write(typed, rate.box, `${rate.name}, of 100`);
  setHidden(nodes.prior, rate.labels === null);
  write(labels, rate.labels ?? "", `${rate.name}: the prior is worth how many labels`);
  setText(nodes.note, rate.note);
  drawPlot(nodes, rate.plot);
}

function write(box: HTMLInputElement, text: string, name: string): void {
  setAttributes(box, { "aria-label": name });
  setTyped(box, text);
  setStyle(box, "width", `${text.length + 0.15}ch`);
}

function drawPlot({ plot: svg, parts }: RateNodes, plot: RatePlot): void {
  const { base, axis, ticks, fitted } = plot;
  setAttributes(svg, { width: plot.width, height: plot.height });
  setAttributes(parts.axis, { d: `M${axis[0]} ${base}H${axis[1]}${ticks.map((x) => `M${x} ${base}v3`).join("")}` });
  setAttributes(parts.area, { d: plot.area });
  setAttributes(parts.line, { d: plot.line });
  setAttributes(parts.prior, { d: plot.prior });
  setAttributes(parts.fit, { cx: fitted ?? 0, cy: base, visibility: fitted === null ? "hidden" : "visible" });
}
