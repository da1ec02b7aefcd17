"""Other tools that correct a judge by a few human labels, each as its documentation calls it.

A caller takes human labels, what the verdicts say on the same rows and on the others, and returns
the ends of a 95% interval. Every setting is the tool's default but those that are named here.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata
from typing import Final

import numpy as np

Caller = Callable[[np.ndarray, np.ndarray, np.ndarray], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Peer:
    """A tool, and how it is called.

    Parameters
    ----------
    package, module : str
        Name of the distribution, and what is imported.
    call : function
    how : str
        The function that is called, and every setting that is not its default.
    n_tables : int
        Most tables per cell; fewer of the slow ones.
    takes_proxies : bool
        Whether A and both verdicts are given beside what they say of the target.
    """

    package: str
    module: str
    call: Caller
    how: str
    n_tables: int = 10**6
    takes_proxies: bool = False

    @property
    def is_installed(self) -> bool:
        """Whether it can be imported."""
        return importlib.util.find_spec(self.module) is not None

    @property
    def version(self) -> str:
        """The version that is installed."""
        return metadata.version(self.package)


def interval(peer: Peer, y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    """The tool's interval, cut to [0, 1]; NaN where it refuses."""
    logging.disable(logging.WARNING)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            lower, upper = peer.call(y, f, rest)
    except (ValueError, RuntimeError, ZeroDivisionError, np.linalg.LinAlgError):
        return np.nan, np.nan
    finally:
        logging.disable(logging.NOTSET)
    return float(np.clip(lower, 0, 1)), float(np.clip(upper, 0, 1))


def _ppi_python(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from ppi_py import ppi_mean_ci

    lower, upper = ppi_mean_ci(y, f, rest, alpha=0.05)
    return lower.item(), upper.item()


def _truescore(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from truescore import ppi_estimate

    found = ppi_estimate(np.concatenate([f, rest]), y, np.arange(len(y)))
    return found.low, found.high


def _rogan_gladen(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from truescore import rogan_gladen_estimate

    found = rogan_gladen_estimate(np.concatenate([f, rest]), y, np.arange(len(y)))
    return found.low, found.high


def _wilson(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from truescore import gold_only_estimate

    found = gold_only_estimate(y)
    return found.low, found.high


def _glide(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from glide.estimators import PPIMeanEstimator

    return _of_glide(PPIMeanEstimator().estimate(_with_gaps(y, rest), np.concatenate([f, rest])))


def _glide_many(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from glide.estimators import MultiPPIMeanEstimator

    proxies = np.concatenate([f, rest])
    return _of_glide(MultiPPIMeanEstimator().estimate(_with_gaps(y, rest), proxies))


def _of_glide(result: object) -> tuple[float, float]:
    found = result.confidence_interval  # type: ignore[attr-defined]
    return found.lower_bound, found.upper_bound


def _judgy(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from judgy import estimate_success_rate

    np.random.seed(0)  # noqa: NPY002 - judgy draws from NumPy's global generator
    return estimate_success_rate(y, f, rest, bootstrap_iterations=1000)[1:]


def _evalstats(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from evalstats import ppi

    found = ppi.correct(
        np.mean, Y_lab=y, Y_hat_lab=f, Y_hat_unlab=rest, rng=0, compute_pvalue=False
    )
    return found.ci_low, found.ci_high


def _cje(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from cje import calibrated_mean_ci

    return calibrated_mean_ci(np.concatenate([f, rest]), _with_gaps(y, rest)).ci


def _cje_tuned(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from cje import calibrated_mean_ci

    scores = np.concatenate([f, rest])
    return calibrated_mean_ci(scores, _with_gaps(y, rest), correction_weight="tuned").ci


def _fewhumans(y: np.ndarray, f: np.ndarray, rest: np.ndarray) -> tuple[float, float]:
    from fewhumans.estimators import ppi_plus_mean

    found = ppi_plus_mean(rest, y, f)
    return found.lo, found.hi


def _with_gaps(y: np.ndarray, rest: np.ndarray) -> np.ndarray:
    """Labels on all rows, NaN where people gave none."""
    return np.concatenate([y, np.full(len(rest), np.nan)])


PEERS: Final[dict[str, Peer]] = {
    "human labels only (Wilson)": Peer(
        "truescore", "truescore", _wilson, "gold_only_estimate; no verdicts"
    ),
    "ppi-python": Peer("ppi-python", "ppi_py", _ppi_python, "ppi_mean_ci (PPI++)"),
    "truescore": Peer("truescore", "truescore", _truescore, "ppi_estimate (PPI++)"),
    "truescore, Rogan-Gladen": Peer(
        "truescore", "truescore", _rogan_gladen, "rogan_gladen_estimate"
    ),
    "glide-py": Peer("glide-py", "glide", _glide, "PPIMeanEstimator (PPI++)"),
    "glide-py, all proxies": Peer(
        "glide-py",
        "glide",
        _glide_many,
        "MultiPPIMeanEstimator; A and the verdicts as further proxies",
        takes_proxies=True,
    ),
    "judgy": Peer(
        "judgy",
        "judgy",
        _judgy,
        "estimate_success_rate, bootstrap_iterations=1000 (of 20,000)",
        n_tables=50,
    ),
    "evalstats": Peer("evalstats", "evalstats", _evalstats, "ppi.correct of np.mean", n_tables=50),
    "cje-eval": Peer("cje-eval", "cje", _cje, "calibrated_mean_ci", n_tables=50),
    "cje-eval, tuned": Peer(
        "cje-eval",
        "cje",
        _cje_tuned,
        'calibrated_mean_ci, correction_weight="tuned"',
        n_tables=50,
    ),
    "fewhumans": Peer("fewhumans", "fewhumans", _fewhumans, "ppi_plus_mean (its E3, PPI++)"),
}
