/** A row for each system: a button that shows it, with the judge's TPR and FPR there. */
import { SYSTEM_HEIGHT, type SystemRow, type SystemsPicture } from "../layout/judge-systems.ts";
import { fill, maker, setAttributes, setHidden, setText, shape, SILENT, toggleClass } from "./dom.ts";

export interface SystemsNodes {
  readonly box: HTMLDetailsElement;
  readonly title: HTMLElement;
  readonly key: readonly HTMLElement[];
  readonly rows: HTMLElement;
}

/** More systems than these are folded. */
const MOST_OPEN = 8;

export function makeSystems(page: Document): SystemsNodes {
  const el = maker(page);
  const title = el("span", "what");
  const key = ["does", "solid", "hollow"].map((name) => el("span", { class: name }));
  const rows = el("div", "rows");
  const box = el("details", "systems", el("summary", "", title, ...key), rows);
  return { box, title, key, rows };
}

export function drawSystems({ box, title, key, rows }: SystemsNodes, systems: SystemsPicture | null): void {
  setHidden(box, systems === null);
  if (systems === null) return;
  const page = box.ownerDocument;
  const el = maker(page);
  const count = systems.cases[0]?.rows.length ?? 0;
  if (rows.childElementCount === 0) box.open = count <= MOST_OPEN;
  setText(title, systems.title);
  systems.key.forEach((what, i) => key[i] && setText(key[i], what));
  const part = () => el("div", "", el("p", "case"), el("div"));
  fill(rows, systems.cases, part, ({ children: [head, list] }, { name, rows: told }) => {
    if (!head || !list) return;
    setText(head, name);
    setHidden(head as HTMLElement, name === "");
    fill(list, told, () => makeRow(page), (made, row) => drawRow(made, row, systems));
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
  const el = maker(page);
  const mark = (name: string) => shapeOf(page, "g", name, shape(page, "path"), shape(page, "circle", { r: 3.2 }));
  const svg = shapeOf(page, "svg", "", shape(page, "path", { class: "axis" }), mark("solid"), mark("hollow"));
  setAttributes(svg, { height: SYSTEM_HEIGHT, ...SILENT });
  return el("button", { class: "system", type: "button" }, el("span", { class: "who", dir: "auto" }), svg, el("span", "of-100"));
}

function shapeOf(page: Document, tag: "g" | "svg", name: string, ...inside: readonly Node[]): SVGElement {
  const made = shape(page, tag, name ? { class: name } : {});
  made.append(...inside);
  return made;
}
