/** What a person asks of the planner; made by `interact`, answered by `state` and the component. */

/** Sliders, each with a box beside it. */
export type Knob = "budget" | "R" | "T" | "n0";

export type AllocationIntent =
  | { readonly type: "group"; readonly index: number }
  | { readonly type: "target"; readonly key: string }
  /** A slider's own number, see `knobValue`; settled when it is let go. */
  | { readonly type: "slide"; readonly knob: Knob; readonly at: number; readonly isSettled: boolean }
  /** A number that was typed. */
  | { readonly type: "set"; readonly knob: Knob; readonly value: number }
  | { readonly type: "unit"; readonly unit: "units" | "rows" }
  | { readonly type: "course"; readonly key: string; readonly isShown: boolean }
  /** What the pointer or the focus is on. */
  | { readonly type: "point"; readonly by: "pointer" | "focus"; readonly key: string | null }
  /** Begins to simulate purchases, or stops. */
  | { readonly type: "simulate" }
  | { readonly type: "mistyped" }
  | { readonly type: "undo" }
  | { readonly type: "reset" }
  | { readonly type: "copy"; readonly what: "sentence" | "python" }
  | { readonly type: "dismiss" };
