import { describe, expect, it } from "vitest";
import { atOnce } from "../../src/core/slices.ts";
import { allocationEngine } from "../../src/engine/allocation.ts";
import { canSimulate, purchase, simulated, type Simulation } from "../../src/engine/purchase.ts";
import { uniforms } from "../../src/engine/random.ts";
import type { AllocationControls } from "../../src/contract/allocation.ts";
import { planView } from "../allocation-sample.ts";

const view = planView("qwen");
const engine = allocationEngine(view);

function run(controls: AllocationControls, keys: readonly string[], replications: number, of = view): Simulation {
  const all = allocationEngine(of).purchases(controls);
  const chosen = Object.fromEntries(keys.map((key) => [key, all[key]!]));
  return atOnce(simulated(of, controls, chosen, replications, () => undefined));
}

/** Mean widths by `rat.study_allocation` at n0 = 100 (docs/planning.md), exact posteriors in Python. */
const STUDY = [
  ["policy_adherence", "rows", { all_r: 0.105, all_t: 0.131, all_joint: 0.08, r_then_t: 0.08, t_then_r: 0.08 }],
  ["task_success", "rows", { all_r: 0.15, all_t: 0.074, all_joint: 0.075, r_then_t: 0.133, t_then_r: 0.075 }],
  ["policy_adherence", "units", { all_r: 0.105, all_t: 0.126, all_joint: 0.096, r_then_t: 0.086, t_then_r: 0.089 }],
  ["task_success", "units", { all_r: 0.15, all_t: 0.061, all_joint: 0.09, r_then_t: 0.135, t_then_r: 0.083 }],
] as const;

describe("simulated purchases", { timeout: 120_000 }, () => {
  it.each(STUDY)("are as narrow as Python's study says: %s by %s", (target, unit, expected) => {
    const controls = { ...view.controls, target, unit };
    const { widths, done, total } = run(controls, Object.keys(expected), 60);
    expect(done).toBe(total);
    for (const [key, width] of Object.entries(expected)) {
      const found = widths[key]!;
      // Three standard errors of ours, half a digit of rounding, and that of the 200 replications there.
      expect(Math.abs(found.width - width), key).toBeLessThan(3 * found.mcse + 0.0005 + 3 * found.mcse * Math.sqrt(60 / 200));
      expect(found.mcse).toBeLessThan(0.02 * width);
    }
  });

  it("are near what the Fisher information says, the mix and rows in hand included", () => {
    for (const of of [view, planView("labels")]) {
      const controls = { ...of.controls, budget: 250 };
      const answer = allocationEngine(of).answer(controls);
      const { widths } = run(controls, answer.courses.map(({ key }) => key), 40, of);
      for (const { key, width } of answer.courses) expect(Math.abs(widths[key]!.width / width - 1), key).toBeLessThan(0.06);
    }
  });
});

describe("a purchase", () => {
  const total = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);

  it("adds fresh rows, and takes those of a pool from it", () => {
    const uniform = uniforms(1, "purchase");
    const rows = engine.purchases(view.controls)["all_joint"]!;
    const fresh = purchase(view.groups[0]!, view.controls, rows, view.groups[0]!.at.theta, uniform);
    expect(Math.abs(total(fresh.counts) - 100 - rows.reduce((a, b) => a + b, 0))).toBeLessThan(view.groups[0]!.schemes.length);
    const hand = planView("labels");
    const group = hand.groups[0]!;
    const before = total(group.known!.counts);
    for (const purchased of Object.values(allocationEngine(hand).purchases({ ...hand.controls, budget: 300 }))) {
      const { counts } = purchase(group, hand.controls, purchased, group.at.theta, uniform);
      expect(total(counts)).toBeCloseTo(before, 6);
      expect(Math.min(...counts)).toBeGreaterThan(0);
    }
  });

  it("buys T after R where R=1 alone, and no T of an abstention", () => {
    const rows = engine.purchases(view.controls)["r_then_t"]!;
    const { patterns } = purchase(view.groups[0]!, { n0: 0 }, rows, view.groups[0]!.at.theta, uniforms(2, "purchase"));
    for (const [r, a, t] of patterns) {
      expect(r).toBeGreaterThanOrEqual(0);
      expect(t >= 0).toBe(r === 1 && a === 0);
    }
  });

  it("costs what the budget pays for, on average", () => {
    const uniform = uniforms(3, "purchase");
    const group = view.groups[0]!;
    for (const [key, rows] of Object.entries(engine.purchases(view.controls))) {
      const spent = Array.from({ length: 60 }, () => {
        const { patterns, counts } = purchase(group, { n0: 0 }, rows, group.at.theta, uniform);
        return patterns.reduce((sum, [r, , t], i) => sum + (Number(r >= 0) + Number(t >= 0)) * counts[i]!, 0);
      });
      // One purchase varies by less than 20 labels.
      expect(Math.abs(total(spent) / 60 - 500), key).toBeLessThan(10);
    }
  });

  it("is not simulated with judges", () => {
    const judged = planView("judged");
    expect(canSimulate(judged.groups[0]!, judged.targets[0]!)).toBe(false);
    expect(canSimulate(view.groups[0]!, view.targets[0]!)).toBe(true);
  });
});
