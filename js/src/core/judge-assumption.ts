/** What is taken for granted of judges' errors: the same as `views/judge_assumption.py`. */

/** What a judge's errors go by beside the truth: a truth, "case" where it is saturated, or nothing; and whether all systems have one set of its rates. */
export interface Assumed {
  readonly name: string;
  readonly by: string;
  readonly is_shared: boolean;
}

/** Systems that there are, those that are fitted by themselves, and whether the one shown is. */
export interface Systems {
  readonly n_systems: number;
  readonly apart: readonly string[];
  readonly is_apart: boolean;
}

const BY: Readonly<Record<string, string>> = { retrieval: "retrieval", task: "the answer", abstention: "abstention", case: "R, A and T" };

export function assumptionText(judges: readonly Assumed[], systems: Systems): string {
  const [first] = judges;
  const errors = judges.length > 1 || first === undefined ? several(judges) : one(first);
  const rates = ratesOf(judges, systems);
  return `Given the truth, ${errors}.${rates && ` ${rates}.`}`;
}

function one({ by }: Assumed): string {
  return `the judge's errors are taken as independent of everything ${by === "" ? "else" : `but ${BY[by] ?? by}`}`;
}

function several(judges: readonly Assumed[]): string {
  const all = [...new Set(judges.map(({ by }) => by))].filter((by) => by !== "");
  const said = all.map((by, i) => {
    const names = judges.flatMap((judge) => (judge.by === by ? [judge.name] : []));
    const on = by === "case" && names.length > 1 ? "each other" : (BY[by] ?? by);
    return `${i > 0 ? "those" : "errors"} of ${listed(names)} ${i > 0 ? "on" : "may depend on"} ${on}`;
  });
  return `judges are taken as independent of each other and of everything else${said.length > 0 ? `, but ${said.join(" and ")}` : ""}`;
}

/** What is assumed of rates in several systems; nothing of one system. */
function ratesOf(judges: readonly Assumed[], { n_systems, apart, is_apart }: Systems): string {
  if (n_systems < 2) return "";
  const whose = judges.length > 1 ? "Their" : "Its";
  if (is_apart) return `${whose} rates are those of this system alone`;
  const [same, others] = [true, false].map((isShared) => judges.filter(({ is_shared }) => is_shared === isShared).map(({ name }) => name)) as [string[], string[]];
  if (same.length === 0) return `${whose} rates may differ by system`;
  const but = apart.length === 0 ? "" : ` but ${apart.length === 1 ? `“${apart[0]}”` : apart.length}`;
  const are = `are taken as the same in every system${but}`;
  return others.length === 0 ? `${whose} rates ${are}` : `Rates of ${listed(same)} ${are}, those of ${listed(others)} may differ by system`;
}

/** Names in quotes: “a”, “b” and “c”. */
function listed(names: readonly string[]): string {
  const quoted = names.map((name) => `“${name}”`);
  return quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} and ${quoted.at(-1)}`;
}
