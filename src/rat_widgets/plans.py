"""Plans: what is asked of `planning` with a frame, Labels, a posterior or a point."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_widgets.derived.intervals import read_interval
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.errors import ArgumentError, ArgumentTypeError, RatWarning
from rat_widgets.fitting import posteriors_to_plan, system_to_plan
from rat_widgets.labels.table import Labels
from rat_widgets.model.theta import GradedTheta, Theta

if TYPE_CHECKING:
    import pandas as pd

    from rat_widgets.derived.policy import Policy
    from rat_widgets.planning.assurance import Assurance
    from rat_widgets.planning.design import Design

__all__ = ["assurance", "information", "next_labels", "optimal_design"]


def information(
    x: Any,
    *,
    policy: str | Mapping[str, float] | Policy | None = None,
    prices: Mapping[str, float] | None = None,
    strategies: Any = None,
    judges: Any = None,
    ci_prob: float = 0.95,
    **keywords: Any,
) -> pd.DataFrame:
    """How many bits about G a row tells under each labelling strategy, beyond its A.

    Parameters
    ----------
    x : Theta, GradedTheta, Posterior(s), Labels or frame
        A frame or Labels are fitted first. An array of draws of theta, shape (..., 5), is taken,
        too.
    policy : str or mapping, optional
        What G is: a preset, or 0 and 1 per world. A posterior's own, else "adherence".
    prices : mapping, optional
        What a label of R and one of T cost; 1 each when left out.
    strategies : optional
        All that have a name by default; or some of them, mixtures and functions, see `Strategy`.
    judges : optional
        With a Theta, judges and their rates as `simulate` takes them. With a frame, its columns
        of verdicts. They are what ``judge_only`` tells; labels are counted without them.
    ci_prob : float
        Probability inside the intervals.
    **keywords
        Those of `fit`.

    Returns
    -------
    DataFrame
        Index: the strategy, after the groups when there are some. ``bits``, the mean over draws
        of H(G|A) - H(G|A, labels) on a row; ``bits_per_cost``, by the expected cost of its
        labels, missing where nothing is paid or a judge has no `cost`; of a posterior ``lower``
        and ``upper``, the interval of the bits.
    """
    import pandas as pd

    from rat_widgets.planning.information import information_table

    asked = {"policy": policy, "prices": prices, "strategies": strategies, "ci_prob": ci_prob}
    if _is_theta(x):
        _none_of(keywords, "information() of a Theta")
        return information_table(x, judges=judges, **asked)
    columns = keywords if judges is None else {**keywords, "judges": judges}
    posteriors = posteriors_to_plan(x, columns, "information()")
    tables = [information_table(post, **asked) for post in posteriors]
    by = posteriors[0].counts.by
    if not by or isinstance(x, Posterior):
        return tables[0]
    keys = [p.counts.groups[0] for p in posteriors]
    return pd.concat(tables, keys=keys if len(by) > 1 else [k[0] for k in keys], names=[*by])


def optimal_design(
    x: Any,
    *,
    target: str | Sequence[str] | Mapping[str, float] = "policy_adherence",
    prices: Mapping[str, float] | None = None,
    budget: float = 500,
    already: Any = None,
    pool: Any = None,
    criterion: str = "weighted",
    policy: str | Mapping[str, float] | Policy | None = None,
    ci_prob: float = 0.95,
    **keywords: Any,
) -> Design:
    """What to spend a budget on so that an interval gets as narrow as it can (c-optimal).

    Parameters
    ----------
    x : Theta, GradedTheta, Posterior, Labels or frame
        One system; where the plan is made is the truth as supposed (with flat priors), or the
        posterior mean. A table with several systems is pooled, with a warning: fit it with
        ``by=`` and plan one of ``posts.sel(...)``.
    target : str, sequence or mapping
        A quantity (``"policy_adherence"``, ``"task_success"``, ...) or a judge's rate; several,
        or quantity -> weight.
    prices : mapping, optional
        What a label of R and one of T cost; 1 each when left out. T where A=1 is never bought.
    budget : float
        Units to spend.
    already : int, PatternCounts, Labels, Posterior or frame, optional
        Labels that there are; a number stands for so many rows with R, A and T. By default those
        that `x` was fitted to, and none of a Theta.
    pool : int, mapping, PatternCounts, Labels, frame or "fresh", optional
        Rows whose A is seen and that may be labelled: how many, made up as the point predicts;
        ``{"abstained": 400, "answered": 600}``; or a table, whose rows with a label of R or T
        still to buy count. No more can be bought than there are. "fresh": rows are drawn as they
        are needed, A seen on each, in the proportion P(A). By default the rows of `x` that lack
        labels, and fresh ones where there are none.
    criterion : {"weighted", "minimax"}
        With several targets: the weighted sum of their variances, or the largest.
    policy : str or mapping, optional
        What policy_adherence stands for; a posterior's own, else "adherence".
    ci_prob : float
        Probability inside the intervals whose widths are given.
    **keywords
        Those of `fit`, for Labels and frames.

    Returns
    -------
    Design
        Shares of the spending by kind of row and what is bought there, expected widths, savings
        against the named strategies, one sentence of advice.

    Raises
    ------
    ArgumentError
        For several systems, prices that are not positive, a budget below one label, an unknown
        target, or when no label that can be bought tells anything about the target.

    Warns
    -----
    RatWarning
        When the rows of several systems seem to be pooled.

    Notes
    -----
    Optimal at this point, in expectation, among purchases of one label after another on rows of
    one kind. Everything is to first order: the Fisher information and the delta method.
    """
    from rat_widgets.planning.optimal import best_design

    if _is_theta(x):
        _none_of(keywords, "optimal_design() of a Theta")
    else:
        x = system_to_plan(x, keywords, "optimal_design()")
    return best_design(
        x,
        target=target,
        prices=prices,
        budget=budget,
        already=_table_read(already),
        pool=_table_read(pool),
        criterion=criterion,
        policy=policy,
        ci_prob=ci_prob,
    )


def next_labels(
    x: Any,
    *,
    k: int = 50,
    target: str = "policy_adherence",
    prices: Mapping[str, float] | None = None,
    policy: str | Mapping[str, float] | Policy | None = None,
    ci_prob: float = 0.95,
    seed: int = 0,
    **keywords: Any,
) -> pd.DataFrame:
    """The labels to buy next, row by row, in order.

    Label some, write them into the table, ask again: what came out decides what is worth asking
    next.

    Parameters
    ----------
    x : frame, Labels, Posterior or Posteriors
        Rows whose A is seen and that lack R, or T of an answer, can be labelled; errored rows
        are left alone.
    k : int
        Labels, not rows. The fewer at a time, the more of them know what came out before.
    target : str
        A quantity (``"policy_adherence"``, ``"task_success"``, ...) or a judge's rate.
    prices : mapping, optional
        What a label of R and one of T cost; 1 each when left out. T where A=1 is never bought.
    policy : str or mapping, optional
        What policy_adherence stands for; a posterior's own, else "adherence".
    ci_prob : float
        Probability inside the interval whose width is given.
    seed : int
        Rows that show the same come in random order; of a table also the seed of its fit.
    **keywords
        Those of `fit`, for Labels and frames.

    Returns
    -------
    DataFrame
        Index: the rank, from 1. ``row``, as the index of a pandas frame has it, else the position
        from 0; ``item``, when there is such a column; ``label``, "R" or "T"; ``then``, what is
        worth buying on the row once that is seen ("T where R=1"; it is not counted in what
        follows); ``seen``, what the row shows; ``shrinkage_per_unit``, by how much the interval
        is expected to narrow for each unit that the label, and what comes then, costs; ``cost``,
        units so far; ``width``, expected width of the interval after this label. With groups,
        the columns of `by` first. ``attrs["note"]`` says in a sentence what the queue comes to.

    Raises
    ------
    ArgumentError
        For an unknown target, prices that are not positive, or a table without A.
    NoRowsError
        For a posterior that came without rows.

    Warns
    -----
    RatWarning
        When there are fewer than `k` labels left that tell anything about the target; when the
        rows of several systems seem to be pooled.

    Notes
    -----
    Greedy, by the Fisher information at the posterior mean, which grows after each pick by what
    the label is expected to tell, given what the row shows, verdicts of judges included. The
    second label of a row comes in the same queue only when nothing else is left. With groups each
    label counts for the interval of its own system, and the sum of the widths falls fastest; one
    system alone is ``posteriors.sel(...)``.
    """
    from rat_widgets.planning.patterns import Prices
    from rat_widgets.planning.queue_table import queue_table

    n, price = _at_least(k, "k", 1), Prices.of(prices)
    ci_prob, _ = read_interval(ci_prob, "eti")
    if not isinstance(target, str):
        raise ArgumentTypeError.build(
            f"`target` is {target!r:.80}.",
            accepted="One target: a queue makes one interval narrow.",
            hint="rat.optimal_design weighs several.",
        )
    first = _at_least(seed, "seed", 0)
    if not isinstance(x, (Posterior, Posteriors)):
        keywords = {**keywords, "seed": first}
    table = queue_table(
        posteriors_to_plan(x, keywords, "next_labels()"),
        k=n,
        target=target,
        prices=price,
        policy=policy,
        ci_prob=ci_prob,
        seed=first,
    )
    if len(table) < n:
        warnings.warn(table.attrs["note"], RatWarning, stacklevel=2)
    return table


def assurance(
    x: Any,
    *,
    target: str = "policy_adherence",
    above: float | None = None,
    below: float | None = None,
    against: Any = None,
    level: float = 0.95,
    strategy: Any = "r_then_t",
    budgets: float | Sequence[float] | None = None,
    probability: float = 0.8,
    prices: Mapping[str, float] | None = None,
    n0: int | None = None,
    replications: int = 400,
    seed: int = 0,
    policy: str | Mapping[str, float] | Policy | None = None,
    **keywords: Any,
) -> Assurance:
    """How likely a purchase of labels is to settle a decision, and how many that takes.

    Parameters
    ----------
    x : Theta, Posterior, Labels or frame
        What is known: a truth that is supposed, or a posterior, through whose draws the
        simulated purchases go.
    target : str
        A quantity.
    above, below : float
        The claim: the target is above, or below, this line.
    against : Theta, Posterior, Labels or frame, optional
        Another system. The claim is then about the difference of `x` less this one, above 0
        unless told otherwise. The two are labelled independently, not on the same items.
    level : float
        Posterior probability that confirms the claim; that of its opposite refutes it.
    strategy : str, Strategy, mapping, function, Design or "optimal"
        How the budget is spent; "optimal" makes the best design for each budget.
    budgets : float or sequence of float, optional
        Units, for each system. Left out, the smallest budget is looked for that confirms the
        claim with `probability`, or, where none can, settles it one way or the other.
    probability : float
        What is asked of a budget.
    prices : mapping, optional
        What a label of R and one of T cost; 1 each when left out.
    n0 : int, optional
        Joint rows that there are before the purchase, drawn anew each time: 100 with a Theta,
        else the rows in hand.
    replications : int
        Simulated purchases per budget.
    seed : int
        The same seed gives the same numbers.
    policy : str or mapping, optional
        What policy_adherence stands for; a posterior's own, else "adherence".
    **keywords
        With a Theta ``priors`` and ``judges`` (as `simulate` takes them); else those of `fit`.

    Returns
    -------
    Assurance
        ``table()``: by budget the share of purchases that confirm the claim (``assurance``),
        refute it, or either (``settled``), with Monte Carlo errors, and the smallest distance
        from the line that is confirmed with `probability` (``detectable``);
        ``smallest_budget``; ``advice`` in one sentence.

    Raises
    ------
    ArgumentError, ArgumentTypeError
        When the claim is not clear, and for whatever `study_allocation` refuses.

    Notes
    -----
    New rows are rows of their own, A seen on each, as in `study_allocation`. As budgets grow,
    the assurance gets to the probability that the claim is true: a large budget confirms it
    where it is.
    """
    from rat_widgets.planning.assurance_read import assurance_of, read_claim
    from rat_widgets.planning.patterns import Prices

    is_difference = against is not None
    claim = read_claim(target, above=above, below=below, is_difference=is_difference, level=level)
    given = [x, against] if is_difference else [x]
    of_theta = {name: keywords[name] for name in ("priors", "judges") if name in keywords}
    systems = [_one_system(one, keywords) for one in given]
    return assurance_of(
        tuple(systems),
        claim,
        budgets=budgets,
        strategy=strategy,
        prices=Prices.of(prices),
        probability=probability,
        n0=n0,
        replications=replications,
        seed=_at_least(seed, "seed", 0),
        policy=policy,
        **(of_theta if any(isinstance(one, Theta) for one in systems) else {}),
    )


def _one_system(x: Any, keywords: Mapping[str, Any]) -> Theta | Posterior:
    if isinstance(x, Theta):
        rest = {k: v for k, v in keywords.items() if k not in ("priors", "judges")}
        _none_of(rest, "assurance() of a Theta")
        return x
    return system_to_plan(x, keywords, "assurance()")


def _at_least(value: Any, name: str, least: int) -> int:
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole:
        raise ArgumentTypeError.build(f"`{name}` is {value!r:.80}.", accepted="A whole number.")
    if value < least:
        raise ArgumentError.build(f"`{name}` is {value!r}.", accepted=f"{least} or more.")
    return int(value)


def _is_theta(x: Any) -> bool:
    """Whether `x` is a point of the parameter space, or draws of it."""
    return isinstance(x, (Theta, GradedTheta, list, tuple)) or type(x).__module__ == "numpy"


def _none_of(keywords: Mapping[str, Any], function: str) -> None:
    for name in keywords:
        raise ArgumentTypeError.build(
            f"{function} has no keyword {name!r}.",
            accepted="Keywords of `fit` go with a table of labels.",
        )


def _table_read(x: Any) -> Any:
    """A frame as Labels; anything else as it is."""
    return Labels.from_frame(x) if hasattr(x, "columns") and not hasattr(x, "counts") else x
