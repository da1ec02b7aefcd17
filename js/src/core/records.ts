/** Values by key: the keys are branches, worlds or levels, which a view names. */

export type ByKey<V> = Readonly<Record<string, V>>;

/** One value for each key. */
export function record<V>(keys: readonly string[], value: (key: string) => V): ByKey<V> {
  return Object.fromEntries(keys.map((key) => [key, value(key)]));
}

/** The value of a key that must be there. */
export function entry<V>(of: ByKey<V>, key: string): V {
  if (!Object.hasOwn(of, key)) throw new Error(`Expected one of ${Object.keys(of).join(", ")}; got ${key}.`);
  return of[key] as V;
}
