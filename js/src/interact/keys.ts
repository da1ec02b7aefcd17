/** Keys on a widget's controls: Escape takes back, and a notebook around hears nothing that is ours. */
import { takeBack } from "./typing.ts";

const CONTROL_KEYS = ["Enter", " ", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home", "End", "PageUp", "PageDown"];

export function closest(target: EventTarget | null, selector: string): HTMLElement | null {
  return target instanceof Object && "closest" in target ? (target as Element).closest<HTMLElement>(selector) : null;
}

/** Handles a key; `dismiss` is called at Escape, when what is being typed was taken back. */
export function pressed(event: KeyboardEvent, dismiss: () => void): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "Escape") {
    takeBack(closest(event.target, "input.box") as HTMLInputElement | null);
    return dismiss();
  }
  // Notebooks give these keys a meaning of their own; here they belong to the widget.
  const isControl = closest(event.target, "button, select, input, summary, textarea") !== null;
  const isTyped = event.key.length === 1 && closest(event.target, "select, textarea, .box") !== null;
  const isErased = ["Backspace", "Delete"].includes(event.key) && closest(event.target, ".box") !== null;
  if (isTyped || isErased || (isControl && CONTROL_KEYS.includes(event.key))) event.stopPropagation();
}
