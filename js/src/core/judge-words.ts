/** Words of the judges' parts, beside those that both languages share. */
import type { JudgeIdentity, JudgeWorth } from "../contract/judge.ts";
import { JUDGED } from "../contract/judge-tables.ts";
import type { Estimate } from "../contract/tree.ts";
import { EN_DASH, interval } from "./format.ts";
import { decimals, hundredths, worthText, type Of } from "./judge-lines.ts";
import { roundHalfUp } from "./numbers.ts";
import type { Triple } from "./sentence.ts";

/** The hue of what a judge judges. */
export const HUES: Readonly<Record<Of, "r" | "a" | "t">> = { retrieval: "r", task: "t", abstention: "a" };

/** "gpt-4o-mini · rubric 2", or the name alone. */
export function judgeName({ name, version }: Pick<JudgeIdentity, "name" | "version">): string {
  return version ? `${name} · ${version}` : name;
}

/** A number of 100 as it stands in a box: "93", "<1"; "12.5" where that was set. */
export function of100Text(x: number | null, isSet = false): string {
  if (x === null) return EN_DASH;
  return isSet ? String(roundHalfUp(1000 * x) / 10) : hundredths(x);
}

/** "0.55–0.73"; nothing where it is undefined. */
export function decimalSpan({ lower, upper }: Estimate): string {
  return lower === null || upper === null ? "" : decimals(lower, upper);
}

/** Half the interval's width in points: "±4.5". */
export function halfWidth({ lower, upper }: Estimate): string {
  return lower === null || upper === null ? "" : `±${(roundHalfUp(500 * (upper - lower)) / 10).toFixed(1)}`;
}

/** "18–27" of a rate, "0.19–0.29" of a utility. */
export function spanText(estimate: Estimate, isRate: boolean): string {
  return isRate ? interval(estimate.lower, estimate.upper) : decimalSpan(estimate);
}

/** Mean and ends; zeros where undefined. */
export function triple({ value, lower, upper }: Estimate): Triple {
  return [value ?? 0, lower ?? 0, upper ?? 0];
}

/** What a verdict says about a row: "Of 100 that it passes 45 are hits, of 100 that it fails 98 are misses". */
export function predictiveLine(of: Of, ppv: Estimate, npv: Estimate): string {
  const { passes, fails, good, bad } = JUDGED[of];
  return `Of 100 that it ${passes}, ${of100Text(ppv.value)} are ${good}; of 100 that it ${fails}, ${of100Text(npv.value)} are ${bad}.`;
}

/** A worth as a view says it. */
export function worthOf({ n_labels, n_labels_with_rows, n_max }: Readonly<Record<"n_labels" | "n_labels_with_rows" | "n_max", number>>): JudgeWorth {
  const within = (n: number) => (Number.isFinite(n) && n <= n_max ? n : null);
  const [worth, worth_verdicts] = [within(n_labels_with_rows), within(n_labels)];
  return { worth, worth_verdicts, n_max, text: worthText(worth, n_max), text_verdicts: worthText(worth_verdicts, n_max) };
}
