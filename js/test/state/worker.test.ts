// @vitest-environment node
import { deflateRawSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import { started } from "../../src/state/worker.ts";

const packed = (script: string) => deflateRawSync(script).toString("base64");

/** The host's worker, which is given its script by an address. */
class Host {
  static readonly all: Host[] = [];
  readonly heard: unknown[] = [];
  isEnded = false;
  onmessage: ((event: unknown) => void) | null = null;
  onerror: ((event: unknown) => void) | null = null;
  constructor(readonly address: string) {
    Host.all.push(this);
  }
  addEventListener(): void {}
  postMessage(message: unknown): void {
    this.heard.push(message);
  }
  terminate(): void {
    this.isEnded = true;
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  Host.all.length = 0;
});

describe("a worker", () => {
  it("runs the script that was deflated, and hears what it was told before it ran", async () => {
    vi.stubGlobal("Worker", Host);
    const made = vi.spyOn(URL, "createObjectURL");
    const worker = started(packed("postMessage('ä')"))!;
    worker.postMessage({ type: "model" });
    await vi.waitFor(() => expect(Host.all).toHaveLength(1));
    worker.postMessage({ type: "job" });
    expect(await (made.mock.calls[0]![0] as Blob).text()).toBe("postMessage('ä')");
    expect(Host.all[0]!.heard).toEqual([{ type: "model" }, { type: "job" }]);
    const said: unknown[] = [];
    worker.onmessage = (event) => said.push(event);
    Host.all[0]!.onmessage?.("ready");
    expect(said).toEqual(["ready"]);
  });

  it("is not started when it was dismissed before", async () => {
    vi.stubGlobal("Worker", Host);
    const worker = started(packed("1"))!;
    worker.terminate();
    await new Promise((done) => setTimeout(done, 50));
    expect(Host.all).toHaveLength(0);
  });

  it("says by an error that the host refuses it", async () => {
    vi.stubGlobal("ErrorEvent", class extends Event {});
    vi.stubGlobal(
      "Worker",
      class {
        constructor() {
          throw new Error("not here");
        }
      },
    );
    const worker = started(packed("1"))!;
    const failed = vi.fn();
    worker.onerror = failed;
    await vi.waitFor(() => expect(failed).toHaveBeenCalledOnce());
  });

  it("is none where there are no workers, or nothing was built", () => {
    vi.stubGlobal("Worker", undefined);
    expect(started(packed("1"))).toBeNull();
    expect(started(undefined)).toBeNull();
  });
});
