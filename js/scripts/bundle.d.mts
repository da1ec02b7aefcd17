/** What `bundle.mjs` gives to those who are typed. */
export interface BundleOptions {
  readonly format: "esm" | "iife";
  readonly root: string;
  readonly workers?: Readonly<Record<string, string>>;
}

export function bundle(entry: string, options: BundleOptions): Promise<string>;
