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
  // Errors that cannot be allowed for: there is a reason in place of advice.
  const isRefused = ({ kind }: JudgeDeparture) => no_cure !== null && !kind.startsWith("system");
  const advised = (one: JudgeDeparture) => (isRefused(one) ? one.text : `${one.text} ${one.advice}`);
  const why = no_cure && found.some(isRefused) ? [no_cure.text] : [];
  const instead = no_cure?.python && why.length > 0 ? [[MAKES, no_cure.python] as const] : [];
  if (!cured || !cure) {
    const open = found.filter((one) => !isRefused(one));
    const texts = cure ? off.texts : found.map(advised);
    return { ...off, texts, line: why.map((text) => [text, ""]), label: cure && open.length > 0 ? cureLabel(open) : "", python: instead };
  }
  const after = cure.groups[posture.controls.group];
  const still = ofPresent(scene, after?.departures ?? []).map((one) => `Still found with that: ${advised(one)}`);
  const isAll = after !== undefined && still.length === 0;
  const check = [["Whether more is found with that:", `${call}.posterior().diagnosis`]] as const;
  const makes = [MAKES, cure.python.join(", ")] as const;
  return { ...off, isOn: true, line: changes(scene, isAll), left: [...still, ...why], label: undoLabel(allowedBy(view)), python: [makes, ...instead, ...(after ? [] : check)] };
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
