// @vitest-environment node
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { count, decimal, estimate, interval, of100, percent, short, signed } from "../../src/core/format.ts";
import { deck, headline, type DeckArguments, type HeadlineArguments } from "../../src/core/sentence.ts";

const GOLDEN = join(import.meta.dirname, "../../../tests/golden/wording.json");

interface Golden {
  readonly percent: readonly (readonly [number | null, string])[];
  readonly interval: readonly (readonly [number | null, number | null, string])[];
  readonly count?: readonly (readonly [number, string])[];
  readonly estimate?: readonly (readonly [number | null, number | null, number | null, boolean, string])[];
  readonly of_100: readonly { worlds: Record<string, number>; policy: Record<string, number>; out: Record<string, number> }[];
  readonly headline: readonly (HeadlineArguments & { segments: unknown })[];
  readonly deck: readonly (DeckArguments & { segments: unknown })[];
}

describe.skipIf(!existsSync(GOLDEN))("the browser words as Python does", () => {
  const golden = existsSync(GOLDEN) ? (JSON.parse(readFileSync(GOLDEN, "utf8")) as Golden) : null;
  it("percentages", () => {
    for (const [x, text] of golden?.percent ?? []) expect(percent(x), String(x)).toBe(text);
  });
  it("intervals", () => {
    for (const [low, high, text] of golden?.interval ?? []) expect(interval(low, high)).toBe(text);
  });
  it("counts", () => {
    for (const [n, text] of golden?.count ?? []) expect(count(n)).toBe(text);
  });
  it("estimates", () => {
    for (const row of golden?.estimate ?? []) {
      const [value, low, high, isRate, text] = row;
      expect(estimate(value, low, high, isRate), JSON.stringify(row)).toBe(text);
    }
  });
  it("queries of 100", () => {
    for (const { worlds, policy, out } of golden?.of_100 ?? []) expect(of100(worlds, policy)).toEqual(out);
  });
  it("headlines", () => {
    for (const { segments, ...args } of golden?.headline ?? []) expect(headline(args)).toEqual(segments);
  });
  it("decks", () => {
    for (const { segments, ...args } of golden?.deck ?? []) expect(deck(args)).toEqual(segments);
  });
  it("and the vectors are not empty", () => {
    expect(golden?.headline.length).toBeGreaterThan(50);
  });
});

test("negative numbers carry a true minus sign, and nothing is minus zero", () => {
  expect(interval(-0.031, 0.02)).toBe("−3 to 2");
  expect(decimal(-0.001)).toBe("0.00");
  expect(short(-21.94)).toBe("−21.9");
  expect(short(-0.04)).toBe("0");
  expect(signed(-3)).toBe("−3");
  expect(signed(0)).toBe("±0");
});
