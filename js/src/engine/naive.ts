/** Tables beside the model's: verdicts taken for labels, and people's labels alone. */
import { relabelled, type Instrument, type JudgedTable } from "./collapsed.ts";

/** Every verdict is taken for the label where no person's is there; of several the majority. */
export function naiveTable(table: JudgedTable, group: number): JudgedTable {
  const top = table.levels.length - 1;
  return relabelled(table, group, [], (pattern) => {
    const [retrieval = -1, abstention = -1, task = -1] = pattern;
    const said = (of: Instrument["of"]) => majority(table.judges.flatMap((judge, i) => (judge.of === of ? [pattern[3 + i] ?? -1] : [])));
    const hit = said("retrieval");
    // "Not a hit" names no level where several lie below the top.
    const level = hit === 1 ? top : hit === 0 && top > 1 ? -1 : hit;
    // A right answer was given, whatever a detector says.
    const declined = abstention >= 0 || task === 1 ? abstention : said("abstention");
    const solved = declined === 1 ? -1 : task >= 0 ? task : said("task");
    return [retrieval >= 0 ? retrieval : level, declined, solved];
  });
}

/** What people saw, and A. */
export function humanTable(table: JudgedTable, group: number): JudgedTable {
  return relabelled(table, group, [], ([retrieval = -1, abstention = -1, task = -1]) => [retrieval, abstention, task]);
}

/** The verdict that most give; -1 when they are tied or say nothing. */
function majority(verdicts: readonly number[]): number {
  const balance = verdicts.reduce((sum, verdict) => sum + (verdict === 1 ? 1 : verdict === 0 ? -1 : 0), 0);
  return balance > 0 ? 1 : balance < 0 ? 0 : -1;
}
