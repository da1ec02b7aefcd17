import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { background, type Background } from "../../src/components/background.ts";
import type { Trade } from "../../src/core/service.ts";
import type { Slices } from "../../src/core/slices.ts";
import { FakeWorker, type Fate } from "../fake-worker.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

function* squared(n: number): Slices<number> {
  for (let i = 0; i < 5; i++) yield;
  return n * n;
}

let page: number[];
let workers: FakeWorker[];
let models: string[];
let work: Background<number, number>;

const trade: Trade<string, number, number> = {
  worker: (model) => {
    models.push(model);
    return squared;
  },
  buffersOf: () => [],
};

/** Work of hands whose workers have a fate; without any there is no worker. */
function begun(fate?: Fate) {
  [page, workers, models] = [[], [], []];
  let model = 0;
  work = background<string, number, number>({
    start: () => {
      if (fate === undefined) return null;
      workers.push(new FakeWorker(trade as unknown as Trade<never, never, unknown>, fate));
      return workers.at(-1)!;
    },
    model: () => `model ${++model}`,
    inSlices: (job) => {
      page.push(job);
      return squared(job);
    },
    restMs: { worker: 40, page: 120 },
  });
}

const settled = () => vi.advanceTimersByTimeAsync(10_000);

describe("work in the background", () => {
  it("is done by a worker, and none of it on the page", async () => {
    begun("works");
    const done = vi.fn();
    work.ask(3, done);
    await settled();
    expect(done.mock.calls).toEqual([[9]]);
    expect(page).toEqual([]);
    expect(models).toEqual(["model 1"]);
  });

  it.each([undefined, "is silent", "is refused", "dies at the job", "falls silent at the job", "cannot be told the job"] as const)("is done on the page when the worker %s", async (fate) => {
    begun(fate);
    const done = vi.fn();
    work.ask(3, done);
    await settled();
    work.ask(4, done);
    await settled();
    expect(done.mock.calls).toEqual([[9], [16]]);
    expect(page).toEqual([3, 4]);
    // None is started again, and none is left behind.
    expect(workers.length).toBe(fate === undefined ? 0 : 1);
    expect(workers.every(({ isEnded }) => isEnded)).toBe(true);
  });

  it("is left to a worker that takes long, as long as it says that it works", async () => {
    let turns = 0;
    const now = vi.spyOn(performance, "now").mockImplementation(() => 100 * turns);
    [page, workers, models] = [[], [], []];
    const slow: Trade<string, number, number> = {
      worker: () =>
        function* (n) {
          // Every look of the worker is one turn of the clock, which stands for a tenth of a second.
          for (let i = 0; i < 200; i++) {
            turns++;
            yield;
          }
          return n * n;
        },
      buffersOf: () => [],
    };
    work = background<string, number, number>({
      start: () => {
        workers.push(new FakeWorker(slow as unknown as Trade<never, never, unknown>));
        return workers.at(-1)!;
      },
      model: () => "model",
      inSlices: (job) => {
        page.push(job);
        return squared(job);
      },
      restMs: { worker: 40, page: 120 },
    });
    const done = vi.fn();
    work.ask(3, done);
    await settled();
    expect(done.mock.calls).toEqual([[9]]);
    expect(page).toEqual([]);
    now.mockRestore();
  });

  it("is done on the page when the job fails in the worker", async () => {
    begun("works");
    const done = vi.fn();
    vi.spyOn(trade, "buffersOf").mockImplementationOnce(() => {
      throw new Error("broken");
    });
    work.ask(3, done);
    await settled();
    expect(done.mock.calls).toEqual([[9]]);
    expect(page).toEqual([3]);
    expect(workers[0]!.isEnded).toBe(true);
  });

  it.each([undefined, "works"] as const)("is for the newest job alone (worker: %s)", async (fate) => {
    begun(fate);
    const done = vi.fn();
    for (const wait of [0, 1, 45, 130, 2]) {
      work.ask(wait, done);
      await vi.advanceTimersByTimeAsync(wait === 130 ? 1 : 0);
    }
    work.ask(5, done);
    await settled();
    expect(done.mock.calls).toEqual([[25]]);
    work.ask(6, done);
    work.drop();
    await settled();
    expect(done).toHaveBeenCalledTimes(1);
  });

  it("rests before a job, unless told to hurry, which a page without workers does not", async () => {
    const begunWithin = async (fate: Fate | undefined, isHurried: boolean, ms: number) => {
      begun(fate);
      // The worker is there already.
      work.ask(1, vi.fn());
      await settled();
      page = [];
      const heard = workers[0]?.heard ?? [];
      heard.length = 0;
      work.ask(3, vi.fn());
      if (isHurried) work.hurry();
      await vi.advanceTimersByTimeAsync(ms);
      return page.length > 0 || heard.includes("job");
    };
    expect(await begunWithin("works", false, 39)).toBe(false);
    expect(await begunWithin("works", false, 41)).toBe(true);
    expect(await begunWithin("works", true, 0)).toBe(true);
    expect(await begunWithin(undefined, false, 119)).toBe(false);
    expect(await begunWithin(undefined, true, 119)).toBe(false);
    expect(await begunWithin(undefined, true, 121)).toBe(true);
  });

  it("drops a job that the worker has begun", async () => {
    begun("works");
    const done = vi.fn();
    work.ask(3, done);
    while (!workers[0]!.heard.includes("job")) await vi.advanceTimersToNextTimerAsync();
    work.ask(4, done);
    await settled();
    expect(done.mock.calls).toEqual([[16]]);
    expect(workers[0]!.heard).toEqual(["model", "job", "drop", "job"]);
  });

  it("tells the worker of another model", async () => {
    begun("works");
    work.renew();
    expect(workers).toEqual([]);
    work.ask(3, vi.fn());
    await settled();
    work.renew();
    await settled();
    expect(models).toEqual(["model 1", "model 2"]);
  });

  it.each([undefined, "works", "is silent"] as const)("leaves nothing behind after 200 jobs (worker: %s)", async (fate) => {
    begun(fate);
    const done = vi.fn();
    for (let i = 0; i < 200; i++) {
      work.ask(i, done);
      await vi.advanceTimersByTimeAsync(i % 60);
    }
    expect(workers.length).toBeLessThanOrEqual(1);
    work.destroy();
    expect(workers.every(({ isEnded }) => isEnded)).toBe(true);
    const before = done.mock.calls.length;
    await settled();
    expect(done).toHaveBeenCalledTimes(before);
    expect(vi.getTimerCount()).toBe(0);
  });
});
