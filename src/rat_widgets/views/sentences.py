"""What was found, in sentences that can be pasted into a report.

The browser says the same (``js/src/core/sentence.ts``), character by character.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Final

from rat_widgets.views.levels import TWO_LEVELS, keys_of
from rat_widgets.views.wording import (
    cents,
    count,
    decimal,
    interval,
    of_100,
    percent,
    pin_percent,
    points,
    rounded,
)
from rat_widgets.views.words import (
    POLICY_NAMES,
    TreeWords,
    is_right,
    policy_kind,
    words_of,
)

__all__ = ["MANY_ROWS", "VAGUE_WIDTH", "Segment", "deck", "headline", "plain", "whatif_deck"]

Segment = tuple[str, str]
"""A piece of a sentence and its role: "", "strong", "task", "good", "interval" or "whatif"."""

VAGUE_WIDTH: Final = 0.30
"""P(G) wider than this turns the headline into a range."""

MANY_ROWS: Final = 200
"""From here on a vague finding is blamed on missing labels, not on few rows."""


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
    is_of_rows: bool = False,
    levels: tuple[str, ...] = TWO_LEVELS,
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
    is_of_rows : bool
        Whether the numbers are about exactly these rows, and not about queries like these.
    levels : tuple of str
        Levels of retrieval, the lowest first.
    """
    of = _per_100(n_rows, is_of_rows=is_of_rows)
    said = _headline(n_rows, worlds, task, policy, weights, of=of, levels=levels)
    if not is_whatif:
        return said
    (first, role), *rest = said
    return [("What if: ", "whatif"), (first[0].lower() + first[1:], role), *rest]


def _per_100(n_rows: int, *, is_of_rows: bool) -> str:
    if not is_of_rows:
        return "Of 100 queries, "
    return f"Per 100 of {'this 1 query' if n_rows == 1 else f'these {count(n_rows)} queries'}, "


def _headline(
    n_rows: int,
    worlds: Mapping[str, float],
    task: tuple[float, float, float],
    policy: tuple[float, float, float],
    weights: Mapping[str, float],
    *,
    of: str,
    levels: tuple[str, ...],
) -> list[Segment]:
    kind = policy_kind(weights, levels)
    if n_rows == 0:
        return [("No labels yet. Every number below is the prior, not a finding.", "")]
    if kind != "utility" and policy[2] - policy[1] > VAGUE_WIDTH:
        return _vague_headline(n_rows, task, policy, kind, of=of)
    whole = of_100(worlds, weights, levels)
    keys = keys_of(levels)
    right = sum(whole[band.right] for band in keys.bands)
    parts: list[Segment] = [
        (of, ""),
        (_how_many(right, "gets a correct answer", "get a correct answer"), "task"),
        (_span(task), "interval"),
    ]
    if kind == "task_success":
        return [*parts, (".", "")]
    if kind == "utility":
        text = f"{decimal(policy[0])} a query"
        span = f" ({decimal(policy[1])} to {decimal(policy[2])})"
        return [*parts, ("; utility is ", ""), (text, "good"), (span, "interval"), (".", "")]
    good = rounded(100 * policy[0])
    if all(weights[w] in (0, 1) for w in keys.leaves):
        good = sum(whole[w] for w in keys.leaves if weights[w] == 1)
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
    *,
    of: str,
) -> list[Segment]:
    # Many rows that leave P(G) this wide lack a label: their number is not what is missing.
    opening = "The labels leave much open"
    if n_rows <= MANY_ROWS:
        opening = f"{count(n_rows)} row{' says' if n_rows == 1 else 's say'} little yet"
    t_low, t_high = (rounded(100 * x) for x in task[1:])
    g_low, g_high = (rounded(100 * x) for x in policy[1:])
    good = {
        "adherence": f"does the right thing in {g_low} to {g_high}",
        "no_harm": f"gives no wrong answer in {g_low} to {g_high}",
        "task_success": "",
    }.get(kind, f"does as the policy asks in {g_low} to {g_high}")
    solved = f"between {t_low} and {t_high} get a correct answer"
    if t_low == t_high:
        solved = _how_many(t_low, "gets a correct answer", "get a correct answer")
    parts: list[Segment] = [(f"{opening}: {of[0].lower()}{of[1:]}", ""), (solved, "task")]
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
    levels: tuple[str, ...] = TWO_LEVELS,
) -> list[Segment]:
    """Why, or what to do: the line under the headline. Parameters as in `headline`."""
    kind, words = policy_kind(weights, levels), words_of(levels)
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
    whole = of_100(worlds, weights, levels)
    if kind == "adherence":
        parts = _sharing(whole, words)
    elif kind in ("binary", "task_success", "no_harm"):
        good = [words.worlds[w][0] for w in words.keys.leaves if weights[w] == 1]
        text = "; ".join(good) if good else "nothing"
        parts = [(f"Right by this policy: {text}. ", "")]
    else:
        listed = "; ".join(
            f"{_weighed(w, weights, words)} {decimal(weights[w])}"
            for w in words.keys.leaves
            if weights[w] != 0
        )
        parts = [(f"Weights of this policy: {listed or 'all 0.00'}. ", "")]
    return parts + _bottleneck(whole, words)


def _sharing(whole: Mapping[str, int], words: TreeWords) -> list[Segment]:
    """What policy adherence and task success have in common, and what each has beyond that."""
    top, *below = words.keys.bands
    declined = sum(whole[band.abstained] for band in below)
    right = sum(whole[band.right] for band in below)
    return [
        ("They share ", ""),
        (f"{_things(whole[top.right], 'right answer')} {words.shared}", "strong"),
        (
            f". Policy adds the {declined} it rightly declined; task success "
            f"adds the {right} it got right {words.less}. ",
            "",
        ),
    ]


def _weighed(world: str, weights: Mapping[str, float], words: TreeWords) -> str:
    """A leaf in the list of weights; among more than two levels any may be declined rightly."""
    rightly, otherwise = words.worlds[world]
    levels = words.keys.levels
    if words.keys.is_graded and not is_right(world, weights, levels):
        return otherwise
    return rightly


def whatif_deck(
    *,
    pins: Mapping[str, float],
    branches: Mapping[str, float],
    task: tuple[float, float],
    policy: tuple[float, float],
    weights: Mapping[str, float],
    levels: tuple[str, ...] = TWO_LEVELS,
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
    levels : tuple of str
        Levels of retrieval, the lowest first.
    """
    kind = policy_kind(weights, levels)
    listed = "; ".join(
        f"{words}: {pin_percent(pins[key])} instead of {percent(branches[key])}"
        for key, words in words_of(levels).pins.items()
        if key in pins
    )
    correct = f"{points(*task)} correct answers"
    parts: list[Segment] = [("You set ", "whatif"), (f"{listed}. Against the fit, ", "")]
    if kind == "task_success":
        return [*parts, (correct, "strong"), (" of 100.", "")]
    if kind == "utility":
        utility = f"{cents(*policy)} utility a query"
        return [*parts, (correct, "strong"), (" of 100 and ", ""), (utility, "strong"), (".", "")]
    name = POLICY_NAMES[kind].lower()
    good = f"{points(*policy)} {name}"
    return [*parts, (correct, "strong"), (" and ", ""), (good, "strong"), (" of 100.", "")]


def _things(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _bottleneck(whole: Mapping[str, int], words: TreeWords) -> list[Segment]:
    """The largest loss, when it is at least 5 of 100 and a fifth larger than the next."""
    sizes = [sum(whole[w] for w in worlds) for _, worlds, _ in words.bottlenecks]
    order = sorted(range(len(sizes)), key=lambda i: -sizes[i])
    largest, second = sizes[order[0]], sizes[order[1]]
    if largest < 5 or 5 * largest < 6 * second:
        return []
    lead, _, text = words.bottlenecks[order[0]]
    return [(lead, "strong"), (" " + text.replace("{n}", str(largest), 1), "")]


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
