/** A worker's script: a trade served on the worker's own port. */
import { serve, type Port, type Trade } from "../core/service.ts";

export function work<Model, Job, Made>(trade: Trade<Model, Job, Made>): void {
  // A message to itself comes after those that wait; a timer would rest for 4 ms each time.
  const { port1, port2 } = new MessageChannel();
  let run: () => void = () => undefined;
  port1.onmessage = () => run();
  const later = (next: () => void) => {
    run = next;
    port2.postMessage(null);
  };
  serve(globalThis as unknown as Port, trade, later);
}
