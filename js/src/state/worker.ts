/** Workers of this package: started from a text that the bundle carries, so that nothing is fetched. */

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

/** A worker that runs a script; null where the host allows none. One that it stops later says so by an error. */
export function started(script: string | undefined): WorkerLike | null {
  if (script === undefined || typeof Worker === "undefined") return null;
  const address = URL.createObjectURL(new Blob([script], { type: "text/javascript" }));
  const forget = () => URL.revokeObjectURL(address);
  try {
    const worker = new Worker(address);
    // Not before it speaks: some browsers look the address up only when they load it.
    for (const event of ["message", "error"]) worker.addEventListener(event, forget, { once: true });
    return worker;
  } catch {
    forget();
    return null;
  }
}
