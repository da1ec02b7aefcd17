/** What every widget is, once it is mounted, and what it tells its surroundings. */

/** What the surroundings do with a reader's moves; a saved page does nothing. */
export interface Host<Controls> {
  report(controls: Controls): void;
}

export interface Component {
  /** Shows another view under these controls; without any, what the reader moved stays. */
  update(view: unknown, controls?: unknown): void;
  /** Shows controls that somebody else set, without reporting them. */
  adopt(controls: unknown): void;
  destroy(): void;
}

/** Puts a view into an element; the controls are those that the reader has moved already. */
export type Mount<Controls> = (el: Element, view: unknown, host: Host<Controls>, controls?: unknown) => Component;
