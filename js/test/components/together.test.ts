import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Component, Mount } from "../../src/components/component.ts";
import { mountJudges } from "../../src/components/judge.ts";
import { together } from "../../src/components/together.ts";
import { mountTree } from "../../src/components/tree.ts";
import { mountAll } from "../../src/entries/page.ts";
import { judgeView } from "../judge-sample.ts";
import { COUNTS, sampleGroup, sampleView } from "../sample.ts";

const QWEN = [0.2078, 0.4632, 0.036, 0.4447, 0.6809];
const APERTUS = [0.2072, 0.039, 0.005, 0.2585, 0.5157];
const judged = judgeView({ n_only: 300, groups: [{ label: "qwen", theta: QWEN }, { label: "apertus", theta: APERTUS }] });
const treeOf = (...labels: readonly string[]) =>
  sampleView(labels.map((label, i) => sampleGroup(label, COUNTS.map((n, k) => n + 20 * i * k))));

afterEach(() => document.body.replaceChildren());

const select = (root: string) => document.querySelector<HTMLSelectElement>(`${root} select.group`)!;
const choose = (root: string, index: number) => {
  const picker = select(root);
  picker.value = String(index);
  picker.dispatchEvent(new Event("change", { bubbles: true }));
};
const chosen = (root: string) => select(root).options[Number(select(root).value)]?.textContent;
const headline = (root: string) => document.querySelector(`${root} .headline`)!.textContent;

function put(...views: readonly unknown[]): void {
  for (const view of views) {
    const script = document.createElement("script");
    script.type = "application/json";
    script.className = "rat-view";
    script.textContent = JSON.stringify(view);
    document.body.append(script);
  }
}

describe("the parts of a report", () => {
  beforeEach(() => {
    put(treeOf("qwen", "apertus"), judged);
    mountAll(document, { tree: mountTree, judge: mountJudges }, together());
  });

  it.each([[".rat-tree", ".rat-judges"], [".rat-judges", ".rat-tree"]])("chosen in %s is shown in %s, there and back", (here, there) => {
    const before = [headline(here), headline(there)];
    choose(here, 1);
    expect([chosen(here), chosen(there)]).toEqual(["apertus", "apertus"]);
    expect(headline(there)).not.toBe(before[1]);
    choose(there, 0);
    expect([headline(here), headline(there)]).toEqual(before);
    choose(here, 1);
    expect([chosen(here), chosen(there)]).toEqual(["apertus", "apertus"]);
  });

  it("keep what else a reader has moved in them", () => {
    const slider = document.querySelector<HTMLInputElement>(".rat-tree input.slider")!;
    slider.value = "0.9";
    slider.dispatchEvent(new Event("change", { bubbles: true }));
    choose(".rat-judges", 1);
    expect(chosen(".rat-tree")).toBe("apertus");
    expect(headline(".rat-tree")).toMatch(/^What if/);
  });

  it("leave the focus where it is", () => {
    select(".rat-judges").focus();
    choose(".rat-judges", 1);
    expect(document.activeElement).toBe(select(".rat-judges"));
  });
});

describe("parts that share some of their systems", () => {
  it("go by the names, and not by the places in the list", () => {
    put(treeOf("third", "apertus", "qwen"), judged);
    mountAll(document, { tree: mountTree, judge: mountJudges }, together());
    choose(".rat-tree", 2);
    expect(chosen(".rat-judges")).toBe("qwen");
    choose(".rat-judges", 1);
    expect(chosen(".rat-tree")).toBe("apertus");
    choose(".rat-tree", 0);
    expect(chosen(".rat-judges")).toBe("apertus");
  });

  it("go on when one of them cannot be shown", () => {
    put({ kind: "judge", version: 1 }, treeOf("qwen", "apertus"), judged);
    mountAll(document, { tree: mountTree, judge: mountJudges }, together());
    expect(document.querySelectorAll("[role=alert]")).toHaveLength(1);
    choose(".rat-tree", 1);
    expect(chosen(".rat-judges")).toBe("apertus");
  });

  it("are told of a choice once, and of no other move", () => {
    const adopted = vi.fn();
    const reporters: ((controls: unknown) => void)[] = [];
    const mount: Mount<never> = (_el, _view, host) => {
      reporters.push(host.report as (controls: unknown) => void);
      return { update: vi.fn(), adopt: adopted, destroy: vi.fn() } satisfies Component;
    };
    const add = together();
    const view = { groups: [{ label: "a" }, { label: "b" }], controls: { group: 0 } };
    for (const place of [document.createElement("div"), document.createElement("div")]) add(mount, place, view);
    const [report] = reporters;
    report!({ group: 0, pins: { x: 0.5 } });
    expect(adopted).not.toHaveBeenCalled();
    report!({ group: 1 });
    report!({ group: 1, pins: { x: 0.5 } });
    expect(adopted.mock.calls).toEqual([[{ group: 1 }]]);
  });

  it("a page of one kind of view has parts that are by themselves", () => {
    put(treeOf("qwen", "apertus"), treeOf("qwen", "apertus"));
    mountAll(document, { tree: mountTree });
    const [first, second] = document.querySelectorAll<HTMLSelectElement>("select.group");
    first!.value = "1";
    first!.dispatchEvent(new Event("change", { bubbles: true }));
    expect(second!.value).toBe("0");
  });
});
