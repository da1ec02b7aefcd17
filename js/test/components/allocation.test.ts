import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { mountAllocation } from "../../src/components/allocation.ts";
import type { Component } from "../../src/components/component.ts";
import type { AllocationControls } from "../../src/contract/allocation.ts";
import allocationEntry from "../../src/entries/allocation.ts";
import { mountAll } from "../../src/entries/page.ts";
import { FakeModel } from "../fake-model.ts";
import { PLANS, planView } from "../allocation-sample.ts";

const view = planView("qwen");
const hand = planView("labels");

let el: HTMLElement;
let reports: AllocationControls[];
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
  (component = mountAllocation(el, of, { report: (moved) => reports.push(moved) }, controls));
const find = <E extends Element = HTMLElement>(selector: string): E => {
  const found = el.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing matches ${selector}.`);
  return found;
};
const text = (selector: string) => find(selector).textContent ?? "";
const plain = (segments: readonly (readonly [string, string])[]) => segments.map(([said]) => said).join("");
const tell = (node: HTMLInputElement, value: string, ...events: readonly string[]) => {
  node.value = value;
  for (const event of events) node.dispatchEvent(new Event(event, { bubbles: true }));
};
const slider = (knob: string) => find<HTMLInputElement>(`[data-knob=${knob}] .slider`);
const box = (knob: string) => find<HTMLInputElement>(`[data-knob=${knob}] .box`);
const slide = (knob: string, at: number) => tell(slider(knob), String(at), "input", "change");
const type = (knob: string, value: string) => tell(box(knob), value, "change");
const row = (key: string) => find(`tr[data-course=${key}]`);
const check = (key: string) => row(key).querySelector("input")!;

describe("the picture", () => {
  it.each(PLANS)("says what Python says: $name", ({ view: of, controls, headline, deck }) => {
    mount(of, controls);
    expect(text(".headline")).toBe(plain(headline));
    expect(text(".deck")).toBe(plain(deck));
  });

  it("names the same number for a plan in chart, table and sentence", () => {
    mount();
    const said = row("optimal").querySelector(".width")!.textContent!;
    expect(text(".headline")).toContain(said.slice(1));
    expect(text(".point-text")).toBe(said);
    expect(find(".chart").getAttribute("aria-label")).toContain(`best mix ${said}`);
  });

  it("tells what each slider is and where it stands", () => {
    mount();
    expect(slider("budget").getAttribute("aria-label")).toBe("Budget");
    expect(slider("budget").getAttribute("aria-valuetext")).toBe("500 more labels");
    expect(slider("R").getAttribute("aria-valuetext")).toBe("A label of R costs 1");
    expect(slider("n0").getAttribute("aria-valuetext")).toBe("100 rows with R, A and T");
  });

  it("hides the number of rows where they are in hand", () => {
    mount(hand);
    expect(find("[data-knob=n0]").hidden).toBe(true);
    expect(text(".foot .rows")).toContain("400 rows");
  });
});

describe("moves", () => {
  it("answers a slider with another sentence, and reports", () => {
    mount();
    const before = text(".headline");
    slide("budget", 80);
    expect(text(".headline")).not.toBe(before);
    expect(text(".headline")).toContain("800 more labels");
    expect(box("budget").value).toBe("800");
    expect(reports.at(-1)).toMatchObject({ budget: 800 });
    expect(text("[role=status].unseen")).toBe(text(".headline"));
  });

  it("keeps what is read out quiet while a slider is dragged", () => {
    mount();
    tell(slider("budget"), "70", "input");
    expect(find(".headline").getAttribute("aria-live")).toBe("off");
    expect(text("[role=status].unseen")).toBe("");
  });

  it("takes numbers from boxes, with commas", () => {
    mount();
    type("budget", "1,500");
    expect(reports.at(-1)!.budget).toBe(1500);
    type("R", "2,5");
    expect(reports.at(-1)!.prices).toEqual({ R: 2.5, T: 1 });
    expect(text(".unit")).toBe("more units");
  });

  it.each([["budget", "-3"], ["R", "0"], ["R", "free"], ["n0", "2.5"], ["budget", ""]])("refuses %s = %j and says so", (knob, value) => {
    mount();
    const before = box(knob).value;
    type(knob, value);
    expect(reports).toEqual([]);
    expect(text(".said")).toBe("That is no number that fits");
    expect(box(knob).value).toBe(before);
  });

  it("changes what is to be narrow", () => {
    mount();
    const target = find<HTMLSelectElement>("select.target");
    expect([...target.options].map(({ value }) => value)).toEqual(view.targets.map(({ key }) => key));
    tell(target as unknown as HTMLInputElement, "task_success", "change");
    expect(text(".headline")).toMatch(/^Label T on every row that answered: 500 more labels bring P\(T\)/);
    expect(find(".rat-allocation").dataset["hue"]).toBe("t");
  });

  it("counts rows instead of cost, where prices rest", () => {
    mount();
    const rows = find<HTMLInputElement>("input[value=rows]");
    rows.checked = true;
    rows.dispatchEvent(new Event("change", { bubbles: true }));
    expect(text(".unit")).toBe("more rows");
    expect(slider("R").disabled).toBe(true);
    expect(text(".over")).toContain("rows");
  });

  it("switches a plan off: no line, no advice", () => {
    mount();
    check("optimal").checked = false;
    check("optimal").dispatchEvent(new Event("change", { bubbles: true }));
    expect(el.querySelectorAll(".lines path").length).toBe(7);
    expect(text(".headline")).toMatch(/^Label R first/);
    expect(row("optimal").classList.contains("off")).toBe(true);
    expect(reports.at(-1)!.hidden).toEqual(["optimal"]);
  });

  it("keeps the focus in a row that changes its place", () => {
    mount();
    const target = find<HTMLSelectElement>("select.target");
    check("all_t").focus();
    tell(target as unknown as HTMLInputElement, "task_success", "change");
    expect(document.activeElement).toBe(check("all_t"));
  });

  it("goes back one step, or all the way", () => {
    mount();
    const before = find(".columns").outerHTML;
    slide("budget", 80);
    slide("R", 6);
    find<HTMLButtonElement>(".undo").click();
    expect(reports.at(-1)).toMatchObject({ budget: 800, prices: { R: 1, T: 1 } });
    find<HTMLButtonElement>(".reset").click();
    expect(reports.at(-1)).toMatchObject({ budget: 500 });
    expect(find<HTMLButtonElement>(".reset").disabled).toBe(true);
    expect(find(".columns").outerHTML).toBe(before);
  });

  it("darkens a plan in chart and table alike", async () => {
    mount();
    row("all_r").dispatchEvent(new Event("pointerover", { bubbles: true }));
    await new Promise(requestAnimationFrame);
    expect(row("all_r").classList.contains("hot")).toBe(true);
    expect(find(".lines [data-course=all_r]").getAttribute("class")).toContain("hot");
    expect(reports).toEqual([]);
  });

  it("copies the sentence and the call", async () => {
    const written: string[] = [];
    vi.stubGlobal("navigator", { clipboard: { writeText: (copied: string) => Promise.resolve(void written.push(copied)) } });
    Object.defineProperty(window, "navigator", { configurable: true, value: { clipboard: { writeText: (copied: string) => Promise.resolve(void written.push(copied)) } } });
    mount();
    slide("budget", 80);
    find<HTMLButtonElement>(".copy-sentence").click();
    await Promise.resolve();
    find<HTMLButtonElement>(".copy-python").click();
    await vi.waitFor(() => expect(written.length).toBe(2));
    expect(written[0]).toBe(text(".headline"));
    expect(written[1]).toBe("rat.allocate(df, controls={'budget': 800})");
  });
});

describe("its life", () => {
  it("shows another view and keeps what was moved", () => {
    const made = mount();
    slide("budget", 80);
    made.update(hand);
    expect(box("budget").value).toBe("800");
    expect(text(".foot .rows")).toContain("400 rows");
  });

  it("shows controls that somebody else set, without reporting them", () => {
    const made = mount();
    made.adopt({ ...view.controls, budget: 200 });
    expect(box("budget").value).toBe("200");
    expect(reports).toEqual([]);
  });

  it("leaves nothing behind", () => {
    mount().destroy();
    component = null;
    expect(el.childElementCount).toBe(0);
  });

  it("is a widget: controls go to the model", async () => {
    const model = new FakeModel({ _view: view, controls: view.controls });
    const stop = allocationEntry.render({ model, el });
    slide("budget", 80);
    await vi.waitFor(() => expect(model.get("controls")).toMatchObject({ budget: 800 }));
    stop();
    expect(el.childElementCount).toBe(0);
  });

  it("stands on a saved page, and says what is wrong with a view of another version", () => {
    for (const data of [view, { ...view, version: 9 }]) {
      const script = document.createElement("script");
      script.type = "application/json";
      script.className = "rat-view";
      script.textContent = JSON.stringify(data);
      el.append(script);
    }
    mountAll(document, { allocation: mountAllocation });
    expect(el.querySelectorAll(".rat-allocation").length).toBe(1);
    expect(text(".problem")).toContain("version 1");
  });
});

describe("simulation", { timeout: 60_000 }, () => {
  const refine = () => find<HTMLButtonElement>(".refine");
  const progress = () => find<HTMLProgressElement>("progress");

  it("fills in widths with their errors, and forgets them at the next move", async () => {
    mount(view, { ...view.controls, hidden: ["optimal", "half_joint_r", "half_joint_t", "all_t", "t_then_r"] });
    refine().click();
    expect(refine().textContent).toBe("Stop");
    expect(progress().hidden).toBe(false);
    await vi.waitFor(() => expect(text(".count")).toMatch(/^180 simulated purchases/), 50_000);
    expect(refine().hidden).toBe(true);
    expect(progress().hidden).toBe(true);
    const said = row("all_r").querySelector(".simulated")!.textContent!;
    // 0.105 by Python's study: half of it in points.
    const [, half, error] = /^simulated ([\d.]+) ± ([\d.]+)$/.exec(said)!.map(Number);
    expect(Math.abs(half! - 5.27)).toBeLessThan(2 * error! + 0.1);
    expect(el.querySelectorAll(".bars path").length).toBe(3);
    expect(reports).toEqual([]);
    slide("budget", 80);
    expect(text(".count")).toBe("");
    expect(el.querySelectorAll(".bars path").length).toBe(0);
  });

  it("stops when it is told to, and keeps what is done", async () => {
    mount();
    refine().click();
    await vi.waitFor(() => expect(progress().value).toBeGreaterThan(8), 20_000);
    refine().click();
    const { value } = progress();
    expect(text(".count")).toMatch(new RegExp(`^${value} of 480 simulated purchases, stopped$`));
    await new Promise((later) => setTimeout(later, 100));
    expect(progress().value).toBe(value);
    expect(refine().textContent).toBe("Refine by simulation");
  });

  it("is not offered with judges, nor without a purchase", () => {
    mount(planView("judged"));
    expect(find(".simulate").hidden).toBe(true);
    component!.destroy();
    mount(view, { ...view.controls, budget: 0 });
    expect(find(".simulate").hidden).toBe(true);
  });
});
