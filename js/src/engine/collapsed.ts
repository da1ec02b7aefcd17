/**
 * Pattern counts with verdicts, in as few terms as they allow (Python's `model/collapsed.py`).
 *
 * A pattern that agrees with one world, or with worlds that add up to one product of
 * probabilities, adds whole labels to Beta priors. What is left are mixed patterns, sums of
 * products. All parameters of all groups stand in one vector of columns: each group's own, group
 * after group, then those that the groups share.
 */
import { exponent, speakersOf, spoken, type Instrument, type Speaker, type Term } from "./emissions.ts";
import { reversedHeld, reversedPowers, type Power } from "./reversed.ts";
import { worldsOf, type Held, type Worlds } from "./worlds.ts";

/** Counts of patterns (R, A, T, one verdict per judge), -1 meaning not seen. */
export interface JudgedTable {
  readonly levels: readonly string[];
  readonly judges: readonly Instrument[];
  readonly patterns: readonly (readonly number[])[];
  readonly counts: readonly (readonly number[])[];
}

export interface Mixed {
  readonly rows: number;
  readonly terms: readonly Term[];
  /** Of a part of the prior: its power, in place of rows. */
  readonly power: Power["power"] | null;
}

export interface Collapsed {
  readonly worlds: Worlds;
  /** Parameters of one group, in the order of Python's `Priors.names`. */
  readonly names: readonly string[];
  /** What a parameter is about; judges of one truth stand together. */
  readonly kinds: readonly Kind[];
  readonly speakers: readonly Speaker[];
  /** For each group the column of each parameter. */
  readonly columns: readonly (readonly number[])[];
  /** For each column its group (-1: shared) and its parameter. */
  readonly owners: readonly (readonly [group: number, parameter: number])[];
  /** Labels that are known for sure, per column. */
  readonly ones: Float64Array;
  readonly zeros: Float64Array;
  readonly mixed: readonly Mixed[];
  /** Columns that occur in a mixed pattern; all others are Betas. */
  readonly mixing: readonly boolean[];
  /** Groups whose five probabilities of theta are those of the tree walked the other way round. */
  readonly reversed: readonly boolean[];
}

export type Kind = "theta" | Instrument["of"];

interface Parameters extends Pick<Collapsed, "worlds" | "names" | "kinds" | "speakers"> {
  readonly isShared: readonly boolean[];
}

function parametersOf({ levels, judges }: JudgedTable): Parameters {
  const worlds = worldsOf(levels);
  const { speakers, rates } = speakersOf(judges, worlds);
  return {
    worlds,
    names: [...worlds.parameters, ...rates.map(([name]) => name)],
    kinds: [...worlds.parameters.map(() => "theta" as const), ...rates.map(([, judge]) => judge.of)],
    isShared: [...worlds.parameters.map(() => false), ...rates.map(([, judge]) => judge.is_shared)],
    speakers,
  };
}

/** One group of a table whose rows show something else, of other judges, in as few patterns as that leaves. */
export function relabelled(
  table: JudgedTable,
  group: number,
  judges: readonly Instrument[],
  shown: (pattern: readonly number[]) => readonly number[],
): JudgedTable {
  const rows = new Map<string, { pattern: readonly number[]; n: number }>();
  for (const [i, pattern] of table.patterns.entries()) {
    const n = table.counts[group]?.[i] ?? 0;
    if (n === 0) continue;
    const labels = shown(pattern);
    const key = labels.join();
    rows.set(key, { pattern: labels, n: n + (rows.get(key)?.n ?? 0) });
  }
  const all = [...rows.values()];
  return { levels: table.levels, judges, patterns: all.map(({ pattern }) => pattern), counts: [all.map(({ n }) => n)] };
}

/** Of each pattern the products that its probability is the sum of, one for each world it agrees with. */
export function productsOf(table: JudgedTable): { readonly names: readonly string[]; readonly products: readonly (readonly Term[])[] } {
  const parameters = parametersOf(table);
  return { names: parameters.names, products: table.patterns.map((pattern) => termsOf(pattern, parameters)) };
}

/** Whole labels and mixed patterns of every group of the table. */
export function collapse(table: JudgedTable): Collapsed {
  const parameters = parametersOf(table);
  const { worlds, names, kinds, speakers } = parameters;
  const { columns, owners } = columnsOf(parameters.isShared, table.counts.length);
  const [ones, zeros] = [new Float64Array(owners.length), new Float64Array(owners.length)];
  const mixing = owners.map(() => false);
  const mixed: Mixed[] = [];
  const mix = (g: number, rows: number, terms: readonly Term[], power: Mixed["power"] = null) => {
    const here = terms.map(({ held, factor }) => ({ held: placed(columns[g] ?? [], held), factor }));
    for (const { held } of here) for (const e of held) mixing[e >> 1] = true;
    mixed.push({ rows, terms: here, power });
  };
  const reversed = table.counts.map((rows) => hidesRetrieval(table, rows));
  const backwards = reversedHeld(worlds);
  for (const { counts, pattern, terms: forwards } of distinct(table, parameters)) {
    const turned = reversed.includes(true) ? merged(termsOf(pattern, parameters, backwards)) : forwards;
    for (const [g, rows] of counts.entries()) {
      if (rows === 0) continue;
      const terms = reversed[g] ? turned : forwards;
      const only = terms[0];
      if (terms.length > 1 || !only) mix(g, rows, terms);
      else {
        for (const e of placed(columns[g] ?? [], only.held)) {
          const into = e & 1 ? zeros : ones;
          into[e >> 1] = (into[e >> 1] ?? 0) + rows;
        }
      }
    }
  }
  for (const [g, isReversed] of reversed.entries()) {
    if (!isReversed) continue;
    for (const { isIn, power } of reversedPowers(worlds)) mix(g, 0, merged(productsIn(backwards.filter((_, w) => isIn[w]))), power);
  }
  return { worlds, names, kinds, speakers, columns, owners, ones, zeros, mixed, mixing, reversed };
}

function placed(columns: readonly number[], held: readonly number[]): number[] {
  return held.map((e) => 2 * (columns[e >> 1] ?? 0) + (e & 1));
}

function productsIn(worlds: readonly Held[]): Term[] {
  return worlds.map((said) => ({ held: said.map(([k, yes]) => exponent(k, yes)).sort((a, b) => a - b), factor: 1 }));
}

/** Whether R, which then has two levels, is hidden on rows of a group that say something. */
function hidesRetrieval({ levels, patterns }: JudgedTable, rows: readonly number[]): boolean {
  const hides = ([retrieval = -1, ...others]: readonly number[]) => retrieval < 0 && Math.max(...others) >= 0;
  return levels.length === 2 && patterns.some((pattern, i) => (rows[i] ?? 0) > 0 && hides(pattern));
}

function columnsOf(isShared: readonly boolean[], nGroups: number): Pick<Collapsed, "columns" | "owners"> {
  const owners: (readonly [number, number])[] = [];
  const columns = Array.from({ length: nGroups }, (_, g) => isShared.map((shared, k) => (shared ? -1 : owners.push([g, k]) - 1)));
  for (const [k, shared] of isShared.entries()) {
    if (!shared) continue;
    const column = owners.push([-1, k]) - 1;
    for (const place of columns) place[k] = column;
  }
  return { columns, owners };
}

/** A sum of products, one of the patterns that show it, and its rows in every group. */
interface Distinct {
  readonly counts: number[];
  readonly pattern: readonly number[];
  readonly terms: readonly Term[];
}

/** Sums of products that differ. */
function distinct(table: JudgedTable, parameters: Parameters): readonly Distinct[] {
  const found = new Map<string, Distinct>();
  for (const [i, pattern] of table.patterns.entries()) {
    const rows = table.counts.map((of) => of[i] ?? 0);
    if (rows.every((n) => n === 0)) continue;
    const terms = merged(termsOf(pattern, parameters));
    const key = terms.map(({ held, factor }) => `${held.join()}*${factor}`).sort().join("+");
    const known = found.get(key);
    if (known) for (const [g, n] of rows.entries()) known.counts[g] = (known.counts[g] ?? 0) + n;
    else found.set(key, { counts: rows, pattern, terms });
  }
  return [...found.values()];
}

/** The products of each world that agrees with the pattern. */
function termsOf(pattern: readonly number[], { worlds, speakers }: Parameters, ways = worlds.held): Term[] {
  const [retrieval = -1, abstention = -1, task = -1] = pattern;
  const agrees = (seen: number, value: number) => seen < 0 || seen === value;
  // A verdict on an answer that was never given is none.
  const verdicts = speakers.map(({ of }, j) => (of === "task" && abstention === 1 ? -1 : (pattern[3 + j] ?? -1)));
  return ways.flatMap((said, w) => {
    const fits = agrees(retrieval, worlds.level[w] ?? 0) && agrees(abstention, Number(worlds.abstained[w])) && agrees(task, Number(worlds.right[w]));
    if (!fits) return [];
    const tree = said.map(([k, yes]) => exponent(k, yes));
    return spoken(speakers, verdicts, w).map(({ held, factor }) => ({ held: [...tree, ...held].sort((a, b) => a - b), factor }));
  });
}

/** The same sum with fewer products: u p + u (1 - p) = u, until nothing is left to add. */
function merged(terms: readonly Term[]): readonly Term[] {
  for (const [i, first] of terms.entries()) {
    for (const [j, other] of terms.entries()) {
      if (j <= i || first.factor !== other.factor) continue;
      const common = both(first.held, other.held);
      if (common) return merged([...terms.filter((_, k) => k !== i && k !== j), { held: common, factor: first.factor }]);
    }
  }
  return terms;
}

/** What two products have in common where they differ by the yes and no of one parameter alone. */
function both(a: readonly number[], b: readonly number[]): readonly number[] | null {
  if (a.length !== b.length) return null;
  let apart = -1;
  for (let i = 0; i < a.length; i++) {
    if (a[i] === b[i]) continue;
    if (apart >= 0 || (a[i] ?? 0) >> 1 !== (b[i] ?? 0) >> 1) return null;
    apart = i;
  }
  return a.filter((_, i) => i !== apart);
}
