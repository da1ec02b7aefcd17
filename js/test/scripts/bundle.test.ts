// @vitest-environment node
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { bundle } from "../../scripts/bundle.mjs";

const root = mkdtempSync(join(tmpdir(), "bundle-"));
afterAll(() => rmSync(root, { recursive: true }));

const PARTS = {
  "base.ts": "export const factor = 7; export class Box { constructor(readonly value: number) {} }",
  "engine.ts": 'import { Box, factor } from "./base.ts"; export const times = (x: number) => new Box(factor * x); export const name = "carried once ä`${}";',
  "one-worker.ts": 'import { name, times } from "./engine.ts"; declare function say(x: unknown): void; say([name, times(6).value, "worker `${}"]);',
  "two-worker.ts": 'import { factor } from "./base.ts"; declare function say(x: unknown): void; say(factor);',
  "page.ts":
    'import { name, times } from "./engine.ts"; import { Box } from "./base.ts"; declare const RAT_ONE_WORKER: string; declare const RAT_TWO_WORKER: string | undefined; declare function say(x: unknown): void;' +
    'say([name, times(2).value, times(2) instanceof Box]); say(RAT_ONE_WORKER); say(typeof RAT_TWO_WORKER === "undefined" ? null : RAT_TWO_WORKER); export default 3;',
};
for (const [name, text] of Object.entries(PARTS)) writeFileSync(join(root, name), text);

/** What a script says when it is run in an empty place. */
function said(script: string): unknown[] {
  const found: unknown[] = [];
  new Function("say", `"use strict";${script}`)((x: unknown) => found.push(x));
  return found;
}

const workers = { one: "one-worker", two: "two-worker" };

describe("a bundle", () => {
  it("runs the same parts on the page and in its workers, and carries them once", async () => {
    const text = await bundle("page", { format: "iife", root, workers });
    const [page, one, two] = said(text);
    expect(page).toEqual(["carried once ä`${}", 14, true]);
    expect(said(one as string)).toEqual([["carried once ä`${}", 42, "worker `${}"]]);
    expect(said(two as string)).toEqual([7]);
    expect(text.split("carried once")).toHaveLength(2);
  });

  it("has no workers where none are asked for", async () => {
    const [page, one] = said((await bundle("page", { format: "iife", root })).replace(/say\(RAT_ONE_WORKER\)/, "say(null)"));
    expect(page).toEqual(["carried once ä`${}", 14, true]);
    expect(one).toBeNull();
  });

  it("exports what its entry does", async () => {
    expect(await bundle("page", { format: "esm", root, workers })).toMatch(/export\s*\{\w+ as default\};?\s*$/);
  });
});
