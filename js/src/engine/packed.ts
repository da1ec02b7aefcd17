/** Draws that Python made: base64 of little-endian uint16, 65535 meaning 1. */
import type { Keys } from "../contract/levels.ts";
import type { PackedDraws } from "../contract/tree.ts";
import type { ByKey } from "../core/records.ts";

/** Draws of the model's probabilities. */
export type ThetaDraws = ByKey<Float64Array>;

/** One array per probability; the text holds row by row (draw, parameter). */
export function unpack({ parameters }: Keys, packed: PackedDraws): ThetaDraws {
  const bytes = Uint8Array.from(atob(packed.theta), (c) => c.charCodeAt(0));
  const width = parameters.length;
  if (bytes.length !== 2 * width * packed.n) {
    throw new Error(
      `Expected ${packed.n} draws of ${width} probabilities (${2 * width * packed.n} bytes); got ${bytes.length} bytes.`,
    );
  }
  const words = new DataView(bytes.buffer);
  return Object.fromEntries(
    parameters.map((key, column) => [
      key,
      Float64Array.from({ length: packed.n }, (_, i) => words.getUint16(2 * (i * width + column), true) / 65535),
    ]),
  );
}
