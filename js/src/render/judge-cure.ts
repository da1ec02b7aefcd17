/** What was found of the judges' errors, with the button that allows for it. */
import type { CurePicture } from "../layout/judge-cure.ts";
import { children, element, setAttributes, setHidden, setText } from "./dom.ts";
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
  const part = (name: string) => element(page, "div", { class: name });
  const [found, left, python] = [part("found"), part("left"), part("python")];
  const line = element(page, "p", { class: "line", role: "status" });
  const take = element(page, "button", { class: "take-cure", type: "button" });
  const box = element(page, "div", { class: "cure note warning", role: "group", "aria-label": "What was found of the judges' errors" }, found, line, left, take, python);
  return { box, found, line, left, take, python };
}

export function drawCure({ box, found, line, left, take, python }: CureNodes, cure: CurePicture | null): void {
  setHidden(box, cure === null);
  if (cure === null) return;
  const page = box.ownerDocument;
  box.classList.toggle("on", cure.isOn);
  drawTexts(found, cure.texts);
  drawTexts(left, cure.left);
  setHidden(line, cure.line.length === 0);
  drawSegments(line, cure.line);
  setText(take, cure.label);
  setHidden(take, cure.label === "");
  const lines = children(python, cure.python.length, () =>
    element(page, "p", {}, element(page, "span"), " ", element(page, "code", { dir: "ltr" }), " ", element(page, "button", { class: "link copy-cure", type: "button" }, "copy")),
  );
  cure.python.forEach(([does, text], i) => {
    const [label, code, copy] = [...(lines[i]?.children ?? [])];
    if (label) setText(label, does);
    if (code) setText(code, text);
    if (copy) setAttributes(copy, { "data-line": i, "aria-label": `Copy: ${does}` });
  });
}

function drawTexts(parent: HTMLElement, texts: readonly string[]): void {
  const made = children(parent, texts.length, () => element(parent.ownerDocument, "p"));
  texts.forEach((text, i) => made[i] && setText(made[i], text));
}
