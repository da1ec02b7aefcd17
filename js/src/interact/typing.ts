/** A text box that is being typed in: its text differs from its default, which is what was drawn. */

/** What was typed is done with: the next drawing may write there. */
export function handIn(box: HTMLInputElement): void {
  box.defaultValue = box.value;
}

/** Back to what was drawn. */
export function takeBack(box: HTMLInputElement | null): void {
  if (box) box.value = box.defaultValue;
}

/** Whether something else stands there than what was drawn. */
export function isTypedIn(box: HTMLInputElement): boolean {
  return box.value !== box.defaultValue;
}
