/** Python source of a call, for *copy as Python*. */

export type Literal = string | number | boolean | readonly Literal[] | { readonly [key: string]: Literal };

/** A value as Python writes it; only what controls hold. */
export function literal(value: Literal): string {
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return `'${value.replace(UNPRINTED, escaped)}'`;
  if (isList(value)) return `[${value.map(literal).join(", ")}]`;
  const items = Object.entries(value).map(([key, item]) => `${literal(key)}: ${literal(item)}`);
  return `{${items.join(", ")}}`;
}

function isList(value: Literal): value is readonly Literal[] {
  return Array.isArray(value);
}

// Quotes and backslashes, line ends and what else would not survive being pasted.
const UNPRINTED = /[\\'\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

function escaped(c: string): string {
  if (c === "'" || c === "\\") return `\\${c}`;
  const code = c.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\U${code.toString(16).padStart(8, "0")}` : `\\u${code.toString(16).padStart(4, "0")}`;
}

/** Start and end of the keyword argument `name` of an unclosed call; null when it has none. */
function findArgument(call: string, name: string): readonly [number, number] | null {
  let depth = 0;
  let quote = "";
  let start = -1;
  let argument = -1;
  for (let i = 0; i < call.length; i++) {
    const c = call[i] ?? "";
    if (quote) {
      if (c === "\\") i++;
      else if (c === quote) quote = "";
      continue;
    }
    if (c === "'" || c === '"') quote = c;
    else if ("([{".includes(c)) depth++;
    else if (")]}".includes(c)) depth--;
    if (depth !== 1) continue;
    if (c === "," && start >= 0) return [start, i];
    if (c === "," || c === "(") argument = i + 1;
    else if (c === "=" && call.slice(argument, i).trim() === name) start = argument;
  }
  return start >= 0 ? [start, call.length] : null;
}

/** The unclosed call with a keyword argument, in place of the one it may have. */
export function withArgument(call: string, name: string, value: string): string {
  const text = `${name}=${value}`;
  const at = findArgument(call, name);
  if (at !== null) {
    const indent = /^\s*/.exec(call.slice(at[0]))?.[0] ?? "";
    return call.slice(0, at[0]) + indent + text + call.slice(at[1]);
  }
  const head = call.trimEnd();
  return head.endsWith("(") ? head + text : head.endsWith(",") ? `${head} ${text}` : `${head}, ${text}`;
}
