// @vitest-environment node
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { judgeLine, judgeWarnings, rateLine, ratePhrase, steady, worthLine, type WarningArguments, type WorthArguments } from "../../src/core/judge-lines.ts";
import { assumptionText, type Assumed, type Systems } from "../../src/core/judge-assumption.ts";
import { allowances, cureLine, cureOpening, type Allowed } from "../../src/core/judge-cure.ts";
import { focus, judgeDeck, judgeHeadline, movesDeck, worst, type JudgeFinding, type MovesArguments } from "../../src/core/judge-sentence.ts";
import type { Segment } from "../../src/core/sentence.ts";

interface Golden {
  readonly findings: readonly { readonly finding: JudgeFinding; readonly headline: readonly Segment[]; readonly what_if: readonly Segment[]; readonly deck: readonly Segment[] }[];
  readonly focus: readonly (readonly [Parameters<typeof focus>[0], number])[];
  readonly worst: readonly (readonly [Parameters<typeof worst>[0], number])[];
  readonly moves_deck: readonly (MovesArguments & { readonly segments: readonly Segment[] })[];
  readonly cure_opening: readonly (Allowed & { readonly is_apart: boolean; readonly opening: string; readonly allowances: readonly string[] })[];
  readonly cure_line: readonly (readonly [...Required<Parameters<typeof cureLine>>, readonly Segment[]])[];
  readonly assumption: readonly { readonly judges: readonly Assumed[]; readonly systems: Systems; readonly text: string }[];
  readonly warnings: readonly (WarningArguments & { readonly warnings: readonly string[] })[];
  readonly worth_line: readonly (WorthArguments & { readonly segments: readonly Segment[] })[];
  readonly steady: readonly (readonly [...Required<Parameters<typeof steady>>, number])[];
  readonly rate_line: readonly (readonly [...Parameters<typeof rateLine>, string])[];
  readonly judge_line: readonly (readonly [...Parameters<typeof judgeLine>, string])[];
}

/** What Python says, from `make golden`. */
const golden = JSON.parse(readFileSync(join(import.meta.dirname, "../../../tests/golden/judge_wording.json"), "utf8")) as Golden;

test.each(golden.findings.map((vector, i) => [i, vector] as const))("finding %i reads as in Python", (_, { finding, headline, what_if, deck }) => {
  expect(judgeHeadline(finding)).toEqual(headline);
  expect(judgeHeadline(finding, true)).toEqual(what_if);
  expect(judgeDeck(finding)).toEqual(deck);
});

test("what is taken for granted of judges reads as in Python", () => {
  expect(golden.assumption.length).toBeGreaterThan(0);
  for (const { judges, systems, text } of golden.assumption) expect(assumptionText(judges, systems)).toBe(text);
});

test("the headline is about the same truth as in Python", () => {
  for (const [candidates, at] of golden.focus) expect(focus(candidates), JSON.stringify(candidates)).toBe(at);
  for (const [youden, at] of golden.worst) expect(worst(youden), JSON.stringify(youden)).toBe(at);
});

test.each(golden.moves_deck.map((vector, i) => [i, vector] as const))("moves %i read as in Python", (_, { segments, ...moves }) => {
  expect(movesDeck(moves)).toEqual(segments);
});

test("what a cure changes reads as in Python", () => {
  for (const [opening, task, policy, isRate, isAll, segments] of golden.cure_line) expect(cureLine(opening, task, policy, isRate, isAll), String([task, policy])).toEqual(segments);
  for (const { is_apart, opening, allowances: said, ...allowed } of golden.cure_opening) {
    expect(cureOpening(allowed, is_apart)).toBe(opening);
    expect(allowances(allowed)).toEqual(said);
  }
});

test.each(golden.warnings.map((vector, i) => [i, vector] as const))("warnings %i are Python's", (_, { warnings, ...about }) => {
  expect(judgeWarnings(about)).toEqual(warnings);
});

test("a mean that noise alone may have moved stays, as in Python", () => {
  for (const [now, before, errors, off, told] of golden.steady) expect(steady(now, before, errors, off), String([now, before])).toBe(told);
});

test("worth, rates and judges read as in Python", () => {
  for (const { segments, ...worth } of golden.worth_line) expect(worthLine(worth), JSON.stringify(worth)).toEqual(segments);
  for (const [kind, of, triple, text] of golden.rate_line) expect(rateLine(kind, of, triple)).toBe(text);
  for (const [youden, agreement, kappa, text] of golden.judge_line) expect(judgeLine(youden, agreement, kappa)).toBe(text);
});

test("names a rate that has no words of its own", () => {
  expect(ratePhrase("pass_given_miss_wrong", "task")).toBe("the rate pass_given_miss_wrong");
  expect(ratePhrase("split_3_given_1", "retrieval")).toBe("the rate split_3_given_1");
  expect(ratePhrase("tpr_given_miss", "task")).toBe("right answers where retrieval failed that it passes");
});
