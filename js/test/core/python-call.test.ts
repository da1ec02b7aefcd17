// @vitest-environment node
import { expect, test } from "vitest";
import { literal, withArgument } from "../../src/core/python-call.ts";

test("an argument is appended to an unclosed call", () => {
  expect(withArgument("rat.tree(df", "policy", "'no_harm'")).toBe("rat.tree(df, policy='no_harm'");
  expect(withArgument("rat.tree(", "policy", "1")).toBe("rat.tree(policy=1");
  expect(withArgument("rat.tree(df,\n", "policy", "1")).toBe("rat.tree(df, policy=1");
});

test("an argument that is there already is replaced, whatever stands around it", () => {
  expect(withArgument('rat.tree(df, policy="task_success", by=["a, policy=b"]', "policy", "{'x': 1}")).toBe(
    "rat.tree(df, policy={'x': 1}, by=[\"a, policy=b\"]",
  );
  expect(withArgument("rat.tree(df, policy={'hit_right': 1, 'miss_right': 0.5}", "policy", "2")).toBe("rat.tree(df, policy=2");
  expect(withArgument("rat.tree(df, by=f(policy=3)", "policy", "2")).toBe("rat.tree(df, by=f(policy=3), policy=2");
  expect(withArgument("rat.tree(df, task='it\\'s, policy=1'", "policy", "2")).toBe("rat.tree(df, task='it\\'s, policy=1', policy=2");
});

test("values read as Python", () => {
  expect(literal({ group: 3, unit: "step" })).toBe("{'group': 3, 'unit': 'step'}");
  expect(literal("it's")).toBe("'it\\'s'");
});
