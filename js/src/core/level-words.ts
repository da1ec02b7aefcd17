/** How the levels of a graded R read. Two levels have words of their own in the tables. */

const PHRASES: Readonly<Record<string, string>> = {
  none: "no evidence",
  partial: "part of the evidence",
  all: "all the evidence",
};
const NAMED = Object.keys(PHRASES).join();

export interface LevelWords {
  /** What a query has that is on this level: "all the evidence", "retrieval “good”". */
  readonly phrase: string;
  /** The same after "fell short of". */
  readonly aim: string;
  /** What a reader sets who pins the level. */
  readonly pin: string;
}

/** The words of one level among these. */
export function levelWords(levels: readonly string[], name: string): LevelWords {
  const known = levels.join() === NAMED ? PHRASES[name] : undefined;
  if (known !== undefined) return { phrase: known, aim: known, pin: `retrieval finds ${known}` };
  return { phrase: `retrieval “${name}”`, aim: `“${name}”`, pin: `retrieval is “${name}”` };
}
