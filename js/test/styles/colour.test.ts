// @vitest-environment node
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";

const STYLES = join(import.meta.dirname, "../../src/styles");
const TOKENS = readFileSync(join(STYLES, "tokens.css"), "utf8");

type Rgb = readonly [number, number, number];
type Palette = Readonly<Record<string, Rgb>>;

/** The hexadecimal value of each token in one block; of a host variable, its last fallback. */
function palette(block: string): Palette {
  const found = [...block.matchAll(/--rat-([\w-]+):[^;]*#([0-9a-f]{6})\)*;/g)];
  return Object.fromEntries(
    found.map(([, name, hex]) => [name!, [0, 2, 4].map((i) => parseInt(hex!.slice(i, i + 2), 16) / 255) as unknown as Rgb]),
  );
}

const [lightBlock, darkBlock] = TOKENS.split('[data-theme="dark"] {') as [string, string];
const THEMES = { light: palette(lightBlock), dark: { ...palette(lightBlock), ...palette(darkBlock.split("@media")[0]!) } };

const linear = (c: number) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
const luminance = ([r, g, b]: Rgb) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);

function contrast(a: Rgb, b: Rgb): number {
  const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (high + 0.05) / (low + 0.05);
}

/** What dichromats see, in linear RGB (Viénot 1999 for red-green; Brettel 1997, one plane, for tritan). */
const VISION: Readonly<Record<string, readonly Rgb[]>> = {
  normal: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protan: [[0.11238, 0.88762, 0], [0.11238, 0.88762, 0], [0.00401, -0.00401, 1]],
  deutan: [[0.29275, 0.70725, 0], [0.29275, 0.70725, 0], [-0.02234, 0.02234, 1]],
  tritan: [[1, 0.1274, -0.1274], [0, 0.8739, 0.1261], [0, 0.8739, 0.1261]],
};

function lab(colour: Rgb, vision: string): Rgb {
  const raw = colour.map(linear);
  const [r, g, b] = VISION[vision]!.map((row) => Math.min(1, Math.max(0, row.reduce((t, w, i) => t + w * raw[i]!, 0)))) as unknown as Rgb;
  const f = (t: number) => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const y = f(0.2126729 * r + 0.7151522 * g + 0.072175 * b);
  const z = f((0.0193339 * r + 0.119192 * g + 0.9503041 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function distance(a: Rgb, b: Rgb, vision: string): number {
  const [p, q] = [lab(a, vision), lab(b, vision)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

/** Hues that stand side by side in the tree. */
const PAIRS = [["r", "a"], ["r", "t"], ["r", "good"], ["a", "t"], ["a", "good"], ["t", "good"], ["good", "bad"]] as const;

describe.each(Object.entries(THEMES))("the %s theme", (theme, colours) => {
  it("keeps every text colour at 4.5:1 on its background", () => {
    for (const name of ["ink", "ink-2", "ink-3", "r", "a", "t", "good", "bad", "judge", "whatif"]) {
      expect(contrast(colours[name]!, colours["bg"]!), name).toBeGreaterThanOrEqual(4.5);
    }
    expect(contrast(colours["ink"]!, colours["warn-bg"]!)).toBeGreaterThanOrEqual(4.5);
  });

  it("keeps the marks of signs and axes at 3:1", () => {
    for (const name of ["prior", "warn", "focus"]) expect(contrast(colours[name]!, colours["bg"]!), name).toBeGreaterThanOrEqual(3);
  });

  it("keeps hues of one picture apart for every kind of colour vision", () => {
    const least = theme === "light" ? 12 : 20;
    for (const vision of Object.keys(VISION)) {
      for (const [a, b] of PAIRS) {
        expect(distance(colours[a]!, colours[b]!, vision), `${a} and ${b}, ${vision}`).toBeGreaterThanOrEqual(least);
      }
    }
  });
});

describe("style sheets", () => {
  const sheets = readdirSync(STYLES).filter((name) => name.endsWith(".css"));
  const bare = (text: string) => text.replace(/\/\*[\s\S]*?\*\//g, "");

  /** Selectors of a sheet, each after those that it is nested in: [".rat-widgets", "&.rat-judges .meta"]. */
  const selectors = (text: string) => {
    const found: string[][] = [];
    const outer: string[] = [];
    for (const [, before, mark] of bare(text).matchAll(/([^{};]*)([{};])/g)) {
      if (mark === "}") outer.pop();
      if (mark !== "{") continue;
      outer.push(before!.trim());
      found.push(outer.filter((one) => !one.startsWith("@")));
    }
    return found.filter((path) => path.length > 0);
  };
  const parts = (rule: string) => rule.split(/,(?![^(]*\))/).map((one) => one.trim());

  test.each(sheets)("%s keeps every selector under .rat-widgets, without ids or !important", (name) => {
    const text = readFileSync(join(STYLES, name), "utf8");
    expect(text).not.toContain("!important");
    for (const [root, ...inner] of selectors(text)) {
      for (const selector of parts(root!)) expect(selector, root).toMatch(/\.rat-widgets/);
      // What is nested is below its parent unless "&" is not where it starts.
      for (const selector of inner.flatMap(parts)) expect(selector).toMatch(/^&?[^&]*$/);
      for (const selector of [root!, ...inner]) expect(selector).not.toMatch(/#[a-z]/i);
    }
  });

  test.each(sheets)("%s starts no nested selector with an element, which browsers before 2024 do not read", (name) => {
    for (const [, ...inner] of selectors(readFileSync(join(STYLES, name), "utf8"))) {
      for (const selector of inner) expect(selector).not.toMatch(/^[a-z]/i);
    }
  });

  test.each(sheets.filter((name) => name !== "tokens.css"))("%s names no colour", (name) => {
    expect(bare(readFileSync(join(STYLES, name), "utf8"))).not.toMatch(/#[0-9a-f]{3,8}\b|\brgba?\(|\bhsla?\(/i);
  });
});
