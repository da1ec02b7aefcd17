/** A row for each system: a button that shows it, with the judge's TPR and FPR there. */
import { SYSTEM_HEIGHT, type SystemsPicture } from "../layout/judge-systems.ts";
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
  const box = element(page, "details", { class: "systems" }, element(page, "summary", {}, title, " ", ...key), rows);
  return { box, title, key, rows };
}

export function drawSystems({ box, title, key, rows }: SystemsNodes, systems: SystemsPicture | null): void {
  setHidden(box, systems === null);
  if (systems === null) return;
  const page = box.ownerDocument;
  if (rows.childElementCount === 0) box.open = systems.rows.length <= MOST_OPEN;
  setText(title, systems.title);
  systems.key.forEach((what, i) => key[i] && setText(key[i], what));
  const made = children(rows, systems.rows.length, () => makeRow(page));
  systems.rows.forEach((row, i) => {
    const [name, svg, text] = [...(made[i]?.children ?? [])];
    if (!made[i] || !name || !svg || !text) return;
    setAttributes(made[i], { "data-group": row.index, "aria-label": row.label, "aria-current": String(row.isShown), title: row.label });
    setText(name, row.name);
    setText(text, row.text);
    setAttributes(svg, { width: systems.width });
    const [axis, ...marks] = [...svg.children];
    if (axis) setAttributes(axis, { d: systems.axis });
    marks.forEach((mark, k) => {
      const [line, dot] = [...mark.children];
      const at = row.marks[k];
      toggleClass(mark, "none", at === undefined);
      if (!at || !line || !dot) return;
      setAttributes(line, { d: at.line });
      setAttributes(dot, { cx: at.x, cy: at.y });
    });
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
