/** What verdicts are worth in human labels, as numbers and as marks. */
import type { JudgeWorth } from "../contract/judge.ts";
import { count, EN_DASH } from "../core/format.ts";
import { leadingWorth, worthLine } from "../core/judge-lines.ts";
import { HUES, judgeName } from "../core/judge-words.ts";
import type { Segment } from "../core/sentence.ts";
import { beyondA, worthRows } from "./judge-finding.ts";
import type { JudgeScene } from "./judge-scene.ts";
import { circlePath, px } from "./paths.ts";

export interface WorthPicture {
  readonly line: readonly Segment[];
  /** Null where nobody can say what the verdicts are worth. */
  readonly marks: WorthMarks | null;
  /** Each of several judges alone; none where there is one. */
  readonly alone: readonly { readonly key: string; readonly hue: "r" | "a" | "t"; readonly name: string; readonly text: string }[];
}

/** Filled marks for human labels, hollow ones for what judged rows add. */
export interface WorthMarks {
  readonly width: number;
  readonly height: number;
  readonly human: string;
  readonly judge: string;
  readonly legend: string;
}

const PITCH = 9;
/** Lines of marks that are worth looking at. */
const MOST_LINES = 3;
const SIZES = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];

/** The worth of all judged rows together, and of those of each judge alone. */
export function worthPicture(scene: JudgeScene): WorthPicture {
  const { now, group, view, layout, present, kind } = scene;
  if (now.isEmpty) return { line: [[EN_DASH, "big"], ["What you set leaves no numbers.", ""]], marks: null, alone: [] };
  const [good, task] = [now.worth["policy_adherence"], now.worth["task_success"]];
  const policy = [good?.worth ?? null, good?.n_max ?? 0] as const;
  const taskWorth = [task?.worth ?? null, task?.n_max ?? 0] as const;
  const [nLabels, nMax] = leadingWorth(policy, taskWorth);
  const rows = worthRows(scene);
  const isTold = rows.n_human > 0;
  const policyName = kind === "utility" ? "the utility" : "P(G)";
  return {
    line: worthLine({
      policy,
      task: taskWorth,
      policy_verdicts: beyondA(good),
      task_verdicts: beyondA(task),
      ...rows,
      is_rate: kind !== "utility",
    }),
    marks: isTold ? worthMarks(group.n_human, nLabels ?? nMax, layout.right) : null,
    alone:
      view.judges.length < 2 || !isTold
        ? []
        : present.map((judge) => {
            const worth = now.measures[judge.key]?.worth;
            return { key: judge.key, hue: HUES[judge.of], name: judgeName(judge), text: aloneText(worth?.["policy_adherence"], worth?.["task_success"], policyName) };
          }),
  };
}

/** "74 about P(G), 12 about P(T); beyond A 27 and 10". */
function aloneText(policy: JudgeWorth | undefined, task: JudgeWorth | undefined, name: string): string {
  const [g, t, gVerdicts, tVerdicts] = [policy?.text, task?.text, policy?.text_verdicts, task?.text_verdicts].map((text) => text ?? EN_DASH);
  const beyond = g === gVerdicts && t === tVerdicts ? "" : `; beyond A ${gVerdicts} and ${tVerdicts}`;
  return `${g} about ${name}, ${t} about P(T)${beyond}`;
}

/** One mark for so many labels that all fit into a few lines. */
export function worthMarks(nHuman: number, nWorth: number, width: number): WorthMarks {
  const inLine = Math.max(10, Math.floor((width - 4) / PITCH));
  const fits = (per: number) => Math.ceil(nHuman / per) + Math.ceil(nWorth / per) <= MOST_LINES * inLine;
  const per = SIZES.find(fits) ?? Math.ceil((nHuman + nWorth) / (MOST_LINES * inLine - 2));
  const [human, judge] = [Math.round(nHuman / per), Math.round(nWorth / per)];
  const lines = Math.max(1, Math.ceil((human + judge) / inLine));
  const place = (i: number) => [4 + (i % inLine) * PITCH, 5 + Math.floor(i / inLine) * PITCH] as const;
  const all = Array.from({ length: human + judge }, (_, i) => place(i));
  return {
    width,
    height: lines * PITCH + 2,
    human: all.slice(0, human).map(([x, y]) => circlePath(x, y, 2.9)).join(""),
    judge: all.slice(human).map(([x, y]) => `M${px(x)} ${px(y - 3.4)}l3.4 3.4l-3.4 3.4l-3.4 -3.4z`).join(""),
    legend: `one mark is ${per === 1 ? "1 label" : `${count(per)} labels`}`,
  };
}
