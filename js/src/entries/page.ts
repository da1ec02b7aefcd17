/** What a saved page does with its widgets, `ratPage` in its script: every `<script type="application/json" class="rat-view">` becomes its widget. */
import type { Mount } from "../components/component.ts";
import { mountProblem } from "../components/problem.ts";
import type { Put } from "../components/together.ts";

/** A view by itself: nobody is told what its reader moves. */
const alone: Put = (mount, place, view) => void mount(place, view, { report: () => undefined });

/** How each kind of view is mounted; a kind that is not there is left to the first one to refuse. */
export type Mounts = Readonly<Record<string, Mount<never>>>;

/** Mounts what the page holds; a script that is mounted already is left alone. */
export function mountAll(page: Document, mounts: Mounts, put: Put = alone): void {
  for (const script of page.querySelectorAll<HTMLScriptElement>('script[type="application/json"].rat-view')) {
    if (script.dataset["mounted"] !== undefined) continue;
    script.dataset["mounted"] = "";
    const place = page.createElement("div");
    script.after(place);
    try {
      const view: unknown = JSON.parse(script.textContent ?? "");
      const mount = mounts[kindOf(view)] ?? Object.values(mounts)[0];
      if (mount) put(mount, place, view);
    } catch (error) {
      mountProblem(place, error);
    }
  }
}

function kindOf(view: unknown): string {
  return typeof view === "object" && view !== null && "kind" in view ? String(view.kind) : "";
}

/** Mounts once the page is there. */
export function mountWhenReady(page: Document, mounts: Mounts, put?: Put): void {
  if (page.readyState === "loading") page.addEventListener("DOMContentLoaded", () => mountAll(page, mounts, put));
  else mountAll(page, mounts, put);
}
