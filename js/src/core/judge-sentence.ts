/**
 * The headline on judges and the line under it: the same sentences as `views/judge_sentences.py`;
 * `tests/golden/judge_wording.json` holds vectors for both.
 */
import { rateKey, rateKind } from "../contract/decode-judge.ts";
import { JUDGED, LEAST_WORTH, LEAST_WORTH_SHARE, NEAR_COIN, NEAR_TIE, RATE_WORDS, VAGUE_JUDGED } from "../contract/judge-tables.ts";
import { VAGUE_ESTIMATE } from "../contract/tables.ts";
import { cents, decimal, interval, percent, pinPercent, points } from "./format.ts";
import { decimals, hundredths, passedLine, ratePhrase, type Labels, type Of } from "./judge-lines.ts";
import { lowered } from "./letters.ts";
import { roundHalfUp } from "./numbers.ts";
import type { Segment, Triple } from "./sentence.ts";

/** What the headline and the line under it are made of: one truth and who judges it. */
export interface JudgeFinding {
  /** The truth, from `focus`; null when every judge is left out. */
  readonly of: Of | null;
  /** Of the judges of this truth the one with the smallest J, from `worst`; named where there are others. */
  readonly key: string;
  /** Rows of the group, and those of them on which a judge of this truth decided. */
  readonly n_rows: number;
  readonly n_verdicts: number;
  /** Judges of this truth, judges of any truth, and rows decided by one and labelled by a person. */
  readonly n_judges: number;
  readonly n_present: number;
  readonly n_human: number;
  /** Rows on which a judge of any truth tells what no person did ("cannot tell", too). */
  readonly n_alone: number;
  readonly tpr: Triple;
  readonly fpr: Triple;
  readonly youden: Triple;
  readonly naive: Triple;
  readonly humans: Triple;
  readonly joint: Triple;
  readonly humans_policy: Triple;
  readonly joint_policy: Triple;
  /** What all verdicts are worth beyond A of their rows, for P(G), or the utility, and for P(T). */
  readonly policy_verdicts: Labels;
  readonly task_verdicts: Labels;
  /** Rows with a person's label of R or T. */
  readonly n_labelled: number;
  /** Whether A of rows that nobody labelled counts in `joint` and not in `humans`. */
  readonly is_a_added: boolean;
  readonly is_rate: boolean;
  readonly is_constrained: boolean;
  /** Of a judge that grades, what counts as a pass: "5", "4 or better"; empty otherwise. */
  readonly graded: string;
  /** Whether the rows say that these judges err in other ways than the model has it. */
  readonly is_doubted: boolean;
}

/** From this share of the width on the verdicts narrow nothing. */
const BARELY = 0.97;
const ROLES = { retrieval: "evidence", task: "task", abstention: "good" } as const;

/** Which truth the headline is about: the one whose verdicts mislead most. */
export function focus(candidates: readonly (readonly [nHuman: number, naive: number, joint: number])[]): number {
  const all = [...candidates.keys()];
  const anchored = all.filter((i) => (candidates[i]?.[0] ?? 0) > 0);
  const among = anchored.length > 0 ? anchored : all;
  const apart = among.map((i) => {
    const [, naive, joint] = candidates[i] ?? [0, 0, 0];
    return Math.abs(naive - joint);
  });
  return among[firstLargest(apart)] ?? 0;
}

/** Which of some judges is spoken of: the first whose J is as small as any, but for a tie. */
export function worst(youden: readonly number[]): number {
  return firstLargest(youden.map((j) => -j));
}

/** The first that is within a tie of the largest: the same whatever Monte Carlo error does. */
function firstLargest(values: readonly number[]): number {
  const largest = Math.max(...values);
  return values.findIndex((x) => roundHalfUp(1e6 * (largest - x)) <= 1e6 * NEAR_TIE);
}

function isSeveral({ n_judges }: JudgeFinding): boolean {
  return n_judges > 1;
}

/** Who is spoken of: "the judges", "the judge", or its name where others judge other truths. */
function subjectOf(finding: JudgeFinding): string {
  if (isSeveral(finding)) return "the judges";
  return finding.n_present === 1 ? "the judge" : `“${finding.key}”`;
}

/** The finding in one sentence; with moves it starts with "What if". */
export function judgeHeadline(finding: JudgeFinding, isWhatIf = false): Segment[] {
  const said = finds(finding);
  const [first, ...rest] = said;
  if (!isWhatIf || first === undefined) return said;
  const [text, role] = first;
  return [["What if: ", "whatif"], [lowered(text), role], ...rest];
}

function finds(finding: JudgeFinding): Segment[] {
  const { of, n_rows, n_verdicts, n_human, is_constrained } = finding;
  if (n_rows === 0) return [["No labels yet. Every number below is the prior, not a finding.", ""]];
  if (of === null) return [["Every judge is left out: what you see rests on the human labels.", ""]];
  if (n_verdicts === 0) return [["No verdicts yet: what you see rests on the human labels and the prior.", ""]];
  const it = subjectOf(finding);
  const told = tells(of, finding);
  if (n_human === 0 && !is_constrained) {
    const are = isSeveral(finding) ? "they are" : "it is";
    const yes = counting(finding);
    return [[`No human labels of ${JUDGED[of].letter}: ${lowered(yes)}${it} ${told}, and nothing here shows how often ${are} right.`, ""]];
  }
  const start = n_human === n_verdicts ? besideLabels(of, finding) : `${opening(finding, it)} ${told}; ${corrected(finding)}`;
  return [[start, ""], ...jointly(finding, of)];
}

/** How the sentence begins where people labelled all that was judged: it is about labels. */
function besideLabels(of: Of, { n_alone, is_rate }: JudgeFinding): string {
  const { finds: what, letter } = JUDGED[of];
  const on = n_alone > 0 ? ` on ${letter}` : "";
  const queries = what === "" ? "those that end as the policy asks are" : `people find ${what} in`;
  const said = what === "" && !is_rate ? "the utility a query is" : `of 100 queries ${queries}`;
  return `Every verdict${on} stands beside a human label: ${said} `;
}

/** What the verdicts say when they are taken as labels. */
function tells(of: Of, finding: JudgeFinding): string {
  const { finds: what } = JUDGED[of];
  const ending = isSeveral(finding) ? "" : "s";
  if (what === "" && !finding.is_rate) return `see${ending} a utility of ${decimal(finding.naive[0])} a query`;
  const n = roundHalfUp(100 * finding.naive[0]);
  const many = n <= 0 ? "almost none" : n >= 100 ? "almost all" : String(n);
  return what === "" ? `let${ending} ${many} of 100 queries end as the policy asks` : `find${ending} ${what} in ${many} of 100 queries`;
}

/** How the sentence begins: the verdicts mislead, or they hold up. */
function opening(finding: JudgeFinding, it: string): string {
  const { naive, joint, n_human } = finding;
  const apart = Math.abs(roundHalfUp(100 * naive[0]) - roundHalfUp(100 * joint[0]));
  const yes = counting(finding);
  if (apart > 1 || n_human === 0 || finding.is_doubted || isVague(finding)) return `${yes || `Taken at ${isSeveral(finding) ? "their" : "its"} word `}${it}`;
  if (isSeveral(finding)) return "The judges' word holds up: they";
  return `${yes}${yes ? "the" : "The"} ${finding.n_present === 1 ? "judge's word" : `word of ${it}`} holds up: it`;
}

/** What counts as a yes of the one judge of a truth, where it grades. */
function counting(finding: JudgeFinding): string {
  return finding.graded === "" || isSeveral(finding) ? "" : `Counting ${finding.graded} as a yes, `;
}

function corrected(finding: JudgeFinding): string {
  if (finding.n_human === 0) return `if ${isSeveral(finding) ? "they beat a coin" : "it beats a coin"}, as you said, it is `;
  const whose = isSeveral(finding) ? "their" : "its";
  return finding.is_doubted ? `by a model that ${whose} errors do not fit it is ` : `corrected for ${whose} errors it is `;
}

function isVague(finding: JudgeFinding): boolean {
  return !isUtility(finding) && finding.joint[2] - finding.joint[1] > VAGUE_JUDGED;
}

/** Whether the number in the headline is a utility: only a judge of A speaks of the policy. */
function isUtility({ of, is_rate }: JudgeFinding): boolean {
  return of === "abstention" && !is_rate;
}

/** The corrected number, with its interval, or as a range. */
function jointly(finding: JudgeFinding, of: Of): Segment[] {
  const [mean, low, high] = finding.joint;
  const role = ROLES[of];
  if (isVague(finding)) return [[`anywhere between ${roundHalfUp(100 * low)} and ${roundHalfUp(100 * high)}`, role], [".", ""]];
  const [now, span] = isUtility(finding) ? [decimal(mean), decimals(low, high)] : [hundredths(mean), interval(low, high)];
  return [[now, role], [` (${span})`, "interval"], [".", ""]];
}

/** Why, and whether the verdicts help: the line under the headline. */
export function judgeDeck(finding: JudgeFinding): Segment[] {
  const { of, n_rows, n_verdicts, n_human, is_constrained } = finding;
  if (n_rows === 0) return [["Add rows with verdicts, and label about 100 of them by hand.", ""]];
  if (of === null || n_verdicts === 0) return [];
  if (n_human === 0) {
    const label = `abel ${JUDGED[of].letter} by hand on some of the judged rows`;
    if (is_constrained) return [[`That is an assumption; l${label} to see whether it holds.`, ""]];
    return [[`L${label}: without that the verdicts fit many answers.`, ""]];
  }
  const [flaw, isFlawed] = flawOf(of, finding);
  const said = finding.graded === "" || !isSeveral(finding) ? flaw : `Counting ${finding.graded} as a yes, ${lowered(flaw)}`;
  if (finding.n_alone === 0 && !finding.is_a_added) return [[`${said}${whoseOf(finding)} teach nothing more than the labels beside them.`, ""]];
  return [[said, ""], ...help(finding, isFlawed)];
}

/** What the judge gets wrong, and whether that is at least 10 of 100. */
function flawOf(of: Of, finding: JudgeFinding): readonly [string, boolean] {
  const { key, youden, tpr, fpr, naive, joint } = finding;
  const { good, bad, passes, fails } = JUDGED[of];
  const it = isSeveral(finding) ? `“${key}”` : "it";
  if (youden[0] < NEAR_COIN || youden[1] <= 0) return [`${passedLine(of, tpr[0], fpr[0], isSeveral(finding) ? it : "It")}. `, true];
  // Where the verdicts hold up it is the larger of its errors.
  const isNear = Math.abs(roundHalfUp(100 * naive[0]) - roundHalfUp(100 * joint[0])) <= 1;
  const isLenient = isNear ? fpr[0] >= 1 - tpr[0] : naive[0] >= joint[0];
  const [error, what, does] = isLenient ? [fpr[0], bad, passes] : [1 - tpr[0], good, fails];
  return [`Of 100 ${what} ${it} ${does} ${hundredths(error)}. `, roundHalfUp(100 * error) >= 10];
}

/**
 * Whether P(G) is known better with the verdicts than without. Where people's labels leave P(G)
 * open, or only P(T) is what the verdicts tell of, it is said of the quantity that is judged. Where
 * they are worth next to nothing, what narrows it is A of the rows nobody labelled.
 */
function help(finding: JudgeFinding, isFlawed: boolean): Segment[] {
  const { humans_policy, joint_policy, is_rate, n_present } = finding;
  const letter = letterTold(finding);
  const [humans, joint] = letter === null ? [humans_policy, joint_policy] : [finding.humans, finding.joint];
  const [before, after] = [policySpan(humans, is_rate), policySpan(joint, is_rate)];
  const whose = whoseOf(finding);
  const name = letter !== null ? `P(${letter})` : is_rate ? "P(G)" : "utility a query";
  const alone = `${before} on human labels alone`;
  const isMoving = !(humans[1] <= joint[0] && joint[0] <= humans[2]);
  const isNothing = isWorthless(finding, letter);
  const limit = isNothing || letter === "R" ? BARELY : 1;
  const isNarrower = joint[2] - joint[1] <= limit * (humans[2] - humans[1]) && before !== after;
  if (isNothing && finding.is_a_added && (isMoving || isNarrower)) {
    const check = isMoving ? " Check how the labelled rows were chosen." : "";
    return [[`${whose} add next to nothing: A of the other rows takes ${name} from ${alone} to `, ""], [after, "strong"], [`.${check}`, ""]];
  }
  if (!isMoving && (!isNarrower || isNothing)) return [[`${whose} add next to nothing: ${name} is ${alone} and ${after} with both.`, ""]];
  const lead = isMoving ? "move the answer" : isFlawed ? "still help" : "help";
  const errors = n_present === 1 ? "its errors depend" : "errors depend";
  const check = isMoving ? ` Check whether ${errors} on more than the truth.` : "";
  return [[`${whose} ${lead}: ${name} goes from ${alone} to `, ""], [after, "strong"], [` with both.${check}`, ""]];
}

function whoseOf({ n_present }: JudgeFinding): string {
  return n_present === 1 ? "Its verdicts" : "The verdicts";
}

/** R or T where the line is about that quantity; null where it is about P(G) or the utility. */
function letterTold(finding: JudgeFinding): string | null {
  const { of, humans_policy, is_rate } = finding;
  if (!is_rate || (of !== "retrieval" && of !== "task")) return null;
  const isOpen = humans_policy[2] - humans_policy[1] > VAGUE_ESTIMATE;
  const isOfTask = of === "task" && isWorthless(finding, null) && !isWorthless(finding, "T");
  return isOpen || isOfTask ? JUDGED[of].letter : null;
}

/**
 * Whether the verdicts tell next to nothing of a quantity beyond A of their rows: of P(T), P(R), or
 * what the policy asks (null). The worth says so; for P(R) the one judge's J.
 */
function isWorthless(finding: JudgeFinding, letter: string | null): boolean {
  if (letter === "R") return !isSeveral(finding) && finding.youden[0] < NEAR_COIN;
  const [nLabels, nMax] = letter === "T" ? finding.task_verdicts : finding.policy_verdicts;
  if (nLabels === null) return nMax === 0;
  return nLabels < Math.max(LEAST_WORTH, LEAST_WORTH_SHARE * finding.n_labelled);
}

function policySpan([, lower, upper]: Triple, isRate: boolean): string {
  return isRate ? `${interval(lower, upper)}%` : `(${decimals(lower, upper)})`;
}

export interface MovesArguments {
  readonly pins: Readonly<Record<string, number>>;
  /** Fitted means of the rates; the fit has none of a rate that the cure brings. */
  readonly fitted: Readonly<Record<string, number>>;
  readonly judges: readonly (readonly [key: string, of: Of])[];
  readonly n_priors: number;
  readonly n_left_out: number;
  /** P(R), P(T) and P(G), or the utility: now, and in the fit. */
  readonly beliefs: Readonly<Record<string, readonly [number, number]>>;
  readonly is_rate: boolean;
  /** What was found of judges and is allowed for: see `allowances`. */
  readonly cured: readonly string[];
}

/** What was changed, and what that changes: the line under a headline with moves. */
export function movesDeck({ pins, fitted, judges, n_priors, n_left_out, beliefs, is_rate, cured }: MovesArguments): Segment[] {
  const listed = judges
    .flatMap(([key, of]) =>
      [...new Set([...Object.keys(RATE_WORDS), ...Object.keys(pins).map(rateKind)])].flatMap((kind) => {
        const pin = pins[rateKey(kind, key)];
        if (pin === undefined) return [];
        const whose = judges.length > 1 ? ` (${key})` : "";
        const before = fitted[rateKey(kind, key)];
        const instead = before === undefined ? "" : ` instead of ${percent(before)}`;
        return [`${ratePhrase(kind, of)}${whose}: ${pinPercent(pin)}${instead}`];
      }),
    )
    .join("; ");
  const others = [
    ...cured,
    ...(n_priors > 0 ? [`changed the prior of ${n_priors} ${n_priors === 1 ? "rate" : "rates"}`] : []),
    ...(n_left_out > 0 ? [`left out ${n_left_out} ${n_left_out === 1 ? "judge" : "judges"}`] : []),
  ]
    .map((did, i, all) => (i === 0 ? "" : i < all.length - 1 ? ", " : " and ") + did)
    .join("");
  const belief = (key: string) => beliefs[key] ?? ([0, 0] as const);
  const last = belief("policy_adherence");
  const policy = is_rate ? `P(G) ${points(...last)} points` : `utility ${cents(...last)}`;
  const changed = `P(R) ${points(...belief("retrieval_success"))}, P(T) ${points(...belief("task_success"))}, ${policy}`;
  return [
    ...(listed ? ([["You set ", "whatif"], [listed, ""]] as const) : []),
    ...(others ? ([[`${listed ? "; you " : "You "}${others}`, ""]] as const) : []),
    [". Against the fit, ", ""],
    [changed, "strong"],
    [".", ""],
  ];
}
