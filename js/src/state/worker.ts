/** Workers of this package: started from a deflated text that the bundle carries, so that nothing is fetched. */

/** What a page holds of a worker. */
export interface WorkerLike {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onmessageerror: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

// The build puts the workers' scripts here; where nothing was built there are none.
declare const RAT_TREE_WORKER: string | undefined;
declare const RAT_JUDGE_WORKER: string | undefined;

export const startTreeWorker = (): WorkerLike | null => started(typeof RAT_TREE_WORKER === "undefined" ? undefined : RAT_TREE_WORKER);
export const startJudgeWorker = (): WorkerLike | null => started(typeof RAT_JUDGE_WORKER === "undefined" ? undefined : RAT_JUDGE_WORKER);

/** A worker that runs a deflated script; null where the host allows none. One that it stops later says so by an error. */
export function started(packed: string | undefined): WorkerLike | null {
  if (packed === undefined || typeof DecompressionStream === "undefined" || typeof Worker === "undefined") return null;
  let worker: Worker | null = null;
  let isOver = false;
  const waiting: unknown[] = [];
  const outside: WorkerLike = {
    onmessage: null,
    onmessageerror: null,
    onerror: null,
    postMessage: (message) => (worker ? worker.postMessage(message) : void waiting.push(structuredClone(message))),
    terminate: () => {
      isOver = true;
      worker?.terminate();
    },
  };
  const run = (script: string) => {
    if (isOver) return;
    const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
    worker = new Worker(address);
    // Not before it speaks: some browsers look the address up only when they load it.
    for (const event of ["message", "error"]) worker.addEventListener(event, () => URL.revokeObjectURL(address), { once: true });
    worker.onmessage = (event) => outside.onmessage?.(event);
    worker.onmessageerror = (event) => outside.onmessageerror?.(event);
    worker.onerror = (event) => outside.onerror?.(event);
    for (const message of waiting) worker.postMessage(message);
  };
  inflated(packed)
    .then(run)
    .catch(() => outside.onerror?.(new ErrorEvent("error")));
  return outside;
}

/** A text from base64 of its deflated bytes. */
async function inflated(packed: string): Promise<string> {
  const bytes = Uint8Array.from(atob(packed), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}
