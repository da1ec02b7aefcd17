import { describe, expect, it } from "vitest";
import type { AllocationControls } from "../../src/contract/allocation.ts";
import { axisEnd, decodeAllocation, decodeAllocationControls, roundEnd } from "../../src/contract/decode-allocation.ts";
import type { AllocationIntent } from "../../src/core/allocation-intent.ts";
import { carryOverAllocation, courseAt, initialAllocation, isAllocationMoved, stepAllocation } from "../../src/state/allocation.ts";
import { planView } from "../allocation-sample.ts";

const made = planView("qwen");
const hand = planView("labels");
const start = (view = made) => initialAllocation(decodeAllocationControls(null, view));
const run = (intents: readonly AllocationIntent[], view = made) => intents.reduce((state, intent) => stepAllocation(state, intent, view), start(view));
const slide = (knob: "budget" | "R" | "T" | "n0", at: number, isSettled = false): AllocationIntent => ({ type: "slide", knob, at, isSettled });
const set = (knob: "budget" | "R" | "T" | "n0", value: number): AllocationIntent => ({ type: "set", knob, value });

describe("moves", () => {
  it("sets what a slider or a box says", () => {
    expect(run([slide("budget", 30)]).controls.budget).toBe(300);
    expect(run([set("budget", 123.5)]).controls.budget).toBe(123.5);
    expect(run([slide("R", 6)]).controls.prices).toEqual({ R: 2, T: 1 });
    expect(run([set("T", 7.25)]).controls.prices).toEqual({ R: 1, T: 7.25 });
    expect(run([slide("n0", 25)]).controls.n0).toBe(250);
    expect(run([{ type: "unit", unit: "rows" }]).controls.unit).toBe("rows");
  });

  it("takes several moves of one slider back at once, others one by one", () => {
    const state = run([slide("budget", 30), slide("budget", 31), slide("budget", 40), slide("R", 6), set("R", 3), set("R", 4)]);
    const undo: AllocationIntent = { type: "undo" };
    const back = [1, 2, 3, 4].map((n) => Array.from({ length: n }, () => undo).reduce((at, one) => stepAllocation(at, one, made), state).controls);
    expect(back.map(({ prices }) => prices.R)).toEqual([3, 2, 1, 1]);
    expect(back.map(({ budget }) => budget)).toEqual([400, 400, 400, 500]);
  });

  it("keeps its axis while the needle moves, and makes it longer for what is typed", () => {
    const far = run([set("budget", 1500)]);
    expect(axisEnd(far.controls)).toBe(2000);
    const near = stepAllocation(far, slide("budget", 10), made);
    expect(near.controls.budget).toBe(200);
    expect(axisEnd(near.controls)).toBe(2000);
    expect(axisEnd(stepAllocation(near, { type: "reset" }, made).controls)).toBe(1000);
  });

  it("goes back to the view's own, which can be undone", () => {
    const moved = run([set("budget", 700), { type: "course", key: "all_r", isShown: false }]);
    expect(isAllocationMoved(moved, made)).toBe(true);
    const reset = stepAllocation(moved, { type: "reset" }, made);
    expect(reset.controls).toEqual(start().controls);
    expect(isAllocationMoved(reset, made)).toBe(false);
    expect(stepAllocation(reset, { type: "undo" }, made).controls).toEqual(moved.controls);
  });

  it("switches plans off and on", () => {
    const off = run([{ type: "course", key: "all_r", isShown: false }, { type: "course", key: "all_t", isShown: false }]);
    expect(off.controls.hidden).toEqual(["all_r", "all_t"]);
    expect(stepAllocation(off, { type: "course", key: "all_r", isShown: true }, made).controls.hidden).toEqual(["all_t"]);
  });

  it("makes up no rows where some are in hand", () => {
    expect(run([slide("n0", 25)], hand).controls.n0).toBeNull();
  });

  it("is the same object where nothing changes", () => {
    const state = start();
    for (const intent of [set("budget", 500), { type: "target", key: "no such" }, { type: "group", index: 3 }, { type: "undo" }, { type: "reset" }] as const) {
      expect(stepAllocation(state, intent, made)).toBe(state);
    }
  });

  it("darkens what the pointer is on before what has the focus", () => {
    const both = run([{ type: "point", by: "focus", key: "all_r" }, { type: "point", by: "pointer", key: "all_t" }]);
    expect(courseAt(both)).toBe("all_t");
    expect(courseAt(stepAllocation(both, { type: "point", by: "pointer", key: null }, made))).toBe("all_r");
    expect(both.past).toEqual([]);
  });

  it("is carried over to another view", () => {
    const state = run([set("budget", 700), slide("n0", 30)]);
    const after = carryOverAllocation(state, made, hand);
    expect(after.controls).toMatchObject({ budget: 700, n0: null });
  });
});

describe("the border", () => {
  it("refuses what is no plan", () => {
    expect(() => decodeAllocation({ kind: "tree", version: 1 })).toThrow(/allocation/);
    expect(() => decodeAllocation({ ...made, version: 2 })).toThrow(/version/);
    expect(() => decodeAllocation({ ...made, groups: [] })).toThrow(/group/);
    const { factor: _, ...rest } = made;
    expect(() => decodeAllocation(rest)).toThrow(/factor/);
  });

  it.each([
    [{ budget: -3 }, made.controls],
    [{ budget: "much" }, made.controls],
    [{ prices: { R: 0, T: 1 } }, made.controls],
    [{ prices: { R: 2 } }, made.controls],
    [{ hidden: ["none such"] }, made.controls],
    [{ target: "abstention" }, made.controls],
    [{ most: 100, budget: 300 }, { ...made.controls, budget: 300 }],
    [{ n0: 30, unit: "rows" }, { ...made.controls, n0: 30, unit: "rows" }],
  ] as const)("takes of %j what fits", (given, expected) => {
    expect(decodeAllocationControls(given, made)).toEqual(expected as AllocationControls);
  });

  it("ends an axis at a round number", () => {
    expect([0, 999, 1000, 1001, 2000, 4999, 7e4].map(roundEnd)).toEqual([1000, 1000, 1000, 2000, 2000, 5000, 1e5]);
  });
});
