/** The chart: half-widths of all courses along the budget, a needle at the budget, names at line ends. */
import { COURSES, OPTIMAL } from "../contract/allocation-tables.ts";
import type { AllocationAnswer, AllocationCourse } from "../contract/allocation.ts";
import { about, amount, half } from "../core/allocation-words.ts";
import { count, short } from "../core/format.ts";
import { clamp } from "../core/numbers.ts";
import { toPixels, type Scale } from "../core/scale.ts";
import { textWidth } from "../core/words.ts";
import { INSET } from "./allocation-knobs.ts";
import { linePath, px } from "./paths.ts";

export interface ChartLine {
  readonly key: string;
  readonly path: string;
  readonly name: string;
  /** Of the name: its baseline; and the hair that leads to it. */
  readonly y: number;
  readonly lead: string;
  readonly kind: "advised" | "mix" | "plain";
}

export interface Tick {
  readonly at: number;
  readonly text: string;
}

export interface ChartPicture {
  readonly width: number;
  readonly height: number;
  readonly left: number;
  readonly right: number;
  readonly base: number;
  readonly ups: readonly Tick[];
  readonly overs: readonly Tick[];
  readonly lines: readonly ChartLine[];
  readonly nameX: number;
  readonly band: string;
  readonly needle: { readonly x: number; readonly top: number; readonly text: string; readonly isLeft: boolean };
  /** The advised course at the budget. */
  readonly point: { readonly x: number; readonly y: number; readonly text: string; readonly isLeft: boolean } | null;
  /** Where R and T on every row would get as narrow. */
  readonly joint: { readonly x: number; readonly y: number; readonly text: string; readonly textX: number; readonly textY: number; readonly anchor: "start" | "end" } | null;
  /** Simulated widths at the budget: 95% Monte Carlo intervals as bars. */
  readonly bars: readonly { readonly key: string; readonly path: string; readonly isAdvised: boolean }[];
  /** Left edge and width of the budget's slider. */
  readonly slider: { readonly x: number; readonly width: number };
  readonly told: string;
}

const LEFT = 36;
const TOP = 20;
const BOTTOM = 8;
const NAMES = { wide: 132, narrow: 96 };
const LINE = 16;

export interface ChartOf {
  readonly answer: AllocationAnswer;
  readonly budget: number;
  readonly hidden: readonly string[];
  readonly unit: string;
  readonly symbol: string;
  readonly isRate: boolean;
  readonly width: number;
  /** Mean widths of simulated purchases and their Monte Carlo errors, by course. */
  readonly simulated?: Readonly<Record<string, { readonly width: number; readonly mcse: number }>>;
}

/** The chart, `width` px wide. */
export function chartPicture(of: ChartOf): ChartPicture {
  const { answer, budget, hidden, unit, isRate, width } = of;
  const isSmall = width < 460;
  const height = isSmall ? 250 : Math.round(clamp(0.5 * width, 280, 380));
  const right = width - (isSmall ? NAMES.narrow : NAMES.wide);
  const base = height - BOTTOM;
  const end = answer.budgets[answer.budgets.length - 1] ?? 1;
  const shown = answer.courses.filter(({ key }) => !hidden.includes(key));
  const ups = upTicks(answer.now / 2, isRate);
  const highest = ups[ups.length - 1] ?? 1;
  const x: Scale = { domain: [0, end], range: [LEFT, right] };
  const y: Scale = { domain: [0, highest], range: [base, TOP] };
  const at = (budgetAt: number, wide: number) => [toPixels(x, budgetAt), toPixels(y, wide / 2)] as const;
  const curve = (widths: readonly number[]) => widths.map((wide, i) => at(answer.budgets[i] ?? 0, wide));
  const ends = shown.map(({ widths }) => at(end, widths[widths.length - 1] ?? 0)[1]);
  const names = spread(ends, LINE, TOP, base);
  const advised = shown.find(({ key }) => key === answer.advised);
  const lines = shown.map((course, i): ChartLine => {
    const [from, to] = [ends[i] ?? 0, names[i] ?? 0];
    const kind = course.key === answer.advised ? "advised" : course.key === OPTIMAL ? "mix" : "plain";
    return {
      key: course.key,
      path: linePath(curve(course.widths)),
      name: nameOf(course.key, isSmall),
      y: to + 4,
      lead: `M${px(right + 2)} ${px(from)}L${px(right + 11)} ${px(to)}`,
      kind,
    };
  });
  // The advised line lies on top.
  lines.sort((a, b) => Number(a.kind === "advised") - Number(b.kind === "advised"));
  const needleX = toPixels(x, Math.min(budget, end));
  const pointAt = advised ? at(Math.min(budget, end), advised.width) : null;
  return {
    width,
    height,
    left: LEFT,
    right,
    base,
    ups: ups.map((value) => ({ at: toPixels(y, value), text: isRate ? short(100 * value) : String(Number(value.toPrecision(3))) })),
    overs: [0, 0.25, 0.5, 0.75, 1].map((share) => ({ at: toPixels(x, share * end), text: tickText(share * end) })),
    lines,
    nameX: right + 14,
    band: advised?.lower && advised.upper ? `${linePath([...curve(advised.upper), ...[...curve(advised.lower)].reverse()])}Z` : "",
    needle: { x: needleX, top: TOP - 8, text: `${amount(budget)} more ${unit}`, isLeft: needleX > LEFT + 0.6 * (right - LEFT) },
    point: pointAt && advised && budget > 0 ? { x: pointAt[0], y: pointAt[1], text: half(advised.width, isRate), isLeft: needleX > LEFT + 52 } : null,
    joint: jointOf(of, pointAt, { toX: (wanted) => toPixels(x, wanted), line: advised ? curve(advised.widths) : [], end, right, isSmall }),
    bars: shown.flatMap(({ key }) => {
      const found = of.simulated?.[key];
      if (!found || !Number.isFinite(found.mcse)) return [];
      const [low, high] = [-1.96, 1.96].map((z) => at(Math.min(budget, end), found.width + z * found.mcse)[1]) as [number, number];
      const middle = px(at(0, found.width)[1]);
      return [{ key, path: `M${px(needleX + 9)} ${px(high)}V${px(low)}M${px(needleX + 5)} ${middle}h8`, isAdvised: key === answer.advised }];
    }),
    slider: { x: LEFT - INSET, width: right - LEFT + 2 * INSET },
    told: toldOf(of, shown, end),
  };
}

function nameOf(key: string, isSmall: boolean): string {
  const { name } = COURSES[key as keyof typeof COURSES];
  return isSmall ? name.replaceAll("half ", "½ ") : name;
}

type Reach = NonNullable<ChartPicture["joint"]>;

interface Field {
  readonly toX: (budget: number) => number;
  /** The advised line, on which no text may lie. */
  readonly line: readonly (readonly [number, number])[];
  readonly end: number;
  readonly right: number;
  readonly isSmall: boolean;
}

/** What lies to the right of the point until R and T on every row get there; nothing where that is too near or too far. */
function jointOf({ answer, budget, hidden }: ChartOf, point: readonly [number, number] | null, { toX, line, end, right, isSmall }: Field): Reach | null {
  const joint = answer.courses.find(({ key }) => key === "all_joint");
  if (!point || !joint || budget <= 0 || answer.advised === "all_joint" || hidden.includes("all_joint")) return null;
  const { needed } = joint;
  if (needed === null || needed > end) return null;
  const x = toX(needed);
  if (x - point[0] < 26) return null;
  const place = (text: string): Omit<Reach, "x" | "y"> | null => {
    const wide = textWidth(text, 13);
    const isStart = x + wide <= right;
    if (!isStart && x - wide < point[0] + 10) return null;
    const last = isStart ? x + wide : x + 4;
    const lowest = Math.max(point[1], ...line.flatMap(([lineX, lineY], i) => (lineX <= last || (line[i - 1]?.[0] ?? 0) <= last ? [lineY] : [])));
    return { text, textX: isStart ? x - 2 : x + 4, textY: lowest + 22, anchor: isStart ? "start" : "end" };
  };
  // The longest text that fits between the needle and the names, to the right or to the left.
  const texts = isSmall ? [about(needed)] : [`${about(needed)} with R and T on every row`, `R and T: ${about(needed)}`, about(needed)];
  const found = texts.map(place).find((one) => one !== null);
  return found ? { x, y: point[1], ...found } : null;
}

function toldOf({ answer, budget, unit, symbol, isRate }: ChartOf, shown: readonly AllocationCourse[], end: number): string {
  const said = shown.map(({ key, width }) => `${COURSES[key as keyof typeof COURSES].name} ${half(width, isRate)}`).join("; ");
  return `Expected half-width of the interval of ${symbol}, from ${half(answer.now, isRate)} now, along budgets up to ${amount(end)} ${unit}. With ${amount(budget)}: ${said}.`;
}

function tickText(budget: number): string {
  return budget >= 10_000 ? short(budget) : count(Math.round(budget));
}

const STEPS = [1, 2, 2.5, 5, 10];

/** Round numbers from 0 to at least `top`, four or five of them; of rates no finer than a tenth of a point. */
export function upTicks(top: number, isRate: boolean): readonly number[] {
  const least = Math.max(top, isRate ? 1e-3 : 1e-9);
  const raw = least / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = (STEPS.find((one) => one * power >= raw * 0.999) ?? 10) * power;
  const n = Math.ceil(least / step - 1e-9);
  return Array.from({ length: n + 1 }, (_, i) => i * step);
}

/** Places at least `gap` apart, near the wanted ones, within [low, high]. */
export function spread(wanted: readonly number[], gap: number, low: number, high: number): number[] {
  const order = wanted.map((_, i) => i).sort((a, b) => (wanted[a] ?? 0) - (wanted[b] ?? 0));
  const places = order.map((i) => wanted[i] ?? 0);
  for (let round = 0; round < 80; round++) {
    for (let i = 1; i < places.length; i++) {
      const lack = gap - ((places[i] ?? 0) - (places[i - 1] ?? 0));
      if (lack <= 0) continue;
      places[i] = (places[i] ?? 0) + lack / 2;
      places[i - 1] = (places[i - 1] ?? 0) - lack / 2;
    }
  }
  const over = Math.max(0, (places[places.length - 1] ?? 0) - high);
  const shifted = places.map((place) => place - over);
  const under = Math.max(0, low - (shifted[0] ?? low));
  const made: number[] = [];
  order.forEach((i, k) => (made[i] = (shifted[k] ?? 0) + under));
  return made;
}
