/** What was found of the judges' errors, and what is offered against it. */
import { cureLabel, cureLine } from "../core/judge-cure.ts";
import { CURE_LABELS } from "../contract/judge-tables.ts";
import type { Segment } from "../core/sentence.ts";
import type { JudgeScene } from "./judge-scene.ts";

export interface CurePicture {
  readonly isOn: boolean;
  /** What was found, one text each. */
  readonly texts: readonly string[];
  /** What the cure changes, while it is on. */
  readonly line: readonly Segment[];
  /** What the button says. */
  readonly label: string;
  /** The judges with the cure, in Python, while it is on. */
  readonly python: string;
}

/** Null where nothing was found of judges that take part. */
export function curePicture(scene: JudgeScene): CurePicture | null {
  const { view, posture } = scene;
  const { cured } = posture.controls;
  if (!view.cure) return null;
  const found = departuresOf(scene);
  if (found.length === 0 && !cured) return null;
  return {
    isOn: cured,
    texts: found.map(({ text }) => text),
    line: cured ? changes(scene) : [],
    label: cured ? CURE_LABELS.undo : cureLabel(found),
    python: cured ? view.cure.python.join(", ") : "",
  };
}

/** What was found in the group that is shown of judges that all take part. */
export function departuresOf({ group, present }: Pick<JudgeScene, "group" | "present">): JudgeScene["group"]["departures"] {
  const keys = present.map(({ key }) => key);
  return (group.departures ?? []).filter(({ judges }) => judges.every((judge) => keys.includes(judge)));
}

/** P(T) and P(G) before and after; nothing where something else is moved, too. */
function changes({ now, fit, kind, isWhatIf }: JudgeScene): readonly Segment[] {
  const change = (key: string) => [fit.rate(key)?.text ?? "", now.beliefs.joint[key]?.text ?? ""] as const;
  return isWhatIf || now.isEmpty ? [] : cureLine(change("task_success"), change("policy_adherence"), kind !== "utility");
}
