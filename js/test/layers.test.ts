// @vitest-environment node
import { join } from "node:path";
import { expect, test } from "vitest";
import { files, violations } from "../scripts/layers.mjs";

const SRC = join(import.meta.dirname, "../src");
const check = (file: string, text: string) => violations(join(SRC, file), text, SRC);

test("imports that point down are allowed, up or sideways refused", () => {
  expect(check("layout/a.ts", 'import { x } from "../core/b.ts";')).toEqual([]);
  expect(check("layout/a.ts", 'import { x } from "./b.ts";')).toEqual([]);
  expect(check("core/a.ts", 'import type { X } from "../layout/b.ts";')).toHaveLength(1);
  expect(check("render/a.ts", 'export { x } from "../state/b.ts";')).toHaveLength(1);
  expect(check("render/a.ts", 'const x = await import("../interact/b.ts");')).toHaveLength(1);
});

test("packages and folders outside the layers are refused", () => {
  expect(check("core/a.ts", 'import d3 from "d3";')).toHaveLength(1);
  expect(check("helpers/a.ts", "")).toHaveLength(1);
});

test("only state/model.ts talks to the widget's model", async () => {
  const { readFileSync } = await import("node:fs");
  const touching = files(SRC).filter((file: string) => /\.save_changes\(|\.on\("change:/.test(readFileSync(file, "utf8")));
  expect(touching.map((file: string) => file.slice(SRC.length + 1))).toEqual([join("state", "model.ts")]);
});
