/** What the frames of all widgets have: picker, sentences, notes, the text to copy. */
import type { Note } from "../contract/tree.ts";
import type { Segment } from "../core/sentence.ts";
import { children, element, fill, setAttributes, setHidden, setText } from "./dom.ts";

export interface PickerNodes {
  readonly picker: HTMLElement;
  readonly by: HTMLElement;
  readonly select: HTMLSelectElement;
}

/** The choice of a group, without options. */
export function makePicker(page: Document): PickerNodes {
  const by = element(page, "bdi", { class: "by" });
  const select = element(page, "select", { class: "group", "aria-label": "Group" });
  return { picker: element(page, "label", { class: "picker" }, by, select), by, select };
}

/** Options of the group picker; only a new view changes them. */
export function drawPicker(nodes: PickerNodes, view: { readonly by: readonly string[]; readonly groups: readonly { readonly label: string }[] }): void {
  const page = nodes.picker.ownerDocument;
  setHidden(nodes.picker, view.groups.length < 2);
  const name = view.by.join(" · ");
  setText(nodes.by, name || "Group");
  setAttributes(nodes.select, { "aria-label": name || "Group" });
  children(nodes.select, view.groups.length, () => page.createElement("option")).forEach((option, i) => {
    setAttributes(option, { value: i, dir: "auto" });
    setText(option, view.groups[i]?.label || `Group ${i + 1}`);
  });
}

/** Spans with roles; rebuilt only when the sentence differs. */
export function drawSegments(parent: HTMLElement, segments: readonly Segment[]): void {
  const now = JSON.stringify(segments);
  if (parent.dataset["said"] === now) return;
  parent.dataset["said"] = now;
  const page = parent.ownerDocument;
  parent.replaceChildren(
    ...segments.map(([text, role]) => (role === "" ? page.createTextNode(text) : element(page, "span", { "data-role": role }, text))),
  );
}

/** One line for each note. */
export function drawNotes(parent: HTMLElement, notes: readonly Note[]): void {
  const page = parent.ownerDocument;
  setHidden(parent, notes.length === 0);
  fill(parent, notes, () => element(page, "p", { role: "note" }), (line, { level, text }) => {
    setAttributes(line, { class: `note ${level}` });
    setText(line, text);
  });
}

export interface CopyNodes {
  readonly copyBox: HTMLElement;
  readonly copyText: HTMLTextAreaElement;
}

/** The text that a browser would not copy by itself, hidden. */
export function makeCopyBox(page: Document): CopyNodes {
  const copyText = element(page, "textarea", { class: "copy-text", readonly: "", rows: 3, "aria-label": "Text to copy", spellcheck: "false" });
  const copyBox = element(
    page,
    "div",
    { class: "copy-box", hidden: "" },
    element(page, "span", {}, "The browser would not copy by itself. The text is selected: press Ctrl+C or ⌘C."),
    copyText,
    element(page, "button", { class: "link dismiss", type: "button" }, "Close"),
  );
  return { copyBox, copyText };
}

/** Shows or hides the text that the browser would not copy by itself. */
export function drawCopyBox(nodes: CopyNodes, text: string | null): void {
  setHidden(nodes.copyBox, text === null);
  nodes.copyText.value = text ?? "";
  if (text === null) return;
  nodes.copyText.focus();
  nodes.copyText.select();
}
