/** Saved pages: every `<script type="application/json" class="rat-view">` becomes its widget. */
import { mountProblem } from "../components/problem.ts";
import { mountTree } from "../components/tree.ts";

/** Mounts what the page holds; a script that is mounted already is left alone. */
export function mountAll(page: Document): void {
  for (const script of page.querySelectorAll<HTMLScriptElement>('script[type="application/json"].rat-view')) {
    if (script.dataset["mounted"] !== undefined) continue;
    script.dataset["mounted"] = "";
    const place = page.createElement("div");
    script.after(place);
    try {
      mountTree(place, JSON.parse(script.textContent ?? ""), { report: () => undefined });
    } catch (error) {
      mountProblem(place, error);
    }
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mountAll(document));
else mountAll(document);
