/** Values that are made when they are first asked for. */

/** An object whose values are made when they are first asked for. */
export function lazily<T extends object>(makers: { readonly [K in keyof T]: (of: T) => T[K] }): T {
  const of = {} as T;
  for (const key of Object.keys(makers) as (keyof T)[]) {
    Object.defineProperty(of, key, {
      configurable: true,
      enumerable: true,
      get: () => {
        const value = makers[key](of);
        Object.defineProperty(of, key, { value, enumerable: true });
        return value;
      },
    });
  }
  return of;
}
