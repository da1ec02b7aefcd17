/** Long work beside the picture: in a worker where the host allows one, else in slices on the page's thread. */
import type { FromWorker, ToWorker } from "../core/service.ts";
import { workFor, type Slices } from "../core/slices.ts";
import type { WorkerLike } from "../state/worker.ts";

/** Work at one go on the page's thread, well within a frame. */
const SLICE_MS = 6;
/** A worker that has not said by then that it is there is given up. */
const PATIENCE_MS = 2000;
/** And so is one that is at a job and says nothing for so long. */
const SILENCE_MS = 3000;

export interface Hands<Model, Job, Made> {
  /** Starts a worker; null where there is none to be had. */
  readonly start: () => WorkerLike | null;
  /** What the worker has to know before any job. */
  readonly model: () => Model;
  /** The same work on the page's thread. */
  readonly inSlices: (job: Job) => Slices<Made>;
  /** Rest before a job is begun, which another may replace meanwhile. */
  readonly restMs: { readonly worker: number; readonly page: number };
}

export interface Background<Job, Made> {
  /** Does a job, in place of the one before; calls back unless another one or `drop` comes first. */
  ask(job: Job, done: (made: Made) => void): void;
  /** Begins a job that rests, where a worker does it: no other is going to replace it. */
  hurry(): void;
  drop(): void;
  /** The model is another one: drops the job, and lets the worker know. */
  renew(): void;
  /** Drops the job and ends the worker. */
  destroy(): void;
}

interface Task<Job, Made> {
  readonly id: number;
  readonly job: Job;
  readonly done: (made: Made) => void;
  /** Rests, waits for the worker to be there, is with it, or is done in slices here. */
  stage: "rests" | "waits" | "away" | "here";
}

/** Does one job at a time; the worker is started by the first one. */
export function background<Model, Job, Made>(hands: Hands<Model, Job, Made>): Background<Job, Made> {
  let helper: WorkerLike | null = null;
  let isReady = false;
  let isHopeless = false;
  let patience: ReturnType<typeof setTimeout> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let task: Task<Job, Made> | null = null;
  let lastId = 0;

  /** Something that the worker cannot be told ends it, too. */
  const tell = (message: ToWorker<Model, Job>) => {
    try {
      helper?.postMessage(message);
    } catch {
      giveUp();
    }
  };

  const listen = () => {
    clearTimeout(patience);
    patience = setTimeout(giveUp, SILENCE_MS);
  };

  const dismiss = () => {
    clearTimeout(patience);
    if (helper) helper.onmessage = helper.onerror = helper.onmessageerror = null;
    helper?.terminate();
    helper = null;
    isReady = false;
  };

  /** From now on all is done here; a job that the worker was to do as well. */
  const giveUp = () => {
    dismiss();
    isHopeless = true;
    if (task?.stage === "waits" || task?.stage === "away") begin();
  };

  const hear = ({ data }: { readonly data: unknown }) => {
    const said = data as FromWorker<Made>;
    if (task?.stage === "away" && said.type === "working") return listen();
    if (said.type === "failed") {
      if (said.id === task?.id) giveUp();
      return;
    }
    if (said.type === "ready") {
      clearTimeout(patience);
      isReady = true;
      if (task?.stage === "waits") begin();
    } else if (said.type === "made" && task?.stage === "away" && said.id === task.id) {
      clearTimeout(patience);
      finish(task, said.made);
    }
  };

  const hire = () => {
    if (helper !== null || isHopeless) return;
    helper = hands.start();
    if (helper === null) return giveUp();
    helper.onmessage = hear;
    helper.onmessageerror = giveUp;
    helper.onerror = (event) => {
      event.preventDefault();
      giveUp();
    };
    patience = setTimeout(giveUp, PATIENCE_MS);
    tell({ type: "model", model: hands.model() });
  };

  const begin = () => {
    if (task === null) return;
    if (helper === null) return slice(task, hands.inSlices(task.job));
    task.stage = isReady ? "away" : "waits";
    if (!isReady) return;
    listen();
    tell({ type: "job", id: task.id, job: task.job });
  };

  const slice = (of: Task<Job, Made>, slices: Slices<Made>) => {
    of.stage = "here";
    const goOn = () => {
      const done = workFor(slices, SLICE_MS);
      if (done) finish(of, done.made);
      else timer = setTimeout(goOn, 0);
    };
    timer = setTimeout(goOn, 0);
  };

  const finish = (of: Task<Job, Made>, made: Made) => {
    task = null;
    of.done(made);
  };

  const drop = () => {
    clearTimeout(timer);
    const wasAway = task?.stage === "away";
    task = null;
    if (!wasAway) return;
    clearTimeout(patience);
    tell({ type: "drop" });
  };

  return {
    ask(job, done) {
      drop();
      hire();
      task = { id: ++lastId, job, done, stage: "rests" };
      timer = setTimeout(begin, helper === null ? hands.restMs.page : hands.restMs.worker);
    },
    hurry() {
      if (helper === null || task?.stage !== "rests") return;
      clearTimeout(timer);
      begin();
    },
    drop,
    renew() {
      drop();
      if (helper) tell({ type: "model", model: hands.model() });
    },
    destroy() {
      drop();
      dismiss();
    },
  };
}
