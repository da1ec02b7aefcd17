/** Plans that Python made: the golden views. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AllocationAnswer, AllocationControls, AllocationView } from "../src/contract/allocation.ts";
import type { Advice } from "../src/core/allocation-sentence.ts";
import type { Segment } from "../src/core/sentence.ts";

export interface Plan {
  readonly name: string;
  readonly view: AllocationView;
  readonly controls: AllocationControls;
  readonly answer: AllocationAnswer;
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
}

interface Golden {
  readonly plans: readonly (Omit<Plan, "view"> & { readonly view: AllocationView | null })[];
  readonly advice: readonly { readonly of: Advice; readonly headline: readonly Segment[]; readonly deck: readonly Segment[] }[];
  readonly words: readonly { readonly x: number; readonly about: string; readonly amount: string; readonly half: string; readonly half_utility: string }[];
}

export const GOLDEN = JSON.parse(readFileSync(join(import.meta.dirname, "../../tests/golden/allocation.json"), "utf8")) as Golden;

let last: AllocationView | null = null;
/** Every plan with its view, which stands at the first of a system. */
export const PLANS: readonly Plan[] = GOLDEN.plans.map((plan) => {
  last = plan.view ?? last;
  if (last === null) throw new Error("The first plan has no view.");
  return { ...plan, view: last };
});

/** The view of the first plan whose name begins so. */
export function planView(name: string): AllocationView {
  const found = PLANS.find((plan) => plan.name.startsWith(name));
  if (!found) throw new Error(`No plan ${name}.`);
  return found.view;
}
