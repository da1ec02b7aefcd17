// @vitest-environment node
import { describe, expect, it } from "vitest";
import { LEAVES, PRESETS } from "../../src/contract/tables.ts";
import type { TreeControls, TreeView } from "../../src/contract/tree.ts";
import { plain } from "../../src/core/sentence.ts";
import { fitGroup } from "../../src/engine/tree.ts";
import { treePicture } from "../../src/layout/picture.ts";
import { sampleGroup, sampleView, UNDEFINED } from "../sample.ts";

const PLAIN = sampleView();
const PLAIN_FIT = fitGroup(PLAIN, PLAIN.groups[0]!);

function picture(view: TreeView = PLAIN, controls: Partial<TreeControls> = {}, width = 1100) {
  const all = { ...view.controls, ...controls };
  return treePicture(view, all, view === PLAIN ? PLAIN_FIT : fitGroup(view, view.groups[all.group]!), width);
}

const number = (text: string) => (text === "" ? 0 : Number(text.replace("−", "-")));

describe("a tree's numbers", () => {
  it("add up in both columns of the ledger, under any 0/1 policy", () => {
    for (let choice = 0; choice < 64; choice++) {
      const policy = Object.fromEntries(LEAVES.map((world, i) => [world, (choice >> i) & 1]));
      const { leaves, totals } = picture(undefined, { policy });
      expect(leaves.reduce((total, leaf) => total + number(leaf.task), 0)).toBe(number(totals.task));
      expect(leaves.reduce((total, leaf) => total + number(leaf.policy), 0)).toBe(number(totals.policy));
    }
  });

  it("are the headline's", () => {
    const { headline, totals } = picture();
    expect(plain(headline)).toContain(`Of 100 queries, ${totals.task} get a correct answer`);
    expect(plain(headline)).toContain(`the right thing in ${totals.policy} `);
  });

  it("are the view's own texts under its own policy", () => {
    const view = sampleView();
    const { stats, branches, quantities } = picture(view);
    const group = view.groups[0]!;
    for (const stat of stats) {
      const estimate = group.quantities[stat.key] ?? group.branches[stat.key]!;
      expect(`${stat.value} (${stat.interval})`).toBe(estimate.text);
    }
    for (const branch of branches) expect(`${branch.value} (${branch.interval})`).toBe(group.branches[branch.key]!.text);
    for (const row of quantities) expect(row.text).toBe((group.quantities[row.key] ?? group.branches[row.key]!).text);
  });

  it("of the step before are the branch's and its complement", () => {
    const view = sampleView();
    const { leaves } = picture(view, { unit: "step" });
    const branch = view.groups[0]!.branches["correct_given_hit"]!;
    expect(leaves[0]!.interval).toBe(branch.text);
    expect(leaves[1]!.interval.startsWith(`${100 - Math.round(100 * branch.value!)}%`)).toBe(true);
  });

  it("turn grey where the interval is wider than 50 points", () => {
    const few = sampleView([sampleGroup("", [0, 1, 0, 1, 0, 1, 0])]);
    expect(picture(few).branches.find((b) => b.key === "correct_given_hit")!.isVague).toBe(true);
    expect(picture().branches.every((branch) => !branch.isVague)).toBe(true);
  });
});

describe("states", () => {
  it("without rows show the prior and say so", () => {
    const empty = picture(sampleView([sampleGroup("", [0, 0, 0, 0, 0, 0, 0])]));
    expect(plain(empty.headline)).toBe("No labels yet. Every number below is the prior, not a finding.");
    expect(empty.isPrior).toBe(true);
    expect(empty.branches.every((branch) => branch.plot.area === "" && branch.plot.prior !== "")).toBe(true);
  });

  it("with another policy show the difference and where the fit is", () => {
    const changed = picture(undefined, { policy: PRESETS.no_harm });
    const stat = changed.stats[3]!;
    expect(stat.name).toBe("No wrong answer");
    expect(stat.delta).toMatch(/^\+\d+$/);
    expect(stat.plot.ghost).not.toBe("");
    expect(changed.policyHelp).toContain(stat.delta);
    expect(changed.leaves.find((leaf) => leaf.key === "miss_right")!.isGood).toBe(true);
    expect(plain(picture(undefined, { policy: { ...PRESETS.adherence, miss_abstained: 0 } }).headline)).not.toContain("rightly");
  });

  it("do not call declining right where the policy does not", () => {
    const strict = picture(undefined, { policy: { ...PRESETS.adherence, miss_abstained: 0 } });
    expect(strict.leaves[5]!.words).toBe("no evidence, declined");
    expect(picture().leaves[5]!.words).toBe("no evidence, rightly declined");
  });

  it("with weights show them as numbers, and their share of the total", () => {
    const weighed = picture(undefined, { policy: { ...PRESETS.adherence, miss_right: 0.5, miss_wrong: -1 } });
    expect(weighed.leaves[3]!.weight).toBe("0.5");
    expect(weighed.leaves[4]!.weight).toBe("−1");
    expect(weighed.stats[3]!.name).toBe("Utility a query");
    const sum = weighed.leaves.reduce((total, leaf) => total + number(leaf.policy), 0);
    expect(sum).toBeCloseTo(number(weighed.totals.policy), 0);
  });

  it("undefined read as a dash with the reason, never as NaN", () => {
    const group = sampleGroup();
    const odd = {
      ...group,
      branches: { ...group.branches, correct_given_hit: UNDEFINED },
      quantities: { ...group.quantities, selective_accuracy: UNDEFINED },
    };
    const shown = picture(sampleView([odd]));
    expect(shown.branches[2]).toMatchObject({ value: "–", interval: "no query gets here" });
    expect(shown.quantities.find((row) => row.key === "selective_accuracy")!.text).toBe("– (undefined: A=0 has no probability)");
    expect(JSON.stringify(shown)).not.toContain("NaN");
  });
});

describe("words", () => {
  it("count labels behind a node, and say them in full to those who cannot see", () => {
    const group = sampleGroup();
    const labels = { rows: 376, labelled: 310, judged: 20, possible: 12 };
    const shown = picture(sampleView([{ ...group, labels: { ...group.labels, correct_given_hit: labels } }]));
    const branch = shown.branches.find((b) => b.key === "correct_given_hit")!;
    expect(branch.labels).toBe("T on 310 of 376; 20 judge only; 12 may belong here");
    expect(branch.sentence).toContain("T on 310 of 376; 20 judge only; 12 may belong here.");
    expect(shown.branches[0]!.labels).toBe("R on 568 of 568 rows");
  });

  it("for the clipboard name the group where there are several", () => {
    const view = sampleView([sampleGroup("bm25"), sampleGroup("dense")]);
    expect(picture(view, { group: 1 }).sentence).toMatch(/^dense: Of 100 queries, /);
    expect(picture().sentence).toMatch(/^Of 100 queries, /);
  });

  it("in Python carry the state that differs from the call", () => {
    const view = sampleView([sampleGroup("a"), sampleGroup("b")], { python: "rat.tree(df, by='system'" });
    expect(picture(view).python).toBe("rat.tree(df, by='system')");
    expect(picture(view, { group: 1, unit: "step" }).python).toBe(
      "rat.tree(df, by='system', controls={'group': 1, 'unit': 'step'})",
    );
    expect(picture(view, { policy: { ...PRESETS.adherence, miss_right: 1 } }).python).toBe(
      "rat.tree(df, by='system', policy={'miss_abstained': 1, 'hit_abstained': 0, 'miss_wrong': 0, 'miss_right': 1, 'hit_wrong': 0, 'hit_right': 1})",
    );
  });
});
