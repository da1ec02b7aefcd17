/** A leaf: its words, its sign, its query marks and its line of the ledger. */
import type { World } from "../contract/levels.ts";
import type { Estimate } from "../contract/tree.ts";
import { decimal, isRight, percent, short, weightOf } from "../core/format.ts";
import { entry } from "../core/records.ts";
import { charactersIn, leafWords, rowsLine, seenLine, shortened, textWidth } from "../core/words.ts";
import { complement } from "../engine/tree.ts";
import { markPitch, markRow, type MarkRow } from "./marks.ts";
import { isScored, shownInterval, UNKNOWN, type Scene } from "./scene.ts";
import type { Box } from "./tree.ts";

/** Lines that a leaf's words may fill, less what breaking them wastes. */
const WORD_LINES = 1.8;

export interface LeafPicture {
  readonly key: World;
  readonly box: Box | null;
  /** Its words, with a level's name cut where it does not fit, and in full. */
  readonly words: string;
  readonly name: string;
  readonly isGood: boolean;
  /** A weight other than 0 and 1, as the sign shows it; "" otherwise. */
  readonly weight: string;
  readonly row: MarkRow;
  readonly interval: string;
  /** Rows behind the leaf, "" when they would not fit. */
  readonly rows: string;
  /** For hover: the rows in full, and the words where they are cut. */
  readonly help: string;
  readonly task: string;
  readonly policy: string;
  readonly sentence: string;
  readonly signLabel: string;
  readonly signHelp: string;
}

/** The leaves from the top down. */
export function leafPictures(scene: Scene): LeafPicture[] {
  const { shape, group, layout } = scene;
  const pitchWith = (text: (world: World) => string) =>
    Math.min(
      ...shape.leaves.map((world) => {
        const estimate = group.worlds[world] ?? UNKNOWN;
        const behind = leafInterval(scene, world, estimate) + text(world);
        const highest = Math.max(estimate.upper ?? 0, scene.fitted?.group.worlds[world]?.value ?? 0);
        return markPitch(entry(layout.markWidths, world), 8 + textWidth(behind, 11.5), highest);
      }),
    );
  const roomy = pitchWith((world) => ` · ${seenLine(group.labels[world])}`);
  // Marks come first: the rows are left to hover and focus where they would squeeze the marks.
  const showRows = roomy >= 3.6 && group.n_rows > 0;
  const pitch = showRows ? roomy : pitchWith(() => "");
  return shape.leaves.map((world) => leafPicture(scene, world, pitch, showRows));
}

/** What stands behind the marks: the interval of 100 queries, or the share of the step before. */
function leafInterval(scene: Scene, key: World, estimate: Estimate): string {
  if (scene.controls.unit === "queries") return shownInterval(estimate);
  return stepEstimate(scene, key).text;
}

function stepEstimate({ shape, group }: Scene, key: World): Estimate {
  const { parent, isYes } = entry(shape.outcomes, key);
  const branch = group.branches[parent] ?? UNKNOWN;
  return isYes ? branch : complement(branch);
}

function leafPicture(scene: Scene, key: World, pitch: number, showRows: boolean): LeafPicture {
  const { shape, group, fit, layout, weights, kind } = scene;
  const { level } = entry(shape.outcomes, key);
  const whole = entry(scene.whole, key);
  const estimate = group.worlds[key] ?? UNKNOWN;
  const weight = weightOf(weights, key);
  const isGood = isRight(shape, key, weights);
  const step = stepEstimate(scene, key);
  const words = leafWords(shape, key, isGood);
  const room = charactersIn(WORD_LINES * entry(layout.wordWidths, key), 14);
  const shown = shape.isGraded ? shortened(words, level.name, room) : words;
  const rows = rowsLine(group.labels[key]);
  const before = scene.fitted?.group.worlds[key]?.value ?? null;
  const ghost = before === null ? "" : `, in the fit ${percent(before)}`;
  const verdict = weight === 1 ? "right by the policy" : weight === 0 ? "not right by the policy" : `weight ${decimal(weight)}`;
  return {
    key,
    box: layout.leaves?.[key] ?? null,
    words: shown,
    name: words,
    isGood,
    weight: weight === 0 || weight === 1 ? "" : short(weight),
    row: markRow(entry(fit.sortedWorlds, key), estimate.upper ?? 0, pitch, isGood, before),
    interval: leafInterval(scene, key, estimate),
    help: [shown === words ? "" : words, group.n_rows > 0 ? rows : ""].filter((text) => text !== "").join(". "),
    rows: showRows ? seenLine(group.labels[key]) : "",
    task: key === level.right ? String(whole) : "",
    policy: weight === 0 ? "" : !isScored(kind) ? String(whole) : short(100 * weight * (estimate.value ?? 0)),
    sentence:
      `${whole} of 100 queries (${shownInterval(estimate)})${ghost}, ` +
      `${step.text} of the step before; ${verdict}${rows && group.n_rows > 0 ? `; ${rows}` : ""}`,
    signLabel: `${words}: right by the policy`,
    signHelp: `${verdict[0]?.toUpperCase()}${verdict.slice(1)}${rows && group.n_rows > 0 ? `. ${rows}` : ""}. Press to change.`,
  };
}
