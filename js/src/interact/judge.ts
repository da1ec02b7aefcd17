/** Pointer and keyboard on judges become intents. One set of listeners, on the root. */
import { LEAST_LABELS, MOST_LABELS, type JudgeIntent, type RateMode } from "../core/judge-intent.ts";
import { closest, pressed } from "./keys.ts";
import { handIn, isTypedIn } from "./typing.ts";

/** Listens on the root; returns the remover. */
export function listenJudges(root: HTMLElement, send: (intent: JudgeIntent) => void): () => void {
  const forward = (intent: JudgeIntent | null) => {
    if (intent) send(intent);
  };
  const listeners: readonly (readonly [string, (event: Event) => void])[] = [
    ["input", (event) => forward(slid(event, false))],
    ["change", (event) => forward(changed(event))],
    ["click", (event) => forward(clicked(event))],
    ["keydown", (event) => pressed(event as KeyboardEvent, () => send({ type: "dismiss" }))],
    ["keydown", (event) => forward(entered(event as KeyboardEvent))],
  ];
  for (const [name, listener] of listeners) root.addEventListener(name, listener);
  return () => {
    for (const [name, listener] of listeners) root.removeEventListener(name, listener);
  };
}

const MODES: readonly string[] = ["posterior", "prior", "pinned"] satisfies readonly RateMode[];

function input(event: Event, selector: string): HTMLInputElement | null {
  return closest(event.target, selector) as HTMLInputElement | null;
}

function rateOf(node: Element): string {
  return closest(node, "[data-rate]")?.dataset["rate"] ?? "";
}

/** A slider's new value; settled when it is let go. */
function slid(event: Event, isSettled: boolean): JudgeIntent | null {
  const slider = input(event, "input.slider");
  return slider && { type: "rate", rate: rateOf(slider), value: Number(slider.value), isSettled };
}

/** A typed number of 100, with comma or point; NaN where it is none. */
function shareIn({ value }: HTMLInputElement): number {
  const text = value.replace("%", "").replace(",", ".").trim();
  return text === "" ? NaN : Number(text);
}

/** A typed number of labels: here a comma may set off thousands. */
function labelsIn({ value }: HTMLInputElement): number {
  const text = value.replace(/\s/g, "").replace(/,(?=\d{3}(?!\d))/g, "").replace(",", ".");
  return text === "" ? NaN : Number(text);
}

function typed(event: Event): JudgeIntent | null {
  const box = input(event, "input.box");
  if (!box) return null;
  handIn(box);
  if (box.classList.contains("labels")) {
    const number = labelsIn(box);
    if (!(number >= LEAST_LABELS && number <= MOST_LABELS)) return { type: "mistyped", what: "labels" };
    return { type: "labels", rate: rateOf(box), labels: number };
  }
  const number = shareIn(box);
  if (!isShare(number)) return { type: "mistyped", what: "rate" };
  return { type: "rate", rate: rateOf(box), value: Math.round(1e4 * number) / 1e6, isSettled: true };
}

/** Enter on the number that stands there already: a browser sees no change, but it is a pin. */
function entered(event: KeyboardEvent): JudgeIntent | null {
  if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.altKey) return null;
  const box = input(event, '[data-mode="posterior"] input.box');
  return box && !isTypedIn(box) && isShare(shareIn(box)) ? typed(event) : null;
}

function isShare(number: number): boolean {
  return number >= 0 && number <= 100;
}

function changed(event: Event): JudgeIntent | null {
  const moved = slid(event, true) ?? typed(event);
  if (moved) return moved;
  const select = closest(event.target, "select.group") as HTMLSelectElement | null;
  if (select) return { type: "group", index: Number(select.value) };
  const mode = input(event, "input[name^=mode]");
  if (!mode?.checked || !MODES.includes(mode.value)) return null;
  const slider = closest(mode, "[data-rate]")?.querySelector<HTMLInputElement>(".slider");
  return { type: "mode", rate: rateOf(mode), mode: mode.value as RateMode, value: Number(slider?.value ?? 0.5) };
}

function clicked(event: Event): JudgeIntent | null {
  const button = closest(event.target, "button");
  if (!button) return null;
  const { classList } = button;
  const { group } = button.dataset;
  if (group !== undefined) return { type: "group", index: Number(group) };
  const judge = closest(button, "[data-judge]")?.dataset["judge"] ?? "";
  const asked: Readonly<Record<string, JudgeIntent>> = {
    fold: { type: "fold", judge },
    leave: { type: "leave", judge },
    "take-cure": { type: "cure" },
    undo: { type: "undo" },
    reset: { type: "reset" },
    dismiss: { type: "dismiss" },
    "copy-sentence": { type: "copy", what: "sentence" },
    "copy-cure": { type: "copy", what: "cure", line: Number(button.dataset["line"]) },
    "copy-python": { type: "copy", what: "python" },
  };
  return [...classList].map((name) => asked[name]).find(Boolean) ?? null;
}
