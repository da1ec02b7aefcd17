/** A leaf: the sign of the policy, words, query marks, two cells of the ledger. */
import type { World } from "../contract/levels.ts";
import type { LeafPicture } from "../layout/leaf.ts";
import { element, place, setAttributes, setText, toggleClass } from "./dom.ts";
import { drawMarks, makeMarks, makeSign } from "./plots.ts";

export interface LeafNodes {
  readonly box: HTMLElement;
  readonly sign: HTMLButtonElement;
  readonly weight: HTMLElement;
  readonly words: HTMLElement;
  readonly marks: SVGSVGElement;
  readonly task: HTMLElement;
  readonly policy: HTMLElement;
}

/** Its elements, without content. */
export function makeLeaf(page: Document, key: World): LeafNodes {
  const weight = element(page, "span", { class: "weight" });
  const sign = element(page, "button", { class: "sign", type: "button" }, makeSign(page), weight);
  const words = element(page, "span", { class: "words" });
  const marks = makeMarks(page);
  const task = element(page, "span", { class: "ledger-task", "data-hue": "t", "aria-hidden": "true" });
  const policy = element(page, "span", { class: "ledger-policy", "data-hue": "good", "aria-hidden": "true" });
  const box = element(page, "div", { class: "leaf", "data-world": key, role: "group" }, sign, words, marks, task, policy);
  return { box, sign, weight, words, marks, task, policy };
}

/** Brings them into line. */
export function drawLeaf(nodes: LeafNodes, leaf: LeafPicture, width: number): void {
  place(nodes.box, leaf.box);
  setAttributes(nodes.box, { "data-verdict": leaf.isGood ? "good" : "bad", "aria-label": leaf.name, title: leaf.help });
  setAttributes(nodes.sign, { "aria-pressed": String(leaf.isGood), "aria-label": leaf.signLabel, title: leaf.signHelp });
  toggleClass(nodes.sign, "weighed", leaf.weight !== "");
  setText(nodes.weight, leaf.weight);
  setText(nodes.words, leaf.words);
  drawMarks(nodes.marks, leaf, width);
  setText(nodes.task, leaf.task || "·");
  setText(nodes.policy, leaf.policy || "·");
  toggleClass(nodes.task, "none", leaf.task === "");
  toggleClass(nodes.policy, "none", leaf.policy === "");
}
