/** The only file that touches the widget's model: `_view` is read, `controls` is written. */

export interface Model {
  get(name: string): unknown;
  set(name: string, value: unknown): void;
  save_changes(): void;
  on(event: string, callback: () => void): void;
  off(event: string, callback: () => void): void;
}

export interface Connection<Controls> {
  /** Sends the controls: at once after a pause, else at most every 100 ms. */
  report(controls: Controls): void;
  /** Sends what is waiting and stops listening. */
  destroy(): void;
}

export interface Listeners {
  /** A new view; with it the controls, when somebody else set both at once, or null. */
  view(value: unknown, controls: unknown): void;
  /** Controls that somebody else set: Python, or another picture of the same widget. */
  controls(value: unknown): void;
}

const EVERY_MS = 100;

/** Follows a model until it is told to stop. */
export function connect<Controls>(model: Model, listeners: Listeners): Connection<Controls> {
  let sent = JSON.stringify(model.get("controls") ?? null);
  let waiting: Controls | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  let seen = model.get("_view");
  // One message may bring both; its events come one by one, in any order.
  const onChange = () => {
    const view = model.get("_view");
    const controls = model.get("controls");
    const now = JSON.stringify(controls ?? null);
    const isMoved = now !== sent;
    sent = now;
    if (isMoved) waiting = null;
    if (view !== seen) {
      seen = view;
      listeners.view(view, isMoved ? controls : null);
    } else if (isMoved) listeners.controls(controls);
  };
  const send = () => {
    if (waiting === null) return;
    const controls = waiting;
    waiting = null;
    const text = JSON.stringify(controls);
    if (text === sent) return;
    sent = text;
    try {
      model.set("controls", controls);
      model.save_changes();
    } catch (error) {
      // A kernel that is gone takes no messages; the picture goes on without it.
      console.warn("rat_widgets: the controls could not be sent to the kernel.", error);
    }
  };
  const wait = () => {
    timer = setTimeout(() => {
      timer = null;
      if (waiting === null) return;
      send();
      wait();
    }, EVERY_MS);
  };

  model.on("change:_view", onChange);
  model.on("change:controls", onChange);
  return {
    report(controls) {
      waiting = controls;
      if (timer !== null) return;
      send();
      wait();
    },
    destroy() {
      model.off("change:_view", onChange);
      model.off("change:controls", onChange);
      if (timer !== null) clearTimeout(timer);
      timer = null;
      send();
    },
  };
}
