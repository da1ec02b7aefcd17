/** Everything a tree shows, as texts and pixels: view, controls, fit and width in, no DOM. */
import { LEAVES, PIN_WORDS, QUANTITIES, STAT_WORDS, type Parameter, type World } from "../contract/tables.ts";
import type { Estimate, Note, TreeControls, TreeGroup, TreeView } from "../contract/tree.ts";
import {
  cents,
  decimal,
  EN_DASH,
  interval,
  isPinned,
  isRight,
  of100,
  percent,
  points,
  policyKind,
  short,
  weightOf,
  type PolicyKind,
  type Weights,
} from "../core/format.ts";
import { roundHalfUp } from "../core/numbers.ts";
import { literal, withArgument } from "../core/python-call.ts";
import { deck, headline, plain, whatIfDeck, type Segment, type Triple } from "../core/sentence.ts";
import {
  BRANCHES,
  labelLine,
  leafWords,
  ledgerName,
  NODES,
  PARENT,
  pointsWide,
  policyName,
  rowsLine,
  seenLine,
  textWidth,
  undefinedReason,
  VAGUE_POINTS,
} from "../core/words.ts";
import { findQuantity } from "../engine/quantities.ts";
import {
  answerPolicy,
  complement,
  pinGroup,
  policyValue,
  samePolicy,
  STATS,
  type Fit,
  type Pins,
  type PolicyAnswer,
  type Stat,
} from "../engine/tree.ts";
import { branchPlot, type BranchPlot } from "./branch.ts";
import { markPitch, markRow, type MarkRow } from "./marks.ts";
import { statPlot, type StatPlot } from "./stat.ts";
import { treeLayout, type Box, type TreeLayout } from "./tree.ts";

export interface StatPicture {
  readonly key: Stat;
  readonly hue: "r" | "a" | "t" | "good";
  readonly name: string;
  readonly symbol: string;
  readonly value: string;
  readonly interval: string;
  /** Signed difference from the fitted policy; "" while that policy is on. */
  readonly delta: string;
  readonly isVague: boolean;
  /** A what-if is on: the dots are not the fit's. */
  readonly isMoved: boolean;
  readonly sentence: string;
  readonly plot: StatPlot;
}

export interface BranchPicture {
  readonly key: Parameter;
  readonly hue: "r" | "a" | "t";
  readonly box: Box | null;
  readonly title: string;
  readonly question: string;
  readonly answer: string;
  readonly value: string;
  readonly interval: string;
  readonly isVague: boolean;
  /** Label counts, "" when they would not fit. */
  readonly labels: string;
  /** The same for hover, "" where they are shown anyway. */
  readonly labelsHelp: string;
  readonly sentence: string;
  readonly slider: SliderPicture;
  readonly plot: BranchPlot;
}

export interface SliderPicture {
  readonly isPinned: boolean;
  /** Where the needle stands, 0 to 1. */
  readonly at: number;
  /** What the box beside it shows, without the sign; an en dash when undefined. */
  readonly box: string;
  readonly unit: string;
  readonly label: string;
  /** The value as a sentence. */
  readonly told: string;
}

export interface LeafPicture {
  readonly key: World;
  readonly box: Box | null;
  readonly words: string;
  readonly isGood: boolean;
  /** A weight other than 0 and 1, as the sign shows it; "" otherwise. */
  readonly weight: string;
  readonly row: MarkRow;
  readonly interval: string;
  /** Rows behind the leaf, "" when they would not fit. */
  readonly rows: string;
  /** The same in full, for hover. */
  readonly rowsHelp: string;
  readonly task: string;
  readonly policy: string;
  readonly sentence: string;
  readonly signLabel: string;
  readonly signHelp: string;
}

export interface QuantityRow {
  readonly key: string;
  readonly label: string;
  readonly symbol: string;
  readonly text: string;
  readonly caution: string;
}

export interface TreePicture {
  readonly layout: TreeLayout;
  readonly group: number;
  readonly unit: TreeControls["unit"];
  readonly isPrior: boolean;
  readonly headline: readonly Segment[];
  readonly deck: readonly Segment[];
  readonly notes: readonly Note[];
  readonly stats: readonly StatPicture[];
  readonly branches: readonly BranchPicture[];
  readonly leaves: readonly LeafPicture[];
  readonly legend: string;
  readonly ledger: string;
  readonly totals: {
    readonly task: string;
    readonly of: string;
    readonly taskInterval: string;
    readonly taskDelta: string;
    readonly policy: string;
    readonly policyInterval: string;
    readonly delta: string;
  };
  readonly policyHelp: string;
  readonly isChanged: boolean;
  readonly isWhatIf: boolean;
  readonly quantities: readonly QuantityRow[];
  readonly rows: string;
  readonly sentence: string;
  readonly python: string;
}

/** The policy under the controls: the reader's own, or the view's. */
export function policyOf(view: TreeView, controls: TreeControls): Weights {
  return controls.policy ?? view.policy.weights;
}

const UNKNOWN: Estimate = { value: null, lower: null, upper: null, text: EN_DASH };

/** The number of an estimate; 0% and 100% only where that was set. */
function shownValue(estimate: Estimate): string {
  return isPinned(estimate) ? (estimate.text.split(" ")[0] ?? "") : percent(estimate.value);
}

/** The interval of an estimate, or that it does not vary. */
function shownInterval(estimate: Estimate): string {
  return isPinned(estimate) ? "pinned" : interval(estimate.lower, estimate.upper);
}

function sentenceCase(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function triple({ value, lower, upper }: Estimate): Triple {
  return [value ?? 0, lower ?? 0, upper ?? 0];
}

interface Scene {
  readonly view: TreeView;
  /** The group as it is shown: under the pins where there are some. */
  readonly group: TreeGroup;
  /** The group as it was fitted, and the value of the policy there; null without a what-if. */
  readonly fitted: { readonly group: TreeGroup; readonly policy: number | null } | null;
  readonly controls: TreeControls;
  readonly fit: Fit;
  readonly layout: TreeLayout;
  readonly weights: Weights;
  readonly kind: PolicyKind;
  readonly isChanged: boolean;
  readonly answer: PolicyAnswer;
  readonly whole: Readonly<Record<World, number>>;
}

/** The picture of the group that the controls choose. */
export function treePicture(view: TreeView, controls: TreeControls, asFitted: Fit, width: number): TreePicture {
  const own = view.groups[controls.group];
  if (!own) throw new Error(`Expected a group from 0 to ${view.groups.length - 1}; got ${controls.group}.`);
  const weights = policyOf(view, controls);
  const { pins } = controls;
  const [group, fit] = pins === null ? [own, asFitted] : pinGroup(view, own, asFitted, pins);
  const means = Object.fromEntries(LEAVES.map((world) => [world, group.worlds[world]?.value ?? 0]));
  const answer = answerPolicy(view, group, fit, weights);
  const kind = policyKind(weights);
  const scene: Scene = {
    view,
    group,
    fitted: pins === null ? null : { group: own, policy: policyValue(view, own, weights) },
    controls,
    fit,
    layout: treeLayout(width, kind === "weights" || kind === "utility" ? "scores" : "counts"),
    weights,
    kind,
    isChanged: !samePolicy(weights, view.policy.weights),
    answer,
    whole: of100(means, weights),
  };
  const said = { n_rows: group.n_rows, n_joint: group.n_joint, worlds: means, policy: triple(answer.estimate), weights };
  const task = triple(group.quantities["task_success"] ?? UNKNOWN);
  const finding = headline({ ...said, task, is_whatif: pins !== null });
  const stats = [...STATS.map((key) => rateStat(scene, key)), policyStat(scene)];
  return {
    layout: scene.layout,
    group: controls.group,
    unit: controls.unit,
    isPrior: group.n_rows === 0,
    headline: finding,
    deck: pins === null ? deck(said) : whatIf(scene, pins),
    notes: group.notes,
    stats,
    branches: BRANCHES.map((branch) => branchPicture(scene, branch)),
    leaves: leafPictures(scene),
    legend:
      pins !== null
        ? "Each mark is 1 of 100 queries, what if; △ where the fit ends"
        : controls.unit === "step"
        ? "Each mark is 1 of 100 queries; the number behind is the share of the step before"
        : "Each mark is 1 of 100 queries; a fading mark is one we are less sure of",
    ledger: ledgerName(scene.kind),
    totals: totals(scene),
    policyHelp: scene.isChanged
      ? `You changed the policy${pins === null && stats[3]?.delta ? `: ${stats[3].delta} against the fitted one` : ""}.`
      : "A sign says what the policy makes of an outcome. Press one to change it.",
    isChanged: scene.isChanged,
    isWhatIf: pins !== null,
    quantities: quantityRows(scene),
    rows: group.rows,
    sentence: view.groups.length > 1 ? `${group.label}: ${plain(finding)}` : plain(finding),
    python: pythonCall(view, controls, scene.isChanged),
  };
}

function whatIf({ group, fitted, answer, weights }: Scene, pins: Pins): readonly Segment[] {
  const before = (fitted?.group ?? group).branches;
  return whatIfDeck({
    pins,
    branches: Object.fromEntries(BRANCHES.map((key) => [key, before[key]?.value ?? 0])),
    task: [group.quantities["task_success"]?.value ?? 0, fitted?.group.quantities["task_success"]?.value ?? 0],
    policy: [answer.estimate.value ?? 0, fitted?.policy ?? 0],
    weights,
  });
}

function rateStat({ group, fitted, fit, layout }: Scene, key: (typeof STATS)[number]): StatPicture {
  const { name, symbol } = STAT_WORDS[key];
  const hues = { retrieval_success: "r", abstention: "a", task_success: "t" } as const;
  const estimate = group.quantities[key] ?? group.branches[key] ?? UNKNOWN;
  const before = fitted && (fitted.group.quantities[key] ?? fitted.group.branches[key] ?? UNKNOWN).value;
  return {
    key,
    hue: hues[key],
    name,
    symbol,
    value: shownValue(estimate),
    interval: shownInterval(estimate),
    delta: before === null || before === estimate.value ? "" : points(estimate.value ?? 0, before),
    isMoved: before !== null && before !== estimate.value,
    isVague: group.n_rows === 0 || pointsWide(estimate) > VAGUE_POINTS,
    sentence: `${name}: ${estimate.text}`,
    plot: statPlot(estimate.value === null ? new Float64Array() : fit.sortedStats[key], [0, 1], before === estimate.value ? null : before, layout.statWidth),
  };
}

function policyStat(scene: Scene): StatPicture {
  const { group, layout, kind, answer, weights } = scene;
  const { estimate, sorted } = answer;
  const isUtility = kind === "utility";
  const all = LEAVES.map((world) => weightOf(weights, world));
  const domain = isUtility ? ([Math.min(...all), Math.max(...all)] as const) : ([0, 1] as const);
  const fitted = fittedPolicy(scene);
  return {
    key: "policy_adherence",
    hue: "good",
    name: policyName(kind),
    symbol: kind === "weights" || kind === "utility" ? "mean" : "P(G)",
    isMoved: scene.fitted !== null && fitted !== estimate.value,
    value: isUtility && estimate.value !== null ? decimal(estimate.value) : shownValue(estimate),
    interval:
      isUtility && estimate.lower !== null && estimate.upper !== null
        ? `${decimal(estimate.lower)} to ${decimal(estimate.upper)}`
        : shownInterval(estimate),
    delta: fitted === null ? "" : difference(estimate.value ?? 0, fitted, isUtility),
    isVague: group.n_rows === 0 || pointsWide(estimate) > VAGUE_POINTS * (domain[1] - domain[0]),
    sentence: `${policyName(kind)}: ${estimate.text}`,
    plot: statPlot(sorted, domain, fitted, layout.statWidth),
  };
}

/** Value in the fit, or of the fitted policy, where what is shown can be compared with it. */
function fittedPolicy({ view, group, fitted, kind, isChanged }: Scene): number | null {
  if (fitted !== null) return fitted.policy;
  const wasUtility = policyKind(view.policy.weights) === "utility";
  const isComparable = isChanged && wasUtility === (kind === "utility");
  return isComparable ? (group.quantities["policy_adherence"]?.value ?? null) : null;
}

function difference(now: number, before: number, isUtility: boolean): string {
  return isUtility ? cents(now, before) : points(now, before);
}

function signedShort(difference: number): string {
  const text = short(difference);
  return difference > 0 && text !== "0" ? `+${text}` : text === "0" ? "±0" : text;
}

/** Queries of 100 that reach each branch, and those that take its "yes". */
function reach(whole: Scene["whole"]): Readonly<Record<Parameter, readonly [of: number, yes: number]>> {
  const hit = whole.hit_right + whole.hit_wrong + whole.hit_abstained;
  const miss = 100 - hit;
  return {
    retrieval_success: [100, hit],
    abstain_given_hit: [hit, whole.hit_abstained],
    abstain_given_miss: [miss, whole.miss_abstained],
    correct_given_hit: [hit - whole.hit_abstained, whole.hit_right],
    correct_given_miss: [miss - whole.miss_abstained, whole.miss_right],
  };
}

function branchPicture({ group, fitted, fit, layout, controls, whole }: Scene, key: Parameter): BranchPicture {
  const estimate = group.branches[key] ?? UNKNOWN;
  const before = (fitted?.group ?? group).branches[key]?.value ?? null;
  const pin = controls.pins?.[key];
  const isUndefined = estimate.value === null;
  const { title, asks, letter } = NODES[key];
  const [of, yes] = reach(whole)[key];
  const isStep = controls.unit === "step";
  const lead = key === "retrieval_success" ? "" : isStep ? "of 100 such, " : `of ${of}, `;
  const answer = isStep ? (estimate.value === null ? EN_DASH : String(roundHalfUp(100 * estimate.value))) : String(yes);
  const labels = group.labels[key];
  const line = labelLine(letter, labels);
  const width = layout.plotWidths[key];
  const isPrior = group.n_rows === 0;
  const fits = line !== "" && textWidth(line, 11.5) <= 2 * width;
  const reason = estimate.value === null ? undefinedReason(findQuantity(key)?.symbol ?? "") : `${estimate.text}`;
  return {
    key,
    hue: ({ R: "r", A: "a", T: "t" } as const)[letter],
    box: layout.branches?.[key] ?? null,
    title,
    question: `${lead}${asks}\u00a0`,
    answer,
    value: shownValue(estimate),
    interval: isUndefined ? "no query gets here" : pin === undefined ? shownInterval(estimate) : `fit ${percent(before)}`,
    isVague: isPrior || pointsWide(estimate) > VAGUE_POINTS,
    labels: fits && !isPrior ? line : "",
    labelsHelp: fits || isPrior ? "" : line,
    slider: {
      isPinned: pin !== undefined,
      at: pin ?? before ?? 0.5,
      box: isUndefined ? EN_DASH : shownValue(estimate).replace("%", ""),
      unit: isUndefined ? "" : "%",
      label: sentenceCase(PIN_WORDS[key]),
      told: `${shownValue(estimate)}, ${isUndefined ? reason : `${lead}${asks} ${answer}`}${pin === undefined ? "" : `; what if, the fit has ${percent(before)}`}`,
    },
    sentence: `${title}, ${lead}${asks} ${answer}. ${reason}.${line && !isPrior ? ` ${line}.` : ""}`,
    plot: branchPlot(
      {
        curve: fit.curves[key],
        prior: (labels?.labelled ?? 0) <= 12 ? fit.priors[key] : null,
        sorted: fit.sortedBranches[key],
        fitted: pin === undefined ? null : before,
        isPrior,
      },
      width,
    ),
  };
}

function leafPictures(scene: Scene): LeafPicture[] {
  const { group, layout } = scene;
  const pitchWith = (text: (world: World) => string) =>
    Math.min(
      ...LEAVES.map((world) => {
        const estimate = group.worlds[world] ?? UNKNOWN;
        const behind = leafInterval(scene, world, estimate) + text(world);
        const highest = Math.max(estimate.upper ?? 0, scene.fitted?.group.worlds[world]?.value ?? 0);
        return markPitch(layout.markWidths[world], 8 + textWidth(behind, 11.5), highest);
      }),
    );
  const roomy = pitchWith((world) => ` · ${seenLine(group.labels[world])}`);
  // Marks come first: the rows are left to hover and focus where they would squeeze the marks.
  const showRows = roomy >= 3.6 && group.n_rows > 0;
  const pitch = showRows ? roomy : pitchWith(() => "");
  return LEAVES.map((world) => leafPicture(scene, world, pitch, showRows));
}

/** What stands behind the marks: the interval of 100 queries, or the share of the step before. */
function leafInterval({ group, controls }: Scene, key: World, estimate: Estimate): string {
  if (controls.unit === "queries") return shownInterval(estimate);
  return stepEstimate(group, key).text;
}

function stepEstimate(group: TreeGroup, key: World): Estimate {
  const [parent, yes] = PARENT[key];
  const branch = group.branches[parent] ?? UNKNOWN;
  return yes ? branch : complement(branch);
}

function leafPicture(scene: Scene, key: World, pitch: number, showRows: boolean): LeafPicture {
  const { group, fit, layout, weights, kind, whole } = scene;
  const estimate = group.worlds[key] ?? UNKNOWN;
  const weight = weightOf(weights, key);
  const isGood = isRight(key, weights);
  const isWhole = kind !== "weights" && kind !== "utility";
  const step = stepEstimate(group, key);
  const words = leafWords(key, isGood);
  const rows = rowsLine(group.labels[key]);
  const before = scene.fitted?.group.worlds[key]?.value ?? null;
  const ghost = before === null ? "" : `, in the fit ${percent(before)}`;
  const verdict = weight === 1 ? "right by the policy" : weight === 0 ? "not right by the policy" : `weight ${decimal(weight)}`;
  return {
    key,
    box: layout.leaves?.[key] ?? null,
    words,
    isGood,
    weight: weight === 0 || weight === 1 ? "" : short(weight),
    row: markRow(fit.sortedWorlds[key], estimate.upper ?? 0, pitch, isGood, scene.fitted?.group.worlds[key]?.value ?? null),
    interval: leafInterval(scene, key, estimate),
    rowsHelp: group.n_rows > 0 ? rows : "",
    rows: showRows ? seenLine(group.labels[key]) : "",
    task: key.endsWith("right") ? String(whole[key]) : "",
    policy: weight === 0 ? "" : isWhole ? String(whole[key]) : short(100 * weight * (estimate.value ?? 0)),
    sentence:
      `${whole[key]} of 100 queries (${shownInterval(estimate)})${ghost}, ` +
      `${step.text} of the step before; ${verdict}${rows && group.n_rows > 0 ? `; ${rows}` : ""}`,
    signLabel: `${words}: right by the policy`,
    signHelp: `${verdict[0]?.toUpperCase()}${verdict.slice(1)}${rows && group.n_rows > 0 ? `. ${rows}` : ""}. Press to change.`,
  };
}

function totals(scene: Scene): TreePicture["totals"] {
  const { group, kind, weights, answer, whole } = scene;
  const fitted = fittedPolicy(scene);
  const task = group.quantities["task_success"] ?? UNKNOWN;
  const before = scene.fitted?.group.quantities["task_success"]?.value ?? null;
  const { estimate } = answer;
  const isWhole = kind !== "weights" && kind !== "utility";
  const sum = LEAVES.reduce((total, world) => total + weightOf(weights, world) * whole[world], 0);
  const [lower, upper] = [estimate.lower ?? 0, estimate.upper ?? 0];
  const inThousands = kind === "utility" && Math.max(...[lower, upper].map(Math.abs)) >= 10;
  return {
    task: String(whole.hit_right + whole.miss_right),
    of: scene.fitted === null ? "Of 100 queries" : "Of 100 queries, what if",
    taskInterval: shownInterval(task),
    taskDelta: before === null ? "" : points(task.value ?? 0, before),
    policy: isWhole ? String(sum) : short(100 * (estimate.value ?? 0)),
    policyInterval: inThousands ? `${short(100 * lower)} to ${short(100 * upper)}` : isPinned(estimate) ? shownInterval(estimate) : interval(lower, upper),
    // The ledger counts queries of 100, also where the policy is a utility.
    delta: fitted === null ? "" : inThousands ? signedShort(100 * ((estimate.value ?? 0) - fitted)) : difference(estimate.value ?? 0, fitted, false),
  };
}

function quantityRows({ group, kind, answer }: Scene): QuantityRow[] {
  const known = QUANTITIES.map(({ key }) => key as string);
  const given = { ...group.branches, ...group.quantities };
  const keys = [...known.filter((key) => key in given), ...Object.keys(given).filter((key) => !known.includes(key))];
  return keys.map((key) => {
    const quantity = findQuantity(key);
    const isPolicy = key === "policy_adherence";
    const estimate = isPolicy ? answer.estimate : (given[key] ?? UNKNOWN);
    const symbol = isPolicy && (kind === "weights" || kind === "utility") ? "mean weight" : (quantity?.symbol ?? "");
    return {
      key,
      label: isPolicy ? policyName(kind).toLowerCase() : (quantity?.label ?? key),
      symbol,
      text: estimate.value === null ? `${EN_DASH} (${undefinedReason(symbol)})` : estimate.text,
      caution: quantity?.caution ?? "",
    };
  });
}

function pythonCall(view: TreeView, controls: TreeControls, isChanged: boolean): string {
  let call = view.python;
  if (isChanged && controls.policy !== null) call = withArgument(call, "policy", literal(controls.policy));
  const moved = {
    ...(controls.group !== 0 ? { group: controls.group } : {}),
    ...(controls.unit !== "queries" ? { unit: controls.unit } : {}),
    ...(controls.pins !== null ? { pins: controls.pins } : {}),
  };
  if (Object.keys(moved).length > 0) call = withArgument(call, "controls", literal(moved));
  return `${call})`;
}
