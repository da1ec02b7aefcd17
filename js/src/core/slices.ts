/** Work in slices: generators of which each `next()` does a piece, and the last one returns the whole. */

export type Slices<T> = Generator<undefined, T>;

/** All slices in one go. */
export function atOnce<T>(slices: Slices<T>): T {
  for (;;) {
    const { done, value } = slices.next();
    if (done) return value;
  }
}

/** Slices for about so many milliseconds; the result when they are all done. */
export function workFor<T>(slices: Slices<T>, ms: number): { readonly made: T } | null {
  const until = performance.now() + ms;
  do {
    const { done, value } = slices.next();
    if (done) return { made: value };
  } while (performance.now() < until);
  return null;
}
