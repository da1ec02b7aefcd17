// @vitest-environment node
import { expect, test } from "vitest";
import { CURE_LABELS } from "../../src/contract/judge-tables.ts";
import { cureLabel, cureLine, undoLabel } from "../../src/core/judge-cure.ts";
import { plain } from "../../src/core/sentence.ts";

test("a cure is offered by what was found", () => {
  for (const kind of ["retrieval", "task", "abstention", "saturated", "together", "system", "systems"] as const) expect(cureLabel([{ kind }])).toBe(CURE_LABELS[kind]);
  expect(cureLabel([{ kind: "together" }, { kind: "together" }])).toBe("Let the judges err together");
  expect(cureLabel([{ kind: "retrieval" }, { kind: "retrieval" }])).toBe("Let errors depend on all of that");
  expect(cureLabel([{ kind: "retrieval" }, { kind: "together" }])).toBe("Let errors depend on all of that");
  expect(cureLabel([{ kind: "system" }, { kind: "system" }])).toBe("Fit this system by itself");
  expect(cureLabel([{ kind: "systems" }, { kind: "systems" }])).toBe("Go without systems for which it differs");
  for (const kind of ["system", "systems"] as const) expect(cureLabel([{ kind: "retrieval" }, { kind }])).toBe("Allow for all of that");
});

test("the way back is from what the cure allows for", () => {
  expect(undoLabel({ is_errors: true, apart: [] })).toBe("Back to independent errors");
  expect(undoLabel({ is_errors: false, apart: ["x"] })).toBe("Back to one judge for all systems");
  expect(undoLabel({ is_errors: true, apart: ["x"] })).toBe("Allow for none of that");
});

test("what stays is said to stay", () => {
  const said = (before: string, after: string) => plain(cureLine("With errors that depend on more than the truth", [before, after], ["1", "1"], true, false));
  expect(said("61% (55–67)", "54% (47–61)")).toBe("With errors that depend on more than the truth, P(T) goes from 61% (55–67) to 54% (47–61) and P(G) stays 1.");
  expect(said("61% (55–67)", "61% (55–67)")).toContain("P(T) stays 61% (55–67) and");
});
