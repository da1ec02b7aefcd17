// @vitest-environment node
import { describe, expect, it } from "vitest";
import { collapse, type JudgedTable } from "../../src/engine/collapsed.ts";
import { factorise, solve } from "../../src/engine/envelope.ts";
import { uniforms } from "../../src/engine/random.ts";
import { forwardTheta } from "../../src/engine/reversed.ts";
import { curvatureAt, densityAt, structureOf, surfaceOf, type Prior } from "../../src/engine/surface.ts";
import { worldsOf } from "../../src/engine/worlds.ts";
import { APERTUS, instrument, LEVELS, QWEN, simulated } from "./simulated.ts";

const JUDGES = [
  instrument("r", "retrieval", { has_unknown: true }),
  instrument("t", "task", { abstained_rate: 0.15, has_unknown: true }),
  instrument("own", "task", { is_shared: false }),
  instrument("a", "abstention"),
];
const RATES = { r: [0.9, 0.3, 0.1, 0.2], t: [0.85, 0.1, 0.05, 0.15], own: [0.8, 0.3], a: [0.95, 0.05] };
const ALL = JUDGES.map(({ key }) => key);
const BATCHES = [
  { n: 60, labels: "RAT", judges: ALL },
  { n: 80, labels: "A", judges: ["r", "t", "own"] },
  { n: 80, labels: "R", judges: ["t", "own", "a"] },
  { n: 80, labels: "T", judges: ALL },
  { n: 40, labels: "", judges: ["r", "a"] },
];
const GROUPS = [QWEN, APERTUS].map((theta) => ({ theta, rates: RATES, batches: BATCHES }));
const TABLE = simulated(JUDGES, GROUPS, uniforms(5, "table"));
const GRADED = simulated(
  JUDGES.slice(1),
  [{ theta: [0.35, 0.4, 0.55, 0.2, 0.05, 0.2, 0.45, 0.85], rates: RATES, batches: BATCHES.map((batch) => ({ ...batch, judges: ["t", "own", "a"] })) }],
  uniforms(6, "graded"),
  ["none", "partial", "all"],
);
const priors: Readonly<Record<string, Prior>> = { retrieval_success: [2, 3], "tpr[t]": [8, 2], "unknown_given_1[r]": [1, 6] };
const priorOf = (name: string): Prior => priors[name] ?? [1, 1];

/** Σ rows × log Σ_world P(world) × P(verdicts | world), row by row as the model says it. */
function logLikelihood({ levels, judges, patterns, counts }: JudgedTable, valueOf: (group: number, name: string) => number): number {
  const worlds = worldsOf(levels);
  let total = 0;
  for (const [g, rows] of counts.entries()) {
    for (const [i, [r = -1, a = -1, t = -1, ...verdicts]] of patterns.entries()) {
      let p = 0;
      worlds.held.forEach((said, w) => {
        const [abstained, right] = [worlds.abstained[w]!, worlds.right[w]!];
        if ((r >= 0 && r !== worlds.level[w]) || (a >= 0 && a !== Number(abstained)) || (t >= 0 && t !== Number(right))) return;
        let joint = 1;
        for (const [k, yes] of said) joint *= yes ? valueOf(g, worlds.parameters[k]!) : 1 - valueOf(g, worlds.parameters[k]!);
        judges.forEach((judge, j) => {
          const verdict = verdicts[j]!;
          if (verdict < 0 || (judge.of === "task" && a === 1)) return;
          const truth = { retrieval: worlds.hit, task: worlds.right, abstention: worlds.abstained }[judge.of][w];
          const unknown = judge.has_unknown ? valueOf(g, `unknown_given_${truth ? 1 : 0}[${judge.key}]`) : 0;
          const rate = judge.of === "task" && abstained && judge.abstained_rate !== null ? judge.abstained_rate : valueOf(g, `${truth ? "tpr" : "fpr"}[${judge.key}]`);
          joint *= verdict === 2 ? unknown : (1 - unknown) * (verdict === 1 ? rate : 1 - rate);
        });
        p += joint;
      });
      if (rows[i]! > 0) total += rows[i]! * Math.log(p);
    }
  }
  return total;
}

/** Log density of theta's priors, by the logits of the tree walked the other way round. */
function reversedPrior(theta: readonly number[], prior: (name: string) => Prior): number {
  const { held, parameters, abstained, hit } = worldsOf(LEVELS);
  const masses = held.map((said) => said.reduce((p, [k, yes]) => p * (yes ? theta[k]! : 1 - theta[k]!), 1));
  const sum = (isIn: (w: number) => boolean) => masses.reduce((total, p, w) => total + (isIn(w) ? p : 0), 0);
  const sides = [0, 1].map((side) => Math.log(sum((w) => Number(hit[w]) === side)) + Math.log(sum((w) => Number(hit[w]) === side && !abstained[w]!)));
  const betas = parameters.map((name, k) => (prior(name)[0] - 1) * Math.log(theta[k]!) + (prior(name)[1] - 1) * Math.log1p(-theta[k]!));
  // Jacobians: of the tree walked A first onto the worlds, and of the worlds onto theta.
  return [...betas, ...masses.map(Math.log), ...sides.map((x) => -x)].reduce((a, b) => a + b, 0);
}

const ALL_R = simulated(JUDGES, [{ theta: QWEN, rates: RATES, batches: [{ n: 60, labels: "RA", judges: ALL }, { n: 60, labels: "R", judges: ["t", "own", "a"] }] }], uniforms(7, "all R"));
const tables: readonly (readonly [string, JudgedTable])[] = [
  ["a table that shows R on every row", ALL_R],
  ["two groups and all kinds of judges", TABLE],
  ["R in three levels", GRADED],
];

describe.each(tables)("the density of %s", (_, table) => {
  const collapsed = collapse(table);
  const pins: Readonly<Record<string, number>> = { "fpr[t]": 0.22 };
  const surface = surfaceOf(structureOf(collapsed), priorOf, (name) => pins[name] ?? null);
  const { free, structure } = surface;
  const uniform = uniforms(1, "points");
  const point = (spread: number) => Float64Array.from(free, () => spread * (2 * uniform() - 1));

  it("is the likelihood, world by world, times the priors, up to a constant", () => {
    const differences = Array.from({ length: 12 }, () => {
      const z = point(2);
      const place = new Map([...free].map((i, k) => [structure.columns[i]!, 1 / (1 + Math.exp(-z[k]!))]));
      const value = (column: number) => place.get(column) ?? pins[collapsed.names[collapsed.owners[column]![1]]!] ?? 0.37;
      const thetas = collapsed.columns.map((of, g) => {
        const raw = (k: number) => Float64Array.of(value(of[k]!));
        return collapsed.reversed[g] ? forwardTheta(raw).map((x) => x[0]!) : null;
      });
      const brute = logLikelihood(table, (g, name) => {
        const k = collapsed.names.indexOf(name);
        return thetas[g]?.[k] ?? value(collapsed.columns[g]![k]!);
      });
      let prior = thetas.reduce((sum, theta) => sum + (theta ? reversedPrior(theta, priorOf) : 0), 0);
      for (const [column, [g, k]] of collapsed.owners.entries()) {
        const isIn = place.has(column) && !(collapsed.reversed[g] && collapsed.kinds[k] === "theta");
        const [a, b] = isIn ? priorOf(collapsed.names[k]!) : [0, 0];
        prior += a * Math.log(value(column)) + b * Math.log1p(-value(column));
      }
      return densityAt(surface, z, new Float64Array(z.length)) - brute - prior;
    });
    for (const d of differences) expect(d).toBeCloseTo(differences[0]!, 7);
  });

  it("has the gradient and the curvature that its differences have", () => {
    for (let i = 0; i < 4; i++) {
      const z = point(2.5);
      const [slope, up, down] = [new Float64Array(z.length), new Float64Array(z.length), new Float64Array(z.length)];
      densityAt(surface, z, slope);
      const { hessian } = curvatureAt(surface, z);
      for (let k = 0; k < z.length; k++) {
        const at = (step: number, into: Float64Array) => densityAt(surface, z.map((x, j) => (j === k ? x + step : x)), into);
        expect((at(1e-4, up) - at(-1e-4, down)) / 2e-4).toBeCloseTo(slope[k]!, 4);
        for (let j = 0; j <= k; j++) expect((down[j]! - up[j]!) / 2e-4).toBeCloseTo(hessian[k * z.length + j]!, 4);
      }
    }
  });

  it("is finite, with its gradient, where products are too small for a number", () => {
    const slope = new Float64Array(free.length);
    for (const sign of [-1, 1]) {
      const z = Float64Array.from(free, (_, k) => (k % 2 ? sign : -sign) * 400);
      expect(Number.isFinite(densityAt(surface, z, slope))).toBe(true);
      expect(slope.every(Number.isFinite)).toBe(true);
    }
  });

  it("does not depend on the order of patterns, nor on patterns without rows", () => {
    const order = [...table.patterns.keys()].reverse();
    const more = {
      ...table,
      patterns: [...order.map((i) => table.patterns[i]!), [1, 1, -1, ...table.judges.map(() => 0)]],
      counts: table.counts.map((rows) => [...order.map((i) => rows[i]!), 0]),
    };
    const other = surfaceOf(structureOf(collapse(more)), priorOf, (name) => pins[name] ?? null);
    const z = point(1);
    const [a, b] = [new Float64Array(z.length), new Float64Array(z.length)];
    expect(densityAt(other, z, a)).toBeCloseTo(densityAt(surface, z, b), 7);
    a.forEach((x, k) => expect(x).toBeCloseTo(b[k]!, 7));
  });
});

describe("whole labels", () => {
  it("are all there is where every row shows R, A and T: verdicts then count right and wrong", () => {
    const table = simulated([instrument("t", "task")], [{ theta: QWEN, rates: { t: [0.9, 0.2] }, batches: [{ n: 300, labels: "RAT", judges: ["t"] }] }], uniforms(3, "joint"));
    const { names, ones, zeros, mixed } = collapse(table);
    expect(mixed).toHaveLength(0);
    const rows = (test: (pattern: readonly number[]) => boolean) => table.patterns.reduce((sum, pattern, i) => sum + (test(pattern) ? table.counts[0]![i]! : 0), 0);
    const at = names.indexOf("tpr[t]");
    expect(ones[at]).toBe(rows(([, , t, verdict]) => t === 1 && verdict === 1));
    expect(zeros[at]).toBe(rows(([, , t, verdict]) => t === 1 && verdict === 0));
    expect(ones[0]).toBe(rows(([r]) => r === 1));
  });

  it("leave a verdict on an abstention out", () => {
    const judges = [instrument("t", "task")];
    const of = (verdict: number) => collapse({ levels: ["miss", "hit"], judges, patterns: [[1, 1, -1, verdict]], counts: [[5]] });
    expect(of(1)).toEqual(of(-1));
  });
});

describe("the envelope", () => {
  it("solves what the whole matrix solves", () => {
    const surface = surfaceOf(structureOf(collapse(TABLE)), priorOf, () => null);
    const n = surface.free.length;
    // Late rows start at 0, others at their group's first column.
    expect(Math.max(...surface.first)).toBeGreaterThan(0);
    const { hessian, complete } = curvatureAt(surface, new Float64Array(n));
    for (let k = 0; k < n; k++) hessian[k * n + k]! += complete[k]!;
    const x = Float64Array.from({ length: n }, (_, k) => Math.sin(k + 1));
    const b = Float64Array.from({ length: n }, (_, i) => x.reduce((sum, v, j) => sum + (hessian[Math.max(i, j) * n + Math.min(i, j)] ?? 0) * v, 0));
    solve(factorise(hessian, surface.first)!, b);
    b.forEach((v, k) => expect(v).toBeCloseTo(x[k]!, 8));
  });
});
