// @vitest-environment node
import { describe, expect, it } from "vitest";
import { collapse } from "../../src/engine/collapsed.ts";
import { naiveTable } from "../../src/engine/naive.ts";
import type { Instrument } from "../../src/engine/emissions.ts";
import { LEVELS } from "./simulated.ts";

const plain: Instrument = { key: "g", of: "task", is_shared: true, abstained_rate: null, has_unknown: false };

/** How many of four rows, one of each grade, are taken for a right answer. */
function passed(judge: Instrument, grades: readonly number[]): number {
  const table = { levels: LEVELS, judges: [judge], patterns: grades.map((grade) => [1, 0, -1, grade]), counts: [grades.map(() => 1)] };
  const { patterns, counts } = naiveTable(table, 0);
  expect(collapse({ ...table, judges: [], patterns, counts }).columns).toHaveLength(1);
  return patterns.reduce((n, [, , task], i) => n + (task === 1 ? (counts[0]?.[i] ?? 0) : 0), 0);
}

describe("verdicts at their word", () => {
  it.each([1, 2, 3])("pass from the judge's cut on: %i", (cut) => {
    const levels = ["0", "1", "2", "3"];
    expect(passed({ ...plain, levels, cut }, [0, 1, 2, 3])).toBe(4 - cut);
  });

  it("of 0 and 1 are what they say", () => expect(passed(plain, [0, 1])).toBe(1));
});
