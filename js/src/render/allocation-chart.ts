/** The planner's chart: lines, names at their ends, the needle of the budget. */
import type { ChartPicture, Tick } from "../layout/allocation-chart.ts";
import { children, element, setAttributes, setStyle, setText, shape, toggleClass } from "./dom.ts";
import { px } from "../layout/paths.ts";

export interface ChartNodes {
  readonly box: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly groups: Readonly<Record<"ups" | "overs" | "leads" | "lines" | "bars" | "names", SVGGElement>>;
  readonly parts: Readonly<Record<"band" | "needle" | "needleText" | "axis" | "reach" | "ring" | "reachText" | "point" | "pointText", SVGElement>>;
  readonly slide: HTMLElement;
  readonly slider: HTMLInputElement;
}

/** Its elements, without content. */
export function makeChart(page: Document): ChartNodes {
  const g = (name: string) => shape(page, "g", { class: name });
  const groups = { ups: g("ups"), overs: g("overs"), leads: g("leads"), lines: g("lines"), bars: g("bars"), names: g("names") };
  const path = (name: string) => shape(page, "path", { class: name });
  const text = (name: string) => shape(page, "text", { class: name });
  const parts = {
    band: path("band"),
    needle: path("needle"),
    needleText: text("needle-text"),
    axis: path("axis"),
    reach: path("reach"),
    ring: shape(page, "circle", { class: "ring", r: 3 }),
    reachText: text("reach-text"),
    point: shape(page, "circle", { class: "point", r: 4.5 }),
    pointText: text("point-text"),
  };
  const { band, needle, needleText, axis, reach, ring, reachText, point, pointText } = parts;
  const svg = shape(
    page,
    "svg",
    { class: "chart", role: "img", focusable: "false" },
    groups.ups, groups.overs, axis, band, groups.leads, groups.lines, needle, groups.bars, reach, ring, point, groups.names, needleText, reachText, pointText,
  );
  const slider = element(page, "input", { class: "slider", type: "range", min: 0, max: 100, step: 1 });
  const slide = element(page, "div", { class: "slide" }, slider);
  return { box: element(page, "div", { class: "chart-box", "data-knob": "budget" }, svg, slide), svg, groups, parts, slide, slider };
}

/** Brings them into line; `hot` is the course that is dark. */
export function drawChart({ svg, groups, parts, slide, box }: ChartNodes, chart: ChartPicture, hot: string | null): void {
  const page = box.ownerDocument;
  setAttributes(svg, { width: chart.width, height: chart.height + 22, "aria-label": chart.told });
  drawUps(page, groups.ups, chart);
  drawOvers(page, groups.overs, chart);
  setAttributes(parts.axis, { d: `M${px(chart.left)} ${px(chart.base)}H${px(chart.right)}` });
  setAttributes(parts.band, { d: chart.band });
  const lines = children(groups.lines, chart.lines.length, () => shape(page, "path"));
  const leads = children(groups.leads, chart.lines.length, () => shape(page, "path"));
  const names = children(groups.names, chart.lines.length, () => shape(page, "text"));
  chart.lines.forEach((line, i) => {
    const [path, lead, name] = [lines[i], leads[i], names[i]];
    if (!path || !lead || !name) return;
    const is = `${line.kind}${line.key === hot ? " hot" : ""}`;
    setAttributes(path, { d: line.path, class: `line ${is}`, "data-course": line.key });
    setAttributes(lead, { d: line.lead, class: `lead ${is}` });
    setAttributes(name, { x: px(chart.nameX), y: px(line.y), class: `name ${is}`, "data-course": line.key });
    setText(name, line.name);
  });
  const bars = children(groups.bars, chart.bars.length, () => shape(page, "path"));
  chart.bars.forEach(({ key, path, isAdvised }, i) => bars[i] && setAttributes(bars[i], { d: path, class: `${isAdvised ? "advised" : ""}${key === hot ? " hot" : ""}` }));
  drawNeedle(parts, chart);
  setStyle(slide, "left", `${chart.slider.x}px`);
  setStyle(slide, "width", `${chart.slider.width}px`);
}

function drawUps(page: Document, parent: SVGGElement, { ups, left, right }: ChartPicture): void {
  const made = children(parent, ups.length, () => shape(page, "g", {}, shape(page, "path"), shape(page, "text", { "text-anchor": "end" })));
  ups.forEach((tick, i) => {
    const [line, text] = made[i]?.children ?? [];
    if (!line || !text) return;
    setAttributes(line, { d: `M${px(left)} ${px(tick.at)}H${px(right)}` });
    setAttributes(text, { x: px(left - 8), y: px(tick.at + 4) });
    setText(text, tick.text);
  });
}

function drawOvers(page: Document, parent: SVGGElement, { overs, base }: ChartPicture): void {
  const made = children(parent, overs.length, () => shape(page, "text", { "text-anchor": "middle" }));
  overs.forEach((tick: Tick, i) => {
    const text = made[i];
    if (!text) return;
    setAttributes(text, { x: px(tick.at), y: px(base + 26) });
    setText(text, tick.text);
  });
}

function drawNeedle(parts: ChartNodes["parts"], { needle, point, joint, base }: ChartPicture): void {
  setAttributes(parts.needle, { d: `M${px(needle.x)} ${px(needle.top)}V${px(base)}` });
  setAttributes(parts.needleText, { x: px(needle.x + (needle.isLeft ? -8 : 8)), y: px(needle.top + 4), "text-anchor": needle.isLeft ? "end" : "start" });
  setText(parts.needleText, needle.text);
  for (const node of [parts.point, parts.pointText]) toggleClass(node, "gone", point === null);
  if (point) {
    setAttributes(parts.point, { cx: px(point.x), cy: px(point.y) });
    setAttributes(parts.pointText, { x: px(point.x + (point.isLeft ? -9 : 9)), y: px(point.y + (point.isLeft ? 17 : -9)), "text-anchor": point.isLeft ? "end" : "start" });
  }
  setText(parts.pointText, point?.text ?? "");
  for (const node of [parts.reach, parts.ring, parts.reachText]) toggleClass(node, "gone", joint === null || point === null);
  if (joint && point) {
    setAttributes(parts.reach, { d: `M${px(point.x + 7)} ${px(joint.y)}H${px(joint.x - 4)}M${px(joint.x)} ${px(joint.y + 4)}V${px(joint.textY - 13)}` });
    setAttributes(parts.ring, { cx: px(joint.x), cy: px(joint.y) });
    setAttributes(parts.reachText, { x: px(joint.textX), y: px(joint.textY), "text-anchor": joint.anchor });
  }
  setText(parts.reachText, joint?.text ?? "");
}
