import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LEAVES, PRESETS } from "../../src/contract/tables.ts";
import type { TreeControls } from "../../src/contract/tree.ts";
import type { Component } from "../../src/components/component.ts";
import { mountTree } from "../../src/components/tree.ts";
import entry from "../../src/entries/tree.ts";
import { mountAll } from "../../src/entries/page.ts";
import { FakeModel } from "../fake-model.ts";
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
  vi.restoreAllMocks();
});

const mount = (view: unknown = sampleView(), controls: unknown = null) =>
  (component = mountTree(el, view, { report: (moved) => reports.push(moved) }, controls));
const find = <E extends Element = HTMLElement>(selector: string): E => {
  const found = el.querySelector<E>(selector);
  if (!found) throw new Error(`Nothing matches ${selector}.`);
  return found;
};
const text = (selector: string) => find(selector).textContent;
const press = (node: Element, key: string) =>
  node.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));

describe("what is shown", () => {
  it("has the parts that its selectors promise", () => {
    mount();
    expect(find(".rat-widgets.rat-tree").dataset["theme"]).toBe("light");
    for (const world of LEAVES) {
      const leaf = find(`[data-world="${world}"]`);
      for (const part of ["button.sign", ".ledger-task", ".ledger-policy"]) expect(leaf.querySelector(part)).not.toBeNull();
    }
    for (const selector of [
      '[data-branch="retrieval_success"]',
      ".headline",
      ".deck",
      ".rows",
      "select.group",
      'input[name^="unit"][value=step]',
      "button.copy-python",
      "button.copy-sentence",
      "button.reset",
      "button.undo",
      ".total-task",
      ".total-policy",
    ]) {
      expect(find(selector)).toBeTruthy();
    }
    const stat = sampleView().groups[0]!.quantities["policy_adherence"]!;
    expect(`${text('[data-stat="policy_adherence"] .value')} (${text('[data-stat="policy_adherence"] .interval')})`).toBe(stat.text);
  });

  it("offers a picker only where there is a choice", () => {
    mount();
    expect(find<HTMLElement>(".picker").hidden).toBe(true);
    component?.update(sampleView([sampleGroup("a"), sampleGroup("b")]));
    expect(find<HTMLElement>(".picker").hidden).toBe(false);
    expect(find("select.group").getAttribute("aria-label")).toBe("system");
  });

  it("puts hostile strings on the page as text", () => {
    const nasty = `<img src=x onerror="window.hit=1"><script>window.hit=1</script>"'\n‮שלום🙂`;
    const group = { ...sampleGroup(nasty), rows: nasty, notes: [{ level: "warning" as const, text: nasty }] };
    mount(sampleView([group, sampleGroup(`${nasty}2`)], { by: [nasty] }));
    expect(el.querySelectorAll("img, script")).toHaveLength(0);
    expect((window as unknown as { hit?: number }).hit).toBeUndefined();
    expect(text(".note")).toBe(nasty);
    expect(text(".rows")).toBe(nasty);
    expect(find<HTMLOptionElement>("option").textContent).toBe(nasty);
  });

  it("names every interactive and every drawn thing", () => {
    mount();
    for (const node of el.querySelectorAll("button, select, [role=img], [tabindex='0']")) {
      expect(node.getAttribute("aria-label") || node.textContent?.trim(), node.outerHTML.slice(0, 90)).toBeTruthy();
    }
  });

  it("does not touch the page when nothing has changed", async () => {
    const view = sampleView();
    mount(view);
    const seen: MutationRecord[] = [];
    const observer = new MutationObserver((records) => seen.push(...records));
    observer.observe(el, { attributes: true, childList: true, characterData: true, subtree: true });
    component?.adopt(view.controls);
    await Promise.resolve();
    observer.disconnect();
    expect(seen.map((record) => record.attributeName ?? record.type)).toEqual([]);
  });
});

describe("moves", () => {
  it("on a sign turn the policy over, report it, and can be undone", () => {
    mount();
    const before = text(".headline");
    const sign = find<HTMLButtonElement>('[data-world="miss_right"] .sign');
    expect(sign.getAttribute("aria-pressed")).toBe("false");
    sign.click();
    expect(sign.getAttribute("aria-pressed")).toBe("true");
    expect(reports.at(-1)?.policy).toEqual({ ...PRESETS.adherence, miss_right: 1 });
    expect(text(".headline")).toMatch(/end as the policy asks/);
    expect(text('[data-stat="policy_adherence"] .delta')).toMatch(/^\+\d+$/);
    expect(find<HTMLElement>(".reset").hidden).toBe(false);
    find<HTMLButtonElement>(".undo").click();
    expect(reports.at(-1)?.policy).toBeNull();
    expect(text(".headline")).toBe(before);
    expect(find<HTMLElement>(".undo").hidden).toBe(true);
    expect(find<HTMLElement>(".reset").hidden).toBe(true);
  });

  it("on the unit and the picker change what is shown", () => {
    mount(sampleView([sampleGroup("a"), sampleGroup("b", [9, 9, 9, 9, 9, 9, 9])]));
    const step = find<HTMLInputElement>('input[name^="unit"][value=step]');
    step.checked = true;
    step.dispatchEvent(new Event("change", { bubbles: true }));
    expect(text('[data-branch="abstain_given_miss"] .question')).toContain("of 100 such, declines");
    const select = find<HTMLSelectElement>("select.group");
    select.value = "1";
    select.dispatchEvent(new Event("change", { bubbles: true }));
    expect(text(".rows")).toBe("63 rows.");
    expect(reports).toEqual([
      { group: 0, unit: "step", policy: null, pins: null },
      { group: 1, unit: "step", policy: null, pins: null },
    ]);
  });

  it("by arrow keys go from outcome to outcome and up to the branch", () => {
    mount();
    const first = find<HTMLElement>('[data-world="hit_right"] .sign');
    first.focus();
    press(first, "ArrowDown");
    expect(document.activeElement?.closest("[data-world]")?.getAttribute("data-world")).toBe("hit_wrong");
    press(document.activeElement!, "End");
    expect(document.activeElement?.closest("[data-world]")?.getAttribute("data-world")).toBe("miss_abstained");
    press(document.activeElement!, "ArrowLeft");
    expect(document.activeElement?.className).toBe("slider");
    expect(document.activeElement?.closest("[data-branch]")?.getAttribute("data-branch")).toBe("abstain_given_miss");
  });

  it("with the keyboard keep the notebook from acting on the same key", () => {
    mount();
    const outside = vi.fn();
    document.body.addEventListener("keydown", outside);
    press(find('[data-world="hit_right"] .sign'), "Enter");
    press(find('[data-world="hit_right"] .sign'), "ArrowDown");
    expect(outside).not.toHaveBeenCalled();
    press(find('[data-world="hit_right"] .sign'), "a");
    expect(outside).toHaveBeenCalledOnce();
    document.body.removeEventListener("keydown", outside);
  });

  it("over a leaf darken its way from the root", () => {
    mount();
    find('[data-world="hit_wrong"]').dispatchEvent(new Event("pointerover", { bubbles: true }));
    const on = [...el.querySelectorAll(".branch.on")].map((node) => node.getAttribute("data-branch"));
    expect(on).toEqual(["retrieval_success", "abstain_given_hit", "correct_given_hit"]);
    find(".rat-tree").dispatchEvent(new Event("pointerleave"));
    expect(el.querySelectorAll(".on")).toHaveLength(0);
  });

  it("copy the sentence, or lay it out selected where the browser refuses", async () => {
    mount();
    const writeText = vi.fn().mockResolvedValueOnce(undefined).mockRejectedValueOnce(new Error("denied"));
    vi.spyOn(navigator.clipboard, "writeText").mockImplementation(writeText);
    Object.assign(document, { execCommand: () => false });
    find<HTMLButtonElement>(".copy-sentence").click();
    await vi.waitFor(() => expect(text(".said")).toBe("Copied"));
    expect(writeText).toHaveBeenCalledWith(text(".headline"));
    find<HTMLButtonElement>(".copy-python").click();
    await vi.waitFor(() => expect(find<HTMLElement>(".copy-box").hidden).toBe(false));
    expect(find<HTMLTextAreaElement>(".copy-text").value).toBe("rat.tree(df)");
    press(find(".copy-text"), "Escape");
    expect(find<HTMLElement>(".copy-box").hidden).toBe(true);
  });
});

describe("life", () => {
  it("keeps the reader's state when the view changes", () => {
    mount(sampleView([sampleGroup("a"), sampleGroup("b")]), { group: 1, unit: "step", policy: PRESETS.no_harm, pins: null });
    component?.update(sampleView([sampleGroup("b", [1, 1, 1, 1, 1, 1, 1]), sampleGroup("a")]));
    expect(find<HTMLSelectElement>("select.group").value).toBe("0");
    expect(text(".rows")).toBe("7 rows.");
    expect(find<HTMLInputElement>("input[value=step]").checked).toBe(true);
    expect(find('[data-world="hit_abstained"] .sign').getAttribute("aria-pressed")).toBe("true");
    expect(reports).toEqual([{ group: 0, unit: "step", policy: PRESETS.no_harm, pins: null }]);
  });

  it("removes every listener and observer that it added", () => {
    const added: string[] = [];
    const removed: string[] = [];
    let target: object = el;
    while (!Object.hasOwn(target, "addEventListener")) target = Object.getPrototypeOf(target) as object;
    const prototype = target as EventTarget;
    const add = vi.spyOn(prototype, "addEventListener").mockImplementation((name) => void added.push(name));
    const remove = vi.spyOn(prototype, "removeEventListener").mockImplementation((name) => void removed.push(name));
    const disconnects = vi.spyOn(MutationObserver.prototype, "disconnect");
    mount();
    component?.destroy();
    component = null;
    expect(added.length).toBeGreaterThan(0);
    expect(removed.sort()).toEqual(added.sort());
    expect(disconnects).toHaveBeenCalled();
    expect(el.children).toHaveLength(0);
    add.mockRestore();
    remove.mockRestore();
  });

  it("lives in a shadow root, and several at once do not share their radio buttons", () => {
    const shadow = el.attachShadow({ mode: "open" });
    const inside = document.createElement("div");
    shadow.append(inside);
    const host = { report: () => undefined };
    const [a, b] = [mountTree(inside, sampleView(), host), mountTree(inside, sampleView(), host)];
    const names = new Set([...inside.querySelectorAll<HTMLInputElement>("input[type=radio]")].map((input) => input.name));
    expect(names.size).toBe(2);
    inside.querySelector<HTMLButtonElement>('[data-world="miss_right"] .sign')?.click();
    expect(inside.querySelectorAll(".changed")).toHaveLength(1);
    a.destroy();
    b.destroy();
  });

  it("shows a thousand groups without delay", () => {
    const one = sampleGroup("g");
    const groups = Array.from({ length: 1000 }, (_, i) => ({ ...one, label: `group ${i}` }));
    mount(sampleView(groups));
    expect(el.querySelectorAll("option")).toHaveLength(1000);
    const select = find<HTMLSelectElement>("select.group");
    const start = performance.now();
    for (let i = 0; i < 5; i++) {
      select.value = String(100 * i);
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }
    // happy-dom, not a browser: an order of magnitude is what this can tell.
    expect((performance.now() - start) / 5).toBeLessThan(500);
  });
});

describe("entries", () => {
  it("render for anywidget, follow the model and clean up twice", () => {
    const model = new FakeModel({ _view: sampleView(), controls: { group: 0, unit: "step", policy: null, pins: null } });
    const destroy = entry.render({ model, el });
    expect(find<HTMLInputElement>("input[value=step]").checked).toBe(true);
    find<HTMLButtonElement>('[data-world="miss_right"] .sign').click();
    expect(model.get("controls")).toMatchObject({ unit: "step", policy: { miss_right: 1 } });
    model.set("_view", sampleView([sampleGroup("", [1, 0, 0, 0, 0, 0, 0])]));
    expect(text(".rows")).toBe("1 rows.");
    destroy();
    destroy();
    expect(model.listeners).toBe(0);
    expect(el.children).toHaveLength(0);
  });

  it("take a view and controls that come in one message together, in either order", () => {
    const views = [["a", "b"], ["b", "c", "a"], ["c", "a"]].map((labels) => sampleView(labels.map((label) => sampleGroup(label))));
    const model = new FakeModel({ _view: views[0], controls: { group: 0, unit: "queries", policy: null, pins: null } });
    const destroy = entry.render({ model, el });
    model.receive({ controls: { group: 2, unit: "queries", policy: null, pins: null }, _view: views[1] });
    expect(find<HTMLSelectElement>("select.group").value).toBe("2");
    model.receive({ _view: views[2], controls: { group: 1, unit: "step", policy: null, pins: null } });
    expect(find<HTMLSelectElement>("select.group").value).toBe("1");
    expect(find<HTMLInputElement>("input[value=step]").checked).toBe(true);
    expect(model.saves).toBe(0);
    destroy();
  });

  it("say what is wrong in place of a view they cannot read, and recover", () => {
    const model = new FakeModel({ _view: { kind: "tree", version: 2 }, controls: {} });
    const destroy = entry.render({ model, el });
    expect(text(".rat-problem")).toContain('Expected a "tree" view, version 1');
    model.set("_view", sampleView());
    expect(el.querySelector(".rat-problem")).toBeNull();
    expect(text(".headline")).toContain("Of 100 queries");
    destroy();
  });

  it("mount the views of a saved page once", () => {
    const script = document.createElement("script");
    script.type = "application/json";
    script.className = "rat-view";
    script.textContent = JSON.stringify(sampleView());
    document.body.append(script);
    mountAll(document, { tree: mountTree });
    mountAll(document, { tree: mountTree });
    expect(document.querySelectorAll(".rat-tree")).toHaveLength(1);
  });
});
