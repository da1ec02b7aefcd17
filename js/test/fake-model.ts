import type { Model } from "../src/state/model.ts";

/** A widget model that counts what is done to it. */
export class FakeModel implements Model {
  saves = 0;
  readonly #values: Map<string, unknown>;
  readonly #callbacks = new Map<string, Set<() => void>>();

  constructor(values: Readonly<Record<string, unknown>>) {
    this.#values = new Map(Object.entries(values));
  }

  get listeners(): number {
    return [...this.#callbacks.values()].reduce((n, set) => n + set.size, 0);
  }

  get(name: string): unknown {
    return this.#values.get(name);
  }

  set(name: string, value: unknown): void {
    this.receive({ [name]: value });
  }

  /** One message from the kernel: all values first, then one event for each. */
  receive(values: Readonly<Record<string, unknown>>): void {
    for (const [name, value] of Object.entries(values)) this.#values.set(name, value);
    for (const name of Object.keys(values)) {
      for (const callback of this.#callbacks.get(`change:${name}`) ?? []) callback();
    }
  }

  save_changes(): void {
    this.saves++;
  }

  on(event: string, callback: () => void): void {
    this.#callbacks.set(event, (this.#callbacks.get(event) ?? new Set()).add(callback));
  }

  off(event: string, callback: () => void): void {
    this.#callbacks.get(event)?.delete(callback);
  }
}
