/** A headline number: its name, its value, its plot. */
import type { StatPicture } from "../layout/stat.ts";
import { element, setAttributes, setText, toggleClass } from "./dom.ts";
import { drawStatPlot, makeStatPlot } from "./plots.ts";

export interface StatNodes {
  readonly box: HTMLElement;
  readonly name: HTMLElement;
  readonly symbol: HTMLElement;
  readonly value: HTMLElement;
  readonly interval: HTMLElement;
  readonly delta: HTMLElement;
  readonly plot: SVGSVGElement;
}

/** Its elements, without content. */
export function makeStat(page: Document, key: string): StatNodes {
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

/** Brings them into line. */
export function drawStat(nodes: StatNodes, stat: StatPicture): void {
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
