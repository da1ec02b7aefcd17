/** Answers to a reader's moves: the quick one at once, the full one when it is done. */
import type { JudgeAnswer, JudgeEngine, JudgeMoves } from "../engine/judge.ts";

/** Work at one go, well within a frame. */
const SLICE_MS = 6;
/** Rest after the last move before full draws are begun. */
const REST_MS = 120;
/** Time after which the engine makes ready for a first move. */
const READY_MS = 300;

export interface Answerer {
  /** The answer to moves: at once the quick one, which the full one replaces when it is done. */
  of(moves: JudgeMoves): JudgeAnswer;
  /** What the fit of a group says, the same way. */
  fit(group: number): JudgeAnswer;
  /** Nothing is moved: work that is under way for moves is dropped. */
  rest(): void;
  /** Finds the modes before anything is moved, so that the first move is answered as fast as others. */
  makeReady(group: number): void;
  forget(): void;
}

const KEPT_ANSWERS = 8;

/** Answers of an engine; `redraw` is called when a better one is there. */
export function answerer(engine: () => JudgeEngine, redraw: () => void): Answerer {
  let full = new Map<string, JudgeAnswer>();
  let quick: { readonly key: string; readonly answer: JudgeAnswer } | null = null;
  let work: { readonly key: string; readonly slices: Generator<undefined, JudgeAnswer> } | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let readyTimer: ReturnType<typeof setTimeout> | undefined;

  const refine = () => {
    if (work === null) return;
    const { key, slices } = work;
    const until = performance.now() + SLICE_MS;
    do {
      const { done, value } = slices.next();
      if (!done) continue;
      work = null;
      full.set(key, value);
      const oldest = full.keys().next().value;
      if (full.size > KEPT_ANSWERS && oldest !== undefined) full.delete(oldest);
      return redraw();
    } while (performance.now() < until);
    timer = setTimeout(refine, 0);
  };

  const begin = (key: string, moves: JudgeMoves) => {
    if (work?.key === key) return;
    clearTimeout(timer);
    work = { key, slices: engine().refine(moves) };
    timer = setTimeout(refine, REST_MS);
  };

  const rest = () => {
    clearTimeout(timer);
    work = null;
  };

  const of = (moves: JudgeMoves): JudgeAnswer => {
    const { group, priors, pins, left_out } = moves;
    const key = JSON.stringify([group, priors, pins, left_out]);
    const known = full.get(key);
    if (known) {
      rest();
      return known;
    }
    begin(key, moves);
    if (quick?.key !== key) quick = { key, answer: engine().preview(moves) };
    return quick.answer;
  };

  const asFitted = (group: number): JudgeMoves => ({ group, priors: null, pins: null, left_out: [] });
  const fits = new Map<number, JudgeAnswer>();
  return {
    of,
    rest,
    fit: (group) => {
      const known = fits.get(group) ?? engine().preview(asFitted(group));
      fits.set(group, known);
      return known;
    },
    makeReady: (group) => {
      clearTimeout(readyTimer);
      readyTimer = setTimeout(() => void engine().preview(asFitted(group)), READY_MS);
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
