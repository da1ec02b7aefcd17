/** Pointer and keyboard on a tree become intents. One set of listeners, on the root. */
import type { Keys } from "../contract/levels.ts";
import type { Intent, Place } from "../core/intent.ts";
import type { Shape } from "../core/shape.ts";
import { handIn, takeBack } from "./typing.ts";

/** Listens on the root of a tree of this shape; returns the remover. */
export function listenTree(root: HTMLElement, shape: Shape, send: (intent: Intent) => void): () => void {
  const placeOf = (target: EventTarget | null) => placeIn(shape, target);
  const listeners: readonly (readonly [string, (event: Event) => void])[] = [
    ["change", (event) => forward(changed(event, placeOf), send)],
    ["input", (event) => forward(slid(event, placeOf, false), send)],
    ["click", (event) => forward(clicked(event, placeOf), send)],
    ["keydown", (event) => pressed(root, shape, event as KeyboardEvent, send)],
    ["pointerover", (event) => send({ type: "point", by: "pointer", at: placeOf(event.target) })],
    ["pointerleave", () => send({ type: "point", by: "pointer", at: null })],
    ["focusin", (event) => send({ type: "point", by: "focus", at: placeOf(event.target) })],
    ["focusout", () => send({ type: "point", by: "focus", at: null })],
  ];
  for (const [name, listener] of listeners) root.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) root.removeEventListener(name, listener);
  };
}

const CONTROL_KEYS = [
  "Enter", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown",
];

function forward(intent: Intent | null, send: (intent: Intent) => void): void {
  if (intent) send(intent);
}

function closest(target: EventTarget | null, selector: string): HTMLElement | null {
  return target instanceof Object && "closest" in target ? (target as Element).closest<HTMLElement>(selector) : null;
}

type PlaceOf = (target: EventTarget | null) => Place | null;

function placeIn({ leaves, branches }: Keys, target: EventTarget | null): Place | null {
  const world = closest(target, "[data-world]")?.dataset["world"];
  if (world !== undefined && leaves.includes(world)) return { world };
  const branch = closest(target, "[data-branch]")?.dataset["branch"];
  return branch !== undefined && branches.includes(branch) ? { branch } : null;
}

/** A slider's new value; settled when it is let go. */
function slid(event: Event, placeOf: PlaceOf, isSettled: boolean): Intent | null {
  const slider = closest(event.target, "input.slider") as HTMLInputElement | null;
  const at = slider && placeOf(slider);
  if (!at || !("branch" in at)) return null;
  return { type: "pin", branch: at.branch, value: Number(slider.value), isSettled };
}

/** What was typed into a branch's box: per cent, with or without the sign, comma or point. */
function typed(event: Event, placeOf: PlaceOf): Intent | null {
  const box = closest(event.target, "input.box") as HTMLInputElement | null;
  const at = box && placeOf(box);
  if (!at || !("branch" in at)) return null;
  handIn(box);
  const text = box.value.replace("%", "").replace(",", ".").trim();
  const value = text === "" ? NaN : Number(text) / 100;
  if (!(value >= 0 && value <= 1)) return { type: "mistyped" };
  return { type: "pin", branch: at.branch, value: Math.round(1e6 * value) / 1e6, isSettled: true };
}

function changed(event: Event, placeOf: PlaceOf): Intent | null {
  const pin = slid(event, placeOf, true) ?? typed(event, placeOf);
  if (pin) return pin;
  const select = closest(event.target, "select.group") as HTMLSelectElement | null;
  if (select) return { type: "group", index: Number(select.value) };
  const unit = closest(event.target, "input[name^=unit]") as HTMLInputElement | null;
  if (unit?.checked && (unit.value === "queries" || unit.value === "step")) return { type: "unit", unit: unit.value };
  return null;
}

function clicked(event: Event, placeOf: PlaceOf): Intent | null {
  const button = closest(event.target, "button");
  if (!button) return null;
  const { classList } = button;
  if (classList.contains("sign")) {
    const at = placeOf(button);
    return at && "world" in at ? { type: "toggle", world: at.world } : null;
  }
  if (classList.contains("unpin")) {
    const at = placeOf(button);
    return { type: "unpin", branch: at && "branch" in at ? at.branch : null };
  }
  if (classList.contains("undo")) return { type: "undo" };
  if (classList.contains("reset")) return { type: "reset" };
  if (classList.contains("dismiss")) return { type: "dismiss" };
  if (classList.contains("copy-sentence")) return { type: "copy", what: "sentence" };
  if (classList.contains("copy-python")) return { type: "copy", what: "python" };
  return null;
}

/** Where an arrow key leads from a leaf; null when nowhere. A branch's keys are its slider's. */
export function neighbour({ leaves, outcomes }: Shape, at: Place, key: string): Place | null {
  if (!("world" in at)) return null;
  const i = leaves.indexOf(at.world);
  const next = { ArrowDown: i + 1, ArrowUp: i - 1, Home: 0, End: leaves.length - 1 }[key];
  const world = next === undefined ? undefined : leaves[next];
  if (world !== undefined) return { world };
  const parent = outcomes[at.world]?.parent;
  return key === "ArrowLeft" && parent !== undefined ? { branch: parent } : null;
}

/** What takes the focus at a place: the sign of a leaf, the slider of a branch. */
function focusOf(root: HTMLElement, at: Place): HTMLElement | null {
  const [selector, name, within] = "world" in at ? ["[data-world]", at.world, ".sign"] : ["[data-branch]", at.branch, ".slider"];
  // By comparison, not by selector: a level may have any name.
  const box = [...root.querySelectorAll<HTMLElement>(selector)].find(({ dataset }) => (dataset["world"] ?? dataset["branch"]) === name);
  const target = box?.querySelector<HTMLElement & { disabled: boolean }>(within);
  return target?.disabled ? (box?.querySelector<HTMLElement>(".unpin:enabled") ?? null) : (target ?? null);
}

function pressed(root: HTMLElement, shape: Shape, event: KeyboardEvent, send: (intent: Intent) => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
  if (event.key === "Escape") {
    takeBack(closest(event.target, "input.box") as HTMLInputElement | null);
    return send({ type: "dismiss" });
  }
  const isControl = closest(event.target, "button, select, input, summary, textarea") !== null;
  const at = placeIn(shape, event.target);
  const next = at === null ? null : neighbour(shape, at, event.key);
  if (next !== null) {
    focusOf(root, next)?.focus();
    event.preventDefault();
  }
  // Notebooks give these keys a meaning of their own; here they belong to the tree.
  // A select is searched by typing, so every printable key is its own.
  const isTyped = event.key.length === 1 && closest(event.target, "select, textarea, .box") !== null;
  const isErased = ["Backspace", "Delete"].includes(event.key) && closest(event.target, ".box") !== null;
  const isOurs = isTyped || isErased || (isControl && CONTROL_KEYS.includes(event.key));
  if (next !== null || isOurs) event.stopPropagation();
}
