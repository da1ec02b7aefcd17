/** What a reader has moved; never synced itself. One pure step per intent. */
import { keysOf, pinLimit, PIN_SLACK, type Branch, type World } from "../contract/levels.ts";
import type { TreeControls, TreeView } from "../contract/tree.ts";
import { isRight, weightOf } from "../core/format.ts";
import type { Intent, Place } from "../core/intent.ts";
import { shapeOf } from "../core/shape.ts";

export interface Local {
  readonly controls: TreeControls;
  /** Policies and pins before the present ones, oldest first, for undo. */
  readonly past: readonly Past[];
  /** The branch whose slider moved last: moves of one slider in a row are one step to undo. */
  readonly moving: Branch | null;
  /** The leaf or branch under the pointer, and the one with the focus. */
  readonly hover: Place | null;
  readonly focus: Place | null;
}

type Past = Pick<TreeControls, "policy" | "pins">;

const MOST_PAST = 100;

export function initial(controls: TreeControls): Local {
  return { controls, past: [], moving: null, hover: null, focus: null };
}

/** The state after an intent; the same object when nothing changes. */
export function step(state: Local, intent: Intent, view: TreeView): Local {
  const { controls, past } = state;
  switch (intent.type) {
    case "group":
      if (intent.index === controls.group || !view.groups[intent.index]) return state;
      return { ...state, controls: { ...controls, group: intent.index } };
    case "unit":
      return intent.unit === controls.unit ? state : { ...state, controls: { ...controls, unit: intent.unit } };
    case "toggle":
      return withPolicy(state, toggled(controls.policy ?? view.policy.weights, intent.world, view));
    case "reset":
      return controls.policy === null ? state : withPolicy(state, null);
    case "pin":
      return pinned(state, intent.branch, intent.value, view);
    case "unpin":
      return unpinned(state, intent.branch);
    case "undo": {
      const before = past[past.length - 1];
      if (before === undefined) return state;
      return { ...state, controls: { ...controls, ...before }, past: past.slice(0, -1), moving: null };
    }
    case "point":
      return pointed(state, intent.by === "pointer" ? "hover" : "focus", intent.at);
    default:
      return state;
  }
}

/** The state carried over to a new view: the group stays by its label, unit and policy stay. */
export function carryOver(state: Local, before: TreeView, after: TreeView): Local {
  const { controls } = state;
  const label = before.groups[controls.group]?.label;
  const same = after.groups.findIndex((group) => group.label === label);
  const fallback = after.groups[after.controls.group] ? after.controls.group : 0;
  return { ...state, controls: { ...controls, group: same >= 0 ? same : fallback } };
}

function withPolicy(state: Local, policy: TreeControls["policy"]): Local {
  return { ...remembered(state), controls: { ...state.controls, policy } };
}

/** The state with one more step to undo. */
function remembered(state: Local): Local {
  const { policy, pins } = state.controls;
  return { ...state, past: [...state.past, { policy, pins }].slice(-MOST_PAST), moving: null };
}

function pinned(state: Local, branch: Branch, value: number, view: TreeView): Local {
  const { controls } = state;
  const keys = keysOf(view.levels);
  const limit = pinLimit(keys, controls.pins ?? {}, branch);
  if (controls.pins?.[branch] === value || limit === null || value > limit + PIN_SLACK) return state;
  const next: Record<string, number> = { ...controls.pins, [branch]: value };
  const pins = Object.fromEntries(keys.branches.flatMap((key) => (next[key] === undefined ? [] : [[key, next[key]]])));
  const before = state.moving === branch ? state : remembered(state);
  return { ...before, controls: { ...controls, pins }, moving: branch };
}

function unpinned(state: Local, branch: Branch | null): Local {
  const { pins } = state.controls;
  if (pins === null || (branch !== null && pins[branch] === undefined)) return state;
  const left = Object.entries(pins).filter(([key]) => branch !== null && key !== branch);
  return { ...remembered(state), controls: { ...state.controls, pins: left.length > 0 ? Object.fromEntries(left) : null } };
}

/** The policy with one world's weight turned over; null when that is the view's own. */
function toggled(weights: Readonly<Record<string, number>>, world: World, view: TreeView): TreeControls["policy"] {
  const shape = shapeOf(view.levels);
  const next = Object.fromEntries(shape.leaves.map((leaf) => [leaf, weightOf(weights, leaf)]));
  next[world] = isRight(shape, world, weights) ? 0 : 1;
  return shape.leaves.every((leaf) => next[leaf] === weightOf(view.policy.weights, leaf)) ? null : next;
}

function pointed(state: Local, by: "hover" | "focus", at: Place | null): Local {
  return JSON.stringify(state[by]) === JSON.stringify(at) ? state : { ...state, [by]: at };
}

/** The leaf or branch whose way through the tree is dark: the pointer's before the focus's. */
export function placeOf(state: Local): Place | null {
  return state.hover ?? state.focus;
}
