/** Long work on the page's thread, a few milliseconds at a time, with news of how far it is. */
import { workFor, type Slices } from "../core/slices.ts";

/** Work at one go, well within a frame. */
const SLICE_MS = 8;
const NEWS_MS = 200;

export interface Turns {
  /** Does the work in place of what is under way; `news` is told now and then, and at the end. */
  start(slices: Slices<unknown>, news: (isOver: boolean) => void): void;
  stop(): void;
}

export function inTurns(): Turns {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  return {
    stop,
    start(slices, news) {
      stop();
      let told = performance.now();
      const goOn = () => {
        if (workFor(slices, SLICE_MS) !== null) return news(true);
        timer = setTimeout(goOn, 0);
        if (performance.now() - told < NEWS_MS) return;
        told = performance.now();
        news(false);
      };
      timer = setTimeout(goOn, 0);
    },
  };
}
