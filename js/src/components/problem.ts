/** What stands in a widget's place when it cannot be shown: one sentence, never nothing. */
import { element } from "../render/dom.ts";

/** Puts the sentence of an error into `el`; returns the remover. */
export function mountProblem(el: Element, error: unknown): () => void {
  const text = error instanceof Error ? error.message : String(error);
  const note = element(el.ownerDocument, "p", { class: "note problem", role: "alert" }, text);
  const root = element(el.ownerDocument, "div", { class: "rat-widgets rat-problem" }, note);
  el.append(root);
  return () => root.remove();
}
