/** Pointer and keyboard on the planner become intents. One set of listeners, on the root. */
import type { AllocationIntent, Knob } from "../core/allocation-intent.ts";
import { closest, pressed } from "./keys.ts";
import { handIn } from "./typing.ts";

/** Listens on the root; returns the remover. */
export function listenAllocation(root: HTMLElement, send: (intent: AllocationIntent) => void): () => void {
  const forward = (intent: AllocationIntent | null) => {
    if (intent) send(intent);
  };
  const listeners: readonly (readonly [string, (event: Event) => void])[] = [
    ["input", (event) => forward(slid(event, false))],
    ["change", (event) => forward(changed(event))],
    ["click", (event) => forward(clicked(event))],
    ["keydown", (event) => pressed(event as KeyboardEvent, () => send({ type: "dismiss" }))],
    ["pointerover", (event) => send({ type: "point", by: "pointer", key: courseOf(event.target) })],
    ["pointerleave", () => send({ type: "point", by: "pointer", key: null })],
    ["focusin", (event) => send({ type: "point", by: "focus", key: courseOf(event.target) })],
    ["focusout", () => send({ type: "point", by: "focus", key: null })],
  ];
  for (const [name, listener] of listeners) root.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) root.removeEventListener(name, listener);
  };
}

const KNOBS: readonly string[] = ["budget", "R", "T", "n0"] satisfies readonly Knob[];

function courseOf(target: EventTarget | null): string | null {
  return closest(target, "[data-course]")?.dataset["course"] ?? null;
}

function knobOf(node: Element): Knob | null {
  const name = closest(node, "[data-knob]")?.dataset["knob"] ?? "";
  return KNOBS.includes(name) ? (name as Knob) : null;
}

/** A slider's new place; settled when it is let go. */
function slid(event: Event, isSettled: boolean): AllocationIntent | null {
  const slider = closest(event.target, "input.slider") as HTMLInputElement | null;
  const knob = slider && knobOf(slider);
  return knob ? { type: "slide", knob, at: Number(slider.value), isSettled } : null;
}

/** A typed number, in which a comma may set off thousands, or be the point. */
function typed(event: Event): AllocationIntent | null {
  const box = closest(event.target, "input.box") as HTMLInputElement | null;
  const knob = box && knobOf(box);
  if (!knob) return null;
  handIn(box);
  const text = box.value.replace(/\s/g, "").replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".");
  const value = text === "" ? NaN : Number(text);
  const isPrice = knob === "R" || knob === "T";
  const isGood = value >= (isPrice ? 1e-3 : 0) && value <= 1e9 && (knob !== "n0" || Number.isInteger(value));
  return isGood ? { type: "set", knob, value } : { type: "mistyped" };
}

function changed(event: Event): AllocationIntent | null {
  const moved = slid(event, true) ?? typed(event);
  if (moved) return moved;
  const group = closest(event.target, "select.group") as HTMLSelectElement | null;
  if (group) return { type: "group", index: Number(group.value) };
  const target = closest(event.target, "select.target") as HTMLSelectElement | null;
  if (target) return { type: "target", key: target.value };
  const unit = closest(event.target, "input[name^=unit]") as HTMLInputElement | null;
  if (unit?.checked && (unit.value === "units" || unit.value === "rows")) return { type: "unit", unit: unit.value };
  const check = closest(event.target, "input[type=checkbox]") as HTMLInputElement | null;
  const key = check && courseOf(check);
  return key ? { type: "course", key, isShown: check.checked } : null;
}

function clicked(event: Event): AllocationIntent | null {
  const button = closest(event.target, "button");
  if (!button) return null;
  const { classList } = button;
  if (classList.contains("refine")) return { type: "simulate" };
  if (classList.contains("undo")) return { type: "undo" };
  if (classList.contains("reset")) return { type: "reset" };
  if (classList.contains("dismiss")) return { type: "dismiss" };
  if (classList.contains("copy-sentence")) return { type: "copy", what: "sentence" };
  if (classList.contains("copy-python")) return { type: "copy", what: "python" };
  return null;
}
