"""Views of judges built by hand: figures know nothing of the statistics that make real ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rat_widgets.views import wording
from rat_widgets.views.judge import (
    Density,
    JudgeBeliefs,
    JudgeControls,
    JudgeGroup,
    JudgeIdentity,
    JudgeMoves,
    JudgeReportRow,
    JudgeView,
    JudgeWorth,
    Spread,
)
from rat_widgets.views.levels import LEAVES
from rat_widgets.views.tree import Estimate, Note, PolicyWeights
from rat_widgets.views.words import PRESETS

ADHERENCE = {w: float(w in PRESETS["adherence"]) for w in LEAVES}
UTILITY = dict.fromkeys(LEAVES, -1.0) | {"hit_right": 1.0}
_COLUMNS = {"retrieval": 0, "abstention": 1, "task": 2}


def spread(value: float, half: float, *, is_rate: bool = True) -> Spread:
    """A spread of this half width, within 0 and 1 where it is a rate."""
    ends = (value - half, value + half)
    low, high = (max(0.0, ends[0]), min(1.0, ends[1])) if is_rate else ends
    shown = [wording.stored(x) for x in (value, low, high)]
    middle = tuple(wording.stored(x) for x in ((value + low) / 2, value, (value + high) / 2))
    return Spread(
        value=shown[0],
        lower=shown[1],
        upper=shown[2],
        text=wording.estimate(*shown, is_rate=is_rate),
        middle=middle,  # type: ignore[arg-type]
    )


def _estimate(value: float, half: float, *, is_rate: bool = True) -> Estimate:
    s = spread(value, half, is_rate=is_rate)
    return Estimate(value=s.value, lower=s.lower, upper=s.upper, text=s.text)


def judge(key: str, of: Any = "retrieval", *, has_unknown: bool = False) -> JudgeIdentity:
    """A judge that all groups share."""
    return JudgeIdentity(
        key=key,
        name=key,
        version=None,
        of=of,
        is_shared=True,
        abstained_rate=None,
        has_unknown=has_unknown,
        cost=None,
    )


def judge_view(
    judges: Sequence[JudgeIdentity] = (judge("gpt-4o-mini"),),
    *,
    rates: tuple[float, float] = (0.93, 0.27),
    half: float = 0.05,
    beliefs: tuple[float, float, float] = (0.22, 0.33, 0.49),
    n_human: int = 200,
    n_only: int = 5000,
    worth: float | None = 469.0,
    label: str = "",
    notes: tuple[Note, ...] = (),
    weights: dict[str, float] | None = None,
    moves: JudgeMoves | None = None,
) -> JudgeView:
    """A view whose numbers hang together."""
    weights = ADHERENCE if weights is None else weights
    is_rate = min(weights.values()) >= 0
    left_out = moves.left_out if moves else ()
    present = [j for j in judges if j.key not in left_out]
    values = dict(zip(("tpr", "fpr", "unknown_given_1", "unknown_given_0"), (*rates, 0.1, 0.2)))
    shown = {
        rate: spread(values[rate.partition("[")[0]], half) for j in present for rate in j.rates
    }
    three = {
        key: spread(value, half, is_rate=is_rate or key != "policy_adherence")
        for key, value in zip(
            ("retrieval_success", "task_success", "policy_adherence"), beliefs, strict=True
        )
    }
    worths = {
        key: JudgeWorth(
            worth=worth, worth_verdicts=worth, n_max=10_000, text="?", text_verdicts="?"
        )
        for key in ("policy_adherence", "task_success")
    }
    labelled = [1, 1, 1]
    group = JudgeGroup(
        key=(label,) if label else (),
        label=label,
        n_rows=n_human + n_only,
        n_human=n_human,
        n_only=n_only,
        is_a_added=True,
        counts=(n_human, n_only),
        beliefs=JudgeBeliefs(naive=three, humans=three, joint=three),
        rates=shown,
        densities={
            rate: Density(
                start=max(0.0, s.value - half),
                stop=min(1.0, s.value + half),
                heights=(0, 40, 99, 40, 0),
            )
            for rate, s in shown.items()
            if s.value is not None
        },
        report=tuple(
            JudgeReportRow(
                key=j.key,
                n_human=n_human,
                n_only=n_only,
                n_unknown=7 if j.has_unknown else 0,
                ppv=_estimate(0.5, half),
                npv=_estimate(0.9, half),
                agreement=_estimate(0.77, half),
                kappa=_estimate(0.5, half, is_rate=False),
                youden=_estimate(rates[0] - rates[1], half, is_rate=False),
                worth=worths,
            )
            for j in present
        ),
        worth=worths,
        notes=notes,
        rows=f"{n_human:,} rows with labels by people, {n_only:,} with verdicts only.",
        errors=dict.fromkeys(three, 0.0),
        fitted={**{r: _estimate(0.5, half) for j in judges for r in j.rates}, **three}
        if moves
        else None,
    )
    verdicts = [1] * len(judges)
    return JudgeView(
        generator="test",
        python="rat.judges(df",
        by=("system",) if label else (),
        ci_prob=0.95,
        seed=0,
        policy=PolicyWeights(name="custom", weights=weights),
        judges=tuple(judges),
        priors={
            rate: (1.0, 1.0) if i % 2 else (8.0, 2.0)
            for j in judges
            for i, rate in enumerate(j.rates)
        },
        patterns=((*labelled, *verdicts), (-1, -1, -1, *verdicts)),
        groups=(group,),
        controls=JudgeControls(),
        moves=moves,
    )
