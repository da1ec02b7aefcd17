/** The table of all quantities. */
import { EN_DASH } from "../core/format.ts";
import { findQuantity } from "../core/shape.ts";
import { policyName, undefinedReason } from "../core/words.ts";
import { POLICY } from "../engine/tree.ts";
import { isScored, UNKNOWN, type Scene } from "./scene.ts";

export interface QuantityRow {
  readonly key: string;
  readonly label: string;
  readonly symbol: string;
  readonly text: string;
  readonly caution: string;
}

/** All that the group has, in the tables' order; what they do not know comes last. */
export function quantityRows({ shape, group, kind, answer }: Scene): QuantityRow[] {
  const known = shape.quantities.map(({ key }) => key);
  const given = { ...group.branches, ...group.quantities };
  const keys = [...known.filter((key) => key in given), ...Object.keys(given).filter((key) => !known.includes(key))];
  return keys.map((key) => {
    const quantity = findQuantity(shape, key);
    const isPolicy = key === POLICY;
    const estimate = isPolicy ? answer.estimate : (given[key] ?? UNKNOWN);
    const symbol = isPolicy && isScored(kind) ? "mean weight" : (quantity?.symbol ?? "");
    return {
      key,
      label: isPolicy ? policyName(kind).toLowerCase() : (quantity?.label ?? key),
      symbol,
      text: estimate.value === null ? `${EN_DASH} (${undefinedReason(symbol)})` : estimate.text,
      caution: quantity?.caution ?? "",
    };
  });
}
