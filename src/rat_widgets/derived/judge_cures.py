"""Judges with what was found of their errors let in."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from rat_widgets.derived.judge_findings import JudgeFinding
from rat_widgets.derived.shared_judges import JudgeDiffers
from rat_widgets.errors import ArgumentError, ArgumentTypeError
from rat_widgets.labels.judges import Judge
from rat_widgets.model.priors import judge_keys

__all__ = ["cured"]

_One = TypeVar("_One")


def cured(
    judges: Sequence[Judge],
    findings: Iterable[JudgeFinding],
    *,
    differs: Iterable[JudgeDiffers] = (),
) -> tuple[Judge, ...]:
    """The judges with the cure of everything that was found.

    Parameters
    ----------
    judges : sequence of Judge
        Those of the fit: ``post.counts.judges``.
    findings : iterable of JudgeFinding
        ``post.judge_findings``; of several systems those of all.
    differs : iterable of JudgeDiffers
        ``posts.judges_that_differ``: judges that are not the same for all systems get
        ``share="partial"``. To fit such systems by themselves leave it out, and say
        ``rat.fit(..., apart=posts.judges_that_differ)``.

    Returns
    -------
    tuple of Judge
        In the same order. A judge whose errors were found to depend on two things is saturated,
        which lets in both.

    Raises
    ------
    ArgumentError
        When a finding is about none of these judges.
    ArgumentTypeError
        For anything but judges and what was found of them.

    Examples
    --------
    >>> from rat_widgets.derived.judge_cures import cured
    >>> judge = Judge("verdict", of="task")
    >>> cured([judge], []) == (judge,)
    True
    """
    given = _read(judges, Judge, "judges", "A sequence of rat.Judge.")
    of_errors = "What was found of judges' errors, as a posterior has it."
    found = _read(findings, JudgeFinding, "findings", of_errors)
    odd = _read(differs, JudgeDiffers, "differs", "What `posts.judges_that_differ` has.")
    cures = _cures(judge_keys(given), found)
    pooled = _pooled(given, {one.judge for one in odd})
    return tuple(
        _with_cure(judge, cures[key]) if key in cures else judge
        for key, judge in zip(judge_keys(given), pooled, strict=True)
    )


def _pooled(judges: tuple[Judge, ...], odd: set[int]) -> tuple[Judge, ...]:
    """The judges, with rates that are pooled of those at the positions `odd`."""
    if odd and max(odd) >= len(judges):
        raise ArgumentError.build(
            f"`differs` is about judge number {max(odd) + 1}, and there are {len(judges)} judges.",
            accepted="The judges of the fit that `differs` is from, in their order.",
        )
    return tuple(
        replace(judge, share="partial") if j in odd else judge for j, judge in enumerate(judges)
    )


def _cures(keys: tuple[str, ...], found: Iterable[JudgeFinding]) -> dict[str, dict[str, str]]:
    """Key of a judge -> its cure; of what was found twice, that which lets in both."""
    cures: dict[str, dict[str, str]] = {}
    for finding in found:
        for key in finding.judges:
            if key not in keys:
                raise ArgumentError.build(
                    f"A finding is about the judge {key!r}, which is not among the judges.",
                    accepted=f"Findings about {', '.join(map(repr, keys)) or 'no judge at all'}.",
                    hint="rat.cured(post.counts.judges, post.judge_findings)",
                )
            known = cures.get(key, finding.cure)
            cures[key] = finding.cure if known == finding.cure else {"dependence": "saturated"}
    return cures


def _read(values: Any, one: type[_One], name: str, accepted: str) -> tuple[_One, ...]:
    """Several values of one kind, of a generator too."""
    is_many = isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping, one))
    read = tuple(values) if is_many else (None,)
    if not all(isinstance(value, one) for value in read):
        raise ArgumentTypeError.build(
            f"`{name}` of cured() is {values!r:.80}.",
            accepted=accepted,
            hint="rat.cured(judges, post.judge_findings), with the judges of the fit.",
        )
    return read


def _with_cure(judge: Judge, cure: dict[str, Any]) -> Judge:
    if judge.dependence == "saturated":
        return judge
    depends_on = cure.get("depends_on")
    if depends_on is None or judge.depends_on not in (None, depends_on):
        return replace(judge, depends_on=None, dependence="saturated")
    return replace(judge, depends_on=depends_on)
