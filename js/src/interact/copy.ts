/** Text to the clipboard. */

/** True when the text is on the clipboard; false when the browser refuses. */
export async function copyText(page: Document, text: string): Promise<boolean> {
  try {
    const clipboard = page.defaultView?.navigator.clipboard;
    if (!clipboard) return false;
    await clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}

/** The older way, with the text selected in a field that has the focus. */
export function copySelected(page: Document): boolean {
  try {
    return page.execCommand("copy");
  } catch {
    return false;
  }
}
