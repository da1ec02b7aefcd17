/**
 * How verdicts arise from the world that a query is in (Python's `model/emissions.py`).
 *
 * An answer is reached by yes-or-no splits, each with a rate of its own. Which rates are asked
 * depends on the cell, a class of worlds, and of saturated judges on the answers of others, their
 * parents. So the probability of a row stays a sum of products, whatever its judges are.
 */
import type { JudgeEmission } from "../contract/judge.ts";
import type { Worlds } from "./worlds.ts";

/** What the likelihood needs to know of a judge. */
export interface Instrument {
  readonly key: string;
  readonly of: "retrieval" | "abstention" | "task";
  readonly is_shared: boolean;
  /** P(verdict 1) on abstentions, where that is known and not the FPR. */
  readonly abstained_rate: number | null;
  readonly has_unknown: boolean;
  /** None of a judge that has TPR and FPR, and P("cannot tell"), and nothing else. */
  readonly emission?: JudgeEmission | null;
  /** Answers of a graded judge, the lowest first, and the one from which on a verdict passes: 1 where none is told. */
  readonly levels?: readonly string[];
  readonly cut?: number | null;
  /** A higher level speaks for the truth more than a lower one, because somebody said so. */
  readonly is_monotone?: boolean;
}

/** A product of probabilities: p of column c has exponent 2c, 1 - p has 2c + 1. */
export interface Term {
  readonly held: readonly number[];
  readonly factor: number;
}

/** A judge, with what it says resolved. */
export interface Speaker extends Instrument {
  readonly emission: JudgeEmission;
  readonly isPlain: boolean;
  readonly nAnswers: number;
  /** Where each of its rates stands among a group's parameters. */
  readonly places: readonly number[];
}

/** Kinds of rates of a plain judge, in the order of parameters. */
export const RATES = ["tpr", "fpr", "unknown_given_1", "unknown_given_0"] as const;

export function exponent(parameter: number, yes: boolean): number {
  return 2 * parameter + (yes ? 0 : 1);
}

/** Whether what is judged is so, world by world. */
export function truthOf(of: Instrument["of"], { hit, abstained, right }: Worlds): readonly boolean[] {
  return { retrieval: hit, abstention: abstained, task: right }[of];
}

/** How many answers a judge has without "cannot tell", which is the last one. */
export function levelsOf({ levels = [] }: Pick<Instrument, "levels">): number {
  return levels.length || 2;
}

function answersOf(judge: Instrument): number {
  return levelsOf(judge) + Number(judge.has_unknown);
}

/** Whether TPR and FPR, and P("cannot tell"), are all there is to a judge. */
export function isPlain({ emission = null }: Pick<Instrument, "emission">): boolean {
  return emission === null;
}

type Paths = JudgeEmission["paths"][number][number];

/** Of a judge whose errors depend on the truth alone. */
function plain({ of, abstained_rate, has_unknown }: Instrument, worlds: Worlds): JudgeEmission {
  const fixed = worlds.abstained.map((away) => (of === "task" && away ? abstained_rate : null));
  const paths = (rate: number | null, unknown: number): Paths => {
    const decides = has_unknown ? [[unknown, 0] as const] : [];
    const says = [0, 1].map((yes) => (rate === null ? decides : [...decides, [rate, yes] as const]));
    return has_unknown ? [...says, [[unknown, 1]]] : says;
  };
  return {
    kinds: has_unknown ? RATES : RATES.slice(0, 2),
    start: [0.8, 0.2, 0.1, 0.1].slice(0, has_unknown ? 4 : 2),
    cell: truthOf(of, worlds).map((isTrue, w) => (fixed[w] === null ? Number(isTrue) : 2)),
    parents: [],
    paths: [[paths(1, 3)], [paths(0, 2)], [paths(null, 3)]],
    fixed,
  };
}

/** All judges, and the names of their rates: kind after kind, judge after judge. */
export function speakersOf(judges: readonly Instrument[], worlds: Worlds): { readonly speakers: readonly Speaker[]; readonly rates: readonly (readonly [name: string, judge: Instrument])[] } {
  const emissions = judges.map((judge) => judge.emission ?? plain(judge, worlds));
  const kinds = new Set<string>([...RATES, ...emissions.flatMap(({ kinds }) => kinds)]);
  const rates = [...kinds].flatMap((kind) =>
    judges.flatMap((judge, j) => (emissions[j]?.kinds.includes(kind) ? [[`${kind}[${judge.key}]`, judge] as const] : [])),
  );
  const place = new Map(rates.map(([name], i) => [name, worlds.parameters.length + i]));
  const speakers = judges.map((judge, j): Speaker => {
    const emission = emissions[j] as JudgeEmission;
    return { ...judge, emission, isPlain: isPlain(judge), nAnswers: answersOf(judge), places: emission.kinds.map((kind) => place.get(`${kind}[${judge.key}]`) ?? 0) };
  });
  return { speakers, rates };
}

/**
 * P(verdicts | world) as products of rates; -1 is a verdict that was not seen. Of one on which
 * the answers of later judges hang every answer that it may have been is a product of its own.
 */
export function spoken(speakers: readonly Speaker[], verdicts: readonly number[], world: number): readonly Term[] {
  const hidden = new Set<number>();
  for (const [j, { emission }] of speakers.entries()) {
    if ((verdicts[j] ?? -1) >= 0) for (const parent of emission.parents) if ((verdicts[parent] ?? -1) < 0) hidden.add(parent);
  }
  let filled: (readonly number[])[] = [verdicts];
  for (const j of hidden) {
    filled = filled.flatMap((every) => Array.from({ length: speakers[j]?.nAnswers ?? 0 }, (_, answer) => every.map((said, i) => (i === j ? answer : said))));
  }
  return filled.flatMap((every) => {
    const held: number[] = [];
    let factor = 1;
    for (const [j, judge] of speakers.entries()) {
      const answer = every[j] ?? -1;
      if (answer < 0) continue;
      const { cell, parents, paths, fixed } = judge.emission;
      const given = fixed[world] ?? null;
      if (given !== null && answer < levelsOf(judge)) factor *= answer > 0 ? given : 1 - given;
      let code = 0;
      for (const parent of parents) code = code * (speakers[parent]?.nAnswers ?? 1) + Math.max(0, every[parent] ?? 0);
      for (const [rate, yes] of paths[cell[world] ?? 0]?.[code]?.[answer] ?? []) held.push(exponent(judge.places[rate] ?? 0, yes === 1));
    }
    return factor > 0 ? [{ held, factor }] : [];
  });
}

/** Of each parameter the one that takes its part when a truth is relabelled: levels upside down, or right answers wrong. */
export function mirrorOf(nParameters: number, speakers: readonly Speaker[], worlds: Worlds, truth: "retrieval" | "task"): readonly number[] {
  const { level, abstained, right } = worlds;
  const top = Math.max(...level);
  const image = level.map((at, w) => {
    const [to, isRight] = truth === "retrieval" ? [top - at, right[w]] : [at, right[w] !== !abstained[w]];
    return level.findIndex((other, v) => other === to && abstained[v] === abstained[w] && right[v] === isRight);
  });
  const turned = Array.from({ length: nParameters }, (_, k) => k);
  for (const { emission, places } of speakers) {
    for (const [c, byCode] of emission.paths.entries()) {
      const members = emission.cell.flatMap((cell, w) => (cell === c ? [w] : []));
      const speaker = members.find((w) => !abstained[w]) ?? members[0];
      if (speaker === undefined || emission.fixed[speaker] !== null) continue;
      const there = emission.paths[emission.cell[image[speaker] ?? 0] ?? 0];
      for (const [code, answers] of byCode.entries()) {
        for (const [answer, path] of answers.entries()) {
          for (const [s, [rate]] of path.entries()) {
            const from = there?.[code]?.[answer]?.[s]?.[0] ?? rate;
            turned[places[rate] ?? 0] = places[from] ?? 0;
          }
        }
      }
    }
  }
  return turned;
}

/** What is left of a table's judges: those at some positions, and priors of rates that have other names then. */
export interface Remaining {
  readonly judges: readonly Instrument[];
  readonly priors: Readonly<Record<string, readonly [number, number]>>;
}

/** The judges at some positions; answers of the others are asked for by nobody any more. */
export function remaining(all: readonly Instrument[], kept: readonly number[], priors: Remaining["priors"]): Remaining {
  const renamed: Record<string, readonly [number, number]> = {};
  const judges = kept.flatMap((j): readonly Instrument[] => {
    const judge = all[j];
    const emission = judge?.emission ?? null;
    if (!judge || emission === null || emission.parents.length === 0) return judge ? [judge] : [];
    const isKept = emission.parents.map((parent) => kept.includes(parent));
    const parents = emission.parents.filter((_, i) => isKept[i]);
    const places = parents.map((parent) => kept.indexOf(parent));
    if (parents.length === emission.parents.length) return [{ ...judge, emission: { ...emission, parents: places } }];
    const isFirst = (digits: readonly number[]) => digits.every((digit, i) => isKept[i] || digit === 0);
    const codes = digitsOf(emission.parents.map((parent) => answersOf(all[parent] ?? judge))).map(isFirst);
    const paths = emission.paths.map((byCode) => byCode.filter((_, code) => codes[code]));
    const kinds = emission.kinds.map((kind) => kind.replace(/_after_(\d+)$/, (_, digits: string) => ["_after_", ...[...digits].filter((_, i) => isKept[i])].join("")).replace(/_after_$/, ""));
    const used = [...new Set(paths.flat(3).map(([rate]) => rate))].sort((a, b) => a - b);
    for (const rate of used) {
      const [a, b] = priors[`${emission.kinds[rate]}[${judge.key}]`] ?? [1, 1];
      // Beside others it is half a label of either kind; alone it is one.
      const times = parents.length === 0 ? 2 : 1;
      renamed[`${kinds[rate]}[${judge.key}]`] = [times * a, times * b];
    }
    const moved = paths.map((byCode) => byCode.map((answers) => answers.map((path) => path.map(([rate, yes]) => [used.indexOf(rate), yes] as const))));
    const of = <T>(values: readonly T[]) => used.flatMap((rate) => values.slice(rate, rate + 1));
    return [{ ...judge, emission: { ...emission, kinds: of(kinds), start: of(emission.start), parents: places, paths: moved } }];
  });
  return { judges, priors: renamed };
}

/** All combinations of digits, in the order of the number that they make. */
function digitsOf(radix: readonly number[]): readonly (readonly number[])[] {
  return radix.reduce<readonly (readonly number[])[]>((all, n) => all.flatMap((digits) => Array.from({ length: n }, (_, digit) => [...digits, digit])), [[]]);
}
