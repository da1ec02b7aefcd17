/** Parts of a page that show the same systems: one that is chosen in a part is shown by the others. */
import type { Component, Mount } from "./component.ts";

/** Puts a view into an element. */
export type Put = (mount: Mount<never>, place: Element, view: unknown) => void;

interface Part {
  readonly place: Element;
  readonly labels: readonly string[];
  readonly component: Component;
  shown: string | undefined;
}

/** Puts views so that they follow each other. Systems are told by their labels, of which each is one system's. */
export function together(): Put {
  const parts: Part[] = [];
  return (mount, place, view) => {
    const [labels, shown] = systemsOf(view);
    const component = mount(place, view, { report: (controls: unknown) => follow(parts, place, groupIn(controls)) });
    parts.push({ place, labels, component, shown });
  };
}

/** Shows in all parts the system at this position of the part in `place`. */
function follow(parts: readonly Part[], place: Element, group: number): void {
  const label = parts.find((part) => part.place === place)?.labels[group];
  if (label === undefined) return;
  staying(place, () => {
    for (const part of parts) {
      const index = part.labels.indexOf(label);
      if (index < 0 || part.shown === label) continue;
      part.shown = label;
      if (part.place !== place) part.component.adopt({ group: index });
    }
  });
}

/** What changes above an element must not move it under the pointer. */
function staying(place: Element, change: () => void): void {
  const before = place.getBoundingClientRect().top;
  change();
  const moved = place.getBoundingClientRect().top - before;
  if (moved !== 0) place.ownerDocument.defaultView?.scrollBy(0, moved);
}

type Given = { readonly label?: unknown; readonly group?: unknown; readonly groups?: unknown; readonly controls?: unknown } | null | undefined;

/** Labels of a view's systems, and the one that it shows first. */
function systemsOf(view: unknown): readonly [labels: readonly string[], shown: string | undefined] {
  const { groups, controls } = (view ?? {}) as NonNullable<Given>;
  const labels = Array.isArray(groups) ? groups.map((group: Given) => String(group?.label)) : [];
  return [labels, labels[groupIn(controls)]];
}

function groupIn(controls: unknown): number {
  return Number((controls as Given)?.group ?? 0);
}
