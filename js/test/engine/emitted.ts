/** Judges that are not plain, and tables that they make, for tests: built as Python's `model/emissions.py` builds them. */
import type { JudgeEmission } from "../../src/contract/judge.ts";
import type { JudgedTable } from "../../src/engine/collapsed.ts";
import { levelsOf, speakersOf, truthOf, type Instrument } from "../../src/engine/emissions.ts";
import type { Uniform } from "../../src/engine/random.ts";
import type { Prior } from "../../src/engine/surface.ts";
import { worldsOf } from "../../src/engine/worlds.ts";
import { instrument, LEVELS, type Batch } from "./simulated.ts";

type Paths = JudgeEmission["paths"][number][number];

/** The path to each answer: from the top level down, after "cannot tell" or not. */
function ladder(n: number, splits: readonly number[], unknown: number | null): Paths {
  const first = unknown === null ? [] : [[unknown, 0] as const];
  const levels = Array.from({ length: n }, (_, level) => [
    ...first,
    ...splits.slice(0, n - 1 - level).map((rate) => [rate, 0] as const),
    ...(level > 0 ? [[splits[n - 1 - level]!, 1] as const] : []),
  ]);
  return unknown === null ? levels : [...levels, [[unknown, 1]]];
}

/** Of each split, the top level's first, where a search begins. */
function leaning(n: number, isTrue: boolean): number[] {
  const rising = Array.from({ length: n }, (_, l) => (isTrue ? l + 1 : n - l));
  return Array.from({ length: n - 1 }, (_, i) => rising[n - 1 - i]! / rising.slice(0, n - i).reduce((a, b) => a + b, 0));
}

export interface Kind {
  readonly levels?: readonly string[];
  readonly dependsOn?: "retrieval" | "task";
  readonly has_unknown?: boolean;
  readonly is_shared?: boolean;
  readonly cut?: number;
}

/** A judge with levels, or errors that depend on something, or both. */
export function emitted(key: string, of: Instrument["of"], { levels = [], dependsOn, ...more }: Kind, tree: readonly string[] = LEVELS): Instrument {
  const worlds = worldsOf(tree);
  const truth = truthOf(of, worlds);
  const other = worlds.names.map((_, w) => (dependsOn === "retrieval" ? tree[worlds.level[w]!]! : dependsOn === "task" ? (worlds.right[w] ? "right" : "not_right") : ""));
  const names = truth.map((isTrue, w) => [of === "retrieval" && tree.length > 2 ? tree[worlds.level[w]!]! : String(Number(isTrue)), ...(other[w] ? [other[w]] : [])].join("_"));
  const cells = [...new Set(names)].sort((a, b) => Number(truth[names.indexOf(b)]) - Number(truth[names.indexOf(a)]));
  const n = levels.length || 2;
  const [kinds, start, paths] = [[] as string[], [] as number[], [] as (readonly Paths[])[]];
  const passes = (cell: string) => {
    const isTrue = truth[names.indexOf(cell)]!;
    const given = isTrue ? other[names.indexOf(cell)] : cell.replace(/^0_?/, "");
    return `${isTrue ? "tpr" : "fpr"}${given ? `_given_${given}` : ""}`;
  };
  for (const cell of cells) {
    const isTrue = truth[names.indexOf(cell)]!;
    const lean = leaning(n, isTrue);
    kinds.push(...(levels.length > 0 ? lean.map((_, i) => `split_${levels[n - 1 - i]}_given_${cell}`) : [passes(cell)]));
    start.push(...(levels.length > 0 ? lean : [isTrue ? 0.8 : 0.2]));
  }
  const nSplits = kinds.length;
  for (const [c, cell] of cells.entries()) {
    if (more.has_unknown) {
      kinds.push(`unknown_given_${cell}`);
      start.push(0.1);
    }
    paths.push([ladder(n, Array.from({ length: n - 1 }, (_, i) => c * (n - 1) + i), more.has_unknown ? nSplits + c : null)]);
  }
  return instrument(key, of, { ...more, levels, emission: { kinds, start, cell: names.map((name) => cells.indexOf(name)), parents: [], paths, fixed: names.map(() => null) } });
}

/** Judges of 0 and 1 that are saturated together. */
export function saturated(judges: readonly (readonly [key: string, of: Instrument["of"]])[], tree: readonly string[] = LEVELS): Instrument[] {
  const worlds = worldsOf(tree);
  return judges.map(([key, of], j) => {
    const truth = truthOf(of, worlds);
    const wrong = (w: number) => worlds.level.findIndex((at, v) => at === worlds.level[w] && !worlds.abstained[v] && !worlds.right[v]);
    const speaks = worlds.names.map((_, w) => (of === "task" && worlds.abstained[w] ? wrong(w) : w));
    const distinct = [...new Set(speaks)].sort((a, b) => a - b);
    const [kinds, start] = [[] as string[], [] as number[]];
    const paths = distinct.map((w) =>
      Array.from({ length: 2 ** j }, (_, code) => {
        kinds.push(`pass_given_${worlds.names[w]}${j > 0 ? `_after_${code.toString(2).padStart(j, "0")}` : ""}`);
        start.push(truth[w] ? 0.8 : 0.2);
        return ladder(2, [kinds.length - 1], null);
      }),
    );
    return instrument(key, of, { emission: { kinds, start, cell: speaks.map((w) => distinct.indexOf(w)), parents: [...Array(j).keys()], paths, fixed: speaks.map(() => null) } });
  });
}

/** Beta parameters of each rate by default. */
export function defaultPriors(judges: readonly Instrument[]): Record<string, Prior> {
  return Object.fromEntries(
    judges.flatMap((judge) => {
      const n = levelsOf(judge);
      return (judge.emission?.kinds ?? []).map((kind) => {
        const level = judge.levels?.findIndex((name) => kind.startsWith(`split_${name}_`)) ?? -1;
        return [`${kind}[${judge.key}]`, level > 0 ? [2 / n, (2 * level) / n] : kind.includes("_after_") ? [0.5, 0.5] : [1, 1]] as const;
      });
    }),
  );
}

/** Rows of one group, by pattern; `value` is a parameter by its name. */
export function emittedTable(judges: readonly Instrument[], value: (name: string) => number, batches: readonly Batch[], uniform: Uniform, levels: readonly string[] = LEVELS): JudgedTable {
  const worlds = worldsOf(levels);
  const { speakers } = speakersOf(judges, worlds);
  const theta = worlds.parameters.map(value);
  const masses = worlds.held.map((said) => said.reduce((p, [k, yes]) => p * (yes ? theta[k]! : 1 - theta[k]!), 1));
  const rows = new Map<string, number>();
  for (const { n, labels, judges: asked } of batches) {
    for (let i = 0; i < n; i++) {
      let left = uniform();
      const w = Math.max(0, masses.findIndex((mass) => (left -= mass) < 0));
      const isSeen = labels.includes("A");
      const declined = worlds.abstained[w]!;
      const verdicts: number[] = [];
      for (const { key, emission, nAnswers } of speakers) {
        const { kinds, cell, parents, paths, fixed } = emission;
        const code = parents.reduce((sum, parent) => sum * speakers[parent]!.nAnswers + verdicts[parent]!, 0);
        let [u, answer] = [uniform(), -1];
        while (answer < nAnswers - 1 && u >= 0) {
          const path = paths[cell[w]!]![code]![++answer]!;
          const given = fixed[w] ?? null;
          const factor = given === null ? 1 : answer === 1 ? given : answer === 0 ? 1 - given : 1;
          u -= path.reduce((p, [rate, yes]) => p * (yes ? value(`${kinds[rate]}[${key}]`) : 1 - value(`${kinds[rate]}[${key}]`)), factor);
        }
        verdicts.push(answer);
      }
      const seen = speakers.map(({ key, of }, j) => (!asked.includes(key) || (of === "task" && isSeen && declined) ? -1 : verdicts[j]!));
      const shown = [labels.includes("R") ? worlds.level[w]! : -1, isSeen ? Number(declined) : -1, labels.includes("T") && !(isSeen && declined) ? Number(worlds.right[w]) : -1];
      const text = [...shown, ...seen].join();
      rows.set(text, (rows.get(text) ?? 0) + 1);
    }
  }
  const patterns = [...rows.keys()].sort();
  return { levels, judges, patterns: patterns.map((text) => text.split(",").map(Number)), counts: [patterns.map((text) => rows.get(text)!)] };
}
