// @vitest-environment node
import { describe, expect, it } from "vitest";
import type { TreeControls } from "../../src/contract/tree.ts";
import { entry } from "../../src/core/records.ts";
import { plain } from "../../src/core/sentence.ts";
import { shapeOf } from "../../src/core/shape.ts";
import { charactersIn } from "../../src/core/words.ts";
import { fitGroup } from "../../src/engine/tree.ts";
import { treePicture } from "../../src/layout/picture.ts";
import { treeLayout, type Box } from "../../src/layout/tree.ts";
import { gradedView, THREE, type LevelCounts } from "../sample.ts";

const LONG = "passages from another edition of the manual, which nobody reads any more";
const FOUR = ["nothing", LONG, `<b>"'\u202eשלום🙂${"W".repeat(300)}`, "d"];
const FOUR_COUNTS: LevelCounts = [[80, 40, 10], [30, 33, 12], [20, 30, 44], [9, 28, 119]];
/** Title and question of two lines each, slider, number, two lines of labels. */
const TALLEST = 4 * 19 + 38 + 20 + 30;
const TEN = Array.from({ length: 10 }, (_, i) => String(i));

function overlaps(a: Box, b: Box, height: number): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && Math.abs(a.y - b.y) < height;
}

describe("columns of graded retrieval", () => {
  it.each([[3, THREE], [4, FOUR], [10, TEN]] as const)("%i levels: nothing stands on anything else, at any width", (_, levels) => {
    const shape = shapeOf(levels);
    for (let width = 320; width <= 1600; width += 16) {
      const layout = treeLayout(shape, width);
      const { inner, branches, leaves, root, totals, policy, heads } = layout;
      for (const key of shape.reading) expect(entry(layout.plotWidths, key)).toBeGreaterThanOrEqual(110);
      for (const world of shape.leaves) expect(entry(layout.markWidths, world)).toBeGreaterThan(100);
      if (!branches || !leaves || !root || !totals || !policy || !heads) continue;
      const boxes = shape.reading.map((key) => entry(branches, key));
      boxes.forEach((box, i) => {
        for (const other of boxes.slice(i + 1)) expect(overlaps(box, other, TALLEST)).toBe(false);
        for (const world of shape.leaves) expect(box.x + box.width).toBeLessThan(entry(leaves, world).x);
        expect(box.y + TALLEST / 2).toBeLessThanOrEqual(policy.y);
        expect(box.x + box.width).toBeLessThanOrEqual(inner);
      });
      // The head of the root is one line; what stands below it in the first two columns keeps clear.
      for (const box of boxes) if (box.x < root.x + root.width) expect(box.y - TALLEST / 2).toBeGreaterThanOrEqual(root.y + 10);
      const rows = shape.leaves.map((world) => entry(leaves, world).y);
      rows.forEach((y, i) => expect(y - (rows[i - 1] ?? y - 68)).toBe(68));
      expect(rows.at(-1)! + 34).toBeLessThanOrEqual(totals.y);
      expect(entry(leaves, shape.leaves[0]!).width).toBeGreaterThanOrEqual(310);
    }
  });

  it("joins the levels at the left, and leads from each to its own branches and leaves", () => {
    const shape = shapeOf(FOUR);
    const { edges, branches } = treeLayout(shape, 1100);
    expect(edges.filter(({ depth }) => depth === 3)).toHaveLength(12);
    expect(edges.filter(({ depth }) => depth === 1 || depth === 2)).toHaveLength(8);
    const trunk = edges.filter(({ depth }) => depth === 0);
    for (const { retrieval, right } of shape.levels) {
      const y = entry(branches!, retrieval).y;
      // One piece ends at the branch's height; those above it lead there, too.
      expect(trunk.filter(({ path, to }) => path.includes(` ${y}H`) && to.includes(right))).toHaveLength(1);
      const level = shape.levels.findIndex((of) => of.right === right);
      expect(trunk.filter(({ to }) => to.includes(right))).toHaveLength(shape.levels.length - level + 1);
    }
    expect(JSON.stringify(edges)).not.toContain("NaN");
  });
});

describe("the picture of graded retrieval", () => {
  const view = gradedView();
  const fit = fitGroup(view, view.groups[0]!);
  const picture = (controls: Partial<TreeControls> = {}, width = 1100) => treePicture(view, { ...view.controls, ...controls }, fit, width);

  it("adds up: levels to 100, ledger to its totals and the headline", () => {
    const { branches, leaves, totals, headline } = picture();
    const levels = branches.filter(({ hue }) => hue === "r");
    expect(levels.map(({ title }) => title)).toEqual(["All the evidence", "Part of the evidence", "No evidence"]);
    expect(levels.reduce((total, { answer }) => total + Number(answer), 0)).toBe(100);
    expect(levels.every(({ question, tail }) => `${question}N${tail}` === "in\u00a0N of 100 queries")).toBe(true);
    for (const column of ["task", "policy"] as const) {
      expect(leaves.reduce((total, leaf) => total + Number(leaf[column]), 0)).toBe(Number(totals[column]));
    }
    expect(plain(headline)).toContain(`Of 100 queries, ${totals.task} get a correct answer`);
  });

  it("says once how many rows show R, and of A and T at each level", () => {
    const { root, branches } = picture();
    expect(root).toMatchObject({ title: "All 100 queries", labels: "R on 494 of 494 rows", help: "" });
    expect(branches.map(({ labels }) => labels.slice(0, 1)).join("")).toBe("AT".repeat(3));
  });

  it("shows the level at the top as the first number", () => {
    expect(picture().stats[0]).toMatchObject({ key: "retrieval[all]", name: "All the evidence", symbol: "P(R=all)", hue: "r" });
  });

  it("cuts a level's name where it does not fit, keeps it for hover and for those who cannot see", () => {
    const four = gradedView(FOUR, FOUR_COUNTS);
    const { leaves, branches } = treePicture(four, four.controls, fitGroup(four, four.groups[0]!), 900);
    const long = leaves.filter(({ key }) => key.startsWith(LONG));
    expect(long.map(({ words }) => words.slice(words.indexOf("…”")))).toEqual(["…”, right", "…”, answered wrong", "…”, rightly declined"]);
    for (const { words, help, name } of long) {
      expect(words.length).toBeLessThan(charactersIn(2 * 200, 14));
      expect(help).toContain(`retrieval “${LONG}”`);
      expect(name).toContain(`retrieval “${LONG}”`);
    }
    const level = branches.find(({ key }) => key === `retrieval[${LONG}]`)!;
    expect(level.title).toMatch(/^Retrieval “.*…”$/);
    expect(level.help).toContain(`Retrieval “${LONG}”`);
    expect(level.sentence).toContain(`Retrieval “${LONG}”, in 17 of 100 queries.`);
  });

  it("lets a slider go as far as the other levels leave, and says so", () => {
    const { branches } = picture({ pins: { "retrieval[all]": 0.6 } });
    const find = (key: string) => branches.find((branch) => branch.key === key)!;
    expect(find("retrieval[all]").slider).toMatchObject({ isPinned: true, max: 1, at: 0.6, whyFixed: "" });
    const none = find("retrieval[none]");
    expect(none.slider).toMatchObject({ isPinned: false, max: 0.4, whyFixed: "" });
    expect(none.slider.told).toMatch(/^\d+%, in \d+ of 100 queries; at most 40% beside the other levels$/);
    expect(none.plot.fitted).not.toBeNull();
    expect(none.plot.stop).toBeCloseTo(9 + 0.4 * (entry(picture().layout.plotWidths, "retrieval[none]") - 18), 6);
    expect(none.slider.at).toBeCloseTo(view.groups[0]!.branches["retrieval[none]"]!.value! * 0.4 / (1 - view.groups[0]!.branches["retrieval[all]"]!.value!), 1);
  });

  it("cannot move the level that the others settle, and says why", () => {
    const { branches } = picture({ pins: { "retrieval[all]": 0.6, "retrieval[none]": 0.3 } });
    const partial = branches.find(({ key }) => key === "retrieval[partial]")!;
    expect(partial).toMatchObject({ value: "10%", interval: "what is left", help: "The other levels are set and leave this one no choice" });
    expect(partial.sentence).toContain("The other levels are set and leave this one no choice.");
    expect(partial.plot.area).toBe("");
    expect(partial.slider.at).toBeCloseTo(0.1, 9);
    expect(branches.filter(({ slider }) => slider.whyFixed !== "")).toHaveLength(1);
  });

  it("never says NaN, whatever is pinned", () => {
    for (const pins of [{ "retrieval[all]": 1 }, { "retrieval[all]": 0, "retrieval[none]": 0, "retrieval[partial]": 1 }, { "retrieval[none]": 1, "abstain_given[none]": 1 }]) {
      for (const width of [320, 800, 1200]) expect(JSON.stringify(picture({ pins }, width))).not.toContain("NaN");
    }
  });

  it("copies as Python with the names of levels", () => {
    expect(picture({ pins: { "retrieval[all]": 0.6 } }).python).toBe("rat.tree(df, controls={'pins': {'retrieval[all]': 0.6}})");
  });
});
