import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Component } from "../../src/components/component.ts";
import { mountJudges } from "../../src/components/judge.ts";
import { mountTree } from "../../src/components/tree.ts";
import { mountAll } from "../../src/entries/page.ts";
import judgeEntry from "../../src/entries/judge.ts";
import { shownView } from "../../src/contract/decode-judge.ts";
import type { JudgeControls, JudgeDeparture } from "../../src/contract/judge.ts";
import type { Trade } from "../../src/core/service.ts";
import { judgeAnswer, judgeEngine } from "../../src/engine/judge.ts";
import { judgeTrade } from "../../src/engine/judge-samples.ts";
import { FakeModel } from "../fake-model.ts";
import { FakeWorker } from "../fake-worker.ts";
import { identity, judgeView, withApart, withCure } from "../judge-sample.ts";
import { sampleView } from "../sample.ts";

const STILL: JudgeControls = { group: 0, priors: null, pins: null, left_out: [], cured: false };
const [TPR, FPR] = ["tpr[gpt-4o-mini]", "fpr[gpt-4o-mini]"];
const QWEN = [0.2078, 0.4632, 0.036, 0.4447, 0.6809];
const APERTUS = [0.2072, 0.039, 0.005, 0.2585, 0.5157];
const view = judgeView({ n_only: 800 });
const grouped = judgeView({ n_only: 400, groups: [{ label: "qwen", theta: QWEN }, { label: "apertus", theta: APERTUS }] });

let el: HTMLElement;
let reports: JudgeControls[];
let component: Component | null = null;

beforeEach(() => {
  el = document.createElement("div");
  document.body.append(el);
  reports = [];
});
afterEach(() => {
  component?.destroy();
  component = null;
  document.body.replaceChildren();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const mount = (of: unknown = view, controls: unknown = null) =>
  (component = mountJudges(el, of, { report: (moved) => reports.push(moved) }, controls));
const find = <E extends Element = HTMLElement>(selector: string): E => {
  const found = el.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing matches ${selector}.`);
  return found;
};
const text = (selector: string) => find(selector).textContent;
const rate = (key: string) => {
  const found = [...el.querySelectorAll<HTMLElement>("[data-rate]")].find((node) => node.dataset["rate"] === key);
  if (!found) throw new Error(`No rate ${key}.`);
  return found;
};
const within = <E extends Element = HTMLInputElement>(key: string, part: string) => rate(key).querySelector<E>(part)!;
const tell = (node: HTMLInputElement, value: string, ...events: readonly string[]) => {
  node.value = value;
  for (const event of events) node.dispatchEvent(new Event(event, { bubbles: true }));
};
const slide = (key: string, value: number, isSettled = true) => tell(within(key, ".slider"), String(value), ...(isSettled ? ["input", "change"] : ["input"]));
const choose = (key: string, mode: string) => {
  const radio = within(key, `input[value=${mode}]`);
  radio.checked = true;
  radio.dispatchEvent(new Event("change", { bubbles: true }));
};
const click = (selector: string) => find<HTMLButtonElement>(selector).click();
const belief = (key: string) => find(`[data-quantity="${key}"] svg`).getAttribute("aria-label") ?? "";
const snapshot = () => find(".columns").outerHTML;

describe("what was found of the judges' errors", () => {
  const found = withCure(view);
  const cure = { ...STILL, cured: true };
  const rates = () => [...el.querySelectorAll<HTMLElement>("[data-rate]")].map((node) => node.dataset["rate"]);

  it("has no place where nothing was found", () => {
    mount();
    expect(find(".cure").hidden).toBe(true);
  });

  it("is cured by one click, and back by another", () => {
    mount(found);
    const before = snapshot();
    expect(text(".cure .found")).toBe("The errors of judge 'gpt-4o' depend on retrieval.");
    expect(text(".take-cure")).toBe("Give it rates of its own where retrieval failed");
    expect(text(".cure .python")).toBe("");
    expect(text(".foot")).toContain("judges are taken as independent of each other and of everything else.");
    find(".take-cure").focus();
    click(".take-cure");
    expect(text(".foot")).toContain("everything else, but errors of “gpt-4o” may depend on retrieval.");
    expect(reports).toEqual([cure]);
    expect(rates()).toContain("fpr_given_0[gpt-4o]");
    expect(text(".cure code")).toBe("rat.Judge('gpt-4o', of='task', depends_on='retrieval')");
    expect(text(".cure .line")).toMatch(/^With errors that depend on more than the truth, P\(T\) (stays|goes from) \d/);
    expect(find(".rat-judges").classList.contains("whatif")).toBe(false);
    expect(document.activeElement).toBe(find(".take-cure"));
    expect(text(".take-cure")).toBe("Back to independent errors");
    click(".take-cure");
    expect(reports.at(-1)).toEqual(STILL);
    expect(snapshot()).toBe(before);
  });

  it("says what the engine of the cured judges says", () => {
    const engine = judgeEngine(shownView(found, true));
    mount(found, cure);
    expect(belief("task_success")).toContain(engine.preview(cure).beliefs.joint.task_success.estimate.text);
    slide("fpr_given_0[gpt-4o]", 0.6);
    const moved = { ...cure, pins: { "fpr_given_0[gpt-4o]": 0.6 } };
    expect(reports.at(-1)).toEqual(moved);
    expect(belief("task_success")).toContain(engine.preview(moved).beliefs.joint.task_success.estimate.text);
    expect(find(".cure .line").hidden).toBe(true);
    expect(text(".deck")).toContain("Against the fit");
  });

  it("is undone and done by others, too", () => {
    mount(found);
    click(".take-cure");
    click(".undo");
    expect(rates()).toContain("fpr[gpt-4o]");
    component!.adopt(cure);
    expect(rates()).toContain("fpr_given_1[gpt-4o]");
    component!.update(view, null);
    expect(rates()).toContain("fpr[gpt-4o]");
    expect(find(".cure").hidden).toBe(true);
  });

  it("is of no interest without the judge", () => {
    mount(found, { ...STILL, left_out: ["gpt-4o"] });
    expect(find(".cure").hidden).toBe(true);
  });

  it("has no button where there is no cure, and says why, with what can be done in Python", () => {
    mount({ ...found, cure: null, no_cure: { text: "No button allows for this.", python: "[rat.Judge('a')]" } });
    expect(find(".take-cure").hidden).toBe(true);
    expect(text(".cure .found")).toBe("The errors of judge 'gpt-4o' depend on retrieval.");
    expect(text(".cure .line")).toBe("No button allows for this.");
    expect(text(".cure code")).toBe("[rat.Judge('a')]");
    component!.destroy();
    mount({ ...found, cure: null, no_cure: { text: "No button allows for this.", python: "" } });
    expect(text(".cure .python")).toBe("");
  });

  it("fits a system by itself for which a judge differs, the others without it", () => {
    const apart = withApart(grouped, 1);
    const engine = judgeEngine(shownView(apart, true));
    const on = (group: number) => ({ ...cure, group });
    mount(apart);
    expect(find(".cure").hidden).toBe(true);
    component!.destroy();
    mount(apart, { ...STILL, group: 1 });
    expect(text(".cure .found")).toBe("'gpt-4o' is not the same judge for this.");
    expect(text(".take-cure")).toBe("Fit this system by itself");
    find(".take-cure").focus();
    click(".take-cure");
    expect(reports.at(-1)).toEqual(on(1));
    expect(document.activeElement).toBe(find(".take-cure"));
    expect(belief("task_success")).toContain(engine.preview(on(1)).beliefs.joint.task_success.estimate.text);
    expect(text(".cure .line")).toMatch(/^With this system fitted by itself, P\(T\) (stays|goes from) \d/);
    expect(text(".cure .python")).toContain("In Python: apart=['1']");
    expect(text(".take-cure")).toBe("Back to one judge for all systems");
    find<HTMLSelectElement>("select.group").value = "0";
    find(".group").dispatchEvent(new Event("change", { bubbles: true }));
    expect(text(".cure .line")).toMatch(/^Without “[^”]+”, for which a judge differs, P\(T\)/);
    expect(belief("task_success")).toContain(engine.preview(on(0)).beliefs.joint.task_success.estimate.text);
    slide("fpr[gpt-4o]", 0.6);
    expect(text(".deck")).toMatch(/; you fitted “[^”]+” by itself\. Against the fit/);
    click(".undo");
    click(".take-cure");
    expect(find(".cure").hidden).toBe(true);
  });

  it("allows for errors that depend and for a system in one click", () => {
    mount(withApart(withCure(grouped), 1), { ...STILL, group: 1 });
    expect(text(".take-cure")).toBe("Allow for all of that");
    click(".take-cure");
    expect(rates()).toContain("fpr_given_0[gpt-4o]");
    expect(text(".cure .line")).toMatch(/^With this system fitted by itself and with errors that depend on more than the truth, P\(T\)/);
    expect(text(".take-cure")).toBe("Allow for none of that");
  });

  it("keeps the advice about a system where there is no cure", () => {
    const apart = withApart(withCure(grouped), 1);
    mount({ ...apart, cure: null, no_cure: { text: "No button allows for this.", python: "" } }, { ...STILL, group: 1 });
    expect(text(".cure .found")).toBe("The errors of judge 'gpt-4o' depend on retrieval.'gpt-4o' is not the same judge for this. Share less.");
  });

  it("fits a system by itself where its errors cannot be allowed for, and says why not", () => {
    const apart = withApart(withCure(grouped), 1);
    const [errors] = withCure(grouped).groups[1]!.departures;
    const cure = { ...withApart(grouped, 1).cure!, groups: apart.groups.map(() => ({ rates: {}, departures: [errors!] })) };
    const refused = { ...apart, cure, no_cure: { text: "No button allows for these errors.", python: "[rat.Judge('a')]" } };
    const codes = () => [...el.querySelectorAll(".cure code")].map((code) => code.textContent);
    mount(refused, { ...STILL, group: 1 });
    expect(text(".cure .found")).toBe("The errors of judge 'gpt-4o' depend on retrieval.'gpt-4o' is not the same judge for this.");
    expect(text(".cure .line")).toBe("No button allows for these errors.");
    expect(text(".take-cure")).toBe("Fit this system by itself");
    expect(codes()).toEqual(["[rat.Judge('a')]"]);
    click(".take-cure");
    expect(reports.at(-1)).toEqual({ ...STILL, cured: true, group: 1 });
    expect(text(".cure .line")).toMatch(/^With this system fitted by itself, P\(T\) (stays|goes from) \d/);
    expect(text(".cure .left")).toBe("Still found with that: The errors of judge 'gpt-4o' depend on retrieval.No button allows for these errors.");
    expect(codes()).toEqual(["apart=['1']", "[rat.Judge('a')]"]);
    expect(text(".take-cure")).toBe("Back to one judge for all systems");
    component!.destroy();
    mount({ ...refused, groups: refused.groups.map((group) => ({ ...group, departures: [errors!] })) }, { ...STILL, group: 1 });
    expect(find(".take-cure").hidden).toBe(true);
  });

  it("says what is found with the cure: nothing more, something, or where that is checked", async () => {
    const group = { rates: {}, departures: [] };
    const after = (departures: readonly JudgeDeparture[]) => ({ ...found, cure: { ...found.cure!, groups: [{ ...group, departures }] } });
    mount(after([]), cure);
    expect(text(".cure .line")).toMatch(/\. Nothing more is found with that\.$/);
    expect(text(".cure .left")).toBe("");
    component!.destroy();
    mount(after([{ judges: ["gpt-4o"], kind: "saturated", text: "It depends on A.", advice: "Do this." }]), cure);
    expect(text(".cure .line")).not.toContain("Nothing more");
    expect(text(".cure .left")).toBe("Still found with that: It depends on A. Do this.");
    component!.destroy();
    mount(found, cure);
    expect(text(".cure .line")).not.toContain("Nothing more");
    const codes = [...el.querySelectorAll(".cure code")].map((code) => code.textContent);
    expect(codes).toEqual(["rat.Judge('gpt-4o', of='task', depends_on='retrieval')", "rat.judges(df, controls={'cured': True}).posterior().diagnosis"]);
    const copied: string[] = [];
    vi.spyOn(navigator.clipboard, "writeText").mockImplementation((it: string) => Promise.resolve(void copied.push(it)));
    for (const button of el.querySelectorAll<HTMLButtonElement>(".copy-cure")) button.click();
    await Promise.resolve();
    expect(copied).toEqual(codes);
  });

  it("is said under what is moved beside it only where something is left to be found", () => {
    mount({ ...found, cure: { ...found.cure!, groups: [{ rates: {}, departures: [] }] } }, { ...cure, pins: { "fpr_given_0[gpt-4o]": 0.6 } });
    expect(text(".cure")).not.toContain("more is found");
  });

  it("is told of moves what the fit does and they do not, and of the fit nothing", () => {
    const note = { level: "info", text: "Every system stands by itself." } as const;
    mount({ ...view, under_moves: [note] });
    expect(text(".notes")).not.toContain(note.text);
    slide("fpr[gpt-4o-mini]", 0.4);
    expect(find(".notes .note.info").textContent).toBe(note.text);
  });
});

describe("rates by system", () => {
  const judges = [identity("own", "task", { is_shared: false })];
  const several = judgeView({ judges, n_only: 200, groups: [{ label: "qwen", theta: QWEN }, { label: "apertus", theta: APERTUS }] });
  const rows = () => [...el.querySelectorAll<HTMLButtonElement>("button.system")];

  it("show the system that is clicked, and mark the one that is shown", () => {
    mount(several);
    const shown = () => rows().filter((row) => row.getAttribute("aria-current") === "true").map((row) => row.dataset["group"]);
    expect(find<HTMLDetailsElement>(".systems").open).toBe(true);
    expect(shown()).toEqual(["0"]);
    rows().find((row) => row.dataset["group"] === "1")!.click();
    expect(reports).toEqual([{ ...STILL, group: 1 }]);
    expect(shown()).toEqual(["1"]);
    expect(find<HTMLSelectElement>("select.group").value).toBe("1");
    expect(text('.system[aria-current="true"] .who')).toBe("apertus");
  });

  it("have no place where all systems share a judge", () => {
    mount(grouped);
    expect(rows()).toEqual([]);
    expect(find(".systems").hidden).toBe(true);
  });
});

describe("the picture", () => {
  it("shows what Python says, number by number", () => {
    mount();
    const { rates, beliefs, worth } = view.groups[0]!;
    for (const judge of view.judges) {
      for (const kind of ["tpr", "fpr"]) {
        const { value, text: told } = rates[`${kind}[${judge.key}]`]!;
        expect(within(`${kind}[${judge.key}]`, ".box").value).toBe(String(Math.floor(100 * value! + 0.5)));
        expect(told).toContain(within<HTMLElement>(`${kind}[${judge.key}]`, ".interval").textContent!);
      }
    }
    for (const key of ["retrieval_success", "task_success", "policy_adherence"]) {
      for (const way of ["naive", "humans", "joint"] as const) expect(belief(key)).toContain(beliefs[way][key]!.text);
    }
    expect(text('.worth [data-role="big"]')).toBe(String(Math.floor(worth["policy_adherence"]!.worth! + 0.5)));
    expect(text(".headline")).toMatch(/^Taken at its word “gpt-4o-mini” finds evidence in \d+ of 100 queries; corrected for its errors it is \d+ \(\d+–\d+\)\.$/);
    expect(text(".eyebrow .about")).toBe(view.groups[0]!.rows);
  });

  it("gives each slider a name, a value in words, and a box with a name", () => {
    mount();
    const sliders = [...el.querySelectorAll<HTMLInputElement>("input.slider")];
    expect(sliders).toHaveLength(4);
    expect(new Set(sliders.map((slider) => slider.getAttribute("aria-label"))).size).toBe(4);
    for (const slider of sliders) {
      expect(slider.type).toBe("range");
      expect(slider.getAttribute("aria-valuetext")).toMatch(/^Of 100 .* passes \d+% \(\d+–\d+\)$/);
    }
    for (const box of el.querySelectorAll("input.box")) expect(box.getAttribute("aria-label")).not.toBe("");
    for (const radio of el.querySelectorAll("fieldset.modes")) expect(radio.querySelector("legend")!.textContent).not.toBe("");
    expect(document.querySelectorAll("svg:not([aria-hidden]):not([role])")).toHaveLength(0);
  });

  it("puts data strings into the page as text", () => {
    const evil = '<img src=x onerror="alert(1)">';
    const hostile = judgeView({ judges: [identity("k", "retrieval", { name: evil, version: "</script>" })], rates: { k: [0.9, 0.2] }, n_only: 200, groups: [{ label: evil, theta: QWEN }, { label: "b", theta: APERTUS }] });
    mount(hostile);
    expect(el.querySelector("img, script")).toBeNull();
    expect(text(".judge .name")).toBe(`${evil} · </script>`);
  });
});

describe("a move", () => {
  it("by slider pins the rate, and all else follows as in the engine", () => {
    mount();
    const before = [text(".headline"), belief("policy_adherence")];
    slide(FPR!, 0.5);
    expect(reports.at(-1)).toEqual({ ...STILL, pins: { [FPR!]: 0.5 } });
    expect(rate(FPR!).classList.contains("moved")).toBe(true);
    expect(within(FPR!, "input[value=pinned]").checked).toBe(true);
    expect(within(FPR!, ".box").value).toBe("50");
    expect(text(".headline")).toMatch(/^What if: taken at its word/);
    expect(text(".deck")).toMatch(/^You set misses that it passes \(gpt-4o-mini\): 50% instead of \d+%\. Against the fit, /);
    expect(belief("policy_adherence")).not.toBe(before[1]);
    expect(text(".judge .notes")).toContain("the labels put it at");
    click(".reset");
    expect([text(".headline"), belief("policy_adherence")]).toEqual(before);
    expect(reports.at(-1)).toEqual(STILL);
  });

  it("is answered at once, and then by full draws, without a jump", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mount();
    slide(FPR!, 0.35);
    const numbers = () => [...belief("policy_adherence").matchAll(/\d+/g)].map(([digits]) => Number(digits));
    const quick = numbers();
    await vi.advanceTimersByTimeAsync(5000);
    const full = judgeAnswer(view, { ...STILL, pins: { [FPR!]: 0.35 } }).beliefs.joint.policy_adherence.estimate;
    expect(belief("policy_adherence")).toContain(`both, corrected ${full.text}`);
    numbers().forEach((n, i) => expect(Math.abs(n - quick[i]!)).toBeLessThanOrEqual(1));
  });

  it("is answered in full by a worker as it is without one; the worker ends with the widget", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const answered = async () => {
      slide(FPR!, 0.35);
      await vi.advanceTimersByTimeAsync(5000);
      // Names of elements are each widget's own.
      return snapshot().replace(/(judge|mode)-\w+-/g, "$1-");
    };
    mount();
    const without = await answered();
    component!.destroy();
    const workers: FakeWorker[] = [];
    vi.stubGlobal("RAT_JUDGE_WORKER", "");
    // Inflating takes real time, which timers of tests do not wait for.
    vi.stubGlobal("DecompressionStream", class {});
    vi.stubGlobal("Response", class { text = () => Promise.resolve(""); });
    vi.spyOn(Blob.prototype, "stream").mockReturnValue({ pipeThrough: () => null } as unknown as ReturnType<Blob["stream"]>);
    vi.stubGlobal("Worker", function () {
      workers.push(new FakeWorker(judgeTrade as unknown as Trade<never, never, unknown>));
      return workers.at(-1);
    });
    mount();
    expect(workers).toEqual([]);
    expect(await answered()).toBe(without);
    expect(workers.map(({ heard }) => heard)).toEqual([["model", "job"]]);
    component!.update({ ...view, seed: 1 });
    await vi.advanceTimersByTimeAsync(5000);
    expect(workers[0]!.heard.slice(2)).toContain("model");
    component!.destroy();
    expect(workers.map(({ isEnded }) => isEnded)).toEqual([true]);
  });

  it("changes neither verdicts as truth nor human labels alone while all judges are in", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mount();
    const marks = () => ["naive", "humans"].flatMap((way) => [...el.querySelectorAll(`.quantity g.${way}`)].map((row) => row.outerHTML));
    const before = marks();
    expect(before).toHaveLength(6);
    slide(FPR!, 0.3, false);
    expect(marks()).toEqual(before);
    await vi.advanceTimersByTimeAsync(5000);
    expect(marks()).toEqual(before);
    click(".reset");
    expect(marks()).toEqual(before);
    click('[data-judge="gpt-4o-mini"] .leave');
    expect(marks()).not.toEqual(before);
  });

  it("makes the headline speak of the judge that moved last, by its name", () => {
    mount();
    slide("tpr[gpt-4o]", 0.7);
    expect(text(".headline")).toContain("“gpt-4o” finds a correct answer in");
    slide(FPR!, 0.4);
    expect(text(".headline")).toContain("“gpt-4o-mini” finds evidence in");
    slide("tpr[gpt-4o]", 0.6);
    expect(text(".headline")).toContain("“gpt-4o” finds a correct answer in");
    // The order is in what Python is told, too.
    expect(Object.keys(reports.at(-1)!.pins!)).toEqual([FPR, "tpr[gpt-4o]"]);
    click(".undo");
    expect(text(".headline")).toContain("“gpt-4o-mini” finds evidence in");
  });

  it("is read out as it stands: a better answer, and what others set, replace what was said", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mount();
    slide(FPR!, 0.45);
    const heard = () => text(".finding [role=status]");
    expect(heard()).toBe(text(".headline"));
    await vi.advanceTimersByTimeAsync(5000);
    expect(heard()).toBe(text(".headline"));
    component!.adopt({ ...STILL, pins: { [FPR!]: 0.1 } });
    expect(heard()).toBe(text(".headline"));
  });

  it("drops answers to what has been left behind", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mount();
    slide(FPR!, 0.5);
    await vi.advanceTimersByTimeAsync(130);
    slide(FPR!, 0.2);
    await vi.advanceTimersByTimeAsync(5000);
    const now = judgeAnswer(view, { ...STILL, pins: { [FPR!]: 0.2 } }).beliefs.joint.retrieval_success.estimate;
    expect(belief("retrieval_success")).toContain(`both, corrected ${now.text}`);
    slide(FPR!, 0.5);
    click(".reset");
    const before = snapshot();
    await vi.advanceTimersByTimeAsync(5000);
    expect(snapshot()).toBe(before);
  });

  it("while it lasts is drawn at once and then once a frame, and read out when it ends", () => {
    const frames: FrameRequestCallback[] = [];
    const request = vi.spyOn(window, "requestAnimationFrame").mockImplementation((callback) => frames.push(callback));
    mount();
    slide(FPR!, 0.4, false);
    const first = text(".headline");
    expect(first).toMatch(/^What if/);
    slide(FPR!, 0.1, false);
    slide(FPR!, 0.5, false);
    expect(request).toHaveBeenCalledTimes(1);
    expect(text(".headline")).toBe(first);
    expect(find(".headline").getAttribute("aria-live")).toBe("off");
    frames[0]!(0);
    const last = text(".headline");
    expect(last).not.toBe(first);
    // The frame after has nothing to draw, and asks for no other.
    frames[1]!(0);
    expect(request).toHaveBeenCalledTimes(2);
    expect(text(".headline")).toBe(last);
    expect(text(".finding [role=status]")).toBe("");
    slide(FPR!, 0.5);
    expect(text(".finding [role=status]")).toBe(text(".headline"));
    // Said once: not by the headline, too.
    expect(find(".headline").getAttribute("aria-live")).toBe("off");
    click(".undo");
    expect(find(".headline").getAttribute("aria-live")).toBe("polite");
    request.mockRestore();
  });

  it("keeps what is being typed when a better answer is drawn, until it is handed in or taken back", async () => {
    vi.useFakeTimers();
    mount();
    choose(TPR!, "prior");
    tell(within(TPR!, ".labels"), "10", "change");
    const labels = within(TPR!, ".labels");
    labels.focus();
    tell(labels, "20", "input");
    // Meanwhile the full draws come.
    await vi.advanceTimersByTimeAsync(3000);
    component!.adopt({ ...reports.at(-1)! });
    expect(labels.value).toBe("20");
    tell(labels, "20", "change");
    expect(reports.at(-1)!.priors![TPR!]![1]).toBe(20);
    tell(labels, "3", "input");
    labels.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(labels.value).toBe("20");
    tell(labels, "nonsense", "change");
    expect(labels.value).toBe("20");
  });

  it("by box takes comma, point and per cent, and refuses what is no rate", () => {
    mount();
    tell(within(TPR!, ".box"), "87,5 %", "change");
    expect(reports.at(-1)?.pins).toEqual({ [TPR!]: 0.875 });
    expect(within(TPR!, ".box").value).toBe("87.5");
    for (const wrong of ["", "101", "-1", "many"]) {
      tell(within(TPR!, ".box"), wrong, "change");
      expect(within(TPR!, ".box").value).toBe("87.5");
      expect(text(".said")).toBe("A rate is a number from 0 to 100");
    }
    expect(reports).toHaveLength(1);
  });

  it("by box is pinned by Enter where it stands, once, and not where something else was typed", () => {
    mount();
    const box = within(TPR!, ".box");
    const shown = box.value;
    const enter = () => box.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));
    box.value = "12";
    enter();
    expect(reports).toEqual([]);
    box.value = shown;
    enter();
    enter();
    expect(reports).toEqual([{ ...STILL, pins: { [TPR!]: Number(shown) / 100 } }]);
  });

  it("of a prior refits with it: mean by slider, labels by box", () => {
    mount();
    choose(FPR!, "prior");
    expect(reports).toEqual([]);
    const flat = within<SVGElement>(FPR!, ".plot .prior").getAttribute("d");
    expect(within(FPR!, ".box").value).toBe("50");
    expect(within(FPR!, ".labels").value).toBe("2");
    slide(FPR!, 0.8);
    tell(within(FPR!, ".labels"), "200", "change");
    expect(reports.at(-1)).toEqual({ ...STILL, priors: { [FPR!]: [0.8, 200] } });
    expect(within<SVGElement>(FPR!, ".plot .prior").getAttribute("d")).not.toBe(flat);
    const { lower } = judgeAnswer(view, { ...STILL, priors: { [FPR!]: [0.8, 200] } }).rates[FPR!]!.estimate;
    const shown = Number(/\d+/.exec(within<HTMLElement>(FPR!, ".interval").textContent!)![0]);
    expect(Math.abs(shown - 100 * lower!)).toBeLessThan(2);
    expect(text(".headline")).not.toMatch(/^What if/);
    expect(text(".deck")).toMatch(/^You changed the prior of 1 rate\. Against the fit/);
    tell(within(FPR!, ".labels"), "0", "change");
    expect(within(FPR!, ".labels").value).toBe("200");
    expect(text(".said")).toBe("A prior is worth at least 0.1 labels");
    for (const [typed, labels] of [["1,500", 1500], ["2 000", 2000], ["1,5", 1.5]] as const) {
      tell(within(FPR!, ".labels"), typed, "change");
      expect(reports.at(-1)?.priors?.[FPR!]?.[1]).toBe(labels);
    }
    choose(FPR!, "posterior");
    expect(reports.at(-1)).toEqual(STILL);
  });

  it("can be undone step by step", () => {
    mount();
    const texts = [text(".deck")];
    slide(FPR!, 0.5);
    texts.push(text(".deck"));
    click('[data-judge="gpt-4o"] .leave');
    expect(find<HTMLButtonElement>(".undo").disabled).toBe(false);
    click(".undo");
    expect(text(".deck")).toBe(texts[1]);
    click(".undo");
    expect(text(".deck")).toBe(texts[0]);
    expect(find<HTMLButtonElement>(".undo").disabled).toBe(true);
  });

  it("leaves a judge out, and all of them", () => {
    mount();
    click('[data-judge="gpt-4o-mini"] .leave');
    expect(reports.at(-1)).toEqual({ ...STILL, left_out: ["gpt-4o-mini"] });
    expect(text('[data-judge="gpt-4o-mini"] .leave')).toBe("take back in");
    expect(find<HTMLElement>('[data-judge="gpt-4o-mini"] .body').hidden).toBe(true);
    click('[data-judge="gpt-4o"] .leave');
    expect(text(".headline")).toBe("Every judge is left out: what you see rests on the human labels.");
    expect(text('.worth [data-role="big"]')).toBe("–");
    click(".reset");
    expect(reports.at(-1)).toEqual(STILL);
  });
});

describe("groups", () => {
  it("are picked, each with its own numbers, under the same moves", () => {
    mount(grouped);
    const select = find<HTMLSelectElement>("select.group");
    expect([...select.options].map((option) => option.textContent)).toEqual(["qwen", "apertus"]);
    const first = belief("task_success");
    tell(select as unknown as HTMLInputElement, "1", "change");
    expect(belief("task_success")).toContain(grouped.groups[1]!.beliefs.joint["task_success"]!.text);
    expect(belief("task_success")).not.toBe(first);
    slide(FPR!, 0.5);
    tell(select as unknown as HTMLInputElement, "0", "change");
    expect(within(FPR!, ".box").value).toBe("50");
    expect(reports.at(-1)).toEqual({ ...STILL, pins: { [FPR!]: 0.5 } });
  });
});

describe("many judges", () => {
  const judges = Array.from({ length: 10 }, (_, i) => identity(`j${i}`, i % 2 === 0 ? "retrieval" : "task"));
  const many = judgeView({ judges, n_only: 300 });

  it("are folded but one; opening another closes it", () => {
    mount(many);
    const open = () => [...el.querySelectorAll<HTMLElement>(".judge.open")].map(({ dataset }) => dataset["judge"]);
    expect(open()).toEqual(["j0"]);
    click('[data-judge="j4"] .fold');
    expect(open()).toEqual(["j4"]);
    expect(find('[data-judge="j4"] .fold').getAttribute("aria-expanded")).toBe("true");
    expect(find('[data-judge="j0"] .fold').getAttribute("aria-expanded")).toBe("false");
    expect(text('[data-judge="j0"] .short')).toMatch(/^tells apart 0\.\d\d$/);
    expect(reports).toEqual([]);
  });
});

describe("the life of the component", () => {
  it("begins with controls that were set before, and adopts those that others set, without an echo", () => {
    mount(view, { ...STILL, pins: { [FPR!]: 0.5 } });
    expect(within(FPR!, ".box").value).toBe("50");
    component!.adopt({ ...STILL, pins: { [FPR!]: 0.1 } });
    expect(within(FPR!, ".box").value).toBe("10");
    component!.adopt(STILL);
    expect(text(".headline")).not.toMatch(/^What if/);
    expect(reports).toEqual([]);
  });

  it("shows another view, with other judges too", () => {
    mount();
    slide(FPR!, 0.5);
    component!.update(judgeView({ judges: [identity("other", "task")], n_only: 300 }));
    expect([...el.querySelectorAll(".judge .name")].map((node) => node.textContent)).toEqual(["other"]);
    expect(reports.at(-1)).toEqual(STILL);
    slide("tpr[other]", 0.5);
    expect(reports.at(-1)?.pins).toEqual({ "tpr[other]": 0.5 });
  });

  it("shows a view that Python made under moves as it is, and can go back to the fit", () => {
    const moved: JudgeControls = { ...STILL, pins: { [FPR!]: 0.5 } };
    const under = judgeView({ n_only: 800 }, { controls: moved });
    const { rates, beliefs } = view.groups[0]!;
    const groups = under.groups.map((group) => ({ ...group, fitted: { ...rates, ...beliefs.joint } }));
    mount({ ...under, groups, controls: STILL, moves: { priors: null, pins: moved.pins, left_out: [], cured: false } });
    expect(belief("policy_adherence")).toContain(under.groups[0]!.beliefs.joint["policy_adherence"]!.text);
    expect(text(".headline")).toMatch(/^What if/);
    expect(text(".deck")).toContain("50% instead of");
    click(".reset");
    expect(text(".headline")).not.toMatch(/^What if/);
    const shown = Number(within(FPR!, ".box").value);
    expect(Math.abs(shown - 100 * rates[FPR!]!.value!)).toBeLessThan(2);
  });

  it("leaves nothing behind", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    mount();
    slide(FPR!, 0.5);
    component!.destroy();
    component = null;
    expect(el.childNodes).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("refuses a view that it does not know, in words", () => {
    expect(() => mount({ kind: "tree", version: 1 })).toThrow(/Expected a "judge" view, version 1/);
    expect(el.childNodes).toHaveLength(0);
  });
});

describe("the entries", () => {
  it("connect a widget's model: controls are written, at most every 100 ms", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const model = new FakeModel({ _view: view, controls: STILL });
    const destroy = judgeEntry.render({ model, el });
    for (let i = 0; i < 8; i++) tell(within(FPR!, ".box"), String(30 + i), "change");
    expect(model.saves).toBe(1);
    vi.advanceTimersByTime(100);
    expect(model.saves).toBe(2);
    expect(model.get("controls")).toEqual({ ...STILL, pins: { [FPR!]: 0.37 } });
    destroy();
    expect(el.childNodes).toHaveLength(0);
  });

  it("mount both kinds of views in a saved page", () => {
    const script = document.createElement("script");
    script.type = "application/json";
    script.className = "rat-view";
    script.textContent = JSON.stringify(view);
    document.body.append(script);
    const other = script.cloneNode() as HTMLScriptElement;
    other.textContent = JSON.stringify(sampleView());
    document.body.append(other);
    mountAll(document, { tree: mountTree, judge: mountJudges });
    expect(document.querySelectorAll(".rat-judges, .rat-tree")).toHaveLength(2);
    mountAll(document, { tree: mountTree, judge: mountJudges });
    expect(document.querySelectorAll(".rat-judges, .rat-tree")).toHaveLength(2);
  });

  it("say so in a saved page that holds a view of another kind", () => {
    const script = document.createElement("script");
    script.type = "application/json";
    script.className = "rat-view";
    script.textContent = JSON.stringify({ kind: "forest", version: 1 });
    document.body.append(script);
    mountAll(document, { judge: mountJudges });
    expect(document.querySelector("[role=alert]")!.textContent).toMatch(/Expected a "judge" view/);
  });
});
