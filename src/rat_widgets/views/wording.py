"""How numbers and findings read. The only module that rounds for people.

The browser words the same things (``js/src/core/format.ts``, ``js/src/core/sentence.ts``);
``tests/golden/wording.json`` holds vectors that both must reproduce character by character.
Rounding is half up in both.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Final

__all__ = [
    "BOTTLENECKS",
    "LEAVES",
    "MANY_ROWS",
    "PIN_WORDS",
    "POLICY_NAMES",
    "PRESETS",
    "STATS",
    "STEPS",
    "VAGUE_ESTIMATE",
    "WORLD_WORDS",
    "Segment",
    "count",
    "deck",
    "estimate",
    "headline",
    "interval",
    "is_right",
    "label_line",
    "leaf_words",
    "of_100",
    "percent",
    "pin_percent",
    "pinned",
    "plain",
    "policy_kind",
    "rows_line",
    "stored",
    "whatif_deck",
]

Segment = tuple[str, str]
"""A piece of a sentence and its role: "", "strong", "task", "good", "interval" or "whatif"."""

# Order of the leaves in every picture, top to bottom.
LEAVES: Final = (
    "hit_right",
    "hit_wrong",
    "hit_abstained",
    "miss_right",
    "miss_wrong",
    "miss_abstained",
)

WORLD_WORDS: Final[Mapping[str, str]] = {
    "hit_right": "had the evidence, right",
    "hit_wrong": "had the evidence, still wrong",
    "hit_abstained": "had the evidence, declined",
    "miss_right": "no evidence, right by luck or by heart",
    "miss_wrong": "no evidence, answered wrong",
    "miss_abstained": "no evidence, rightly declined",
}

STEPS: Final[Mapping[str, tuple[str, str, str]]] = {
    "retrieval_success": ("R", "All 100 queries", "evidence found in"),
    "abstain_given_hit": ("A", "Evidence found", "declines"),
    "abstain_given_miss": ("A", "Evidence missing", "declines"),
    "correct_given_hit": ("T", "Answers with it", "right in"),
    "correct_given_miss": ("T", "Answers anyway", "right in"),
}
"""Of each branch the label asked for, who gets there, and what is counted."""

PIN_WORDS: Final[Mapping[str, str]] = {
    "retrieval_success": "retrieval finds the evidence",
    "abstain_given_hit": "declines although the evidence was found",
    "correct_given_hit": "right when answering with the evidence",
    "abstain_given_miss": "declines when the evidence is missing",
    "correct_given_miss": "right when answering without the evidence",
}
"""What a reader sets who pins a branch, in the order of the tree."""

STATS: Final[Mapping[str, tuple[str, str]]] = {
    "retrieval_success": ("Evidence found", "P(R)"),
    "abstention": ("Declined to answer", "P(A)"),
    "task_success": ("Correct answer", "P(T)"),
}
"""Name and symbol of the numbers above the tree; the fourth is named by the policy."""

POLICY_NAMES: Final[Mapping[str, str]] = {
    "adherence": "Right by policy",
    "task_success": "Right by policy",
    "no_harm": "No wrong answer",
    "binary": "As the policy asks",
    "weights": "Policy score",
    "utility": "Utility a query",
}
"""What P(G) is called under each kind of policy."""

PRESETS: Final[Mapping[str, tuple[str, ...]]] = {
    "adherence": ("hit_right", "miss_abstained"),
    "task_success": ("hit_right", "miss_right"),
    "no_harm": ("hit_right", "miss_right", "hit_abstained", "miss_abstained"),
}
"""Worlds of weight 1 in each named policy; all others weigh 0."""

# What most of the unserved users lack, with the worlds it covers.
BOTTLENECKS: Final = (
    (
        "Retrieval is the bottleneck:",
        ("miss_abstained", "miss_wrong", "miss_right"),
        "in {n} of 100 queries the evidence never arrived.",
    ),
    (
        "Answering is the bottleneck:",
        ("hit_wrong",),
        "{n} of 100 queries had the evidence and still got a wrong answer.",
    ),
    (
        "Caution is the bottleneck:",
        ("hit_abstained",),
        "{n} of 100 queries had the evidence and were declined all the same.",
    ),
)

VAGUE_WIDTH: Final = 0.30
"""P(G) wider than this turns the headline into a range."""

MANY_ROWS: Final = 200
"""From here on a vague finding is blamed on missing labels, not on few rows."""

VAGUE_ESTIMATE: Final = 0.5
"""A number whose interval is wider than this share of its scale is grey."""


def _round(x: float) -> int:
    return math.floor(x + 0.5)


def stored(x: float) -> float:
    """The number as a view keeps it: five decimals, far below what a picture can show."""
    return round(float(x), 5)


def count(n: int) -> str:
    """A count with thousands separators: "7,500"."""
    return f"{n:,}"


def _signless(n: int) -> str:
    return str(n).replace("-", "\N{MINUS SIGN}")


def percent(x: float | None) -> str:
    """A rate such as "46%"; "<1%" and ">99%" instead of 0% and 100%; an en dash when undefined."""
    if x is None:
        return "\N{EN DASH}"
    if 0 <= x < 0.005:
        return "<1%"
    if 0.995 <= x <= 1:
        return ">99%"
    return f"{_signless(_round(100 * x))}%"


def interval(lower: float | None, upper: float | None) -> str:
    """An interval such as "46–54", in per cent; "to" for the dash when an end is negative.

    "<1" and ">99" when both ends would read 0 or 100.
    """
    if lower is None or upper is None:
        return ""
    low, high = _round(100 * lower), _round(100 * upper)
    if low == high and high in (0, 100):
        return "<1" if high == 0 else ">99"
    between = " to " if low < 0 or high < 0 else "\N{EN DASH}"
    return f"{_signless(low)}{between}{_signless(high)}"


def _decimal(x: float) -> str:
    cents = _round(100 * abs(x))
    sign = "\N{MINUS SIGN}" if x < 0 and cents > 0 else ""
    if cents >= 100_000:
        return f"{sign}{count(_round(abs(x)))}"
    return f"{sign}{cents // 100}.{cents % 100:02d}"


def estimate(
    value: float | None, lower: float | None, upper: float | None, *, is_rate: bool = True
) -> str:
    """A value and its interval: "50% (46–54)", or "0.24 (0.19 to 0.29)" for a utility.

    An en dash when undefined.
    """
    if value is None or lower is None or upper is None:
        return "\N{EN DASH}"
    if is_rate:
        return f"{percent(value)} ({interval(lower, upper)})"
    return f"{_decimal(value)} ({_decimal(lower)} to {_decimal(upper)})"


def pin_percent(x: float) -> str:
    """A probability that somebody set: "70%", "12.5%"; 0% and 100% are meant as said."""
    tenths = _round(1000 * x)
    if tenths == 0 and x > 0:
        return "<0.1%"
    if tenths == 1000 and x < 1:
        return ">99.9%"
    return f"{tenths // 10}%" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}%"


def pinned(x: float) -> str:
    """A number that does not vary, since it was set or follows from what was: "70% (pinned)"."""
    return f"{pin_percent(x)} (pinned)"


def leaf_words(world: str, *, is_right: bool) -> str:
    """A leaf in plain words; whether declining was right is the policy's to say."""
    words = WORLD_WORDS[world]
    return words if is_right else words.replace("rightly ", "")


def label_line(letter: str, *, rows: int, labelled: int, judged: int, possible: int) -> str:
    """The labels behind a branch: "T on 310 of 376; 20 judge only; 12 may belong here"."""
    known = "no rows"
    if rows:
        known = f"{letter} on {count(labelled)} of {count(rows)}"
        known += " rows" if letter == "R" else ""
    parts = [known]
    if judged:
        parts.append(f"{count(judged)} judge only")
    if possible:
        parts.append(f"{count(possible)} may belong here")
    return "; ".join(parts)


def rows_line(*, rows: int, possible: int) -> str:
    """The rows behind a leaf: "75 rows; 12 may belong here"."""
    known = f"{count(rows)} {'row' if rows == 1 else 'rows'}"
    return f"{known}; {count(possible)} may belong here" if possible else known


def of_100(worlds: Mapping[str, float], policy: Mapping[str, float]) -> dict[str, int]:
    """Whole queries of 100 per world that add up, whatever is summed.

    Each world is rounded down or up. Of the choices that sum to 100 the one is taken whose
    T and G stay nearest to their own rounding, then R and A, then the worlds.

    Parameters
    ----------
    worlds, policy : mapping
        Probability and policy weight of each of `LEAVES`.
    """
    exact = [100 * worlds[w] for w in LEAVES]
    floors = [math.floor(x) for x in exact]
    groups: Sequence[Sequence[float]] = (
        [float(w.startswith("hit")) for w in LEAVES],
        [float(w.endswith("abstained")) for w in LEAVES],
        [float(w.endswith("right")) for w in LEAVES],
        [float(policy[w]) for w in LEAVES],
    )
    # T and G stand in the sentence and in the totals, R and A only inside the tree.
    importance = (1, 1, 3, 3)
    wanted = [_round(math.fsum(g * x for g, x in zip(group, exact))) for group in groups]
    best: tuple[int, ...] | None = None
    best_cost = math.inf
    for ups in itertools.product((0, 1), repeat=len(LEAVES)):
        whole = tuple(f + u for f, u in zip(floors, ups))
        if sum(whole) != 100:
            continue
        off_sums = math.fsum(
            weight * abs(math.fsum(g * x for g, x in zip(group, whole)) - want)
            for weight, group, want in zip(importance, groups, wanted)
        )
        off_worlds = math.fsum(abs(w - x) for w, x in zip(whole, exact))
        # Two choices that differ by less than this are the same in float arithmetic.
        cost = 1000 * off_sums + off_worlds
        if cost < best_cost - 1e-9:
            best, best_cost = whole, cost
    if best is None:  # probabilities that do not sum to 1 to the last digit
        best = (*floors[:-1], 100 - sum(floors[:-1]))
    return dict(zip(LEAVES, best))


def policy_kind(weights: Mapping[str, float]) -> str:
    """A preset's name, or "binary", "weights" or "utility"."""
    ones = {w for w in LEAVES if weights[w] == 1}
    if all(weights[w] in (0, 1) for w in LEAVES):
        for name, worlds in PRESETS.items():
            if ones == set(worlds):
                return name
        return "binary"
    return "weights" if all(0 <= weights[w] <= 1 for w in LEAVES) else "utility"


def is_right(world: str, weights: Mapping[str, float]) -> bool:
    """Whether the policy's sign of a leaf is a tick: it gains, or weighs more than one half."""
    return weights[world] > (0 if policy_kind(weights) == "utility" else 0.5)


def plain(segments: Sequence[Segment]) -> str:
    """The sentence without its roles."""
    return "".join(text for text, _ in segments)


def _how_many(n: int, one: str, many: str) -> str:
    if n <= 0:
        return f"almost none {many}"
    if n >= 100:
        return f"almost all {many}"
    return f"{n} {one if n == 1 else many}"


def headline(
    *,
    n_rows: int,
    worlds: Mapping[str, float],
    task: tuple[float, float, float],
    policy: tuple[float, float, float],
    weights: Mapping[str, float],
    is_whatif: bool = False,
) -> list[Segment]:
    """The finding in one sentence that can be pasted into a report.

    Parameters
    ----------
    n_rows : int
        Rows behind the fit; 0 means that only the prior speaks.
    worlds : mapping
        Posterior mean of each world.
    task, policy : (mean, lower, upper)
        P(T) and P(G), or the utility per query.
    weights : mapping
        Policy weight of each world.
    is_whatif : bool
        Whether a probability is pinned; the sentence then starts with "What if".
    """
    said = _headline(n_rows, worlds, task, policy, weights)
    if not is_whatif:
        return said
    (first, role), *rest = said
    return [("What if: ", "whatif"), (first[0].lower() + first[1:], role), *rest]


def _headline(
    n_rows: int,
    worlds: Mapping[str, float],
    task: tuple[float, float, float],
    policy: tuple[float, float, float],
    weights: Mapping[str, float],
) -> list[Segment]:
    kind = policy_kind(weights)
    if n_rows == 0:
        return [("No labels yet. Every number below is the prior, not a finding.", "")]
    if kind != "utility" and policy[2] - policy[1] > VAGUE_WIDTH:
        return _vague_headline(n_rows, task, policy, kind)
    whole = of_100(worlds, weights)
    right = whole["hit_right"] + whole["miss_right"]
    parts: list[Segment] = [
        ("Of 100 queries, ", ""),
        (_how_many(right, "gets a correct answer", "get a correct answer"), "task"),
        (_span(task), "interval"),
    ]
    if kind == "task_success":
        return [*parts, (".", "")]
    if kind == "utility":
        text = f"{_decimal(policy[0])} a query"
        span = f" ({_decimal(policy[1])} to {_decimal(policy[2])})"
        return [*parts, ("; utility is ", ""), (text, "good"), (span, "interval"), (".", "")]
    good = _round(100 * policy[0])
    if all(weights[w] in (0, 1) for w in LEAVES):
        good = sum(whole[w] for w in LEAVES if weights[w] == 1)
    if kind == "adherence":
        lead, text = "; the generator does ", f"the right thing in {_in_how_many(good)}"
    elif kind == "no_harm":
        lead, text = "; the generator ", f"gives no wrong answer in {_in_how_many(good)}"
    elif kind == "binary":
        lead, text = "; ", _how_many(good, "ends as the policy asks", "end as the policy asks")
    else:
        lead, text = "; the policy scores ", f"{good} of 100"
    return [*parts, (lead, ""), (text, "good"), (_span(policy), "interval"), (".", "")]


def _span(of: tuple[float, float, float]) -> str:
    return f" ({interval(of[1], of[2])})"


def _in_how_many(n: int) -> str:
    return "almost none" if n <= 0 else "almost all" if n >= 100 else str(n)


def _vague_headline(
    n_rows: int,
    task: tuple[float, float, float],
    policy: tuple[float, float, float],
    kind: str,
) -> list[Segment]:
    # Many rows that leave P(G) this wide lack a label: their number is not what is missing.
    opening = "The labels leave much open"
    if n_rows <= MANY_ROWS:
        opening = f"{count(n_rows)} row{' says' if n_rows == 1 else 's say'} little yet"
    t_low, t_high = (_round(100 * x) for x in task[1:])
    g_low, g_high = (_round(100 * x) for x in policy[1:])
    good = {
        "adherence": f"does the right thing in {g_low} to {g_high}",
        "no_harm": f"gives no wrong answer in {g_low} to {g_high}",
        "task_success": "",
    }.get(kind, f"does as the policy asks in {g_low} to {g_high}")
    solved = f"between {t_low} and {t_high} get a correct answer"
    if t_low == t_high:
        solved = _how_many(t_low, "gets a correct answer", "get a correct answer")
    parts: list[Segment] = [(f"{opening}: of 100 queries, ", ""), (solved, "task")]
    if good:
        parts += [("; the generator ", ""), (good, "good")]
    return [*parts, (".", "")]


def deck(
    *,
    n_rows: int,
    n_joint: int,
    worlds: Mapping[str, float],
    policy: tuple[float, float, float],
    weights: Mapping[str, float],
) -> list[Segment]:
    """Why, or what to do: the line under the headline. Parameters as in `headline`."""
    kind = policy_kind(weights)
    if n_rows == 0:
        return [
            (
                "Add rows with R, A and T; about 100 bring policy adherence to within "
                "\N{PLUS-MINUS SIGN}10 points.",
                "",
            )
        ]
    if kind != "utility" and policy[2] - policy[1] > VAGUE_WIDTH:
        return [(_more_rows(n_joint, policy[0]), "")]
    whole = of_100(worlds, weights)
    parts: list[Segment] = []
    if kind == "adherence":
        parts += [
            ("They share ", ""),
            (_things(whole["hit_right"], "right answer") + " with evidence", "strong"),
            (
                f". Policy adds the {whole['miss_abstained']} it rightly declined; task success "
                f"adds the {whole['miss_right']} it got right without evidence. ",
                "",
            ),
        ]
    elif kind in ("binary", "task_success", "no_harm"):
        good = [WORLD_WORDS[w] for w in LEAVES if weights[w] == 1]
        text = "; ".join(good) if good else "nothing"
        parts.append((f"Right by this policy: {text}. ", ""))
    else:
        listed = "; ".join(
            f"{WORLD_WORDS[w]} {_decimal(weights[w])}" for w in LEAVES if weights[w] != 0
        )
        parts.append((f"Weights of this policy: {listed or 'all 0.00'}. ", ""))
    return parts + _bottleneck(whole)


def whatif_deck(
    *,
    pins: Mapping[str, float],
    branches: Mapping[str, float],
    task: tuple[float, float],
    policy: tuple[float, float],
    weights: Mapping[str, float],
) -> list[Segment]:
    """What was set, and what that changes: the line under the headline of a what-if.

    Parameters
    ----------
    pins, branches : mapping
        Probability that each pinned branch was set to, and the fitted mean of all branches.
    task, policy : (now, fitted)
        P(T), and P(G) or the utility per query.
    weights : mapping
        Policy weight of each world.
    """
    kind = policy_kind(weights)
    listed = "; ".join(
        f"{words}: {pin_percent(pins[key])} instead of {percent(branches[key])}"
        for key, words in PIN_WORDS.items()
        if key in pins
    )
    correct = f"{_points(*task)} correct answers"
    parts: list[Segment] = [("You set ", "whatif"), (f"{listed}. Against the fit, ", "")]
    if kind == "task_success":
        return [*parts, (correct, "strong"), (" of 100.", "")]
    if kind == "utility":
        utility = f"{_cents(*policy)} utility a query"
        return [*parts, (correct, "strong"), (" of 100 and ", ""), (utility, "strong"), (".", "")]
    name = POLICY_NAMES[kind].lower()
    good = f"{_points(*policy)} {name}"
    return [*parts, (correct, "strong"), (" and ", ""), (good, "strong"), (" of 100.", "")]


def _points(now: float, before: float) -> str:
    """A difference in whole points with its sign, of two rates as they are shown."""
    n = _round(100 * now) - _round(100 * before)
    return f"+{n}" if n > 0 else _signless(n) if n < 0 else "\N{PLUS-MINUS SIGN}0"


def _cents(now: float, before: float) -> str:
    n = _round(100 * now) - _round(100 * before)
    return (
        f"+{_decimal(n / 100)}" if n > 0 else _decimal(n / 100) if n < 0 else "\N{PLUS-MINUS SIGN}0"
    )


def _things(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _bottleneck(whole: Mapping[str, int]) -> list[Segment]:
    """The largest loss, when it is at least 5 of 100 and a fifth larger than the next."""
    sizes = [sum(whole[w] for w in worlds) for _, worlds, _ in BOTTLENECKS]
    order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
    largest, second = sizes[order[0]], sizes[order[1]]
    if largest < 5 or 5 * largest < 6 * second:
        return []
    lead, _, text = BOTTLENECKS[order[0]]
    return [(lead, "strong"), (" " + text.format(n=largest), "")]


def _more_rows(n_joint: int, mean: float) -> str:
    """About how many joint rows bring P(G) to ±10 points: p (1-p) (1.96 / 0.10)² in all."""
    missing = mean * (1 - mean) * 384.16 - n_joint
    if missing <= 0:
        return "Rows with R and T on the same query would narrow this most."
    tens = 10 * math.ceil(missing / 10)
    return (
        f"About {count(tens)} more rows with R and T would bring policy adherence to within "
        "\N{PLUS-MINUS SIGN}10 points."
    )
