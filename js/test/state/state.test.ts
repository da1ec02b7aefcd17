// @vitest-environment node
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { PRESETS } from "../../src/contract/tables.ts";
import { decodeControls, decodeTree } from "../../src/contract/decode.ts";
import type { TreeControls } from "../../src/contract/tree.ts";
import { carryOver, initial, placeOf, step } from "../../src/state/local.ts";
import { connect } from "../../src/state/model.ts";
import { FakeModel } from "../fake-model.ts";
import { sampleGroup, sampleView } from "../sample.ts";

const view = sampleView([sampleGroup("a"), sampleGroup("b")]);
const start = () => initial(view.controls);

describe("local state", () => {
  it("turns a leaf's weight over, and back to the fitted policy", () => {
    const once = step(start(), { type: "toggle", world: "miss_right" }, view);
    expect(once.controls.policy).toEqual({ ...PRESETS.adherence, miss_right: 1 });
    expect(step(once, { type: "toggle", world: "miss_right" }, view).controls.policy).toBeNull();
  });

  it("turns over what the sign says: weights at one half, utilities at nothing", () => {
    const toggled = (weights: Record<string, number>) => {
      const weighed = sampleView(view.groups, { policy: { name: "custom", weights } });
      return (["miss_right", "hit_wrong", "miss_wrong"] as const).map(
        (world) => step(start(), { type: "toggle", world }, weighed).controls.policy?.[world],
      );
    };
    expect(toggled({ hit_right: 1, miss_right: 0.6, hit_wrong: 0, miss_wrong: 0.5 })).toEqual([0, 1, 1]);
    expect(toggled({ hit_right: 1, miss_right: 0.6, hit_wrong: -1, miss_wrong: 0.5 })).toEqual([0, 1, 0]);
  });

  it("remembers a bounded number of steps", () => {
    let state = start();
    for (let i = 0; i < 1000; i++) state = step(state, { type: "toggle", world: "hit_wrong" }, view);
    expect(state.past.length).toBe(100);
  });

  it("undoes one step at a time, also a reset", () => {
    const a = step(start(), { type: "toggle", world: "miss_right" }, view);
    const b = step(a, { type: "toggle", world: "hit_right" }, view);
    const c = step(b, { type: "reset" }, view);
    expect(c.controls.policy).toBeNull();
    expect(step(c, { type: "undo" }, view).controls).toEqual(b.controls);
    expect(step(b, { type: "undo" }, view).controls).toEqual(a.controls);
    const none = start();
    expect(step(none, { type: "undo" }, view)).toBe(none);
  });

  it("takes no group that does not exist", () => {
    const state = start();
    expect(step(state, { type: "group", index: 7 }, view)).toBe(state);
    expect(step(state, { type: "group", index: 1 }, view).controls.group).toBe(1);
  });

  it("prefers the pointer's place to the focus's", () => {
    const focused = step(start(), { type: "point", by: "focus", at: { world: "hit_right" } }, view);
    const both = step(focused, { type: "point", by: "pointer", at: { branch: "retrieval_success" } }, view);
    expect(placeOf(both)).toEqual({ branch: "retrieval_success" });
    expect(placeOf(step(both, { type: "point", by: "pointer", at: null }, view))).toEqual({ world: "hit_right" });
  });

  it("keeps unit, policy and the group's label when the view changes", () => {
    const moved = initial({ group: 1, unit: "step", policy: PRESETS.no_harm, pins: null });
    const after = sampleView([sampleGroup("c"), sampleGroup("a"), sampleGroup("b")]);
    expect(carryOver(moved, view, after).controls).toEqual({ group: 2, unit: "step", policy: PRESETS.no_harm, pins: null });
    expect(carryOver(moved, view, sampleView([sampleGroup("x")])).controls.group).toBe(0);
  });
});

describe("the border", () => {
  it("refuses another kind or version with what was got and what to do", () => {
    expect(() => decodeTree({ kind: "judge", version: 1 })).toThrow(
      'Expected a "tree" view, version 1; got {"kind":"judge","version":1}. The Python package and the bundled JavaScript differ',
    );
    expect(() => decodeTree(undefined)).toThrow("got nothing");
    expect(() => decodeTree({ ...view, groups: [] })).toThrow("at least one group");
    expect(() => decodeTree({ ...view, groups: [{ ...view.groups[0], worlds: {} }] })).toThrow('"hit_right" at groups[0].worlds');
  });

  it("reads controls part by part", () => {
    expect(decodeControls({}, view)).toEqual(view.controls);
    expect(decodeControls({ group: 9, unit: "step", policy: { hit_right: 1 } }, view)).toEqual({ ...view.controls, unit: "step" });
    expect(decodeControls({ group: 1, unit: "x", policy: PRESETS.no_harm }, view)).toEqual({ group: 1, unit: "queries", policy: PRESETS.no_harm, pins: null });
  });
});

describe("the model", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());
  const controls = (group: number): TreeControls => ({ group, unit: "queries", policy: null, pins: null });
  const setup = () => {
    const model = new FakeModel({ _view: view, controls: {} });
    const seen: unknown[] = [];
    const adopted: unknown[] = [];
    const connection = connect(model, { view: (v) => seen.push(v), controls: (c) => adopted.push(c) });
    return { model, seen, adopted, connection };
  };

  it("gets the first move at once and then at most one every 100 ms, the last one always", () => {
    const { model, connection } = setup();
    for (let i = 0; i < 50; i++) {
      connection.report(controls(i));
      vi.advanceTimersByTime(10);
    }
    expect(model.saves).toBeGreaterThanOrEqual(5);
    expect(model.saves).toBeLessThanOrEqual(6);
    vi.advanceTimersByTime(200);
    expect(model.get("controls")).toEqual(controls(49));
    const { saves } = model;
    vi.advanceTimersByTime(1000);
    expect(model.saves).toBe(saves);
    connection.report(controls(3));
    expect(model.get("controls")).toEqual(controls(3));
  });

  it("sends what waits when the picture goes, and leaves no listener or timer", () => {
    const { model, connection } = setup();
    connection.report(controls(1));
    connection.report(controls(2));
    connection.destroy();
    expect(model.get("controls")).toEqual(controls(2));
    expect(model.listeners).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("hands over new views, and controls that somebody else set, but not its own", () => {
    const { model, seen, adopted, connection } = setup();
    model.set("_view", { other: true });
    expect(seen).toEqual([{ other: true }]);
    connection.report(controls(1));
    expect(adopted).toEqual([]);
    model.set("controls", controls(0));
    expect(adopted).toEqual([controls(0)]);
  });

  it("survives a kernel that takes no messages", () => {
    const { model, connection } = setup();
    const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
    model.save_changes = () => {
      throw new Error("comm closed");
    };
    expect(() => connection.report(controls(1))).not.toThrow();
    expect(warn).toHaveBeenCalledOnce();
    warn.mockRestore();
  });
});

describe("pins", () => {
  const pin = (branch: "abstain_given_hit" | "correct_given_hit", value: number) =>
    ({ type: "pin", branch, value, isSettled: false }) as const;
  const from = initial(decodeControls({}, view));

  it("of one slider in a row are one step, and another move between them parts them", () => {
    const dragged = [0.1, 0.2, 0.3].reduce((state, x) => step(state, pin("abstain_given_hit", x), view), from);
    expect(dragged.past).toHaveLength(1);
    const turned = step(dragged, { type: "toggle", world: "miss_right" }, view);
    const again = step(turned, pin("abstain_given_hit", 0.4), view);
    expect(again.past).toHaveLength(3);
    const back = [1, 2, 3].reduce((state) => step(state, { type: "undo" }, view), again);
    expect(back.controls).toEqual(from.controls);
  });

  it("that change nothing leave the state as it is", () => {
    const once = step(from, pin("abstain_given_hit", 0.1), view);
    expect(step(once, pin("abstain_given_hit", 0.1), view)).toBe(once);
    expect(step(from, { type: "unpin", branch: null }, view)).toBe(from);
    expect(step(once, { type: "unpin", branch: "correct_given_hit" }, view)).toBe(once);
  });

  it("stand in the model's order, whatever came first, and are none once the last is gone", () => {
    const both = step(step(from, pin("correct_given_hit", 0.5), view), pin("abstain_given_hit", 0.1), view);
    expect(Object.keys(both.controls.pins ?? {})).toEqual(["abstain_given_hit", "correct_given_hit"]);
    const one = step(both, { type: "unpin", branch: "correct_given_hit" }, view);
    expect(step(one, { type: "unpin", branch: "abstain_given_hit" }, view).controls.pins).toBeNull();
  });

  it("that nobody can mean are not read", () => {
    for (const pins of [{ abstain_given_hit: 1.1 }, { nothing: 0.5 }, { abstain_given_hit: "0.5" }, { abstain_given_hit: NaN }, [0.5], 3]) {
      expect(decodeControls({ pins }, view).pins).toBeNull();
    }
    expect(decodeControls({ pins: { abstain_given_hit: 0 } }, view).pins).toEqual({ abstain_given_hit: 0 });
    const { pins: _, ...older } = view.controls;
    expect(decodeControls({}, { ...view, controls: older as typeof view.controls }).pins).toBeNull();
  });
});
