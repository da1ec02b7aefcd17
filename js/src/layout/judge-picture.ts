/** Everything that the judges' widget shows, as texts and pixels: no DOM. */
import type { ShownView } from "../contract/decode-judge.ts";
import type { JudgeView } from "../contract/judge.ts";
import type { Note } from "../contract/tree.ts";
import { assumptionText } from "../core/judge-assumption.ts";
import { roundHalfUp } from "../core/numbers.ts";
import { literal, withArgument } from "../core/python-call.ts";
import { plain, type Segment } from "../core/sentence.ts";
import { beliefPictures, type BeliefPicture } from "./judge-belief.ts";
import { judgeCards, type JudgeCard } from "./judge-card.ts";
import { curePicture, type CurePicture } from "./judge-cure.ts";
import { judgeLines } from "./judge-finding.ts";
import { judgeScene, type JudgeAnswers, type JudgePosture, type JudgeScene } from "./judge-scene.ts";
import type { JudgeLayout } from "./judge.ts";
import { worthPicture, type WorthPicture } from "./judge-worth.ts";
import { sentenceCase } from "../core/letters.ts";

export interface JudgePicture {
  readonly layout: JudgeLayout;
  readonly group: number;
  readonly isMoved: boolean;
  readonly isWhatIf: boolean;
  /** No rows: every number is the prior's. */
  readonly isPrior: boolean;
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
  readonly notes: readonly Note[];
  /** Those that stay folded, so that the judges are in sight. */
  readonly moreNotes: readonly Note[];
  readonly cure: CurePicture | null;
  readonly judges: readonly JudgeCard[];
  readonly beliefs: readonly BeliefPicture[];
  readonly worth: WorthPicture;
  readonly rows: string;
  readonly foot: string;
  readonly sentence: string;
  readonly python: string;
}

/** The picture of the group that the controls choose. */
export function judgePicture(view: ShownView, posture: JudgePosture, answers: JudgeAnswers, width: number): JudgePicture {
  const scene = judgeScene(view, posture, answers, width);
  const { group, layout, isMoved, isWhatIf } = scene;
  const { headline, deck } = judgeLines(scene);
  const python = pythonCall(view, posture);
  return {
    layout,
    group: posture.controls.group,
    isMoved,
    isWhatIf,
    isPrior: group.n_rows === 0,
    headline,
    deck,
    ...foldedNotes(notesOf(scene)),
    cure: curePicture(scene, python),
    judges: judgeCards(scene),
    beliefs: beliefPictures(scene),
    worth: worthPicture(scene),
    rows: group.rows,
    foot: assumedOf(scene),
    sentence: view.groups.length > 1 ? `${group.label}: ${plain(headline)}` : plain(headline),
    python,
  };
}

/** What the fit says aloud; under moves what still holds, other readings of the rows, and draws that are rough. */
function notesOf(scene: JudgeScene): readonly Note[] {
  const { view, posture, group, now, isMoved, isWhatIf } = scene;
  if (now.isEmpty) {
    const said = [...(view.constraint === null ? [] : ["TPR is to be above FPR"]), ...(view.judges.some((judge) => judge.is_monotone) ? ["grades are to be in order"] : [])].join(" and ");
    const or = view.constraint === null ? "" : ", or set a rate of the judge that the rows say is no better than a coin";
    return [{ level: "problem", text: `${sentenceCase(said)}, and hardly a draw is left in which that is so. Undo the last move${or}.` }];
  }
  const { roughBy } = now;
  const points = Math.max(1, roundHalfUp(100 * (roughBy ?? 0)));
  const off = `${points} ${points === 1 ? "point" : "points"}`;
  const rough: Note[] = roughBy === null ? [] : [{ level: "warning", text: `Rough: the draws of these rates did not mix, and P(R), P(T) and P(G) may be off by about ${off}. Python's answer is surer (Copy as Python).` }];
  if (!isMoved) return [...rough, ...group.notes];
  const cured = isWhatIf ? [] : (view.cure?.groups[posture.controls.group]?.notes ?? []);
  const apart = [...(view.under_moves ?? []), ...cured];
  const [first = 1, second = 0] = now.modes;
  if (second < 0.01) return [...rough, ...apart];
  const shares = `${roundHalfUp(100 * first)}% and ${roundHalfUp(100 * second)}%`;
  return [...rough, { level: "warning", text: `Two readings of these rows are possible, with ${shares} of the probability: the numbers mix both.` }, ...apart];
}

/** So many notes are shown; of more than one more the rest is folded. */
const SHOWN_NOTES = 2;

function foldedNotes(all: readonly Note[]): Pick<JudgePicture, "notes" | "moreNotes"> {
  const n = all.length > SHOWN_NOTES + 1 ? SHOWN_NOTES : all.length;
  return { notes: all.slice(0, n), moreNotes: all.slice(n) };
}

function pythonCall(view: JudgeView, { controls }: JudgePosture): string {
  const { group, priors, pins, left_out, cured } = controls;
  const moved = {
    ...(view.groups.length > 1 ? { group } : {}),
    ...(priors !== null ? { priors } : {}),
    ...(pins !== null ? { pins } : {}),
    ...(left_out.length > 0 ? { left_out } : {}),
    ...(cured ? { cured } : {}),
  };
  if (Object.keys(moved).length === 0) return `${view.python})`;
  return `${withArgument(view.python, "controls", literal(moved))})`;
}

/** What the model in force takes for granted of judges that take part, or of all where none do. */
function assumedOf({ view, posture, present }: JudgeScene): string {
  const judges = (present.length > 0 ? present : view.judges).map(({ key, depends_on, emission, is_shared }) => {
    const isSaturated = emission?.kinds.some((kind) => kind.startsWith("pass_given_")) ?? false;
    return { name: key, by: isSaturated ? "case" : (depends_on ?? ""), is_shared };
  });
  const apart = view.apart.map((i) => view.groups[i]?.label ?? "");
  return assumptionText(judges, { n_systems: view.groups.length, apart, is_apart: view.apart.includes(posture.controls.group) });
}
