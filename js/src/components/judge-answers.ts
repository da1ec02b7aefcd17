/** Answers to a reader's moves: the quick one at once, the full one when it is done. */
import { AS_FITTED, movesText } from "../contract/decode-judge.ts";
import type { JudgeMoves } from "../contract/judge.ts";
import type { JudgeAnswer, JudgeEngine } from "../engine/judge.ts";
import type { JudgeJob, JudgeSamples } from "../engine/judge-samples.ts";
import type { Background } from "./background.ts";

/** Rest after the last move before full draws are begun; longer than the time between two moves of a drag. */
export const REST_MS = { worker: 40, page: 120 };
/** Time after which the engine makes ready for a first move. */
const READY_MS = 300;

/** The answer to moves as far as it is known by now. */
export interface Answered {
  readonly now: JudgeAnswer;
  /** Where it is the quick one, what the same way says of the fit. */
  readonly asQuick: JudgeAnswer | null;
}

type Moves = JudgeMoves & { readonly group: number };

export interface Answerer {
  /** The answer to moves: at once the quick one, which the full one replaces when it is done. */
  of(moves: Moves): Answered;
  /** What the fit of a group says, the same way. */
  fit(group: number): JudgeAnswer;
  /** Nothing is moved: work that is under way for moves is dropped. */
  rest(): void;
  /** Finds the modes before anything is moved, so that the first move is answered as fast as others. */
  makeReady(group: number): void;
  forget(): void;
}

const KEPT_ANSWERS = 8;

/** Answers of the engine of the judges as they are, or with their cure; `redraw` is called when a better one is there. */
export function answerer(engine: (cured: boolean) => JudgeEngine, work: Background<JudgeJob, JudgeSamples>, redraw: () => void): Answerer {
  let full = new Map<string, JudgeAnswer>();
  let quick: { readonly key: string; readonly answer: JudgeAnswer } | null = null;
  let asked: string | null = null;
  let readyTimer: ReturnType<typeof setTimeout> | undefined;

  const ask = (key: string, moves: Moves) => {
    if (asked === key) return;
    asked = key;
    work.ask(engine(moves.cured).jobOf(moves), (samples) => {
      asked = null;
      full.set(key, engine(moves.cured).answer(moves, samples));
      const oldest = full.keys().next().value;
      if (full.size > KEPT_ANSWERS && oldest !== undefined) full.delete(oldest);
      redraw();
    });
  };

  const rest = () => {
    asked = null;
    work.drop();
  };

  const fits = new Map<number, JudgeAnswer>();
  const fit = (group: number): JudgeAnswer => {
    const known = fits.get(group) ?? engine(false).preview({ ...AS_FITTED, group });
    fits.set(group, known);
    return known;
  };

  const of = (moves: Moves): Answered => {
    const key = `${moves.group} ${movesText(moves)}`;
    const known = full.get(key);
    if (known) {
      rest();
      return { now: known, asQuick: null };
    }
    ask(key, moves);
    const asQuick = fit(moves.group);
    if (quick?.key !== key) quick = { key, answer: engine(moves.cured).preview(moves) };
    return { now: quick.answer, asQuick };
  };

  return {
    of,
    rest,
    fit,
    makeReady: (group) => {
      clearTimeout(readyTimer);
      readyTimer = setTimeout(() => void fit(group), READY_MS);
    },
    forget: () => {
      rest();
      clearTimeout(readyTimer);
      full = new Map();
      fits.clear();
      quick = null;
    },
  };
}
