// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { count, decimal, estimate, interval, isRight, percent, pinPercent, short, signed } from "../../src/core/format.ts";
import { of100 } from "../../src/core/of-100.ts";
import { deck, headline, whatIfDeck, type DeckArguments, type HeadlineArguments, type WhatIfArguments } from "../../src/core/sentence.ts";
import { shapeOf } from "../../src/core/shape.ts";
import { labelLine, leafWords, rowsLine } from "../../src/core/words.ts";
import type { World } from "../../src/contract/tables.ts";
import { BINARY } from "../sample.ts";
import type { NodeLabels } from "../../src/contract/tree.ts";

const GOLDEN = join(import.meta.dirname, "../../../tests/golden/wording.json");

interface Levels {
  readonly levels: readonly string[];
}

interface GradedWords extends Levels {
  readonly leaves: readonly (readonly [string, rightly: string, otherwise: string])[];
  readonly steps: readonly (readonly [string, letter: string, title: string, asks: string, tail: string])[];
  readonly pins: readonly (readonly [string, words: string])[];
  readonly stats: readonly (readonly [string, name: string, symbol: string])[];
  readonly presets: Readonly<Record<string, readonly string[]>>;
  readonly quantities: readonly (readonly [string, symbol: string, label: string, numerator: readonly string[], denominator: readonly string[]])[];
}

interface Golden {
  readonly percent: readonly (readonly [number | null, string])[];
  readonly interval: readonly (readonly [number | null, number | null, string])[];
  readonly count: readonly (readonly [number, string])[];
  readonly estimate: readonly (readonly [number | null, number | null, number | null, boolean, string])[];
  readonly of_100: readonly { worlds: Record<string, number>; policy: Record<string, number>; out: Record<string, number> }[];
  readonly is_right: readonly (readonly [World, Record<string, number>, boolean])[];
  readonly leaf_words: readonly (readonly [World, boolean, string])[];
  readonly label_line: readonly { letter: "R" | "A" | "T"; labels: NodeLabels; out: string }[];
  readonly pin_percent: readonly (readonly [number, string])[];
  readonly whatif_deck: readonly (WhatIfArguments & { segments: unknown })[];
  readonly rows_line: readonly { labels: NodeLabels; out: string }[];
  readonly headline: readonly (HeadlineArguments & { segments: unknown })[];
  readonly deck: readonly (DeckArguments & { segments: unknown })[];
  readonly graded_words: readonly GradedWords[];
  readonly graded_of_100: readonly (Levels & { worlds: Record<string, number>; policy: Record<string, number>; out: Record<string, number> })[];
  readonly graded_headline: readonly (Levels & HeadlineArguments & { segments: unknown })[];
  readonly graded_whatif_deck: readonly (Levels & WhatIfArguments & { segments: unknown })[];
  readonly graded_deck: readonly (Levels & DeckArguments & { segments: unknown })[];
}

describe("the browser words as Python does", () => {
  const golden = JSON.parse(readFileSync(GOLDEN, "utf8")) as Golden;
  it("percentages", () => {
    for (const [x, text] of golden.percent) expect(percent(x), String(x)).toBe(text);
  });
  it("intervals", () => {
    for (const [low, high, text] of golden.interval) expect(interval(low, high)).toBe(text);
  });
  it("counts", () => {
    for (const [n, text] of golden.count) expect(count(n)).toBe(text);
  });
  it("estimates", () => {
    for (const row of golden.estimate) {
      const [value, low, high, isRate, text] = row;
      expect(estimate(value, low, high, isRate), JSON.stringify(row)).toBe(text);
    }
  });
  it("queries of 100", () => {
    for (const { worlds, policy, out } of golden.of_100) expect(of100(BINARY, worlds, policy)).toEqual(out);
  });
  it("headlines", () => {
    for (const { segments, ...args } of golden.headline) expect(headline(BINARY, args)).toEqual(segments);
  });
  it("what is set", () => {
    for (const [x, text] of golden.pin_percent) expect(pinPercent(x), String(x)).toBe(text);
  });
  it("decks of a what-if", () => {
    for (const { segments, ...args } of golden.whatif_deck) expect(whatIfDeck(BINARY, args)).toEqual(segments);
  });
  it("decks", () => {
    for (const { segments, ...args } of golden.deck) expect(deck(BINARY, args)).toEqual(segments);
  });
  it("signs of leaves", () => {
    for (const [world, weights, sign] of golden.is_right) expect(isRight(BINARY, world, weights)).toBe(sign);
  });
  it("leaves", () => {
    for (const [world, isRight, text] of golden.leaf_words) expect(leafWords(BINARY, world, isRight)).toBe(text);
  });
  it("labels behind a branch", () => {
    for (const { letter, labels, out } of golden.label_line) expect(labelLine(letter, labels)).toBe(out);
  });
  it("rows behind a leaf", () => {
    for (const { labels, out } of golden.rows_line) expect(rowsLine(labels)).toBe(out);
  });
  it("parts of a tree of more than two levels, in the order of the picture", () => {
    for (const { levels, leaves, steps, pins, stats, presets, quantities } of golden.graded_words) {
      const shape = shapeOf(levels);
      expect(shape.leaves.map((world) => [world, leafWords(shape, world, true), leafWords(shape, world, false)])).toEqual(leaves);
      for (const [key, letter, title, asks, tail] of steps) expect(shape.steps[key]).toMatchObject({ letter, title, asks, tail });
      expect(steps.map(([key]) => key).sort()).toEqual([...shape.reading].sort());
      expect(shape.reading.map((key) => [key, shape.steps[key]!.pin])).toEqual(pins);
      expect(shape.stats.map(({ key, name, symbol }) => [key, name, symbol])).toEqual(stats);
      const ones = (weights: Readonly<Record<string, number>>) => shape.leaves.filter((world) => weights[world] === 1);
      expect(Object.fromEntries(Object.entries(shape.presets).map(([name, weights]) => [name, ones(weights)]))).toEqual(presets);
      expect(shape.quantities.slice(0, quantities.length).map((q) => [q.key, q.symbol, q.label, q.numerator, q.denominator])).toEqual(quantities);
    }
  });
  it("queries of 100 among more levels", () => {
    for (const { levels, worlds, policy, out } of golden.graded_of_100) expect(of100(shapeOf(levels), worlds, policy)).toEqual(out);
  });
  it("sentences about more levels", () => {
    for (const { levels, segments, ...args } of golden.graded_headline) expect(headline(shapeOf(levels), args)).toEqual(segments);
    for (const { levels, segments, ...args } of golden.graded_deck) expect(deck(shapeOf(levels), args)).toEqual(segments);
    for (const { levels, segments, ...args } of golden.graded_whatif_deck) expect(whatIfDeck(shapeOf(levels), args)).toEqual(segments);
  });
  it("and no list of vectors is empty", () => {
    const lists = Object.values(golden).filter((value) => Array.isArray(value));
    expect(lists.length).toBe(18);
    for (const list of lists) expect(list.length).toBeGreaterThan(3);
  });
});

test("negative numbers carry a true minus sign, and nothing is minus zero", () => {
  expect(interval(-0.031, 0.02)).toBe("−3 to 2");
  expect(decimal(-0.001)).toBe("0.00");
  expect(short(-21.94)).toBe("−21.9");
  expect(short(-0.04)).toBe("0");
  expect([999.96, -6793.2, 9999.6, 19498.7, 263_133.7, -99_951, 999_950, 9.5e7].map(short)).toEqual([
    "1000", "−6793", "10k", "19.5k", "263k", "−100k", "1M", "95M",
  ]);
  expect(signed(-3)).toBe("−3");
  expect(signed(0)).toBe("±0");
});
