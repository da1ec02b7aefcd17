"""Posterior(s) as an ArviZ container: dims chain, draw, then group, judge and world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from rat_widgets._optional import require
from rat_widgets.errors import MissingPackageError
from rat_widgets.model.priors import is_rate, judge_keys

if TYPE_CHECKING:
    from rat_widgets.derived.posterior import Posterior

__all__ = ["to_arviz"]

_PLAIN = ("tpr[", "fpr[")


def to_arviz(posteriors: Sequence[Posterior], groups: Sequence[str] | None = None) -> Any:
    """The container of one posterior, or of several with a `group` dimension.

    Parameters
    ----------
    posteriors : sequence of Posterior
    groups : sequence of str or None
        Labels of the group coordinate; None for a single posterior without that dimension.
    """
    arviz = require("arviz", feature="to_arviz()", extra="arviz")
    if int(arviz.__version__.split(".")[0]) < 1:
        raise MissingPackageError.build(
            f"to_arviz() needs ArviZ 1.0 or newer; {arviz.__version__} is installed.",
            hint="pip install 'rat_widgets[arviz]' on Python 3.12 or newer.",
        )
    first = posteriors[0]
    keys = [k for k in first.quantities() if not is_rate(k)]
    variables = {key: _stack([p[key] for p in posteriors], groups) for key in keys}
    variables["world_probability"] = _stack([p.worlds for p in posteriors], groups)
    extra: list[str] = [] if groups is None else ["group"]
    dims = {key: [*extra] for key in keys} | {"world_probability": [*extra, "world"]}
    coords: dict[str, Any] = {"world": list(first.tree.names)}
    if groups is not None:
        coords["group"] = list(groups)
    if first.counts.judges:
        coords["judge"] = list(judge_keys(first.counts.judges))
        for rate in ("tpr", "fpr"):
            variables[rate] = _stack([getattr(p.draws, rate) for p in posteriors], groups)
            dims[rate] = [*extra, "judge"]
        for key in (k for k in first.quantities() if is_rate(k) and not k.startswith(_PLAIN)):
            variables[key] = _stack([p[key] for p in posteriors], groups)
            dims[key] = [*extra]
    attrs = {
        "inference_library": "rat_widgets",
        "engine": first.draws.engine,
        "seed": first.draws.seed,
        "policy": first.policy.name,
        "estimand": first.estimand,
    }
    return arviz.from_dict(
        {"posterior": variables}, coords=coords, dims=dims, attrs={"posterior": attrs}
    )


def _stack(arrays: Sequence[np.ndarray], groups: Sequence[str] | None) -> np.ndarray:
    """(chain, draw, ...) arrays as one, with the group after the draw."""
    return arrays[0] if groups is None else np.stack(arrays, axis=2)
