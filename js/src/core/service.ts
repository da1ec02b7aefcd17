/** What a page and its worker say to each other, and the worker's side of it. */
import { workFor, type Slices } from "./slices.ts";

/** What the page says: the model before any job; a job takes the place of the one before. */
export type ToWorker<Model, Job> =
  | { readonly type: "model"; readonly model: Model }
  | { readonly type: "job"; readonly id: number; readonly job: Job }
  | { readonly type: "drop" };

/** What the worker says. */
export type FromWorker<Made> =
  | { readonly type: "ready" }
  | { readonly type: "working"; readonly id: number }
  | { readonly type: "made"; readonly id: number; readonly made: Made }
  | { readonly type: "failed"; readonly id: number; readonly message: string };

/** The end of a channel that a worker holds. */
export interface Port {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
}

/** A trade: how jobs of a model are done in slices, and which buffers of what was made may be handed over. */
export interface Trade<Model, Job, Made> {
  readonly worker: (model: Model) => (job: Job) => Slices<Made>;
  readonly buffersOf: (made: Made) => ArrayBuffer[];
}

/** Time between two looks at what the page has said. */
const LOOK_MS = 4;
/** A worker at work says so this often. */
const SAY_MS = 250;

/**
 * Serves jobs of which only the newest counts: a new one takes the place of what is under way.
 *
 * @param later runs something after the messages that wait already.
 */
export function serve<Model, Job, Made>(port: Port, trade: Trade<Model, Job, Made>, later: (run: () => void) => void): void {
  let begin: ((job: Job) => Slices<Made>) | null = null;
  let work: { readonly id: number; readonly slices: Slices<Made> } | null = null;
  let isWaiting = false;
  let saidAt = 0;
  const say = (message: FromWorker<Made>, transfer: Transferable[] = []) => port.postMessage(message, transfer);

  const attempt = (id: number, act: () => void) => {
    try {
      act();
    } catch (error) {
      work = null;
      say({ type: "failed", id, message: String(error) });
    }
  };
  const goOn = () => {
    isWaiting = false;
    if (work === null) return;
    const { id, slices } = work;
    attempt(id, () => {
      const done = workFor(slices, LOOK_MS);
      if (done === null) {
        if (performance.now() - saidAt > SAY_MS) {
          saidAt = performance.now();
          say({ type: "working", id });
        }
        return wait();
      }
      work = null;
      say({ type: "made", id, made: done.made }, trade.buffersOf(done.made));
    });
  };
  const wait = () => {
    if (isWaiting) return;
    isWaiting = true;
    later(goOn);
  };

  port.onmessage = ({ data }) => {
    const message = data as ToWorker<Model, Job>;
    work = null;
    if (message.type === "model") begin = trade.worker(message.model);
    if (message.type !== "job") return;
    const { id, job } = message;
    saidAt = performance.now();
    attempt(id, () => {
      if (begin === null) throw new Error("Expected a model before the first job.");
      work = { id, slices: begin(job) };
      wait();
    });
  };
  say({ type: "ready" });
}
