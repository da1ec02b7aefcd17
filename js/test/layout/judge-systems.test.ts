// @vitest-environment node
import { describe, expect, it } from "vitest";
import { shownView } from "../../src/contract/decode-judge.ts";
import type { JudgeControls, JudgeView } from "../../src/contract/judge.ts";
import { judgePicture } from "../../src/layout/judge-picture.ts";
import { SYSTEM_HEIGHT } from "../../src/layout/judge-systems.ts";
import { initialJudges, modeOf, priorOf } from "../../src/state/judge.ts";
import { identity, judgeView, withApart, withCure } from "../judge-sample.ts";

const STILL: JudgeControls = { group: 0, priors: null, pins: null, left_out: [], cured: false };
const THETA = [0.4, 0.3, 0.05, 0.35, 0.75];
const groups = ["one", "two", "three"].map((label) => ({ label, theta: THETA }));
const judges = [identity("own", "task", { is_shared: false }), identity("shared", "retrieval")];
const view = judgeView({ judges, groups, rates: { own: [0.9, 0.2], shared: [0.9, 0.2] }, n_human: 120, n_only: 300 });

function systems(of: JudgeView, judge: string, controls = STILL, width = 1100) {
  const state = initialJudges(of, controls);
  const posture = { controls, open: state.open, modeOf: (rate: string) => modeOf(state, rate), priorOf: (rate: string) => priorOf(of, controls, rate) };
  return judgePicture(shownView(of, controls.cured), posture, { now: null, asQuick: null, fit: null }, width).judges.find(({ key }) => key === judge)!.systems;
}

const estimate = (value: number) => ({ value, lower: value - 0.05, upper: value + 0.05, text: `${Math.round(100 * value)}%` });
const differing: JudgeView = {
  ...view,
  groups: view.groups.map((group, i) => ({ ...group, own: i === 1 ? null : { "tpr[shared]": estimate(0.9 - 0.2 * i), "fpr[shared]": estimate(0.2) } })),
};

const NONE = { name: "?", rows: [] };

describe("rates by system", () => {
  it("are shown of a judge that has its own in each, the best first", () => {
    const { cases, title, key } = systems(view, "own")!;
    const [{ name, rows } = NONE] = cases;
    expect([cases.length, name]).toEqual([1, ""]);
    expect([title, ...key]).toEqual(["By system", " it passes", "right answers", "wrong answers"]);
    expect(rows.map(({ index }) => index).sort()).toEqual([0, 1, 2]);
    const apart = rows.map(({ index }) => {
      const { rates } = view.groups[index]!;
      return rates["tpr[own]"]!.value! - rates["fpr[own]"]!.value!;
    });
    expect(apart).toEqual([...apart].sort((a, b) => b - a));
    for (const { index, isShown, text, label, marks } of rows) {
      const { "tpr[own]": tpr, "fpr[own]": fpr } = view.groups[index]!.rates;
      expect(isShown).toBe(index === 0);
      expect(text).toBe(`${Math.round(100 * tpr!.value!)} · ${Math.round(100 * fpr!.value!)}`);
      expect(label).toContain(`${tpr!.text} of right answers, ${fpr!.text} of wrong answers`);
      expect(marks[0]!.x).toBeGreaterThan(marks[1]!.x);
    }
  });

  it.each([320, 480, 900, 1600])("stay inside their plot at %i px, on the axis of the sliders", (width) => {
    const { cases, width: plot } = systems(view, "own", STILL, width)!;
    for (const { marks } of cases.flatMap(({ rows }) => rows)) {
      expect(marks).toHaveLength(2);
      for (const { x, y, line } of marks.flatMap((mark) => mark ?? [])) {
        const [from = 0, , to = 0] = [...line.matchAll(/[\d.]+/g)].map(([number]) => Number(number));
        expect(from).toBeGreaterThanOrEqual(9);
        expect(to).toBeLessThanOrEqual(plot - 9);
        expect(x).toBeGreaterThanOrEqual(from - 0.06);
        expect(x).toBeLessThanOrEqual(to + 0.06);
        expect(y).toBeLessThan(SYSTEM_HEIGHT);
      }
    }
  });

  it("are hidden of one that is the same judge everywhere, of one system, and of one that is left out", () => {
    expect(systems(view, "shared")).toBeNull();
    expect(systems({ ...view, groups: view.groups.slice(0, 1) }, "own")).toBeNull();
    expect(systems(view, "own", { ...STILL, left_out: ["own"] })).toBeNull();
  });

  it("are those of each system's own labels where one set for all does not fit", () => {
    const { cases, title } = systems(differing, "shared")!;
    expect(title).toBe("By system, on its rows with a human label");
    expect(cases[0]?.rows.map(({ index, text }) => [index, text])).toEqual([
      [0, "90 · 20"],
      [2, "50 · 20"],
    ]);
  });
});

describe("rates by system with a cure", () => {
  const CURED: JudgeControls = { ...STILL, cured: true };
  const found = withCure(view, "own");
  const kinds = ["tpr_given_hit", "tpr_given_miss", "fpr_given_hit", "fpr_given_miss"] as const;
  const emission = { ...found.cure!.judges[0]!.emission!, kinds };
  const cure = { ...found.cure!, judges: found.cure!.judges.map((judge) => (judge.key === "own" ? { ...judge, emission } : judge)) };
  const ratesOf = (of: readonly number[]) => Object.fromEntries(kinds.map((kind, i) => [`${kind}[own]`, estimate(of[i]!)]));
  const values = [[0.9, 0.9, 0.2, 0.6], [0.9, 0.9, 0.2, 0.3], [0.9, 0.8, 0.2, 0.7]];
  const after = { ...found, cure: { ...cure, groups: values.map((of) => ({ rates: ratesOf(of), departures: [], notes: [] })) } };

  it("are those of the fit with it, in each case, the systems in one order", () => {
    const { cases, title, key } = systems(after, "own", CURED)!;
    expect([title, key[0]]).toEqual(["By system, with the cure", ", it passes"]);
    expect(cases.map(({ name }) => name)).toEqual(["where retrieval succeeded", "where retrieval failed"]);
    expect(cases.map(({ rows }) => rows.map(({ index, text }) => [index, text]))).toEqual([
      [[1, "90 · 20"], [0, "90 · 20"], [2, "90 · 20"]],
      [[1, "90 · 30"], [0, "90 · 60"], [2, "80 · 70"]],
    ]);
    expect(cases[1]?.rows[0]?.label).toBe("two: where retrieval failed, passes 90% of right answers, 30% of wrong answers");
  });

  it("are those of the fit of all judges where a system is fitted by itself, the others alike", () => {
    const told = [0.2, 0.2, 0.5].map((fpr) => ({ rates: { "tpr[shared]": estimate(0.9), "fpr[shared]": estimate(fpr) }, departures: [], notes: [] }));
    const apart = withApart(differing, 2, "shared");
    const { cases, title } = systems({ ...apart, cure: { ...apart.cure!, groups: told } }, "shared", CURED)!;
    expect(title).toBe("By system, with the cure");
    expect(cases.map(({ rows }) => rows.map(({ index, text }) => [index, text]))).toEqual([[[0, "90 · 20"], [1, "90 · 20"], [2, "90 · 50"]]]);
    expect(systems(apart, "shared", CURED)!.title).toBe("By system, on its rows with a human label");
  });

  it("have no mark for a truth that a case never has", () => {
    const some = after.cure.groups.map(({ rates, departures }) => ({ departures, notes: [], rates: Object.fromEntries(Object.entries(rates).filter(([key]) => !key.startsWith("tpr_given_miss"))) }));
    const { cases } = systems({ ...after, cure: { ...after.cure, groups: some } }, "own", CURED)!;
    const { marks, text } = cases[1]!.rows[0]!;
    expect([marks[0], marks[1] === null, text]).toEqual([null, false, "– · 30"]);
  });

  it("are said to be those before it where the fit with it was not made beforehand", () => {
    const { cases, title } = systems({ ...after, cure: { ...after.cure, groups: [] } }, "own", CURED)!;
    expect(title).toBe("By system, before the cure");
    expect(cases.map(({ name, rows }) => [name, rows.map(({ text }) => text)])).toEqual([["", systems(view, "own")!.cases[0]!.rows.map(({ text }) => text)]]);
  });
});
