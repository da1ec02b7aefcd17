"""What partial pooling found of the systems, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from rat_widgets.derived.intervals import credible_interval
from rat_widgets.errors import ArgumentError

if TYPE_CHECKING:
    from rat_widgets.inference.draws import Pooling

__all__ = ["pooling_table"]


def pooling_table(pooling: Pooling | None) -> pd.DataFrame:
    """Typical value and spread of each pooled probability; see `Posteriors.pooling`.

    Raises
    ------
    ArgumentError
        When nothing was pooled.
    """
    if pooling is None:
        raise ArgumentError.build(
            "These systems were not pooled: each was fitted by itself.",
            accepted="Posteriors of several groups with a judge that is pooled over them.",
            hint='rat.Judge("verdict", of="task", share="partial")',
        )
    columns: dict[str, Any] = {}
    for name, draws in (("typical", 1 / (1 + np.exp(-pooling.mu))), ("tau", pooling.tau)):
        flat = draws.reshape(-1, len(pooling.names)).T
        lower, upper = credible_interval(flat, ci_prob=0.95, ci_kind="eti")
        columns |= {name: flat.mean(axis=1), f"{name}_lower": lower, f"{name}_upper": upper}
    return pd.DataFrame(columns, index=pd.Index(pooling.names, name="probability"))
