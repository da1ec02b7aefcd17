/**
 * The lines beside a judge: its rates in data terms, its worth, and what to be wary of. The same
 * as `views/judge_lines.py`; `tests/golden/judge_wording.json` holds vectors for both.
 */
import type { RateKind } from "../contract/decode-judge.ts";
import type { JudgeIdentity } from "../contract/judge.ts";
import { CASES, JUDGED, NEAR_COIN, NOISE, PIN_SLACK, RATE_WORDS } from "../contract/judge-tables.ts";
import { count, decimal, EN_DASH, interval, percent, pinPercent } from "./format.ts";
import { roundHalfUp } from "./numbers.ts";
import type { Segment, Triple } from "./sentence.ts";

export type Of = JudgeIdentity["of"];

/** How many of 100: "27", "<1", ">99". */
export function hundredths(x: number | null): string {
  return percent(x).replace("%", "");
}

/** An interval with two decimals: "0.55–0.73", or "−0.10 to 0.20" when an end is negative. */
export function decimals(lower: number, upper: number): string {
  return `${decimal(lower)}${lower < 0 || upper < 0 ? " to " : EN_DASH}${decimal(upper)}`;
}

/** What a rate is of: "misses", and what the judge does with them. */
function terms(kind: RateKind, of: Of): readonly [what: string, isUnknown: boolean] {
  const { truth, is_unknown, case: where } = rateWords(kind);
  const what = truth === 1 ? JUDGED[of].good : JUDGED[of].bad;
  return [where ? `${what} ${where}` : what, is_unknown];
}

export interface RateWords {
  readonly name: string;
  readonly truth: number;
  readonly is_unknown: boolean;
  readonly case: string;
}

/** The words of a kind of rate, of a judge whose errors depend on more than the truth, too. */
export function rateWords(kind: RateKind): RateWords {
  const known: Readonly<Record<string, RateWords>> = RATE_WORDS;
  const found = known[kind];
  if (found) return found;
  const at = kind.indexOf("_given_");
  const [rate, end] = [kind.slice(0, at), kind.slice(at + 7)];
  const isUnknown = rate === "unknown";
  const words = known[isUnknown ? `unknown_given_${end.slice(0, 1)}` : rate] ?? RATE_WORDS.tpr;
  const where = isUnknown ? end.slice(2) : end;
  const said = caseWords(where);
  return { ...words, name: `${words.name}, ${said}`, case: said };
}

/** What a case is called that a judge's errors depend on: "where retrieval failed". */
export function caseWords(end: string): string {
  return (CASES as Readonly<Record<string, string>>)[end] ?? `where retrieval was ${end}`;
}

/** What a rate counts: "misses that it passes"; a split of grades, or a rate of a saturated judge, has its name. */
export function ratePhrase(kind: RateKind, of: Of): string {
  if (!["tpr", "fpr", "unknown"].includes(kind.split("_given_", 1)[0] ?? "")) return `the rate ${kind}`;
  const [what, isUnknown] = terms(kind, of);
  return isUnknown ? `${what} on which it cannot tell` : `${what} that it ${JUDGED[of].passes}`;
}

/** The start of a rate's line: "Of 100 misses", and "it passes". */
export function rateOf(kind: RateKind, of: Of): readonly [among: string, does: string] {
  const [what, isUnknown] = terms(kind, of);
  return [`Of 100 ${what}`, isUnknown ? "it cannot tell on" : `it ${JUDGED[of].passes}`];
}

/**
 * The mean under moves as it is told: that of the fit where both may be the same number.
 *
 * @param errors Monte Carlo standard errors of `now` and `before`.
 * @param off how far the way in which `now` was found is off where the answer is known: at the fit.
 */
export function steady(now: number, before: number, errors: readonly [now: number, before: number], off = 0): number {
  return Math.abs(now - before) <= NOISE * Math.hypot(...errors) + off ? before : now;
}

/** A rate in data terms: "Of 100 misses it passes 27 (24–31)". */
export function rateLine(kind: RateKind, of: Of, [mean, lower, upper]: Triple): string {
  return `${rateOf(kind, of).join(" ")} ${hundredths(mean)} (${interval(lower, upper)})`;
}

/** A judge in three numbers: "J 0.55–0.73; right in 77 of 100 verdicts, κ 0.50". */
export function judgeLine([, lower, upper]: Triple, agreement: number | null, kappa: number | null): string {
  const right = agreement === null ? "" : `; right in ${hundredths(agreement)} of 100 verdicts`;
  return `J ${decimals(lower, upper)}${right}${kappa === null ? "" : `, κ ${decimal(kappa)}`}`;
}

/** Both rates beside each other: "It passes 93 of 100 hits and 27 of 100 misses". */
export function passedLine(of: Of, tpr: number, fpr: number, it = "It"): string {
  const { passes, good, bad } = JUDGED[of];
  return `${it} ${passes} ${hundredths(tpr)} of 100 ${good} and ${hundredths(fpr)} of 100 ${bad}`;
}

export interface WarningArguments {
  readonly of: Of;
  /** Rows that it decided and a person labelled. */
  readonly n_human: number;
  readonly tpr: Triple;
  readonly fpr: Triple;
  readonly youden: Triple;
  /** Pinned rates with the interval of the fit. */
  readonly pins: readonly (readonly [rate: string, value: number, lower: number, upper: number])[];
  readonly is_constrained: boolean;
}

/** What a reader must know beside one judge's sliders. */
export function judgeWarnings({ of, n_human, tpr, fpr, youden, pins, is_constrained }: WarningArguments): string[] {
  if (n_human === 0) {
    const rest = is_constrained ? "on your word that it beats a coin" : "on the prior";
    return [`No row that it judged has a human label of ${JUDGED[of].letter}: its rates rest ${rest}.`];
  }
  const against = pins
    .filter(([, value, low, high]) => !(low - PIN_SLACK <= value && value <= high + PIN_SLACK))
    .map(
      ([rate, value, low, high]) =>
        `You set ${ratePhrase(rateKind(rate), of)} to ${pinPercent(value)}, but the labels put it at ${interval(low, high)}%. ` +
        "Read the result as a thought experiment, or label more rows.",
    );
  const said = nearCoin(of, tpr, fpr, youden);
  return said === "" ? against : [...against, said];
}

/** The kind of a rate from its key: "tpr" of "tpr[judge]". */
export function rateKind(rate: string): RateKind {
  return rate.slice(0, rate.indexOf("[")) as RateKind;
}

/** What to know of a judge whose verdicts may not depend on the truth; else empty. */
function nearCoin(of: Of, [tpr]: Triple, [fpr]: Triple, [youden, lower, upper]: Triple): string {
  const passed = passedLine(of, tpr, fpr);
  if (upper < 0 || youden <= -NEAR_COIN) {
    return `${passed}: its verdicts point the wrong way. Check that 1 stands for ${JUDGED[of].good} in its column.`;
  }
  if (youden < NEAR_COIN) {
    return `${passed}: nearly the same. Its verdicts carry next to nothing; the estimates rest on the human labels.`;
  }
  if (lower > 0) return "";
  return `The labels leave open whether it is better than a coin: J is ${decimals(lower, upper)}. Label more of the rows that it judged.`;
}

/** How many labels: "469", "<1", or ">10,000" when more than there are to label. */
export function worthText(nLabels: number | null, nMax: number): string {
  if (nLabels === null) return `>${count(nMax)}`;
  const n = roundHalfUp(nLabels);
  return n === 0 && nLabels > 0.05 ? "<1" : count(n);
}

/** A worth in labels, null when more than the second number, the most that was considered. */
export type Labels = readonly [nLabels: number | null, nMax: number];

export interface WorthArguments {
  readonly policy: Labels;
  readonly task: Labels;
  /** The same of the verdicts alone, beyond A of their rows. */
  readonly policy_verdicts: Labels;
  readonly task_verdicts: Labels;
  /** Rows with verdicts and no human label of R or T, and rows on which people labelled one of them. */
  readonly n_only: number;
  readonly n_partly: number;
  /** Rows on which a verdict stands beside the human label. */
  readonly n_human: number;
  readonly is_rate: boolean;
}

/** Whether a worth is next to nothing. */
function isNothing(text: string): boolean {
  return text === "0" || text === "<1";
}

/** The worth that stands large: for P(G), or for P(T) where only that is more than nothing. */
export function leadingWorth(policy: Labels, task: Labels): Labels {
  return isNothing(worthText(...policy)) && !isNothing(worthText(...task)) ? task : policy;
}

/** Where the worth comes from: "5,000 more rows with verdicts". */
function judgedRows(nOnly: number, nPartly: number): string {
  const only = nOnly === 1 ? "1 more row with a verdict" : `${count(nOnly)} more rows with verdicts`;
  const partly = `verdicts on ${nPartly === 1 ? "1 row" : `${count(nPartly)} rows`} labelled in part`;
  if (nOnly === 0) return partly;
  return nPartly === 0 ? only : `${only} and ${partly}`;
}

/** What all judged rows together are worth in joint human labels; the first piece stands large. */
export function worthLine({ policy, task, policy_verdicts, task_verdicts, n_only, n_partly, n_human, is_rate }: WorthArguments): Segment[] {
  const name = is_rate ? "P(G)" : "the utility";
  const line = (big: string, text: string): Segment[] => [[big, "big"], [text, ""]];
  if (n_human === 0 && n_only === 0 && n_partly === 0) return line(EN_DASH, "There are no verdicts to weigh.");
  if (n_human === 0) return line(EN_DASH, "Without human labels on judged rows nobody can say what the verdicts are worth.");
  if (n_only === 0 && n_partly === 0) {
    return line("0", `Every verdict stands beside a human label: together they show how good the judge is, and teach nothing more about ${name}.`);
  }
  const [big, other] = [worthText(...policy), worthText(...task)];
  const rows = judgedRows(n_only, n_partly);
  const [does, teach] = n_only === 1 && n_partly === 0 ? ["does", "teaches"] : ["do", "teach"];
  const [alone, otherAlone] = [worthText(...policy_verdicts), worthText(...task_verdicts)];
  const beside = alone === big && otherAlone === other ? "" : ` Beyond A of those rows it is ${alone} for ${name} and ${otherAlone} for P(T).`;
  if (big === "0" && other === "0") return line("0", `The ${rows} ${teach} nothing new about ${name} or P(T).${beside}`);
  const labels = (n: string) => (n === "1" ? "human label" : "human labels");
  if (isNothing(big) && !isNothing(other)) {
    const little = big === "0" ? "nothing new" : big;
    return line(other, `${labels(other)} would teach as much about P(T) as ${rows} ${does}; about ${name}, ${little}.${beside}`);
  }
  return line(big, `${labels(big)} would teach as much about ${name} as ${rows} ${does}; about P(T), ${other}.${beside}`);
}
