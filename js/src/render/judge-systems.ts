/** A row for each system: a button that shows it, with the judge's TPR and FPR there. */
import { SYSTEM_HEIGHT, type SystemRow, type SystemsPicture } from "../layout/judge-systems.ts";
import { children, element, setAttributes, setHidden, setText, shape, toggleClass } from "./dom.ts";

export interface SystemsNodes {
  readonly box: HTMLDetailsElement;
  readonly title: HTMLElement;
  readonly key: readonly HTMLElement[];
  readonly rows: HTMLElement;
}

/** More systems than these are folded. */
const MOST_OPEN = 8;

export function makeSystems(page: Document): SystemsNodes {
  const title = element(page, "span", { class: "what" });
  const key = ["does", "solid", "hollow"].map((name) => element(page, "span", { class: name }));
  const rows = element(page, "div", { class: "rows" });
  const box = element(page, "details", { class: "systems" }, element(page, "summary", {}, title, ...key), rows);
  return { box, title, key, rows };
}

export function drawSystems({ box, title, key, rows }: SystemsNodes, systems: SystemsPicture | null): void {
  setHidden(box, systems === null);
  if (systems === null) return;
  const page = box.ownerDocument;
  const count = systems.cases[0]?.rows.length ?? 0;
  if (rows.childElementCount === 0) box.open = count <= MOST_OPEN;
  setText(title, systems.title);
  systems.key.forEach((what, i) => key[i] && setText(key[i], what));
  const parts = children(rows, systems.cases.length, () => element(page, "div", {}, element(page, "p", { class: "case" }), element(page, "div")));
  systems.cases.forEach(({ name, rows: told }, c) => {
    const [head, list] = [...(parts[c]?.children ?? [])] as HTMLElement[];
    if (!head || !list) return;
    setText(head, name);
    setHidden(head, name === "");
    const made = children(list, told.length, () => makeRow(page));
    told.forEach((row, i) => made[i] && drawRow(made[i], row, systems));
  });
}

function drawRow(made: HTMLElement, row: SystemRow, { width, axis: d }: SystemsPicture): void {
  const [name, svg, text] = [...made.children];
  if (!name || !svg || !text) return;
  setAttributes(made, { "data-group": row.index, "aria-label": row.label, "aria-current": String(row.isShown), title: row.label });
  setText(name, row.name);
  setText(text, row.text);
  setAttributes(svg, { width });
  const [axis, ...marks] = [...svg.children];
  if (axis) setAttributes(axis, { d });
  marks.forEach((mark, k) => {
    const [line, dot] = [...mark.children];
    const at = row.marks[k];
    toggleClass(mark, "none", !at);
    if (!at || !line || !dot) return;
    setAttributes(line, { d: at.line });
    setAttributes(dot, { cx: at.x, cy: at.y });
  });
}

function makeRow(page: Document): HTMLElement {
  const mark = (name: string) => shapeOf(page, "g", name, shape(page, "path"), shape(page, "circle", { r: 3.2 }));
  const svg = shapeOf(page, "svg", "", shape(page, "path", { class: "axis" }), mark("solid"), mark("hollow"));
  setAttributes(svg, { height: SYSTEM_HEIGHT, "aria-hidden": "true", focusable: "false" });
  return element(page, "button", { class: "system", type: "button" }, element(page, "span", { class: "who", dir: "auto" }), svg, element(page, "span", { class: "of-100" }));
}

function shapeOf(page: Document, tag: "g" | "svg", name: string, ...inside: readonly Node[]): SVGElement {
  const made = shape(page, tag, name ? { class: name } : {});
  made.append(...inside);
  return made;
}
