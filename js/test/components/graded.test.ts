import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TreeControls } from "../../src/contract/tree.ts";
import type { Component } from "../../src/components/component.ts";
import { mountTree } from "../../src/components/tree.ts";
import { shapeOf } from "../../src/core/shape.ts";
import { gradedView, sampleView, THREE, type LevelCounts } from "../sample.ts";

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
});

const mount = (view: unknown = gradedView(), controls: unknown = null) =>
  (component = mountTree(el, view, { report: (moved) => reports.push(moved) }, controls));
const branch = (key: string) => [...el.querySelectorAll<HTMLElement>("[data-branch]")].find(({ dataset }) => dataset["branch"] === key)!;
const leaf = (key: string) => [...el.querySelectorAll<HTMLElement>("[data-world]")].find(({ dataset }) => dataset["world"] === key)!;
const part = <E extends HTMLElement = HTMLInputElement>(key: string, selector: string) => branch(key).querySelector<E>(selector)!;
const text = (selector: string) => el.querySelector(selector)!.textContent;
const slide = (key: string, value: number) => {
  const slider = part(key, ".slider");
  slider.value = String(value);
  for (const event of ["input", "change"]) slider.dispatchEvent(new Event(event, { bubbles: true }));
};
const type = (key: string, value: string) => {
  part(key, ".box").value = value;
  part(key, ".box").dispatchEvent(new Event("change", { bubbles: true }));
};
const press = (node: Element, key: string) => node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

describe("a tree of three levels", () => {
  it("reads level by level, each with its branches and leaves, under one root", () => {
    mount();
    const order = [...el.querySelectorAll<HTMLElement>(".start, [data-branch], [data-world]")].map(({ dataset, className }) => dataset["branch"] ?? dataset["world"] ?? className);
    expect(order).toEqual([
      "start",
      ...["all", "partial", "none"].flatMap((name) => [
        `retrieval[${name}]`, `abstain_given[${name}]`, `correct_given[${name}]`, `${name}_right`, `${name}_wrong`, `${name}_abstained`,
      ]),
    ]);
    expect(text(".start")).toBe("All 100 queriesR on 494 of 494 rows");
    expect(branch("retrieval[partial]").querySelector(".question")!.textContent).toMatch(/^in\s\d+ of 100 queries$/);
    for (const node of el.querySelectorAll("button, select, input, [role=img]")) {
      expect(node.getAttribute("aria-label") || node.textContent?.trim() || (node as HTMLInputElement).type === "radio", node.outerHTML.slice(0, 90)).toBeTruthy();
    }
  });

  it("moves its levels together: the pinned one as set, the others in proportion", () => {
    mount();
    slide("retrieval[all]", 0.6);
    expect(reports.at(-1)?.pins).toEqual({ "retrieval[all]": 0.6 });
    const told = ["all", "partial", "none"].map((name) => Number(branch(`retrieval[${name}]`).querySelector(".question b")!.textContent));
    expect(told[0]).toBe(60);
    expect(told.reduce((a, b) => a + b, 0)).toBe(100);
    expect(text(".deck")).toMatch(/^You set retrieval finds all the evidence: 60% instead of \d+%\. /);
    expect(part("retrieval[none]", ".slider").max).toBe("0.4");
    expect(part("retrieval[none]", ".slider").style.width).toContain("0.4");
    expect(part("retrieval[all]", ".slider").max).toBe("1");
    expect(branch("retrieval[none]").querySelector(".fit")!.getAttribute("visibility")).toBe("visible");
  });

  it("refuses in a box what the other levels do not leave, and says how much that is", () => {
    mount();
    type("retrieval[all]", "62,5");
    type("retrieval[none]", "40");
    expect(reports.at(-1)?.pins).toEqual({ "retrieval[all]": 0.625 });
    expect(text(".said")).toBe("At most 37.5% beside the other levels");
    type("retrieval[none]", "37.5");
    expect(reports.at(-1)?.pins).toEqual({ "retrieval[none]": 0.375, "retrieval[all]": 0.625 });
  });

  it("takes its controls from the level that the others settle, and gives them back", () => {
    mount();
    slide("retrieval[all]", 0.6);
    slide("retrieval[none]", 0.3);
    for (const selector of [".slider", ".box"]) expect(part("retrieval[partial]", selector).disabled).toBe(true);
    expect(branch("retrieval[partial]").title).toBe("The other levels are set and leave this one no choice");
    expect(part("retrieval[partial]", ".box").value).toBe("10");
    slide("retrieval[partial]", 0.9);
    expect(reports.at(-1)?.pins).toEqual({ "retrieval[none]": 0.3, "retrieval[all]": 0.6 });
    part<HTMLButtonElement>("retrieval[none]", ".unpin").click();
    expect(part("retrieval[partial]", ".slider").disabled).toBe(false);
    el.querySelector<HTMLButtonElement>(".finding .unpin")!.click();
    expect(part("retrieval[none]", ".slider").max).toBe("1");
    expect(part("retrieval[none]", ".slider").style.width).toBe("");
    expect(reports.at(-1)?.pins).toBeNull();
  });

  it("takes controls whose levels can be, and no others", () => {
    mount(gradedView(), { pins: { "retrieval[all]": 0.7, "retrieval[none]": 0.4 } });
    expect(text(".headline")).not.toMatch(/^What if/);
    component?.adopt({ pins: { "retrieval[all]": 0.2, "retrieval[none]": 0.3, "retrieval[partial]": 0.5 } });
    expect(text(".headline")).toMatch(/^What if/);
    expect(["all", "none", "partial"].every((name) => part(`retrieval[${name}]`, ".slider").disabled)).toBe(true);
    expect(["all", "none", "partial"].some((name) => part<HTMLButtonElement>(`retrieval[${name}]`, ".unpin").disabled)).toBe(false);
  });

  it("by arrow keys goes through nine outcomes and up to their branch", () => {
    mount();
    const first = leaf("all_right").querySelector<HTMLElement>(".sign")!;
    first.focus();
    for (let i = 0; i < 4; i++) press(document.activeElement!, "ArrowDown");
    expect(document.activeElement?.closest<HTMLElement>("[data-world]")?.dataset["world"]).toBe("partial_wrong");
    press(document.activeElement!, "ArrowLeft");
    expect(document.activeElement).toBe(part("correct_given[partial]", ".slider"));
  });

  it("over a leaf darkens the way of its own level, and over a branch no further", () => {
    mount();
    const on = () => [...el.querySelectorAll<HTMLElement>(".branch.on")].map(({ dataset }) => dataset["branch"]);
    leaf("partial_wrong").dispatchEvent(new Event("pointerover", { bubbles: true }));
    expect(on()).toEqual(["retrieval[partial]", "abstain_given[partial]", "correct_given[partial]"]);
    branch("retrieval[partial]").dispatchEvent(new Event("pointerover", { bubbles: true }));
    expect(on()).toEqual(["retrieval[partial]"]);
    // Two pieces of the trunk, and the turn to the branch: none of what comes after it.
    expect([...el.querySelectorAll(".edges .on")].map((path) => path.getAttribute("data-depth"))).toEqual(["0", "0", "0"]);
  });

  it("turns the policy over by world, and writes Python with it", () => {
    mount();
    leaf("partial_right").querySelector<HTMLButtonElement>(".sign")!.click();
    expect(reports.at(-1)?.policy).toEqual({ ...shapeOf(THREE).presets["adherence"], partial_right: 1 });
    expect(text(".headline")).toMatch(/end as the policy asks/);
  });
});

describe("levels of any name", () => {
  const counts: LevelCounts = [[9, 8, 7], [6, 5, 4], [3, 2, 1]];

  it("reach the page as text, and work by mouse and keyboard", () => {
    const nasty = [`a"]{}\\ b`, `<img src=x onerror="window.hit=1">\n\u202e`, "constructor"];
    mount(gradedView(nasty, counts));
    expect(el.querySelectorAll("img, script")).toHaveLength(0);
    expect((window as unknown as { hit?: number }).hit).toBeUndefined();
    for (const name of nasty) expect(leaf(`${name}_right`).querySelector(".words")!.textContent).toMatch(/^retrieval “.*”, right$/s);
    slide(`retrieval[${nasty[1]}]`, 0.5);
    expect(reports.at(-1)?.pins).toEqual({ [`retrieval[${nasty[1]}]`]: 0.5 });
    leaf(`${nasty[0]}_wrong`).querySelector<HTMLButtonElement>(".sign")!.click();
    expect(reports.at(-1)?.policy?.[`${nasty[0]}_wrong`]).toBe(1);
    const sign = leaf(`${nasty[1]}_wrong`).querySelector<HTMLElement>(".sign")!;
    sign.focus();
    press(sign, "ArrowLeft");
    expect(document.activeElement).toBe(part(`correct_given[${nasty[1]}]`, ".slider"));
  });

  it("make another tree when a view with other levels comes, without what was moved on the old ones", () => {
    mount();
    slide("retrieval[all]", 0.6);
    component?.update(sampleView());
    expect(el.querySelectorAll("[data-world]")).toHaveLength(6);
    expect(el.querySelectorAll(".rat-tree")).toHaveLength(1);
    expect(text(".headline")).not.toMatch(/^What if/);
    component?.update(gradedView(["x", "y", "z"], counts));
    expect(el.querySelectorAll("[data-world]")).toHaveLength(9);
    slide("retrieval[z]", 0.25);
    expect(reports.at(-1)?.pins).toEqual({ "retrieval[z]": 0.25 });
  });
});
