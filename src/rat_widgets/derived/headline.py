"""A posterior in one line: the numbers that its labels speak of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rat_widgets.derived.quantities import POLICY
from rat_widgets.inference.diagnose_hidden import is_told_of
from rat_widgets.model.worlds import worlds_of

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior
    from rat_widgets.labels.counts import PatternCounts

__all__ = ["headline"]


def headline(post: Posterior) -> str:
    """Rows, P(T) and the policy; of a table of retrieval alone what it says of R."""
    who = ", ".join(f"{k}={v!r}" for k, v in post.group.items())
    pins = "".join(f"what if {name}={value:g}, " for name, value in post.pins.items())
    of = "of these rows: " if post.is_of_rows else ""
    is_about_r = is_told_of([post.counts], "retrieval") and not is_told_of([post.counts], "task")
    shown = _of_retrieval(post.counts) if is_about_r else ("task_success", POLICY)
    numbers = ", ".join(f"{key} {post[key].mean():.3f}" for key in shown)
    policy = "" if is_about_r else f"policy {post.policy.name!r}, "
    return (
        f"Posterior({who + ': ' if who else ''}{post.counts.n_rows:,} rows, {of}{numbers}, "
        f"{policy}engine {post.engine!r}, {pins}"
        f"{'trustworthy' if post.diagnosis.ok else 'see .diagnosis'})"
    )


def _of_retrieval(counts: PatternCounts) -> tuple[str, ...]:
    tree = worlds_of(counts.retrieval_levels)
    if tree.n_levels == 2:
        return ("retrieval_success",)
    return tuple(f"retrieval[{level}]" for level in tree.levels)
