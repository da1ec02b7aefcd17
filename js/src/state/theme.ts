/** Light or dark, as the host says, and when it changes its mind. */

export type Theme = "light" | "dark";

const ATTRIBUTES = ["class", "data-jp-theme-light", "data-vscode-theme-kind", "data-theme", "data-color-mode", "theme"];

/** What one element of the host says about the theme; null when nothing. */
function said(element: Element | null): Theme | null {
  if (!element) return null;
  const jupyter = element.getAttribute("data-jp-theme-light");
  if (jupyter !== null) return jupyter === "false" ? "dark" : "light";
  const kind = element.getAttribute("data-vscode-theme-kind") ?? "";
  const names = `${kind} ${element.getAttribute("class") ?? ""}`.split(/\s+/);
  if (names.includes("vscode-light") || names.includes("vscode-high-contrast-light")) return "light";
  if (names.includes("vscode-dark") || names.includes("vscode-high-contrast")) return "dark";
  for (const name of ["data-theme", "data-color-mode", "theme"]) {
    const value = element.getAttribute(name);
    if (value === "dark" || value === "light") return value;
  }
  if (names.includes("dark") || names.includes("dark-mode")) return "dark";
  if (names.includes("light") || names.includes("light-mode")) return "light";
  return null;
}

/** Theme of the page: JupyterLab, VS Code, Colab, marimo; the system's where the host is silent. */
export function hostTheme(page: Document): Theme {
  const host = said(page.body) ?? said(page.documentElement);
  if (host !== null) return host;
  return page.defaultView?.matchMedia?.("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

/** Calls `apply` now and whenever the theme changes; returns the remover. */
export function followTheme(page: Document, apply: (theme: Theme) => void): () => void {
  const tell = () => apply(hostTheme(page));
  const Observer = page.defaultView?.MutationObserver ?? MutationObserver;
  const observer = new Observer(tell);
  const options = { attributes: true, attributeFilter: ATTRIBUTES };
  for (const element of [page.documentElement, page.body]) if (element) observer.observe(element, options);
  const system = page.defaultView?.matchMedia?.("(prefers-color-scheme: dark)");
  system?.addEventListener("change", tell);
  tell();
  return () => {
    observer.disconnect();
    system?.removeEventListener("change", tell);
  };
}
