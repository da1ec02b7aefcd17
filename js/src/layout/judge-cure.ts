/** What was found of the judges' errors, and what is offered against it. */
import { allowedBy, cureLabel, cureLine, cureOpening, undoLabel } from "../core/judge-cure.ts";
import type { JudgeDeparture } from "../contract/judge.ts";
import type { Segment } from "../core/sentence.ts";
import type { JudgeScene } from "./judge-scene.ts";

export interface CurePicture {
  readonly isOn: boolean;
  /** What was found, one text each. */
  readonly texts: readonly string[];
  /** What the cure changes, while it is on, or why there is none. */
  readonly line: readonly Segment[];
  /** What the cure leaves to be found, while it is on. */
  readonly left: readonly string[];
  /** What the button says; nothing where there is no button. */
  readonly label: string;
  /** What to do in Python, each with its code: the judges with the cure, while it is on, or as many as can have it. */
  readonly python: readonly (readonly [does: string, code: string])[];
}

const MAKES = "In Python:";

/** Null where nothing was found of judges that take part; `call` makes in Python what is shown. */
export function curePicture(scene: JudgeScene, call: string): CurePicture | null {
  const { view, posture, group } = scene;
  const { cured } = posture.controls;
  const { cure, no_cure } = view;
  const found = ofPresent(scene, group.departures ?? []);
  if (found.length === 0 && !cured) return null;
  const off = { isOn: false, texts: found.map(({ text }) => text), line: [], left: [], label: "", python: [] };
  if (!cure) {
    const errors = no_cure ? found.filter(({ kind }) => !kind.startsWith("system")) : [];
    const texts = found.map((one) => (errors.includes(one) ? one.text : advised(one)));
    return no_cure && errors.length > 0 ? { ...off, texts, line: [[no_cure.text, ""]], python: no_cure.python ? [[MAKES, no_cure.python]] : [] } : { ...off, texts };
  }
  if (!cured) return { ...off, label: cureLabel(found) };
  const after = cure.groups[posture.controls.group];
  const left = ofPresent(scene, after?.departures ?? []).map((one) => `Still found with that: ${advised(one)}`);
  const isAll = after !== undefined && left.length === 0;
  const check = [["Whether more is found with that:", `${call}.posterior().diagnosis`]] as const;
  const makes = ["In Python:", cure.python.join(", ")] as const;
  return { ...off, isOn: true, line: changes(scene, isAll), left, label: undoLabel(allowedBy(view)), python: [makes, ...(after ? [] : check)] };
}

function advised({ text, advice }: JudgeDeparture): string {
  return `${text} ${advice}`;
}

/** What is about judges that all take part. */
function ofPresent({ present }: JudgeScene, found: readonly JudgeDeparture[]): readonly JudgeDeparture[] {
  const keys = present.map(({ key }) => key);
  return found.filter(({ judges }) => judges.every((judge) => keys.includes(judge)));
}

function isApart({ view, posture }: JudgeScene): boolean {
  return view.apart.includes(posture.controls.group);
}

/** P(T) and P(G) before and after; nothing where something else is moved, too. */
function changes(scene: JudgeScene, isAll: boolean): readonly Segment[] {
  const { view, now, fit, kind, isWhatIf } = scene;
  const opening = cureOpening(allowedBy(view), isApart(scene));
  const change = (key: string) => [fit.rate(key)?.text ?? "", now.beliefs.joint[key]?.text ?? ""] as const;
  return isWhatIf || now.isEmpty ? [] : cureLine(opening, change("task_success"), change("policy_adherence"), kind !== "utility", isAll);
}
