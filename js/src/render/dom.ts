/** Elements: made once, then kept up to date. Text goes in through `textContent` alone. */

const SVG = "http://www.w3.org/2000/svg";

export type Attributes = Readonly<Record<string, string | number>>;

/** An HTML element with attributes and children. */
export function element<K extends keyof HTMLElementTagNameMap>(
  page: Document,
  tag: K,
  attributes: Attributes = {},
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const made = page.createElement(tag);
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Makes HTML elements by their class or their attributes, with children. */
export function maker(page: Document) {
  return <K extends keyof HTMLElementTagNameMap>(tag: K, has: string | Attributes = {}, ...children: readonly (Node | string)[]): HTMLElementTagNameMap[K] =>
    element(page, tag, typeof has !== "string" ? has : has ? { class: has } : {}, ...children);
}

/** An SVG element with attributes and children. */
export function shape<K extends keyof SVGElementTagNameMap>(
  page: Document,
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Node[]
): SVGElementTagNameMap[K] {
  const made = page.createElementNS(SVG, tag) as SVGElementTagNameMap[K];
  setAttributes(made, attributes);
  made.append(...children);
  return made;
}

/** Sets attributes that differ. */
export function setAttributes(node: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    const text = String(value);
    if (node.getAttribute(name) !== text) node.setAttribute(name, text);
  }
}

/** Sets the text when it differs, so that live regions speak only of changes. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** Adds or removes a class where it differs. */
export function toggleClass(node: Element, name: string, on: boolean): void {
  if (node.classList.contains(name) !== on) node.classList.toggle(name, on);
}

/** Shows or hides where it differs. */
export function setHidden(node: HTMLElement, hidden: boolean): void {
  if (node.hidden !== hidden) node.hidden = hidden;
}

/** Exactly `n` children, made by `make` where they are missing. */
export function children<E extends Element>(parent: Element, n: number, make: () => E): E[] {
  while (parent.children.length > n) parent.lastElementChild?.remove();
  while (parent.children.length < n) parent.append(make());
  return Array.from(parent.children) as E[];
}

/** A child for each item, made by `make` where it is missing, and brought into line with it. */
export function fill<E extends Element, T>(parent: Element, items: readonly T[], make: () => E, draw: (child: E, item: T) => void): void {
  children(parent, items.length, make).forEach((child, i) => draw(child, items[i] as T));
}

/** A paragraph for each text. */
export function fillTexts(parent: Element, texts: readonly string[], name = ""): void {
  fill(parent, texts, () => maker(parent.ownerDocument)("p", name), setText);
}

/** Of a picture that says nothing which is not said beside it. */
export const SILENT = { "aria-hidden": "true", focusable: "false" } as const;

/** Sets one style property where it differs; "" removes it. */
export function setStyle(node: HTMLElement, name: string, value: string): void {
  if (node.style.getPropertyValue(name) !== value) node.style.setProperty(name, value);
}

/**
 * Writes into a text box where it differs, but not over what a reader is typing: what was written
 * last is the box's default, which a reader's text differs from until it is handed in.
 */
export function setTyped(box: HTMLInputElement, text: string): void {
  const { activeElement } = box.getRootNode() as Document | ShadowRoot;
  if (activeElement === box && box.value !== box.defaultValue) return;
  if (box.defaultValue !== text) box.defaultValue = text;
  if (box.value !== text) box.value = text;
}

/** Places an absolutely positioned box, or lets it flow. */
export function place(node: HTMLElement, box: { x: number; y: number; width: number } | null): void {
  setStyle(node, "left", box ? `${box.x}px` : "");
  setStyle(node, "top", box ? `${box.y}px` : "");
  setStyle(node, "width", box ? `${box.width}px` : "");
}
