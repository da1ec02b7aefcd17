/** What a person asks of a tree; made by `interact`, answered by `state` and the component. */
import type { Branch, World } from "../contract/levels.ts";

export type Place = { readonly world: World } | { readonly branch: Branch };

export type Intent =
  | { readonly type: "group"; readonly index: number }
  | { readonly type: "unit"; readonly unit: "queries" | "step" }
  | { readonly type: "toggle"; readonly world: World }
  | { readonly type: "pin"; readonly branch: Branch; readonly value: number; readonly isSettled: boolean }
  /** One branch back to the fit, or all of them. */
  | { readonly type: "unpin"; readonly branch: Branch | null }
  /** What was typed into a branch's box and is no number from 0 to 100. */
  | { readonly type: "mistyped" }
  | { readonly type: "undo" }
  | { readonly type: "reset" }
  | { readonly type: "point"; readonly by: "pointer" | "focus"; readonly at: Place | null }
  | { readonly type: "copy"; readonly what: "sentence" | "python" }
  | { readonly type: "dismiss" };
