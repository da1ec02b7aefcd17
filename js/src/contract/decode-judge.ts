/** The border between the languages, for views of judges. */
import { isLevels, isObject, isSame, mismatch, requireKeys } from "./decode.ts";
import type { JudgeControls, JudgeIdentity, JudgeMoves, JudgeView } from "./judge.ts";

const VIEW_KEYS = ["python", "by", "ci_prob", "ci_kind", "seed", "levels", "policy", "judges", "priors", "patterns", "groups", "controls", "moves"];
const GROUP_KEYS = ["label", "n_rows", "counts", "beliefs", "rates", "densities", "report", "worth", "notes", "rows", "errors", "fitted"];

/** A view of judges, checked for its kind, its version and the keys that are read here. */
export function decodeJudge(value: unknown): JudgeView {
  if (!isObject(value) || value["kind"] !== "judge" || value["version"] !== 1) {
    const got = isObject(value) ? { kind: value["kind"], version: value["version"] } : value;
    throw mismatch('a "judge" view, version 1', got);
  }
  requireKeys(value, "the view", VIEW_KEYS);
  const { levels, groups, judges } = value;
  if (!isLevels(levels)) throw mismatch("at least two levels of R by name", levels);
  if (!Array.isArray(judges) || judges.length === 0) throw mismatch("at least one judge", judges);
  judges.forEach((judge: unknown, i) => requireKeys(judge, `judges[${i}]`, ["key", "name", "of", "has_unknown"]));
  const moves = isObject(value["moves"]) ? value["moves"] : {};
  const leftOut: readonly unknown[] = Array.isArray(moves["left_out"]) ? moves["left_out"] : [];
  const cure = isObject(value["cure"]) ? value["cure"] : null;
  if (cure !== null) requireKeys(cure, "cure", ["judges", "priors", "python", "apart"]);
  const shown = moves["cured"] === true && cure !== null ? cure["judges"] : judges;
  const present = (shown as readonly JudgeIdentity[]).filter(({ key }) => !leftOut.includes(key)).flatMap(rateKeys);
  requireKeys(value["priors"], "priors", (judges as readonly JudgeIdentity[]).flatMap(rateKeys));
  if (!Array.isArray(groups) || groups.length === 0) throw mismatch("at least one group", groups);
  groups.forEach((group: unknown, i) => {
    requireKeys(group, `groups[${i}]`, GROUP_KEYS);
    requireKeys(group["beliefs"], `groups[${i}].beliefs`, ["naive", "humans", "joint"]);
    requireKeys(group["rates"], `groups[${i}].rates`, present);
  });
  return value as unknown as JudgeView;
}

export type RateKind = string;

/** The kind of a rate: `tpr` of `tpr[gpt]`. */
export function rateKind(key: string): RateKind {
  return key.slice(0, key.indexOf("["));
}

/** The kinds of rates that a reader moves, in reading order: not the splits of levels, nor of vote patterns. */
export function sliderKinds(judge: Pick<JudgeIdentity, "has_unknown" | "emission" | "levels">): readonly RateKind[] {
  const kinds = judge.emission?.kinds ?? rateKinds(judge);
  return (judge.levels ?? []).length > 0 || kinds.some((kind) => kind.startsWith("pass_given_")) ? [] : kinds;
}

/** The kinds of rates of a judge that has TPR and FPR, and P(cannot tell), and nothing else. */
function rateKinds({ has_unknown }: Pick<JudgeIdentity, "has_unknown">): readonly RateKind[] {
  return has_unknown ? ["tpr", "fpr", "unknown_given_1", "unknown_given_0"] : ["tpr", "fpr"];
}

/** The name of a judge's rate, such as `tpr[gpt]`. */
export function rateKey(kind: RateKind, judge: string): string {
  return `${kind}[${judge}]`;
}

/** The names of all rates of a judge, the parameters. */
export function rateKeys(judge: Pick<JudgeIdentity, "key" | "has_unknown" | "emission">): string[] {
  return (judge.emission?.kinds ?? rateKinds(judge)).map((kind) => `${kind}[${judge.key}]`);
}

/** Nothing is moved. */
export const AS_FITTED: JudgeMoves = { priors: null, pins: null, left_out: [], cured: false };

/** A view with what its cure allows for, where that is on: errors that depend, and systems, by position, that are fitted by themselves. */
export interface ShownView extends JudgeView {
  readonly is_errors?: boolean;
}

const cured = new WeakMap<JudgeView, ShownView>();

/** The view as its judges are taken to err: with those of its cure in place of its own where that is on. */
export function shownView(view: JudgeView, isCured: boolean): ShownView {
  const { cure } = view;
  if (!isCured || !cure) return view;
  const known = cured.get(view) ?? { ...view, judges: cure.judges, priors: cure.priors, apart: cure.apart, is_errors: !isSame(cure.judges, view.judges) };
  cured.set(view, known);
  return known;
}

/** What is moved in the estimates of a view. */
export function movesOf({ moves }: JudgeView): JudgeMoves {
  return moves ?? AS_FITTED;
}

/** A text that is the same for the same moves, in whatever order they were made. */
export function movesText({ priors, pins, left_out, cured = false }: JudgeMoves): string {
  return JSON.stringify([sorted(priors), sorted(pins), [...left_out].sort(), cured]);
}

/** Whether two sets of moves are the same. */
export function sameMoves(a: JudgeMoves, b: JudgeMoves): boolean {
  return movesText(a) === movesText(b);
}

function sorted(of: Readonly<Record<string, unknown>> | null): unknown {
  return Object.entries(of ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}

/** The view's own controls, with the moves that its estimates are under. */
function ownControls(view: JudgeView): JudgeControls {
  const { controls } = view;
  return sameMoves(controls, AS_FITTED) ? { ...controls, ...movesOf(view) } : controls;
}

/** Controls that fit a view: what cannot be read falls back to the view's own, part by part. */
export function decodeJudgeControls(value: unknown, view: JudgeView): JudgeControls {
  const own = ownControls(view);
  const fields = isObject(value) ? value : {};
  const { group, priors, pins, left_out } = fields;
  const exists = (i: unknown): i is number => Number.isInteger(i) && view.groups[i as number] !== undefined;
  const isCured = (typeof fields["cured"] === "boolean" ? fields["cured"] : own.cured) && Boolean(view.cure);
  const rates = shownView(view, isCured).judges.flatMap(rateKeys);
  const of = <T>(given: unknown, fits: (entry: unknown) => entry is T, fallback: Readonly<Record<string, T>> | null) => {
    if (given === null) return null;
    if (!isObject(given) || !Object.entries(given).every(([key, item]) => rates.includes(key) && fits(item))) return fallback;
    return Object.keys(given).length > 0 ? (given as Readonly<Record<string, T>>) : null;
  };
  return {
    group: exists(group) ? group : exists(own.group) ? own.group : 0,
    priors: of(priors, isPrior, own.priors),
    pins: of(pins, isProbability, own.pins),
    left_out: isNames(left_out, view) ? [...left_out] : own.left_out,
    cured: isCured,
  };
}

function isProbability(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 1;
}

function isPrior(value: unknown): value is readonly [number, number] {
  if (!Array.isArray(value) || value.length !== 2) return false;
  const [mean, labels] = value as readonly unknown[];
  return isProbability(mean) && mean > 0 && mean < 1 && typeof labels === "number" && labels > 0 && Number.isFinite(labels);
}

function isNames(value: unknown, { judges }: JudgeView): value is readonly string[] {
  return Array.isArray(value) && value.every((key) => judges.some((judge) => judge.key === key)) && new Set(value).size === value.length;
}
