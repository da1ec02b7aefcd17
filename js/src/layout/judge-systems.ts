/** A judge's TPR and FPR in each system, side by side, where they need not be the same. */
import { rateKey, sliderKinds } from "../contract/decode-judge.ts";
import { JUDGED } from "../contract/judge-tables.ts";
import type { JudgeGroup, JudgeIdentity } from "../contract/judge.ts";
import type { Estimate } from "../contract/tree.ts";
import { caseWords } from "../core/judge-lines.ts";
import { of100Text } from "../core/judge-words.ts";
import { toPixels } from "../core/scale.ts";
import { px } from "./paths.ts";
import { scaleOf } from "./judge-rate.ts";
import { UNDEFINED, type JudgeScene } from "./judge-scene.ts";

export interface SystemsPicture {
  readonly title: string;
  /** What the marks say: " it passes", a dot for "right answers", a ring for "wrong answers". */
  readonly key: readonly [does: string, solid: string, hollow: string];
  readonly width: number;
  readonly axis: string;
  /** In each case that the judge's errors depend on, every system; "" where there is one case. */
  readonly cases: readonly { readonly name: string; readonly rows: readonly SystemRow[] }[];
}

export interface SystemRow {
  /** The system's place in the picker. */
  readonly index: number;
  readonly name: string;
  readonly isShown: boolean;
  /** TPR, solid, and FPR, hollow; null where the case has no such truth. */
  readonly marks: readonly (SystemMark | null)[];
  /** "90 · 33" */
  readonly text: string;
  readonly label: string;
}

export interface SystemMark {
  readonly x: number;
  readonly y: number;
  readonly line: string;
}

/** TPR above, FPR below. */
const LINES = [8, 16] as const;
export const SYSTEM_HEIGHT = 24;

/** All systems, where the judge is best first; null where there is one set of rates, or one system. */
export function systemsPicture(scene: JudgeScene, judge: JudgeIdentity): SystemsPicture | null {
  const { view, posture, layout, isWhatIf } = scene;
  const { groups } = view;
  const { cured, group: shown } = posture.controls;
  if (groups.length < 2) return null;
  // The fit with the cure is not always there beforehand: then what is known is what it was before.
  const after = cured ? (view.cure?.groups ?? []) : [];
  const isBefore = cured && after.length === 0;
  const ends = isBefore || view.levels.length > 2 ? [""] : casesOf(judge);
  const isOfLabels = judge.is_shared && (isBefore || view.apart.length === 0);
  const ratesOf = ({ rates, own }: JudgeGroup, i: number) => after[i]?.rates ?? (isOfLabels ? (own ?? {}) : rates);
  const told = groups.map((group, i) => ends.map((end) => (["tpr", "fpr"] as const).map((kind) => ratesOf(group, i)[rateKey(end ? `${kind}_given_${end}` : kind, judge.key)] ?? UNDEFINED)));
  const apart = (i: number) => (told[i] ?? []).reduce((sum, [tpr, fpr]) => sum + (tpr?.value ?? 0) - (fpr?.value ?? 0), 0);
  const order = [...groups.keys()].filter((i) => told[i]?.flat().some(({ value }) => value !== null)).sort((a, b) => apart(b) - apart(a));
  if (order.length === 0) return null;
  const scale = scaleOf(layout.plot);
  const { good, bad, passes } = JUDGED[judge.of];
  const cases = ends.map((end, c) => ({ name: end && caseWords(end), rows: order.map((i) => systemRow(i, told[i]?.[c] ?? [], end && `${caseWords(end)}, `)) }));
  function systemRow(index: number, rates: readonly Estimate[], where: string): SystemRow {
    const name = groups[index]?.label || `Group ${index + 1}`;
    return {
      index,
      name,
      isShown: index === shown,
      marks: rates.map(({ value, lower, upper }, i) => {
        if (value === null) return null;
        const y = LINES[i] ?? 0;
        return { x: toPixels(scale, value), y, line: lower === null || upper === null ? "" : `M${px(toPixels(scale, lower))} ${y}H${px(toPixels(scale, upper))}` };
      }),
      text: rates.map(({ value }) => of100Text(value)).join(" · "),
      label: `${name}: ${where}${passes} ${rates.map(({ text }, i) => `${text} of ${i ? bad : good}`).join(", ")}`,
    };
  }
  const state = isOfLabels ? "on its rows with a human label" : isBefore ? "before the cure" : cured ? "with the cure" : isWhatIf ? "as fitted" : "";
  return {
    title: `By system${state && `, ${state}`}`,
    key: [`${state && ","} it ${passes}`, good, bad],
    width: layout.plot,
    axis: [0, 0.5, 1].map((x) => `M${px(toPixels(scale, x))} 0v${SYSTEM_HEIGHT}`).join(""),
    cases,
  };
}

/** The cases in which a judge with sliders has rates of its own; "" where it has none. */
function casesOf(judge: JudgeIdentity): readonly string[] {
  const ends = sliderKinds(judge).filter((kind) => /^[tf]pr/.test(kind)).map((kind) => kind.slice(10));
  return ends.length > 0 ? [...new Set(ends)] : [""];
}
