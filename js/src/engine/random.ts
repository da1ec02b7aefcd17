/** Seeded random numbers: sfc32, normals, gammas, Betas. One stream is one value. */

export type Uniform = () => number;

/** Four 32-bit words from a text (FNV-1a with four offsets, then mixed). */
function words(text: string): [number, number, number, number] {
  const state: [number, number, number, number] = [0x811c9dc5, 0x1b873593, 0x9e3779b9, 0x85ebca6b];
  const bytes = new TextEncoder().encode(text);
  for (let k = 0; k < 4; k++) {
    let hash = state[k] ?? 0;
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193);
    hash ^= hash >>> 16;
    hash = Math.imul(hash, 0x85ebca6b);
    hash ^= hash >>> 13;
    state[k] = hash ^ k;
  }
  return state;
}

/** A stream of uniforms in [0, 1) with 53 random bits, from a seed and a label. */
export function uniforms(seed: number, label: string): Uniform {
  let [a, b, c, counter] = words(`${seed}\u0000${label}`);
  const next = (): number => {
    const out = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + out;
    return out >>> 0;
  };
  for (let i = 0; i < 16; i++) next();
  return () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
}

/** Standard normals, two at a time (Marsaglia's polar method). */
export function normals(uniform: Uniform): () => number {
  let spare: number | null = null;
  return () => {
    if (spare !== null) {
      const kept = spare;
      spare = null;
      return kept;
    }
    for (;;) {
      const x = 2 * uniform() - 1;
      const y = 2 * uniform() - 1;
      const square = x * x + y * y;
      if (square >= 1 || square === 0) continue;
      const factor = Math.sqrt((-2 * Math.log(square)) / square);
      spare = y * factor;
      return x * factor;
    }
  };
}

/** Logarithm of a Gamma(shape, 1) draw (Marsaglia and Tsang 2000); safe for tiny shapes. */
function logGamma(shape: number, uniform: Uniform, normal: () => number): number {
  if (shape < 1) {
    return logGamma(shape + 1, uniform, normal) + Math.log(1 - uniform()) / shape;
  }
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = normal();
    const v = (1 + c * x) ** 3;
    if (v <= 0) continue;
    if (Math.log(1 - uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return Math.log(d * v);
  }
}

/** Logarithms of Gamma(shape, 1) draws from one stream: that of one less that of another is a Beta's logit. */
export function logGammas(uniform: Uniform): (shape: number) => number {
  const normal = normals(uniform);
  return (shape) => logGamma(shape, uniform, normal);
}

/** `n` draws of Beta(a, b). */
export function betaDraws(a: number, b: number, n: number, uniform: Uniform): Float64Array {
  const gamma = logGammas(uniform);
  const draws = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const left = gamma(a);
    const right = gamma(b);
    draws[i] = 1 / (1 + Math.exp(right - left));
  }
  return draws;
}
