/**
 * The tree walked the other way round: A first, then T among the answers, then R given what was
 * seen (Python's `inference/reversed.py`).
 *
 * Rows that hide R then inform the first two steps alone, which makes the posterior near to normal
 * however few rows speak of R: with 10 labels of R beside 1,300 rows without, one draw in two counts
 * and not one in ten. The worlds are products of these five probabilities, too; the priors
 * of theta and the change of variables become powers of sums of worlds.
 */
import type { Prior } from "./surface.ts";
import type { Held, Worlds } from "./worlds.ts";

/** P(A=1), P(T=1 | A=0), P(R=1 | A=1), P(R=1 | right), P(R=1 | wrong). */
const [DECLINES, SOLVES, HIT_DECLINED, HIT_RIGHT, HIT_WRONG] = [0, 1, 2, 3, 4] as const;

/** What P(world) is a product of. */
export function reversedHeld({ abstained, right, hit }: Worlds): readonly Held[] {
  return hit.map((isHit, w): Held => {
    if (abstained[w]) return [[DECLINES, true], [HIT_DECLINED, isHit]];
    const solves = right[w] === true;
    return [[DECLINES, false], [SOLVES, solves], [solves ? HIT_RIGHT : HIT_WRONG, isHit]];
  });
}

/** A power of a sum of worlds, which depends on the priors of theta. */
export interface Power {
  readonly isIn: readonly boolean[];
  readonly power: (prior: (name: string) => Prior) => number;
}

/** Priors and Jacobian in the logits of these probabilities. */
export function reversedPowers({ abstained, right, hit }: Worlds): readonly Power[] {
  return [true, false].flatMap((side): readonly Power[] => {
    const [abstain, correct] = side ? (["abstain_given_hit", "correct_given_hit"] as const) : (["abstain_given_miss", "correct_given_miss"] as const);
    const worlds = (isIn: (w: number) => boolean) => hit.map((isHit, w) => isHit === side && isIn(w));
    return [
      { isIn: worlds(() => true), power: (prior) => prior("retrieval_success")[side ? 0 : 1] - prior(abstain)[0] - prior(abstain)[1] },
      { isIn: worlds((w) => !abstained[w]), power: (prior) => prior(abstain)[1] - prior(correct)[0] - prior(correct)[1] },
      { isIn: worlds((w) => abstained[w] === true), power: (prior) => prior(abstain)[0] },
      { isIn: worlds((w) => right[w] === true), power: (prior) => prior(correct)[0] },
      { isIn: worlds((w) => !abstained[w] && !right[w]), power: (prior) => prior(correct)[1] },
    ];
  });
}

/** Theta in the order of `PARAMETERS` from draws of the five probabilities. */
export function forwardTheta(of: (parameter: number) => Float64Array): readonly Float64Array[] {
  const [declines, solves, hitDeclined, hitRight, hitWrong] = [DECLINES, SOLVES, HIT_DECLINED, HIT_RIGHT, HIT_WRONG].map(of) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  const theta = Array.from({ length: 5 }, () => new Float64Array(declines.length));
  const [retrieval, abstainMiss, abstainHit, correctMiss, correctHit] = theta as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
  for (let i = 0; i < declines.length; i++) {
    const [a, t] = [declines[i] ?? 0, solves[i] ?? 0];
    const [pd, pr, pw] = [hitDeclined[i] ?? 0, hitRight[i] ?? 0, hitWrong[i] ?? 0];
    const [md, mr, mw] = [a, (1 - a) * t, (1 - a) * (1 - t)];
    const [dd, dr, dw] = [pd * md, pr * mr, pw * mw];
    const [nd, nr, nw] = [(1 - pd) * md, (1 - pr) * mr, (1 - pw) * mw];
    retrieval[i] = dd + dr + dw;
    abstainHit[i] = shareOf(dd, dd + dr + dw);
    abstainMiss[i] = shareOf(nd, nd + nr + nw);
    correctHit[i] = shareOf(dr, dr + dw);
    correctMiss[i] = shareOf(nr, nr + nw);
  }
  return theta;
}

/** A share; of nothing, which no row is told apart by, a half. */
function shareOf(part: number, whole: number): number {
  return whole > 0 ? part / whole : 0.5;
}

/** Logits of the five probabilities from those of theta, in the order of `PARAMETERS`. */
export function reversedOf(theta: readonly number[]): number[] {
  const logs = theta.map((y) => [logOf(y), logOf(-y)] as const);
  const [hit, awayMiss, awayHit, rightMiss, rightHit] = logs as [LogPair, LogPair, LogPair, LogPair, LogPair];
  const [declinedHit, declinedMiss] = [hit[0] + awayHit[0], hit[1] + awayMiss[0]];
  const [answeredHit, answeredMiss] = [hit[0] + awayHit[1], hit[1] + awayMiss[1]];
  const [solvedHit, solvedMiss] = [answeredHit + rightHit[0], answeredMiss + rightMiss[0]];
  const [wrongHit, wrongMiss] = [answeredHit + rightHit[1], answeredMiss + rightMiss[1]];
  return [
    logSum(declinedHit, declinedMiss) - logSum(answeredHit, answeredMiss),
    logSum(solvedHit, solvedMiss) - logSum(wrongHit, wrongMiss),
    declinedHit - declinedMiss,
    solvedHit - solvedMiss,
    wrongHit - wrongMiss,
  ];
}

type LogPair = readonly [yes: number, no: number];

/** The logarithm of the probability whose logit is y. */
function logOf(y: number): number {
  return Math.min(y, 0) - Math.log1p(Math.exp(-Math.abs(y)));
}

function logSum(a: number, b: number): number {
  return Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));
}
