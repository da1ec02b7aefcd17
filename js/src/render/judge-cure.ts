/** What was found of the judges' errors, with the button that allows for it. */
import type { CurePicture } from "../layout/judge-cure.ts";
import { fill, fillTexts, maker, setAttributes, setHidden, setText } from "./dom.ts";
import { drawSegments } from "./frame.ts";

export interface CureNodes {
  readonly box: HTMLElement;
  readonly found: HTMLElement;
  readonly line: HTMLElement;
  readonly left: HTMLElement;
  readonly take: HTMLButtonElement;
  readonly python: HTMLElement;
}

export function makeCure(page: Document): CureNodes {
  const el = maker(page);
  const part = (name: string) => el("div", { class: name });
  const [found, left, python] = [part("found"), part("left"), part("python")];
  const line = el("p", { class: "line", role: "status" });
  const take = el("button", { class: "take-cure", type: "button" });
  const box = el("div", { class: "cure note warning", role: "group", "aria-label": "What was found of the judges' errors" }, found, line, left, take, python);
  return { box, found, line, left, take, python };
}

export function drawCure({ box, found, line, left, take, python }: CureNodes, cure: CurePicture | null): void {
  setHidden(box, cure === null);
  if (cure === null) return;
  const page = box.ownerDocument;
  const el = maker(page);
  box.classList.toggle("on", cure.isOn);
  fillTexts(found, cure.texts);
  fillTexts(left, cure.left);
  setHidden(line, cure.line.length === 0);
  drawSegments(line, cure.line);
  setText(take, cure.label);
  setHidden(take, cure.label === "");
  const make = () => el("p", "", el("span"), " ", el("code", { dir: "ltr" }), " ", el("button", { class: "link copy-cure", type: "button" }, "copy"));
  fill(python, cure.python, make, ({ children: [label, code, copy] }, line) => {
    const [does, text] = line;
    if (label) setText(label, does);
    if (code) setText(code, text);
    if (copy) setAttributes(copy, { "data-line": cure.python.indexOf(line), "aria-label": `Copy: ${does}` });
  });
}
