/** Draws the small plots: branch densities, quantile dots of statistics, query marks, signs. */
import type { BranchPlot } from "../layout/branch.ts";
import type { LeafPicture } from "../layout/leaf.ts";
import { MARKS_HEIGHT } from "../layout/marks.ts";
import type { StatPlot } from "../layout/stat.ts";
import { fill, setAttributes, setText, shape, SILENT } from "./dom.ts";

function hidden(page: Document, name: string): SVGSVGElement {
  return shape(page, "svg", { class: name, ...SILENT });
}

/** Frame of a branch's plot. */
export function makeBranchPlot(page: Document): SVGSVGElement {
  const svg = hidden(page, "plot");
  const density = shape(page, "g", { class: "density" }, shape(page, "path", { class: "area" }), shape(page, "path", { class: "line" }));
  svg.append(
    shape(page, "path", { class: "axis" }),
    density,
    shape(page, "path", { class: "prior" }),
    shape(page, "path", { class: "dots" }),
    shape(page, "circle", { class: "fit", r: 3 }),
  );
  return svg;
}

function part(svg: Element, name: string): Element {
  const found = svg.querySelector(`.${name}`);
  if (!found) throw new Error(`The plot has no part called "${name}".`);
  return found;
}

/** Draws a branch's plot; the same plot twice changes nothing. */
export function drawBranchPlot(svg: SVGSVGElement, plot: BranchPlot): void {
  const { base, axis, ticks, fitted, stop } = plot;
  setAttributes(svg, { width: plot.width, height: plot.height });
  const marks = ticks.map((x) => `M${x} ${base}v3`).join("");
  setAttributes(part(svg, "axis"), { d: `M${axis[0]} ${base}H${axis[1]}${marks}${stop === null ? "" : `M${stop} ${base - 8}v12`}` });
  setAttributes(part(svg, "area"), { d: plot.area });
  setAttributes(part(svg, "line"), { d: plot.line });
  setAttributes(part(svg, "prior"), { d: plot.prior });
  setAttributes(part(svg, "dots"), { d: plot.dots });
  setAttributes(part(svg, "fit"), { cx: fitted ?? 0, cy: base, visibility: fitted === null ? "hidden" : "visible" });
}

/** Frame of a statistic's plot. */
export function makeStatPlot(page: Document): SVGSVGElement {
  const svg = hidden(page, "plot");
  svg.append(
    shape(page, "path", { class: "axis" }),
    shape(page, "g", { class: "ticks" }),
    shape(page, "path", { class: "dots" }),
    shape(page, "path", { class: "ghost" }),
  );
  return svg;
}

/** Draws a statistic's plot; the same plot twice changes nothing. */
export function drawStatPlot(svg: SVGSVGElement, plot: StatPlot): void {
  const { base, axis } = plot;
  const page = svg.ownerDocument;
  setAttributes(svg, { width: plot.width, height: plot.height });
  const marks = plot.ticks.map((tick) => `M${tick.x} ${base}v4`).join("");
  setAttributes(part(svg, "axis"), { d: `M${axis[0]} ${base}H${axis[1]}${marks}` });
  fill(part(svg, "ticks"), plot.ticks, () => shape(page, "text"), (label, tick) => {
    setAttributes(label, { x: tick.x, y: base + 17, "text-anchor": tick.anchor });
    setText(label, tick.text);
  });
  setAttributes(part(svg, "dots"), { d: plot.dots });
  setAttributes(part(svg, "ghost"), { d: plot.ghost });
}

/** Frame of a leaf's query marks. */
export function makeMarks(page: Document): SVGSVGElement {
  const svg = shape(page, "svg", { class: "marks", role: "img", focusable: "false", height: MARKS_HEIGHT });
  svg.append(
    shape(page, "path", { class: "solid" }),
    shape(page, "g", { class: "fading" }),
    shape(page, "path", { class: "ghost" }),
    shape(page, "text", { y: 11 }, shape(page, "tspan", { class: "interval" }), shape(page, "tspan", { class: "seen" })),
  );
  return svg;
}

/** Draws a leaf's query marks, `width` px wide. */
export function drawMarks(svg: SVGSVGElement, leaf: LeafPicture, width: number): void {
  const { row } = leaf;
  const page = svg.ownerDocument;
  setAttributes(svg, { width, "aria-label": leaf.sentence, "data-mark": row.stroke === 0 ? "dot" : "cross" });
  setAttributes(part(svg, "solid"), { d: row.solid, "stroke-width": row.stroke });
  fill(part(svg, "fading"), row.fading, () => shape(page, "path"), (mark, { path, opacity }) => setAttributes(mark, { d: path, opacity, "stroke-width": row.stroke }));
  setAttributes(part(svg, "ghost"), { d: row.ghost });
  const text = svg.querySelector("text");
  if (text) setAttributes(text, { x: row.end });
  setText(part(svg, "interval"), leaf.interval);
  setText(part(svg, "seen"), leaf.rows ? ` · ${leaf.rows}` : "");
}

/** Frame of the sign of a leaf: a tick in a disc, a cross in an open square, or a number. */
export function makeSign(page: Document): SVGSVGElement {
  const svg = hidden(page, "glyph");
  setAttributes(svg, { viewBox: "0 0 17 17", width: 17, height: 17 });
  svg.append(
    shape(page, "circle", { class: "disc", cx: 8.5, cy: 8.5, r: 8 }),
    shape(page, "rect", { class: "square", x: 1, y: 1, width: 15, height: 15, rx: 3 }),
    shape(page, "path", { class: "tick", d: "M4.8 8.8l2.6 2.6 4.9-5.4" }),
    shape(page, "path", { class: "cross", d: "M5.4 5.4l6.2 6.2m0-6.2l-6.2 6.2" }),
  );
  return svg;
}
