/** The headline's numbers: which truth it is about, and who judges that. */
import { rateKey, rateKeys } from "../contract/decode-judge.ts";
import { JUDGED } from "../contract/judge-tables.ts";
import type { JudgeIdentity, JudgeWorth } from "../contract/judge.ts";
import { isBound } from "../engine/judge-samples.ts";
import type { Labels, Of } from "../core/judge-lines.ts";
import { focus, judgeDeck, judgeHeadline, movesDeck, worst, type JudgeFinding } from "../core/judge-sentence.ts";
import { allowances, allowedBy } from "../core/judge-cure.ts";
import { record } from "../core/records.ts";
import { TARGETS } from "../engine/judge.ts";
import { EN_DASH } from "../core/format.ts";
import { triple } from "../core/judge-words.ts";
import type { Segment } from "../core/sentence.ts";
import { UNDEFINED, type JudgeScene } from "./judge-scene.ts";

/** The two lines at the top. */
export interface JudgeLines {
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
}

const NO_LINES: JudgeLines = { headline: [["What you set leaves no numbers.", ""]], deck: [] };

export function judgeLines(scene: JudgeScene): JudgeLines {
  if (scene.now.isEmpty) return NO_LINES;
  const finding = findingOf(scene);
  const { isWhatIf, group, posture } = scene;
  return { headline: judgeHeadline(finding, posture.controls.pins !== null), deck: isWhatIf && group.n_rows > 0 ? movedDeck(scene) : judgeDeck(finding) };
}

/** Rows that judges of a truth decided, and those of them that a person labelled, too. */
interface Decided {
  readonly of: Of;
  readonly judges: readonly JudgeIdentity[];
  readonly n_verdicts: number;
  readonly n_human: number;
}

const LABEL: Readonly<Record<Of, number>> = { retrieval: 0, abstention: 1, task: 2 };

function decidedOf({ view, group, present }: JudgeScene): Decided[] {
  const truths = new Set(present.map(({ of }) => of));
  return [...truths].map((of) => {
    const judges = present.filter((judge) => judge.of === of);
    const places = judges.map((judge) => 3 + view.judges.indexOf(judge));
    let [verdicts, human] = [0, 0];
    for (const [i, pattern] of view.patterns.entries()) {
      const n = group.counts[i] ?? 0;
      if (!places.some((place) => pattern[place] === 0 || pattern[place] === 1)) continue;
      verdicts += n;
      if ((pattern[LABEL[of]] ?? -1) >= 0) human += n;
    }
    return { of, judges, n_verdicts: verdicts, n_human: human };
  });
}

/**
 * Rows on which a judge that is in decided a truth that a person labelled; and on which one tells
 * what no person did, without a human label of R or T and with one of them.
 */
export function worthRows({ view, group, present }: Pick<JudgeScene, "view" | "group" | "present">): Readonly<Record<"n_human" | "n_only" | "n_partly", number>> {
  const at = present.map((judge) => [3 + view.judges.indexOf(judge), LABEL[judge.of]] as const);
  const found = { n_human: 0, n_only: 0, n_partly: 0 };
  for (const [i, pattern] of view.patterns.entries()) {
    const n = group.counts[i] ?? 0;
    const isSeen = (place: number) => (pattern[place] ?? -1) >= 0;
    if (at.some(([verdict, label]) => (pattern[verdict] === 0 || pattern[verdict] === 1) && isSeen(label))) found.n_human += n;
    if (at.some(([verdict, label]) => isSeen(verdict) && !isSeen(label))) found[isSeen(LABEL.retrieval) || isSeen(LABEL.task) ? "n_partly" : "n_only"] += n;
  }
  return found;
}

function findingOf(scene: JudgeScene): JudgeFinding {
  const { view, group, now, present, kind } = scene;
  const { naive, humans, joint } = now.beliefs;
  const decided = decidedOf(scene);
  const target = (of: Of) => JUDGED[of].target;
  const misled = () => focus(decided.map(({ of, n_human }) => [n_human, naive[target(of)]?.value ?? 0, joint[target(of)]?.value ?? 0] as const));
  const touched = touchedOf(scene);
  const at = touched === null ? decided[misled()] : decided.find(({ of }) => of === touched);
  const youden = ({ key }: JudgeIdentity) => now.measures[key]?.youden ?? UNDEFINED;
  const told = at?.judges[worst(at.judges.map((judge) => triple(youden(judge))[0]))];
  const alone = worthRows(scene);
  const rate = (which: "tpr" | "fpr") => triple(now.rates[rateKey(which, told?.key ?? "")] ?? UNDEFINED);
  return {
    of: at?.of ?? null,
    key: told?.key ?? "",
    n_rows: group.n_rows,
    n_verdicts: at?.n_verdicts ?? 0,
    n_judges: at?.judges.length ?? 0,
    n_present: present.length,
    n_human: at?.n_human ?? 0,
    n_alone: alone.n_only + alone.n_partly,
    tpr: rate("tpr"),
    fpr: rate("fpr"),
    youden: triple(told ? youden(told) : UNDEFINED),
    naive: triple(naive[target(at?.of ?? "retrieval")] ?? UNDEFINED),
    humans: triple(humans[target(at?.of ?? "retrieval")] ?? UNDEFINED),
    joint: triple(joint[target(at?.of ?? "retrieval")] ?? UNDEFINED),
    humans_policy: triple(humans["policy_adherence"] ?? UNDEFINED),
    joint_policy: triple(joint["policy_adherence"] ?? UNDEFINED),
    policy_verdicts: beyondA(now.worth["policy_adherence"]),
    task_verdicts: beyondA(now.worth["task_success"]),
    n_labelled: group.n_human,
    is_a_added: group.is_a_added,
    is_rate: kind !== "utility",
    is_constrained: at?.judges.some(({ key }) => isBound(view, key, scene.posture.controls)) ?? false,
    graded: told ? passing(told) : "",
    is_doubted: !scene.posture.controls.cured && (group.departures ?? []).some(({ kind, judges }) => kind !== "systems" && (at?.judges ?? []).some(({ key }) => judges.includes(key))),
  };
}

/** Of a graded judge the levels that pass: "good or better", "4 or better of 1–5". */
function passing({ levels, cut }: JudgeIdentity): string {
  const level = levels[cut ?? -1];
  if (level === undefined) return "";
  const ends = [levels[0], levels.at(-1)];
  const isScale = levels.length > 2 && ends.every((end) => /^-?\d+$/.test(end ?? ""));
  return `${level}${level === ends[1] ? "" : " or better"}${isScale ? ` of ${ends.join(EN_DASH)}` : ""}`;
}

/** What verdicts tell of a quantity beyond A of their rows. */
export function beyondA(worth: JudgeWorth | undefined): Labels {
  return [worth?.worth_verdicts ?? null, worth?.n_max ?? 0];
}

/** What the judge judges whose rate was moved last; null where none was. */
function touchedOf({ present, posture }: JudgeScene): Of | null {
  const { priors, pins } = posture.controls;
  const owners = [...Object.keys(priors ?? {}), ...Object.keys(pins ?? {})].flatMap((rate) => present.filter((judge) => rateKeys(judge).includes(rate)));
  return owners[owners.length - 1]?.of ?? null;
}

function movedDeck({ view, now, fit, posture, kind }: JudgeScene): Segment[] {
  const { priors, pins, left_out } = posture.controls;
  const belief = (key: string) => [now.beliefs.joint[key]?.value ?? 0, fit.mean(key) ?? 0] as const;
  return movesDeck({
    pins: pins ?? {},
    fitted: Object.fromEntries(Object.keys(pins ?? {}).flatMap((key) => {
      const mean = fit.mean(key);
      return mean === null ? [] : [[key, mean]];
    })),
    judges: view.judges.map(({ key, of }) => [key, of] as const),
    n_priors: Object.keys(priors ?? {}).length,
    n_left_out: left_out.length,
    beliefs: record(TARGETS, belief),
    is_rate: kind !== "utility",
    cured: allowances(allowedBy(view)),
  });
}
