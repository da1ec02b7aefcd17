"""The bundled tables by name."""

from __future__ import annotations

import difflib
import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from rat_widgets.datasets.columns import columns_of
from rat_widgets.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from rat_widgets.model.theta import Theta

__all__ = ["about", "list", "load", "names", "table_names"]

_TABLES: Final = ("ray_docs", "squad_mistral", "mtrag_human", "openqa_nq301", "llmjudge_r")

# The worked examples of the paper: HotpotQA with hybrid retrieval. Two of the five
# probabilities are not published; they are solved for from the published information gains.
_POINTS: Final = {
    "qwen": (0.2078, 0.4632, 0.0360, 0.4447, 0.6809),
    "apertus": (0.2072, 0.0390, 0.0050, 0.2585, 0.5157),
}
_POINTS_ABOUT: Final = {
    "title": "reference point of a system on HotpotQA with hybrid retrieval",
    "source": "arXiv 2608.24753, with retrieval_success and correct_given_miss solved for from "
    "the published information gains",
    "licence": "facts, not subject to copyright",
    "citation": "von Däniken, Saaro, Cieliebak, Deriu (2026). The RAT: A Unified Bayesian Model "
    "for RAG Evaluation. arXiv 2608.24753.",
    "notes": "A point of the parameter space, not a table: give it to `rat.simulate`.",
}


def names() -> tuple[str, ...]:
    """What `load` knows."""
    return (*_TABLES, *_POINTS)


def table_names() -> tuple[str, ...]:
    """Those that are tables of labels, not points of the parameter space."""
    return tuple(_TABLES)


list = names  # noqa: A001 - `rat.datasets.list()` is what people try first


def about(name: str) -> dict[str, str]:
    """Title, source, licence, citation and notes of a data set.

    Raises
    ------
    ArgumentError
        When there is no data set of this name.
    """
    _require_known(name)
    if name in _POINTS:
        return {"name": name, **_POINTS_ABOUT}
    return _read(f"{name}.about.json")


@overload
def load(
    name: Literal["ray_docs", "squad_mistral", "mtrag_human", "openqa_nq301", "llmjudge_r"],
) -> pd.DataFrame: ...
@overload
def load(name: Literal["qwen", "apertus"]) -> Theta: ...
@overload
def load(name: str) -> Any: ...
def load(name: str) -> Any:
    """A bundled data set.

    Parameters
    ----------
    name : str
        ``"ray_docs"``: 48 systems on the same 177 questions over the Ray documentation.
        ``"squad_mistral"``: three retrieval conditions, five seeds, 7,500 rows.
        ``"mtrag_human"``: three answerers on 159 turns of conversations, votes of seven people,
        a judge, and R in the levels none, partial, all.
        ``"openqa_nq301"``: 12 systems on 301 questions, people's labels of T beside four judges;
        no R.
        ``"llmjudge_r"``: 4,423 pairs of a query and a passage, people's grades of R from 0 to 3
        beside those of eight judges; no A, no T.
        ``"qwen"``, ``"apertus"``: points of the parameter space.

    Returns
    -------
    pandas.DataFrame or Theta
        A table has the columns item, system (where there are several), R, A, T (where known) and
        others of its own, one row per answer; its ``attrs`` hold name, title, source, licence,
        attribution, citation, changes and notes. A column of numbers with gaps is of pandas'
        ``Int64``.

    Raises
    ------
    ArgumentError
        When there is no data set of this name.

    Examples
    --------
    >>> df = load("ray_docs")
    >>> df.shape, df.attrs["licence"]
    ((8496, 5), 'CC-BY-4.0')
    >>> load("mtrag_human")["R"].value_counts(dropna=False).tolist()
    [405, 45, 21, 6]
    """
    _require_known(name)
    if name in _POINTS:
        from rat_widgets.model.theta import Theta

        return Theta.from_array(_POINTS[name])
    return _table(name)


def _require_known(name: object) -> None:
    if isinstance(name, str) and name in names():
        return
    close = difflib.get_close_matches(str(name), names(), n=1)
    raise ArgumentError.build(
        f"There is no data set called {name!r}.",
        accepted=f"There are {', '.join(map(repr, names()))}.",
        hint=f"did you mean {close[0]!r}?" if close else None,
    )


def _table(name: str) -> pd.DataFrame:
    import pandas as pd

    columns = columns_of(_read(f"{name}.json"))
    frame = pd.DataFrame(columns)
    for column, values in columns.items():
        if None in values and not any(isinstance(value, str) for value in values):
            frame[column] = pd.array(values, dtype="Int64")
    frame.attrs.update(about(name))
    return frame


def _read(file: str) -> dict[str, Any]:
    text = resources.files("rat_widgets.datasets").joinpath(file).read_text(encoding="utf-8")
    return dict(json.loads(text))
