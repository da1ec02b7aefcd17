"""From what was given to posteriors: a frame is read and fitted, a posterior taken as it is."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from rat_widgets.derived.apart import kept_apart, set_apart
from rat_widgets.derived.cluster_bootstrap import (
    ENGINE,
    bootstrapped,
    fallback,
    read_cluster_method,
)
from rat_widgets.derived.notices import notices_of, pooled_column, pooled_text
from rat_widgets.derived.policy import Policy
from rat_widgets.derived.posterior import Posterior
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.derived.selection import (
    VERDICT,
    about_rates_only,
    anchored,
    chosen_by_outcome,
    without_outcome_labels,
)
from rat_widgets.derived.these_rows import read_estimand
from rat_widgets.errors import ArgumentError, ArgumentTypeError, RatWarning
from rat_widgets.inference.answerability import sample_answerability
from rat_widgets.inference.diagnose import Message
from rat_widgets.inference.draws import Draws, siblings_of
from rat_widgets.inference.engine import sample
from rat_widgets.labels.counts import PatternCounts
from rat_widgets.labels.table import Labels
from rat_widgets.model.priors import Priors, judge_keys

__all__ = [
    "FITTING",
    "as_fitted",
    "fit",
    "keywords_for",
    "posteriors_of",
    "posteriors_to_plan",
    "system_to_plan",
    "unpinned",
]

_READING: Final = tuple(inspect.signature(Labels.from_frame).parameters)[1:]
FITTING: Final = (
    "engine",
    "priors",
    "policy",
    "draws",
    "chains",
    "seed",
    "constraint",
    "exempt",
    "estimand",
    "cluster_method",
    "selection",
    "apart",
)


def fit(
    x: Any,
    *,
    engine: str = "auto",
    priors: Any = None,
    policy: str | Mapping[str, float] | Policy = "adherence",
    draws: int = 4000,
    chains: int = 4,
    seed: int = 0,
    constraint: str | None = None,
    exempt: Sequence[str] = (),
    estimand: str = "population",
    cluster_method: str = "deff",
    selection: str = "verdict",
    apart: Any = (),
    **columns: Any,
) -> Posterior | Posteriors:
    """The posterior of a table of labels.

    Parameters
    ----------
    x : frame, Labels or PatternCounts
        A frame is read by `Labels.from_frame` with the remaining keywords.
    engine : str
        "auto" takes "exact" where it is exact and quick, "hmc" else; ``posterior.draws.reason``
        says which and why.
    priors : None, "flat", "weak", "jeffreys", Priors or mapping
        Beta(1, 1) for every parameter unless told otherwise; "weak" takes judges to be better
        than a coin. See `Priors.from_spec`.
    policy : str or mapping
        "adherence", "task_success", "no_harm", or a weight per world; see `Policy.from_spec`.
    draws : int
        Draws over all chains.
    chains : int
        Number of chains.
    seed : int
        The same seed gives the same draws.
    constraint : None or "tpr>fpr"
        "tpr>fpr" says that every judge is better than a coin: the explicit way to tell mirror
        solutions apart where no person has labelled what the judges judge. A judge whose TPR or
        FPR the priors hold (`Priors.holding`) is exempt: what is held takes its place.
    exempt : sequence of str
        Keys of further judges that the constraint is not about.
    estimand : "population" or "these_rows"
        What the numbers are about: queries like these, or exactly the rows in hand, whose
        labels are known where they were seen. See `Posterior.for_these_rows`.
    cluster_method : "deff" or "bootstrap"
        What is done about a column of clusters (``cluster=``): counts are divided by the design
        effect, or where every label was seen clusters are drawn anew.
    selection : str
        How rows were chosen for human labels. "verdict": at random, by A or by a judge's verdict.
        "outcome": for what they turned out to be, so that the labels of R and T tell of the
        judges' rates only. Or a column that is true on the rows that were chosen by outcome.
    apart : group, or sequence of groups
        Groups that share nothing with the others: each is fitted by itself, with judges' rates
        of its own. A group is a value of the column `by`, a tuple of values of several columns,
        or what ``posts.judges_that_differ`` holds.
    **columns
        Keywords of `Labels.from_frame`.

    Returns
    -------
    Posterior, or Posteriors when the labels have groups (``by=``)

    Raises
    ------
    RatError
        For a table, argument or engine that is not accepted; the message says what is.
    """
    about = read_estimand(estimand)
    labels, counts = _read(x, columns)
    counts = set_apart(counts, apart)
    how_clusters = read_cluster_method(cluster_method, labels)
    chosen = Policy.from_spec(policy, counts.retrieval_levels)
    how: dict[str, Any] = {"engine": engine, "draws": draws, "chains": chains, "seed": seed}
    prior = Priors.from_spec(priors, counts.judges, counts.retrieval_levels)
    by_outcome = chosen_by_outcome(counts, labels, selection)
    told, believed = counts, prior
    if by_outcome is not None:
        _require_no_rows(about)
        told = without_outcome_labels(counts, by_outcome)
        believed = about_rates_only(counts, by_outcome, prior)
    free = _exempt(exempt, judge_keys(counts.judges))
    main = sample(told.without_answerable(), believed, constraint=constraint, exempt=free, **how)
    answerability = sample_answerability(told, believed, **how)
    beside = siblings_of(counts)
    drawn = [replace(one, counts=counts.group(i), siblings=beside[i]) for i, one in enumerate(main)]
    if by_outcome is not None:
        drawn = [anchored(one, counts, by_outcome, prior) for one in drawn]
    notices = () if labels is None else notices_of(labels)
    refused: Sequence[Message | None] = [None] * len(drawn)
    if labels is not None and how_clusters == "bootstrap":
        rows, refused = labels.clustered_rows(), [fallback(one) for one in drawn]
        drawn = [
            one
            if why is not None
            else bootstrapped(one, rows.of(one.counts.groups[0]), seed=one.seed)
            for one, why in zip(drawn, refused, strict=True)
        ]
    members = tuple(
        Posterior(
            draws=one,
            policy=chosen,
            answerability=answerability[i],
            labels=labels,
            group_index=i if counts.by else None,
            notices=_about(one, notices, refused[i]),
            estimand=about,
            rows_seed=one.seed if about == "these_rows" else 0,
            selection=selection,
        )
        for i, one in enumerate(drawn)
    )
    return Posteriors(members) if counts.by else members[0]


def _exempt(keys: object, known: tuple[str, ...]) -> tuple[str, ...]:
    """Keys of judges, all of which there are."""
    found = (keys,) if isinstance(keys, str) else keys
    if not isinstance(found, Sequence) or not all(key in known for key in found):
        raise ArgumentError.build(
            f"`exempt` is {keys!r:.80}.",
            accepted=f"Keys of judges: {', '.join(map(repr, known))}."
            if known
            else "There are no judges that the constraint could be about.",
        )
    return tuple(found)


def _require_no_rows(estimand: str) -> None:
    if estimand == "these_rows":
        raise ArgumentError.build(
            "estimand='these_rows' was given together with `selection`.",
            accepted="estimand='population' where labels were bought by outcome.",
        )


def _about(
    drawn: Draws, notices: tuple[Message, ...], refused: Message | None
) -> tuple[Message, ...]:
    """The notices that are about these draws: of drawn clusters none divides the counts."""
    if drawn.engine == ENGINE:
        return tuple(message for message in notices if message.code != "clusters")
    return notices if refused is None else (*notices, refused)


def _read(x: Any, columns: Mapping[str, Any]) -> tuple[Labels | None, PatternCounts]:
    if isinstance(x, (Posterior, Posteriors)):
        raise ArgumentTypeError.build(
            "fit() got a posterior, which is fitted already.",
            accepted="A data frame, Labels or PatternCounts.",
        )
    if isinstance(x, (Labels, PatternCounts)):
        if columns:
            raise ArgumentTypeError.build(
                f"`{next(iter(columns))}` was given together with {type(x).__name__}.",
                accepted="Keywords of Labels.from_frame go with a data frame only.",
                hint="name the columns when making the Labels.",
            )
        return (x, x.counts) if isinstance(x, Labels) else (None, x)
    _known(columns, _READING, "fit()")
    labels = Labels.from_frame(x, **columns)
    return labels, labels.counts


def _known(keywords: Mapping[str, Any], accepted: tuple[str, ...], function: str) -> None:
    for name in keywords:
        if name not in accepted:
            raise ArgumentTypeError.build(
                f"{function} has no keyword {name!r}.",
                accepted=f"Known are {', '.join(accepted)}.",
            )


def posteriors_of(
    x: Any, keywords: Mapping[str, Any], function: str = "tree()"
) -> tuple[Posterior, ...]:
    """One posterior per group, of anything that `tree` takes; `function` stands in errors."""
    if isinstance(x, (Posterior, Posteriors)):
        _known(keywords, ("policy",), f"{function} of a posterior")
        if "policy" in keywords:
            x = x.with_policy(keywords["policy"])
        return (x,) if isinstance(x, Posterior) else x.members
    _known(keywords, (*FITTING, *_READING), function)
    fitted = fit(x, **keywords)
    return (fitted,) if isinstance(fitted, Posterior) else fitted.members


def posteriors_to_plan(x: Any, keywords: Mapping[str, Any], function: str) -> tuple[Posterior, ...]:
    """`posteriors_of`, with a warning where a table of many systems is planned as one.

    Warns
    -----
    RatWarning
    """
    _require_population(x, keywords, function)
    found = posteriors_of(x, keywords, function)
    if not isinstance(x, (Posterior, Posteriors)):
        _warn_of_a_pool(found[0].labels)
    return found


def system_to_plan(x: Any, keywords: Mapping[str, Any], function: str) -> Posterior:
    """The posterior of the one system that a plan is made for.

    Raises
    ------
    ArgumentError
        When there are several; of a table before anything is fitted.
    """
    _require_population(x, keywords, function)
    if isinstance(x, (Posterior, Posteriors)):
        one = posteriors_of(x, keywords, function)
        _require_one_system([p.counts for p in one], function)
        return one[0]
    _known(keywords, (*FITTING, *_READING), function)
    fitting = {name: value for name, value in keywords.items() if name in FITTING}
    labels, counts = _read(x, {n: v for n, v in keywords.items() if n not in FITTING})
    _require_one_system([counts.group(i) for i in range(counts.n_groups)], function)
    _warn_of_a_pool(labels)
    return posteriors_of(counts if labels is None else labels, fitting, function)[0]


def _require_population(x: Any, keywords: Mapping[str, Any], function: str) -> None:
    """A plan is about labels that are yet to be, of queries like these."""
    is_fitted = isinstance(x, (Posterior, Posteriors))
    if (x.estimand if is_fitted else keywords.get("estimand")) == "these_rows":
        raise ArgumentError.build(
            f"{function} got estimand='these_rows'.",
            accepted="estimand='population': a plan is about queries like these.",
            hint="post.for_population() has the same draws." if is_fitted else None,
        )
    selection = x.selection if is_fitted else keywords.get("selection", VERDICT)
    if selection != VERDICT:
        raise ArgumentError.build(
            f"{function} got labels that were bought by outcome, selection={selection!r}.",
            accepted="Labels bought at random, by A or by verdict: plans take them for that.",
        )


def _warn_of_a_pool(labels: Labels | None) -> None:
    column = None if labels is None else pooled_column(labels)
    if column is not None:
        warnings.warn(
            f"{pooled_text(column)} If it names systems, a plan for the pool is a plan for none "
            f"of them: fit with by={column!r} and plan one, `posts.sel(...)`.",
            RatWarning,
            stacklevel=4,
        )


def _require_one_system(groups: Sequence[PatternCounts], function: str) -> None:
    if len(groups) == 1:
        return
    by, first = groups[0].by, groups[0].groups[0]
    pairs = list(zip(by, first, strict=True))
    chosen = ", ".join(f"{column}={value!r}" for column, value in pairs)
    if not all(column.isidentifier() for column in by):
        chosen = "**{" + ", ".join(f"{column!r}: {value!r}" for column, value in pairs) + "}"
    names = ", ".join(repr(g.groups[0][0] if len(by) == 1 else g.groups[0]) for g in groups[:3])
    raise ArgumentError.build(
        f"{function} got {len(groups)} systems, by {' and '.join(by)}: {names}"
        f"{', ...' if len(groups) > 3 else ''}.",
        accepted="One system: a table of its rows alone, or its posterior.",
        hint=f"posts = rat.fit(df, by={(by[0] if len(by) == 1 else list(by))!r}), then "
        f"rat.{function[:-2]}(posts.sel({chosen})).",
    )


def unpinned(x: Any) -> tuple[Any, dict[str, float]]:
    """A posterior without its pins, which become controls, so that they can be moved."""
    if not isinstance(x, (Posterior, Posteriors)):
        return x, {}
    first = x if isinstance(x, Posterior) else x.members[0]
    return x.unpin(), dict(first.pins)


def as_fitted(x: Any) -> dict[str, Any]:
    """Keywords that fit other data as a posterior was fitted; none for what is not one."""
    if not isinstance(x, (Posterior, Posteriors)):
        return {}
    first = x if isinstance(x, Posterior) else x.members[0]
    drawn = first.draws
    about: dict[str, Any] = {"estimand": first.estimand} if first.is_of_rows else {}
    about |= {"cluster_method": "bootstrap"} if drawn.engine == ENGINE else {}
    about |= {} if first.selection == VERDICT else {"selection": first.selection}
    apart = [] if isinstance(x, Posterior) else [key for p in x for key in p.counts.apart]
    about |= {"apart": apart} if apart else {}
    return about | {
        "priors": drawn.priors,
        "draws": drawn.n_chains * drawn.n_draws,
        "chains": drawn.n_chains,
        "seed": drawn.seed,
        "constraint": "tpr>fpr" if "constraint" in drawn.diagnosis.codes else None,
        "exempt": drawn.exempt,
    }


def keywords_for(data: Any, keywords: Mapping[str, Any]) -> dict[str, Any]:
    """Of the keywords that a table was fitted with, those to fit other data with.

    None for what is fitted already. Groups that were `apart` and are not there are left out.
    """
    if isinstance(data, (Posterior, Posteriors)):
        return {}
    kept = {name: value for name, value in keywords.items() if name in FITTING}
    counts = data.counts if isinstance(data, Labels) else data
    if "apart" in kept and isinstance(counts, PatternCounts):
        kept["apart"] = kept_apart(kept["apart"], counts)
    return kept
