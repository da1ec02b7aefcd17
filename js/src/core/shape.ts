/** A tree's shape: its branches and outcomes with their words, its quantities and policies. */
import { keysOf, type Branch, type Keys, type Level, type World } from "../contract/levels.ts";
import { BOTTLENECKS, PARAMETERS, PIN_WORDS, PRESETS, QUANTITIES, STAT_WORDS, STEPS, WORLD_WORDS } from "../contract/tables.ts";
import { levelWords, type LevelWords } from "./level-words.ts";
import { sentenceCase } from "./letters.ts";
import { entry, record, type ByKey } from "./records.ts";

/** What a branch asks of the queries that reach it. */
export interface Step {
  readonly key: Branch;
  readonly letter: "R" | "A" | "T";
  /** 0 for R, 1 for A, 2 for T. */
  readonly depth: number;
  readonly title: string;
  /** What is counted: the words before the number, and those behind it. */
  readonly asks: string;
  readonly tail: string;
  readonly pin: string;
  /** The name of the level that these words hold; "" where they hold none. */
  readonly level: string;
  /** The leaves below. */
  readonly below: readonly World[];
}

/** A leaf: the branch it hangs on, whether it is its "yes", its words. */
export interface Outcome {
  readonly key: World;
  readonly level: Level;
  readonly parent: Branch;
  readonly isYes: boolean;
  readonly words: string;
  /** The words where the policy does not call it right. */
  readonly otherwise: string;
}

export interface Quantity {
  readonly key: string;
  readonly symbol: string;
  readonly label: string;
  readonly numerator: readonly World[];
  readonly denominator: readonly World[];
  readonly about: "retrieval" | "abstention" | "task" | "policy";
  readonly caution: string;
}

/** A number above the tree; the policy's is the fourth. */
export interface Stat {
  readonly key: string;
  /** The name of the level that its words hold; "" where they hold none. */
  readonly level: string;
  readonly hue: "r" | "a" | "t";
  readonly name: string;
  readonly symbol: string;
}

/** What most of the unserved users lack, with the worlds it covers. */
export interface Bottleneck {
  readonly lead: string;
  readonly worlds: readonly World[];
  readonly text: (n: number) => string;
}

export interface Shape extends Keys {
  readonly steps: ByKey<Step>;
  readonly outcomes: ByKey<Outcome>;
  readonly quantities: readonly Quantity[];
  readonly stats: readonly Stat[];
  readonly presets: ByKey<ByKey<number>>;
  readonly bottlenecks: readonly Bottleneck[];
  /** What the right answers have that T and G share, and what the others of T are without. */
  readonly shared: string;
  readonly less: string;
}

const known = new WeakMap<readonly string[], Shape>();

/** The shape of a tree whose R has these levels, lowest first. */
export function shapeOf(levels: readonly string[]): Shape {
  const made = known.get(levels) ?? makeShape(keysOf(levels));
  known.set(levels, made);
  return made;
}

/** The quantity with this key; undefined when the tables have none. */
export function findQuantity({ quantities }: Shape, key: string): Quantity | undefined {
  return quantities.find((quantity) => quantity.key === key);
}

/** Worlds of the two-level tree among more levels: the top one is the hit, each below it a miss. */
export function expand({ levels, top, worlds }: Keys, ofTwo: readonly string[]): World[] {
  const wanted = ofTwo.flatMap((world) => {
    const outcome = world.slice(world.lastIndexOf("_") + 1) as "right" | "wrong" | "abstained";
    return (world.startsWith("hit") ? [top] : levels.filter((level) => level !== top)).map((level) => level[outcome]);
  });
  return worlds.filter((world) => wanted.includes(world));
}

/** The weights of every preset policy, by its name. */
export function presetsOf(keys: Keys): ByKey<ByKey<number>> {
  return record(Object.keys(PRESETS), (name) => preset(keys, PRESETS[name as keyof typeof PRESETS]));
}

function makeShape(keys: Keys): Shape {
  const names = keys.levels.map(({ name }) => name);
  const words = new Map(keys.levels.map((level) => [level, levelWords(names, level.name)]));
  const wordsOf = (level: Level) => words.get(level) ?? levelWords(names, level.name);
  const top = wordsOf(keys.top);
  const steps = keys.isGraded ? keys.levels.flatMap((level) => gradedSteps(level, wordsOf(level))) : binarySteps(keys);
  const outcomes = keys.levels.flatMap((level) => outcomesOf(keys, level, wordsOf(level)));
  return {
    ...keys,
    steps: record(keys.reading, (key) => steps.find((step) => step.key === key) as Step),
    outcomes: record(keys.leaves, (key) => outcomes.find((outcome) => outcome.key === key) as Outcome),
    quantities: keys.isGraded ? gradedQuantities(keys) : QUANTITIES,
    stats: statsOf(keys, top),
    presets: presetsOf(keys),
    bottlenecks: BOTTLENECKS.map(({ lead, worlds, text }, i) => ({
      lead,
      worlds: expand(keys, worlds),
      text: (n) => (keys.isGraded ? (gradedLosses(top, n)[i] ?? "") : text.replace("{n}", String(n))),
    })),
    shared: keys.isGraded ? `with ${top.phrase}` : "with evidence",
    less: keys.isGraded ? "with less" : "without evidence",
  };
}

function belowOf({ right, wrong, abstained }: Level): World[] {
  return [right, wrong, abstained];
}

function binarySteps({ levels, leaves }: Keys): Step[] {
  const step = (key: Branch, depth: number, below: readonly World[]): Step => {
    const { letter, title, asks } = STEPS[key as keyof typeof STEPS];
    return { key, letter, depth, title, asks, tail: "", pin: PIN_WORDS[key as keyof typeof PIN_WORDS], level: "", below };
  };
  return levels.flatMap((level) => [
    step(level.retrieval, 0, leaves),
    step(level.abstain, 1, belowOf(level)),
    step(level.correct, 2, [level.right, level.wrong]),
  ]);
}

function gradedSteps(level: Level, { phrase, pin }: LevelWords): Step[] {
  const below = belowOf(level);
  const { name } = level;
  return [
    { key: level.retrieval, letter: "R", depth: 0, title: sentenceCase(phrase), asks: "in", tail: " of 100 queries", pin, level: name, below },
    { key: level.abstain, letter: "A", depth: 1, title: `With ${phrase}`, asks: "declines", tail: "", pin: `declines with ${phrase}`, level: name, below },
    { key: level.correct, letter: "T", depth: 2, title: "Answers", asks: "right in", tail: "", pin: `right when answering with ${phrase}`, level: name, below: [level.right, level.wrong] },
  ];
}

function outcomesOf({ isGraded }: Keys, level: Level, { phrase }: LevelWords): Outcome[] {
  const outcome = (key: World, parent: Branch, isYes: boolean, said: string): Outcome => {
    const words: string = isGraded ? `${phrase}, ${said}` : WORLD_WORDS[key as keyof typeof WORLD_WORDS];
    return { key, level, parent, isYes, words, otherwise: isGraded ? `${phrase}, ${said.replace("rightly ", "")}` : words.replace("rightly ", "") };
  };
  return [
    outcome(level.right, level.correct, true, "right"),
    outcome(level.wrong, level.correct, false, "answered wrong"),
    outcome(level.abstained, level.abstain, true, "rightly declined"),
  ];
}

function statsOf({ isGraded, top }: Keys, { phrase }: LevelWords): Stat[] {
  const hues = { retrieval_success: "r", abstention: "a", task_success: "t" } as const;
  const [first, ...others] = Object.entries(STAT_WORDS).map(([key, words]) => ({ key, level: "", hue: hues[key as keyof typeof hues], ...words }));
  if (!first || !isGraded) return [...(first ? [first] : []), ...others];
  return [{ key: top.retrieval, level: top.name, hue: "r", name: sentenceCase(phrase), symbol: `P(R=${top.name})` }, ...others];
}

function preset(keys: Keys, weights: Readonly<Record<string, number>>): ByKey<number> {
  const good = expand(keys, Object.keys(weights).filter((world) => weights[world] === 1));
  return record(keys.worlds, (world) => (good.includes(world) ? 1 : 0));
}

/** One for each branch, then those of two levels beyond their branches. */
function gradedQuantities(keys: Keys): Quantity[] {
  const { levels, top } = keys;
  const symbolOf = (symbol: string) => symbol.replace("R=1", () => `R=${top.name}`).replace("R=0", () => `R below ${top.name}`);
  const rest = QUANTITIES.slice(PARAMETERS.length);
  return [
    ...levels.map((level) => levelQuantities(level).retrieval),
    ...levels.map((level) => levelQuantities(level).abstain),
    ...levels.map((level) => levelQuantities(level).correct),
    ...rest.map((quantity) => ({
      ...quantity,
      symbol: symbolOf(quantity.symbol),
      numerator: expand(keys, quantity.numerator),
      denominator: expand(keys, quantity.denominator),
    })),
  ];
}

/** The three probabilities of a level. */
function levelQuantities(level: Level): Readonly<Record<"retrieval" | "abstain" | "correct", Quantity>> {
  const { name, right, wrong, abstained } = level;
  const all = [abstained, wrong, right];
  const caution = "";
  return {
    retrieval: { key: level.retrieval, symbol: `P(R=${name})`, label: `retrieval is ${name}`, numerator: all, denominator: [], about: "retrieval", caution },
    abstain: { key: level.abstain, symbol: `P(A=1 | R=${name})`, label: `declines when retrieval is ${name}`, numerator: [abstained], denominator: all, about: "abstention", caution },
    correct: { key: level.correct, symbol: `P(T=1 | A=0, R=${name})`, label: `right when answering and retrieval is ${name}`, numerator: [right], denominator: [wrong, right], about: "task", caution },
  };
}

/** What is lost to retrieval, to answering and to caution, in the order of `BOTTLENECKS`. */
function gradedLosses({ phrase, aim }: LevelWords, n: number): string[] {
  return [
    `in ${n} of 100 queries retrieval fell short of ${aim}.`,
    `${n} of 100 queries had ${phrase} and still got a wrong answer.`,
    `${n} of 100 queries had ${phrase} and were declined all the same.`,
  ];
}

/** The branches on the way to a leaf or a branch, itself included, from the root. */
export function wayTo({ reading, steps }: Shape, below: readonly World[], depth: number): Branch[] {
  return reading.filter((key) => {
    const step = entry(steps, key);
    return step.depth <= depth && below.every((world) => step.below.includes(world));
  });
}
