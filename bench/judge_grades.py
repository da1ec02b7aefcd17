"""Graded judges on real grades: 100 labels by people and one judge's verdicts on all 4,423 pairs.

`llmjudge_r` has people's grades on every pair, so that P(grade) is known once nothing is hidden.
People's grades are left on 100 pairs, and each judge in turn gives its verdict on all. Pairs to
label are drawn at random, or 20 of each of five queries, as people do who read a query once; the
queries by how many pairs they have, so that every pair is as likely as another.

Truth and verdict are read at 2 ("relevant" or not), or in their grades, with clusters named or not.
Beside that, people's labels alone and, for "relevant", PPI++ by its formula; and two judges that
err together, taken as independent and as saturated.

All 33 judges of the source where it is beside the repository, else the eight that are bundled.
``RAT_BENCH_TABLES`` sets the number of tables per judge (4). Everything goes to
``bench/results/judge_grades.json``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from judge_scores import Score, save
from these_rows import ppi

from rat_widgets.datasets import load
from rat_widgets.derived.posteriors import Posteriors
from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge

N_HUMAN: Final = 100
DESIGNS: Final = ("pairs at random", "20 pairs of each of 5 queries")
GRADES: Final = (0, 1, 2, 3)
TOGETHER: Final = ("willia-umbrela1", "h2oloo-zeroshot1")
_SOURCE: Final = Path(__file__).resolve().parents[2] / "shared" / "data" / "llmjudge_r.csv"

# So many times as many tables are for the two judges together.
_OF_TWO: Final = 10

Ends = np.ndarray  # shape (table, 2)
Fitted = dict[str, Ends]


def rows() -> list[dict[str, Any]]:
    """For each design and method: coverage of P(relevant) and of P(grade), with the widths."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "4"))
    grades, queries = source()
    found: dict[str, dict[str, Any]] = {}
    for design in DESIGNS:
        for method, fitted in of_each(design, grades, queries, n_tables).items():
            found[f"{design}, {method}"] = summed(fitted, grades["R"].to_numpy())
    save("judge_grades", {"n_tables": n_tables, "methods": found}, versions())
    return [
        {
            "name": f"{name}, {target}; width {score['width']:.3f}",
            "value": score["coverage"],
            "unit": "coverage",
        }
        for name, one in found.items()
        for target, score in one["scores"].items()
    ]


def source() -> tuple[pd.DataFrame, np.ndarray]:
    """Grades, people's in the column R and judges' in the others, and the query of each pair."""
    if not _SOURCE.exists():
        bundled = load("llmjudge_r")
        return bundled.drop(columns=["item", "query"]), bundled["query"].to_numpy()
    table = pd.read_csv(_SOURCE)
    grades = table.drop(columns=["qid", "docid"]).rename(columns={"R_human": "R"})
    return grades.where(grades.isin(GRADES)), pd.factorize(table["qid"])[0]


def chosen(design: str, queries: np.ndarray, judge: int, number: int) -> np.ndarray:
    """Positions of the pairs that people label, other ones for each judge."""
    rng = np.random.default_rng([DESIGNS.index(design), judge, number])
    if design == DESIGNS[0]:
        return rng.choice(len(queries), N_HUMAN, replace=False)
    of_each = in_proportion(np.bincount(queries), 5, rng)
    parts = [rng.choice(np.flatnonzero(queries == q), 20, replace=False) for q in of_each]
    return np.concatenate(parts)


def in_proportion(sizes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Different positions, each with a probability in proportion to its size (systematic)."""
    order = rng.permutation(len(sizes))
    ends = np.cumsum(sizes[order]) * n / sizes.sum()
    return order[np.searchsorted(ends, np.arange(n) + rng.random())]


def of_each(
    design: str, grades: pd.DataFrame, queries: np.ndarray, n_tables: int
) -> dict[str, dict[str, Fitted]]:
    """Method -> judge -> interval ends of each table, by target."""
    found: dict[str, dict[str, Fitted]] = {}
    judges = list(grades.columns[1:])
    for j, judge in enumerate(judges):
        labelled = [chosen(design, queries, j, i) for i in range(n_tables)]
        own = _tables(grades[["R"]], queries, labelled, only_labelled=True)
        for method, keywords in _people().items():
            found.setdefault(method, {})[judge] = _read(keywords, own, ())
        many = _tables(grades[["R", judge]], queries, labelled)
        for method, keywords in _judged().items():
            found.setdefault(method, {})[judge] = _read(keywords, many, (judge,))
        pairs = [_ppi(grades["R"].to_numpy(), grades[judge].to_numpy(), at) for at in labelled]
        found.setdefault("PPI++ at 2", {})[judge] = {"relevant": np.array(pairs)}
    labelled = [chosen(design, queries, len(judges), i) for i in range(_OF_TWO * n_tables)]
    many = _tables(grades[["R", *TOGETHER]], queries, labelled)
    for method, keywords in _two().items():
        found[method] = {" and ".join(TOGETHER): _read(keywords, many, TOGETHER)}
    return found


def _people() -> dict[str, dict[str, Any]]:
    return {"people alone": {}, "people alone, cluster=": {"cluster": "query"}}


def _judged() -> dict[str, dict[str, Any]]:
    return {
        "binary at 2": {"binary": True},
        "graded": {},
        "graded, cluster=": {"cluster": "query"},
    }


def _two() -> dict[str, dict[str, Any]]:
    return {
        f"two judges, binary at 2, {dependence}": {"binary": True, "dependence": dependence}
        for dependence in ("independent", "saturated")
    }


def _tables(
    columns: pd.DataFrame,
    queries: np.ndarray,
    labelled: Sequence[np.ndarray],
    *,
    only_labelled: bool = False,
) -> pd.DataFrame:
    """All tables below each other, people's grades hidden where they are not labelled."""
    parts = []
    for number, at in enumerate(labelled):
        part = columns.assign(query=queries, table=number)
        part["R"] = part["R"].where(np.isin(np.arange(len(part)), at))
        parts.append(part.iloc[at] if only_labelled else part)
    return pd.concat(parts, ignore_index=True)


def _read(keywords: dict[str, Any], many: pd.DataFrame, judges: tuple[str, ...]) -> Fitted:
    """The 95% intervals of P(relevant) and, where grades are read, of each P(grade)."""
    how = {"share": "group", "dependence": keywords.get("dependence", "independent")}
    cluster = {"cluster": keywords["cluster"]} if "cluster" in keywords else {}
    common = {"abstention": None, "task": None, "by": "table", "draws": 2000, **cluster}
    if keywords.get("binary"):
        at_2 = many.copy()
        at_2[["R", *judges]] = at_2[["R", *judges]].ge(2).astype(float).where(many.notna())
        named = [Judge(name, of="retrieval", **how) for name in judges]
        posts = fit(at_2, judges=named, **common)
        return {"relevant": _ends(posts, lambda p: p["retrieval_success"])}
    named = [Judge(name, of="retrieval", levels=GRADES, **how) for name in judges]
    posts = fit(many, judges=named, retrieval_levels=GRADES, **common)
    each = {f"grade {g}": _ends(posts, lambda p, g=g: p[f"retrieval[{g}]"]) for g in GRADES}
    return {
        "relevant": _ends(posts, lambda p: p["retrieval[2]"] + p["retrieval[3]"]),
        **each,
    }


def _ends(posts: Posteriors, quantity: Callable[[Any], np.ndarray]) -> Ends:
    return np.array([np.quantile(quantity(post), (0.025, 0.975)) for post in posts])


def _ppi(truth: np.ndarray, verdict: np.ndarray, at: np.ndarray) -> tuple[float, float]:
    there = np.isin(np.arange(len(truth)), at)
    human, said = (truth >= 2).astype(float), (verdict >= 2).astype(float)
    return ppi(human[there], said[there], said[~there])


def summed(by_judge: dict[str, Fitted], truth: np.ndarray) -> dict[str, Any]:
    """Scores over judges and tables, of "relevant" and of all grades together; and each judge's."""
    of_judge = [dict(_scored(ends, truth)) for ends in by_judge.values()]
    scores = {}
    for target in of_judge[0]:
        ends = np.stack([one[target][0] for one in of_judge])
        truths = np.array([one[target][1] for one in of_judge])
        flat = ends.reshape(-1, ends.shape[-2], 2)
        scores[target] = asdict(Score.of(flat, truths.reshape(-1)))
    coverage = {
        judge: {t: round(float(_covers(*pair).mean()), 3) for t, pair in one.items()}
        for judge, one in zip(by_judge, of_judge, strict=True)
    }
    return {"scores": scores, "coverage_by_judge": coverage}


def _scored(ends: Fitted, truth: np.ndarray) -> Iterator[tuple[str, tuple[np.ndarray, np.ndarray]]]:
    """Target -> interval ends, shape (value, table, 2), and the truth of each value."""
    yield "P(relevant)", (ends["relevant"][None], np.array([np.mean(truth >= 2)]))
    if "grade 0" in ends:
        stacked = np.stack([ends[f"grade {g}"] for g in GRADES])
        yield "P(grade)", (stacked, np.array([np.mean(truth == g) for g in GRADES]))


def _covers(ends: np.ndarray, truths: np.ndarray) -> np.ndarray:
    at = truths[:, None]
    return (ends[..., 0] <= at) & (at <= ends[..., 1])


def versions() -> dict[str, str]:
    """Of the packages that the numbers come from."""
    return {name: metadata.version(name) for name in ("rat_widgets", "numpy", "scipy")}
