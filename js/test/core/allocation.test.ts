import { describe, expect, it } from "vitest";
import { allocationDeck, allocationHeadline } from "../../src/core/allocation-sentence.ts";
import { about, amount, half } from "../../src/core/allocation-words.ts";
import { GOLDEN } from "../allocation-sample.ts";

describe("the words of a plan are Python's", () => {
  it.each(GOLDEN.advice)("advice %#", ({ of, headline, deck }) => {
    expect(allocationHeadline(of)).toEqual(headline);
    expect(allocationDeck(of)).toEqual(deck);
  });
  it.each(GOLDEN.words)("numbers: $x", (of) => {
    expect([about(of.x), amount(of.x), half(of.x / 1e5), half(of.x / 100, false)]).toEqual([of.about, of.amount, of.half, of.half_utility]);
  });
});
