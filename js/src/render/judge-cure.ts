/** What was found of the judges' errors, with the button that allows for it. */
import type { CurePicture } from "../layout/judge-cure.ts";
import { children, element, setHidden, setText } from "./dom.ts";
import { drawSegments } from "./frame.ts";

export interface CureNodes {
  readonly box: HTMLElement;
  readonly found: HTMLElement;
  readonly line: HTMLElement;
  readonly take: HTMLButtonElement;
  readonly python: HTMLElement;
  readonly code: HTMLElement;
}

export function makeCure(page: Document): CureNodes {
  const found = element(page, "div", { class: "found" });
  const line = element(page, "p", { class: "line", role: "status" });
  const take = element(page, "button", { class: "take-cure", type: "button" });
  const code = element(page, "code", { dir: "ltr" });
  const python = element(page, "div", { class: "python" }, "In Python: ", code, " ", element(page, "button", { class: "link copy-cure", type: "button", "aria-label": "Copy the judges with their cure" }, "copy"));
  const box = element(page, "div", { class: "cure note warning", role: "group", "aria-label": "What was found of the judges' errors" }, found, line, take, python);
  return { box, found, line, take, python, code };
}

export function drawCure({ box, found, line, take, python, code }: CureNodes, cure: CurePicture | null): void {
  setHidden(box, cure === null);
  if (cure === null) return;
  const page = box.ownerDocument;
  box.classList.toggle("on", cure.isOn);
  const texts = children(found, cure.texts.length, () => element(page, "p"));
  cure.texts.forEach((text, i) => texts[i] && setText(texts[i], text));
  setHidden(line, cure.line.length === 0);
  drawSegments(line, cure.line);
  setText(take, cure.label);
  setHidden(python, cure.python === "");
  setText(code, cure.python);
}
