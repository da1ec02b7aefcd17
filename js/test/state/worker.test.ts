// @vitest-environment node
import { afterEach, describe, expect, it, vi } from "vitest";
import { started } from "../../src/state/worker.ts";

/** The host's worker, which is given its script by an address. */
class Host {
  static readonly all: Host[] = [];
  readonly heard: unknown[] = [];
  speaks = () => {};
  constructor(readonly address: string) {
    Host.all.push(this);
  }
  addEventListener(event: string, listener: () => void): void {
    if (event === "message") this.speaks = listener;
  }
  postMessage(message: unknown): void {
    this.heard.push(message);
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  Host.all.length = 0;
});

describe("a worker", () => {
  it("runs the script that it is given, at an address that is forgotten once it speaks", async () => {
    vi.stubGlobal("Worker", Host);
    const made = vi.spyOn(URL, "createObjectURL");
    const forgotten = vi.spyOn(URL, "revokeObjectURL");
    const worker = started("postMessage('ä')")!;
    worker.postMessage({ type: "job" });
    expect(await (made.mock.calls[0]![0] as Blob).text()).toBe("postMessage('ä')");
    const [host] = Host.all;
    expect(host!.heard).toEqual([{ type: "job" }]);
    expect(forgotten).not.toHaveBeenCalled();
    host!.speaks();
    expect(forgotten).toHaveBeenCalledExactlyOnceWith(host!.address);
  });

  it("is none where the host refuses it", () => {
    const forgotten = vi.spyOn(URL, "revokeObjectURL");
    vi.stubGlobal(
      "Worker",
      class {
        constructor() {
          throw new Error("not here");
        }
      },
    );
    expect(started("1")).toBeNull();
    expect(forgotten).toHaveBeenCalledOnce();
  });

  it("is none where there are no workers, or nothing was built", () => {
    vi.stubGlobal("Worker", undefined);
    expect(started("1")).toBeNull();
    expect(started(undefined)).toBeNull();
  });
});
