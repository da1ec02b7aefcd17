"""How a design reads: one sentence of advice, a terminal, a notebook."""

from __future__ import annotations

import html
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rat_widgets.derived.report_tables import aligned, html_table

if TYPE_CHECKING:
    from rat_widgets.planning.design import Allotment, Design

__all__ = ["advice_of", "design_html", "design_text"]

_MOST_DECIMALS: Final = 6


def advice_of(design: Design) -> str:
    """What to buy, what it should give, and what it saves, in one sentence."""
    what = _joined([_said(a) for a in _counted(design)])
    digits = _decimals(design)
    narrowed = _joined(
        [
            f"{target} from {design.widths_now[target]:.{digits}f} to {width:.{digits}f}"
            for target, width in design.widths.items()
        ]
    )
    many = "s" if len(design.widths) > 1 else ""
    sentence = (
        f"Label {what}: that should bring the width{many} of the {100 * design.ci_prob:g}% "
        f"interval{many} of {narrowed}, {_beside(design)}"
    )
    if design.spent < design.budget * (1 - 1e-3):
        sentence += f"; the pool runs out after {design.spent:,.0f} of {design.budget:,.0f} units"
    return sentence + "."


def _counted(design: Design) -> Sequence[Allotment]:
    """Allotments of a row or more; what is bought on a fraction of a row is not worth a line."""
    return [a for a in design.allotments if round(a.n_rows) >= 1] or design.allotments[:1]


def _decimals(design: Design) -> int:
    """Decimals with which widths have two digits and more, and before and after differ."""
    pairs = [(design.widths_now[target], width) for target, width in design.widths.items()]
    every = [w for c in design.compared.values() for w in c.widths.values()]
    smallest = min((w for w in (*every, *sum(pairs, ())) if w > 0), default=1.0)
    digits = 3
    while digits < _MOST_DECIMALS and (
        smallest < 50 * 10**-digits or any(f"{a:.{digits}f}" == f"{b:.{digits}f}" for a, b in pairs)
    ):
        digits += 1
    return digits


def _said(a: Allotment) -> str:
    is_one = round(a.n_rows) == 1
    rows = f"{a.n_rows:,.0f} row{'' if is_one else 's'}"
    kind, _, shown = a.rows.partition(", ")
    verb = "abstained" if kind == "abstained" else f"{'was' if is_one else 'were'} answered"
    known = f" and show{'s' if is_one else ''} {shown}" if shown else ""
    pause = "," if ", then" in a.buy else ""
    return f"{a.buy}{pause} on {rows} that {verb}{known}"


def _joined(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{'; '.join(parts[:-1])}; and {parts[-1]}"


def _beside(design: Design) -> str:
    joint = design.compared["all_joint"]
    if joint.budget is None or joint.saving is None:
        return "which all_joint never reaches on these rows"
    if joint.saving < 0.005:
        return f"as all_joint would with {joint.budget:,.0f} units, too"
    return f"for which all_joint needs {joint.budget:,.0f} units ({joint.saving:.0%} saved)"


def _spending(design: Design) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("rows", "buy", "share", "rows", "R", "T", "units")]
    for a in _counted(design):
        numbers = (a.n_rows, a.n_r, a.n_t, a.cost)
        rows.append((a.rows, a.buy, f"{a.share:.0%}", *(f"{n:,.0f}" for n in numbers)))
    return rows


def _strategies(design: Design) -> list[tuple[str, ...]]:
    head = ("at equal cost", *(f"width of {target}" for target in design.widths))
    rows: list[tuple[str, ...]] = [(*head, "saved at equal width")]
    digits = _decimals(design)
    rows.append(("this design", *(f"{w:.{digits}f}" for w in design.widths.values()), ""))
    for name, c in design.compared.items():
        saved = "never as narrow" if c.saving is None else f"{round(c.saving, 2) + 0.0:.0%}"
        rows.append((name, *(f"{w:.{digits}f}" for w in c.widths.values()), saved))
    return rows


def _footer(design: Design) -> str:
    if design.pool is None:
        rows = f"Rows are drawn fresh ({design.n_drawn:,.0f} of them), A seen on each for free."
    else:
        rows = "Pool: " + "; ".join(f"{n:,.0f} {kind}" for kind, n in design.pool.items()) + "."
    return (
        f"{rows} Widths by the Fisher information at the planning point, in expectation; "
        f"efficiency {design.efficiency:.6f} by the equivalence theorem."
    )


def design_text(design: Design) -> str:
    """The design as plain text."""
    prices = ", ".join(f"{label} {price:g}" for label, price in design.prices.items())
    aim = " + ".join(f"{weight:.2g} {t}" for t, weight in design.targets.items())
    head = f"Design({design.budget:,g} units, prices {prices}; {design.criterion} {aim})"
    if len(design.targets) == 1:
        head = f"Design({design.budget:,g} units, prices {prices}; {next(iter(design.targets))})"
    tables = [*aligned(_spending(design)), "", *aligned(_strategies(design))]
    return "\n".join([head, "", design.advice, "", *tables, "", _footer(design)])


def design_html(design: Design) -> str:
    """The design as HTML that takes its colours from the page around it."""
    parts = ['<div class="rat-design" style="font: inherit; line-height: 1.4">']
    parts.append(f"<p><strong>{html.escape(design.advice)}</strong></p>")
    parts += [html_table(_spending(design)), html_table(_strategies(design))]
    return "".join([*parts, f"<p>{html.escape(_footer(design))}</p></div>"])
