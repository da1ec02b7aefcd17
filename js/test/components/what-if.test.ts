import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LEAVES, PARAMETERS, PRESETS, type Parameter } from "../../src/contract/tables.ts";
import type { TreeControls } from "../../src/contract/tree.ts";
import type { Component } from "../../src/components/component.ts";
import { mountTree } from "../../src/components/tree.ts";
import { sampleGroup, sampleView } from "../sample.ts";

let el: HTMLElement;
let reports: TreeControls[];
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
});

const mount = (view: unknown = sampleView(), controls: unknown = null) =>
  (component = mountTree(el, view, { report: (moved) => reports.push(moved) }, controls));
const find = <E extends Element = HTMLElement>(selector: string): E => {
  const found = el.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing matches ${selector}.`);
  return found;
};
const text = (selector: string) => find(selector).textContent;
const of = (branch: Parameter, part: string) => `[data-branch="${branch}"] ${part}`;
const tell = (node: HTMLInputElement, value: string, ...events: readonly string[]) => {
  node.value = value;
  for (const event of events) node.dispatchEvent(new Event(event, { bubbles: true }));
};
const slide = (branch: Parameter, value: number, isSettled = true) =>
  tell(find<HTMLInputElement>(of(branch, ".slider")), String(value), ...(isSettled ? ["input", "change"] : ["input"]));
const type = (branch: Parameter, value: string) => tell(find<HTMLInputElement>(of(branch, ".box")), value, "change");

describe("a what-if", () => {
  it("keeps what is being typed when something else is drawn, until it is handed in or taken back", () => {
    mount();
    const box = find<HTMLInputElement>(of("abstain_given_miss", ".box"));
    box.focus();
    tell(box, "71", "input");
    slide("correct_given_hit", 0.5);
    expect(box.value).toBe("71");
    tell(box, "71", "change");
    expect(reports.at(-1)?.pins).toEqual({ abstain_given_miss: 0.71, correct_given_hit: 0.5 });
    tell(box, "3", "input");
    box.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", bubbles: true }));
    expect(box.value).toBe("71");
  });

  it("by slider pins the branch, moves T and G, and says so everywhere", () => {
    mount();
    const before = text(".headline");
    slide("abstain_given_miss", 0.7);
    expect(reports.at(-1)?.pins).toEqual({ abstain_given_miss: 0.7 });
    expect(text(".headline")).toMatch(/^What if: of 100 queries, /);
    expect(text(".deck")).toMatch(/^You set declines when the evidence is missing: 70% instead of \d+%\. Against the fit, −\d+ correct answers and \+\d+ right by policy of 100\.$/);
    expect(text('[data-stat="task_success"] .delta')).toMatch(/^−\d+$/);
    expect(text('[data-stat="policy_adherence"] .delta')).toMatch(/^\+\d+$/);
    expect(text('[data-stat="retrieval_success"] .delta')).toBe("");
    expect([...el.querySelectorAll(".stat.moved")].map((node) => node.getAttribute("data-stat"))).toEqual(["abstention", "task_success", "policy_adherence"]);
    expect(find('[data-stat="task_success"] .ghost').getAttribute("d")).not.toBe("");
    expect(text(".totals .of")).toBe("Of 100 queries, what if");
    expect(find<HTMLInputElement>(of("abstain_given_miss", ".box")).value).toBe("70");
    expect(text(of("abstain_given_miss", ".interval"))).toMatch(/^fit \d+%$/);
    for (const world of LEAVES) expect(find(`[data-world="${world}"] .ghost`).getAttribute("d")).not.toBe("");
    find<HTMLButtonElement>(".finding .unpin").click();
    expect(text(".headline")).toBe(before);
    expect(reports.at(-1)?.pins).toBeNull();
    for (const ghost of el.querySelectorAll(".ghost")) expect(ghost.getAttribute("d")).toBe("");
  });

  it("keeps the leaves adding up and the fit's other branches as they were", () => {
    mount();
    const others = PARAMETERS.filter((key) => key !== "retrieval_success");
    const before = others.map((key) => text(of(key, ".interval")));
    slide("retrieval_success", 0.9);
    expect(others.map((key) => text(of(key, ".interval")))).toEqual(before);
    expect(text('[data-stat="retrieval_success"] .figure')).toContain("90% pinned");
    const told = LEAVES.map((world) => Number(/^\d+/.exec(find(`[data-world="${world}"] .marks`).getAttribute("aria-label") ?? "")?.[0]));
    expect(told.reduce((a, b) => a + b, 0)).toBe(100);
  });

  it("by the box takes per cent with comma, point or sign, and refuses what is no probability", () => {
    mount();
    type("correct_given_hit", "12,5 %");
    expect(reports.at(-1)?.pins).toEqual({ correct_given_hit: 0.125 });
    expect(find<HTMLInputElement>(of("correct_given_hit", ".box")).value).toBe("12.5");
    for (const wrong of ["101", "-1", "abc", ""]) {
      type("correct_given_hit", wrong);
      expect(find<HTMLInputElement>(of("correct_given_hit", ".box")).value).toBe("12.5");
      expect(text(".said")).toBe("A pin is a number from 0 to 100");
    }
    expect(reports).toHaveLength(1);
  });

  it("is undone step by step, one drag being one step, and reset by branch", () => {
    mount();
    for (const x of [0.5, 0.55, 0.6]) slide("abstain_given_hit", x, false);
    slide("correct_given_hit", 0.9);
    expect(reports.at(-1)?.pins).toEqual({ abstain_given_hit: 0.6, correct_given_hit: 0.9 });
    find<HTMLButtonElement>(".undo").click();
    expect(reports.at(-1)?.pins).toEqual({ abstain_given_hit: 0.6 });
    find<HTMLButtonElement>(".undo").click();
    expect(reports.at(-1)?.pins).toBeNull();
    slide("abstain_given_hit", 0.2);
    const reset = find<HTMLButtonElement>(of("abstain_given_hit", ".unpin"));
    reset.focus();
    reset.click();
    expect(reports.at(-1)?.pins).toBeNull();
    expect(reset.disabled).toBe(true);
    expect(document.activeElement).toBe(find(of("abstain_given_hit", ".slider")));
  });

  it("says why where a condition has no mass, and never NaN", () => {
    mount();
    slide("retrieval_success", 1);
    expect(find<HTMLInputElement>(of("abstain_given_miss", ".box")).value).toBe("–");
    expect(text(of("abstain_given_miss", ".interval"))).toBe("no query gets here");
    expect(find(of("correct_given_miss", ".slider")).getAttribute("aria-valuetext")).toContain("undefined: A=0, R=0 has no probability");
    expect(text('tr[data-quantity="unsupported_answering"] .text')).toBe("– (undefined: R=0 has no probability)");
    expect(find('[data-world="miss_right"] .marks').getAttribute("aria-label")).toMatch(/^0 of 100 queries \(pinned\)/);
    expect(el.textContent).not.toContain("NaN");
    for (const node of el.querySelectorAll("[d]")) expect(node.getAttribute("d")).not.toContain("NaN");
  });

  it("speaks in sentences: names, values, and the finding once a slider is let go", () => {
    mount();
    const slider = find(of("abstain_given_miss", ".slider"));
    expect(slider.getAttribute("aria-label")).toBe("Declines when the evidence is missing");
    slide("abstain_given_miss", 0.7, false);
    expect(slider.getAttribute("aria-valuetext")).toMatch(/^70%, of \d+, declines \d+; what if, the fit has \d+%$/);
    expect(find(".headline").getAttribute("aria-live")).toBe("off");
    expect(text(".finding [role=status]")).toBe("");
    slide("abstain_given_miss", 0.7);
    expect(text(".finding [role=status]")).toBe(text(".headline"));
  });

  it("goes with a policy of the reader's own, and into Python", () => {
    mount();
    find<HTMLButtonElement>('[data-world="miss_right"] .sign').click();
    slide("abstain_given_miss", 1);
    expect(text(".deck")).toContain("as the policy asks of 100");
    // The signed numbers now compare with the fit, and no longer with the fitted policy.
    expect(text(".policy .help")).toBe("You changed the policy.");
    const writeText = vi.fn().mockResolvedValue(undefined);
    vi.spyOn(navigator.clipboard, "writeText").mockImplementation(writeText);
    find<HTMLButtonElement>(".copy-python").click();
    expect(writeText).toHaveBeenCalledWith(expect.stringContaining("controls={'pins': {'abstain_given_miss': 1}}"));
    vi.restoreAllMocks();
  });

  it("comes from controls, of which only pins that can be are taken", () => {
    mount(sampleView(), { group: 0, unit: "queries", policy: PRESETS.no_harm, pins: { correct_given_hit: 0.9 } });
    expect(text(".headline")).toMatch(/^What if: /);
    component?.adopt({ pins: { correct_given_hit: 2 } });
    expect(text(".headline")).toMatch(/^What if: /);
    component?.adopt({ pins: {} });
    expect(text(".headline")).toMatch(/^Of 100/);
  });

  it("keeps the keys of sliders and boxes from the notebook", () => {
    mount();
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside);
    for (const [part, keys] of [[".slider", ["ArrowRight", "PageUp", "Home"]], [".box", ["5", "Backspace", "d"]]] as const) {
      for (const key of keys) find(of("retrieval_success", part)).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    }
    expect(outside).not.toHaveBeenCalled();
    document.body.removeEventListener("keydown", outside);
  });
});

describe("groups that the browser fits by itself", () => {
  const patterns = [[-1, 0, 0], [-1, 0, 1], [0, 0, 1], [0, 1, -1], [1, 0, 0], [1, 0, 1], [1, 1, -1]] as const;
  const dots = () => find('[data-branch="correct_given_miss"] .dots').getAttribute("d");

  it("are shown at once, and in full a little later, without a move of the numbers", async () => {
    mount(sampleView([sampleGroup()], { patterns }));
    const [first, headline] = [dots(), text(".headline")];
    await vi.waitFor(() => expect(dots()).not.toBe(first), { timeout: 4000 });
    expect(text(".headline")).toBe(headline);
    const full = dots();
    await new Promise((done) => setTimeout(done, 50));
    expect(dots()).toBe(full);
  });

  it("drop the work on one that is no longer shown", async () => {
    vi.useFakeTimers();
    mount(sampleView([sampleGroup("a"), sampleGroup("b")], { patterns }));
    component?.adopt({ group: 1 });
    expect(vi.getTimerCount()).toBe(1);
    component?.destroy();
    expect(vi.getTimerCount()).toBe(0);
  });
});
