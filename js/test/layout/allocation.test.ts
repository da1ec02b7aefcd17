import { describe, expect, it } from "vitest";
import { COURSES } from "../../src/contract/allocation-tables.ts";
import { allocationEngine } from "../../src/engine/allocation.ts";
import { chartPicture, spread, upTicks } from "../../src/layout/allocation-chart.ts";
import { KNOBS, knobPlace, knobValue } from "../../src/layout/allocation-knobs.ts";
import { allocationPicture } from "../../src/layout/allocation-picture.ts";
import { allocationLayout } from "../../src/layout/allocation.ts";
import { PLANS, planView } from "../allocation-sample.ts";

const view = planView("qwen");
const engine = allocationEngine(view);
const picture = (controls = view.controls, width = 1100) => allocationPicture(view, controls, engine.answer(controls), width);
const WIDTHS = [320, 360, 620, 880, 1100, 1600, 3840];

describe("the chart", () => {
  it.each(WIDTHS)("keeps everything inside, and names apart, at %i px", (width) => {
    const { chart, layout } = picture(view.controls, width);
    expect(chart.width).toBe(layout.left);
    expect(chart.right - chart.left).toBeGreaterThan(100);
    const ys = chart.lines.map(({ y }) => y).sort((a, b) => a - b);
    ys.forEach((y, i) => i > 0 && expect(y - ys[i - 1]!).toBeGreaterThan(14));
    for (const { path } of chart.lines) {
      const numbers = [...path.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, x, y]) => [Number(x), Number(y)] as const);
      expect(numbers.length).toBe(25);
      for (const [x, y] of numbers) {
        expect(x).toBeGreaterThanOrEqual(chart.left - 0.1);
        expect(x).toBeLessThanOrEqual(chart.right + 0.1);
        expect(y).toBeGreaterThan(0);
        expect(y).toBeLessThanOrEqual(chart.base + 0.1);
      }
    }
  });

  it("has the needle where the budget's slider is", () => {
    for (const budget of [0, 250, 500, 1000]) {
      const { chart } = picture({ ...view.controls, budget });
      const share = budget / 1000;
      // The slider's thumb runs from 9 px inside its left end to 9 px inside its right one.
      expect(chart.needle.x).toBeCloseTo(chart.slider.x + 9 + share * (chart.slider.width - 18), 6);
    }
  });

  it("puts the advised line on top, and draws none that is switched off", () => {
    const { lines } = picture().chart;
    expect(lines[lines.length - 1]!.kind).toBe("advised");
    const hidden = ["all_r", "optimal"];
    const off = picture({ ...view.controls, hidden }).chart;
    expect(off.lines.map(({ key }) => key).sort()).toEqual(Object.keys(COURSES).filter((key) => !hidden.includes(key)).sort());
  });

  it("tells in words what it shows", () => {
    const { told } = picture().chart;
    for (const { name } of Object.values(COURSES)) expect(told).toContain(name);
    expect(told).toMatch(/from ±9\.6 now/);
  });

  it("has a band where there are draws, and none where the truth is taken as known", () => {
    const hand = planView("labels");
    const of = { budget: 500, hidden: [], unit: "labels", symbol: "P(G)", isRate: true, width: 600 };
    expect(chartPicture({ ...of, answer: allocationEngine(hand).answer(hand.controls) }).band).not.toBe("");
    expect(picture().chart.band).toBe("");
  });

  it("ticks at round numbers up to what is highest", () => {
    for (const top of [0.3, 0.096, 0.02, 0.5, 0.0041]) {
      const ticks = upTicks(top, true);
      expect(ticks[0]).toBe(0);
      expect(ticks[ticks.length - 1]!).toBeGreaterThanOrEqual(top * 0.999);
      expect(ticks.length).toBeLessThanOrEqual(6);
    }
  });

  it("tells ticks of a utility apart", () => {
    const of = { budget: 500, hidden: [], unit: "labels", symbol: "P(G)", width: 600 };
    const { ups } = chartPicture({ ...of, answer: engine.answer(view.controls), isRate: false });
    expect(new Set(ups.map(({ text }) => text)).size).toBe(ups.length);
    expect(ups.map(({ text }) => Number(text))).toEqual(upTicks(0.096, false).map((tick) => Number(tick.toPrecision(3))));
  });

  it("spreads places that are too near, and keeps their order", () => {
    const places = spread([50, 51, 52, 90, 10], 16, 0, 100);
    const sorted = [4, 0, 1, 2, 3].map((i) => places[i]!);
    sorted.forEach((place, i) => i > 0 && expect(place - sorted[i - 1]!).toBeGreaterThanOrEqual(15.5));
  });
});

describe("sliders", () => {
  it("stand where their value is", () => {
    for (const knob of ["budget", "R", "T", "n0"] as const) {
      for (let at = KNOBS[knob].min; at <= KNOBS[knob].max; at++) expect(knobPlace(knob, knobValue(knob, at, 2000), 2000)).toBe(at);
    }
  });
  it("go from a tenth to ten times the price, by factors", () => {
    expect([-20, 0, 6, 20].map((at) => knobValue("R", at, 1000))).toEqual([0.1, 1, 2, 10]);
  });
});

describe("the table", () => {
  it("lists every plan, the narrowest first, with what it needs", () => {
    const { courses, goal } = picture();
    expect(courses.map(({ key }) => key).sort()).toEqual(Object.keys(COURSES).sort());
    const halves = courses.map(({ halves }) => Number(halves.slice(1)));
    halves.forEach((half, i) => i > 0 && expect(half).toBeGreaterThanOrEqual(halves[i - 1]!));
    expect(goal).toBe("for ±3.7");
    expect(courses.find(({ key }) => key === "all_r")!.needed).toBe("never");
    expect(courses.find(({ key }) => key === "r_then_t")!.bits).toBe("0.53 bits a row, 0.44 a label");
  });

  it("counts bits by the unit of the prices", () => {
    const { courses } = picture({ ...view.controls, prices: { R: 3, T: 1 } });
    // 0.526 bits a row, for 3.63 x 0.88 units: the saving of STATS.md's table at 3:1 is 12%.
    expect(courses.find(({ key }) => key === "r_then_t")!.bits).toMatch(/^0\.53 bits a row, 0\.16 a unit$/);
    expect(picture({ ...view.controls, unit: "rows" }).courses[0]!.bits).not.toContain("a label");
  });
});

describe("the mix", () => {
  it("has parts that make up the whole", () => {
    for (const { view: of, controls, answer } of PLANS) {
      const { mix } = allocationPicture(of, controls, answer, 900);
      const total = mix.parts.reduce((sum, { of100 }) => sum + of100, 0);
      if (mix.parts.length > 0) expect(total).toBeGreaterThan(99);
      expect(total).toBeLessThan(100.01);
    }
  });
});

describe("texts to copy", () => {
  it("are the sentence, and a call that makes the same again", () => {
    const { sentence, python } = picture({ ...view.controls, budget: 250, prices: { R: 3, T: 1 }, hidden: ["all_t"], n0: 40 });
    expect(sentence).toMatch(/^Label .* 250 more units bring P\(G\) from ±/);
    expect(python).toBe("rat.allocate(df, controls={'budget': 250, 'prices': {'R': 3, 'T': 1}, 'n0': 40, 'hidden': ['all_t']})");
    expect(picture().python).toBe("rat.allocate(df)");
  });
});

describe("the layout", () => {
  it.each(WIDTHS)("fits into %i px", (width) => {
    const { left, right, gap, mode, isNarrow } = allocationLayout(width);
    const inner = width - 2 * (isNarrow ? 16 : 24);
    expect(mode === "columns" ? left + gap + right : Math.max(left, right)).toBeLessThanOrEqual(Math.max(inner, 200));
    expect(mode).toBe(width >= 880 ? "columns" : "stack");
  });
});
