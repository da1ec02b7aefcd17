import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FromWorker, ToWorker, Trade } from "../../src/core/service.ts";
import { atOnce, type Slices } from "../../src/core/slices.ts";
import { judgeEngine } from "../../src/engine/judge.ts";
import { judgeTrade, sampler, tableOf, type JudgeJob } from "../../src/engine/judge-samples.ts";
import { thetaDraws } from "../../src/engine/tree.ts";
import { treeTrade } from "../../src/engine/tree-samples.ts";
import { FakeWorker } from "../fake-worker.ts";
import { unfittedView } from "../judge-sample.ts";
import { PATTERNS, sampleGroup, sampleView } from "../sample.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

type Said = FromWorker<unknown>;

/** A worker of a trade, and what it has said. */
function hired<Model, Job, Made>(trade: Trade<Model, Job, Made>) {
  const worker = new FakeWorker(trade as unknown as Trade<never, never, unknown>);
  const said: Said[] = [];
  worker.onmessage = ({ data }) => said.push(data as Said);
  const tell = (message: ToWorker<Model, Job>) => worker.postMessage(message);
  const made = () => said.flatMap((message) => (message.type === "made" ? [message] : []));
  return { worker, said, tell, made, settled: () => vi.advanceTimersByTimeAsync(60_000) };
}

/** Counts to a number, a slice each, and says whose it is. */
const counting: Trade<string, number, string> = {
  worker: (model) =>
    function* (n): Slices<string> {
      // Each slice lasts longer than the time between two looks at the messages.
      for (let i = 0; i < n; i++) {
        const until = performance.now() + 5;
        while (performance.now() < until);
        yield;
      }
      if (n === 13) throw new RangeError("13 is not counted to");
      return `${model} ${n}`;
    },
  buffersOf: () => [],
};

describe("full draws in a worker", () => {
  const view = unfittedView({ n_only: 300, n_human: 100 });
  const moves = { group: 0, priors: null, pins: { "fpr[gpt-4o-mini]": 0.4 }, left_out: [] };

  it("of judges are those of the page, bit for bit, and so is every number of the answer", async () => {
    const engine = judgeEngine(view);
    const { tell, made, settled } = hired(judgeTrade);
    tell({ type: "model", model: tableOf(view) });
    tell({ type: "job", id: 1, job: engine.jobOf(moves) });
    await settled();
    const there = made()[0]!.made as ReturnType<typeof engine.sample> extends Slices<infer T> ? T : never;
    const here = atOnce(engine.sample(engine.jobOf(moves)));
    expect(there).toEqual(here);
    const [away, own] = [engine.answer(moves, there), atOnce(judgeEngine(view).refine(moves))];
    for (const part of ["beliefs", "rates", "report", "worth", "modes"] as const) expect(away[part]).toEqual(own[part]);
  });

  it("of a tree whose rows hide R are those of the page", async () => {
    const group = sampleGroup();
    const hidden = PATTERNS.map(([, abstention, task]) => [-1, abstention, task] as const);
    const tree = sampleView([{ ...group, counts: [...group.counts, ...group.counts.map((n) => Math.ceil(n / 2))] }], { patterns: [...PATTERNS, ...hidden] });
    const { tell, made, settled } = hired(treeTrade);
    tell({ type: "model", model: { seed: tree.seed, patterns: tree.patterns, priors: tree.priors } });
    tell({ type: "job", id: 1, job: { label: tree.groups[0]!.label, counts: tree.groups[0]!.counts } });
    await settled();
    const draws = thetaDraws(tree, tree.groups[0]!);
    expect(draws["retrieval_success"]!.length).toBe(4000);
    expect(made()[0]!.made).toEqual(draws);
  });

  it("are the same when they are asked for again: what was handed over is nobody else's", async () => {
    const job: JudgeJob = { moves, withBeside: true };
    const { tell, made, settled } = hired(judgeTrade);
    tell({ type: "model", model: tableOf(view) });
    for (const id of [1, 2]) {
      tell({ type: "job", id, job });
      await settled();
    }
    const [first, second] = made();
    expect(second!.made).toEqual(first!.made);
    expect(first!.made).toEqual(atOnce(sampler(view)(job)));
  });
});

describe("a worker", () => {
  it("says that it is there, and what it made of which job", async () => {
    const { tell, said, settled } = hired(counting);
    tell({ type: "model", model: "a" });
    tell({ type: "job", id: 7, job: 3 });
    await settled();
    expect(said).toEqual([{ type: "ready" }, { type: "made", id: 7, made: "a 3" }]);
  });

  it("leaves a job for a newer one without finishing it", async () => {
    const { tell, worker, made, settled } = hired(counting);
    tell({ type: "model", model: "a" });
    tell({ type: "job", id: 1, job: 500 });
    await vi.advanceTimersToNextTimerAsync();
    await vi.advanceTimersToNextTimerAsync();
    await vi.advanceTimersToNextTimerAsync();
    const before = worker.turns;
    expect(before).toBeGreaterThan(0);
    tell({ type: "job", id: 2, job: 2 });
    await settled();
    expect(made()).toEqual([{ type: "made", id: 2, made: "a 2" }]);
    expect(worker.turns - before).toBeLessThan(10);
  });

  it("stops when told to drop the job, or that the model is another one", async () => {
    const { tell, worker, made, settled } = hired(counting);
    tell({ type: "model", model: "a" });
    for (const stop of [{ type: "drop" }, { type: "model", model: "b" }] as const) {
      tell({ type: "job", id: 1, job: 500 });
      tell(stop);
      await settled();
    }
    expect(made()).toEqual([]);
    expect(worker.turns).toBeLessThan(10);
    tell({ type: "job", id: 3, job: 1 });
    await settled();
    expect(made()).toEqual([{ type: "made", id: 3, made: "b 1" }]);
  });

  it("says that a job failed, and goes on with others", async () => {
    const { tell, said, settled } = hired(counting);
    tell({ type: "job", id: 1, job: 1 });
    tell({ type: "model", model: "a" });
    await settled();
    tell({ type: "job", id: 2, job: 13 });
    await settled();
    tell({ type: "job", id: 3, job: 1 });
    await settled();
    expect(said.slice(1)).toEqual([
      { type: "failed", id: 1, message: "Error: Expected a model before the first job." },
      { type: "failed", id: 2, message: "RangeError: 13 is not counted to" },
      { type: "made", id: 3, made: "a 1" },
    ]);
  });
});
