// @vitest-environment node
import { describe, expect, it, test } from "vitest";
import { arePossible, keysOf, pinLimit } from "../../src/contract/levels.ts";
import { LEAVES, PARAMETERS, PRESETS, QUANTITIES, WORLDS } from "../../src/contract/tables.ts";
import { of100 } from "../../src/core/of-100.ts";
import { literal } from "../../src/core/python-call.ts";
import { entry, record } from "../../src/core/records.ts";
import { plain, whatIfDeck, deck } from "../../src/core/sentence.ts";
import { expand, shapeOf, wayTo } from "../../src/core/shape.ts";
import { leafWords, shortened, undefinedReason } from "../../src/core/words.ts";
import { uniforms } from "../../src/engine/random.ts";
import { BINARY, THREE } from "../sample.ts";

const SCALES: readonly (readonly string[])[] = [THREE, ["a", "b", "c", "d"], ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]];
const EACH = SCALES.map((levels) => [levels.length, levels] as const);
const shape = shapeOf(THREE);

describe("two levels", () => {
  it("keep every name and every set of worlds that the tables have", () => {
    const keys = keysOf(["miss", "hit"]);
    expect([keys.worlds, keys.leaves, keys.parameters, keys.branches]).toEqual([WORLDS, LEAVES, PARAMETERS, PARAMETERS]);
    for (const { numerator, denominator } of QUANTITIES) {
      expect(new Set(expand(keys, numerator))).toEqual(new Set(numerator));
      expect(new Set(expand(keys, denominator))).toEqual(new Set(denominator));
    }
    expect(BINARY.presets).toEqual(PRESETS);
    expect(BINARY.quantities).toBe(QUANTITIES);
  });
});

describe("more levels", () => {
  it("have the names of the contract, in its order", () => {
    expect(shape.worlds).toEqual([
      "none_abstained", "partial_abstained", "all_abstained",
      "none_wrong", "none_right", "partial_wrong", "partial_right", "all_wrong", "all_right",
    ]);
    expect(shape.parameters).toEqual([
      "retrieval[all]", "retrieval[partial | below all]",
      "abstain_given[none]", "abstain_given[partial]", "abstain_given[all]",
      "correct_given[none]", "correct_given[partial]", "correct_given[all]",
    ]);
    expect(shape.branches.slice(0, 3)).toEqual(["retrieval[none]", "retrieval[partial]", "retrieval[all]"]);
    expect(shape.leaves.slice(0, 4)).toEqual(["all_right", "all_wrong", "all_abstained", "partial_right"]);
    expect(keysOf(["a", "b", "c", "d"]).parameters.slice(0, 3)).toEqual(["retrieval[d]", "retrieval[c | below d]", "retrieval[b | below c]"]);
  });

  it("call the top one a hit and those below a miss, wherever two levels did", () => {
    const find = (key: string) => shape.quantities.find((q) => q.key === key)!;
    expect(find("lucky_share")).toMatchObject({
      symbol: "P(R below all | T=1)",
      numerator: ["none_right", "partial_right"],
      denominator: ["none_right", "partial_right", "all_right"],
    });
    expect(find("task_success_given_hit").denominator).toEqual(["all_abstained", "all_wrong", "all_right"]);
    const ones = Object.entries(entry(shape.presets, "adherence")).filter(([, weight]) => weight === 1);
    expect(ones.map(([world]) => world)).toEqual(["none_abstained", "partial_abstained", "all_right"]);
  });

  it.each(EACH)("%i: split the worlds among the levels, and ask for a part of what gets there", (_, levels) => {
    const { worlds, outcomes, steps, reading, quantities, leaves } = shapeOf(levels);
    expect([...leaves].sort()).toEqual([...worlds].sort());
    expect(worlds).toHaveLength(3 * levels.length);
    expect(reading).toHaveLength(3 * levels.length);
    const below = reading.filter((key) => entry(steps, key).depth === 0).flatMap((key) => entry(steps, key).below);
    expect([...below].sort()).toEqual([...worlds].sort());
    for (const world of leaves) expect(entry(steps, entry(outcomes, world).parent).below).toContain(world);
    for (const { numerator, denominator, key } of quantities) {
      for (const world of denominator.length > 0 ? numerator : []) expect(denominator, key).toContain(world);
    }
  });

  it("lead to a leaf by the branches of its own level", () => {
    expect(wayTo(shape, ["partial_right"], 3)).toEqual(["retrieval[partial]", "abstain_given[partial]", "correct_given[partial]"]);
    expect(wayTo(shape, ["partial_abstained"], 3)).toEqual(["retrieval[partial]", "abstain_given[partial]"]);
    expect(wayTo(shape, entry(shape.steps, "retrieval[partial]").below, 0)).toEqual(["retrieval[partial]"]);
  });
});

describe("words of levels", () => {
  it("are those of evidence for the names that people use, and quote any other", () => {
    expect(leafWords(shape, "partial_wrong", false)).toBe("part of the evidence, answered wrong");
    expect(leafWords(shape, "none_abstained", true)).toBe("no evidence, rightly declined");
    expect(leafWords(shape, "none_abstained", false)).toBe("no evidence, declined");
    const own = shapeOf(["none", "some", "all"]);
    expect(leafWords(own, "none_right", true)).toBe("retrieval “none”, right");
    expect(entry(own.steps, "retrieval[all]")).toMatchObject({ title: "Retrieval “all”", pin: "retrieval is “all”", asks: "in", tail: " of 100 queries" });
    expect(entry(own.steps, "abstain_given[all]")).toMatchObject({ title: "With retrieval “all”", pin: "declines with retrieval “all”" });
  });

  it("leave a level alone that is called as we call declining", () => {
    const odd = shapeOf(["rightly a", "b", "c"]);
    expect(leafWords(odd, "rightly a_abstained", false)).toBe("retrieval “rightly a”, declined");
  });

  it("are cut at the name, so that what was said of it stays", () => {
    const long = "a very long name of a level that goes on and on";
    const words = leafWords(shapeOf([long, "b", "c"]), `${long}_wrong`, false);
    expect(shortened(words, long, 40)).toMatch(/^retrieval “a very l?.*…”, answered wrong$/);
    expect(shortened(words, long, 40).length).toBeLessThanOrEqual(40);
    expect(shortened(words, long, 4)).toBe("retrieval “a ver…”, answered wrong");
    expect(shortened(words, long, 400)).toBe(words);
    expect(shortened("retrieval “a\u202eb”, right", "a\u202eb", 99)).toBe("retrieval “ab”, right");
  });

  it("make a deck that adds up under the policy of hits and misses", () => {
    const worlds = { all_right: 0.24, all_wrong: 0.06, all_abstained: 0.02, partial_right: 0.12, partial_wrong: 0.11, partial_abstained: 0.08, none_right: 0.04, none_wrong: 0.12, none_abstained: 0.21 };
    const said = deck(shape, { n_rows: 500, n_joint: 500, worlds, policy: [0.53, 0.49, 0.57], weights: entry(shape.presets, "adherence") });
    expect(plain(said)).toBe(
      "They share 24 right answers with all the evidence. Policy adds the 29 it rightly declined; task success adds the 16 it got right with less. " +
        "Retrieval is the bottleneck: in 68 of 100 queries retrieval fell short of all the evidence.",
    );
  });

  it("list pins in the order of the tree", () => {
    const said = whatIfDeck(shape, {
      pins: { "retrieval[none]": 0.1, "abstain_given[all]": 0, "retrieval[all]": 0.6 },
      branches: record(shape.branches, () => 0.3),
      task: [0.5, 0.4],
      policy: [0.6, 0.5],
      weights: entry(shape.presets, "adherence"),
    });
    expect(plain(said)).toBe(
      "You set retrieval finds all the evidence: 60% instead of 30%; declines with all the evidence: 0% instead of 30%; " +
        "retrieval finds no evidence: 10% instead of 30%. Against the fit, +10 correct answers and +10 right by policy of 100.",
    );
  });

  it("say which condition has no mass, whatever the level is called", () => {
    expect(undefinedReason("P(T=1 | A=0, R=a) b|c)")).toBe("undefined: A=0, R=a) b|c has no probability");
  });
});

describe("whole queries of 100", () => {
  const uniform = uniforms(5, "of 100");
  const draw = (n: number) => {
    const parts = Array.from({ length: n }, () => -Math.log(1 - uniform()));
    const total = parts.reduce((a, b) => a + b, 0);
    return parts.map((x) => x / total);
  };

  it.each(EACH)("of %i levels add up, each rounded down or up", (_, levels) => {
    const of = shapeOf(levels);
    for (let i = 0; i < 40; i++) {
      const probabilities = draw(of.leaves.length);
      const worlds = Object.fromEntries(of.leaves.map((world, k) => [world, probabilities[k]!]));
      const whole = of100(of, worlds, entry(of.presets, "adherence"));
      expect(Object.values(whole).reduce((a, b) => a + b, 0)).toBe(100);
      for (const world of of.leaves) expect(Math.abs(whole[world]! - 100 * worlds[world]!)).toBeLessThan(1);
      if (levels.length > 4) continue;
      const right = of.levels.map((level) => level.right);
      const sum = (of: Readonly<Record<string, number>>) => right.reduce((total, world) => total + of[world]!, 0);
      expect(Math.abs(sum(whole) - Math.floor(100 * sum(worlds) + 0.5))).toBe(0);
    }
  });
});

describe("pinned levels", () => {
  it("leave to the others what is left, and no choice to the last one", () => {
    expect(pinLimit(shape, {}, "retrieval[all]")).toBe(1);
    expect(pinLimit(shape, { "retrieval[all]": 0.3 }, "retrieval[none]")).toBe(0.7);
    expect(pinLimit(shape, { "retrieval[all]": 0.3 }, "retrieval[all]")).toBe(1);
    expect(pinLimit(shape, { "retrieval[all]": 0.3, "retrieval[none]": 0.1 }, "retrieval[partial]")).toBeNull();
    expect(pinLimit(shape, { "retrieval[all]": 0.3, "retrieval[none]": 0.1 }, "retrieval[none]")).toBe(0.7);
    expect(pinLimit(shape, { "retrieval[all]": 1 }, "retrieval[none]")).toBeNull();
    expect(pinLimit(shape, { "retrieval[all]": 1 }, "abstain_given[none]")).toBe(1);
    expect(pinLimit(BINARY, { retrieval_success: 1 }, "retrieval_success")).toBe(1);
  });

  it("never go above what Python accepts, after any moves of sliders", () => {
    const uniform = uniforms(8, "limits");
    const four = keysOf(["a", "b", "c", "d"]);
    for (let i = 0; i < 500; i++) {
      const pins: Record<string, number> = {};
      for (const level of ["a", "b", "c", "d"]) {
        const limit = pinLimit(four, pins, `retrieval[${level}]`);
        if (limit !== null) pins[`retrieval[${level}]`] = uniform() < 0.3 ? limit : Math.floor(uniform() * 100 * limit) / 100;
      }
      expect(Object.values(pins).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(1 + 1e-9);
      expect(arePossible(four, pins)).toBe(true);
    }
  });

  it("are possible up to 1, and at 1 when all are pinned", () => {
    const of = (all: number, partial?: number, none?: number) =>
      arePossible(shape, Object.fromEntries([["retrieval[all]", all], ["retrieval[partial]", partial], ["retrieval[none]", none]].filter(([, x]) => x !== undefined)));
    expect([of(0.5, 0.5), of(0.5, 0.6), of(0.2, 0.3, 0.5), of(0.2, 0.3, 0.4)]).toEqual([true, false, true, false]);
  });
});

test("names of levels that would end a line or a literal read back in Python", () => {
  expect(literal({ "retrieval[a'b\n\\\u202e\u{E0001}]": 0.5 })).toBe("{'retrieval[a\\'b\\u000a\\\\\\u202e\\U000e0001]': 0.5}");
});
