/** What a reader has moved in the planner. One pure step per intent. */
import { axisEnd, LEAST_PRICE, MOST, roundEnd } from "../contract/decode-allocation.ts";
import type { AllocationControls, AllocationView } from "../contract/allocation.ts";
import type { AllocationIntent, Knob } from "../core/allocation-intent.ts";
import { clamp } from "../core/numbers.ts";
import { knobValue } from "../layout/allocation-knobs.ts";

export interface AllocationLocal {
  readonly controls: AllocationControls;
  /** Controls before the present ones, oldest first, for undo. */
  readonly past: readonly AllocationControls[];
  /** The slider that moved last: its moves in a row are one step to undo. */
  readonly moving: Knob | null;
  readonly hover: string | null;
  readonly focus: string | null;
}

const MOST_PAST = 100;

export function initialAllocation(controls: AllocationControls): AllocationLocal {
  return { controls, past: [], moving: null, hover: null, focus: null };
}

/** The state after an intent; the same object when nothing changes. */
export function stepAllocation(state: AllocationLocal, intent: AllocationIntent, view: AllocationView): AllocationLocal {
  const { controls, past } = state;
  switch (intent.type) {
    case "group":
      if (intent.index === controls.group || !view.groups[intent.index]) return state;
      return { ...state, controls: fitted({ ...controls, group: intent.index }, view), moving: null };
    case "target":
      return view.targets.some(({ key }) => key === intent.key) ? moved(state, { ...controls, target: intent.key }) : state;
    case "slide":
      return turned(state, intent.knob, knobValue(intent.knob, intent.at, axisEnd(controls)), view, true);
    case "set":
      return turned(state, intent.knob, intent.value, view, false);
    case "unit":
      return moved(state, { ...controls, unit: intent.unit });
    case "course": {
      const others = controls.hidden.filter((key) => key !== intent.key);
      return moved(state, { ...controls, hidden: intent.isShown ? others : [...others, intent.key] });
    }
    case "undo": {
      const before = past[past.length - 1];
      if (before === undefined) return state;
      return { ...state, controls: { ...before, group: controls.group }, past: past.slice(0, -1), moving: null };
    }
    case "reset":
      return moved(state, fitted({ ...view.controls, group: controls.group }, view));
    case "point": {
      const by = intent.by === "pointer" ? "hover" : "focus";
      return state[by] === intent.key ? state : { ...state, [by]: intent.key };
    }
    default:
      return state;
  }
}

/** Whether anything is not as the view has it. */
export function isAllocationMoved({ controls }: AllocationLocal, view: AllocationView): boolean {
  return !same({ ...controls, group: 0 }, fitted({ ...view.controls, group: 0 }, view));
}

/** The course that is dark: the pointer's before the focus's. */
export function courseAt({ hover, focus }: AllocationLocal): string | null {
  return hover ?? focus;
}

/** The state carried over to a new view: the group stays by its label, all else as it is. */
export function carryOverAllocation(state: AllocationLocal, before: AllocationView, after: AllocationView): AllocationLocal {
  const label = before.groups[state.controls.group]?.label;
  const group = Math.max(0, after.groups.findIndex((one) => one.label === label));
  const target = after.targets.some(({ key }) => key === state.controls.target) ? state.controls.target : after.controls.target;
  return { ...state, controls: fitted({ ...state.controls, group, target }, after), past: [] };
}

/** Rows that are in hand are not made up. */
function fitted(controls: AllocationControls, view: AllocationView): AllocationControls {
  return view.groups[controls.group]?.n0 === null ? { ...controls, n0: null } : controls;
}

function same(a: AllocationControls, b: AllocationControls): boolean {
  const text = (of: AllocationControls) => JSON.stringify([of.group, of.target, of.budget, axisEnd(of), of.unit, of.prices.R, of.prices.T, of.n0, [...of.hidden].sort()]);
  return text(a) === text(b);
}

function moved(state: AllocationLocal, controls: AllocationControls, knob: Knob | null = null): AllocationLocal {
  if (same(controls, state.controls)) return state;
  const isOneMove = knob !== null && state.moving === knob;
  const past = isOneMove ? state.past : [...state.past, state.controls].slice(-MOST_PAST);
  return { ...state, controls, past, moving: knob };
}

function turned(state: AllocationLocal, knob: Knob, value: number, view: AllocationView, isSlid: boolean): AllocationLocal {
  const { controls } = state;
  // What is typed is a step of its own.
  const by = isSlid ? knob : null;
  if (knob === "n0") {
    const group = view.groups[controls.group];
    const n0 = Math.round(clamp(value, 0, MOST));
    if (!group || group.n0 === null) return state;
    return moved(state, { ...controls, n0: n0 === group.n0 ? null : n0 }, by);
  }
  if (knob !== "budget") return moved(state, { ...controls, prices: { ...controls.prices, [knob]: clamp(value, LEAST_PRICE, MOST) } }, by);
  const budget = clamp(value, 0, MOST);
  // The axis stays where it is while its needle moves along it.
  const end = isSlid ? axisEnd(controls) : Math.max(axisEnd(controls), roundEnd(budget));
  return moved(state, { ...controls, budget, most: end === roundEnd(budget) ? null : end }, by);
}
