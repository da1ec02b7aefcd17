/**
 * What a plan advises: the same sentences as `views/allocation_sentences.py`;
 * `tests/golden/allocation.json` holds vectors for both.
 */
import { COURSES, OPTIMAL } from "../contract/allocation-tables.ts";
import { about, amount, half, kindWords } from "./allocation-words.ts";
import { pinPercent } from "./format.ts";
import { sentenceCase } from "./letters.ts";
import { roundHalfUp } from "./numbers.ts";
import type { Role, Segment } from "./sentence.ts";

/** A part of the best mix: so many rows of a kind, what is bought there, of the spending. */
export interface Piece {
  readonly rows: string;
  readonly buy: string;
  readonly share: number;
  readonly n_rows: number;
}

/** What the sentences are made of; see `views/allocation_sentences.py`. */
export interface Advice {
  readonly course: string | null;
  readonly pieces: readonly Piece[];
  readonly budget: number;
  readonly spent: number;
  readonly unit: string;
  readonly symbol: string;
  readonly role: string;
  readonly is_rate: boolean;
  readonly now: number;
  readonly width: number;
  readonly joint_width: number;
  readonly joint_needed: number | null;
  readonly spread: readonly [number, number] | null;
  readonly pool: string;
}

const MOST_PIECES = 3;
const AS_MANY = 0.005;

/** What to do, and what it brings. */
export function allocationHeadline(of: Advice): Segment[] {
  if (of.course === null) return [["Every plan is switched off: switch one on to compare.", ""]];
  const [now, then] = [half(of.now, of.is_rate), half(of.width, of.is_rate)];
  const points = of.is_rate ? " points" : "";
  const role = of.role as Role;
  if (of.budget <= 0) return [["Without more labels ", ""], [`${of.symbol} stays at ${now}${points}`, role], [".", ""]];
  const does = doesOf(of);
  return [
    [`${sentenceCase(does)}: ${isSpent(of) ? amount(of.budget) : about(of.spent)} more ${of.unit} bring `, ""],
    [`${of.symbol} from ${now} to ${then}${points}`, role],
    [`${jointOf(of)}.`, ""],
  ];
}

/** Whether the whole budget can be spent. */
function isSpent({ spent, budget }: Advice): boolean {
  return spent >= (1 - AS_MANY) * budget;
}

function jointOf({ course, joint_needed, spent }: Advice): string {
  if (course === "all_joint") return "";
  if (joint_needed === null) return "; R and T on every row never get there";
  if (joint_needed < (1 + AS_MANY) * spent) return "; R and T on every row need no more";
  return `; R and T on every row would need ${about(joint_needed)}`;
}

function doesOf({ course, pieces }: Advice): string {
  if (course !== OPTIMAL) return COURSES[course as keyof typeof COURSES].does;
  const said = pieces.filter(({ n_rows }) => roundHalfUp(n_rows) >= 1).map(mixLine);
  if (said.length === 0) return "label what the mix below says";
  if (said.length <= MOST_PIECES) return `label ${joined(said)}`;
  const rest = `${said.length - MOST_PIECES + 1} smaller purchases`;
  return `label ${joined([...said.slice(0, MOST_PIECES - 1), rest])}`;
}

/** One part of the mix: "R, then T where R=1, on 300 rows that answered". */
export function mixLine({ rows, buy, n_rows }: Piece): string {
  const n = roundHalfUp(n_rows) === 1 ? "1 row" : `${about(n_rows)} rows`;
  return `${buy}${buy.includes(", then") ? "," : ""} on ${n}${kindWords(rows).slice("rows".length)}`;
}

function joined(parts: readonly string[]): string {
  return parts.length === 1 ? (parts[0] ?? "") : `${parts.slice(0, -1).join(", ")}, and ${parts[parts.length - 1]}`;
}

/** What it saves, how sure that is, and which rows it is about. */
export function allocationDeck(of: Advice): Segment[] {
  const { course, budget, joint_needed, spread } = of;
  const pool: Segment = [of.pool, ""];
  if (course === null || budget <= 0) return [pool];
  const said: Segment[] = [];
  if (course !== "all_joint") {
    said.push([`R and T on every row reach ${half(of.joint_width, of.is_rate)} with this budget`, ""]);
    if (joint_needed !== null && joint_needed >= (1 + AS_MANY) * of.spent) {
      said.push(["; ", ""], [`this saves ${pinPercent(roundHalfUp(100 * (1 - of.spent / joint_needed)) / 100)}`, "strong"]);
    }
    said.push([". ", ""]);
  }
  if (spread !== null) {
    const [low, high] = spread.map((x) => half(x, of.is_rate));
    if (low !== high) said.push([`As the rates are not known exactly, it may end anywhere from ${low} to ${high} (90% of draws). `, ""]);
  }
  if (!isSpent(of)) said.push(["There is nothing more to buy on these rows. ", ""]);
  return [...said, pool];
}
