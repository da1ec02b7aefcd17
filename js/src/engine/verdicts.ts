/**
 * What verdicts say of the truth, draw by draw, whatever the judge (Python's `model/verdicts.py`):
 * averages over the worlds that have the truth, by how probable each is.
 */
import { levelsOf, spoken, truthOf, type Instrument, type Speaker } from "./emissions.ts";
import type { Worlds } from "./worlds.ts";

/** How a judge answers, given truth 0 and given truth 1. */
export interface VerdictRates {
  /** P(level | truth, it decides), the lowest level first. */
  readonly levels: readonly [given0: readonly Float64Array[], given1: readonly Float64Array[]];
  /** P("cannot tell" | truth). */
  readonly unknown: readonly [given0: Float64Array, given1: Float64Array];
}

/** How one judge answers; of a judge of the task among answers, since an abstention has none to judge. */
export function verdictRates(speakers: readonly Speaker[], j: number, worlds: Worlds, masses: readonly Float64Array[], of: (parameter: number) => Float64Array): VerdictRates {
  const judge = speakers[j] as Speaker;
  const truth = truthOf(judge.of, worlds);
  const given = [false, true].map((side) => {
    const members = truth.flatMap((isTrue, w) => (isTrue === side && !(judge.of === "task" && worlds.abstained[w]) ? [w] : []));
    const answers = Array.from({ length: judge.nAnswers }, (_, answer) => mixed(members, masses, (w) => answered(speakers, j, answer, w, of)));
    return decided(answers, levelsOf(judge));
  });
  const [at0, at1] = given as [Decided, Decided];
  return { levels: [at0.levels, at1.levels], unknown: [at0.unknown, at1.unknown] };
}

/** P(a verdict is this level or a higher one | truth). */
export function passing(levels: readonly Float64Array[], cut: number): Float64Array {
  const [first = new Float64Array(), ...others] = levels.slice(cut);
  return first.map((p, i) => others.reduce((sum, level) => sum + (level[i] ?? 0), p));
}

/** P(answer | world), draw by draw. */
function answered(speakers: readonly Speaker[], j: number, answer: number, world: number, of: (parameter: number) => Float64Array): (i: number) => number {
  const terms = spoken(speakers, speakers.map((_, i) => (i === j ? answer : -1)), world).map(({ held, factor }) => ({ factor, splits: held.map((e) => [of(e >> 1), e & 1] as const) }));
  return (i) => {
    let total = 0;
    for (const { factor, splits } of terms) {
      let product = factor;
      for (const [p, isNo] of splits) product *= isNo ? 1 - (p[i] ?? 0) : (p[i] ?? 0);
      total += product;
    }
    return total;
  };
}

/** An average over worlds by their masses; of worlds without mass all alike. */
function mixed(members: readonly number[], masses: readonly Float64Array[], of: (world: number) => (i: number) => number): Float64Array {
  const n = masses[0]?.length ?? 0;
  const [sum, plain, total] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  for (const w of members) {
    const [mass, p] = [masses[w], of(w)];
    for (let i = 0; i < n; i++) {
      const [here, says] = [mass?.[i] ?? 0, p(i)];
      sum[i] = (sum[i] ?? 0) + here * says;
      plain[i] = (plain[i] ?? 0) + says / members.length;
      total[i] = (total[i] ?? 0) + here;
    }
  }
  return sum.map((x, i) => ((total[i] ?? 0) > 0 ? x / (total[i] ?? 1) : (plain[i] ?? 0)));
}

interface Decided {
  readonly levels: readonly Float64Array[];
  readonly unknown: Float64Array;
}

/** Shares among the answers that decide, and of "cannot tell". */
function decided(answers: readonly Float64Array[], nLevels: number): Decided {
  const said = answers.slice(0, nLevels);
  const total = passing(said, 0);
  return {
    levels: said.map((p) => p.map((x, i) => ((total[i] ?? 0) > 0 ? x / (total[i] ?? 1) : 1 / nLevels))),
    unknown: answers[nLevels] ?? new Float64Array(total.length),
  };
}

/**
 * How a graded judge grades in each case that its errors depend on (Python's `derived/case_levels.py`):
 * draws of `level_{level}_given_{truth}_{case}[key]`, made when asked for, from those of its splits.
 */
export function* levelsByCase({ key, levels = [], emission }: Pick<Instrument, "key" | "levels" | "emission">, of: (rate: string) => Float64Array): Generator<readonly [name: string, draws: () => Float64Array]> {
  const [lowest, ...upper] = levels;
  const first = `split_${upper[upper.length - 1]}_given_`;
  for (const kind of emission?.kinds ?? []) {
    const given = kind.slice(first.length);
    if (lowest === undefined || !kind.startsWith(first) || !/^[01]_/.test(given)) continue;
    // On the way down: its own split comes out, after those of the levels above; the lowest one has none.
    const product = (place: number) => () => {
      const [own, ...above] = [place < 0 ? null : upper[place], ...upper.slice(place + 1)].map((level) => (level == null ? null : of(`split_${level}_given_${given}[${key}]`)));
      const n = (own ?? above[0])?.length ?? 0;
      return Float64Array.from({ length: n }, (_, i) => above.reduce((p, split) => p * (1 - (split?.[i] ?? 0)), own ? (own[i] ?? 0) : 1));
    };
    for (const [place, level] of [lowest, ...upper].entries()) yield [`level_${level}_given_${given}[${key}]`, product(place - 1)];
  }
}
