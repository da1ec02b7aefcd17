"""The bundled tables by name."""

from __future__ import annotations

import difflib
import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, Literal, overload

from rat_widgets.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from rat_widgets.model.theta import Theta

__all__ = ["about", "list", "load", "names", "table_names"]

_TABLES: Final = ("ray_docs", "squad_mistral")

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
def load(name: Literal["ray_docs", "squad_mistral"]) -> pd.DataFrame: ...
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
        ``"qwen"``, ``"apertus"``: points of the parameter space.

    Returns
    -------
    pandas.DataFrame or Theta
        A table has the columns item, system, (seed,) R, A, T, one row per answer; its ``attrs``
        hold name, title, source, licence, attribution, citation, changes and notes.

    Raises
    ------
    ArgumentError
        When there is no data set of this name.

    Examples
    --------
    >>> df = load("ray_docs")
    >>> df.shape, df.attrs["licence"]
    ((8496, 5), 'CC-BY-4.0')
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

    rows: dict[str, Any] = {}
    for block in _read(f"{name}.json")["blocks"]:
        items = block["items"]
        for system, digits in block["systems"].items():
            shared = {key: value for key, value in block.items() if key not in ("items", "systems")}
            labels = [int(digit) for digit in digits]
            columns = {
                "item": items,
                "system": [system] * len(items),
                **{key: [value] * len(items) for key, value in shared.items()},
                "R": [code >> 2 for code in labels],
                "A": [code >> 1 & 1 for code in labels],
                "T": [code & 1 for code in labels],
            }
            for column, values in columns.items():
                rows.setdefault(column, []).extend(values)
    frame = pd.DataFrame(rows)
    frame.attrs.update(about(name))
    return frame


def _read(file: str) -> dict[str, Any]:
    text = resources.files("rat_widgets.datasets").joinpath(file).read_text(encoding="utf-8")
    return dict(json.loads(text))
