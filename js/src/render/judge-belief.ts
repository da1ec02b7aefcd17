/** What is believed of a quantity, three ways, and what the verdicts are worth. */
import { BELIEF_HEIGHT, type BeliefPicture } from "../layout/judge-belief.ts";
import type { WorthPicture } from "../layout/judge-worth.ts";
import { fill, maker, setAttributes, setHidden, setText, shape, SILENT, toggleClass } from "./dom.ts";
import { drawSegments } from "./frame.ts";

export interface BeliefNodes {
  readonly box: HTMLElement;
  readonly name: HTMLElement;
  readonly symbol: HTMLElement;
  readonly delta: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly band: SVGElement;
  readonly grid: SVGElement;
  readonly ticks: SVGElement;
  readonly ghost: SVGElement;
  readonly rows: readonly RowNodes[];
}

interface RowNodes {
  readonly g: SVGElement;
  readonly words: SVGElement;
  readonly whole: SVGElement;
  readonly half: SVGElement;
  readonly mark: SVGElement;
  readonly value: SVGElement;
  readonly span: SVGElement;
  readonly half_width: SVGElement;
}

/** Its elements, without content. */
export function makeBelief(page: Document): BeliefNodes {
  const el = maker(page);
  const name = el("b");
  const symbol = el("span", "symbol");
  const delta = el("span", "delta");
  const band = shape(page, "rect", { class: "band", y: 2, height: BELIEF_HEIGHT - 20 });
  const grid = shape(page, "path", { class: "grid" });
  const ticks = shape(page, "g", { class: "ticks" });
  const ghost = shape(page, "path", { class: "ghost" });
  const rows = Array.from({ length: 3 }, () => makeRow(page));
  const svg = shape(page, "svg", { class: "belief", role: "img", focusable: "false", height: BELIEF_HEIGHT }, band, grid, ticks, ...rows.map(({ g }) => g), ghost);
  const box = el("div", "quantity", el("div", "name", name, " ", symbol, " ", delta), svg);
  return { box, name, symbol, delta, svg, band, grid, ticks, ghost, rows };
}

function makeRow(page: Document): RowNodes {
  const path = (name: string) => shape(page, "path", { class: name });
  const text = (name: string) => shape(page, "text", { class: name });
  const made = { words: text("words"), whole: path("whole"), half: path("half"), mark: path("mark"), value: text("mean"), span: text("span"), half_width: text("half-width") };
  return { ...made, g: shape(page, "g", {}, ...Object.values(made)) };
}

/** Brings them into line. */
export function drawBelief(nodes: BeliefNodes, belief: BeliefPicture, isMoved: boolean): void {
  const { svg } = nodes;
  const page = svg.ownerDocument;
  setAttributes(nodes.box, { "data-hue": belief.hue, "data-quantity": belief.key });
  toggleClass(nodes.box, "moved", isMoved);
  setText(nodes.name, belief.name);
  setText(nodes.symbol, belief.symbol);
  setText(nodes.delta, belief.delta);
  setAttributes(svg, { width: belief.width, "aria-label": belief.sentence });
  setAttributes(nodes.band, { x: belief.band?.x ?? 0, width: belief.band?.width ?? 0 });
  setAttributes(nodes.grid, { d: belief.grid.map(({ x }) => `M${x} 2V${belief.base}`).join("") });
  fill(nodes.ticks, belief.grid, () => shape(page, "text", { "text-anchor": "middle", y: BELIEF_HEIGHT - 3 }), (tick, { x, text }) => {
    setAttributes(tick, { x });
    setText(tick, text);
  });
  setAttributes(nodes.ghost, { d: belief.ghost });
  belief.rows.forEach((row, i) => {
    const made = nodes.rows[i];
    if (!made) return;
    setAttributes(made.g, { class: row.isVague ? `${row.way} vague` : row.way });
    const place = (node: SVGElement, x: number, anchor: string, text: string) => {
      setAttributes(node, { x, y: row.y + 4, "text-anchor": anchor });
      setText(node, text);
    };
    place(made.words, 0, "start", row.words);
    setAttributes(made.whole, { d: row.whole });
    setAttributes(made.half, { d: row.half });
    setAttributes(made.mark, { d: row.mark });
    place(made.value, belief.columns.value, "end", row.value);
    place(made.span, belief.columns.span, "end", row.span);
    place(made.half_width, belief.columns.half_width ?? 0, "end", belief.columns.half_width === null ? "" : row.half_width);
  });
}

export interface WorthNodes {
  readonly box: HTMLElement;
  readonly line: HTMLElement;
  readonly marks: SVGSVGElement;
  readonly key: HTMLElement;
  readonly legend: HTMLElement;
  readonly alone: HTMLElement;
}

/** The worth's elements, without content. */
export function makeWorth(page: Document): WorthNodes {
  const el = maker(page);
  const line = el("p", "says");
  const marks = shape(page, "svg", { class: "labels-worth", ...SILENT }, shape(page, "path", { class: "human" }), shape(page, "path", { class: "judged" }));
  const legend = el("span", "size");
  const key = el("p", "key", el("span", { "aria-hidden": "true" }, "● human   ◇ what the judged rows add; "), legend);
  const alone = el("dl", { class: "alone", "aria-label": "What each judge alone is worth in human labels" });
  return { box: el("div", "worth", line, marks, key, alone), line, marks, key, legend, alone };
}

/** Brings them into line. */
export function drawWorth(nodes: WorthNodes, worth: WorthPicture): void {
  const page = nodes.box.ownerDocument;
  const el = maker(page);
  drawSegments(nodes.line, worth.line);
  const { width, height, human, judge, legend } = worth.marks ?? { width: 0, height: 0, human: "", judge: "", legend: "" };
  const [filled, hollow] = [...nodes.marks.children];
  setAttributes(nodes.marks, { width, height });
  if (filled && hollow) {
    setAttributes(filled, { d: human });
    setAttributes(hollow, { d: judge });
  }
  setText(nodes.legend, legend);
  setHidden(nodes.key, worth.marks === null);
  setHidden(nodes.alone, worth.alone.length === 0);
  fill(nodes.alone, worth.alone, () => el("div", "", el("dt"), el("dd")), (line, { hue, name, text }) => {
    const [dt, dd] = line.children;
    if (!dt || !dd) return;
    setAttributes(line, { "data-hue": hue });
    setText(dt, name);
    setText(dd, text);
  });
}
