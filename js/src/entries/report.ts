/** Saved pages: every `<script type="application/json" class="rat-view">` becomes its widget. */
import { mountJudges } from "../components/judge.ts";
import { mountProblem } from "../components/problem.ts";
import { mountTree } from "../components/tree.ts";

const SILENT = { report: () => undefined };

/** The widget of a view by its kind; a kind that is not known is left to the tree to refuse. */
function mount(place: Element, view: unknown): void {
  const isJudge = typeof view === "object" && view !== null && "kind" in view && view.kind === "judge";
  if (isJudge) mountJudges(place, view, SILENT);
  else mountTree(place, view, SILENT);
}

/** Mounts what the page holds; a script that is mounted already is left alone. */
export function mountAll(page: Document): void {
  for (const script of page.querySelectorAll<HTMLScriptElement>('script[type="application/json"].rat-view')) {
    if (script.dataset["mounted"] !== undefined) continue;
    script.dataset["mounted"] = "";
    const place = page.createElement("div");
    script.after(place);
    try {
      mount(place, JSON.parse(script.textContent ?? ""));
    } catch (error) {
      mountProblem(place, error);
    }
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => mountAll(document));
else mountAll(document);
