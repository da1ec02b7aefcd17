/** Workers for tests: the real service on the other end of a channel that copies all it carries. */
import { serve, type Port, type Trade } from "../src/core/service.ts";
import type { WorkerLike } from "../src/state/worker.ts";

export type Fate = "works" | "is silent" | "is refused" | "dies at the job" | "falls silent at the job" | "cannot be told the job";

/** A worker whose messages take a timer's turn each way. */
export class FakeWorker implements WorkerLike {
  onmessage: ((event: MessageEvent) => void) | null = null;
  onmessageerror: ((event: MessageEvent) => void) | null = null;
  onerror: ((event: ErrorEvent) => void) | null = null;
  /** What the page said, by its type. */
  readonly heard: string[] = [];
  /** How many slices were done. */
  turns = 0;
  isEnded = false;
  private readonly port: Port = {
    onmessage: null,
    postMessage: (message, transfer) => {
      const data: unknown = structuredClone(message, { transfer });
      this.soon(() => this.onmessage?.({ data } as MessageEvent));
    },
  };

  constructor(
    trade: Trade<never, never, unknown>,
    private readonly fate: Fate = "works",
  ) {
    if (fate === "is silent") return;
    if (fate === "is refused") this.soon(() => this.onerror?.(new ErrorEvent("error")));
    else
      serve(this.port, trade, (run) =>
        this.soon(() => {
          this.turns++;
          run();
        }),
      );
  }

  postMessage(message: unknown): void {
    const data: unknown = structuredClone(message);
    const { type } = data as { type: string };
    if (this.fate === "cannot be told the job" && type === "job") throw new DOMException("no copy", "DataCloneError");
    this.heard.push(type);
    if (this.fate === "falls silent at the job" && type === "job") return;
    if (this.fate === "dies at the job" && type === "job") this.soon(() => this.onerror?.(new ErrorEvent("error")));
    else this.soon(() => this.port.onmessage?.({ data }));
  }

  addEventListener(): void {}

  terminate(): void {
    this.isEnded = true;
  }

  private soon(act: () => void): void {
    setTimeout(() => {
      if (!this.isEnded) act();
    }, 0);
  }
}
