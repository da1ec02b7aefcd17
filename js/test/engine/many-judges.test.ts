// @vitest-environment node
/** Forty judges: too many to look everywhere at every move. */
import { describe, expect, it } from "vitest";
import { mean } from "../../src/core/numbers.ts";
import { atOnce } from "../../src/core/slices.ts";
import { fittable, hmcSample, laplaceFit, type Beliefs } from "../../src/engine/judged.ts";
import { peakSlices } from "../../src/engine/peaks.ts";
import { uniforms } from "../../src/engine/random.ts";
import { densityAt, isDear, surfaceOf } from "../../src/engine/surface.ts";
import { instrument, QWEN, simulated } from "./simulated.ts";

const JUDGES = Array.from({ length: 40 }, (_, j) => instrument(`j${j}`, j % 2 ? "task" : "retrieval"));
const ALL = JUDGES.map(({ key }) => key);
const RATES = Object.fromEntries(ALL.map((key, j) => [key, [0.7 + 0.006 * j, 0.4 - 0.008 * j]]));
const BATCHES = [{ n: 150, labels: "RAT", judges: ALL }, { n: 450, labels: "A", judges: ALL }];
const TABLE = simulated(JUDGES, [{ theta: QWEN, rates: RATES, batches: BATCHES }], uniforms(40, "forty"));
const FIT = fittable(TABLE, 1, "forty");
const FREE: Beliefs = { priors: {}, pins: {} };
const pinned = (p: number): Beliefs => ({ priors: {}, pins: { "tpr[j0]": p } });
const surface = ({ pins }: Beliefs) => surfaceOf(FIT.structure, () => [1, 1], (name) => pins[name] ?? null);

describe("forty judges", { timeout: 120_000 }, () => {
  it("are dear: what follows is about that way", () => expect(isDear(surface(FREE))).toBe(true));

  it("are followed through a drag to where a search from everywhere ends", () => {
    let last = laplaceFit(FIT, pinned(0.5), 10);
    for (let p = 0.52; p < 0.9; p += 0.02) {
      last = laplaceFit(FIT, pinned(p), 10, last.modes);
      const [peak] = last.modes.peaks;
      const slope = new Float64Array(peak!.centre.length);
      densityAt(surface(pinned(p)), peak!.centre, slope);
      // A top: what is left to climb is no part of a standard deviation.
      slope.forEach((x) => expect(Math.abs(x)).toBeLessThan(0.05));
    }
    const anew = laplaceFit(FIT, pinned(0.88), 10);
    expect(last.modes.peaks).toHaveLength(anew.modes.peaks.length);
    const far = (one: typeof last) => mean(one.of(0, 0));
    expect(Math.abs(far(last) - far(anew))).toBeLessThan(1e-3);
    last.modes.peaks[0]!.centre.forEach((x, k) => expect(Math.abs(x - anew.modes.peaks[0]!.centre[k]!)).toBeLessThan(1e-3));
  });

  it("have the widths of a curvature that is at most half a standard deviation away", () => {
    let last = laplaceFit(FIT, pinned(0.5), 10);
    for (const p of [0.52, 0.54, 0.56]) last = laplaceFit(FIT, pinned(p), 10, last.modes);
    const anew = laplaceFit(FIT, pinned(0.56), 10);
    expect(Math.abs(last.modes.peaks[0]!.factor.logDet - anew.modes.peaks[0]!.factor.logDet)).toBeLessThan(0.2);
  });

  it("are searched from starts that lead somewhere, one climb for each end", () => {
    const peaks = atOnce(peakSlices(surface(FREE)));
    expect(peaks).toHaveLength(1);
    expect(peaks[0]!.weight).toBe(1);
  });

  it("mix in half as many draws, near the quick answer", () => {
    const { mixing, logits, modes } = atOnce(hmcSample(FIT, FREE, 1000));
    expect(mixing.rHat).toBeLessThan(1.05);
    const size = modes.free.length;
    const [peak] = modes.peaks;
    // Theta's five: the mean is within a third of a standard deviation of the mode, skew included.
    for (let k = 0; k < 5; k++) {
      const of = Float64Array.from({ length: 1000 }, (_, i) => logits[i * size + k]!);
      const m = mean(of);
      const sd = Math.sqrt(mean(of.map((x) => (x - m) ** 2)));
      expect(Math.abs(m - peak!.centre[k]!) / sd).toBeLessThan(0.35);
    }
  });
});
