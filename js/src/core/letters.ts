/** The first letter of words, as the start of a sentence or its middle has it. */

/** Without a capital at the start. */
export function lowered(words: string): string {
  return words.charAt(0).toLowerCase() + words.slice(1);
}

/** With a capital at the start. */
export function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}
