"""How an assurance reads: one sentence of advice, a terminal, a notebook."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from rat_widgets.derived.report_tables import aligned, html_table

if TYPE_CHECKING:
    from rat_widgets.planning.assurance import Assurance

__all__ = ["advice_of", "assurance_html", "assurance_text"]


def advice_of(made: Assurance) -> str:
    """Whether to buy, and how much, in one sentence."""
    what, wanted = f"That {made.claim}", f"{made.probability:.0%}"
    if made.now is not None and made.is_settled:
        how = "confirmed" if made.now > 0.5 else "refuted"
        return f"{what} is {how} already: its posterior probability is {made.now:.3f}."
    how = f"{' for each system' if made.claim.is_difference else ''}, spent as {made.strategy},"
    if made.smallest_budget is not None:
        need = _budget(made, made.smallest_budget)
        sentence = f"{what}: {need}{how} confirm it with a probability of {wanted}"
        either = made.smallest_budget_settled
        if either is not None and either < 0.9 * made.smallest_budget:
            sentence += f"; {_budget(made, either)} settle it one way or the other"
        return f"{sentence}."
    if made.limit >= made.probability:
        last = made.outcomes[-1]
        return (
            f"{what}: {last.budget:,.0f} units{how} confirm it with a probability of "
            f"{last.assurance:.0%}; {wanted} takes more."
        )
    doubt = (
        f"{what} is not so at this point"
        if made.now is None
        else f"{what} has a probability of {made.limit:.2f} by what is known"
    )
    either = made.smallest_budget_settled
    if either is None:
        return f"{doubt}: no budget will confirm it with {wanted}."
    need = _budget(made, either)
    return (
        f"{doubt}: no budget will confirm it with {wanted}, but {need}{how} settle it one way or "
        "the other with that probability."
    )


def _budget(made: Assurance, budget: float) -> str:
    if budget <= made.outcomes[0].budget:
        return f"{budget:,.0f} units or fewer"
    return f"about {budget:,.0f} units"


def _outcomes(made: Assurance) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [
        ("budget", "assurance", "(MC error)", "refuted", "settled", "detectable")
    ]
    for one in made.outcomes:
        rows.append(
            (
                f"{one.budget:,.0f}",
                f"{one.assurance:.3f}",
                f"({one.assurance_mcse:.3f})",
                f"{one.refuted:.3f}",
                f"{one.settled:.3f}",
                f"{one.detectable:.3f}",
            )
        )
    return rows


def _footer(made: Assurance) -> str:
    now = "" if made.now is None else f"Posterior probability now: {made.now:.3f}. "
    return (
        f"{now}Assurance: how often the claim's posterior probability is {made.claim.level:g} or "
        f"more, in {made.replications:,} simulated purchases; refuted: its opposite's. "
        f"Detectable: the distance from the line that is confirmed with {made.probability:.0%}."
    )


def assurance_text(made: Assurance) -> str:
    """The assurance as plain text."""
    head = f"Assurance({made.claim}; {made.strategy})"
    if not made.outcomes:
        return "\n".join([head, "", made.advice])
    return "\n".join([head, "", made.advice, "", *aligned(_outcomes(made)), "", _footer(made)])


def assurance_html(made: Assurance) -> str:
    """The assurance as HTML that takes its colours from the page around it."""
    parts = ['<div class="rat-assurance" style="font: inherit; line-height: 1.4">']
    parts.append(f"<p><strong>{html.escape(made.advice)}</strong></p>")
    if made.outcomes:
        parts += [html_table(_outcomes(made)), f"<p>{html.escape(_footer(made))}</p>"]
    return "".join([*parts, "</div>"])
