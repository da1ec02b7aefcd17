// @vitest-environment node
import { describe, expect, it } from "vitest";
import { decodeJudge, decodeJudgeControls, sameMoves } from "../../src/contract/decode-judge.ts";
import type { JudgeControls, JudgeView } from "../../src/contract/judge.ts";
import type { JudgeIntent } from "../../src/core/judge-intent.ts";
import { carryOverJudges, initialJudges, modeOf, priorOf, stepJudges, type JudgeLocal } from "../../src/state/judge.ts";
import { identity, unfittedView, withCure } from "../judge-sample.ts";

const STILL: JudgeControls = { group: 0, priors: null, pins: null, left_out: [], cured: false };
const FPR = "fpr[gpt-4o-mini]";
const view = unfittedView();
const start = () => initialJudges(view, STILL);
const after = (intents: readonly JudgeIntent[], of: JudgeView = view, from: JudgeLocal = initialJudges(of, STILL)) =>
  intents.reduce((state, intent) => stepJudges(state, intent, of), from);
const rate = (value: number, isSettled = true): JudgeIntent => ({ type: "rate", rate: FPR, value, isSettled });
const mode = (to: "posterior" | "prior" | "pinned", value = 0.3): JudgeIntent => ({ type: "mode", rate: FPR, mode: to, value });

describe("the three modes of a rate", () => {
  it("begin with the posterior, and a slider that moves pins the rate", () => {
    expect(modeOf(start(), FPR)).toBe("posterior");
    const state = after([rate(0.45)]);
    expect(modeOf(state, FPR)).toBe("pinned");
    expect(state.controls.pins).toEqual({ [FPR]: 0.45 });
  });

  it("a pin begins where the slider stands", () => {
    expect(after([mode("pinned", 0.28)]).controls.pins).toEqual({ [FPR]: 0.28 });
  });

  it("asking for the prior changes no number, moving it then does", () => {
    const asked = after([mode("prior")]);
    expect(asked.controls).toEqual(STILL);
    expect(modeOf(asked, FPR)).toBe("prior");
    const edited = after([mode("prior"), rate(0.2), { type: "labels", rate: FPR, labels: 40 }]);
    expect(edited.controls.priors).toEqual({ [FPR]: [0.2, 40] });
    expect(edited.controls.pins).toBeNull();
    expect(priorOf(view, edited.controls, FPR)).toEqual([0.2, 40]);
    expect(priorOf(view, STILL, FPR)).toEqual([0.5, 2]);
  });

  it("are one at a time: each takes the place of the one before", () => {
    expect(after([rate(0.4), mode("prior")]).controls).toEqual(STILL);
    expect(after([mode("prior"), rate(0.2), mode("pinned", 0.25)]).controls).toEqual({ ...STILL, pins: { [FPR]: 0.25 } });
    expect(after([rate(0.4), mode("posterior")]).controls).toEqual(STILL);
  });

  it("keep the mean of a prior off the ends, and let a pin reach them", () => {
    expect(after([mode("prior"), rate(0)]).controls.priors?.[FPR]?.[0]).toBeGreaterThan(0);
    expect(after([mode("prior"), rate(1)]).controls.priors?.[FPR]?.[0]).toBeLessThan(1);
    expect(after([rate(1)]).controls.pins).toEqual({ [FPR]: 1 });
  });
});

describe("undo and reset", () => {
  it("take back a whole drag as one step", () => {
    const state = after([rate(0.4, false), rate(0.45, false), rate(0.5)]);
    expect(state.past).toHaveLength(1);
    expect(after([{ type: "undo" }], view, state).controls).toEqual(STILL);
  });

  it("lead back through every kind of move, the mode that was only asked for included", () => {
    const moves: readonly JudgeIntent[] = [mode("prior"), rate(0.2), { type: "labels", rate: FPR, labels: 9 }, { type: "leave", judge: "gpt-4o" }, mode("pinned"), { type: "reset" }];
    const states = [start()];
    for (const move of moves) states.push(stepJudges(states[states.length - 1]!, move, view));
    let state = states[states.length - 1]!;
    expect(state.controls).toEqual(STILL);
    for (const before of states.slice(0, -1).reverse()) {
      state = stepJudges(state, { type: "undo" }, view);
      expect(state.controls).toEqual(before.controls);
      expect(state.asked).toEqual(before.asked);
    }
    expect(stepJudges(state, { type: "undo" }, view)).toBe(state);
  });

  it("do nothing where nothing was moved", () => {
    const state = start();
    expect(stepJudges(state, { type: "reset" }, view)).toBe(state);
    expect(stepJudges(state, { type: "undo" }, view)).toBe(state);
  });
});

describe("a judge that is left out", () => {
  it("takes its pins and priors along, and comes back without them", () => {
    const out = after([rate(0.4), { type: "leave", judge: "gpt-4o-mini" }]);
    expect(out.controls).toEqual({ ...STILL, left_out: ["gpt-4o-mini"] });
    expect(after([{ type: "leave", judge: "gpt-4o-mini" }], view, out).controls).toEqual(STILL);
    expect(after([{ type: "leave", judge: "nobody" }])).toEqual(start());
  });
});

describe("the cure of what was found", () => {
  const found = withCure(view);
  const cure: JudgeIntent = { type: "cure" };
  const [own, plain] = ["fpr_given_0[gpt-4o]", "fpr[gpt-4o]"];

  it("is on and off again, one step each", () => {
    const on = after([cure], found);
    expect(on.controls).toEqual({ ...STILL, cured: true });
    expect(after([cure], found, on).controls).toEqual(STILL);
    expect(after([{ type: "undo" }], found, on).controls).toEqual(STILL);
    expect(after([{ type: "reset" }], found, on).controls).toEqual(STILL);
    expect(after([{ type: "reset" }, { type: "undo" }], found, on).controls.cured).toBe(true);
    expect(stepJudges(start(), cure, view)).toEqual(start());
  });

  it("keeps what was set of rates that both have, and nothing else", () => {
    const pin = (name: string): JudgeIntent => ({ type: "rate", rate: name, value: 0.4, isSettled: true });
    const on = after([rate(0.45), pin(plain), cure, pin(own)], found);
    expect(on.controls.pins).toEqual({ [FPR]: 0.45, [own]: 0.4 });
    expect(after([cure], found, on).controls.pins).toEqual({ [FPR]: 0.45 });
    expect(on.open).toContain("gpt-4o");
  });

  it("is read with controls, whose rates are those of its judges", () => {
    const pinned = { ...STILL, cured: true, pins: { [own]: 0.3 } };
    expect(decodeJudgeControls(pinned, found)).toEqual(pinned);
    expect(decodeJudgeControls({ ...pinned, cured: false }, found).pins).toBeNull();
    expect(decodeJudgeControls(pinned, view)).toEqual(STILL);
    expect(sameMoves({ ...STILL, cured: true }, STILL)).toBe(false);
  });

  it("stays where new rows need it, too, and goes where nothing is found", () => {
    const on = after([cure, { type: "rate", rate: own, value: 0.4, isSettled: true }], found);
    expect(carryOverJudges(on, found, withCure(view)).controls).toEqual(on.controls);
    expect(carryOverJudges(on, found, view).controls).toEqual(STILL);
  });
});

describe("many judges", () => {
  const many = unfittedView({ judges: Array.from({ length: 10 }, (_, i) => identity(`j${i}`, "retrieval")) });

  it("are folded but for one, and the one that moves is open", () => {
    expect(initialJudges(many, STILL).open).toEqual(["j0"]);
    expect(after([{ type: "rate", rate: "tpr[j7]", value: 0.4, isSettled: false }], many).open).toEqual(["j7"]);
    expect(after([{ type: "fold", judge: "j3" }], many).open).toEqual(["j3"]);
    expect(after([{ type: "fold", judge: "j0" }], many).open).toEqual([]);
  });

  it("are all open when they are few, and fold one by one", () => {
    expect(start().open).toEqual(["gpt-4o-mini", "gpt-4o"]);
    expect(after([{ type: "fold", judge: "gpt-4o" }]).open).toEqual(["gpt-4o-mini"]);
  });
});

describe("a new view", () => {
  it("keeps the group by its label and moves by their names", () => {
    const groups = (labels: readonly string[]) => unfittedView({ groups: labels.map((label) => ({ label, theta: [0.2, 0.4, 0.1, 0.4, 0.6] })) });
    const before = groups(["a", "b"]);
    const state = after([{ type: "group", index: 1 }, rate(0.4)], before);
    expect(carryOverJudges(state, before, groups(["b", "a"])).controls).toEqual({ ...STILL, pins: { [FPR]: 0.4 } });
    const others = unfittedView({ judges: [identity("other", "task")] });
    expect(carryOverJudges(state, before, others)).toEqual(initialJudges(others, STILL));
  });
});

describe("what comes in", () => {
  it("is refused when it is no view of judges", () => {
    expect(() => decodeJudge({ ...view, kind: "tree" })).toThrow(/Expected a "judge" view, version 1/);
    expect(() => decodeJudge({ ...view, judges: [] })).toThrow(/at least one judge/);
    expect(() => decodeJudge({ ...view, priors: {} })).toThrow(/tpr\[gpt-4o-mini\]/);
    expect(() => decodeJudge(null)).toThrow(/Expected a "judge" view/);
  });

  it("falls back to the view's own controls part by part", () => {
    const decode = (controls: unknown) => decodeJudgeControls(controls, { ...view, controls: { ...STILL, pins: { [FPR]: 0.1 } } });
    expect(decode({ group: 9, pins: { [FPR]: 2 }, priors: { [FPR]: [0, 3] }, left_out: ["x"] })).toEqual({ ...STILL, pins: { [FPR]: 0.1 } });
    expect(decode({ pins: null, priors: { [FPR]: [0.2, 3] }, left_out: ["gpt-4o"] })).toEqual({ ...STILL, priors: { [FPR]: [0.2, 3] }, left_out: ["gpt-4o"] });
    expect(decode({ pins: { "tpr[nobody]": 0.3 } }).pins).toEqual({ [FPR]: 0.1 });
    expect(decode("nonsense").pins).toEqual({ [FPR]: 0.1 });
  });

  it("begins with the moves that a view's estimates are under", () => {
    const moves = { priors: null, pins: { [FPR]: 0.2 }, left_out: ["gpt-4o"], cured: false };
    expect(decodeJudgeControls(null, { ...view, moves })).toEqual({ ...STILL, ...moves });
    expect(sameMoves({ ...moves, left_out: ["a", "b"] }, { ...moves, left_out: ["b", "a"] })).toBe(true);
    expect(sameMoves({ ...moves, priors: {} }, moves)).toBe(true);
    expect(sameMoves({ ...moves, pins: { [FPR]: 0.21 } }, moves)).toBe(false);
  });
});
