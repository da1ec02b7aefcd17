/** A judge's TPR and FPR in each system, side by side, where they need not be the same. */
import { rateKey } from "../contract/decode-judge.ts";
import { JUDGED } from "../contract/judge-tables.ts";
import type { JudgeGroup, JudgeIdentity } from "../contract/judge.ts";
import type { Estimate } from "../contract/tree.ts";
import { toPixels } from "../core/scale.ts";
import { of100Text } from "../core/judge-words.ts";
import { px } from "./paths.ts";
import { scaleOf } from "./judge-rate.ts";
import type { JudgeScene } from "./judge-scene.ts";

export interface SystemsPicture {
  readonly title: string;
  /** What the marks say: "it passes", a dot for "right answers", a ring for "wrong answers". */
  readonly key: readonly [does: string, solid: string, hollow: string];
  readonly width: number;
  readonly axis: string;
  readonly rows: readonly SystemRow[];
}

export interface SystemRow {
  /** The system's place in the picker. */
  readonly index: number;
  readonly name: string;
  readonly isShown: boolean;
  readonly marks: readonly SystemMark[];
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
export function systemsPicture({ view, posture, layout, isMoved }: JudgeScene, judge: JudgeIdentity): SystemsPicture | null {
  const { groups } = view;
  if (groups.length < 2 || posture.controls.cured) return null;
  const told = groups.map((group) => ratesIn(group, judge));
  if (!told.some((rates) => rates !== null)) return null;
  const scale = scaleOf(layout.plot);
  const { good, bad, passes } = JUDGED[judge.of];
  const rows = told.flatMap((rates, index): SystemRow[] => {
    if (rates === null) return [];
    const [tpr, fpr] = rates;
    const name = groups[index]?.label || `Group ${index + 1}`;
    return [
      {
        index,
        name,
        isShown: index === posture.controls.group,
        marks: rates.flatMap(({ value, lower, upper }, i): SystemMark[] => {
          if (value === null) return [];
          const y = LINES[i] ?? 0;
          return [{ x: toPixels(scale, value), y, line: lower === null || upper === null ? "" : `M${px(toPixels(scale, lower))} ${y}H${px(toPixels(scale, upper))}` }];
        }),
        text: `${of100Text(tpr.value)} · ${of100Text(fpr.value)}`,
        label: `${name}: ${passes} ${tpr.text} of ${good}, ${fpr.text} of ${bad}`,
      },
    ];
  });
  const apart = ({ index }: SystemRow) => {
    const [tpr, fpr] = told[index] ?? [];
    return (tpr?.value ?? 0) - (fpr?.value ?? 0);
  };
  const source = judge.is_shared ? ", on its rows with a human label" : isMoved ? ", as fitted" : "";
  return {
    title: `By system${source}`,
    key: [`it ${passes}`, good, bad],
    width: layout.plot,
    axis: [0, 0.5, 1].map((x) => `M${px(toPixels(scale, x))} 0v${SYSTEM_HEIGHT}`).join(""),
    rows: rows.sort((a, b) => apart(b) - apart(a)),
  };
}

/** TPR and FPR in one system; of a judge that all share only where it is not the same everywhere. */
function ratesIn({ rates, own }: JudgeGroup, { key, is_shared }: JudgeIdentity): readonly [Estimate, Estimate] | null {
  const of = is_shared ? (own ?? {}) : rates;
  const [tpr, fpr] = [of[rateKey("tpr", key)], of[rateKey("fpr", key)]];
  return tpr && fpr ? [tpr, fpr] : null;
}
