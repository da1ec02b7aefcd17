/** One judge: its head, its rates, how far it can be trusted, and what to beware of. */
import { rateKey, sliderKinds } from "../contract/decode-judge.ts";
import type { JudgeIdentity } from "../contract/judge.ts";
import { JUDGED } from "../contract/judge-tables.ts";
import { count } from "../core/format.ts";
import { caseWords, judgeLine, judgeWarnings } from "../core/judge-lines.ts";
import { isBound } from "../engine/judge-samples.ts";
import { HUES, judgeName, predictiveLine, triple } from "../core/judge-words.ts";
import { gapPicture, inShort, ratePicture, stripPicture, type GapPicture, type RatePicture, type StripPicture } from "./judge-rate.ts";
import { systemsPicture, type SystemsPicture } from "./judge-systems.ts";
import { UNDEFINED, type JudgeScene } from "./judge-scene.ts";

export interface JudgeCard {
  readonly key: string;
  readonly letter: string;
  readonly hue: "r" | "a" | "t";
  readonly name: string;
  readonly question: string;
  readonly isOpen: boolean;
  readonly isLeftOut: boolean;
  /** What a folded judge says, or one that is left out. */
  readonly short: string;
  readonly full: string;
  readonly strip: StripPicture;
  /** Rates are made for open judges only. */
  readonly rates: readonly RatePicture[];
  readonly gap: GapPicture | null;
  /** Of an open judge that has more than TPR and FPR: its levels, the best first, or how often it passes in all. */
  readonly levels: readonly LevelPicture[];
  /** What stands over the levels: what they are, what has truth 1, and truth 0. */
  readonly sides: readonly [string, string, string];
  /** Of an open judge whose rates need not be the same in all systems. */
  readonly systems: SystemsPicture | null;
  readonly line: string;
  readonly predicts: string;
  readonly verdicts: string;
  readonly warnings: readonly string[];
}

const STRIP = 120;

/** All judges, in the view's order. */
export function judgeCards(scene: JudgeScene): JudgeCard[] {
  const { view, posture, now, group } = scene;
  return view.judges.map((judge) => {
    const { letter, question } = JUDGED[judge.of];
    const isLeftOut = posture.controls.left_out.includes(judge.key);
    const isOpen = posture.open.includes(judge.key) && !isLeftOut;
    const rates = isOpen ? sliderKinds(judge).map((kind) => ratePicture(scene, judge, kind)) : [];
    const [short, full] = inShort(scene, judge);
    const isTold = isOpen && group.n_rows > 0;
    const measure = now.measures[judge.key];
    const row = group.report.find(({ key }) => key === judge.key);
    return {
      key: judge.key,
      letter,
      hue: HUES[judge.of],
      name: judgeName(judge),
      question,
      isOpen,
      isLeftOut,
      short: isLeftOut ? "left out: its verdicts count nowhere" : short,
      full: isLeftOut ? "" : full,
      strip: stripPicture(scene, judge, STRIP),
      rates,
      levels: isOpen ? levelPictures(scene, judge) : [],
      sides: [judge.levels?.length ? "grade" : "in all", `of 100 ${JUDGED[judge.of].good}`, `of 100 ${JUDGED[judge.of].bad}`],
      gap: isOpen ? gapPicture(scene, judge, rates) : null,
      systems: isOpen ? systemsPicture(scene, judge) : null,
      line: measure && isTold ? judgeLine(triple(measure.youden), measure.agreement.value, measure.kappa.value) : "",
      predicts: measure && isTold ? predictiveLine(judge.of, measure.ppv, measure.npv) : "",
      verdicts: row && isTold ? `${verdicts(row.n_human)} beside a human label, ${count(row.n_only)} alone${row.n_unknown > 0 ? `; on ${count(row.n_unknown)} it cannot tell` : ""}.` : "",
      warnings: isLeftOut ? [] : warningsOf(scene, judge),
    };
  });
}

/** A level of a graded judge, or a pass: how often it is given to what is good, and to what is bad. Without bars it is the case of those below. */
export interface LevelPicture {
  readonly name: string;
  /** What is read out. */
  readonly label: string;
  /** Whether a verdict of this level passes. */
  readonly passes: boolean;
  readonly bars: readonly { readonly share: number; readonly text: string }[];
}

function levelPictures({ now }: JudgeScene, judge: JudgeIdentity): LevelPicture[] {
  const bar = (rate: string) => {
    const estimate = now.rates[rate] ?? UNDEFINED;
    return { share: estimate.value ?? 0, text: estimate.text };
  };
  const { levels = [], key } = judge;
  if (levels.length === 0) {
    if (!judge.emission) return [];
    const { passes } = JUDGED[judge.of];
    return [{ name: passes, label: passes, passes: true, bars: [bar(rateKey("tpr", key)), bar(rateKey("fpr", key))] }];
  }
  const grades = (end: string) =>
    levels
      .map((name, i): LevelPicture => {
        const passes = i >= (judge.cut ?? 1);
        const label = `${name}, ${passes ? "passes" : "fails"}`;
        return { name: passes ? `${name} \u2713` : name, label, passes, bars: [1, 0].map((truth) => bar(`level_${name}_given_${truth}${end}[${key}]`)) };
      })
      .reverse();
  return [...grades(""), ...casesOf(judge).flatMap(([end, name]) => [{ name, label: name, passes: false, bars: [] }, ...grades(`_${end}`)])];
}

/** Cases in which a graded judge grades otherwise, given the same truth, and what they are called. */
function casesOf({ levels, emission }: JudgeIdentity): readonly (readonly [end: string, name: string])[] {
  const start = `split_${levels[levels.length - 1]}_given_`;
  const given = (emission?.kinds ?? []).filter((kind) => kind.startsWith(start)).map((kind) => kind.slice(start.length));
  const ends = new Set(given.filter((name) => /^[01]_/.test(name)).map((name) => name.slice(2)));
  return [...ends].map((end) => [end, caseWords(end)]);
}

function verdicts(n: number): string {
  return n === 1 ? "1 verdict" : `${count(n)} verdicts`;
}

/** What a reader must know beside the sliders. */
function warningsOf({ view, group, now, fit, posture }: JudgeScene, judge: JudgeIdentity): string[] {
  const measure = now.measures[judge.key];
  const rate = (kind: "tpr" | "fpr") => triple(now.rates[rateKey(kind, judge.key)] ?? UNDEFINED);
  if (!measure || group.n_rows === 0) return [];
  const pins = sliderKinds(judge).flatMap((kind) => {
    const key = rateKey(kind, judge.key);
    const [pin, fitted] = [posture.controls.pins?.[key], fit.rate(key)];
    return pin === undefined || fitted?.lower == null || fitted.upper === null ? [] : [[key, pin, fitted.lower, fitted.upper] as const];
  });
  return judgeWarnings({
    of: judge.of,
    n_human: nHuman(group, judge),
    tpr: rate("tpr"),
    fpr: rate("fpr"),
    youden: triple(measure.youden),
    pins,
    is_constrained: isBound(view, judge.key, posture.controls),
  });
}

function nHuman({ report }: JudgeScene["group"], { key }: JudgeIdentity): number {
  return report.find((row) => row.key === key)?.n_human ?? 0;
}
