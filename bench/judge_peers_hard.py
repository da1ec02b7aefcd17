"""Where the plain model of a judge does not hold: our intervals, told so, against other tools'.

Simulated tables at the point "qwen" or "often right" with 100 rows that people labelled and 2,000
more with A and verdicts, judges with TPR 0.9 and FPR 0.1 where nothing departs:

- the judge of T passes 50% of wrong answers after a miss;
- the judge of R passes 50% of misses whose answer is right all the same;
- three judges of T copy each other in 60% of the rows;
- every row stands in the table three times, 35 labelled and 200 others;
- people looked at a quarter of what the judge of T failed and at 4% of what it passed.

And real ones, all human labels but some hidden at random, whose truth is the share over all rows:

- `openqa_nq301`, one reader judged by itself, 20 of its own labels kept and all of the others';
- `mtrag_human`, all answers of two systems and of people, 60 of 477 labels kept.

Ours is fitted with what is known of the table (`depends_on`, `dependence`, `cluster`, `share`,
that the rows in hand are meant), and as if nothing were known. Other tools are fed as in
`judge_tables`: a metric and what the verdicts say of it, of three judges the majority, all of them
where a tool takes several.

``RAT_BENCH_TABLES`` sets the number of tables (100; of `openqa_nq301`, whose partial pooling takes
some seconds a table, 60 at most). Everything goes to
``bench/results/judge_peers_hard.json``.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from importlib import metadata
from typing import Any, Final

import numpy as np
import pandas as pd
import self_preference
from judge_callers import PEERS, Peer, interval
from judge_scores import Score, save
from judge_tables import POINTS, TARGETS, Table

from rat_widgets.datasets import load
from rat_widgets.fitting import fit
from rat_widgets.labels.judges import Judge
from rat_widgets.model.worlds import worlds_of

N_HUMAN: Final = 100
N_ONLY: Final = 2000
TPR: Final = 0.9
FPR: Final = 0.1
KNOWING: Final = "rat_widgets"
IGNORING: Final = "rat_widgets, not told"
T_ONLY: Final = ("task_success",)
_JR: Final = Judge("jR", of="retrieval")
_JT: Final = Judge("jT", of="task")
_PEERS: Final = (
    "human labels only (Wilson)",
    "ppi-python",
    "truescore, Rogan-Gladen",
    "glide-py, all proxies",
    "fewhumans",
)


@dataclass(frozen=True, slots=True)
class Case:
    """One table: what we are given, what we know of it, and what others are fed.

    Parameters
    ----------
    frame : DataFrame
    told, untold : mapping
        Keywords of `fit`.
    fed : Table
    truths : mapping from target to float
    proxies : array, shape (row, proxy), optional
        In place of those of `Table.proxies`.
    """

    frame: pd.DataFrame
    told: dict[str, Any]
    untold: dict[str, Any]
    fed: Table
    truths: dict[str, float]
    proxies: np.ndarray | None = None
    group: dict[str, Any] = field(default_factory=dict)

    def ours(self, how: dict[str, Any]) -> list[tuple[float, float]]:
        """Our 95% intervals, one per target."""
        post = fit(self.frame, draws=2000, **how)
        post = post.sel(**self.group) if self.group and how.get("by") else post
        ends = [np.quantile(post[target], (0.025, 0.975)) for target in self.truths]
        return [(float(lower), float(upper)) for lower, upper in ends]

    def theirs(self, peer: Peer) -> list[tuple[float, float]]:
        """A peer's, one per target."""
        feed = Table.proxies if peer.takes_proxies else Table.one_number
        found = []
        for target in self.truths:
            human, seen, rest = feed(self.fed, target)
            if peer.takes_proxies and self.proxies is not None:
                seen, rest = np.split(self.proxies, [self.fed.n_human])
            found.append(interval(peer, human, seen, rest))
        return found


def rows() -> list[dict[str, Any]]:
    """One row per case, target and tool: coverage and width."""
    n_tables = int(os.environ.get("RAT_BENCH_TABLES", "100"))
    peers = {name: PEERS[name] for name in _PEERS if PEERS[name].is_installed}
    scores: dict[str, dict[str, dict[str, Any]]] = {}
    for where, made in CASES.items():
        ends: dict[str, list[Any]] = {}
        for number in range(min(n_tables, _MOST.get(where, n_tables))):
            case = made(number)
            ends.setdefault(KNOWING, []).append(case.ours(case.told))
            ends.setdefault(IGNORING, []).append(case.ours(case.untold))
            for name, peer in peers.items():
                ends.setdefault(name, []).append(case.theirs(peer))
        scores[where] = {
            TARGETS[target]: {
                tool: asdict(Score.of(np.array(found)[None, :, i], np.array([truth])))
                for tool, found in ends.items()
            }
            for i, (target, truth) in enumerate(case.truths.items())
        }
        versions = {peer.package: peer.version for peer in peers.values()}
        versions["numpy"] = metadata.version("numpy")
        calls = {name: peer.how for name, peer in peers.items()}
        save("judge_peers_hard", {"calls": calls, "scores": scores}, versions)
    return list(_rows(scores))


def _rows(scores: dict[str, dict[str, dict[str, Any]]]) -> Iterator[dict[str, Any]]:
    for where, by_target in scores.items():
        for target, by_tool in by_target.items():
            for tool, score in by_tool.items():
                name = f"{where}, {target}, {tool}; width {score['width']:.3f}"
                yield {"name": name, "value": score["coverage"], "unit": "coverage"}


# --- simulated -----------------------------------------------------------------------------


def _simulated(
    name: str, number: int, point: str, n: int
) -> tuple[np.random.Generator, pd.DataFrame, dict[str, float]]:
    """Complete rows of the model, and the two targets there."""
    rng = np.random.default_rng([*name.encode(), number])
    tree, at = worlds_of(), POINTS[point].worlds()
    world = rng.choice(6, size=n, p=list(at.values()))
    columns = {"R": tree.hit, "A": tree.abstained, "T": tree.right}
    frame = pd.DataFrame({key: of[world].astype(np.int8) for key, of in columns.items()})
    truths = {
        "task_success": at["miss_right"] + at["hit_right"],
        "policy_adherence": at["miss_abstained"] + at["hit_right"],
    }
    return rng, frame, truths


def _passes(rng: np.random.Generator, truth: pd.Series, fpr: Any = FPR) -> np.ndarray:
    return (rng.random(len(truth)) < np.where(truth == 1, TPR, fpr)).astype(np.int8)


def _case(
    frame: pd.DataFrame, seen: np.ndarray, truths: dict[str, float], told: Any, untold: Any
) -> Case:
    """With the labels of people on the rows seen."""
    order = np.argsort(~seen, kind="stable")
    columns = (frame[key].to_numpy(dtype=np.int8)[order] for key in ("R", "A", "T", "jR", "jT"))
    shown = frame.astype(float)
    shown.loc[~seen, ["R", "T"]] = np.nan
    return Case(shown, told, untold, Table(int(seen.sum()), *columns), truths)


def _first(n: int, n_human: int = N_HUMAN) -> np.ndarray:
    return np.arange(n) < n_human


def _lenient_after_a_miss(number: int) -> Case:
    n = N_HUMAN + N_ONLY
    rng, frame, truths = _simulated("miss", number, "qwen", n)
    frame["jR"] = _passes(rng, frame["R"])
    frame["jT"] = _passes(rng, frame["T"], FPR + 0.4 * (frame["R"] == 0))
    told = {"judges": [_JR, Judge("jT", of="task", depends_on="retrieval")]}
    return _case(frame, _first(n), truths, told, {"judges": [_JR, _JT]})


def _fooled_by_right_answers(number: int) -> Case:
    n = N_HUMAN + N_ONLY
    rng, frame, truths = _simulated("fooled", number, "qwen", n)
    frame["jR"] = _passes(rng, frame["R"], FPR + 0.4 * (frame["T"] == 1))
    frame["jT"] = _passes(rng, frame["T"])
    told = {"judges": [Judge("jR", of="retrieval", depends_on="task"), _JT]}
    return _case(frame, _first(n), truths, told, {"judges": [_JR, _JT]})


def _three_that_copy(number: int) -> Case:
    n = N_HUMAN + N_ONLY
    rng, frame, truths = _simulated("copy", number, "often right", n)
    names = ["j0", "j1", "j2"]
    model = _passes(rng, frame["T"])
    for name in names:
        copies = rng.random(n) < 0.6
        frame[name] = np.where(copies, model, _passes(rng, frame["T"])).astype(np.int8)
    frame["jR"], frame["jT"] = np.int8(-1), (frame[names].sum(axis=1) > 1).astype(np.int8)
    told = [Judge(name, of="task", dependence="saturated") for name in names]
    plain = [Judge(name, of="task") for name in names]
    case = _case(
        frame,
        _first(n),
        {"task_success": truths["task_success"]},
        {"judges": told},
        {"judges": plain},
    )
    given = frame[names].mul(1 - frame["A"], axis=0)
    proxies = np.column_stack([given, frame["A"]]).astype(float)
    return Case(case.frame, case.told, case.untold, case.fed, case.truths, proxies)


def _rows_three_times(number: int) -> Case:
    n = 35 + 200
    rng, frame, truths = _simulated("thrice", number, "often right", n)
    frame["jR"], frame["jT"] = _passes(rng, frame["R"]), _passes(rng, frame["T"])
    frame["c"] = np.arange(n)
    frame = frame.loc[frame.index.repeat(3)].reset_index(drop=True)
    untold = {"judges": [_JR, _JT]}
    told = {**untold, "cluster": "c"}
    return _case(frame, _first(3 * n, 3 * 35), truths, told, untold)


def _bought_by_verdict(number: int) -> Case:
    n = N_HUMAN + N_ONLY
    rng, frame, truths = _simulated("bought", number, "often right", n)
    frame["jR"], frame["jT"] = _passes(rng, frame["R"]), _passes(rng, frame["T"])
    seen = rng.random(n) < np.where(frame["jT"] == 0, 0.25, 0.04)
    how = {"judges": [_JR, _JT]}
    return _case(frame, seen, truths, how, how)


# --- real ----------------------------------------------------------------------------------


def _judged_by_itself(number: int) -> Case:
    reader = self_preference.ITSELF
    one = self_preference.Case("self-preference", reader, "T_davinci3", number)
    frame = self_preference.table(one).drop(columns=["R"], errors="ignore")
    own = frame[frame["system"] == reader]
    verdict = own["T_davinci3"].fillna(0).to_numpy(dtype=np.int8)
    settings = {"retrieval": None, "by": "system"}
    told = {**settings, "judges": [Judge("T_davinci3", of="task", share="partial")]}
    untold = {**settings, "judges": [Judge("T_davinci3", of="task")]}
    seen = own["T"].notna().to_numpy()
    order = np.argsort(~seen, kind="stable")
    none = np.full(len(own), -1, dtype=np.int8)
    a, t = (own[key].fillna(0).to_numpy(dtype=np.int8) for key in ("A", "T"))
    fed = Table(int(seen.sum()), none, a[order], t[order], none, verdict[order])
    truths = {"task_success": self_preference.truth(one)}
    return Case(frame, told, untold, fed, truths, _given(fed), {"system": reader})


def _answers_about_documents(number: int) -> Case:
    rows = load("mtrag_human")
    rng = np.random.default_rng([159, number])
    frame = rows[["A", "T", "T_judge"]].astype(float)
    truth = float(frame["T"].mean())
    seen = np.zeros(len(frame), dtype=bool)
    seen[rng.choice(len(frame), 60, replace=False)] = True
    order = np.argsort(~seen, kind="stable")
    none = np.full(len(frame), -1, dtype=np.int8)
    columns = (frame[key].fillna(0).to_numpy(dtype=np.int8) for key in ("A", "T", "T_judge"))
    a, t, verdict = (x[order] for x in columns)
    fed = Table(60, none, a, t, none, verdict)
    frame.loc[~seen, "T"] = np.nan
    untold = {
        "retrieval": None,
        "judges": [Judge("T_judge", of="task")],
        "on_contradiction": "trust_answer",
    }
    told = {**untold, "estimand": "these_rows"}
    return Case(frame, told, untold, fed, {"task_success": truth}, _given(fed))


def _given(fed: Table) -> np.ndarray:
    """Proxies where there is no judge of R."""
    return np.column_stack([fed.jt * (1 - fed.a), fed.a]).astype(float)


CASES: Final[dict[str, Callable[[int], Case]]] = {
    "judge of T lenient after a miss": _lenient_after_a_miss,
    "judge of R fooled by right answers": _fooled_by_right_answers,
    "three judges of T that copy": _three_that_copy,
    "rows three times": _rows_three_times,
    "labels bought by verdict": _bought_by_verdict,
    "openqa_nq301, a reader judged by itself": _judged_by_itself,
    "mtrag_human": _answers_about_documents,
}
_MOST: Final = {"openqa_nq301, a reader judged by itself": 60}
