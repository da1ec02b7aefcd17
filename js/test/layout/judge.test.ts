// @vitest-environment node
import { describe, expect, it } from "vitest";
import { rateKeys } from "../../src/contract/decode-judge.ts";
import type { JudgeControls, JudgeView } from "../../src/contract/judge.ts";
import { betaCurve } from "../../src/core/density.ts";
import { plain } from "../../src/core/sentence.ts";
import { textWidth } from "../../src/core/words.ts";
import { judgeEngine, type JudgeAnswer } from "../../src/engine/judge.ts";
import { judgeLayout } from "../../src/layout/judge.ts";
import { judgePicture, type JudgePicture } from "../../src/layout/judge-picture.ts";
import { GAP_HEIGHT, RATE_HEIGHT, ratePlot } from "../../src/layout/judge-rate.ts";
import { worthMarks } from "../../src/layout/judge-worth.ts";
import { initialJudges, modeOf, priorOf } from "../../src/state/judge.ts";
import { identity, judgeView, withCure } from "../judge-sample.ts";

const WIDTHS = [320, 360, 480, 619, 620, 760, 900, 919, 920, 1100, 1280, 1600] as const;
const STILL: JudgeControls = { group: 0, priors: null, pins: null, left_out: [], cured: false };
const view = judgeView();
const FPR = "fpr[gpt-4o-mini]";

function picture(width = 1100, controls: JudgeControls = STILL, of: JudgeView = view, now: JudgeAnswer | null = null): JudgePicture {
  const state = initialJudges(of, controls);
  const posture = { controls, open: state.open, modeOf: (rate: string) => modeOf(state, rate), priorOf: (rate: string) => priorOf(of, controls, rate) };
  const isMoved = JSON.stringify(controls) !== JSON.stringify(STILL);
  return judgePicture(of, posture, { now: isMoved ? (now ?? judgeEngine(of).preview(controls)) : null, asQuick: null, fit: null }, width);
}

const numbers = (path: string) => [...path.matchAll(/-?\d+(\.\d+)?/g)].map(([text]) => Number(text));

describe("the layout", () => {
  it.each(WIDTHS)("fits %i px: columns, rates and plots stay inside and keep a slider that can be used", (width) => {
    const { mode, isNarrow, left, right, gap, label, out, plot, rate } = judgeLayout(width);
    const inner = width - 2 * (isNarrow ? 16 : 24);
    expect(mode).toBe(width >= 920 ? "columns" : "stack");
    expect(mode === "columns" ? left + gap + right : Math.max(left, right)).toBe(inner);
    expect(plot + out + 12 + (rate === "row" ? label + 12 : 0)).toBe(left);
    expect(plot).toBeGreaterThanOrEqual(170);
  });
});

describe("what is believed", () => {
  it.each(WIDTHS)("at %i px keeps words, marks and numbers apart", (width) => {
    for (const { rows, grid, columns, band, width: total } of picture(width).beliefs) {
      const [first, last] = [grid[0]!.x, grid[grid.length - 1]!.x];
      const widest = Math.max(...rows.map(({ words }) => textWidth(words, 12)));
      expect(widest).toBeLessThanOrEqual(first);
      expect(last - first).toBeGreaterThanOrEqual(80);
      for (const { whole, half, mark, value, span, half_width } of rows) {
        for (const x of [...numbers(whole).filter((_, i) => i !== 1), ...numbers(half).filter((_, i) => i !== 1)]) {
          expect(x).toBeGreaterThanOrEqual(first - 0.1);
          expect(x).toBeLessThanOrEqual(last + 0.1);
        }
        expect(mark).not.toBe("");
        const starts = [
          ...(value ? [columns.value - textWidth(value, 12.5)] : []),
          columns.span - textWidth(span, 12.5),
          ...(columns.half_width === null ? [] : [columns.half_width - textWidth(half_width, 11.5)]),
        ];
        const ends = [last, ...(value ? [columns.value] : []), columns.span];
        starts.forEach((start, i) => expect(start).toBeGreaterThanOrEqual(ends[i]! - 0.5));
      }
      expect(band!.x + band!.width).toBeLessThanOrEqual(last + 0.1);
      expect(columns.half_width ?? columns.span).toBeLessThanOrEqual(total);
    }
  });

  it("uses one scale for the three rates, so that they can be compared", () => {
    const [r, t, g] = picture().beliefs;
    expect(t!.grid).toEqual(r!.grid);
    expect(g!.grid).toEqual(r!.grid);
  });

  it("has ticks whose numbers do not touch, at any width", () => {
    for (let width = 200; width < 1700; width += 17)
      for (const { grid } of picture(width).beliefs)
        for (const [i, { x, text }] of grid.slice(1).entries()) {
          const before = grid[i]!;
          expect(x - before.x).toBeGreaterThan((textWidth(text, 11) + textWidth(before.text, 11)) / 2);
        }
  });

  it("says without sight what it shows", () => {
    const [r] = picture().beliefs;
    const { naive, humans, joint } = view.groups[0]!.beliefs;
    const texts = [naive, humans, joint].map((of) => of["retrieval_success"]!.text);
    expect(r!.sentence).toBe(`Evidence found, P(R): verdicts as truth ${texts[0]}; human labels only ${texts[1]}; both, corrected ${texts[2]}.`);
  });

  it("says of a difference that noise explains that there is none, in the headline, too", () => {
    const moved = { ...STILL, pins: { [FPR]: 0.3 } };
    const told = ({ beliefs, headline, deck }: JudgePicture) => [beliefs.map(({ delta, short }) => `${short} ${delta}`).join(), plain(headline), plain(deck)].join("|");
    const noisy = { ...view, groups: view.groups.map((group) => ({ ...group, errors: { retrieval_success: 1, task_success: 1, policy_adherence: 1 } })) };
    const [now, same, still] = [picture(1100, moved), picture(1100, moved, noisy), picture()];
    expect(told(now)).toMatch(/P\(R\) \d+% −\d against/);
    expect(told(same)).toMatch(/P\(R\) ±0, P\(T\) ±0, P\(G\) ±0 points\.$/);
    same.beliefs.forEach(({ short, delta }, i) => expect([short, delta]).toEqual([still.beliefs[i]!.short, "±0 against the fit"]));
    // The mean of the fit, with the interval of the move.
    const mean = (of: JudgePicture) => /it is (\d+)/.exec(plain(of.headline))![1];
    expect(mean(same)).toBe(mean(still));
    expect(mean(now)).not.toBe(mean(still));
  });

  it("does not take how far a quick answer is off at the fit for what a move does", () => {
    const moved = { ...STILL, pins: { [FPR]: 0.45 } };
    const state = initialJudges(view, moved);
    const posture = { controls: moved, open: state.open, modeOf: (rate: string) => modeOf(state, rate), priorOf: (rate: string) => priorOf(view, moved, rate) };
    const engine = judgeEngine(view);
    const [now, fit] = [engine.preview(moved), engine.preview(STILL)];
    const wrong = { ...fit.beliefs.joint.retrieval_success, estimate: { value: 0.9, lower: 0.8, upper: 1, text: "" } };
    const off = { ...fit, beliefs: { ...fit.beliefs, joint: { ...fit.beliefs.joint, retrieval_success: wrong } } };
    const deltas = (asQuick: JudgeAnswer | null) => judgePicture(view, posture, { now, asQuick, fit: null }, 1100).beliefs[0]!.delta;
    expect(deltas(fit)).toMatch(/^−\d+/);
    expect(deltas(off)).toBe("±0 against the fit");
  });

  it("keeps the fit as a hollow mark and names the difference while something is moved", () => {
    const [r] = picture(1100, { ...STILL, pins: { [FPR]: 0.45 } }).beliefs;
    expect(r!.ghost).not.toBe("");
    expect(r!.delta).toMatch(/^−\d+ against the fit$/);
    expect(picture().beliefs[0]!.ghost).toBe("");
  });
});

describe("a rate", () => {
  const flat = { posterior: betaCurve(40, 90), prior: betaCurve(1, 1), fitted: 0.3 };

  it("draws its density, its prior and where the fit is within its frame", () => {
    for (const width of [170, 260, 600]) {
      const { line, prior, area, fitted, axis } = ratePlot(flat, width);
      for (const path of [line, prior, area]) {
        const points = numbers(path);
        const [xs, ys] = [points.filter((_, i) => i % 2 === 0), points.filter((_, i) => i % 2 === 1)];
        expect(Math.min(...xs)).toBeGreaterThanOrEqual(axis[0] - 0.1);
        expect(Math.max(...xs)).toBeLessThanOrEqual(axis[1] + 0.1);
        expect(Math.min(...ys)).toBeGreaterThanOrEqual(0);
        expect(Math.max(...ys)).toBeLessThanOrEqual(RATE_HEIGHT);
      }
      expect(fitted).toBeCloseTo(axis[0] + 0.3 * (axis[1] - axis[0]), 6);
    }
  });

  it("keeps a flat prior low but visible", () => {
    const ys = numbers(ratePlot(flat, 260).prior).filter((_, i) => i % 2 === 1);
    expect(new Set(ys).size).toBe(1);
    expect(RATE_HEIGHT - 8 - ys[0]!).toBeGreaterThan(4);
    expect(RATE_HEIGHT - 8 - ys[0]!).toBeLessThan(15);
  });

  it("has a bracket from one needle to the other, as wide as Youden's J", () => {
    const { judges, layout } = picture();
    const [{ gap, rates }] = judges as [JudgePicture["judges"][number]];
    const at = (kind: string) => 9 + rates.find((rate) => rate.kind === kind)!.at * (layout.plot - 18);
    const [below, , , above] = numbers(gap!.path);
    expect(below).toBeCloseTo(at("fpr"), 0);
    expect(above).toBeCloseTo(at("tpr"), 0);
    expect(Number(gap!.youden)).toBeCloseTo((above! - below!) / (layout.plot - 18), 1);
    expect(GAP_HEIGHT).toBeGreaterThan(12);
  });

  it("says what it stands for in each mode", () => {
    const rateIn = (controls: JudgeControls) => picture(1100, controls).judges[0]!.rates.find(({ key }) => key === FPR)!;
    const fitted = view.groups[0]!.rates[FPR]!;
    expect(rateIn(STILL)).toMatchObject({ mode: "posterior", of: "Of 100 misses", does: "passes", labels: null });
    expect(rateIn(STILL).told).toBe(`Of 100 misses it passes ${fitted.text}`);
    const pinned = rateIn({ ...STILL, pins: { [FPR]: 0.45 } });
    expect(pinned).toMatchObject({ mode: "pinned", box: "45", at: 0.45 });
    expect(pinned.note).toBe(`fit ${fitted.text.replace(/^.*\((.*)\)$/, "$1")}`);
    expect(pinned.plot.fitted).not.toBeNull();
    const prior = rateIn({ ...STILL, priors: { [FPR]: [0.125, 40] } });
    expect(prior).toMatchObject({ mode: "prior", box: "12.5", labels: "40", at: 0.125 });
    expect(prior.note).toMatch(/^posterior \d+–\d+$/);
  });
});

describe("judges", () => {
  it("warn when a pin speaks against the labels, and not when it agrees with them", () => {
    const warned = (pin: number) => picture(1100, { ...STILL, pins: { [FPR]: pin } }).judges[0]!.warnings;
    expect(warned(0.6).join()).toContain("You set misses that it passes to 60%, but the labels put it at");
    expect(warned(0.29)).toEqual([]);
  });

  it("warn when verdicts hardly depend on the truth", () => {
    const coin = judgeView({ judges: [identity("coin", "retrieval")], rates: { coin: [0.52, 0.5] } });
    const [card] = picture(1100, STILL, coin).judges;
    expect(card!.warnings.join()).toMatch(/^It passes \d+ of 100 hits and \d+ of 100 misses: nearly the same\./);
    expect(card!.gap!.isWeak).toBe(true);
    expect(picture().judges[0]!.warnings).toEqual([]);
  });

  it("that are left out say so, and count nowhere", () => {
    const moved = { ...STILL, left_out: ["gpt-4o-mini"] };
    const { judges, worth, headline } = picture(1100, moved);
    expect(judges[0]).toMatchObject({ isLeftOut: true, isOpen: false, rates: [], warnings: [] });
    expect(worth.alone.map(({ key }) => key)).toEqual(["gpt-4o"]);
    expect(headline.map(([text]) => text).join("")).toContain("a correct answer");
  });

  it("that are left out have no part in what is assumed", () => {
    const judges = view.judges.map((judge, i) => (i === 0 ? { ...judge, depends_on: "retrieval" as const } : judge));
    const footOf = (...left_out: string[]) => picture(1100, { ...STILL, left_out }, { ...view, judges }).foot;
    const keys = judges.map(({ key }) => key);
    expect(footOf()).toContain(`errors of “${keys[0]}” may depend on retrieval`);
    expect(footOf(keys[0]!)).toContain("the judge's errors are taken as independent of everything else.");
    expect(footOf(...keys)).toBe(footOf());
  });

  it("draw four rates where they may not tell", () => {
    const hesitant = judgeView({ judges: [identity("h", "retrieval", { has_unknown: true })], rates: { h: [0.9, 0.2, 0.1, 0.3] } });
    const [card] = picture(1100, STILL, hesitant).judges;
    expect(card!.rates.map(({ key }) => key)).toEqual(rateKeys(hesitant.judges[0]!));
    expect(card!.rates[3]).toMatchObject({ of: "Of 100 misses", does: "cannot tell on" });
  });
});

describe("a judge that grades", () => {
  it.each([
    [["0", "1", "2", "3"], 2, "Counting 2 or better of 0–3 as a yes, "],
    [["1", "2", "3"], 2, "Counting 3 of 1–3 as a yes, "],
    [["poor", "good", "best"], 1, "Counting good or better as a yes, "],
    [["0-0.5", "0.5-1"], 1, "Counting 0.5-1 as a yes, "],
  ] as const)("%j passes from %i on, and the headline says so", (levels, cut, said) => {
    const graded = judgeView({ judges: [identity("gpt-4o-mini", "retrieval")] });
    const of = { ...graded, judges: graded.judges.map((judge) => ({ ...judge, levels, cut })) };
    const { headline, deck } = picture(1100, STILL, of);
    expect(plain(headline)).toMatch(new RegExp(`^${said}the judge`));
    expect(plain(deck)).not.toContain("Counting");
  });
});

describe("notes", () => {
  const noted = (n: number) => {
    const notes = Array.from({ length: n }, (_, i) => ({ level: "warning" as const, text: `note ${i}` }));
    return picture(1100, STILL, { ...view, groups: view.groups.map((group) => ({ ...group, notes })) });
  };

  it("are all there, and folded where they are many", () => {
    for (const [n, shown] of [[0, 0], [1, 1], [3, 3], [4, 2], [7, 2]] as const) {
      const { notes, moreNotes } = noted(n);
      expect(notes).toHaveLength(shown);
      expect([...notes, ...moreNotes].map(({ text }) => text)).toEqual(Array.from({ length: n }, (_, i) => `note ${i}`));
    }
  });

  it("are those of the fit with the cure where that is on and nothing else is moved", () => {
    const told = (text: string) => [{ level: "info" as const, text }];
    const found = withCure(view);
    const groups = found.groups.map(() => ({ rates: {}, departures: [], notes: told("with it") }));
    const cured = { ...found, groups: found.groups.map((group) => ({ ...group, notes: told("as fitted") })), cure: { ...found.cure!, groups } };
    const texts = (controls: JudgeControls) => picture(1100, controls, cured).notes.map(({ text }) => text);
    expect(texts(STILL)).toEqual(["as fitted"]);
    expect(texts({ ...STILL, cured: true })).toEqual(["with it"]);
    expect(texts({ ...STILL, cured: true, pins: { [rateKeys(cured.judges[0]!)[0]!]: 0.5 } })).toEqual([]);
  });
});

describe("without rows", () => {
  const empty = judgeView({ n_human: 0, n_only: 0 });

  it("draws the prior as a prior, and finds nothing", () => {
    const { isPrior, headline, judges } = picture(1100, STILL, empty);
    expect(isPrior).toBe(true);
    expect(headline.map(([text]) => text).join("")).toMatch(/^No labels yet\./);
    for (const { plot } of judges[0]!.rates) {
      expect(plot.area).toBe("");
      expect(plot.prior).not.toBe("");
    }
    expect([judges[0]!.line, judges[0]!.predicts, judges[0]!.warnings.join()]).toEqual(["", "", ""]);
  });
});

describe("a policy of weights", () => {
  const weights = { miss_abstained: 0.5, hit_abstained: -0.2, miss_wrong: -1, miss_right: 0.5, hit_wrong: -1, hit_right: 1 };
  const view = judgeView({ n_only: 500 }, { policy: { name: "custom", weights } });

  it.each(WIDTHS)("at %i px has a scale of its own, from the least weight to the most", (width) => {
    const { grid, rows, columns } = picture(width, STILL, view).beliefs[2]!;
    expect(grid.map(({ text }) => text)).toEqual(["−1.00", "0.00", "1.00"]);
    for (const { value, span } of rows) {
      if (value) expect(columns.span - 1.05 * textWidth(span, 12.5)).toBeGreaterThanOrEqual(columns.value);
      expect((value ? columns.value - textWidth(value, 12.5) : columns.span - textWidth(span, 12.5))).toBeGreaterThanOrEqual(grid[2]!.x);
    }
  });
});

const unlabelled = judgeView({ n_human: 0, n_only: 300 });

describe("the worth", () => {
  it("has no marks where nobody can say it, and speaks of the utility where there is one", () => {
    expect(picture(1100, STILL, unlabelled).worth).toMatchObject({ marks: null, alone: [] });
    const weights = { ...view.policy.weights, hit_wrong: -1 };
    const utility = judgeView({ n_only: 300 }, { policy: { name: "custom", weights } });
    for (const { text } of picture(1100, STILL, utility).worth.alone) expect(text).toMatch(/^[\d,<>]+ about the utility, [\d,<>]+ about P\(T\)(; beyond A [\d,<>]+ and [\d,<>]+)?$/);
  });

  it("has one mark for so many labels, as many as are said", () => {
    for (const [human, worth, width] of [[200, 469, 470], [12, 3, 288], [0, 0, 288], [5000, 120_000, 288], [3, 9_000_000, 470]] as const) {
      const marks = worthMarks(human, worth, width);
      const per = Number(/mark is ([\d,]+)/.exec(marks.legend)![1]!.replace(/,/g, ""));
      expect([...marks.human.matchAll(/M/g)].length).toBe(Math.round(human / per));
      expect([...marks.judge.matchAll(/M/g)].length).toBe(Math.round(worth / per));
      expect(marks.height).toBeLessThanOrEqual(40);
      const xs = [...marks.human.matchAll(/M(-?[\d.]+)/g), ...marks.judge.matchAll(/M(-?[\d.]+)/g)].map(([, x]) => Number(x));
      expect(Math.max(0, ...xs)).toBeLessThanOrEqual(width);
    }
  });
});

describe("a constraint", () => {
  const [HELD, OTHER] = ["gpt-4o-mini", "gpt-4o"] as const;
  const bound: JudgeView = { ...unlabelled, constraint: "tpr>fpr" };
  const warning = (of: JudgePicture, key: string) => of.judges.find((judge) => judge.key === key)!.warnings[0];

  it("is not said of a judge that the reader has set", () => {
    const still = picture(1100, STILL, bound);
    for (const key of [HELD, OTHER]) expect(warning(still, key)).toContain("on your word that it beats a coin");
    for (const change of [{ pins: { [FPR]: 0.3 } }, { priors: { [FPR]: [0.3, 8] as const } }]) {
      const moved = picture(1100, { ...STILL, ...change }, bound);
      expect(warning(moved, HELD)).toContain("rest on the prior");
      expect(warning(moved, OTHER)).toContain("on your word that it beats a coin");
      expect(plain(moved.headline)).not.toContain("as you said");
    }
  });

  it("is not said of a judge that had been set before the fit", () => {
    const told = picture(1100, STILL, { ...bound, exempt: [HELD] });
    expect(warning(told, HELD)).toContain("rest on the prior");
    expect(warning(told, OTHER)).toContain("on your word that it beats a coin");
  });
});

describe("copy as Python", () => {
  it("repeats the call, with what is moved", () => {
    expect(picture().python).toBe("rat.judges(df)");
    const moved = { group: 0, priors: { "tpr[gpt-4o]": [0.8, 10] as const }, pins: { [FPR]: 0.45 }, left_out: [], cured: false };
    expect(picture(1100, moved).python).toBe("rat.judges(df, controls={'priors': {'tpr[gpt-4o]': [0.8, 10]}, 'pins': {'fpr[gpt-4o-mini]': 0.45}})");
    expect(picture(1100, { ...STILL, left_out: ["gpt-4o"] }).python).toBe("rat.judges(df, controls={'left_out': ['gpt-4o']})");
  });
});

describe("copy as Python of several systems", () => {
  it("names the one that is shown, since Python may begin with another", () => {
    const [group] = view.groups;
    const several = { ...view, groups: [group!, { ...group!, key: ["other"], label: "other" }] };
    expect(picture(1100, STILL, several).python).toBe("rat.judges(df, controls={'group': 0})");
  });
});

describe("numbers that are not to be trusted", () => {
  const moved: JudgeControls = { ...STILL, pins: { [FPR]: 0.3 } };

  it("are called rough, with how far they may be off", () => {
    const answer = judgeEngine(view).preview(moved);
    expect(picture(1100, moved, view, answer).notes).toEqual([]);
    const rough = Object.create(answer, { isRough: { value: true }, mayBeOff: { value: 0.034 } }) as JudgeAnswer;
    expect(picture(1100, moved, view, rough).notes).toEqual([
      { level: "warning", text: "Rough: the draws of these rates did not mix, and P(R), P(T) and P(G) may be off by about 3 points. Python's answer is surer (Copy as Python)." },
    ]);
  });

  it("are not shown where what was set leaves none: a dash, and why", () => {
    // The rows say that the judge of the task is worse than a coin; the other one is exempt.
    const reversed = judgeView({ rates: { "gpt-4o": [0.1, 0.9] } });
    const bound: JudgeView = { ...reversed, constraint: "tpr>fpr" };
    const { headline, deck, notes, worth, beliefs, judges } = picture(1100, moved, bound);
    expect(plain(headline)).toBe("What you set leaves no numbers.");
    expect(deck).toEqual([]);
    expect(notes).toHaveLength(1);
    expect(notes[0]!.text).toContain("TPR is to be above FPR");
    expect(plain(worth.line)).not.toMatch(/\d/);
    for (const { rows } of beliefs) {
      const joint = rows[rows.length - 1]!;
      expect(`${joint.value}${joint.span}${joint.half_width}`).not.toMatch(/\d/);
    }
    expect(JSON.stringify(judges)).not.toContain("NaN");
  });
});
