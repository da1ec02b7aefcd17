"""What a picture of judges says, whatever draws it: the view's words in reading order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rat_widgets.figures.flow import one_line, without_controls
from rat_widgets.figures.judge_rows_content import (
    LevelContent,
    SystemContent,
    level_rows_of,
    systems_of,
    systems_title,
)
from rat_widgets.views import judge_finding, wording
from rat_widgets.views.judge import Density, JudgeIdentity, JudgeView, Spread
from rat_widgets.views.judge_assumption import assumption
from rat_widgets.views.judge_lines import decimals, hundredths, leading_worth, rate_line
from rat_widgets.views.judge_words import BELIEF_WORDS, JUDGED, among, rate_kind, rate_words
from rat_widgets.views.sentences import Segment
from rat_widgets.views.tree import Estimate, Note
from rat_widgets.views.words import POLICY_NAMES, policy_kind, words_of

__all__ = [
    "BeliefContent",
    "JudgeCard",
    "JudgeContent",
    "RateContent",
    "judge_content",
]

_TRUTHS: Final = {
    "retrieval_success": ("retrieval",),
    "task_success": ("task",),
    "policy_adherence": ("retrieval", "task", "abstention"),
}
"""The truths that a quantity rests on most."""

_ROLES: Final = {"retrieval": "r", "task": "t", "abstention": "a"}


@dataclass(frozen=True, kw_only=True, slots=True)
class RateContent:
    """One rate of a judge: "Of 100 misses" it "passes" "27"."""

    key: str
    given: str
    name: str
    does: str
    number: str
    span: str
    sentence: str
    spread: Spread
    density: Density | None
    prior: tuple[float, float]
    fitted: Estimate | None
    is_pinned: bool
    is_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeCard:
    """One judge; without rates when it is left out.

    `things` are what has truth 1, and truth 0. `levels` are of judges that have more than TPR and
    FPR, `systems` and their title of those whose rates need not be the same in all systems.
    """

    key: str
    letter: str
    role: str
    question: str
    rates: tuple[RateContent, ...]
    levels: tuple[LevelContent, ...]
    things: tuple[str, str]
    systems: tuple[SystemContent, ...]
    systems_title: str
    youden: Estimate | None
    apart: str
    line: str
    seen: str
    warnings: tuple[Note, ...]
    others: tuple[tuple[str, Estimate], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class BeliefContent:
    """One quantity three ways; the ways are in the order of the picture."""

    key: str
    name: str
    symbol: str
    role: str
    is_rate: bool
    ways: tuple[tuple[str, str, Spread, str], ...]
    fitted: Estimate | None
    is_open: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgeContent:
    """The whole picture in words and numbers."""

    name: str
    place: str
    headline: tuple[Segment, ...]
    deck: tuple[Segment, ...]
    notes: tuple[Note, ...]
    cards: tuple[JudgeCard, ...]
    beliefs: tuple[BeliefContent, ...]
    worth: tuple[Segment, ...]
    n_human: int
    worth_labels: float
    is_whatif: bool
    rows: str


def judge_content(view: JudgeView) -> JudgeContent:
    """The content of the group that is shown."""
    group = view.group
    n = len(view.groups)
    rows = judge_finding.verdict_rows(view, [judge.key for judge in view.present])
    policy, task = (group.worth[key] for key in ("policy_adherence", "task_success"))
    n_labels, n_max = leading_worth((policy.worth, policy.n_max), (task.worth, task.n_max))
    can_tell = rows.n_human and any(judge_finding.worth_rows(view))
    labels = 0.0 if not can_tell else n_max if n_labels is None else n_labels
    return JudgeContent(
        name=group.label,
        place=f"{view.controls.group + 1} of {n}" if n > 1 else "",
        headline=_clean(view.headline()),
        deck=_clean(_with_cure(view)),
        notes=(*_found(view), *group.notes),
        cards=tuple(_card(view, judge) for judge in view.shown),
        beliefs=_beliefs(view),
        worth=_clean(view.worth_line()),
        n_human=group.n_human,
        worth_labels=labels,
        is_whatif=view.moves is not None and bool(view.moves.pins),
        rows=f"{group.rows} {assumption(view)}",
    )


def _with_cure(view: JudgeView) -> list[Segment]:
    """The line under the headline, and what a cure changes."""
    deck, changes = view.deck(), judge_finding.cured(view)
    return [*deck, (" ", ""), *changes] if deck and changes else [*deck, *changes]


def _found(view: JudgeView) -> tuple[Note, ...]:
    """How judges err beside what the model allows for, and what to do about it."""
    found, without = judge_finding.departures(view), view.no_cure
    errors = [one for one in found if one.kind not in {"system", "systems"}]
    texts = [one.text if without and one in errors else f"{one.text} {one.advice}" for one in found]
    if errors and without:
        texts.append(f"{without.text} {without.python}".rstrip())
    return tuple(Note(level="warning", text=text) for text in texts)


def _clean(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    return tuple((without_controls(text), role) for text, role in segments)


def _card(view: JudgeView, judge: JudgeIdentity) -> JudgeCard:
    words = JUDGED[judge.of]
    report = {row.key: row for row in view.group.report}
    row = report.get(judge.key)
    if row is None:
        rates: tuple[RateContent, ...] = ()
        line, seen, apart = "Left out: its verdicts are not looked at.", "", ""
        warnings: tuple[Note, ...] = ()
        others: tuple[tuple[str, Estimate], ...] = ()
    else:
        rates = tuple(_rate(view, judge, key) for key in judge.sliders)
        line = judge_finding.line_of(row)
        apart = wording.decimal(judge_finding.triple(row.youden)[0])
        seen = _seen(row.n_human, row.n_only, row.n_unknown, words.letter)
        said = judge_finding.warnings(view, judge)
        warnings = tuple(Note(level="warning", text=one_line(text)) for text in said)
        others = (
            ("right when it says 1 (PPV)", row.ppv),
            ("right when it says 0 (NPV)", row.npv),
            ("right in all (agreement)", row.agreement),
            ("\N{GREEK SMALL LETTER KAPPA}", row.kappa),
            ("Youden's J", row.youden),
            *_levels(view, judge),
        )
    return JudgeCard(
        key=judge.key,
        letter=words.letter,
        role=_ROLES[judge.of],
        question=words.question,
        rates=rates,
        levels=() if row is None else level_rows_of(view, judge),
        things=(words.good, words.bad),
        systems=() if row is None else systems_of(view, judge),
        systems_title=systems_title(view, judge),
        youden=None if row is None else row.youden,
        apart=apart,
        line=line,
        seen=seen,
        warnings=warnings,
        others=others,
    )


def _levels(view: JudgeView, judge: JudgeIdentity) -> tuple[tuple[str, Estimate], ...]:
    """P(level | truth) of a graded judge, and TPR and FPR of one that has no sliders for them."""
    words, rates = JUDGED[judge.of], view.group.rates
    found: list[tuple[str, Estimate]] = []
    if not judge.sliders:
        passing = "passes"
        if judge.passing:
            passing = f"graded {judge.passing}"
        found.append((f"{words.good}, {passing}", rates[f"tpr[{judge.key}]"]))
        found.append((f"{words.bad}, {passing}", rates[f"fpr[{judge.key}]"]))
    for truth, what in ((1, words.good), (0, words.bad)):
        for level in judge.levels:
            key = f"level_{level}_given_{truth}[{judge.key}]"
            found.append((f"{what} graded {level}", rates[key]))
    return tuple(found)


def _seen(n_human: int, n_only: int, n_unknown: int, letter: str) -> str:
    rows = "row" if n_human == 1 else "rows"
    said = (
        f"Checked on {wording.count(n_human)} {rows} with a human {letter}; "
        f"{wording.count(n_only)} without"
    )
    return f"{said}; cannot tell on {wording.count(n_unknown)}" if n_unknown else said


def _rate(view: JudgeView, judge: JudgeIdentity, key: str) -> RateContent:
    group, words = view.group, JUDGED[judge.of]
    kind = rate_kind(key)
    rate = rate_words(kind)
    spread = group.rates[key]
    estimate = judge_finding.triple(spread)
    moves = view.moves
    pins = (moves.pins if moves else None) or {}
    edited = (moves.priors if moves else None) or {}
    prior = view.prior(key)
    if key in edited:
        mean, labels = edited[key]
        prior = (mean * labels, (1 - mean) * labels)
    fitted = (group.fitted or {}).get(key)
    span, sentence = wording.interval(*estimate[1:]), rate_line(kind, judge.of, estimate)
    number = hundredths(estimate[0])
    if key in pins:
        number = wording.pin_percent(pins[key]).removesuffix("%")
        span = "pinned" if fitted is None else f"pinned; fit {hundredths(fitted.value or 0.0)}"
        sentence = f"{sentence.rpartition(' ')[0].rpartition(' ')[0]} {number}, {span}"
    # In which case it is stands in `given`.
    name = rate.name.removesuffix(f", {rate.case}") if rate.case else rate.name
    if judge.has_unknown and not rate.is_unknown:
        name += ", where it decides"
    return RateContent(
        key=key,
        given=f"Of 100 {among(words, rate)}",
        name=name,
        does="cannot tell on" if rate.is_unknown else words.passes,
        number=number,
        span=span,
        sentence=sentence,
        spread=spread,
        density=group.densities.get(key),
        prior=prior,
        fitted=fitted,
        is_pinned=key in pins,
        is_open=_is_open(view, (judge.of,)),
    )


def _is_open(view: JudgeView, truths: tuple[str, ...]) -> bool:
    """Whether verdicts on one of these truths were never checked by a person."""
    pinned = (view.moves.pins if view.moves else None) or {}
    for of in truths:
        judges = [judge for judge in view.present if judge.of == of]
        if any(judge_finding.is_bound(view, judge) for judge in judges):
            continue
        rows = judge_finding.verdict_rows(view, [judge.key for judge in judges])
        is_given = any(rate in pinned for judge in judges for rate in judge.rates[:2])
        if rows.n and not rows.n_human and not is_given:
            return True
    return False


def _beliefs(view: JudgeView) -> tuple[BeliefContent, ...]:
    kind = policy_kind(view.policy.weights, view.levels)
    top, top_symbol = next(iter(words_of(view.levels).stats.values()))
    task, task_symbol = words_of(view.levels).stats["task_success"]
    is_rate = judge_finding.is_rate(view)
    named = (
        ("retrieval_success", top, top_symbol, "r", True),
        ("task_success", task, task_symbol, "t", True),
        ("policy_adherence", POLICY_NAMES[kind], "P(G)" if is_rate else "", "good", is_rate),
    )
    beliefs = view.group.beliefs
    return tuple(
        BeliefContent(
            key=key,
            name=name,
            symbol=symbol,
            role=role,
            is_rate=rate,
            ways=tuple(
                (way, words, spread, _span(spread, rate))
                for way, words in BELIEF_WORDS.items()
                for spread in [getattr(beliefs, way)[key]]
            ),
            fitted=(view.group.fitted or {}).get(key),
            is_open=_is_open(view, _TRUTHS[key]),
        )
        for key, name, symbol, role, rate in named
    )


def _span(spread: Spread, is_rate: bool) -> str:
    if spread.lower is None or spread.upper is None:
        return spread.text
    if is_rate:
        return wording.interval(spread.lower, spread.upper)
    return decimals(spread.lower, spread.upper)
