/** Tables beside the model's: verdicts taken for labels, and people's labels alone. */
import { relabelled, type JudgedTable } from "./collapsed.ts";
import { levelsOf, type Instrument } from "./emissions.ts";

/**
 * Every verdict is taken for the label where no person's is there; of several the majority. What is
 * no hit stands at the level below the top.
 */
export function naiveTable(table: JudgedTable, group: number): JudgedTable {
  const top = table.levels.length - 1;
  return relabelled(table, group, [], (pattern) => {
    const [retrieval = -1, abstention = -1, task = -1] = pattern;
    const said = (of: Instrument["of"]) => majority(table.judges.flatMap((judge, i) => (judge.of === of ? [decision(judge, pattern[3 + i] ?? -1)] : [])));
    const hit = said("retrieval");
    const level = hit < 0 ? -1 : top - 1 + hit;
    // A right answer was given, whatever a detector says.
    const declined = abstention >= 0 || task === 1 ? abstention : said("abstention");
    const solved = declined === 1 ? -1 : task >= 0 ? task : said("task");
    return [retrieval >= 0 ? retrieval : level, declined, solved];
  });
}

/**
 * The rows that people labelled, without verdicts.
 *
 * T is labelled on answers only: where R was never labelled, or labelled rows differ from the
 * others in how often they declined (they were chosen by A), A of the others stays, since leaving
 * it out would bias P(A).
 */
export function humanTable(table: JudgedTable, group: number): JudgedTable {
  const keepsAll = keepsAbstention(table, group);
  return relabelled(table, group, [], ([retrieval = -1, abstention = -1, task = -1]) =>
    keepsAll || isLabelled(retrieval, task) ? [retrieval, abstention, task] : [-1, -1, -1],
  );
}

function keepsAbstention(table: JudgedTable, group: number): boolean {
  const hasRetrieval = table.patterns.some(([retrieval = -1], i) => retrieval >= 0 && (table.counts[group]?.[i] ?? 0) > 0);
  return !hasRetrieval || differInAbstention(table, group);
}

/** Whether people's labels alone leave out rows whose A is seen. */
export function leavesAbstentionOut(table: JudgedTable, group: number): boolean {
  const isLeft = ([retrieval = -1, abstention = -1, task = -1]: readonly number[]) => abstention >= 0 && !isLabelled(retrieval, task);
  return table.patterns.some((pattern, i) => isLeft(pattern) && (table.counts[group]?.[i] ?? 0) > 0) && !keepsAbstention(table, group);
}

function isLabelled(retrieval: number, task: number): boolean {
  return retrieval >= 0 || task >= 0;
}

/** Whether P(A=1) of labelled rows is more than three standard errors from that of the rest. */
function differInAbstention({ patterns, counts }: JudgedTable, group: number): boolean {
  const seen = [
    [0, 0],
    [0, 0],
  ] as [[number, number], [number, number]];
  patterns.forEach(([retrieval = -1, abstention = -1, task = -1], i) => {
    const part = seen[isLabelled(retrieval, task) ? 0 : 1];
    if (abstention >= 0) part[abstention === 1 ? 1 : 0] += counts[group]?.[i] ?? 0;
  });
  const [[no, yes], [otherNo, otherYes]] = seen;
  const [n, others] = [no + yes, otherNo + otherYes];
  const pooled = (yes + otherYes) / (n + others);
  if (n === 0 || others === 0 || pooled === 0 || pooled === 1) return false;
  return Math.abs(yes / n - otherYes / others) > 3 * Math.sqrt(pooled * (1 - pooled) * (1 / n + 1 / others));
}

/** Whether a verdict passes: a level at the judge's cut or above; -1 where it does not decide. */
function decision(judge: Instrument, verdict: number): number {
  const n = levelsOf(judge);
  return verdict < 0 || verdict >= n ? -1 : Number(verdict >= (judge.cut ?? n / 2));
}

/** The verdict that most give; -1 when they are tied or say nothing. */
function majority(verdicts: readonly number[]): number {
  const balance = verdicts.reduce((sum, verdict) => sum + (verdict === 1 ? 1 : verdict === 0 ? -1 : 0), 0);
  return balance > 0 ? 1 : balance < 0 ? 0 : -1;
}
