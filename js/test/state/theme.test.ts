import { afterEach, expect, test, vi } from "vitest";
import { followTheme, hostTheme } from "../../src/state/theme.ts";

afterEach(() => {
  for (const node of [document.body, document.documentElement]) {
    for (const name of [...node.getAttributeNames()]) node.removeAttribute(name);
  }
  vi.restoreAllMocks();
});

test.each([
  ["data-jp-theme-light", "false", "dark"],
  ["data-jp-theme-light", "true", "light"],
  ["data-vscode-theme-kind", "vscode-dark", "dark"],
  ["data-vscode-theme-kind", "vscode-high-contrast-light", "light"],
  ["class", "vscode-high-contrast", "dark"],
  ["class", "dark", "dark"],
  ["theme", "dark", "dark"],
] as const)("a host whose body has %s=%s is %s", (name, value, theme) => {
  document.body.setAttribute(name, value);
  expect(hostTheme(document)).toBe(theme);
});

test("a host that says nothing leaves it to the system", () => {
  vi.spyOn(window, "matchMedia").mockReturnValue({ matches: true } as MediaQueryList);
  expect(hostTheme(document)).toBe("dark");
});

test("a theme that changes is followed until nobody wants to know", async () => {
  const seen: string[] = [];
  const stop = followTheme(document, (theme) => seen.push(theme));
  document.body.setAttribute("data-jp-theme-light", "false");
  await vi.waitFor(() => expect(seen.at(-1)).toBe("dark"));
  stop();
  const { length } = seen;
  document.body.setAttribute("data-jp-theme-light", "true");
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toHaveLength(length);
});
